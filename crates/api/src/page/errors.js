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

/** The lines of a text around a position, or the part of a template at a path. */
function excerpt(info, text) {
  const line = info.lineNumber ?? info.line;
  if (typeof text === 'string' && line) {
    const first = Math.max(1, line - 3);
    return source(text.split('\n').slice(first - 1, line + 3).join('\n'), { first, here: line });
  }
  const part = text && typeof text === 'object' && info.path ? at(text, info.path) : undefined;
  return part === undefined ? null : source(JSON.stringify(part, null, 2).split('\n').slice(0, 40).join('\n'));
}

function at(template, path) {
  const steps = path.replace(/^properties\.template\.?/, '').match(/[^.[\]']+/g) || [];
  return steps.reduce((value, step) => (value === undefined || value === null ? undefined : value[step]), template);
}
