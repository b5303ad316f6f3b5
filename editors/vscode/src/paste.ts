// JSON that is pasted becomes Bicep: by a command, and on every paste unless the settings say otherwise.
import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';

import { execute } from './commands';

type Client = () => LanguageClient | undefined;

interface Pasted {
  pasteType: string | null;
  bicep: string | null;
  errorMessage: string | null;
}

export function registerPaste(context: vscode.ExtensionContext, client: Client): void {
  context.subscriptions.push(
    vscode.commands.registerCommand('sinew.pasteAsBicep', () => pasteAsBicep(client)),
    vscode.workspace.onDidChangeTextDocument((event) => void convertPasted(client, event)),
  );
}

/** Asks what a text would be in Bicep if it stood somewhere. */
async function converted(
  client: Client,
  document: vscode.TextDocument,
  rangeOffset: number,
  json: string,
  content: string,
): Promise<Pasted> {
  return execute(client, 'decompileForPaste', {
    bicepContent: content,
    rangeOffset,
    rangeLength: json.length,
    jsonContent: json,
    languageId: document.languageId,
  });
}

async function pasteAsBicep(client: Client): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    return;
  }
  const json = await vscode.env.clipboard.readText();
  const { document, selection } = editor;
  const [start, end] = [document.offsetAt(selection.start), document.offsetAt(selection.end)];
  const text = document.getText();
  const content = text.slice(0, start) + json + text.slice(end);
  const made = await converted(client, document, start, json, content);
  if (made.errorMessage) {
    void vscode.window.showErrorMessage(made.errorMessage);
    return;
  }
  await editor.edit((edit) => edit.replace(selection, made.bicep ?? json));
}

/** Kinds that replace what was pasted; a value that is Bicep already stays as it is. */
const REPLACED = ['fullTemplate', 'resource', 'resourceList', 'jsonValue', 'fullParams'];

/** A paste looks like one change of several characters that is exactly what the clipboard holds. */
async function convertPasted(client: Client, event: vscode.TextDocumentChangeEvent): Promise<void> {
  const { document, contentChanges, reason } = event;
  const [change] = contentChanges;
  const editor = vscode.window.activeTextEditor;
  const isWanted =
    (document.languageId === 'bicep' || document.languageId === 'bicep-params') &&
    vscode.workspace.getConfiguration('sinew').get('decompileOnPaste', true) &&
    reason === undefined &&
    contentChanges.length === 1 &&
    change !== undefined &&
    change.text.length > 1 &&
    editor?.document === document;
  if (!isWanted || !editor || !change) {
    return;
  }
  const clipboard = await vscode.env.clipboard.readText();
  if (normalized(clipboard) !== normalized(change.text)) {
    return;
  }
  const version = document.version;
  const json = change.text;
  const made = await converted(client, document, change.rangeOffset, json, document.getText());
  if (!made.bicep || !REPLACED.includes(made.pasteType ?? '') || document.version !== version) {
    return;
  }
  const range = new vscode.Range(
    document.positionAt(change.rangeOffset),
    document.positionAt(change.rangeOffset + json.length),
  );
  const bicep = made.bicep;
  // A step of its own, so that one undo brings the JSON back.
  await editor.edit((edit) => edit.replace(range, bicep), { undoStopBefore: true, undoStopAfter: true });
}

function normalized(text: string): string {
  return text.replace(/\r\n?/g, '\n').trim();
}
