// The functions of the program that the standard library is made of. The engine installs them before any other
// module runs; scripts cannot import this module.

export let host;

export function install(functions) {
  host = functions;
}

// JSON as it was before a script could change it.
export const { parse, stringify } = JSON;

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
