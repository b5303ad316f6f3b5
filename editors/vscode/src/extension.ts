// The extension: starts the language server, and gives its commands, the deployment graph and the preview a place in the editor.
import * as vscode from 'vscode';
import {
  LanguageClient,
  LanguageClientOptions,
  ServerOptions,
  State,
  Trace,
} from 'vscode-languageclient/node';

import { registerCommands } from './commands';
import { GraphPanel } from './graphPanel';
import { registerPaste } from './paste';
import { PreviewPanel } from './previewPanel';
import { registerResourceCommands } from './resourceVersions';
import { findServer } from './serverPath';

const LANGUAGES = ['bicep', 'bicep-params'];

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const output = vscode.window.createOutputChannel('Sinew');
  const status = new Status();
  server = new Server(context, output, status);
  const client = () => server?.client;
  context.subscriptions.push(
    output,
    status,
    vscode.commands.registerCommand('sinew.restartServer', () => server?.restart()),
    vscode.commands.registerCommand('sinew.showOutput', () => output.show()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('sinew.server') || event.affectsConfiguration('sinew.rules')) {
        void server?.restart();
      } else if (event.affectsConfiguration('sinew.trace.server')) {
        void server?.setTrace();
      }
    }),
  );
  registerCommands(context, client, output);
  registerPaste(context, client);
  registerResourceCommands(context, client);
  GraphPanel.register(context, client);
  PreviewPanel.register(context, client);
  await server.restart();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}

/** The language server of this window. */
class Server {
  client: LanguageClient | undefined;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly output: vscode.OutputChannel,
    private readonly status: Status,
  ) {}

  async restart(): Promise<void> {
    await this.stop();
    const settings = vscode.workspace.getConfiguration('sinew');
    const program = findServer({
      configured: settings.get('server.path', ''),
      extensionFolder: this.context.extensionPath,
      platform: process.platform,
      searchPath: process.env.PATH ?? '',
    });
    if (!program) {
      this.status.show('missing');
      await this.explainMissing(settings.get('server.path', ''));
      return;
    }
    const environment = settings.get<Record<string, string>>('server.environment', {});
    const run = { command: program, args: ['lsp'], options: { env: { ...process.env, ...environment } } };
    const options: ServerOptions = { run, debug: run };
    this.client = new LanguageClient('sinew', 'Sinew', options, this.clientOptions());
    this.client.onDidChangeState(({ newState }) => {
      const states = { [State.Running]: 'running', [State.Starting]: 'starting', [State.Stopped]: 'stopped' } as const;
      this.status.show(states[newState]);
    });
    this.status.show('starting');
    await this.client.start();
    await this.setTrace();
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    await client?.dispose();
  }

  async setTrace(): Promise<void> {
    const level = vscode.workspace.getConfiguration('sinew').get('trace.server', 'off');
    await this.client?.setTrace(Trace.fromString(level));
  }

  private clientOptions(): LanguageClientOptions {
    return {
      documentSelector: [
        ...LANGUAGES.flatMap((language) => [
          { language, scheme: 'file' },
          { language, scheme: 'untitled' },
        ]),
        { pattern: '**/bicepconfig.json', scheme: 'file' },
        { pattern: '**/{rules,*-rules,*.rules}.json', scheme: 'file' },
      ],
      outputChannel: this.output,
      initializationOptions: {
        rules: { enabled: vscode.workspace.getConfiguration('sinew').get('rules.enabled', true) },
      },
      synchronize: { configurationSection: 'bicep', fileEvents: vscode.workspace.createFileSystemWatcher('**/*') },
    };
  }

  private async explainMissing(configured: string): Promise<void> {
    const message = configured
      ? `There is no program at ${configured}.`
      : 'The program sinew was not found. Install it, or say in the settings where it is.';
    const settings = 'Open Settings';
    if ((await vscode.window.showErrorMessage(message, settings)) === settings) {
      await vscode.commands.executeCommand('workbench.action.openSettings', 'sinew.server.path');
    }
  }
}

/** The item in the status bar that says how the server is. */
class Status {
  private readonly item = vscode.window.createStatusBarItem('sinew', vscode.StatusBarAlignment.Right, 10);

  constructor() {
    this.item.name = 'Sinew';
    this.item.command = 'sinew.showOutput';
    this.item.show();
  }

  show(state: 'starting' | 'running' | 'stopped' | 'missing'): void {
    const icons = { starting: '$(sync~spin)', running: '$(check)', stopped: '$(circle-slash)', missing: '$(warning)' };
    const texts = {
      starting: 'The language server is starting.',
      running: 'The language server is running.',
      stopped: 'The language server has stopped.',
      missing: 'The program sinew was not found.',
    };
    this.item.text = `${icons[state]} Bicep`;
    this.item.tooltip = texts[state];
    const isBad = state === 'stopped' || state === 'missing';
    this.item.backgroundColor = isBad ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
  }

  dispose(): void {
    this.item.dispose();
  }
}
