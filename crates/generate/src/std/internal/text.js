// TextEncoder, TextDecoder, atob and btoa.

import { host } from './host.js';

export class TextEncoder {
  get encoding() {
    return 'utf-8';
  }
  encode(text = '') {
    return host.textToBytes(String(text).toWellFormed(), 'utf8');
  }
  encodeInto(text, target) {
    let written = 0;
    let read = 0;
    for (const c of String(text).toWellFormed()) {
      const bytes = this.encode(c);
      if (written + bytes.length > target.length) break;
      target.set(bytes, written);
      written += bytes.length;
      read += c.length;
    }
    return { read, written };
  }
}

const LABELS = { utf8: 'utf-8', 'utf-8': 'utf-8', 'utf-16le': 'utf-16le', 'utf-16': 'utf-16le', latin1: 'latin1', 'iso-8859-1': 'latin1', ascii: 'latin1' };

export class TextDecoder {
  #encoding;
  #fatal;
  #ignoreBOM;
  constructor(label = 'utf-8', { fatal = false, ignoreBOM = false } = {}) {
    this.#encoding = LABELS[String(label).trim().toLowerCase()];
    if (this.#encoding === undefined) throw new RangeError(`TextDecoder: the encoding '${label}' is not supported; utf-8, utf-16le and latin1 are`);
    this.#fatal = fatal;
    this.#ignoreBOM = ignoreBOM;
  }
  get encoding() {
    return this.#encoding;
  }
  get fatal() {
    return this.#fatal;
  }
  get ignoreBOM() {
    return this.#ignoreBOM;
  }
  decode(input) {
    if (input === undefined) return '';
    const bytes = toBytes(input);
    if (this.#fatal && !host.isUtf8(bytes)) throw new TypeError('TextDecoder: the data is not valid for the encoding utf-8');
    const text = host.bytesToText(bytes, this.#encoding === 'utf-8' ? 'utf8' : this.#encoding);
    return !this.#ignoreBOM && text.startsWith('\ufeff') ? text.slice(1) : text;
  }
}

export function toBytes(input) {
  if (input instanceof ArrayBuffer) return new Uint8Array(input);
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  throw new TypeError('an ArrayBuffer or a view of one is expected');
}

export function btoa(text) {
  const units = String(text);
  for (let i = 0; i < units.length; i += 1) {
    if (units.charCodeAt(i) > 255) throw new RangeError('btoa: the text holds characters outside of Latin-1');
  }
  return host.bytesToText(host.textToBytes(units, 'latin1'), 'base64');
}

export function atob(text) {
  const digits = String(text).replace(/[\t\n\f\r ]/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(digits) || digits.replace(/=+$/, '').length % 4 === 1) {
    throw new SyntaxError('atob: the text is not valid base64');
  }
  return host.bytesToText(host.textToBytes(digits, 'base64'), 'latin1');
}
