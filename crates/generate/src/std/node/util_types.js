// node:util/types.

import { types } from './util.js';

export const { isDate, isRegExp, isMap, isSet, isPromise, isProxy, isNativeError, isArrayBuffer, isAnyArrayBuffer, isArrayBufferView, isTypedArray, isUint8Array, isDataView, isGeneratorFunction, isAsyncFunction, isBoxedPrimitive } = types;
export default types;
