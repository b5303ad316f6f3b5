// node:assert/strict.

import { strict } from './assert.js';

export const { AssertionError, ok, equal, notEqual, strictEqual, notStrictEqual, deepEqual, notDeepEqual, deepStrictEqual, notDeepStrictEqual, match, doesNotMatch, fail, throws, rejects, doesNotThrow, doesNotReject, ifError } = strict;
export default strict;
