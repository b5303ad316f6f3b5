// node:crypto: hashes. Random values are there only if the user allows them, because output is to be reproducible.

import { host } from '../internal/host.js';
import { toBytes } from '../internal/text.js';
import { unavailable } from '../internal/unavailable.js';
import { Buffer } from './buffer.js';

const BLOCK = { md5: 64, sha1: 64, sha224: 64, sha256: 64, sha384: 128, sha512: 128 };
const nameOf = (algorithm) => String(algorithm).toLowerCase().replace('-', '');

function known(algorithm) {
  const name = nameOf(algorithm);
  if (!(name in BLOCK)) throw new Error(`the hash '${algorithm}' is not supported; ${Object.keys(BLOCK).join(', ')} are`);
  return name;
}

const bytesOf = (data, encoding) => (typeof data === 'string' ? Buffer.from(data, encoding) : toBytes(data));
const digestOf = (name, bytes) => Buffer.from(host.hash(name, new Uint8Array(bytes)));
const shown = (bytes, encoding) => (encoding === undefined || encoding === 'buffer' ? bytes : bytes.toString(encoding));

class Hash {
  #name;
  #parts = [];
  constructor(algorithm) {
    this.#name = known(algorithm);
  }
  update(data, encoding) {
    this.#parts.push(Buffer.from(bytesOf(data, encoding)));
    return this;
  }
  digest(encoding) {
    return shown(digestOf(this.#name, Buffer.concat(this.#parts)), encoding);
  }
  copy() {
    const copy = new Hash(this.#name);
    copy.#parts = [...this.#parts];
    return copy;
  }
}

class Hmac {
  #name;
  #outer;
  #parts;
  constructor(algorithm, key) {
    this.#name = known(algorithm);
    const size = BLOCK[this.#name];
    const given = bytesOf(key);
    const block = Buffer.alloc(size);
    block.set(given.length > size ? digestOf(this.#name, given) : given);
    this.#outer = Buffer.from(block.map((byte) => byte ^ 0x5c));
    this.#parts = [Buffer.from(block.map((byte) => byte ^ 0x36))];
  }
  update(data, encoding) {
    this.#parts.push(Buffer.from(bytesOf(data, encoding)));
    return this;
  }
  digest(encoding) {
    const inner = digestOf(this.#name, Buffer.concat(this.#parts));
    return shown(digestOf(this.#name, Buffer.concat([this.#outer, inner])), encoding);
  }
}

export const createHash = (algorithm) => new Hash(algorithm);
export const createHmac = (algorithm, key) => new Hmac(algorithm, key);
export const hash = (algorithm, data, encoding = 'hex') => createHash(algorithm).update(data).digest(encoding);
export const getHashes = () => Object.keys(BLOCK);
export const timingSafeEqual = (a, b) => Buffer.from(a).equals(b);

export const randomBytes = (size) => Buffer.from(host.random(size));
export const randomUUID = () => {
  const bytes = randomBytes(16);
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};
export const randomInt = (min, max) => {
  const [low, high] = max === undefined ? [0, min] : [min, max];
  return low + Math.floor((randomBytes(6).readUIntBE?.(0, 6) ?? randomBytes(4).readUInt32LE(0)) % (high - low));
};
export const randomFillSync = (view) => {
  toBytes(view).set(randomBytes(view.byteLength));
  return view;
};
export const getRandomValues = randomFillSync;
export const webcrypto = { getRandomValues, randomUUID, subtle: unavailable('crypto.subtle', 'use createHash of node:crypto') };
export { webcrypto as crypto };
export const createCipheriv = unavailable('node:crypto.createCipheriv');
export const createDecipheriv = unavailable('node:crypto.createDecipheriv');
export const createSign = unavailable('node:crypto.createSign');
export const createVerify = unavailable('node:crypto.createVerify');
export const pbkdf2Sync = unavailable('node:crypto.pbkdf2Sync');
export const scryptSync = unavailable('node:crypto.scryptSync');
export const constants = {};

export default {
  createHash, createHmac, hash, getHashes, timingSafeEqual, randomBytes, randomUUID, randomInt, randomFillSync, getRandomValues, webcrypto,
  createCipheriv, createDecipheriv, createSign, createVerify, pbkdf2Sync, scryptSync, constants,
};
