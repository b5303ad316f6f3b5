// The grammar against the language server: what the server says about tokens must be what the grammar colours.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import oniguruma from 'vscode-oniguruma';
import textmate from 'vscode-textmate';

import { start } from './lspClient.mjs';
import { root } from './program.mjs';

const require = createRequire(import.meta.url);
const here = path.join(root, 'editors/vscode');

let grammar;
let server;
before(async () => {
  const wasm = readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm'));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (scope) => {
      const file = scope === 'source.bicep' ? 'bicep' : undefined;
      const text = file && readFileSync(path.join(here, 'syntaxes', `${file}.tmLanguage.json`), 'utf8');
      return text ? textmate.parseRawGrammar(text, `${file}.json`) : null;
    },
  });
  grammar = await registry.loadGrammar('source.bicep');
  server = await start(root);
});
after(async () => {
  assert.equal(await server.stop(), 0);
});

/** The scopes at each character of each line. */
function scopesOf(text) {
  let stack = textmate.INITIAL;
  return text.split(/\r\n|\n|\r/).map((line) => {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, stack);
    stack = ruleStack;
    return (character) => (tokens.findLast(({ startIndex }) => startIndex <= character) ?? tokens[0])?.scopes.join(' ') ?? '';
  });
}

test('each kind of token has its scope', () => {
  const check = (text, expected) => {
    const [scopes] = scopesOf(text);
    for (const [word, scope] of Object.entries(expected)) {
      const found = scopes(text.indexOf(word));
      assert.ok(found.includes(scope), `${word} in ${text}: ${found}`);
    }
  };
  check('param size int = 4 // four', { param: 'keyword.control', size: 'variable.other', int: 'support.type', '=': 'keyword.operator', 4: 'constant.numeric', '//': 'comment.line' });
  check("resource sa 'A.B/c@1' existing = {", { resource: 'keyword.control', "'A.B": 'string.quoted.single', existing: 'keyword.control', '{': 'punctuation.section.braces' });
  check("var a = 'x${toLower(b.c)}y\\n'", { x$: 'string.quoted', toLower: 'entity.name.function', 'b.': 'variable.other.readwrite', 'c)': 'variable.other.property', 'y\\': 'string.quoted', '\\n': 'constant.character.escape' });
  check("@description('text')", { '@': 'punctuation.definition.decorator', description: 'entity.name.function.decorator', "'text": 'string.quoted' });
  check('output o bool = true', { bool: 'support.type', true: 'constant.language' });
  check('#disable-next-line no-unused-params', { disable: 'keyword.control.directive', 'no-': 'entity.name.tag' });
  check('var l = [for (item, index) in items: item]', { for: 'keyword.control', 'in items': 'keyword.control', items: 'variable.other' });
  check("import { foo as bar } from 'x.bicep'", { import: 'keyword.control', 'as ': 'keyword.control', from: 'keyword.control' });
  check("var m = '''a ${b}'''", { 'a $': 'string.quoted.multi', '{b': 'string.quoted.multi' });
  check("using 'main.bicep'", { using: 'keyword.control' });
});

/** The scopes that a token of the server may have: comments, strings, numbers, keywords and directives exactly, names loosely. */
const WANTED = {
  comment: /comment\./,
  keyword: /keyword\.|constant\.language|support\.type/,
  string: /string\.|constant\.character\.escape|variable\.other\.property/,
  number: /constant\.numeric/,
  operator: /keyword\.operator|punctuation\.|meta\.|string\./,
  macro: /preprocessor|directive/,
  function: /entity\.name\.function|variable\.other/,
  variable: /variable\.|support\.type|entity\.name|keyword\.|constant\.language/,
  property: /variable\.other|entity\.name|support\.type|keyword\.|string\./,
  typeParameter: /variable\.other|string\.|support\.type|keyword\.|constant\.language/,
  type: /support\.type|variable\.|constant\.language|entity\.name/,
  namespace: /variable\.|support\.type/,
};

/** Where the scopes of a file differ from what the server says. */
async function differences(file, text) {
  const uri = pathToFileURL(file).toString();
  const languageId = file.endsWith('.bicepparam') ? 'bicep-params' : 'bicep';
  await server.open(uri, languageId, text);
  const { SemanticTokensRequest, DidCloseTextDocumentNotification } = server.protocol;
  const { data } = await server.connection.sendRequest(SemanticTokensRequest.type, { textDocument: { uri } });
  await server.connection.sendNotification(DidCloseTextDocumentNotification.type, { textDocument: { uri } });
  const types = server.capabilities.semanticTokensProvider.legend.tokenTypes;
  const scopes = scopesOf(text);
  const lines = text.split(/\r\n|\n|\r/);
  const found = [];
  let [line, character] = [0, 0];
  for (let at = 0; at < data.length; at += 5) {
    const [down, right, length, type] = data.slice(at, at + 4);
    line += down;
    character = down === 0 ? character + right : right;
    const kind = types[type];
    const scope = scopes[line]?.(character) ?? '';
    const inComment = /comment\./.test(scope) !== (kind === 'comment');
    if (length > 0 && (!WANTED[kind]?.test(scope) || inComment)) {
      found.push(`${file}(${line + 1},${character + 1}): ${kind} "${lines[line].slice(character, character + length)}" is ${scope}`);
    }
  }
  return { found, count: data.length / 5 };
}

/** An editor takes the byte order mark off before anybody sees the text. */
function withoutMark(text) {
  return text.replace(/^\uFEFF/, '');
}

/** The Bicep files below a folder. */
function filesBelow(folder) {
  if (!existsSync(folder)) {
    return [];
  }
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && /\.bicep(param)?$/.test(entry.name));
  return files.map((entry) => path.join(entry.parentPath ?? entry.path, entry.name)).sort();
}

test('examples are coloured as the server understands them', async () => {
  const files = filesBelow(path.join(root, 'examples'));
  assert.ok(files.length > 5);
  for (const file of files) {
    const { found } = await differences(file, readFileSync(file, 'utf8'));
    assert.deepEqual(found, []);
  }
});

test('recorded files are coloured as the server understands them', async (context) => {
  const folder = process.env.SINEW_GRAMMAR_CORPUS ?? path.join(root, '../shared/corpus/bicep');
  // In files that do not parse, tokens mean nothing.
  const files = filesBelow(folder).filter((file) => !file.includes('Invalid')).slice(0, 200);
  if (files.length === 0) {
    context.skip('there is no recorded data beside the repository');
    return;
  }
  let [wrong, all] = [[], 0];
  for (const file of files) {
    const { found, count } = await differences(file, withoutMark(readFileSync(file, 'utf8')));
    wrong = wrong.concat(found);
    all += count;
  }
  const share = 1 - wrong.length / all;
  context.diagnostic(`${all} tokens of ${files.length} files, ${(share * 100).toFixed(3)} % consistent`);
  assert.ok(share > 0.9999, wrong.slice(0, 40).join('\n'));
});
