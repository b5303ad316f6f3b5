// node:assert.

import { inspect } from '../internal/inspect.js';
import { isDeepEqual, isDeepStrictEqual } from '../internal/equal.js';

export class AssertionError extends Error {
  constructor({ message, actual, expected, operator }) {
    super(message ?? `${inspect(actual)} ${operator} ${inspect(expected)}`);
    Object.assign(this, { generatedMessage: message === undefined, code: 'ERR_ASSERTION', actual, expected, operator });
  }
  get name() {
    return 'AssertionError';
  }
}

function check(condition, details) {
  if (condition) return;
  if (details.message instanceof Error) throw details.message;
  throw new AssertionError(details);
}

const compare = (test, operator, words) => (actual, expected, message) =>
  check(test(actual, expected), { actual, expected, operator, message: message ?? `${words}:\n\n${inspect(actual)} !== ${inspect(expected)}\n` });

export function ok(value, message) {
  check(value, { actual: value, expected: true, operator: '==', message: message ?? 'The expression evaluated to a falsy value' });
}

export const equal = compare((a, b) => a == b || (Number.isNaN(a) && Number.isNaN(b)), '==', 'Expected values to be loosely equal');
export const notEqual = compare((a, b) => a != b, '!=', 'Expected values to be loosely unequal');
export const strictEqual = compare(Object.is, 'strictEqual', 'Expected values to be strictly equal');
export const notStrictEqual = compare((a, b) => !Object.is(a, b), 'notStrictEqual', 'Expected values to be strictly unequal');
export const deepEqual = compare(isDeepEqual, 'deepEqual', 'Expected values to be loosely deep-equal');
export const notDeepEqual = compare((a, b) => !isDeepEqual(a, b), 'notDeepEqual', 'Expected values not to be loosely deep-equal');
export const deepStrictEqual = compare(isDeepStrictEqual, 'deepStrictEqual', 'Expected values to be strictly deep-equal');
export const notDeepStrictEqual = compare((a, b) => !isDeepStrictEqual(a, b), 'notDeepStrictEqual', 'Expected values not to be strictly deep-equal');
export const match = compare((text, pattern) => pattern.test(text), 'match', 'The input did not match the regular expression');
export const doesNotMatch = compare((text, pattern) => !pattern.test(text), 'doesNotMatch', 'The input was expected not to match');

export function fail(message = 'Failed') {
  if (message instanceof Error) throw message;
  throw new AssertionError({ message, operator: 'fail' });
}

function fits(error, expected) {
  if (expected === undefined || typeof expected === 'string') return true;
  if (expected instanceof RegExp) return expected.test(String(error));
  if (typeof expected === 'function') return expected.prototype !== undefined && error instanceof expected ? true : Error.isPrototypeOf(expected) ? false : expected.call({}, error) === true;
  return Object.keys(expected).every((key) => (expected[key] instanceof RegExp ? expected[key].test(error[key]) : isDeepStrictEqual(error[key], expected[key])));
}

export function throws(fn, expected, message) {
  try {
    fn();
  } catch (error) {
    if (!fits(error, expected)) throw error;
    return;
  }
  throw new AssertionError({ message: message ?? (typeof expected === 'string' ? expected : 'Missing expected exception.'), operator: 'throws' });
}

export async function rejects(promise, expected, message) {
  try {
    await (typeof promise === 'function' ? promise() : promise);
  } catch (error) {
    if (!fits(error, expected)) throw error;
    return;
  }
  throw new AssertionError({ message: message ?? 'Missing expected rejection.', operator: 'rejects' });
}

export const doesNotThrow = (fn) => void fn();
export const doesNotReject = async (promise) => void (await (typeof promise === 'function' ? promise() : promise));

export function ifError(value) {
  if (value !== null && value !== undefined) throw value;
}

const assert = Object.assign((value, message) => ok(value, message), {
  AssertionError, ok, equal, notEqual, strictEqual, notStrictEqual, deepEqual, notDeepEqual, deepStrictEqual, notDeepStrictEqual, match, doesNotMatch,
  fail, throws, rejects, doesNotThrow, doesNotReject, ifError,
});
export const strict = Object.assign((value, message) => ok(value, message), assert, {
  equal: strictEqual, notEqual: notStrictEqual, deepEqual: deepStrictEqual, notDeepEqual: notDeepStrictEqual,
});
strict.strict = strict;
assert.strict = strict;
export default assert;
