// URL and URLSearchParams.

import { host } from './host.js';
import { custom } from './inspect.js';

const PARTS = ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash'];

export class URL {
  #parts;
  #params;
  constructor(url, base) {
    this.#parts = host.parseUrl(String(url), base === undefined ? undefined : String(base));
    if (this.#parts === undefined) {
      const error = new TypeError('Invalid URL');
      error.code = 'ERR_INVALID_URL';
      error.input = String(url);
      throw error;
    }
  }
  static canParse(url, base) {
    return host.parseUrl(String(url), base === undefined ? undefined : String(base)) !== undefined;
  }
  static parse(url, base) {
    return URL.canParse(url, base) ? new URL(url, base) : null;
  }
  get searchParams() {
    this.#params ??= new URLSearchParams(this.search, (text) => this.#set('search', text));
    return this.#params;
  }
  toString() {
    return this.href;
  }
  toJSON() {
    return this.href;
  }
  [custom](depth, options, inspect) {
    const shown = Object.fromEntries(PARTS.map((name) => [name, this[name]]));
    return `URL ${inspect(shown, options)}`;
  }
  #set(name, value) {
    this.#parts = host.setUrlPart(this.#parts[0], name, String(value)) ?? this.#parts;
  }
  static {
    PARTS.forEach((name, i) => {
      const get = function () {
        return this.#parts[i];
      };
      const set = function (value) {
        this.#set(name, value);
        if (name === 'href' || name === 'search') this.#params = undefined;
      };
      Object.defineProperty(URL.prototype, name, { get, set: name === 'origin' ? undefined : set, enumerable: true, configurable: true });
    });
  }
}

const encode = (text) =>
  encodeURIComponent(String(text).toWellFormed()).replace(/%20/g, '+').replace(/[!'()~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

function decode(text) {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}

export class URLSearchParams {
  #list = [];
  #changed;
  constructor(init = '', changed = () => {}) {
    this.#changed = changed;
    if (typeof init === 'object' && init !== null) {
      const pairs = typeof init[Symbol.iterator] === 'function' ? init : Object.entries(init);
      for (const [name, value] of pairs) this.#list.push([String(name), String(value)]);
      return;
    }
    const text = String(init).replace(/^\?/, '');
    for (const pair of text.split('&')) {
      if (pair === '') continue;
      const at = pair.indexOf('=');
      this.#list.push(at < 0 ? [decode(pair), ''] : [decode(pair.slice(0, at)), decode(pair.slice(at + 1))]);
    }
  }
  #update() {
    this.#changed(this.toString());
  }
  get size() {
    return this.#list.length;
  }
  append(name, value) {
    this.#list.push([String(name), String(value)]);
    this.#update();
  }
  delete(name, value) {
    this.#list = this.#list.filter(([key, member]) => key !== String(name) || (value !== undefined && member !== String(value)));
    this.#update();
  }
  get(name) {
    return this.#list.find(([key]) => key === String(name))?.[1] ?? null;
  }
  getAll(name) {
    return this.#list.filter(([key]) => key === String(name)).map(([, value]) => value);
  }
  has(name, value) {
    return this.#list.some(([key, member]) => key === String(name) && (value === undefined || member === String(value)));
  }
  set(name, value) {
    const at = this.#list.findIndex(([key]) => key === String(name));
    if (at < 0) this.#list.push([String(name), String(value)]);
    else this.#list = this.#list.flatMap((pair, i) => (i === at ? [[pair[0], String(value)]] : pair[0] === String(name) ? [] : [pair]));
    this.#update();
  }
  sort() {
    this.#list.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    this.#update();
  }
  forEach(callback, thisArg) {
    for (const [name, value] of this.#list) callback.call(thisArg, value, name, this);
  }
  *entries() {
    for (const [name, value] of this.#list) yield [name, value];
  }
  *keys() {
    for (const [name] of this.#list) yield name;
  }
  *values() {
    for (const [, value] of this.#list) yield value;
  }
  [Symbol.iterator]() {
    return this.entries();
  }
  toString() {
    return this.#list.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
  }
  [custom](depth, options, inspect) {
    const members = this.#list.map(([name, value]) => `${inspect(name)} => ${inspect(value)}`);
    return members.length === 0 ? 'URLSearchParams {}' : `URLSearchParams { ${members.join(', ')} }`;
  }
}
