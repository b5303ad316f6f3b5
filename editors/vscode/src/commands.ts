// The commands of the palette that ask the server to do something.
import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';

type Client = () => LanguageClient | undefined;

export function registerCommands(
  context: vscode.ExtensionContext,
  client: Client,
  output: vscode.OutputChannel,
): void {
  const ask = (command: string, ...parameters: unknown[]) => execute(client, command, ...parameters);
  const tell = (text: unknown) => {
    if (typeof text === 'string' && text !== '') {
      output.appendLine(text.trimEnd());
    }
  };
  const commands: Record<string, (uri?: vscode.Uri) => Promise<void>> = {
    'sinew.build': async (uri) => tell(await ask('build', await file(uri))),
    'sinew.buildParams': async (uri) => tell(await ask('buildParams', await file(uri))),
    'sinew.restoreModules': async (uri) => tell(await ask('forceModulesRestore', await file(uri))),
    'sinew.generateParams': (uri) => generateParams(uri, ask, tell),
    'sinew.decompile': (uri) => decompile(uri, ask, tell),
    'sinew.decompileParams': (uri) => decompileParams(uri, ask),
    'sinew.createConfig': (uri) => createConfig(uri, client, ask),
  };
  for (const [name, run] of Object.entries(commands)) {
    const guarded = async (uri?: vscode.Uri) => {
      try {
        await run(uri);
      } catch (error) {
        void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
      }
    };
    context.subscriptions.push(vscode.commands.registerCommand(name, guarded));
  }
}

type Ask = (command: string, ...parameters: unknown[]) => Promise<any>;

/** Asks the server to run a command. */
export async function execute(client: Client, command: string, ...parameters: unknown[]): Promise<any> {
  const running = client();
  if (!running) {
    throw new Error('The language server is not running.');
  }
  return running.sendRequest('workspace/executeCommand', { command, arguments: parameters });
}

/** The file that a command is about: the one it was called on, else the one in the editor, saved. */
async function file(uri: vscode.Uri | undefined): Promise<string> {
  const found = uri ?? vscode.window.activeTextEditor?.document.uri;
  if (!found) {
    throw new Error('There is no file to work on.');
  }
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === found.toString());
  await open?.save();
  return found.toString();
}

async function generateParams(uri: vscode.Uri | undefined, ask: Ask, tell: (text: unknown) => void): Promise<void> {
  const path = vscode.Uri.parse(await file(uri)).fsPath;
  const format = await vscode.window.showQuickPick(
    [
      { label: 'bicepparam', outputFormat: 'BicepParam' },
      { label: 'json', outputFormat: 'Json' },
    ],
    { title: 'The form of the parameters file' },
  );
  const included =
    format &&
    (await vscode.window.showQuickPick(
      [
        { label: 'Required parameters', includeParams: 'RequiredOnly' },
        { label: 'All parameters', includeParams: 'All' },
      ],
      { title: 'The parameters in the file' },
    ));
  if (format && included) {
    const { outputFormat } = format;
    const { includeParams } = included;
    tell(await ask('generateParams', { bicepFilePath: path, outputFormat, includeParams }));
  }
}

async function decompile(uri: vscode.Uri | undefined, ask: Ask, tell: (text: unknown) => void): Promise<void> {
  const made = await ask('decompile', { jsonUri: await file(uri) });
  tell(made.output);
  if (made.errorMessage) {
    return;
  }
  let overwrite = false;
  if (made.conflictingOutputPaths.length > 0) {
    const [over, copy] = ['Overwrite', 'Create Copies'];
    const question = `These files exist already: ${made.conflictingOutputPaths.join(', ')}`;
    const answer = await vscode.window.showWarningMessage(question, { modal: true }, over, copy);
    if (!answer) {
      return;
    }
    overwrite = answer === over;
  }
  const saved = await ask('decompileSave', { outputFiles: made.outputFiles, overwrite });
  tell(saved.output);
}

async function decompileParams(uri: vscode.Uri | undefined, ask: Ask): Promise<void> {
  const chosen = await vscode.window.showOpenDialog({
    title: 'The Bicep file that the parameters are for (cancel for none)',
    filters: { Bicep: ['bicep'] },
  });
  const made = await ask('decompileParams', { jsonUri: await file(uri), bicepUri: chosen?.[0]?.toString() });
  const result = made.decompiledBicepparamFile;
  if (result) {
    const document = await vscode.workspace.openTextDocument({ language: 'bicep-params', content: result.contents });
    await vscode.window.showTextDocument(document);
  }
}

async function createConfig(uri: vscode.Uri | undefined, client: Client, ask: Ask): Promise<void> {
  const bicepFilePath = (uri ?? vscode.window.activeTextEditor?.document.uri)?.fsPath;
  const place = await client()?.sendRequest<{ recommendedFolder?: string }>('bicep/getRecommendedConfigLocation', {
    bicepFilePath,
  });
  const folder = place?.recommendedFolder;
  const defaultUri = folder ? vscode.Uri.joinPath(vscode.Uri.file(folder), 'bicepconfig.json') : undefined;
  const target = await vscode.window.showSaveDialog({ title: 'The configuration file', defaultUri });
  if (target) {
    await ask('createConfigFile', { destinationPath: target.fsPath });
  }
}
