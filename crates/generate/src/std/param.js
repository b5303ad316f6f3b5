// Parameters of the command line.

import { host, stringify } from './internal/host.js';

const ask = (type, path, fallback) => host.param(type, path, fallback === undefined ? undefined : stringify(fallback)) ?? fallback;

export function Boolean(path, fallback) {
  return ask('Boolean', path, fallback);
}

export function Number(path, fallback) {
  return ask('Number', path, fallback);
}

export function String(path, fallback) {
  return ask('String', path, fallback);
}

export function Object(path, fallback) {
  return ask('Object', path, fallback);
}

export function all() {
  return host.param('Object', '');
}

export const param = { all, Boolean, Number, String, Object };
