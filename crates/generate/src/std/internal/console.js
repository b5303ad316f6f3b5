// `console`: every method prints to standard error.

import { host } from './host.js';
import { format, inspect } from './inspect.js';

const print = (text) => host.log(text.toWellFormed());

let indent = '';
const counts = new Map();
const line = (...values) => print(indent === '' ? format(...values) : `${indent}${format(...values).replaceAll('\n', `\n${indent}`)}`);

export const console = {
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
