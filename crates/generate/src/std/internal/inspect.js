// Values as text for people, in the layout of Node: what console prints and what util.inspect gives.

export const custom = Symbol.for('nodejs.util.inspect.custom');

const DEFAULTS = { depth: 2, breakLength: 80, compact: 3, maxArrayLength: 100, maxStringLength: 10000, sorted: false };

export function inspect(value, options = {}) {
  const settings = { ...DEFAULTS, ...(typeof options === 'object' && options !== null ? options : {}) };
  if (settings.depth === null) settings.depth = Infinity;
  return show(value, { settings, ancestors: [], circular: new Map(), deepest: { level: 0 }, indent: 0, level: 0 });
}
inspect.custom = custom;
inspect.defaultOptions = DEFAULTS;

// The arguments of console.log: %s and its kind are filled in, everything else is appended.
export function format(first, ...rest) {
  if (typeof first !== 'string') return [first, ...rest].map(plain).join(' ');
  let at = 0;
  const text = first.replace(/%[sdifjoOc%]/g, (directive) => {
    if (directive === '%%') return rest.length > 0 ? '%' : directive;
    if (at >= rest.length) return directive;
    return fill(directive, rest[at++]);
  });
  return [text, ...rest.slice(at).map(plain)].join(' ');
}

const plain = (value) => (typeof value === 'string' ? value : inspect(value));

function fill(directive, value) {
  switch (directive) {
    case '%s':
      if (typeof value === 'bigint') return `${value}n`;
      if (typeof value === 'object' && value !== null && !hasOwnText(value)) return inspect(value, { depth: 0 });
      return String(value);
    case '%d':
      if (typeof value === 'bigint') return `${value}n`;
      return typeof value === 'symbol' || typeof value === 'object' ? 'NaN' : String(Number(value));
    case '%i':
      if (typeof value === 'bigint') return `${value}n`;
      return typeof value === 'symbol' || typeof value === 'object' ? 'NaN' : String(parseInt(value, 10));
    case '%f':
      return typeof value === 'symbol' ? 'NaN' : String(parseFloat(value));
    case '%j':
      try {
        return JSON.stringify(value);
      } catch {
        return '[Circular]';
      }
    case '%o':
      return inspect(value, { depth: 4 });
    case '%O':
      return inspect(value);
    default:
      return '';
  }
}

const hasOwnText = (value) =>
  value instanceof Error || (typeof value.toString === 'function' && value.toString !== Object.prototype.toString && !Array.isArray(value));

function show(value, at) {
  switch (typeof value) {
    case 'string':
      return quoted(value, at);
    case 'bigint':
      return `${value}n`;
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value);
    case 'symbol':
      return value.toString();
    case 'undefined':
    case 'boolean':
      return String(value);
    default:
      return value === null ? 'null' : showObject(value, at);
  }
}

function quoted(text, { settings }) {
  const more = text.length - settings.maxStringLength;
  const shown = more > 0 ? text.slice(0, settings.maxStringLength) : text;
  const quote = !shown.includes("'") ? "'" : !shown.includes('"') ? '"' : !shown.includes('`') && !shown.includes('${') ? '`' : "'";
  const escaped = shown.replace(/[\\\x00-\x1f\x7f-\x9f]/g, escape).replaceAll(quote, quote === "'" ? "\\'" : quote);
  return `${quote}${escaped}${quote}${more > 0 ? `... ${more} more character${more > 1 ? 's' : ''}` : ''}`;
}

const ESCAPES = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\b': '\\b', '\f': '\\f', '\v': '\\v' };
const escape = (c) => ESCAPES[c] ?? `\\x${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;

function showObject(value, at) {
  const { settings, ancestors } = at;
  if (ancestors.includes(value)) {
    if (!at.circular.has(value)) at.circular.set(value, at.circular.size + 1);
    return `[Circular *${at.circular.get(value)}]`;
  }
  if (typeof value[custom] === 'function' && value[custom] !== inspect) {
    const own = value[custom](settings.depth - at.level, settings, inspect);
    if (own !== value) return typeof own === 'string' ? own : show(own, at);
  }
  const [prefix, [open, close], entriesOf] = anatomy(value);
  const keys = Reflect.ownKeys(value).filter((key) => isShown(value, key));
  const tag = nameOf(value, prefix);
  if (entriesOf === undefined && keys.length === 0) return simple(value, prefix, at) ?? `${tag}${open}${close}`;
  if (at.level > settings.depth) return `[${constructorName(value) ?? 'Object: null prototype'}]`;

  const inner = { ...at, ancestors: [...ancestors, value], level: at.level + 1, indent: at.indent + 2 };
  at.deepest.level = at.level;
  const items = entriesOf === undefined ? [] : entriesOf(value, inner);
  for (const key of keys) items.push(member(value, key, inner));
  const base = entriesOf === undefined ? simple(value, prefix, at) : undefined;
  const number = at.circular.get(value);
  const reference = number === undefined ? '' : `<ref *${number}> `;
  if (items.length === 0) return `${reference}${base ?? `${tag}${open}${close}`}`;
  const start = `${reference}${base === undefined ? tag : `${base} `}${open}`;
  return layout(items, { start, close, at, isList: Array.isArray(value) || ArrayBuffer.isView(value) });
}

function isShown(value, key) {
  if (!Object.getOwnPropertyDescriptor(value, key).enumerable) return false;
  return !((Array.isArray(value) || ArrayBuffer.isView(value)) && typeof key === 'string' && /^\d+$/.test(key));
}

// How a kind of object is introduced, its brackets, and what is in it besides its properties.
function anatomy(value) {
  if (Array.isArray(value)) return ['Array', ['[', ']'], arrayItems];
  if (value instanceof Map) return [`Map(${value.size})`, ['{', '}'], mapItems];
  if (value instanceof Set) return [`Set(${value.size})`, ['{', '}'], setItems];
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return [`${constructorName(value)}(${value.length})`, ['[', ']'], arrayItems];
  if (value instanceof Promise) return ['Promise', ['{', '}'], () => ['<pending>']];
  return ['Object', ['{', '}'], undefined];
}

function arrayItems(value, at) {
  const { maxArrayLength } = at.settings;
  const shown = Math.min(value.length, maxArrayLength);
  const items = [];
  for (let i = 0; i < shown; i += 1) {
    if (i in value) items.push(show(value[i], at));
    else {
      let end = i;
      while (end < value.length && !(end in value)) end += 1;
      items.push(`<${end - i} empty item${end - i > 1 ? 's' : ''}>`);
      i = end - 1;
    }
  }
  if (value.length > shown) items.push(`... ${value.length - shown} more item${value.length - shown > 1 ? 's' : ''}`);
  return items;
}

const mapItems = (value, at) => Array.from(value, ([key, member]) => `${show(key, at)} => ${show(member, at)}`);
const setItems = (value, at) => Array.from(value, (member) => show(member, at));

function member(value, key, at) {
  const { get, set, value: content } = Object.getOwnPropertyDescriptor(value, key);
  const name = typeof key === 'symbol' ? `[${key.toString()}]` : /^[A-Za-z_$][\w$]*$/.test(key) ? key : quoted(key, at);
  if (get !== undefined) return `${name}: ${set === undefined ? '[Getter]' : '[Getter/Setter]'}`;
  if (set !== undefined) return `${name}: [Setter]`;
  return `${name}: ${show(content, at)}`;
}

function constructorName(value) {
  for (let at = value; at !== null; at = Object.getPrototypeOf(at)) {
    const own = Object.getOwnPropertyDescriptor(at, 'constructor')?.value;
    if (typeof own === 'function' && own.name !== '') return own.name;
  }
  return undefined;
}

function nameOf(value, prefix) {
  const name = constructorName(value);
  const tag = value[Symbol.toStringTag];
  const suffix = typeof tag === 'string' && tag !== '' && tag !== name ? `[${tag}] ` : '';
  if (name === undefined) return `[${prefix}: null prototype] ${suffix}`;
  if (prefix === 'Array') return name === 'Array' ? '' : `${name}(${value.length}) `;
  if (prefix === 'Object') return name === 'Object' ? suffix : `${name} ${suffix}`;
  return `${prefix} ${suffix}`;
}

// Objects that are one thing and not a collection of members.
function simple(value, prefix, at) {
  if (typeof value === 'function') {
    const name = value.name === '' ? '(anonymous)' : value.name;
    if (/^class\b/.test(Function.prototype.toString.call(value))) {
      const parent = Object.getPrototypeOf(value)?.name;
      return `[class ${name}${parent ? ` extends ${parent}` : ''}]`;
    }
    const kind = constructorName(value) ?? 'Function';
    return `[${kind}${value.name === '' ? ' (anonymous)' : `: ${value.name}`}]`;
  }
  if (value instanceof Error) return errorText(value, at);
  if (value instanceof RegExp) return value.toString();
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (value instanceof Number || value instanceof Boolean || value instanceof BigInt || value instanceof Symbol) {
    return `[${constructorName(value)}: ${show(value.valueOf(), at)}]`;
  }
  if (value instanceof String) return `[String: ${quoted(value.valueOf(), at)}]`;
  if (value instanceof WeakMap || value instanceof WeakSet) return `${constructorName(value)} { <items unknown> }`;
  return undefined;
}

function errorText(error, at) {
  const head = `${error.name}${error.message === '' ? '' : `: ${error.message}`}`;
  const frames = typeof error.stack === 'string' ? error.stack.split('\n').filter((line) => /^\s+at /.test(line) && !/@jkcfg\/std|sinew:|native/.test(line)) : [];
  const pad = ' '.repeat(at.indent);
  let text = [head, ...frames.map((line) => `    ${line.trim()}`)].join('\n');
  if (frames.length === 0 && at.level > 0) text = `[${text}]`;
  const inner = { ...at, ancestors: [...at.ancestors, error], level: at.level + 1, indent: at.indent + 2 };
  const parts = [];
  if (Object.hasOwn(error, 'cause') && error.cause !== undefined) parts.push(`  [cause]: ${show(error.cause, inner)}`);
  if (Array.isArray(error.errors)) parts.push(`  [errors]: ${show(error.errors, inner)}`);
  if (parts.length > 0) text += ` {\n${parts.join(',\n')}\n}`;
  return text.replaceAll('\n', `\n${pad}`);
}

// One line where it fits and is not nested deeply, else a line for each item; many short items of an array stand in
// columns. The numbers are those of Node.
function layout(items, { start, close, at, isList }) {
  const { breakLength, compact } = at.settings;
  const pad = ' '.repeat(at.indent + 2);
  const lines = isList && items.length > 6 ? columns(items, at) : items;
  if (lines === items && at.deepest.level - at.level < compact) {
    const total = items.reduce((sum, item) => sum + item.length, 2 * items.length + at.indent + start.length + 10);
    if (total <= breakLength && !items.some((item) => item.includes('\n'))) return `${start} ${items.join(', ')} ${close}`;
  }
  return `${start}\n${pad}${lines.join(`,\n${pad}`)}\n${' '.repeat(at.indent)}${close}`;
}

function columns(items, at) {
  const { breakLength, compact } = at.settings;
  const hasMore = items.at(-1).startsWith('... ');
  const cells = hasMore ? items.slice(0, -1) : items;
  const lengths = cells.map((item) => item.length + 2);
  const widest = Math.max(...lengths);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  if (widest * 3 + at.indent >= breakLength || (total / widest <= 5 && widest > 8)) return items;
  const biased = Math.max(widest - 2 - Math.sqrt(widest - total / items.length), 1);
  const count = Math.min(
    Math.round(Math.sqrt(2.5 * biased * cells.length) / biased),
    Math.floor((breakLength - at.indent) / widest),
    compact * 4,
    15,
  );
  if (count <= 1) return items;
  const widths = Array.from({ length: count }, (_, column) => {
    let width = 0;
    for (let i = column; i < cells.length; i += count) width = Math.max(width, lengths[i]);
    return width;
  });
  const isNumeric = cells.every((item) => /^-?[\d.]+n?$/.test(item));
  const rows = [];
  for (let i = 0; i < cells.length; i += count) {
    const row = cells.slice(i, i + count);
    const text = row.map((cell, column) => {
      const isLast = column === row.length - 1;
      if (isNumeric) return isLast ? cell.padStart(widths[column] - 2) : `${cell}, `.padStart(widths[column]);
      return isLast ? cell : `${cell}, `.padEnd(widths[column]);
    });
    rows.push(text.join(''));
  }
  if (hasMore) rows.push(items.at(-1));
  return rows;
}
