// Generating from a script: the functions behind the generate command, for scripts that want to decide themselves.

import { Overwrite, output } from './internal/files.js';
import { formatError, problemsOf } from './internal/validation.js';

export { generate } from './internal/commands.js';
export { formatError };

const isFile = (item) =>
  typeof item === 'object' && item !== null && Object.hasOwn(item, 'value') && (Object.hasOwn(item, 'path') || Object.hasOwn(item, 'file'));
const pathOf = ({ path, file }) => file ?? path;
const isPromise = (value) => typeof value?.then === 'function';

// Runs a validation function on every value: 'ok', or a list of problems that each name their file. The answer is a
// promise if the values are one, or one of them or of the function's answers is.
export function validateAll(values, validate) {
  if (isPromise(values)) return values.then((list) => validateAll(list, validate));
  const answers = Array.from(values, (item) => {
    const value = isFile(item) ? item.value : item;
    const label = (answer) => problemsOf(answer).map((problem) => (isFile(item) ? { file: pathOf(item), ...problem } : problem));
    const ask = (resolved) => {
      const answer = validate(resolved);
      return isPromise(answer) ? answer.then(label) : label(answer);
    };
    return isPromise(value) ? value.then(ask) : ask(value);
  });
  const result = (lists) => (lists.some((list) => list.length > 0) ? lists.flat() : 'ok');
  return answers.some(isPromise) ? Promise.all(answers).then(result) : result(answers);
}

// Writes files as the generate command does, without any check. Returns a promise if a value is one.
export function outputValues(values, options = {}) {
  if (isPromise(values)) return values.then((list) => outputValues(list, options));
  const files = Array.from(values, (file) => ({ ...file, path: pathOf(file) }));
  const settings = { overwrite: Overwrite.Write, ...options };
  if (!files.some(({ value }) => isPromise(value))) return output(files, settings);
  return Promise.all(files.map(({ value }) => value)).then((resolved) =>
    output(files.map((file, i) => ({ ...file, value: resolved[i] })), settings));
}
