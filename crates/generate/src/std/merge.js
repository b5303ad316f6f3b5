// Putting values together.

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

function require(condition, strategy, what) {
  if (!condition) throw new Error(`${strategy}: input ${what}`);
}

// b over a: objects member by member, everything else replaced. Rules name, for members, how they are merged.
export function merge(a, b, rules) {
  if (a === undefined) return b;
  if (typeof a !== typeof b) throw new Error(`merge cannot combine values of types ${typeof a} and ${typeof b}`);
  if (Array.isArray(a) || typeof a !== 'object') return typeof rules === 'function' ? rules(a, b) : b;
  return members(a, b, rules);
}

function members(a, b, rules) {
  const result = { ...a };
  for (const [key, value] of Object.entries(b)) result[key] = strategy(rules?.[key])(a?.[key], value);
  return result;
}

function strategy(rule) {
  if (rule === undefined) return merge;
  if (typeof rule === 'function') return rule;
  if (typeof rule === 'object') return deep(rule);
  throw new Error(`merge: expected a function in the rules objects but found a ${typeof rule}`);
}

// Strategy for objects: member by member.
export function deep(rules) {
  return (a, b) => {
    require(isObject(a) && isObject(b), 'deep', 'value is not an object');
    return members(a, b, rules);
  };
}

// Strategy: the first value.
export function first() {
  return (a) => a;
}

// Strategy: the second value.
export function replace() {
  return (_, b) => b;
}

// Strategy for arrays of objects: those with an equal key are merged, the others appended.
export function deepWithKey(key, rules) {
  return (a, b) => {
    require(Array.isArray(a) && Array.isArray(b), 'deepWithKey', 'is not an array');
    const result = [...a];
    for (const item of b) {
      const at = a.findIndex((other) => other[key] === item[key]);
      if (at < 0) result.push(item);
      else result[at] = members(a[at], item, rules);
    }
    return result;
  };
}

// b over a, whatever their types: objects member by member, everything else replaced.
export function patch(a, b) {
  if (!isObject(a) || !isObject(b)) return b === undefined ? a : b;
  const result = { ...a };
  for (const [key, value] of Object.entries(b)) result[key] = Object.hasOwn(a, key) ? patch(a[key], value) : value;
  return result;
}
