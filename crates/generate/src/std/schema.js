// Checking values against JSON Schemas.

import { host, folderOf, stringify } from './internal/host.js';

const json = (value) => stringify(value) ?? 'null';

// 'ok' or a list of { msg, path }.
export function validateWithObject(value, schema) {
  return host.validate(json(value), json(schema)) ?? 'ok';
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
