// Decorators of the language (TC39 proposal of 2023-11), for classes that `typescript/decorators.rs` has rewritten.
//
// A rewritten class makes one DecoratedClass each time it is evaluated and calls it in this order: `element` in the
// computed name of every decorated element, `apply` in the first static block, `initializeMethods`, `initialize` and
// `finishField` while fields are made, `finish` in the last static block.

const { create, defineProperty, getOwnPropertyDescriptor } = Object;
const { apply: call, ownKeys } = Reflect;

if (!('metadata' in Symbol)) defineProperty(Symbol, 'metadata', { value: Symbol('Symbol.metadata') });

export const begin = (classDecorators) => new DecoratedClass(classDecorators);

// `@object.method` calls the method on its object.
export function bound(object, member) {
  const decorator = member(object);
  return typeof decorator === 'function' ? (...args) => call(decorator, object, args) : decorator;
}

// The name of a property that a value stands for.
const toName = (value) => ownKeys({ [value]: 0 })[0];

const setName = (fn, name, prefix) => {
  const text = typeof name === 'symbol' ? (name.description === undefined ? '' : `[${name.description}]`) : name;
  defineProperty(fn, 'name', { value: prefix === '' ? text : `${prefix} ${text}`, configurable: true });
};

class DecoratedClass {
  elements = [];
  // Static code that runs when the class decorators have been called.
  code = [];
  // The values of static accessors.
  slots = [];
  // The class with its decorators applied; what its name means inside of it.
  current;

  constructor(classDecorators = []) {
    this.classDecorators = classDecorators;
    this.classInitializers = [];
    this.methodInitializers = { static: [], instance: [] };
  }

  // A decorated element. Answers with the name to define it under: a temporary one for private elements, which
  // `access` reads and writes.
  element(decorators, kind, isStatic, name, access) {
    const isPrivate = access !== undefined;
    const actual = isPrivate ? name : toName(name);
    const key = isPrivate ? Symbol(actual) : actual;
    const element = { kind, isStatic, isPrivate, name: actual, key, decorators, access: access ?? publicAccess(key) };
    this.elements.push({ ...element, initializers: [], extra: [] });
    return key;
  }

  // The name that `element` answered with for an element.
  keyOf(index) {
    return this.elements[index].key;
  }

  nameOf(index) {
    return this.elements[index].name;
  }

  // A name that is needed twice.
  name(value) {
    this.lastName = toName(value);
    return this.lastName;
  }

  // Calls all decorators: static methods, methods, static fields, fields, the class.
  apply(target) {
    this.current = target;
    const parent = Object.getPrototypeOf(target)?.[Symbol.metadata] ?? null;
    const metadata = create(parent);
    const isField = ({ kind }) => kind === 'field';
    const all = this.elements;
    const groups = [
      all.filter((element) => element.isStatic && !isField(element)),
      all.filter((element) => !element.isStatic && !isField(element)),
      all.filter((element) => element.isStatic && isField(element)),
      all.filter((element) => !element.isStatic && isField(element)),
    ];
    for (const element of groups.flat()) this.#decorate(element, target, metadata);
    this.current = this.#decorateClass(target, metadata);
    if (all.length + this.classDecorators.length > 0) {
      defineProperty(this.current, Symbol.metadata, { value: metadata, writable: true, configurable: true });
    }
    for (const initializer of this.methodInitializers.static) call(initializer, this.current, []);
    return this.current;
  }

  #decorate(element, target, metadata) {
    const { kind, isStatic, isPrivate, name, key } = element;
    const owner = isStatic ? target : target.prototype;
    const descriptor = getOwnPropertyDescriptor(owner, key) ?? {};
    if (isPrivate) delete owner[key];
    const parts = { method: ['value'], getter: ['get'], setter: ['set'], accessor: ['get', 'set'], field: [] }[kind];
    if (isPrivate) for (const part of parts) setName(descriptor[part], name, part === 'value' ? '' : part);

    const extra = this.#extraInitializersOf(element);
    for (const decorator of [...element.decorators].reverse()) {
      const context = { kind, name, static: isStatic, private: isPrivate, access: accessOf(element), metadata };
      const value = kind === 'field' ? undefined
        : kind === 'accessor' ? { get: descriptor.get, set: descriptor.set } : descriptor[parts[0]];
      const result = callDecorator(decorator, value, context, extra);
      if (result === undefined) continue;
      if (kind === 'accessor') {
        if (typeof result !== 'object' || result === null) throw wrongResult(kind, 'an object');
        for (const part of ['get', 'set', 'init']) {
          if (result[part] === undefined) continue;
          if (typeof result[part] !== 'function') throw wrongResult(kind, `an object whose '${part}' is a function`);
          if (part === 'init') element.initializers.unshift(result.init);
          else descriptor[part] = result[part];
        }
        continue;
      }
      if (typeof result !== 'function') throw wrongResult(kind, 'a function');
      if (kind === 'field') element.initializers.unshift(result);
      else descriptor[parts[0]] = result;
    }
    element.descriptor = descriptor;
    if (!isPrivate && kind !== 'field') defineProperty(owner, key, descriptor);
  }

  #extraInitializersOf({ kind, isStatic, extra }) {
    if (kind === 'field' || kind === 'accessor') return extra;
    return isStatic ? this.methodInitializers.static : this.methodInitializers.instance;
  }

  #decorateClass(target, metadata) {
    let decorated = target;
    for (const decorator of [...this.classDecorators].reverse()) {
      const context = { kind: 'class', name: target.name, metadata };
      const result = callDecorator(decorator, decorated, context, this.classInitializers);
      if (result === undefined) continue;
      if (typeof result !== 'function') throw wrongResult('class', 'a function');
      decorated = result;
    }
    return decorated;
  }

  // What `addInitializer` of methods asked for, before the first field of an instance.
  initializeMethods(instance) {
    for (const initializer of this.methodInitializers.instance) call(initializer, instance, []);
  }

  // The first value of a field.
  initialize(index, instance, value) {
    for (const initializer of this.elements[index].initializers) value = call(initializer, instance, [value]);
    return value;
  }

  // What `addInitializer` of a field asked for, when the field is there.
  finishField(index, instance) {
    for (const initializer of this.elements[index].extra) call(initializer, instance, []);
  }

  // What `addInitializer` of class decorators asked for, when all of the class is there.
  finish() {
    for (const initializer of this.classInitializers) call(initializer, this.current, []);
  }

  // Private elements are there under their own names with what the decorators made of them.
  method(index) {
    return this.elements[index].descriptor.value;
  }

  get(index, instance) {
    return call(this.elements[index].descriptor.get, instance, []);
  }

  set(index, instance, value) {
    call(this.elements[index].descriptor.set, instance, [value]);
  }

  // Static fields and blocks of a class with class decorators belong to what these made of it. Their code is a method
  // with a temporary name, so that `this` and `super` mean what they should.
  deferred(name) {
    const key = Symbol('static');
    this.code.push({ key, name: name === undefined ? undefined : toName(name) });
    return key;
  }

  // Runs the next code that was deferred.
  run(target) {
    const { key, name } = this.code.shift();
    this.lastName = name;
    const method = target[key];
    delete target[key];
    return call(method, this.current, []);
  }

  // Makes the next static field.
  define(target) {
    const value = this.run(target);
    defineProperty(this.current, this.lastName, { value, writable: true, enumerable: true, configurable: true });
  }

  // A function without a name gets that of the field it is the value of.
  named(value, name) {
    if (getOwnPropertyDescriptor(value, 'name')?.value === '') setName(value, name, '');
    return value;
  }
}

const publicAccess = (key) => ({
  has: (object) => key in object,
  get: (object) => object[key],
  set: (object, value) => {
    object[key] = value;
  },
});

// What a decorator may do with its element later.
function accessOf({ kind, access: { has, get, set } }) {
  switch (kind) {
    case 'method':
    case 'getter':
      return { has, get };
    case 'setter':
      return { has, set };
    default:
      return { has, get, set };
  }
}

function callDecorator(decorator, value, context, initializers) {
  if (typeof decorator !== 'function') throw new TypeError(`a decorator must be a function, not ${typeof decorator}`);
  let isOver = false;
  context.addInitializer = (initializer) => {
    if (isOver) throw new TypeError('addInitializer cannot be called after the decorator has returned');
    if (typeof initializer !== 'function') throw new TypeError('addInitializer expects a function');
    initializers.push(initializer);
  };
  const result = decorator(value, context);
  isOver = true;
  return result;
}

const wrongResult = (kind, expected) =>
  new TypeError(`the decorator of ${kind === 'accessor' ? 'an' : 'a'} ${kind} must return undefined or ${expected}`);
export default { begin, bound };
