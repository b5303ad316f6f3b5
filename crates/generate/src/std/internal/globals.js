// The globals that scripts and packages expect besides those of the language. Time stands still but for timers: they run
// in their order when nothing else is left to do.

import { host } from './host.js';
import { format, inspect } from './inspect.js';
import { TextDecoder, TextEncoder, atob, btoa } from './text.js';
import { structuredClone } from './clone.js';
import { URL, URLSearchParams } from './url.js';
import { process } from './process.js';
import { Buffer } from '../node/buffer.js';
import { clearImmediate, clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } from './timers.js';

const print = (text) => host.log(text.toWellFormed());

let indent = '';
const counts = new Map();
const line = (...values) => print(indent === '' ? format(...values) : `${indent}${format(...values).replaceAll('\n', `\n${indent}`)}`);

const console = {
  log: line,
  info: line,
  debug: line,
  warn: line,
  error: line,
  trace: (...values) => line('Trace:', ...values),
  dir: (value, options) => line(inspect(value, options)),
  dirxml: line,
  assert(condition, ...values) {
    if (condition) return;
    if (values.length === 0) line('Assertion failed');
    else if (typeof values[0] === 'string') line(`Assertion failed: ${values[0]}`, ...values.slice(1));
    else line('Assertion failed:', ...values);
  },
  table,
  group(...values) {
    if (values.length > 0) line(...values);
    indent += '  ';
  },
  groupEnd() {
    indent = indent.slice(2);
  },
  count(label = 'default') {
    counts.set(label, (counts.get(label) ?? 0) + 1);
    line(`${label}: ${counts.get(label)}`);
  },
  countReset: (label = 'default') => void counts.delete(label),
  time() {},
  timeEnd() {},
  timeLog() {},
};
console.groupCollapsed = console.group;

function table(data, columns) {
  if (typeof data !== 'object' || data === null) {
    line(data);
    return;
  }
  const rows = data instanceof Map ? [...data.entries()] : Object.entries(data instanceof Set ? [...data] : data);
  const names = [];
  let hasValues = false;
  for (const [, row] of rows) {
    if (typeof row !== 'object' || row === null) hasValues = true;
    else for (const key of Object.keys(row)) if (!names.includes(key)) names.push(key);
  }
  const shown = columns ?? names;
  const header = ['(index)', ...shown, ...(hasValues ? ['Values'] : [])];
  const cells = rows.map(([key, row]) => {
    const isRow = typeof row === 'object' && row !== null;
    const members = shown.map((name) => (isRow && name in row ? inspect(row[name], { depth: 0 }) : ''));
    return [String(key), ...members, ...(hasValues ? [isRow ? '' : inspect(row)] : [])];
  });
  const widths = header.map((name, i) => Math.max(name.length, ...cells.map((row) => row[i].length)) + 2);
  const rule = (left, middle, right) => `${left}${widths.map((width) => '─'.repeat(width)).join(middle)}${right}`;
  const text = (row) => `│${row.map((cell, i) => ` ${cell}`.padEnd(widths[i])).join('│')}│`;
  line([rule('┌', '┬', '┐'), text(header), rule('├', '┼', '┤'), ...cells.map(text), rule('└', '┴', '┘')].join('\n'));
}

const PromiseResolve = Promise.resolve.bind(Promise);

function queueMicrotask(callback) {
  if (typeof callback !== 'function') throw new TypeError('queueMicrotask: the callback is not a function');
  PromiseResolve().then(() => void callback());
}

const globals = {
  console, process, Buffer, URL, URLSearchParams, TextEncoder, TextDecoder, structuredClone, atob, btoa, queueMicrotask,
  setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate,
};

for (const [name, value] of Object.entries(globals)) {
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
}
