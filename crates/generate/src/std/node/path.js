// node:path. Paths are those of POSIX on every machine, so that output does not depend on it.

import { process } from '../internal/process.js';

const sep = '/';
const delimiter = ':';

function text(value, name) {
  if (typeof value !== 'string') throw new TypeError(`The "${name}" argument must be of type string. Received ${value === null ? 'null' : typeof value}`);
  return value;
}

function segments(path, isAbsolute) {
  const kept = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') kept.push(part);
    else if (kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else if (!isAbsolute) kept.push('..');
  }
  return kept;
}

export const isAbsolute = (path) => text(path, 'path').startsWith('/');

export function normalize(path) {
  if (text(path, 'path') === '') return '.';
  const absolute = path.startsWith('/');
  const joined = segments(path, absolute).join('/');
  const tail = path.endsWith('/') && joined !== '' ? '/' : '';
  return absolute ? `/${joined}${tail}` : `${joined}${tail}` || (path.endsWith('/') ? './' : '.');
}

export function join(...paths) {
  const joined = paths.filter((path) => text(path, 'path') !== '').join('/');
  return joined === '' ? '.' : normalize(joined);
}

export function resolve(...paths) {
  let resolved = '';
  for (let i = paths.length - 1; i >= 0 && !resolved.startsWith('/'); i -= 1) {
    if (text(paths[i], `paths[${i}]`) !== '') resolved = resolved === '' ? paths[i] : `${paths[i]}/${resolved}`;
  }
  if (!resolved.startsWith('/')) resolved = `${process.cwd()}/${resolved}`;
  return `/${segments(resolved, true).join('/')}`;
}

export function dirname(path) {
  const trimmed = text(path, 'path').replace(/\/+$/, '');
  const at = trimmed.lastIndexOf('/');
  if (at < 0) return trimmed === '' && path.startsWith('/') ? '/' : '.';
  return trimmed.slice(0, at).replace(/\/+$/, '') || '/';
}

export function basename(path, suffix = '') {
  const name = text(path, 'path').replace(/\/+$/, '').split('/').pop();
  return suffix !== '' && name !== suffix && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
}

export function extname(path) {
  const name = basename(path);
  const at = name.lastIndexOf('.');
  return at <= 0 || name === '..' ? '' : name.slice(at);
}

export function relative(from, to) {
  const a = resolve(from).split('/').filter(Boolean);
  const b = resolve(to).split('/').filter(Boolean);
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same += 1;
  return [...a.slice(same).map(() => '..'), ...b.slice(same)].join('/');
}

export function parse(path) {
  const root = text(path, 'path').startsWith('/') ? '/' : '';
  const base = basename(path);
  const ext = extname(path);
  const folder = dirname(path);
  const dir = folder === '.' && !path.startsWith('.') ? '' : folder;
  return { root, dir: path === '/' ? '/' : dir, base, ext, name: ext === '' ? base : base.slice(0, -ext.length) };
}

export function format({ dir, root = '', base, name = '', ext = '' }) {
  const file = base ?? `${name}${ext === '' || ext.startsWith('.') ? ext : `.${ext}`}`;
  const folder = dir ?? root;
  return folder === '' ? file : folder === root ? `${folder}${file}` : `${folder}/${file}`;
}

export const toNamespacedPath = (path) => path;

const path = { sep, delimiter, isAbsolute, normalize, join, resolve, dirname, basename, extname, relative, parse, format, toNamespacedPath };
path.posix = path;
path.win32 = path;
export const posix = path;
export const win32 = path;
export { sep, delimiter };
export default path;
