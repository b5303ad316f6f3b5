// node:string_decoder.

import { Buffer } from './buffer.js';

export class StringDecoder {
  #rest = Buffer.alloc(0);
  constructor(encoding = 'utf8') {
    this.encoding = encoding;
  }
  write(data) {
    const bytes = Buffer.concat([this.#rest, Buffer.from(data)]);
    let end = bytes.length;
    if (/^utf-?8$/i.test(this.encoding)) {
      // A character may go on in the next piece.
      for (let back = 1; back <= Math.min(3, end); back += 1) {
        const byte = bytes[end - back];
        const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 0;
        if (needs > back) {
          end -= back;
          break;
        }
        if (byte < 0x80 || needs > 0) break;
      }
    }
    this.#rest = bytes.subarray(end);
    return bytes.toString(this.encoding, 0, end);
  }
  end(data) {
    const text = data === undefined ? '' : this.write(data);
    const rest = this.#rest.toString(this.encoding);
    this.#rest = Buffer.alloc(0);
    return text + rest;
  }
}

export default { StringDecoder };
