// node:events.

export class EventEmitter {
  static defaultMaxListeners = 10;
  on(name, listener) {
    return add(this, name, listener, {});
  }
  addListener(name, listener) {
    return add(this, name, listener, {});
  }
  once(name, listener) {
    return add(this, name, listener, { once: true });
  }
  prependListener(name, listener) {
    return add(this, name, listener, { first: true });
  }
  prependOnceListener(name, listener) {
    return add(this, name, listener, { first: true, once: true });
  }
  off(name, listener) {
    return this.removeListener(name, listener);
  }
  removeListener(name, listener) {
    const all = of(this);
    const list = all.get(name) ?? [];
    const at = list.findLastIndex((entry) => entry.listener === listener);
    if (at < 0) return this;
    const rest = list.filter((_, i) => i !== at);
    if (rest.length === 0) all.delete(name);
    else all.set(name, rest);
    if (all.has('removeListener')) this.emit('removeListener', name, listener);
    return this;
  }
  removeAllListeners(name) {
    if (name === undefined) of(this).clear();
    else of(this).delete(name);
    return this;
  }
  emit(name, ...values) {
    const list = of(this).get(name);
    if (list === undefined) {
      if (name !== 'error') return false;
      throw values[0] instanceof Error ? values[0] : new Error(`Unhandled error. (${String(values[0])})`);
    }
    for (const { listener, once } of list) {
      if (once) this.removeListener(name, listener);
      listener.apply(this, values);
    }
    return true;
  }
  listeners(name) {
    return (of(this).get(name) ?? []).map(({ listener }) => listener);
  }
  rawListeners(name) {
    return this.listeners(name);
  }
  listenerCount(name) {
    return of(this).get(name)?.length ?? 0;
  }
  eventNames() {
    return [...of(this).keys()];
  }
  setMaxListeners() {
    return this;
  }
  getMaxListeners() {
    return EventEmitter.defaultMaxListeners;
  }
}

// The listeners of an object. Packages inherit from EventEmitter without calling its constructor, so that they cannot be
// private members.
const listeners = new WeakMap();

function of(emitter) {
  let all = listeners.get(emitter);
  if (all === undefined) {
    all = new Map();
    listeners.set(emitter, all);
  }
  return all;
}

function add(emitter, name, listener, { once = false, first = false }) {
  if (typeof listener !== 'function') throw new TypeError('The "listener" argument must be of type function');
  const all = of(emitter);
  if (all.has('newListener')) emitter.emit('newListener', name, listener);
  const list = all.get(name) ?? [];
  const entry = { listener, once };
  all.set(name, first ? [entry, ...list] : [...list, entry]);
  return emitter;
}

export const once = (emitter, name) =>
  new Promise((resolve, reject) => {
    emitter.once(name, (...values) => resolve(values));
    if (name !== 'error') emitter.once('error', reject);
  });

EventEmitter.EventEmitter = EventEmitter;
EventEmitter.once = once;
export const defaultMaxListeners = 10;
export default EventEmitter;
