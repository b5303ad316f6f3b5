// Formats, and the step from what a script calls a file to what is written.

import { host, stringify as toJson } from './host.js';

function enumeration(names) {
  const values = {};
  names.forEach((name, value) => {
    values[name] = value;
    values[value] = name;
  });
  return values;
}

export const Format = enumeration(['FromExtension', 'JSON', 'YAML', 'Raw', 'YAMLStream', 'JSONStream', 'HCL']);
export const Overwrite = enumeration(['Skip', 'Write', 'Err']);
export const Encoding = enumeration(['Bytes', 'String', 'JSON']);

// The text in which a value crosses to the host.
export function textOf(value, format) {
  if (value === undefined) throw new TypeError('cannot write undefined value');
  if (format === Format.Raw) return String(value).toWellFormed();
  const text = toJson(value);
  if (text === undefined) throw new TypeError(`cannot write a value of type ${typeof value}`);
  return text;
}

// Every value of a file: `.yaml` and `.json` files may hold several.
export function valuesFormat(path) {
  if (path === '-') return Format.YAMLStream;
  switch (extension(path)) {
    case 'yaml':
    case 'yml':
      return Format.YAMLStream;
    case 'json':
      return Format.JSONStream;
    default:
      return Format.FromExtension;
  }
}

export const isStream = (format) => format === Format.YAMLStream || format === Format.JSONStream;

// Hands files over for writing, or prints their values as one stream. Either all of them are taken or none: what is
// handed over is written only when the command has ended well.
export function output(files, { stdout = false, overwrite, anywhere = false }) {
  if (stdout) {
    printAll(files);
    return;
  }
  for (const [i, file] of files.entries()) {
    const { path, value, format = Format.FromExtension, indent = 2, element = `file number ${i + 1}` } = file;
    const policy = Number(file.overwrite ?? overwrite ?? Overwrite.Write);
    const text = about(path, () => textOf(value, format));
    host.writeDescribed({ text, path, format, indent, overwrite: policy, anywhere, element });
  }
}

// Says which file an error is about.
function about(path, work) {
  try {
    return work();
  } catch (error) {
    error.message = `${path}: ${error.message}`;
    throw error;
  }
}

const STREAM_OF = {
  [Format.YAML]: Format.YAMLStream,
  [Format.YAMLStream]: Format.YAMLStream,
  [Format.JSON]: Format.JSONStream,
  [Format.JSONStream]: Format.JSONStream,
};

function printAll(files) {
  if (files.length === 0) {
    printOne('', '[]', Format.JSON);
    return;
  }
  const formats = files.map(stdoutFormat);
  const streams = new Set(formats.map((format) => STREAM_OF[format]));
  if (streams.size > 1 || (streams.has(undefined) && files.length > 1)) {
    const seen = [...new Set(formats)].sort().map((format) => Format[format]);
    throw new Error(`stdout requires compatible formats, but have seen ${seen.join(',')}`);
  }
  const [stream] = streams;
  if (stream === undefined) {
    const [{ path, value }] = files;
    printOne(path, about(path, () => textOf(value, formats[0])), formats[0]);
    return;
  }
  files.forEach(({ path, value }, i) => {
    const values = isStream(formats[i]) && Array.isArray(value) ? value : [value];
    values.forEach((one) => host.printDocument(about(path, () => textOf(one, stream)), path, stream));
  });
}

function printOne(path, text, format) {
  const rest = { indent: 2, overwrite: Overwrite.Write, anywhere: false, element: '' };
  host.printDescribed({ text, path, format, ...rest });
}

function stdoutFormat({ path, value, format = Format.FromExtension }) {
  if (format !== Format.FromExtension) return format;
  if (typeof value === 'string' || value instanceof String) return Format.Raw;
  switch (extension(path)) {
    case 'yaml':
    case 'yml':
      return Format.YAML;
    case 'hcl':
    case 'tf':
      return Format.HCL;
    default:
      return Format.JSON;
  }
}

const extension = (path) => path.split('.').pop();
