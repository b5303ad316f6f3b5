// Deep equality: strict as util.isDeepStrictEqual, or loose as assert.deepEqual.

export const isDeepStrictEqual = (a, b) => equal(a, b, true, []);
export const isDeepEqual = (a, b) => equal(a, b, false, []);

function equal(a, b, strict, open) {
  if (strict ? Object.is(a, b) : a == b || (Number.isNaN(a) && Number.isNaN(b))) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (strict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (open.some(([x, y]) => x === a && y === b)) return true;
  const inner = [...open, [a, b]];
  if (a instanceof Date || b instanceof Date) {
    if (!(a instanceof Date && b instanceof Date && a.getTime() === b.getTime())) return false;
  } else if (a instanceof RegExp || b instanceof RegExp) {
    if (String(a) !== String(b)) return false;
  } else if (a instanceof Error || b instanceof Error) {
    if (!(a instanceof Error && b instanceof Error && a.name === b.name && a.message === b.message)) return false;
  } else if (a instanceof Map || b instanceof Map) {
    if (!(a instanceof Map && b instanceof Map && a.size === b.size)) return false;
    for (const [key, value] of a) {
      const same = b.has(key) ? [key, b.get(key)] : [...b].find(([other]) => equal(key, other, strict, inner));
      if (same === undefined || !equal(value, same[1], strict, inner)) return false;
    }
  } else if (a instanceof Set || b instanceof Set) {
    if (!(a instanceof Set && b instanceof Set && a.size === b.size)) return false;
    for (const value of a) if (!b.has(value) && ![...b].some((other) => equal(value, other, strict, inner))) return false;
  } else if (ArrayBuffer.isView(a) && ArrayBuffer.isView(b) && a.byteLength !== b.byteLength) return false;
  else if (typeof a.valueOf() !== 'object' && !equal(a.valueOf(), b.valueOf(), strict, inner)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key], strict, inner));
}
