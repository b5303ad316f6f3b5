// The JSON-RPC interface, driven by vscode-jsonrpc: requests side by side, cancellation, a socket, a pipe, edits in between.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import rpc from 'vscode-jsonrpc/node.js';

import { program } from './program.mjs';

const { CancellationTokenSource, StreamMessageReader, StreamMessageWriter, createMessageConnection } = rpc;
const folder = mkdtempSync(path.join(tmpdir(), 'sinew-jsonrpc-'));
after(() => rmSync(folder, { recursive: true }));

/** Writes a file into the folder of the tests. */
function put(name, text) {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

function connected(input, output) {
  const connection = createMessageConnection(new StreamMessageReader(input), new StreamMessageWriter(output));
  connection.listen();
  return connection;
}

/** A server on standard input and output. */
function serve() {
  const server = spawn(program, ['jsonrpc', '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  const connection = connected(server.stdout, server.stdin);
  const stop = async () => {
    server.stdin.end();
    return ended;
  };
  return { connection, stop, process: server };
}

test('files are compiled, and edits are seen by the next request', async () => {
  const { connection, stop } = serve();
  const main = put('main.bicep', 'param size int = 1\noutput size int = size\n');
  const first = await connection.sendRequest('bicep/compile', { path: main });
  assert.equal(first.success, true);
  assert.equal(JSON.parse(first.contents).parameters.size.defaultValue, 1);
  put('main.bicep', 'param size int = 2\noutput size int = size\n');
  const second = await connection.sendRequest('bicep/compile', { path: main });
  assert.equal(JSON.parse(second.contents).parameters.size.defaultValue, 2);
  put('main.bicep', 'param size int = wrong\n');
  const third = await connection.sendRequest('bicep/compile', { path: main });
  assert.deepEqual([third.success, third.contents], [false, null]);
  assert.ok(third.diagnostics.some(({ code, level }) => code === 'BCP057' && level === 'Error'));
  assert.equal(await stop(), 0);
});

test('requests are answered side by side, whatever their order', async () => {
  const { connection, stop } = serve();
  const files = Array.from({ length: 40 }, (_, index) => put(`m${index}.bicep`, `output n int = ${index}\n`));
  const answers = await Promise.all(files.map((file) => connection.sendRequest('bicep/compile', { path: file })));
  answers.forEach((answer, index) => assert.equal(JSON.parse(answer.contents).outputs.n.value, index));
  await stop();
});

test('a request that is cancelled or makes no sense fails alone', async () => {
  const { connection, stop } = serve();
  const file = put('slow.bicep', Array.from({ length: 3000 }, (_, index) => `var v${index} = 'x'\n`).join(''));
  const source = new CancellationTokenSource();
  const cancelled = connection.sendRequest('bicep/compile', { path: file }, source.token);
  source.cancel();
  const outcome = await cancelled.then(() => 'answered', (error) => error.code);
  assert.ok([-32800, 'answered'].includes(outcome), String(outcome));
  await assert.rejects(connection.sendRequest('bicep/noSuch', {}), { code: -32601 });
  await assert.rejects(connection.sendRequest('bicep/compile', { path: 'relative.bicep' }), { code: -32602 });
  await assert.rejects(connection.sendRequest('bicep/compile', { path: path.join(folder, 'missing.bicep') }), { code: -32000 });
  await assert.rejects(connection.sendRequest('bicep/compile', {}), { code: -32602 });
  const { version } = await connection.sendRequest('bicep/version', {});
  assert.match(version, /^\d+\.\d+\.\d+/);
  await stop();
});

test('overrides of parameters hold for one request', async () => {
  const { connection, stop } = serve();
  put('app.bicep', 'param name string\noutput name string = name\n');
  const file = put('app.bicepparam', "using 'app.bicep'\n\nparam name = 'file'\n");
  const compiled = async (parameterOverrides) => {
    const answer = await connection.sendRequest('bicep/compileParams', { path: file, parameterOverrides });
    return JSON.parse(answer.parameters).parameters.name.value;
  };
  assert.deepEqual(await Promise.all([compiled({}), compiled({ name: 'other' }), compiled({})]), ['file', 'other', 'file']);
  await stop();
});

for (const kind of ['socket', 'pipe']) {
  test(`the server connects to a ${kind}`, async () => {
    const listener = net.createServer();
    const place = kind === 'socket' ? 0 : path.join(folder, 'pipe.sock');
    await new Promise((resolve) => listener.listen(place, resolve));
    const address = kind === 'socket' ? String(listener.address().port) : place;
    const accepted = new Promise((resolve) => listener.once('connection', resolve));
    const server = spawn(program, ['jsonrpc', `--${kind}`, address], { stdio: 'inherit' });
    const ended = new Promise((resolve) => server.once('exit', resolve));
    const socket = await accepted;
    const connection = connected(socket, socket);
    assert.ok((await connection.sendRequest('bicep/version', {})).version);
    socket.end();
    assert.equal(await ended, 0);
    listener.close();
  });
}
