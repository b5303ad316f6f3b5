// CommonJS: require, module and exports, as Node has them.

import { host } from './host.js';

const modules = new Map();

// The exports of a CommonJS module, for an import.
export const exportsOf = (path) => load(path).exports;

// The names that an import of the module can use.
export function exportNames(path) {
  const exports = exportsOf(path);
  if ((typeof exports !== 'object' && typeof exports !== 'function') || exports === null) return [];
  const names = Object.keys(exports).filter((name) => name !== 'default' && /^[A-Za-z_$][\w$]*$/.test(name));
  return typeof exports === 'function' ? names.filter((name) => name !== 'prototype') : names;
}

export function createRequire(from) {
  const path = String(from).startsWith('file:') ? host.fileUrlToPath(String(from)) : String(from);
  return requireFrom(path, undefined);
}

const folderOf = (path) => path.slice(0, Math.max(1, path.lastIndexOf('/')));

function load(path, parent) {
  const known = modules.get(path);
  if (known !== undefined) return known;
  const module = { id: path, filename: path, path: folderOf(path), exports: {}, loaded: false, children: [], paths: [], parent };
  modules.set(path, module);
  try {
    const loaded = host.loadCommonJs(path);
    if (typeof loaded === 'function') {
      const require = requireFrom(path, module);
      module.require = require;
      loaded.call(module.exports, module.exports, require, module, path, module.path);
    } else {
      [module.exports] = loaded;
    }
    module.loaded = true;
  } catch (error) {
    modules.delete(path);
    throw error;
  }
  return module;
}

function requireFrom(path, parent) {
  const find = (specifier) => {
    if (typeof specifier !== 'string') throw new TypeError('The "id" argument must be of type string');
    return host.resolveRequire(specifier, path);
  };
  const require = (specifier) => {
    const [kind, name] = find(specifier);
    if (kind === 'file') return load(name, parent).exports;
    const namespace = host.moduleNamespace(name);
    return kind === 'builtin' ? namespace.default ?? namespace : namespace;
  };
  require.resolve = (specifier) => find(specifier)[1];
  require.resolve.paths = () => [];
  require.cache = Object.create(null);
  require.extensions = Object.create(null);
  require.main = undefined;
  return require;
}
