// The Model Context Protocol, driven by its own client library.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

import { program } from './program.mjs';

const folder = mkdtempSync(path.join(tmpdir(), 'sinew-mcp-'));
const put = (name, text) => {
  writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
};

const client = new Client({ name: 'test', version: '1' });
before(() => client.connect(new StdioClientTransport({ command: program, args: ['mcp'], env: process.env })));
after(async () => {
  await client.close();
  rmSync(folder, { recursive: true });
});

/** All tools, page by page. */
async function tools() {
  const found = [];
  let cursor;
  do {
    const page = await client.listTools({ cursor });
    found.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor);
  return found;
}

async function call(name, args) {
  // The client holds the answer against the schema of the tool.
  return client.callTool({ name, arguments: args });
}

test('tools of the reference come first, then those of this program', async () => {
  const names = (await tools()).map(({ name }) => name);
  assert.equal(names[0], 'build_bicep');
  for (const name of ['lint_files', 'check_files', 'analyze_files', 'explain_code', 'evaluate_expression', 'what_if', 'decompile_template']) {
    assert.ok(names.includes(name), name);
  }
  assert.equal(new Set(names).size, names.length);
  for (const { annotations, inputSchema, outputSchema } of await tools()) {
    assert.equal(annotations.readOnlyHint, true);
    assert.equal(inputSchema.type, 'object');
    assert.equal(outputSchema.type, 'object');
  }
});

test('a file is compiled and its mistakes come back as data', async () => {
  await tools();
  const good = put('good.bicep', 'output n int = 1\n');
  const { structuredContent } = await call('build_bicep', { filePath: good });
  assert.equal(JSON.parse(structuredContent.template).outputs.n.value, 1);
  const bad = await call('build_bicep', { filePath: put('bad.bicep', "output n int = 'x'\n") });
  assert.equal(bad.structuredContent.success, false);
  assert.deepEqual(bad.structuredContent.diagnostics.map(({ code, position, length }) => [code, position, length]), [['BCP033', 15, 3]]);
});

test('commands of this program are tools', async () => {
  const linted = await call('lint_files', { paths: [put('lint.bicep', 'param unused string\n')] });
  assert.equal(linted.structuredContent.success, true);
  assert.ok(linted.structuredContent.result.some(({ code }) => code === 'no-unused-params'));
  const checked = await call('check_files', { paths: [put('check.bicep', 'param  x string\noutput x string = x\n')] });
  assert.equal(checked.structuredContent.success, false);
  const explained = await call('explain_code', { codes: ['BCP033'] });
  assert.match(explained.structuredContent.result, /^BCP033: /);
  const value = await call('evaluate_expression', { expression: "map(range(0, 2), i => 'n${i}')" });
  assert.deepEqual(value.structuredContent.result, ['n0', 'n1']);
  const predicted = await call('what_if', { filePath: put('deploy.bicep', "output a string = 'b'\n") });
  assert.equal(predicted.structuredContent.success, true);
  const template = put('t.json', JSON.stringify({
    $schema: 'https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#',
    contentVersion: '1.0.0.0',
    resources: [],
    outputs: { a: { type: 'string', value: "[concat('x', 'y')]" } },
  }));
  const bicep = await call('decompile_template', { filePath: template });
  assert.equal(bicep.structuredContent.result, "output a string = 'xy'\n");
  const analyzed = await call('analyze_files', { paths: [template] });
  assert.equal(analyzed.structuredContent.success, true);
});

test('mistakes of a call are answers, and the server goes on', async () => {
  const relative = await call('build_bicep', { filePath: 'relative.bicep' });
  assert.equal(relative.isError, true);
  const missing = await call('lint_files', {});
  assert.equal(missing.isError, true);
  await assert.rejects(call('no_such_tool', {}));
  const { structuredContent } = await call('get_bicep_best_practices', {});
  assert.match(structuredContent.content, /^# Writing Bicep/);
});
