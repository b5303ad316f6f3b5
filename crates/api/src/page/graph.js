// The graph of a deployment: its resources in layers by what they wait for, nested deployments drawn inside of their
// boxes. `collect` makes the graph of what the API gave, `picture` draws it.

import { h, isDeployment, MARKS, s, since, span, tone, typeOf } from './elements.js';

const BOX = { width: 232, height: 76, gapX: 64, gapY: 14, edge: 16, head: 34, columnGap: 20 };
// How many characters of a name and of a type fit into a box.
const FITS = { name: 24, type: 27 };
// A narrow page has the layers below each other, two boxes wide; the boxes are narrower, so that what is in them stays readable.
const NARROW = { box: 196, gap: 44, fits: { name: 19, type: 22 } };
// Layers of a picture that is higher than this begin at the top: the first one must not hide far below.
const HIGH = 900;
// A layer with more nodes than this is laid out in several columns: a picture of 500 resources stays near a screen's shape.
const ROWS = 14;
// Names stay readable: a larger picture is scrolled, and `Fit` shows all of it.
const READABLE = 0.85;
// With more edges than this they are drawn faintly; those of the chosen resource stand out.
const CROWDED = 120;
const STEPS = [0.25, 0.35, 0.5, 0.7, 0.85, 1, 1.4, 2];

/**
 * The resources of a deployment with what they wait for, and their states.
 * `nested` gives what is known of a nested deployment by its id in lower case: `{ deployment, operations }`.
 */
export function collect({ deployment, operations }, nested, depth = 0) {
  const nodes = new Map();
  const node = (id, type, name) => {
    const key = id.toLowerCase();
    if (!nodes.has(key)) nodes.set(key, { key, id, type: type || typeOf(id), name: name || id.split('/').pop(), state: '', needs: new Set() });
    return nodes.get(key);
  };
  const { properties } = deployment;
  for (const item of properties.dependencies || []) {
    const from = node(item.id, item.resourceType, item.resourceName);
    for (const other of item.dependsOn || []) from.needs.add(node(other.id, other.resourceType, other.resourceName).key);
  }
  for (const { properties: operation } of operations) {
    const target = operation.targetResource;
    const id = target && (target.id || target.symbolicName);
    if (id) Object.assign(node(id, target.resourceType, target.resourceName || target.symbolicName), { state: operation.provisioningState, operation });
  }
  const inner = new Set();
  for (const item of nodes.values()) {
    const known = depth < 8 && isDeployment(item.id) ? nested.get(item.key) : null;
    if (!known) continue;
    item.inside = collect(known, nested, depth + 1);
    for (const key of deepKeys(item.inside)) inner.add(key);
  }
  // What nested deployments made is listed here too, but belongs inside of their boxes.
  for (const { id } of properties.outputResources || []) if (id && !inner.has(id.toLowerCase())) node(id);
  settle(nodes, properties);
  return nodes;
}

function deepKeys(nodes) {
  return [...nodes.values()].flatMap((node) => [node.key, ...(node.inside ? deepKeys(node.inside) : [])]);
}

/** States of resources that have no operation. */
function settle(nodes, properties) {
  const failed = JSON.stringify(properties.error || '').toLowerCase();
  const isOver = tone(properties.provisioningState) !== 'busy';
  for (const item of nodes.values()) {
    // What fails before its provider is asked has no operation: the error names it.
    if (failed.includes(`'${item.key}'`) || failed.includes(`"${item.key}"`)) item.state ||= 'Failed';
    item.state ||= properties.provisioningState === 'Succeeded' ? 'Succeeded' : isOver ? 'Not done' : 'Waiting';
  }
}

/** How many resources there are, and how many of each tone, without the boxes of nested deployments that are open. */
export function progress(nodes) {
  const counts = { all: 0, good: 0, bad: 0, busy: 0, idle: 0 };
  for (const node of nodes.values()) {
    if (node.inside?.size) {
      for (const [kind, count] of Object.entries(progress(node.inside))) counts[kind] += count;
    } else {
      counts.all += 1;
      counts[tone(node.state)] += 1;
    }
  }
  return counts;
}

// ---- layout

/** How many steps must come before each node. Cycles, which a valid template cannot have, end somewhere. */
function depths(nodes) {
  const depth = new Map();
  for (const start of nodes.keys()) {
    const stack = [[start, false]];
    while (stack.length) {
      const [key, done] = stack.pop();
      const needs = [...nodes.get(key).needs].filter((need) => nodes.has(need));
      if (done) depth.set(key, Math.max(0, ...needs.map((need) => (depth.get(need) ?? -1) + 1)));
      else if (!depth.has(key)) {
        depth.set(key, 0);
        stack.push([key, true], ...needs.filter((need) => !depth.has(need)).map((need) => [need, false]));
      }
    }
  }
  return depth;
}

/**
 * Gives every node its position and size relative to the graph it is in; the size of the graph goes out. Layers go from left
 * to right; with a `limit` to the width they go down.
 */
function layout(nodes, limit) {
  for (const node of nodes.values()) {
    const least = limit ? NARROW.box : BOX.width;
    const size = node.inside?.size ? layout(node.inside, limit && Math.max(least, limit - 2 * BOX.edge)) : null;
    node.width = size ? Math.max(least, size.width) : least;
    node.height = size ? BOX.head + size.height : BOX.height;
  }
  const depth = depths(nodes);
  const layers = [];
  for (const node of nodes.values()) (layers[depth.get(node.key)] ||= []).push(node);
  const order = new Map();
  for (const layer of layers) {
    const mean = ({ needs }) => {
      const rows = [...needs].map((need) => order.get(need)).filter((row) => row !== undefined);
      return rows.length ? rows.reduce((sum, row) => sum + row, 0) / rows.length : 0;
    };
    layer.sort((a, b) => mean(a) - mean(b) || a.key.localeCompare(b.key, 'en', { numeric: true }));
    layer.forEach((node, row) => order.set(node.key, row / layer.length));
  }
  return limit ? stack(layers.map((layer) => rows(layer, limit))) : place(layers.map(columns));
}

/** A layer as rows that are no wider than `limit`, if no box is. */
function rows(layer, limit) {
  const found = [];
  let used = Infinity;
  for (const node of layer) {
    if (used + node.width > limit) {
      found.push([]);
      used = 0;
    }
    found.at(-1).push(node);
    used += node.width + BOX.gapY;
  }
  return found;
}

/** Layers below each other. */
function stack(blocks) {
  const wide = (row) => row.reduce((sum, node) => sum + node.width + BOX.gapY, -BOX.gapY);
  const width = Math.max(NARROW.box, ...blocks.flat().map(wide));
  let y = BOX.edge;
  for (const block of blocks) {
    for (const row of block) {
      let x = BOX.edge + (width - wide(row)) / 2;
      for (const node of row) {
        Object.assign(node, { x, y });
        x += node.width + BOX.gapY;
      }
      y += Math.max(...row.map((node) => node.height)) + BOX.gapY;
    }
    y += NARROW.gap - BOX.gapY;
  }
  return { width: width + 2 * BOX.edge, height: y - NARROW.gap + BOX.edge };
}

/** A layer as columns of about the same height. */
function columns(layer) {
  const count = Math.max(1, Math.ceil(layer.length / Math.max(ROWS, Math.ceil(1.5 * Math.sqrt(layer.length)))));
  const rows = Math.ceil(layer.length / count);
  return Array.from({ length: count }, (_, index) => layer.slice(index * rows, (index + 1) * rows)).filter((column) => column.length);
}

function place(blocks) {
  const tall = (column) => column.reduce((sum, node) => sum + node.height + BOX.gapY, -BOX.gapY);
  const height = Math.max(0, ...blocks.flat().map(tall));
  let x = BOX.edge;
  for (const block of blocks) {
    for (const column of block) {
      let y = BOX.edge + (height > HIGH ? 0 : (height - tall(column)) / 2);
      for (const node of column) {
        Object.assign(node, { x, y });
        y += node.height + BOX.gapY;
      }
      x += Math.max(...column.map((node) => node.width)) + BOX.columnGap;
    }
    x += BOX.gapX - BOX.columnGap;
  }
  return { width: Math.max(BOX.width, x - BOX.gapX) + BOX.edge, height: height + 2 * BOX.edge };
}

// ---- drawing

function edge(from, to, isDown) {
  if (isDown) {
    const [x1, y1] = [from.x + from.width / 2, from.y + from.height];
    const [x2, y2] = [to.x + to.width / 2, to.y - 7];
    const bend = Math.max(16, (y2 - y1) / 2);
    return arrow(from, to, `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`);
  }
  const [x1, y1] = [from.x + from.width, from.y + from.height / 2];
  const [x2, y2] = [to.x - 7, to.y + to.height / 2];
  const bend = Math.max(24, (x2 - x1) / 2);
  return arrow(from, to, `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`);
}

const arrow = (from, to, d) => s('path', { class: 'edge', 'marker-end': 'url(#arrow)', 'data-from': from.key, 'data-to': to.key, d });

/** A long name on two lines; what still does not fit is left out in the middle, where names differ least. */
export function lines(text, length) {
  if (text.length <= length) return [text];
  const most = 2 * length - 1;
  const shown = text.length > most ? `${text.slice(0, length)}…${text.slice(text.length - (most - length - 1))}` : text;
  const breaks = [...shown.slice(0, length).matchAll(/[-_./]/g)].map((match) => match.index + 1);
  const at = breaks.filter((index) => shown.length - index <= length).pop() ?? length;
  return [shown.slice(0, at), shown.slice(at)];
}

/** A long type without its beginning: what it is stands at its end. */
const tail = (text, length) => (text.length <= length ? text : `…${text.slice(text.length - length + 1)}`);

function box(node, nodes, isDown) {
  const fits = isDown ? NARROW.fits : FITS;
  const kind = tone(node.state);
  const needs = [...node.needs].map((need) => nodes.get(need)?.name).filter(Boolean).join(', ');
  const label = `${node.name}, ${node.type}, ${node.state}${needs ? `, after ${needs}` : ''}`;
  const isOpen = node.inside?.size > 0;
  const [first, second] = lines(node.name, isOpen ? Math.floor((node.width - 40) / 9) : fits.name);
  const type = tail(node.type.replace(/^Microsoft\./, ''), fits.type);
  return s('g', { class: `node ${kind}${isOpen ? ' nest' : ''}`, role: 'treeitem', tabindex: '-1', 'aria-label': label, 'data-key': node.key,
    transform: `translate(${node.x} ${node.y})`, 'data-state': node.state },
    s('title', {}, `${node.id}\n${node.state}`),
    s('rect', { width: node.width, height: node.height, rx: 8 }),
    s('text', { class: 'mark', x: 12, y: 22 }, MARKS[kind]),
    s('text', { class: 'name', x: 32, y: 22 }, first),
    second && !isOpen ? s('text', { class: 'name', x: 32, y: 37 }, second) : null,
    isOpen ? null : s('text', { class: 'type', x: 32, y: second ? 52 : 40 }, type),
    isOpen ? null : s('text', { class: 'status', x: 32, y: second ? 67 : 60 }, node.state, took(node)),
    isOpen ? s('g', { transform: `translate(0 ${BOX.head})` }, content(node.inside, isDown)) : null);
}

/** How long a node took, or has taken so far. */
function took({ operation }) {
  if (!operation) return null;
  const { start, elapsed } = since(operation);
  return [' · ', s('tspan', { class: 'elapsed', 'data-since': start }, span(elapsed))];
}

function content(nodes, isDown) {
  // In the order in which they are read: arrow keys follow it.
  const all = [...nodes.values()].sort((a, b) => (isDown ? a.y - b.y || a.x - b.x : a.x - b.x || a.y - b.y));
  const edges = all.flatMap((node) => [...node.needs].filter((need) => nodes.has(need)).map((need) => edge(nodes.get(need), node, isDown)));
  return [...edges, ...all.map((node) => box(node, nodes, isDown))];
}

/** The picture with its controls. `view` keeps the zoom while the page lives; `chosen` is told which node was chosen. */
export function picture(nodes, view, chosen) {
  if (!nodes.size) return h('p', { class: 'hint' }, 'No resources yet.');
  const isDown = matchMedia('(max-width: 760px)').matches;
  const { width, height } = layout(nodes, isDown ? 2 * NARROW.box + BOX.gapY : null);
  const head = s('defs', {}, s('marker', { id: 'arrow', viewBox: '0 0 8 8', refX: 1, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto' },
    s('path', { d: 'M0 0L8 4L0 8z' })));
  const svg = s('svg', { viewBox: `0 0 ${width} ${height}`, role: 'tree', tabindex: '0', 'aria-label': 'Resources and what they wait for' },
    head, content(nodes, isDown));
  const isCrowded = svg.querySelectorAll('.edge').length > CROWDED;
  const frame = h('div', { class: isCrowded ? 'graph crowded' : 'graph', id: 'graph' }, svg);
  const zoomed = h('span', { class: 'zoom', 'aria-live': 'polite' });
  const fits = () => Math.min(1, Math.max(STEPS[0], (frame.clientWidth - 2) / width));
  const zoom = (shown) => {
    view.scale = shown;
    svg.setAttribute('width', String(Math.round(width * shown)));
    svg.setAttribute('height', String(Math.round(height * shown)));
    zoomed.textContent = `${Math.round(shown * 100)} %`;
  };
  const step = (direction) => {
    // A step that nobody would see is none.
    const larger = STEPS.filter((it) => it > view.scale * 1.05);
    const smaller = STEPS.filter((it) => it < view.scale / 1.05);
    zoom((direction > 0 ? larger[0] : smaller.pop()) ?? view.scale);
  };
  navigate(svg, nodes, chosen, step, () => zoom(fits()));
  // The size of the frame is known once it is on the page.
  requestAnimationFrame(() => {
    const isFirst = view.scale === undefined;
    // A phone shows its whole width: its boxes are made for that.
    zoom(view.scale ?? (isDown ? fits() : Math.max(READABLE, fits())));
    if (isFirst) reveal(frame, svg);
    else frame.scrollTo(view.left ?? 0, view.top ?? 0);
  });
  // The picture is drawn anew when something changes; it stays where the reader has moved it.
  frame.addEventListener('scroll', () => Object.assign(view, { left: frame.scrollLeft, top: frame.scrollTop }), { passive: true });
  const button = (label, text, onclick) => h('button', { class: 'quiet small', 'aria-label': label, onclick }, text);
  return h('div', {}, h('div', { class: 'choices' },
    button('Zoom out', '−', () => step(-1)), zoomed, button('Zoom in', '+', () => step(1)),
    button('Fit the picture to the page', 'Fit', () => zoom(fits())), button('Show in full size', '100 %', () => zoom(1)),
    h('span', { class: 'counts' }, `${deepKeys(nodes).length} resources`)), frame);
}

/** Moves a picture that is larger than its frame to what matters: a failure, else what is in progress, else where it begins. */
function reveal(frame, svg) {
  const node = svg.querySelector('.node.bad:not(.nest)') ?? svg.querySelector('.node.busy:not(.nest)') ?? svg.querySelector('.node');
  const [inner, outer] = [node.getBoundingClientRect(), frame.getBoundingClientRect()];
  const beyond = (start, size, from, room) => (start + size <= from + room ? 0 : start + size / 2 - from - room / 2);
  frame.scrollTo(frame.scrollLeft + beyond(inner.left, inner.width, outer.left, outer.width),
    frame.scrollTop + beyond(inner.top, inner.height, outer.top, outer.height));
}

/** Arrow keys go from node to node, plus and minus zoom, Enter and a click choose. */
function navigate(svg, nodes, chosen, step, fit) {
  const boxes = () => [...svg.querySelectorAll('.node')];
  const find = (all, key) => {
    for (const node of all.values()) {
      const found = node.key === key ? node : node.inside && find(node.inside, key);
      if (found) return found;
    }
    return null;
  };
  const choose = (element) => {
    if (!element) return;
    svg.querySelectorAll('.chosen').forEach((it) => it.classList.remove('chosen'));
    const key = element.dataset.key;
    element.classList.add('chosen');
    const near = [...svg.querySelectorAll('.edge')].filter((it) => it.dataset.from === key || it.dataset.to === key);
    near.forEach((it) => it.classList.add('chosen'));
    chosen(find(nodes, key));
  };
  svg.addEventListener('click', (event) => choose(event.target.closest('.node')));
  svg.addEventListener('wheel', (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    step(-event.deltaY);
  }, { passive: false });
  svg.addEventListener('keydown', (event) => {
    const all = boxes();
    const at = all.indexOf(document.activeElement);
    const go = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (go) all[Math.min(all.length - 1, Math.max(0, at + go))]?.focus();
    else if (event.key === 'Home') all[0]?.focus();
    else if (event.key === 'End') all.at(-1)?.focus();
    else if (event.key === 'Enter' || event.key === ' ') choose(all[at]);
    else if (event.key === '+' || event.key === '-') step(event.key === '+' ? 1 : -1);
    else if (event.key === '0') fit();
    else return;
    event.preventDefault();
  });
}
