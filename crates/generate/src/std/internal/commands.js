// The protocols of the commands: what is done with a default export, and the order in which things happen.

import { host, stringify as toJson } from './host.js';
import { isStream, output, valuesFormat } from './files.js';
import { problemsOf } from './validation.js';

const ALL_FILES = '(all files)';

// A script can replace what the globals hold; the checks use what was there before.
const toPromise = Promise.resolve.bind(Promise);

// generate: the definition, then its values, then every check, and only then the files.
export async function generate(definition, settings = {}) {
  const { files, validate } = await realise(definition);
  if (files === undefined) return;

  for (const { path, value, validate: own } of files) {
    report(path, own === undefined ? [] : [ask(own, value, path)]);
  }
  if (validate !== undefined) {
    const values = files.map(({ value }) => value);
    report(ALL_FILES, [ask(validate, values, ALL_FILES)]);
  }
  output(files, settings);
}

// transform: every document of every file goes through the function; undefined keeps the document.
export async function transform(fn, settings) {
  requireFunction(fn);
  const one = async (value) => {
    const result = await fn(value);
    return result === undefined ? value : result;
  };
  const files = [];
  for (const path of settings.input) {
    const format = valuesFormat(path);
    let value;
    try {
      value = host.readAnywhere(path, format);
    } catch (error) {
      report(path, [{ reason: withoutPath(error.message, path) }]);
      continue;
    }
    if (isStream(format)) files.push({ path, format, value: await Promise.all((value ?? []).map(one)) });
    else files.push({ path, value: await one(value) });
  }
  await generate(files, settings);
}

// validate: every document of every file is checked.
export async function validate(fn, settings) {
  requireFunction(fn);
  for (const path of settings.input) report(path, checkFile(fn, path));
}

function checkFile(fn, path) {
  const format = valuesFormat(path);
  let value;
  try {
    value = host.readAnywhere(path, format);
  } catch (error) {
    return [{ reason: withoutPath(error.message, path) }];
  }
  const documents = isStream(format) ? value ?? [] : [value];
  return documents.map((document) => ask(fn, document, path));
}

const withoutPath = (message, path) => (message.startsWith(`${path}: `) ? message.slice(path.length + 2) : message);

// The check of what another run has generated: every document of every file, as it will be written.
export async function check(fn) {
  requireFunction(fn);
  host.policyFiles().forEach((path, i) => {
    let documents;
    try {
      documents = host.policyDocuments(i);
    } catch (error) {
      report(path, [{ reason: `what was generated cannot be read back, so that it was not checked: ${error.message}` }]);
      return;
    }
    report(path, documents.map((document) => ask(fn, document, path)));
  });
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
  const files = await listOf(isObject ? await given.files : given);

  const problems = shapeProblems(files);
  if (problems.length > 0) {
    host.badShape(toJson(problems));
    return {};
  }
  const realised = [];
  for (const [i, file] of files.entries()) {
    const value = isPromise(file.value) ? await file.value : file.value;
    realised.push({ ...file, path: pathOf(file), value, element: `${ordinal(i + 1)} element` });
  }
  return { files: realised, validate: isObject ? given.validate : undefined };
}

// A list of files may also be generated one by one.
async function listOf(files) {
  if (typeof files !== 'object' || files === null || Array.isArray(files)) return files;
  if (typeof files[Symbol.asyncIterator] !== 'function' && typeof files[Symbol.iterator] !== 'function') return files;
  const list = [];
  for await (const file of files) list.push(file);
  return list;
}

const KEYS = ['path', 'value', 'format', 'validate', 'indent', 'overwrite', 'file'];

const pathOf = ({ file, path }) => file ?? path;

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
    else {
      const clean = host.cleanPath(path);
      if (first.has(clean)) problems.push(`${element} has the path '${path}' of the ${first.get(clean)}`);
      else first.set(clean, element);
    }
    if (!has('value')) problems.push(`${element} does not have a 'value' property`);
    else if (typeof file.value === 'function') problems.push(`${element} has a function for a 'value'; call it`);
    else if (file.value === undefined) problems.push(`${element} has the value undefined`);
    if (path !== undefined && has('value')) problems.push(...unknownKeys(file, element));
  });
  return problems;
}

function unknownKeys(file, element) {
  return Object.keys(file)
    .filter((key) => !KEYS.includes(key))
    .map((key) => {
      const meant = host.suggest(key, KEYS);
      return `${element} has an unknown property '${key}'${meant === undefined ? '' : `; did you mean '${meant}'?`}`;
    });
}

function ordinal(n) {
  const teen = Math.floor(n / 10) % 10 === 1;
  const suffix = teen ? 'th' : ['th', 'st', 'nd', 'rd'][n % 10] ?? 'th';
  return `${n}${suffix}`;
}

// One answer in the form of a verdict: `{ problems }`, or `{ reason }` when the check could not be made.
function ask(validate, value, path) {
  if (typeof validate !== 'function') return { reason: 'validate is not a function' };
  const { reason, result } = host.callValidator(validate, value, path, toPromise);
  if (reason !== undefined) return { reason };
  try {
    return { problems: problemsOf(result) };
  } catch (error) {
    return { reason: error.message };
  }
}

const isPromise = (value) => typeof value?.then === 'function';

// Hands over what all checks of a file said; nothing at all for a good one.
function report(path, answers) {
  const problems = answers.flatMap((answer) => answer.problems ?? []);
  const reasons = answers.flatMap(({ reason }) => (reason === undefined ? [] : [reason]));
  host.verdict(path, problems.length + reasons.length === 0 ? '' : toJson({ problems, reasons }));
}
