// Checking values against JSON Schemas.

import { host, folderOf, stringify } from './internal/host.js';

const json = (value) => stringify(value) ?? 'null';

// Schemas that have been compiled. An object is compiled when it is used for the first time; it must not change later.
const compiled = new WeakMap();

function compile(schema) {
  if (typeof schema !== 'object' || schema === null) return host.compileSchema(json(schema));
  let known = compiled.get(schema);
  if (known === undefined) {
    known = host.compileSchema(json(schema));
    compiled.set(schema, known);
  }
  return known;
}

// 'ok' or a list of { msg, path }.
export function validateWithObject(value, schema) {
  return host.validate(json(value), compile(schema)) ?? 'ok';
}

// The same with a schema file below the input folder.
export function validateWithFile(value, path) {
  return validateWithResource(value, path, undefined);
}

// The same with a schema file next to a module; see withModuleRef in the resource module.
export function validateWithResource(value, path, moduleRef) {
  return new Promise((resolve) => {
    resolve(host.validateWithFile(json(value), path, folderOf(moduleRef)) ?? 'ok');
  });
}
