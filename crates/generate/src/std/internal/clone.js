// structuredClone: a deep copy of data, cycles included.

const REFUSED = 'could not be cloned';

export function structuredClone(value) {
  return clone(value, new Map());
}

function clone(value, seen) {
  if (typeof value === 'function' || typeof value === 'symbol') {
    throw new TypeError(`structuredClone: ${typeof value === 'symbol' ? value.toString() : value.name || 'a function'} ${REFUSED}`);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (seen.has(value)) return seen.get(value);
  const keep = (copy) => {
    seen.set(value, copy);
    return copy;
  };
  if (value instanceof Date) return keep(new Date(value.getTime()));
  if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
  if (value instanceof Number || value instanceof String || value instanceof Boolean) return keep(Object(value.valueOf()));
  if (value instanceof ArrayBuffer) return keep(value.slice(0));
  if (ArrayBuffer.isView(value)) {
    const buffer = clone(value.buffer, seen);
    const Kind = value instanceof DataView ? DataView : Object.getPrototypeOf(value).constructor;
    return keep(new Kind(buffer, value.byteOffset, value instanceof DataView ? value.byteLength : value.length));
  }
  if (value instanceof Map) {
    const copy = keep(new Map());
    for (const [key, member] of value) copy.set(clone(key, seen), clone(member, seen));
    return copy;
  }
  if (value instanceof Set) {
    const copy = keep(new Set());
    for (const member of value) copy.add(clone(member, seen));
    return copy;
  }
  if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet) throw new TypeError(`structuredClone: the value ${REFUSED}`);
  if (value instanceof Error) {
    const Kind = { EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError }[value.name] ?? Error;
    const copy = keep(new Kind(value.message));
    copy.stack = value.stack;
    if (Object.hasOwn(value, 'cause')) copy.cause = clone(value.cause, seen);
    return copy;
  }
  const copy = keep(Array.isArray(value) ? new Array(value.length) : {});
  for (const key of Object.keys(value)) copy[key] = clone(value[key], seen);
  return copy;
}
