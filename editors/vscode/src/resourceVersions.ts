// Commands about one place in the text: another API version for a resource, and where the value of a parameter comes from.
import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';

import { describeChanges, flattenOrigins, ApiChange, Origin } from './resourceModel';

type Client = () => LanguageClient | undefined;

interface ApiVersions {
  resourceType: string;
  current: string;
  versions: string[];
  recommended?: string;
  changes?: ApiChange[];
  edit?: { range: vscode.Range; newText: string };
}

export function registerResourceCommands(context: vscode.ExtensionContext, client: Client): void {
  const register = (name: string, run: (editor: vscode.TextEditor, client: LanguageClient) => Promise<void>) =>
    vscode.commands.registerCommand(name, async () => {
      const [editor, running] = [vscode.window.activeTextEditor, client()];
      if (editor && running) {
        await run(editor, running);
      }
    });
  context.subscriptions.push(
    register('sinew.changeApiVersion', changeApiVersion),
    register('sinew.showValueOrigins', showValueOrigins),
  );
}

const place = (editor: vscode.TextEditor) => ({
  textDocument: { uri: editor.document.uri.toString() },
  position: { line: editor.selection.active.line, character: editor.selection.active.character },
});

async function changeApiVersion(editor: vscode.TextEditor, client: LanguageClient): Promise<void> {
  const at = place(editor);
  const found = await client.sendRequest<ApiVersions | null>('sinew/apiVersions', at);
  if (!found) {
    void vscode.window.showInformationMessage('There is no resource of Azure at the cursor.');
    return;
  }
  const choices = found.versions
    .filter((version) => version !== found.current)
    .map((version) => ({ label: version, description: version === found.recommended ? 'recommended' : undefined }));
  const chosen = await vscode.window.showQuickPick(choices, { title: `${found.resourceType}, now ${found.current}` });
  if (!chosen) {
    return;
  }
  const change = await client.sendRequest<ApiVersions | null>('sinew/apiVersions', { ...at, version: chosen.label });
  if (!change?.edit) {
    return;
  }
  const apply = { label: `$(check) Change the API version to ${chosen.label}` };
  const listed = describeChanges(change.changes ?? []);
  const answer = await vscode.window.showQuickPick([apply, ...listed], {
    title: `${found.resourceType}: ${found.current} to ${chosen.label}`,
    placeHolder: 'What changes; what concerns this resource comes first',
  });
  if (answer === apply) {
    const { start, end } = change.edit.range;
    const range = new vscode.Range(start.line, start.character, end.line, end.character);
    const text = change.edit.newText;
    await editor.edit((edit) => edit.replace(range, text));
  }
}

async function showValueOrigins(editor: vscode.TextEditor, client: LanguageClient): Promise<void> {
  const found = await client.sendRequest<{ parameter: string; origins: Origin[] } | null>(
    'sinew/valueOrigins',
    place(editor),
  );
  const origins = flattenOrigins(found?.origins ?? []);
  if (!found || origins.length === 0) {
    void vscode.window.showInformationMessage('No file of the workspace gives a value to a parameter here.');
    return;
  }
  const locations = origins.map(({ uri, range: { start, end } }) => {
    return new vscode.Location(
      vscode.Uri.parse(uri),
      new vscode.Range(start.line, start.character, end.line, end.character),
    );
  });
  const { document, selection } = editor;
  await vscode.commands.executeCommand('editor.action.showReferences', document.uri, selection.active, locations);
}
