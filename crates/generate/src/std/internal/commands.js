// The protocols of the commands: what they expect a script to export, and the order in which things happen.

import { host, stringify as toJson } from './host.js';
import { Format, Overwrite, isStream, output, valuesFormat } from './files.js';
import { problemsOf } from './validation.js';

const ALL_FILES = '(all files)';

// generate: the definition, then its values, then every check, and only then the files.
export async function generate(definition, settings = {}) {
  const { files, validate } = await realise(definition);
  if (files === undefined) return;

  const results = await all(files.map((file) => all(checksOf(file, settings.validate))));
  results.forEach((answers, i) => report(files[i].path, answers));

  if (validate !== undefined) {
    const values = files.map(({ value }) => value);
    report(ALL_FILES, [await ask(validate, values)]);
  }
  if (host.allPassed()) output(files, settings);
}

// transform: every document of every file goes through the function; undefined keeps the document.
export async function transform(fn, settings) {
  requireFunction(fn);
  const one = async (value) => {
    const result = await fn(value);
    return result === undefined ? value : result;
  };
  const files = settings.input.map(async (path) => {
    const format = valuesFormat(path);
    const value = host.readAnywhere(path, format);
    if (!isStream(format)) return { path, value: await one(value) };
    return { path, format, value: await Promise.all((value ?? []).map(one)) };
  });
  await generate(Promise.all(files), settings);
}

// validate: every document of every file is checked.
export async function validate(fn, settings) {
  requireFunction(fn);
  const results = await all(
    settings.input.map((path) => {
      const format = valuesFormat(path);
      const value = host.readAnywhere(path, format);
      const documents = isStream(format) ? value ?? [] : [value];
      return all(documents.map((document) => ask(fn, document)));
    }),
  );
  settings.input.forEach((path, i) => report(path, results[i]));
}

// The default export of a module, or a message that says what is expected.
export function defaultExport(module, specifier) {
  if ('default' in module) return module.default;
  throw new Error(`the module '${specifier}' has no default export`);
}

function requireFunction(fn) {
  if (typeof fn !== 'function') throw new Error('default export of given module is not a function');
}

// The files of a definition with their values there; `files` is undefined when the definition has the wrong shape.
async function realise(definition) {
  const given = await (typeof definition === 'function' ? definition() : definition);
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given) && 'files' in given;
  const { files, validate } = isObject ? { ...given, files: await given.files } : { files: given };

  const problems = shapeProblems(files);
  if (problems.length > 0) {
    host.badShape(toJson(problems));
    return {};
  }
  const values = await all(files.map(({ value }) => value));
  return { files: files.map((file, i) => ({ ...file, path: file.file ?? file.path, value: values[i] })), validate };
}

function shapeProblems(files) {
  if (!Array.isArray(files)) return ['default value is not an array'];
  const problems = [];
  const first = new Map();
  files.forEach((file, i) => {
    const element = `${ordinal(i + 1)} element`;
    const has = (name) => typeof file === 'object' && file !== null && Object.hasOwn(file, name);
    const path = has('file') && file.file !== undefined ? file.file : has('path') ? file.path : undefined;
    if (path === undefined) problems.push(`${element} does not have a 'path' property`);
    else if (typeof path !== 'string') problems.push(`${element} has a 'path' that is not a string`);
    else if (first.has(path)) problems.push(`${element} has the path '${path}' of the ${first.get(path)}`);
    else first.set(path, element);
    if (!has('value')) problems.push(`${element} does not have a 'value' property`);
    else if (typeof file.value === 'function') problems.push(`${element} has a function for a 'value'; call it`);
  });
  return problems;
}

function ordinal(n) {
  const teen = Math.floor(n / 10) % 10 === 1;
  const suffix = teen ? 'th' : ['th', 'st', 'nd', 'rd'][n % 10] ?? 'th';
  return `${n}${suffix}`;
}

// All checks of a file: its own, the one of the command line on each document, and the schemas that values name.
function checksOf({ path, value, format, validate }, extra) {
  const answers = [];
  if (validate !== undefined) answers.push(ask(validate, value));
  const documents = isStream(format) && Array.isArray(value) ? value : [value];
  if (extra !== undefined) documents.forEach((document) => answers.push(ask(extra, document)));
  for (const document of documents) {
    const schema = typeof document === 'object' && document !== null ? document.$schema : undefined;
    if (typeof schema === 'string') answers.push(host.checkSchema(toJson(document), schema, path));
  }
  return answers;
}

// One answer in the form of a verdict: `{ problems }`, or `{ reason }` when the check could not be made; a promise of it
// if the validation function answers with a promise.
function ask(validate, value) {
  if (typeof validate !== 'function') return { reason: 'validate is not a function' };
  try {
    const { overrun, result } = host.withinBudget(validate, value);
    if (overrun !== undefined) return { reason: overrun };
    return isPromise(result) ? Promise.resolve(result).then(judge).catch(excuse) : judge(result);
  } catch (error) {
    return excuse(error);
  }
}

const judge = (answer) => ({ problems: problemsOf(answer) });
const excuse = (error) => ({ reason: describe(error) });

const isPromise = (value) => typeof value?.then === 'function';

// Promise.all, without promises where nothing is one.
const all = (list) => (list.some(isPromise) ? Promise.all(list) : list);

function describe(error) {
  if (!(error instanceof Error)) return `the validation function threw ${toJson(error) ?? String(error)}`;
  const unrecognised = error.message.startsWith('unrecognised result');
  return unrecognised ? error.message : `the validation function threw ${error.name}: ${error.message}`;
}

// Hands over what all checks of a file said; nothing at all for a good one.
function report(path, answers) {
  const problems = answers.flatMap((answer) => answer.problems ?? []);
  const reasons = answers.flatMap(({ reason }) => (reason === undefined ? [] : [reason]));
  host.verdict(path, problems.length + reasons.length === 0 ? '' : toJson({ problems, reasons }));
}
