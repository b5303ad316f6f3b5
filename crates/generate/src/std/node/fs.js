// node:fs, for reading below the input folder and the module root. Files are written with write() or by exporting them.

import { host } from '../internal/host.js';
import { unavailable } from '../internal/unavailable.js';
import { URL } from '../internal/url.js';
import { Buffer } from './buffer.js';

const pathOf = (path) => (path instanceof URL ? decodeURIComponent(path.pathname) : String(path));

// The errors of Node, by which packages tell a missing file from others.
function attempt(call, path, work) {
  try {
    return work();
  } catch (error) {
    const code = /does not exist/.test(error.message) ? 'ENOENT' : /is a folder/.test(error.message) ? 'EISDIR' : /is a file/.test(error.message) ? 'ENOTDIR' : 'EACCES';
    throw Object.assign(new Error(`${code}: ${error.message}, ${call} '${path}'`), { code, syscall: call, path, errno: -2 });
  }
}

export function readFileSync(file, options) {
  const path = pathOf(file);
  const encoding = typeof options === 'string' ? options : options?.encoding;
  const buffer = Buffer.from(attempt('open', path, () => host.fsRead(path)));
  return encoding ? buffer.toString(encoding) : buffer;
}

class Stats {
  constructor(isFolder, size) {
    const epoch = new Date(0);
    Object.assign(this, { size, mode: isFolder ? 0o40755 : 0o100644, mtimeMs: 0, atimeMs: 0, ctimeMs: 0, birthtimeMs: 0, mtime: epoch, atime: epoch, ctime: epoch, birthtime: epoch });
    Object.defineProperty(this, 'kind', { value: isFolder });
  }
  isDirectory() {
    return this.kind;
  }
  isFile() {
    return !this.kind;
  }
  isSymbolicLink() {
    return false;
  }
}

export function statSync(file, options) {
  const path = pathOf(file);
  try {
    const { isFolder, size } = attempt('stat', path, () => host.fsStat(path));
    return new Stats(isFolder, size);
  } catch (error) {
    if (options?.throwIfNoEntry === false && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

export const lstatSync = statSync;

export function existsSync(file) {
  try {
    statSync(file);
    return true;
  } catch {
    return false;
  }
}

export function readdirSync(folder, options) {
  const path = pathOf(folder);
  const entries = attempt('scandir', path, () => host.fsList(path));
  if (!options?.withFileTypes) return entries.map(({ name }) => name);
  return entries.map(({ name, isFolder }) => ({ name, path, parentPath: path, isDirectory: () => isFolder, isFile: () => !isFolder, isSymbolicLink: () => false }));
}

export const realpathSync = Object.assign((path) => pathOf(path), { native: (path) => pathOf(path) });

export function accessSync(file, mode = 0) {
  statSync(file);
  if (mode & 2) throw Object.assign(new Error(`EACCES: permission denied, access '${pathOf(file)}'`), { code: 'EACCES' });
}

const later = (fn) => async (...values) => fn(...values);
const withCallback = (fn) => (...values) => {
  const callback = values.pop();
  later(fn)(...values).then((result) => callback(null, result), (error) => callback(error));
};

export const readFile = withCallback(readFileSync);
export const stat = withCallback(statSync);
export const lstat = stat;
export const readdir = withCallback(readdirSync);
export const access = withCallback(accessSync);
export const realpath = withCallback(realpathSync);
export const exists = (file, callback) => queueMicrotask(() => callback(existsSync(file)));

const HOW = 'scripts write files with write() of sinew:std, or by exporting them';
const refuse = (name) => unavailable(`node:fs.${name}`, HOW);
const WRITERS = ['writeFileSync', 'appendFileSync', 'mkdirSync', 'mkdtempSync', 'rmSync', 'rmdirSync', 'unlinkSync', 'renameSync', 'copyFileSync', 'chmodSync', 'symlinkSync', 'openSync', 'closeSync', 'writeSync', 'readSync', 'utimesSync', 'truncateSync', 'writeFile', 'appendFile', 'mkdir', 'mkdtemp', 'rm', 'rmdir', 'unlink', 'rename', 'copyFile', 'chmod', 'open', 'close', 'createReadStream', 'createWriteStream', 'watch', 'watchFile'];
const writers = Object.fromEntries(WRITERS.map((name) => [name, refuse(name)]));
export const {
  writeFileSync, appendFileSync, mkdirSync, mkdtempSync, rmSync, rmdirSync, unlinkSync, renameSync, copyFileSync, chmodSync, symlinkSync, openSync,
  closeSync, writeSync, readSync, utimesSync, truncateSync, writeFile, appendFile, mkdir, mkdtemp, rm, rmdir, unlink, rename, copyFile, chmod, open,
  close, createReadStream, createWriteStream, watch, watchFile,
} = writers;

export const constants = { F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1 };
export const promises = {
  readFile: later(readFileSync), stat: later(statSync), lstat: later(statSync), readdir: later(readdirSync), access: later(accessSync), realpath: later(realpathSync), constants,
  ...Object.fromEntries(['writeFile', 'appendFile', 'mkdir', 'mkdtemp', 'rm', 'rmdir', 'unlink', 'rename', 'copyFile', 'open'].map((name) => [name, refuse(`promises.${name}`)])),
};

export default {
  readFileSync, statSync, lstatSync, existsSync, readdirSync, realpathSync, accessSync, readFile, stat, lstat, readdir, access, realpath, exists, constants, promises, Stats, ...writers,
};
