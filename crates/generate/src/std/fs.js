// What files there are.

import { host, folderOf } from './internal/host.js';

export class FileInfo {
  constructor(name, path, isdir) {
    this.name = name;
    this.path = path;
    this.isdir = isdir;
  }
}

export class Directory {
  constructor(name, path, files) {
    this.name = name;
    this.path = path;
    this.files = files;
  }
}

const fileInfo = ({ name, path, isdir }) => new FileInfo(name, path, isdir);

export function info(path, { module } = {}) {
  return fileInfo(host.info(path, folderOf(module)));
}

export function dir(path, { module } = {}) {
  const { name, path: at, files } = host.dir(path, folderOf(module));
  return new Directory(name, at, files.map(fileInfo));
}

export function join(base, name) {
  return `${base}/${name}`;
}

// The files and folders below a path, a folder right before what is in it. `pre` says whether to enter a folder;
// `post` is called when one is done.
export function* walk(path, { pre = () => true, post = () => {} } = {}) {
  for (const file of dir(path).files) {
    yield file;
    if (file.isdir && pre(file)) {
      yield* walk(file.path, { pre, post });
      post();
    }
  }
}
