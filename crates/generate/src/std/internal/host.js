// The functions of the program that the standard library is made of. The engine installs them before any other
// module runs; scripts cannot import this module.

export let host;

export function install(functions) {
  host = functions;
}

// What a script could change, as it was before.
export const { parse } = JSON;
const { stringify: toText } = JSON;
const { defineProperty, fromEntries } = Object;
const { deleteProperty } = Reflect;
const promiseMembers = Promise.prototype;
const mapMembers = Map.prototype;
const setMembers = Set.prototype;

function refusePromise(key) {
  const member = key === '' ? 'the value' : `the member '${key}'`;
  throw new TypeError(`${member} is a promise; await it before it becomes part of a value`);
}

function mapToObject() {
  for (const key of this.keys()) {
    if (typeof key !== 'string') throw new TypeError(`a Map with a key of type ${typeof key} cannot be written; use strings`);
  }
  return fromEntries(this);
}

function setToArray() {
  return [...this];
}

// JSON, in which maps are objects, sets are arrays and promises are errors. The methods are there for the time of the
// call only, so that scripts find JSON.stringify as the language has it.
export function stringify(value) {
  const conversions = [
    [promiseMembers, refusePromise],
    [mapMembers, mapToObject],
    [setMembers, setToArray],
  ];
  const added = conversions.filter(([members]) => !('toJSON' in members));
  for (const [members, toJSON] of added) defineProperty(members, 'toJSON', { value: toJSON, configurable: true });
  try {
    return toText(value);
  } finally {
    for (const [members] of added) deleteProperty(members, 'toJSON');
  }
}

// Folders of modules, by the reference that only the module itself was given.
const folders = new Map();

export function reference(folder) {
  const ref = Symbol(folder);
  folders.set(ref, folder);
  return ref;
}

export function folderOf(ref) {
  if (ref === undefined || ref === '') return undefined;
  if (!folders.has(ref)) throw new Error('read from unknown module');
  return folders.get(ref);
}
