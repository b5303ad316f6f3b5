// Timers in virtual time: a timer runs when nothing else is left to do, the earliest first, without any waiting.

import { host } from './host.js';

let now = 0;
let count = 0;
const timers = new Map();

class Timeout {
  constructor(id) {
    this.id = id;
  }
  ref() {
    return this;
  }
  unref() {
    return this;
  }
  hasRef() {
    return true;
  }
  refresh() {
    return this;
  }
  [Symbol.toPrimitive]() {
    return this.id;
  }
}

function add(callback, delay, values, every) {
  if (typeof callback !== 'function') throw new TypeError('the callback of a timer is not a function');
  const wait = Math.max(1, Number(delay) || 0);
  count += 1;
  timers.set(count, { at: now + wait, callback, values, every: every ? wait : undefined });
  return new Timeout(count);
}

const remove = (timer) => void timers.delete(typeof timer === 'object' && timer !== null ? timer.id : Number(timer));

export const setTimeout = (callback, delay, ...values) => add(callback, delay, values, false);
export const setInterval = (callback, delay, ...values) => add(callback, delay, values, true);
export const setImmediate = (callback, ...values) => add(callback, 0, values, false);
export const clearTimeout = remove;
export const clearInterval = remove;
export const clearImmediate = remove;

host.onIdle(() => {
  let next;
  for (const [id, timer] of timers) if (next === undefined || timer.at < next[1].at) next = [id, timer];
  if (next === undefined) return false;
  const [id, timer] = next;
  now = timer.at;
  if (timer.every === undefined) timers.delete(id);
  else timer.at += timer.every;
  timer.callback(...timer.values);
  return true;
});
