// What the views beside the editor share: one panel for each document, which follows its edits.
import * as crypto from 'node:crypto';
import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';

export type Client = () => LanguageClient | undefined;

export interface PanelKind {
  id: string;
  title: string;
  /** The script of the page, in dist/webview. */
  script: string;
  /** What is on the page beside the status line. */
  body: string;
}

/** A view beside the editor that shows something about a document and follows its edits. */
export abstract class DocumentPanel implements vscode.Disposable {
  protected readonly panel: vscode.WebviewPanel;
  private readonly subscriptions: vscode.Disposable[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    context: vscode.ExtensionContext,
    readonly document: vscode.TextDocument,
    kind: PanelKind,
  ) {
    const name = document.uri.path.split('/').pop() ?? '';
    const column = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    const dist = vscode.Uri.joinPath(context.extensionUri, 'dist', 'webview');
    const media = vscode.Uri.joinPath(context.extensionUri, 'media');
    this.panel = vscode.window.createWebviewPanel(kind.id, `${kind.title} ${name}`, column, {
      enableScripts: true,
      localResourceRoots: [dist, media],
    });
    const { webview } = this.panel;
    const script = webview.asWebviewUri(vscode.Uri.joinPath(dist, kind.script));
    const style = webview.asWebviewUri(vscode.Uri.joinPath(media, 'view.css'));
    webview.html = page(webview.cspSource, script.toString(), style.toString(), kind.body);
    this.subscriptions.push(
      webview.onDidReceiveMessage((message) => void this.receive(message)),
      vscode.workspace.onDidChangeTextDocument((event) => {
        if (event.document.languageId.startsWith('bicep')) {
          this.refreshSoon();
        }
      }),
      vscode.workspace.onDidCloseTextDocument((closed) => {
        if (closed === document) {
          this.panel.dispose();
        }
      }),
      this.panel.onDidDispose(() => this.dispose()),
    );
  }

  /** Asks the server again and shows its answer. */
  abstract refresh(): Promise<void>;

  protected async receive(message: { kind: string }): Promise<void> {
    if (message.kind === 'ready') {
      await this.refresh();
    }
  }

  reveal(): void {
    this.panel.reveal(undefined, true);
  }

  private refreshSoon(): void {
    clearTimeout(this.timer);
    const delay = vscode.workspace.getConfiguration('sinew').get('preview.delay', 300);
    this.timer = setTimeout(() => void this.refresh(), delay);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscriptions.forEach((subscription) => subscription.dispose());
  }
}

/** Opens the panel of the document in the editor, or shows the one that is open. */
export function openPanel<P extends DocumentPanel>(
  open: Map<string, P>,
  make: (document: vscode.TextDocument) => P,
): void {
  const document = vscode.window.activeTextEditor?.document;
  if (!document) {
    return;
  }
  const key = document.uri.toString();
  const known = open.get(key);
  if (known) {
    known.reveal();
    return;
  }
  open.set(key, make(document));
}

function page(source: string, script: string, style: string, body: string): string {
  const nonce = crypto.randomBytes(16).toString('hex');
  const policy = `default-src 'none'; style-src ${source} 'unsafe-inline'; script-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="stylesheet" href="${style}">
</head>
<body>${body}<footer id="status" role="status"></footer><script nonce="${nonce}" src="${script}"></script></body>
</html>`;
}
