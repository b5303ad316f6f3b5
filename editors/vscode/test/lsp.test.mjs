// The language server, driven by the protocol library of Visual Studio Code.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { start } from './lspClient.mjs';

const folder = mkdtempSync(path.join(tmpdir(), 'sinew-lsp-'));
const uri = (name) => pathToFileURL(path.join(folder, name)).toString();
const MAIN = "param name string\nparam unused int\n\nvar greeting = 'hello ${name}'\noutput text string = greeting\n";

let server;
before(async () => {
  writeFileSync(path.join(folder, 'main.bicep'), MAIN);
  writeFileSync(path.join(folder, 'main.bicepparam'), "using 'main.bicep'\n\nparam name = 'x'\nparam unused = 'no number'\n");
  server = await start(folder);
  await server.open(uri('main.bicep'), 'bicep', MAIN);
});
after(async () => {
  assert.equal(await server.stop(), 0);
  rmSync(folder, { recursive: true });
});

const at = (line, character) => ({ textDocument: { uri: uri('main.bicep') }, position: { line, character } });

test('diagnostics are pushed', async () => {
  const found = await server.diagnostics(uri('main.bicep'), 1);
  assert.deepEqual(found.map(({ code, range }) => [code, range.start.line]), [['no-unused-params', 1]]);
});

test('a parameter file is held against its template', async () => {
  await server.open(uri('main.bicepparam'), 'bicep-params', "using 'main.bicep'\n\nparam name = 'x'\nparam unused = 'no number'\n");
  const found = await server.diagnostics(uri('main.bicepparam'), 1);
  assert.deepEqual(found.map(({ code }) => code), ['BCP033']);
});

test('completion offers what is declared', async () => {
  const { CompletionRequest } = server.protocol;
  const found = await server.connection.sendRequest(CompletionRequest.type, at(4, 21));
  const items = Array.isArray(found) ? found : found.items;
  const labels = items.map(({ label }) => label);
  for (const label of ['name', 'greeting', 'toLower', 'resourceGroup']) {
    assert.ok(labels.includes(label), label);
  }
});

test('hover, definition, references and rename agree', async () => {
  const { HoverRequest, DefinitionRequest, ReferencesRequest, RenameRequest } = server.protocol;
  const { connection } = server;
  const hover = await connection.sendRequest(HoverRequest.type, at(4, 24));
  assert.match(JSON.stringify(hover.contents), /var greeting: /);
  const [definition] = [await connection.sendRequest(DefinitionRequest.type, at(4, 24))].flat();
  assert.equal((definition.targetSelectionRange ?? definition.range).start.line, 3);
  const references = await connection.sendRequest(ReferencesRequest.type, { ...at(0, 7), context: { includeDeclaration: true } });
  assert.ok(references.length >= 2);
  const edit = await connection.sendRequest(RenameRequest.type, { ...at(3, 5), newName: 'welcome' });
  const changes = edit.changes?.[uri('main.bicep')] ?? edit.documentChanges.flatMap(({ edits }) => edits);
  assert.deepEqual(changes.map(({ range, newText }) => [range.start.line, newText]), [[3, 'welcome'], [4, 'welcome']]);
});

test('an edit is followed, and formatting gives the standard layout', async () => {
  const { DidChangeTextDocumentNotification, DocumentFormattingRequest } = server.protocol;
  const text = "param   name string\noutput text string=name\n";
  await server.connection.sendNotification(DidChangeTextDocumentNotification.type, {
    textDocument: { uri: uri('main.bicep'), version: 2 },
    contentChanges: [{ text }],
  });
  assert.deepEqual(await server.diagnostics(uri('main.bicep'), 2), []);
  const edits = await server.connection.sendRequest(DocumentFormattingRequest.type, {
    textDocument: { uri: uri('main.bicep') },
    options: { tabSize: 2, insertSpaces: true },
  });
  assert.equal(applied(text, edits), 'param name string\noutput text string = name\n');
});

test('what is typed is laid out, and constants show their values', async () => {
  const { DocumentOnTypeFormattingRequest, InlayHintRequest } = server.protocol;
  const text = "var   a={\n b:  1\n}\nvar c = 'x'\nvar d = '${c}-y'\n";
  writeFileSync(path.join(folder, 'typed.bicep'), text);
  await server.open(uri('typed.bicep'), 'bicep', text);
  const textDocument = { uri: uri('typed.bicep') };
  const edits = await server.connection.sendRequest(DocumentOnTypeFormattingRequest.type, {
    textDocument,
    position: { line: 2, character: 1 },
    ch: '}',
    options: { tabSize: 2, insertSpaces: true },
  });
  assert.match(applied(text, edits), /^var a = \{\n  b: 1\n\}\n/);
  const range = { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } };
  const hints = await server.connection.sendRequest(InlayHintRequest.type, { textDocument, range });
  assert.deepEqual(hints.map(({ label }) => label), ["= 'x-y'"]);
});

test('best-practice rules say the codes of the command line when the typing rests', async () => {
  const text = "resource s 'Microsoft.Web/sites@2020-12-01' = {\n  name: 's'\n  kind: 'app'\n  properties: {\n    httpsOnly: false\n  }\n}\n";
  writeFileSync(path.join(folder, 'site.bicep'), text);
  await server.open(uri('site.bicep'), 'bicep', text);
  const codes = async () => (await server.diagnostics(uri('site.bicep'), 1)).map(({ code }) => code);
  for (let turn = 0; turn < 100 && !(await codes()).includes('TA-000016'); turn += 1) {
    await new Promise((done) => setTimeout(done, 50));
  }
  assert.ok((await codes()).includes('TA-000016'));
});

test('what makes no sense is an error, and the server goes on', async () => {
  await assert.rejects(server.connection.sendRequest('no/suchMethod', {}), { code: -32601 });
  await assert.rejects(server.connection.sendRequest('textDocument/hover', { textDocument: { uri: uri('main.bicep') }, position: {} }));
  const { DocumentSymbolRequest } = server.protocol;
  const symbols = await server.connection.sendRequest(DocumentSymbolRequest.type, { textDocument: { uri: uri('main.bicep') } });
  assert.deepEqual(symbols.map(({ name }) => name), ['name', 'text']);
});

test('the preview shows what would be deployed, or why nothing can be', async () => {
  const preview = async (name) => (await server.connection.sendRequest('sinew/preview', { textDocument: { uri: uri(name) } })).text;
  assert.equal(JSON.parse(await preview('main.bicep')).outputs.text.value, "[parameters('name')]");
  assert.match(await preview('main.bicepparam'), /BCP259/);
});

test('pasted JSON becomes Bicep', async () => {
  const json = '{"type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01", "name": "sa"}';
  const pasted = await server.connection.sendRequest('workspace/executeCommand', {
    command: 'decompileForPaste',
    arguments: [{ bicepContent: json, rangeOffset: 0, rangeLength: json.length, jsonContent: json, languageId: 'bicep' }],
  });
  assert.equal(pasted.pasteType, 'resource');
  assert.match(pasted.bicep, /^resource sa 'Microsoft\.Storage\/storageAccounts@2023-01-01' = \{\n {2}name: 'sa'\n\}\n$/);
});

function applied(text, edits) {
  const lines = text.split('\n');
  const offset = ({ line, character }) => lines.slice(0, line).reduce((sum, it) => sum + it.length + 1, 0) + character;
  const sorted = [...(edits ?? [])].sort((a, b) => offset(b.range.start) - offset(a.range.start));
  return sorted.reduce((out, { range, newText }) => out.slice(0, offset(range.start)) + newText + out.slice(offset(range.end)), text);
}
