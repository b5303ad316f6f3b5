// node:util.

import { inspect, format } from '../internal/inspect.js';
import { TextDecoder, TextEncoder } from '../internal/text.js';
import { isDeepStrictEqual } from '../internal/equal.js';

export { inspect, format, TextDecoder, TextEncoder, isDeepStrictEqual };

export const formatWithOptions = (_options, ...values) => format(...values);

export function promisify(fn) {
  if (typeof fn[promisify.custom] === 'function') return fn[promisify.custom];
  return function (...values) {
    return new Promise((resolve, reject) => {
      fn.call(this, ...values, (error, result) => (error ? reject(error) : resolve(result)));
    });
  };
}
promisify.custom = Symbol.for('nodejs.util.promisify.custom');

export const callbackify = (fn) => (...values) => {
  const callback = values.pop();
  fn(...values).then((result) => callback(null, result), (error) => callback(error));
};

export function inherits(child, parent) {
  Object.defineProperty(child, 'super_', { value: parent, writable: true, configurable: true });
  Object.setPrototypeOf(child.prototype, parent.prototype);
}

export const deprecate = (fn) => fn;
export const debuglog = () => Object.assign(() => {}, { enabled: false });
export const debug = debuglog;
export const stripVTControlCharacters = (text) => text.replace(/\u001b\[[0-9;]*[A-Za-z]/g, '');
export const toUSVString = (text) => String(text).toWellFormed();
export const styleText = (_format, text) => text;
export const getSystemErrorName = (code) => `E${code}`;
export const _extend = (target, source) => Object.assign(target, source);

const tag = (value) => Object.prototype.toString.call(value).slice(8, -1);
const isTag = (...names) => (value) => typeof value === 'object' && value !== null && names.includes(tag(value));

export const types = {
  isDate: (value) => value instanceof Date,
  isRegExp: (value) => value instanceof RegExp,
  isMap: (value) => value instanceof Map,
  isSet: (value) => value instanceof Set,
  isWeakMap: (value) => value instanceof WeakMap,
  isWeakSet: (value) => value instanceof WeakSet,
  isPromise: (value) => value instanceof Promise,
  isProxy: () => false,
  isNativeError: (value) => value instanceof Error,
  isArrayBuffer: (value) => value instanceof ArrayBuffer,
  isAnyArrayBuffer: (value) => value instanceof ArrayBuffer || tag(value) === 'SharedArrayBuffer',
  isArrayBufferView: (value) => ArrayBuffer.isView(value),
  isTypedArray: (value) => ArrayBuffer.isView(value) && !(value instanceof DataView),
  isUint8Array: (value) => value instanceof Uint8Array,
  isDataView: (value) => value instanceof DataView,
  isSymbolObject: isTag('Symbol'),
  isNumberObject: isTag('Number'),
  isStringObject: isTag('String'),
  isBooleanObject: isTag('Boolean'),
  isBigIntObject: isTag('BigInt'),
  isBoxedPrimitive: isTag('Symbol', 'Number', 'String', 'Boolean', 'BigInt'),
  isGeneratorFunction: (value) => /GeneratorFunction$/.test(tag(value)),
  isAsyncFunction: (value) => /^Async/.test(tag(value)),
  isGeneratorObject: isTag('Generator'),
  isMapIterator: isTag('Map Iterator'),
  isSetIterator: isTag('Set Iterator'),
  isModuleNamespaceObject: isTag('Module'),
  isArgumentsObject: isTag('Arguments'),
};

export const isArray = Array.isArray;
export const isBoolean = (value) => typeof value === 'boolean';
export const isNull = (value) => value === null;
export const isNullOrUndefined = (value) => value == null;
export const isNumber = (value) => typeof value === 'number';
export const isString = (value) => typeof value === 'string';
export const isSymbol = (value) => typeof value === 'symbol';
export const isUndefined = (value) => value === undefined;
export const isRegExp = types.isRegExp;
export const isObject = (value) => typeof value === 'object' && value !== null;
export const isDate = types.isDate;
export const isError = types.isNativeError;
export const isFunction = (value) => typeof value === 'function';
export const isPrimitive = (value) => value === null || (typeof value !== 'object' && typeof value !== 'function');

export default {
  inspect, format, formatWithOptions, promisify, callbackify, inherits, deprecate, debuglog, debug, stripVTControlCharacters, toUSVString,
  styleText, getSystemErrorName, _extend, types, TextDecoder, TextEncoder, isDeepStrictEqual, isArray, isBoolean, isNull, isNullOrUndefined,
  isNumber, isString, isSymbol, isUndefined, isRegExp, isObject, isDate, isError, isFunction, isPrimitive,
};
