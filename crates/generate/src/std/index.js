// Reading, writing, printing and converting values.

import { host, folderOf, stringify as toJson } from './internal/host.js';
import { Format, Overwrite, Encoding, textOf } from './internal/files.js';

export { Format, Overwrite, Encoding };

export const stdin = Symbol('<stdin>');
export const stdout = Symbol('<stdout>');

export function log(value) {
  if (typeof value === 'string') host.log(value.toWellFormed());
  else host.log(value === undefined ? 'undefined' : toJson(value) ?? String(value));
}

export function write(value, path = stdout, options = {}) {
  const { format = Format.FromExtension, indent = 2, overwrite = Overwrite.Write, module } = options;
  if (module !== undefined) throw new Error('writes to host filesystem from this module are forbidden');
  host.write(textOf(value, format), path === stdout ? '' : path, format, indent, Number(overwrite));
}

export function print(value, options = {}) {
  if (arguments.length === 0) write('\n', stdout, { format: Format.Raw });
  else if (value === undefined) write('undefined\n', stdout, { format: Format.Raw });
  else write(value, stdout, options);
}

export function read(path = stdin, options = {}) {
  const { encoding = Encoding.JSON, format = Format.FromExtension, module } = options;
  return new Promise((resolve) => {
    resolve(host.read(path === stdin ? '' : path, encoding, format, folderOf(module)));
  });
}

export function parse(text, format = Format.FromExtension) {
  return host.parse(text, format);
}

export function stringify(value, format = Format.FromExtension) {
  return host.stringify(toJson(value) ?? 'null', format);
}
