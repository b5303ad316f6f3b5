// Errors of the API as people read them: the code, the message, the place in the source, and the errors behind it.

import { h, source } from './elements.js';

/** An error with those behind it. `text` is the source that positions point into: a text, or a template as a value. */
export function problem(error, text) {
  if (error instanceof Error) error = { code: 'Failed', message: error.message };
  return h('div', { class: 'error' },
    h('p', {}, h('span', { class: 'code' }, error.code), error.target ? ` at ${error.target}` : ''),
    h('p', { class: 'message' }, error.message),
    (error.additionalInfo || []).map((addition) => position(addition, text)),
    (error.details || []).map((detail) => problem(detail, text)));
}

function position({ type, info }, text) {
  if (!info) return null;
  const line = info.lineNumber ?? info.line;
  const column = info.linePosition ?? info.column;
  const file = info.file || info.source || (type === 'TemplateViolation' ? 'template' : type);
  const shown = [file, line || null, line && column ? column : null].filter(Boolean).join(':');
  return [h('p', { class: 'place' }, shown, info.path ? `  ${info.path}` : ''), excerpt(info, text)];
}

/** The lines around a position in a text, or around a path in a template. */
function excerpt(info, text) {
  const line = info.lineNumber ?? info.line;
  if (typeof text === 'string' && line) return around(text, line);
  const place = text && typeof text === 'object' && info.path ? lineOf(text, info.path) : null;
  return place && around(JSON.stringify(text, null, 2), place);
}

function around(text, line) {
  const first = Math.max(1, line - 3);
  return source(text.split('\n').slice(first - 1, line + 3).join('\n'), { first, here: line });
}

/** The line of the printed template where a path leads to. */
function lineOf(template, path) {
  const steps = path.replace(/^properties\.template\.?/, '').match(/[^.[\]']+/g) || [];
  const last = steps.pop();
  const copy = structuredClone(template);
  const holder = steps.reduce((value, step) => value?.[step], copy);
  if (holder === null || typeof holder !== 'object' || !(last in holder)) return null;
  const mark = crypto.getRandomValues(new Uint32Array(4)).join('-');
  holder[last] = mark;
  return JSON.stringify(copy, null, 2).split('\n').findIndex((line) => line.includes(mark)) + 1;
}
