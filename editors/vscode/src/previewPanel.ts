// The preview beside the editor: what a file would deploy, while it is typed.
import * as vscode from 'vscode';

import { Client, DocumentPanel, openPanel } from './panel';

const KIND = {
  id: 'sinew.preview',
  title: 'Preview of',
  script: 'previewView.js',
  body: '<main><pre id="text"></pre></main>',
};

export class PreviewPanel extends DocumentPanel {
  private static readonly open = new Map<string, PreviewPanel>();

  static register(context: vscode.ExtensionContext, client: Client): void {
    const show = () => openPanel(PreviewPanel.open, (document) => new PreviewPanel(context, document, client));
    context.subscriptions.push(vscode.commands.registerCommand('sinew.showPreview', show));
  }

  private constructor(
    context: vscode.ExtensionContext,
    document: vscode.TextDocument,
    private readonly client: Client,
  ) {
    super(context, document, KIND);
  }

  async refresh(): Promise<void> {
    const textDocument = { uri: this.document.uri.toString() };
    let text = '';
    let status = '';
    try {
      const answer = await this.client()?.sendRequest<{ text: string } | null>('sinew/preview', { textDocument });
      text = answer?.text ?? '';
    } catch (error) {
      status = error instanceof Error ? error.message : String(error);
    }
    await this.panel.webview.postMessage({ kind: 'preview', text, status });
  }

  override dispose(): void {
    PreviewPanel.open.delete(this.document.uri.toString());
    super.dispose();
  }
}
