// A client of the language server made of the libraries that editors use.
import { spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import protocol from 'vscode-languageserver-protocol/node';

import { program } from './program.mjs';

const { createProtocolConnection, StreamMessageReader, StreamMessageWriter } = protocol;

/** Starts the server for a folder and initializes it. */
export async function start(folder) {
  const server = spawn(program, ['lsp'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const connection = createProtocolConnection(new StreamMessageReader(server.stdout), new StreamMessageWriter(server.stdin));
  const published = new Map();
  const waiting = [];
  connection.onNotification(protocol.PublishDiagnosticsNotification.type, (params) => {
    published.set(params.uri, params);
    for (const wait of waiting.splice(0)) {
      wait();
    }
  });
  connection.onRequest('client/registerCapability', () => null);
  connection.onRequest('workspace/configuration', ({ items }) => items.map(() => null));
  connection.listen();
  const uri = pathToFileURL(folder).toString();
  const initialized = await connection.sendRequest(protocol.InitializeRequest.type, {
    processId: process.pid,
    rootUri: uri,
    workspaceFolders: [{ uri, name: 'test' }],
    capabilities: { textDocument: { synchronization: { dynamicRegistration: false } }, workspace: { workspaceFolders: true } },
  });
  await connection.sendNotification(protocol.InitializedNotification.type, {});
  return {
    connection,
    protocol,
    capabilities: initialized.capabilities,

    /** Opens a document. */
    async open(file, languageId, text) {
      const textDocument = { uri: file, languageId, version: 1, text };
      await connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, { textDocument });
    },

    /** The diagnostics of a document, once they are about this version. */
    async diagnostics(file, version) {
      for (;;) {
        const found = published.get(file);
        if (found && (version === undefined || found.version === version)) {
          return found.diagnostics;
        }
        await new Promise((resolve) => waiting.push(resolve));
      }
    },

    /** Leaves in order; gives the exit code. */
    async stop() {
      await connection.sendRequest(protocol.ShutdownRequest.type);
      const code = new Promise((resolve) => server.once('exit', resolve));
      await connection.sendNotification(protocol.ExitNotification.type);
      connection.dispose();
      return code;
    },
  };
}
