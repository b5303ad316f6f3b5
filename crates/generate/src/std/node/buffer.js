// node:buffer.

import { host } from '../internal/host.js';
import { atob, btoa } from '../internal/text.js';
import { custom } from '../internal/inspect.js';

export { atob, btoa };

const ENCODINGS = ['utf8', 'utf-8', 'hex', 'base64', 'base64url', 'latin1', 'binary', 'ascii', 'utf16le', 'utf-16le', 'ucs2', 'ucs-2'];

function encodingOf(name) {
  const known = String(name ?? 'utf8').toLowerCase();
  if (ENCODINGS.includes(known)) return known;
  throw Object.assign(new TypeError(`Unknown encoding: ${name}`), { code: 'ERR_UNKNOWN_ENCODING' });
}

const own = (bytes) => Object.setPrototypeOf(bytes, Buffer.prototype);

export class Buffer extends Uint8Array {
  static poolSize = 8192;
  static from(value, encoding, length) {
    if (typeof value === 'string') return own(host.textToBytes(value.toWellFormed(), encodingOf(encoding)));
    if (value instanceof ArrayBuffer) return own(new Uint8Array(value, encoding, length));
    if (ArrayBuffer.isView(value) || Array.isArray(value)) return own(Uint8Array.from(value));
    if (value?.type === 'Buffer' && Array.isArray(value.data)) return own(Uint8Array.from(value.data));
    if (typeof value === 'object' && value !== null) {
      const plain = value.valueOf();
      if (plain !== value) return Buffer.from(plain, encoding, length);
      if (typeof value.length === 'number') return own(Uint8Array.from(value));
    }
    throw new TypeError('The first argument must be a string, an array, an ArrayBuffer or a Buffer');
  }
  static of(...bytes) {
    return own(Uint8Array.of(...bytes));
  }
  static alloc(size, fill, encoding) {
    const buffer = own(new Uint8Array(size));
    return fill === undefined ? buffer : buffer.fill(fill, 0, size, encoding);
  }
  static allocUnsafe(size) {
    return Buffer.alloc(size);
  }
  static allocUnsafeSlow(size) {
    return Buffer.alloc(size);
  }
  static isBuffer(value) {
    return value instanceof Buffer;
  }
  static isEncoding(name) {
    return ENCODINGS.includes(String(name).toLowerCase());
  }
  static byteLength(value, encoding) {
    return typeof value === 'string' ? Buffer.from(value, encoding).length : value.byteLength;
  }
  static concat(list, total = list.reduce((sum, part) => sum + part.length, 0)) {
    const buffer = Buffer.alloc(total);
    let at = 0;
    for (const part of list) {
      const room = part.subarray(0, Math.max(0, total - at));
      buffer.set(room, at);
      at += room.length;
    }
    return buffer;
  }
  static compare(a, b) {
    for (let i = 0; i < Math.min(a.length, b.length); i += 1) if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
    return Math.sign(a.length - b.length);
  }
  get parent() {
    return this.buffer;
  }
  get offset() {
    return this.byteOffset;
  }
  toString(encoding, start = 0, end = this.length) {
    return host.bytesToText(new Uint8Array(this.buffer, this.byteOffset, this.length).slice(start, end), encodingOf(encoding));
  }
  toLocaleString(encoding) {
    return this.toString(encoding);
  }
  toJSON() {
    return { type: 'Buffer', data: Array.from(this) };
  }
  equals(other) {
    return Buffer.compare(this, other) === 0;
  }
  compare(other) {
    return Buffer.compare(this, other);
  }
  slice(start, end) {
    return this.subarray(start, end);
  }
  subarray(start, end) {
    return own(super.subarray.call(new Uint8Array(this.buffer, this.byteOffset, this.length), start, end));
  }
  write(text, offset = 0, length = this.length - offset, encoding = 'utf8') {
    if (typeof offset === 'string') return this.write(text, 0, this.length, offset);
    if (typeof length === 'string') return this.write(text, offset, this.length - offset, length);
    const bytes = Buffer.from(text, encoding).subarray(0, Math.min(length, this.length - offset));
    this.set(bytes, offset);
    return bytes.length;
  }
  copy(target, targetStart = 0, start = 0, end = this.length) {
    const part = this.subarray(start, Math.min(end, start + target.length - targetStart));
    target.set(part, targetStart);
    return part.length;
  }
  fill(value, start = 0, end = this.length, encoding = 'utf8') {
    if (typeof value === 'number') return super.fill(value & 255, start, end);
    const bytes = typeof value === 'string' ? Buffer.from(value, typeof start === 'string' ? start : encoding) : value;
    const from = typeof start === 'string' ? 0 : start;
    for (let i = from; i < end; i += 1) this[i] = bytes.length === 0 ? 0 : bytes[(i - from) % bytes.length];
    return this;
  }
  indexOf(value, start = 0, encoding = 'utf8') {
    if (typeof value === 'number') return super.indexOf(value & 255, start);
    const bytes = typeof value === 'string' ? Buffer.from(value, encoding) : value;
    for (let i = Math.max(0, start); i + bytes.length <= this.length; i += 1) {
      if (bytes.every((byte, at) => this[i + at] === byte)) return i;
    }
    return -1;
  }
  includes(value, start, encoding) {
    return this.indexOf(value, start, encoding) >= 0;
  }
  [custom]() {
    const shown = Array.from(this.subarray(0, 50), (byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const more = this.length > 50 ? ` ... ${this.length - 50} more bytes` : '';
    return `<Buffer${shown === '' ? '' : ` ${shown}`}${more}>`;
  }
}

// Numbers in a buffer: readUInt16LE, writeDoubleBE and their kin.
const KINDS = [['UInt8', 'Uint8', 1], ['Int8', 'Int8', 1], ['UInt16', 'Uint16', 2], ['Int16', 'Int16', 2], ['UInt32', 'Uint32', 4], ['Int32', 'Int32', 4], ['Float', 'Float32', 4], ['Double', 'Float64', 8], ['BigInt64', 'BigInt64', 8], ['BigUInt64', 'BigUint64', 8]];
for (const [name, view, size] of KINDS) {
  for (const [order, isLittle] of size === 1 ? [['', true]] : [['LE', true], ['BE', false]]) {
    const at = (buffer) => new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
    const methods = {
      [`read${name}${order}`](offset = 0) {
        return at(this)[`get${view}`](offset, isLittle);
      },
      [`write${name}${order}`](value, offset = 0) {
        at(this)[`set${view}`](offset, value, isLittle);
        return offset + size;
      },
    };
    for (const [method, fn] of Object.entries(methods)) {
      for (const alias of [method, method.replace('UInt', 'Uint')]) {
        Object.defineProperty(Buffer.prototype, alias, { value: fn, writable: true, configurable: true });
      }
    }
  }
}

export const kMaxLength = 2 ** 31 - 1;
export const constants = { MAX_LENGTH: kMaxLength, MAX_STRING_LENGTH: 2 ** 29 - 24 };
export const SlowBuffer = Buffer;
export const isUtf8 = (bytes) => host.isUtf8(bytes);
export default { Buffer, SlowBuffer, atob, btoa, kMaxLength, constants, isUtf8 };
