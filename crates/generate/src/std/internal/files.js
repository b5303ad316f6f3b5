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

// Hands files over for writing, or prints their values as one stream.
export function output(files, { stdout = false, overwrite, anywhere = false }) {
  if (stdout) {
    printAll(files);
    return;
  }
  for (const { path, value, format = Format.FromExtension, indent = 2, ...options } of files) {
    const policy = Number(options.overwrite ?? overwrite ?? Overwrite.Write);
    let text;
    try {
      text = textOf(value, format);
    } catch (error) {
      error.message = `${path}: ${error.message}`;
      throw error;
    }
    if (anywhere) host.writeAnywhere(text, path, format, indent, policy);
    else host.write(text, path, format, indent, policy);
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
    host.write('[]', '', Format.JSON, 2, Overwrite.Write);
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
    host.write(textOf(files[0].value, formats[0]), '', formats[0], 2, Overwrite.Write);
    return;
  }
  files.forEach(({ value }, i) => {
    const values = isStream(formats[i]) && Array.isArray(value) ? value : [value];
    values.forEach((one) => host.printDocument(toJson(one) ?? 'null', stream));
  });
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
