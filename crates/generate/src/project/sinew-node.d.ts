// The modules and globals of Node that scripts can use, as far as scripts use them. If a package brings `@types/node`, delete
// this file.

type Bytes = Uint8Array | ArrayBuffer | readonly number[];
type TextEncoding = 'utf8' | 'utf-8' | 'hex' | 'base64' | 'base64url' | 'ascii' | 'latin1' | 'binary' | 'utf16le' | 'ucs2';

interface Buffer extends Uint8Array {
  toString(encoding?: TextEncoding, start?: number, end?: number): string;
  equals(other: Uint8Array): boolean;
}

declare var Buffer: {
  from(text: string, encoding?: TextEncoding): Buffer;
  from(bytes: Bytes): Buffer;
  alloc(size: number, fill?: number | string): Buffer;
  concat(parts: readonly Uint8Array[], length?: number): Buffer;
  byteLength(text: string | Uint8Array, encoding?: TextEncoding): number;
  isBuffer(value: unknown): value is Buffer;
  compare(a: Uint8Array, b: Uint8Array): -1 | 0 | 1;
};

declare var crypto: typeof import('node:crypto').webcrypto;

declare module 'node:path' {
  export interface ParsedPath { root: string; dir: string; base: string; ext: string; name: string }
  export function isAbsolute(path: string): boolean;
  export function normalize(path: string): string;
  export function join(...parts: string[]): string;
  export function resolve(...parts: string[]): string;
  export function dirname(path: string): string;
  export function basename(path: string, suffix?: string): string;
  export function extname(path: string): string;
  export function relative(from: string, to: string): string;
  export function parse(path: string): ParsedPath;
  export function format(path: Partial<ParsedPath>): string;
  export const sep: string;
  export const delimiter: string;
  const path: typeof import('node:path');
  export const posix: typeof path;
  export default path;
}

declare module 'node:url' {
  const UrlClass: typeof URL;
  const ParametersClass: typeof URLSearchParams;
  export { UrlClass as URL, ParametersClass as URLSearchParams };
  export function fileURLToPath(url: string | URL): string;
  export function pathToFileURL(path: string): URL;
  const url: typeof import('node:url');
  export default url;
}

declare module 'node:util' {
  export function inspect(value: unknown, options?: object): string;
  export function format(...values: unknown[]): string;
  export function isDeepStrictEqual(a: unknown, b: unknown): boolean;
  export function promisify(fn: (...values: any[]) => void): (...values: any[]) => Promise<any>;
  export function deprecate<T extends Function>(fn: T, message: string, code?: string): T;
  export function inherits(constructor: Function, base: Function): void;
  const Encoder: typeof TextEncoder;
  const Decoder: typeof TextDecoder;
  export { Encoder as TextEncoder, Decoder as TextDecoder };
  export const types: Record<string, (value: unknown) => boolean>;
  const util: typeof import('node:util');
  export default util;
}

declare module 'node:assert' {
  type Message = string | Error;
  export class AssertionError extends Error {
    actual: unknown;
    expected: unknown;
    operator: string;
  }
  export function ok(value: unknown, message?: Message): asserts value;
  export function equal(actual: unknown, expected: unknown, message?: Message): void;
  export function notEqual(actual: unknown, expected: unknown, message?: Message): void;
  export function strictEqual<T>(actual: unknown, expected: T, message?: Message): asserts actual is T;
  export function notStrictEqual(actual: unknown, expected: unknown, message?: Message): void;
  export function deepEqual(actual: unknown, expected: unknown, message?: Message): void;
  export function notDeepEqual(actual: unknown, expected: unknown, message?: Message): void;
  export function deepStrictEqual<T>(actual: unknown, expected: T, message?: Message): asserts actual is T;
  export function notDeepStrictEqual(actual: unknown, expected: unknown, message?: Message): void;
  export function match(text: string, pattern: RegExp, message?: Message): void;
  export function doesNotMatch(text: string, pattern: RegExp, message?: Message): void;
  export function fail(message?: Message): never;
  export function throws(fn: () => unknown, expected?: any, message?: Message): void;
  export function doesNotThrow(fn: () => unknown, message?: Message): void;
  export function rejects(promise: Promise<unknown> | (() => Promise<unknown>), expected?: any, message?: Message): Promise<void>;
  export function ifError(value: unknown): void;
  interface Assert extends Pick<typeof import('node:assert'), 'AssertionError' | 'ok' | 'equal' | 'notEqual' | 'strictEqual' | 'notStrictEqual' | 'deepEqual' | 'notDeepEqual' | 'deepStrictEqual' | 'notDeepStrictEqual' | 'match' | 'doesNotMatch' | 'fail' | 'throws' | 'doesNotThrow' | 'rejects' | 'ifError'> {
    (value: unknown, message?: Message): asserts value;
    strict: Assert;
  }
  export const strict: Assert;
  const assert: Assert;
  export default assert;
}

declare module 'node:buffer' {
  const BufferClass: typeof Buffer;
  export { BufferClass as Buffer };
  export function atob(text: string): string;
  export function btoa(text: string): string;
}

declare module 'node:events' {
  type Listener = (...values: any[]) => void;
  export class EventEmitter {
    on(event: string | symbol, listener: Listener): this;
    addListener(event: string | symbol, listener: Listener): this;
    once(event: string | symbol, listener: Listener): this;
    off(event: string | symbol, listener: Listener): this;
    removeListener(event: string | symbol, listener: Listener): this;
    removeAllListeners(event?: string | symbol): this;
    emit(event: string | symbol, ...values: any[]): boolean;
    listenerCount(event: string | symbol): number;
    listeners(event: string | symbol): Listener[];
  }
  export default EventEmitter;
}

declare module 'node:crypto' {
  export interface Hash {
    update(data: string | Uint8Array, encoding?: TextEncoding): Hash;
    digest(): Buffer;
    digest(encoding: TextEncoding): string;
  }
  export function createHash(name: 'md5' | 'sha1' | 'sha224' | 'sha256' | 'sha384' | 'sha512'): Hash;
  export function createHmac(name: string, key: string | Uint8Array): Hash;
  export function getHashes(): string[];
  export function timingSafeEqual(a: Uint8Array, b: Uint8Array): boolean;
  /** With `--allow-random`, as everything random. */
  export function randomBytes(count: number): Buffer;
  export function randomUUID(): string;
  export function randomInt(below: number): number;
  export function randomInt(from: number, below: number): number;
  export function getRandomValues<T extends Uint8Array>(array: T): T;
  export const webcrypto: { getRandomValues: typeof getRandomValues; randomUUID: typeof randomUUID };
  const module: typeof import('node:crypto');
  export default module;
}

declare module 'node:fs' {
  export interface Stats { size: number; mode: number; mtime: Date; mtimeMs: number; isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }
  export interface Dirent { name: string; isFile(): boolean; isDirectory(): boolean }
  export type Encoded = TextEncoding | { encoding: TextEncoding };
  export function readFileSync(path: string | URL, options: Encoded): string;
  export function readFileSync(path: string | URL): Buffer;
  export function statSync(path: string | URL): Stats;
  export function lstatSync(path: string | URL): Stats;
  export function existsSync(path: string | URL): boolean;
  export function readdirSync(path: string | URL): string[];
  export function readdirSync(path: string | URL, options: { withFileTypes: true }): Dirent[];
  export function realpathSync(path: string | URL): string;
  export const promises: typeof import('node:fs/promises');
  const fs: typeof import('node:fs');
  export default fs;
}

declare module 'node:fs/promises' {
  import type { Dirent, Encoded, Stats } from 'node:fs';
  export function readFile(path: string | URL, options: Encoded): Promise<string>;
  export function readFile(path: string | URL): Promise<Buffer>;
  export function stat(path: string | URL): Promise<Stats>;
  export function readdir(path: string | URL): Promise<string[]>;
  export function readdir(path: string | URL, options: { withFileTypes: true }): Promise<Dirent[]>;
  const promises: typeof import('node:fs/promises');
  export default promises;
}

declare module 'node:process' {
  const value: typeof process;
  export default value;
}

declare module 'node:querystring' {
  export function parse(text: string, separator?: string, equals?: string): Record<string, string | string[]>;
  export function stringify(value: object, separator?: string, equals?: string): string;
  export function escape(text: string): string;
  export function unescape(text: string): string;
}

declare module 'node:module' {
  export function createRequire(from: string | URL): (specifier: string) => any;
  export const builtinModules: string[];
  export function isBuiltin(specifier: string): boolean;
}

declare module 'node:os' {
  export const EOL: string;
  export function platform(): string;
  export function tmpdir(): string;
  export function homedir(): string;
}

declare module 'path' { export * from 'node:path'; export { default } from 'node:path'; }
declare module 'url' { export * from 'node:url'; export { default } from 'node:url'; }
declare module 'util' { export * from 'node:util'; export { default } from 'node:util'; }
declare module 'assert' { export * from 'node:assert'; export { default } from 'node:assert'; }
declare module 'buffer' { export * from 'node:buffer'; }
declare module 'events' { export * from 'node:events'; export { default } from 'node:events'; }
declare module 'crypto' { export * from 'node:crypto'; export { default } from 'node:crypto'; }
declare module 'fs' { export * from 'node:fs'; export { default } from 'node:fs'; }
declare module 'fs/promises' { export * from 'node:fs/promises'; export { default } from 'node:fs/promises'; }
declare module 'querystring' { export * from 'node:querystring'; }
declare module 'module' { export * from 'node:module'; }
declare module 'os' { export * from 'node:os'; }
