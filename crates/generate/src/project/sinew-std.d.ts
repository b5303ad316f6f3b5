// The standard library of Sinew, for editors. It has two names; scripts for jk use the first one.

declare module '@jkcfg/std' {
  export const stdin: unique symbol;
  export const stdout: unique symbol;

  /** How values are written and read. */
  export enum Format {
    /** What the suffix of the path says; JSON if it says nothing. */
    FromExtension = 0,
    JSON = 1,
    YAML = 2,
    /** The text of the value, nothing added. */
    Raw = 3,
    /** An array of values, as YAML documents. */
    YAMLStream = 4,
    /** An array of values, one a line. */
    JSONStream = 5,
    HCL = 6,
  }

  /** What happens to a file that exists. */
  export enum Overwrite {
    Skip = 0,
    Write = 1,
    Err = 2,
  }

  /** What reading gives: a `Uint8Array`, a string, or a value. */
  export enum Encoding {
    Bytes = 0,
    String = 1,
    JSON = 2,
  }

  export interface WriteOptions {
    format?: Format;
    /** Spaces for each level; 2 if not given. */
    indent?: number;
    overwrite?: Overwrite | boolean;
  }

  export interface ReadOptions {
    encoding?: Encoding;
    format?: Format;
  }

  /** Prints a line to standard error: strings as they are, everything else as JSON. */
  export function log(value: any): void;
  /** Prints a value to standard output. */
  export function print(value?: any, options?: WriteOptions): void;
  /** Writes a value to a file below the output folder. */
  export function write(value: any, path?: string | typeof stdout, options?: WriteOptions): void;
  /** Reads a file below the input folder. */
  export function read(path?: string | typeof stdin, options?: ReadOptions): Promise<any>;
  /** Reads a value, or the values of a stream, from a text. */
  export function parse(text: string, format: Format): any;
  /** Writes a value, or the values of a stream, as text. */
  export function stringify(value: any, format: Format): string;
}

declare module 'sinew:std' {
  export * from '@jkcfg/std';
}

declare module '@jkcfg/std/param' {
  /** A parameter of the command line, by its dotted path. */
  export function Boolean(path: string, fallback: boolean): boolean;
  export function Boolean(path: string): boolean | undefined;
  export function Number(path: string, fallback: number): number;
  export function Number(path: string): number | undefined;
  export function String(path: string, fallback: string): string;
  export function String(path: string): string | undefined;
  /** What the user gave, merged over the fallback. */
  export function Object<T extends object>(path: string, fallback: T): T;
  export function Object(path: string): any;
  export function all(): any;
  export const param: { Boolean: typeof Boolean; Number: typeof Number; String: typeof String; Object: typeof Object; all: typeof all };
}

declare module 'sinew:std/param' {
  export * from '@jkcfg/std/param';
}

declare module '@jkcfg/std/fs' {
  export class FileInfo {
    name: string;
    path: string;
    isdir: boolean;
  }
  export class Directory {
    name: string;
    path: string;
    files: FileInfo[];
  }
  export function info(path: string): FileInfo;
  export function dir(path: string): Directory;
  export function join(base: string, name: string): string;
  /** Everything below a folder, a folder right before what is in it. */
  export function walk(path: string, options?: { pre?: (folder: FileInfo) => boolean; post?: () => void }): IterableIterator<FileInfo>;
}

declare module 'sinew:std/fs' {
  export * from '@jkcfg/std/fs';
}

declare module '@jkcfg/std/merge' {
  export type Strategy = (a: any, b: any) => any;
  export type Rules = Strategy | { [name: string]: Rules };
  /** b over a: objects member by member, everything else replaced; rules say otherwise for members. */
  export function merge(a: any, b: any, rules?: Rules): any;
  export function deep(rules?: Rules): Strategy;
  export function first(): Strategy;
  export function replace(): Strategy;
  /** Arrays of objects: those with an equal key are merged, the others appended. */
  export function deepWithKey(key: string, rules?: Rules): Strategy;
  /** b over a, whatever their types. */
  export function patch(a: any, b: any): any;
}

declare module 'sinew:std/merge' {
  export * from '@jkcfg/std/merge';
}

declare module '@jkcfg/std/schema' {
  export type SchemaResult = 'ok' | { msg: string; path: string }[];
  export function validateWithObject(value: any, schema: object): SchemaResult;
  export function validateWithFile(value: any, path: string): Promise<SchemaResult>;
  export function validateWithResource(value: any, path: string, moduleRef: ModuleRef): Promise<SchemaResult>;
  export type ModuleRef = symbol;
}

declare module 'sinew:std/schema' {
  export * from '@jkcfg/std/schema';
}

declare module '@jkcfg/std/debug' {
  export function echo(...values: any[]): Promise<any[]>;
  export function echoSync(...values: any[]): any[];
}

declare module 'sinew:std/debug' {
  export * from '@jkcfg/std/debug';
}

declare module '@jkcfg/std/resource' {
  import type { ReadOptions } from '@jkcfg/std';
  import type { Directory, FileInfo } from '@jkcfg/std/fs';
  /** Reads a file next to the importing module. */
  export function read(path: string, options?: ReadOptions): Promise<any>;
  export function dir(path: string): Directory;
  export function info(path: string): FileInfo;
  export function withModuleRef<T>(fn: (ref: symbol) => T): T;
}

declare module 'sinew:std/resource' {
  export * from '@jkcfg/std/resource';
}

declare module '@jkcfg/std/generate' {
  import type { WriteOptions } from '@jkcfg/std';

  export interface Location {
    line: number;
    column: number;
  }

  /** One thing that is wrong with a value. */
  export interface ValidationError {
    msg: string;
    path?: string;
    start?: Location;
    end?: Location;
  }

  /** What a validation function may answer. */
  export type ValidateResult = boolean | string | ValidationError | (string | ValidationError)[];
  export type ValidateFn = (value: any) => ValidateResult | Promise<ValidateResult>;
  export type ValidateGlobalFn = (values: any[]) => ValidateResult | Promise<ValidateResult>;

  /** A file to generate. */
  export interface File extends WriteOptions {
    path: string;
    value: any | Promise<any>;
    /** Runs before anything is written; if it is not happy, nothing is. */
    validate?: ValidateFn;
  }

  /** Files with a check of all values together. */
  export interface FilesObj {
    files: File[];
    validate?: ValidateGlobalFn;
  }

  export type Files = File[] | FilesObj;
  /** What a script for `sinew generate` exports by default. */
  export type GenerateArg =
    | Files
    | Promise<Files>
    | (() => Files | Promise<Files> | Iterable<File> | AsyncIterable<File>);

  /** Generates as the command does. */
  export function generate(definition: GenerateArg, options?: { stdout?: boolean }): Promise<void>;
  /** Checks every value: 'ok', or problems that each name their file. A promise, if anything in it is one. */
  export function validateAll(values: any[], validate: (value: any) => ValidateResult): 'ok' | (ValidationError & { file?: string })[];
  export function validateAll(values: any[] | Promise<any[]>, validate: ValidateFn): Promise<'ok' | (ValidationError & { file?: string })[]>;
  /** Writes files without any check. */
  export function outputValues(values: File[] | Promise<File[]>, options?: { stdout?: boolean }): void | Promise<void>;
  export function formatError(source: string, error: ValidationError): string;
}

declare module 'sinew:std/generate' {
  export * from '@jkcfg/std/generate';
}

// Files with data: the default export is the value; a YAML file of several documents gives the list of them.

declare module '*.yaml' {
  const value: any;
  export default value;
}

declare module '*.yml' {
  const value: any;
  export default value;
}

// Globals besides those of the language. They do not reach the machine: time passes only for timers.

interface Console {
  log(...values: any[]): void;
  info(...values: any[]): void;
  debug(...values: any[]): void;
  warn(...values: any[]): void;
  error(...values: any[]): void;
  trace(...values: any[]): void;
  dir(value: any, options?: object): void;
  assert(condition?: any, ...values: any[]): void;
  table(data: any, columns?: string[]): void;
  group(...values: any[]): void;
  groupCollapsed(...values: any[]): void;
  groupEnd(): void;
  count(label?: string): void;
  countReset(label?: string): void;
  time(label?: string): void;
  timeEnd(label?: string): void;
  timeLog(label?: string): void;
}

declare var console: Console;

declare class URLSearchParams implements Iterable<[string, string]> {
  constructor(init?: string | Iterable<[string, string]> | Record<string, string>);
  readonly size: number;
  append(name: string, value: string): void;
  delete(name: string, value?: string): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: string): boolean;
  set(name: string, value: string): void;
  sort(): void;
  forEach(callback: (value: string, name: string, params: URLSearchParams) => void): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
  toString(): string;
}

declare class URL {
  constructor(url: string | URL, base?: string | URL);
  static canParse(url: string | URL, base?: string | URL): boolean;
  static parse(url: string | URL, base?: string | URL): URL | null;
  href: string;
  readonly origin: string;
  protocol: string;
  username: string;
  password: string;
  host: string;
  hostname: string;
  port: string;
  pathname: string;
  search: string;
  hash: string;
  readonly searchParams: URLSearchParams;
  toString(): string;
  toJSON(): string;
}

declare class TextEncoder {
  readonly encoding: string;
  encode(text?: string): Uint8Array;
  encodeInto(text: string, target: Uint8Array): { read: number; written: number };
}

declare class TextDecoder {
  constructor(encoding?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  readonly encoding: string;
  decode(input?: ArrayBuffer | ArrayBufferView): string;
}

declare function structuredClone<T>(value: T): T;
declare function atob(text: string): string;
declare function btoa(text: string): string;
declare function queueMicrotask(callback: () => void): void;

interface Timer {
  ref(): this;
  unref(): this;
}

declare function setTimeout(callback: (...values: any[]) => void, delay?: number, ...values: any[]): Timer;
declare function setInterval(callback: (...values: any[]) => void, delay?: number, ...values: any[]): Timer;
declare function setImmediate(callback: (...values: any[]) => void, ...values: any[]): Timer;
declare function clearTimeout(timer?: Timer): void;
declare function clearInterval(timer?: Timer): void;
declare function clearImmediate(timer?: Timer): void;

declare var process: {
  /** Empty, unless variables are allowed with `--allow-env`. */
  env: Record<string, string | undefined>;
  argv: string[];
  platform: string;
  version: string;
  versions: Record<string, string>;
  cwd(): string;
  nextTick(callback: (...values: any[]) => void, ...values: any[]): void;
  exit(code?: number): never;
  [name: string]: any;
};

interface ImportMeta {
  url: string;
  filename: string;
  dirname: string;
  resolve(specifier: string): string;
}
