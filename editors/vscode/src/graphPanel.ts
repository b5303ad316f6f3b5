// The deployment graph beside the editor.
import * as vscode from 'vscode';

import { Graph, Patch, applyPatches, described, emptyGraph, toSvg } from './graphModel';
import { Client, DocumentPanel, openPanel } from './panel';

const KIND = {
  id: 'sinew.graph',
  title: 'Graph of',
  script: 'graphView.js',
  body:
    '<nav><button id="in" title="Zoom in">+</button><button id="out" title="Zoom out">−</button>' +
    '<button id="export" title="Save as SVG">SVG</button></nav><main id="canvas"></main>',
};

export class GraphPanel extends DocumentPanel {
  private static readonly open = new Map<string, GraphPanel>();
  private readonly graph: Graph = emptyGraph();
  private isFirst = true;

  static register(context: vscode.ExtensionContext, client: Client): void {
    const show = () => openPanel(GraphPanel.open, (document) => new GraphPanel(context, document, client));
    context.subscriptions.push(vscode.commands.registerCommand('sinew.showGraph', show));
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
    const current = this.isFirst ? null : described(this.graph);
    const update = await this.ask<{ patches: Patch[] }>('textDocument/visualGraphUpdate', { textDocument, current });
    if (!update) {
      return;
    }
    this.isFirst = false;
    applyPatches(this.graph, update.patches);
    const asked = { textDocument, current: described(this.graph) };
    const layout = await this.ask<{ patches: Patch[] }>('textDocument/visualGraphLayout', asked);
    applyPatches(this.graph, layout?.patches ?? []);
    const errors = this.graph.errorCount === 0 ? '' : `, ${this.graph.errorCount} errors`;
    const status = `${this.graph.nodes.size} nodes, ${this.graph.edges.size} dependencies${errors}`;
    await this.panel.webview.postMessage({ kind: 'graph', svg: toSvg(this.graph), status });
  }

  protected override async receive(message: { kind: string; id?: string }): Promise<void> {
    switch (message.kind) {
      case 'open':
        return this.openSource(message.id ?? '');
      case 'export':
        return this.export();
      default:
        return super.receive(message);
    }
  }

  private async openSource(nodeId: string): Promise<void> {
    const textDocument = { uri: this.document.uri.toString() };
    const source = await this.ask<{ found: boolean; filePath: string; range: any }>(
      'textDocument/visualGraphNodeSource',
      { textDocument, nodeId },
    );
    if (source?.found) {
      const { start, end } = source.range;
      const selection = new vscode.Range(start.line, start.character, end.line, end.character);
      const options = { viewColumn: vscode.ViewColumn.One, selection };
      await vscode.window.showTextDocument(vscode.Uri.file(source.filePath), options);
    }
  }

  private async export(): Promise<void> {
    const target = await vscode.window.showSaveDialog({ filters: { SVG: ['svg'] } });
    if (target) {
      await vscode.workspace.fs.writeFile(target, Buffer.from(toSvg(this.graph)));
    }
  }

  private async ask<T>(method: string, params: unknown): Promise<T | undefined> {
    try {
      return (await this.client()?.sendRequest<T | null>(method, params)) ?? undefined;
    } catch {
      // The document has changed meanwhile: the next edit asks again.
      return undefined;
    }
  }

  override dispose(): void {
    GraphPanel.open.delete(this.document.uri.toString());
    super.dispose();
  }
}
