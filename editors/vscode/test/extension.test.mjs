// The extension without an editor: a stand-in for the editor's interface notes what the extension registers.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';

import { applyPatches, described, emptyGraph, toSvg } from '../dist/test/graphModel.mjs';
import { describeChanges, flattenOrigins } from '../dist/test/resourceModel.mjs';
import { findServer } from '../dist/test/serverPath.mjs';
import { program, root } from './program.mjs';

const here = path.join(root, 'editors/vscode');
const manifest = JSON.parse(readFileSync(path.join(here, 'package.json'), 'utf8'));

/** Something that can be called, constructed and asked for any member, and gives itself. */
function anything() {
  const target = function () {};
  return new Proxy(target, {
    get: (_, name) => (name === 'then' || typeof name === 'symbol' ? undefined : anything()),
    apply: () => anything(),
    construct: () => anything(),
  });
}

/** Loads the extension with a stand-in for the editor; gives the commands that it registers. */
async function activated() {
  const commands = [];
  const errors = [];
  const editor = {
    StatusBarAlignment: { Right: 2 },
    ThemeColor: class {},
    commands: { registerCommand: (name) => (commands.push(name), { dispose() {} }), executeCommand: async () => {} },
    window: {
      createOutputChannel: () => ({ dispose() {}, appendLine() {}, show() {} }),
      createStatusBarItem: () => ({ show() {}, dispose() {} }),
      showErrorMessage: async (message) => void errors.push(message),
    },
    workspace: {
      getConfiguration: () => ({ get: (name, otherwise) => (name === 'server.path' ? '/nowhere/sinew' : otherwise) }),
      onDidChangeConfiguration: () => ({ dispose() {} }),
      onDidChangeTextDocument: () => ({ dispose() {} }),
    },
  };
  const vscode = new Proxy(editor, { get: (known, name) => (name in known ? known[name] : anything()) });
  const load = Module._load;
  Module._load = (request, ...rest) => (request === 'vscode' ? vscode : load(request, ...rest));
  try {
    const extension = createRequire(import.meta.url)(path.join(here, 'dist/extension.js'));
    await extension.activate({ subscriptions: [], extensionPath: here, extensionUri: {} });
    await extension.deactivate();
  } finally {
    Module._load = load;
  }
  return { commands, errors };
}

test('every command of the manifest is registered, and no other', async () => {
  const { commands, errors } = await activated();
  const declared = manifest.contributes.commands.map(({ command }) => command);
  assert.deepEqual([...commands].sort(), [...declared].sort());
  assert.deepEqual(errors, ['There is no program at /nowhere/sinew.']);
});

test('the manifest refers to files and commands that exist', () => {
  const { contributes } = manifest;
  const files = [...contributes.grammars.map(({ path: file }) => file), ...contributes.languages.map(({ configuration }) => configuration)];
  for (const file of files.filter(Boolean)) {
    assert.ok(existsSync(path.join(here, file)), file);
    JSON.parse(readFileSync(path.join(here, file), 'utf8'));
  }
  const declared = new Set(contributes.commands.map(({ command }) => command));
  const used = [...Object.values(contributes.menus).flat(), ...contributes.keybindings].map(({ command }) => command);
  assert.deepEqual(used.filter((command) => !declared.has(command)), []);
});

test('the server is found where the settings say, else on the path', () => {
  const folder = path.dirname(program);
  const surroundings = { configured: '', extensionFolder: '/nowhere', platform: 'linux', searchPath: '/nowhere' };
  assert.equal(findServer(surroundings), undefined);
  assert.equal(findServer({ ...surroundings, configured: program }), program);
  assert.equal(findServer({ ...surroundings, configured: '/nowhere/sinew', searchPath: folder }), undefined);
});

test('patches make a graph, and the graph a picture', () => {
  const graph = emptyGraph();
  const node = (id, more) => ({ id, kind: 'resource', parentId: null, type: 'A.B/c', symbolName: id, isCollection: false, hasChildren: false, hasError: false, ...more });
  applyPatches(graph, [
    { op: 'clearGraph' },
    { op: 'addNode', node: node('a') },
    { op: 'addNode', node: node('b', { isCollection: true, symbolName: '<b>' }) },
    { op: 'addEdge', edge: { id: 'b->a', sourceId: 'b', targetId: 'a' } },
    { op: 'setNodeLayout', nodeId: 'b', layout: { x: 200, y: 0 } },
    { op: 'setGraphBounds', bounds: { width: 320, height: 52 } },
    { op: 'setErrorCount', errorCount: 1 },
    { op: 'fromTheFuture' },
  ]);
  assert.deepEqual([graph.nodes.size, graph.edges.size, graph.errorCount], [2, 1, 1]);
  assert.deepEqual(described(graph).edges, [{ id: 'b->a', sourceId: 'b', targetId: 'a' }]);
  const svg = toSvg(graph);
  assert.ok(svg.includes('&lt;b&gt;') && !svg.includes('<b>'));
  assert.equal(svg.match(/class="edge"/g).length, 1);
  applyPatches(graph, [{ op: 'removeEdge', edgeId: 'b->a' }, { op: 'removeNode', nodeId: 'b' }]);
  assert.deepEqual([graph.nodes.size, graph.edges.size], [1, 0]);
});

test('changes of an API version are listed, and those that concern the resource are marked', () => {
  const listed = describeChanges([
    { path: 'properties.a', text: 'is gone', concernsResource: true },
    { path: 'properties.b', text: 'is new: string', concernsResource: false },
  ]);
  assert.deepEqual(listed.map(({ label }) => label), ['$(warning) properties.a', 'properties.b']);
});

test('the origins of a value are listed with those that they are made of', () => {
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
  const inner = { uri: 'file:///b.bicepparam', range, value: "'x'", from: [] };
  const outer = { uri: 'file:///a.bicep', range, value: 'p', from: [inner] };
  assert.deepEqual(flattenOrigins([outer]).map(({ uri }) => uri), [outer.uri, inner.uri]);
});
