// node:timers/promises.

import { setImmediate as immediate, setTimeout as timeout } from '../internal/timers.js';

export const setTimeout = (delay, value) => new Promise((resolve) => timeout(() => resolve(value), delay));
export const setImmediate = (value) => new Promise((resolve) => immediate(() => resolve(value)));
export default { setTimeout, setImmediate };
