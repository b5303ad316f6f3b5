// The deployment graph as the server describes it: patches come in, nodes and edges with their places go out.

export interface GraphNode {
  id: string;
  kind: 'resource' | 'module';
  parentId: string | null;
  type: string;
  symbolName: string;
  isCollection: boolean;
  hasChildren: boolean;
  hasError: boolean;
  width: number;
  height: number;
  x: number;
  y: number;
}

export interface GraphEdge {
  id: string;
  sourceId: string;
  targetId: string;
}

export interface Graph {
  nodes: Map<string, GraphNode>;
  edges: Map<string, GraphEdge>;
  width: number;
  height: number;
  errorCount: number;
}

export type Patch = { op: string } & Record<string, any>;

export function emptyGraph(): Graph {
  return { nodes: new Map(), edges: new Map(), width: 0, height: 0, errorCount: 0 };
}

/** Applies what the server says has changed. Operations that are not known are skipped. */
export function applyPatches(graph: Graph, patches: Patch[]): void {
  for (const patch of patches) {
    switch (patch.op) {
      case 'clearGraph':
        graph.nodes.clear();
        graph.edges.clear();
        break;
      case 'addNode':
      case 'updateNode': {
        const known = graph.nodes.get(patch.node.id);
        graph.nodes.set(patch.node.id, { x: 0, y: 0, ...known, ...patch.node, ...sizeOf(patch.node) });
        break;
      }
      case 'removeNode':
        graph.nodes.delete(patch.nodeId);
        break;
      case 'addEdge':
        graph.edges.set(patch.edge.id, patch.edge);
        break;
      case 'removeEdge':
        graph.edges.delete(patch.edgeId);
        break;
      case 'setNodeLayout': {
        const node = graph.nodes.get(patch.nodeId);
        if (node) {
          Object.assign(node, patch.layout);
        }
        break;
      }
      case 'setGraphBounds':
        graph.width = patch.bounds.width;
        graph.height = patch.bounds.height;
        break;
      case 'setErrorCount':
        graph.errorCount = patch.errorCount;
        break;
    }
  }
}

/** What the server is told about the graph that is shown. */
export function described(graph: Graph): { nodes: unknown[]; edges: GraphEdge[] } {
  const nodes = [...graph.nodes.values()].map(({ x: _x, y: _y, symbolName: _name, ...rest }) => rest);
  return { nodes, edges: [...graph.edges.values()] };
}

const CHARACTER = 7.5;

/** How large the box of a node is: as wide as its longest line. */
function sizeOf(node: { symbolName: string; type: string }): { width: number; height: number } {
  const longest = Math.max(node.symbolName.length, shortType(node.type).length);
  return { width: Math.max(120, Math.ceil(longest * CHARACTER) + 32), height: 52 };
}

/** A resource type without its provider, which is the same for most. */
export function shortType(type: string): string {
  const slash = type.indexOf('/');
  return slash < 0 ? type : type.slice(slash + 1);
}

/** The graph as SVG. Texts are escaped: they come from files. */
export function toSvg(graph: Graph): string {
  const margin = 20;
  const edges = [...graph.edges.values()].map((edge) => {
    const from = graph.nodes.get(edge.sourceId);
    const to = graph.nodes.get(edge.targetId);
    if (!from || !to) {
      return '';
    }
    const [x1, y1] = [from.x, from.y + from.height / 2];
    const [x2, y2] = [to.x + to.width, to.y + to.height / 2];
    const middle = (x1 + x2) / 2;
    return `<path class="edge" d="M${x1} ${y1} C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}" marker-end="url(#arrow)"/>`;
  });
  const nodes = [...graph.nodes.values()].map((node) => {
    const classes = ['node', node.kind, node.hasError ? 'error' : '', node.isCollection ? 'collection' : ''];
    const stack = node.isCollection
      ? `<rect class="stack" x="5" y="5" width="${node.width}" height="${node.height}" rx="4"/>`
      : '';
    const title = `${node.id}\n${node.type}`;
    return (
      `<g class="${classes.filter(Boolean).join(' ')}" data-id="${escape(node.id)}" tabindex="0" role="button"` +
      ` transform="translate(${node.x} ${node.y})"><title>${escape(title)}</title>${stack}` +
      `<rect width="${node.width}" height="${node.height}" rx="4"/>` +
      `<text class="name" x="12" y="22">${escape(node.symbolName)}${node.isCollection ? ' [ ]' : ''}</text>` +
      `<text class="type" x="12" y="40">${escape(shortType(node.type))}</text></g>`
    );
  });
  const [width, height] = [graph.width + 2 * margin, graph.height + 2 * margin];
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${-margin} ${-margin} ${width} ${height}" width="${width}" height="${height}">` +
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">' +
    `<path d="M0 0 L8 4 L0 8 z"/></marker></defs>${edges.join('')}${nodes.join('')}</svg>`
  );
}

function escape(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
