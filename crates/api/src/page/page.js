// The page of `sinew serve`: what the API gives comes in, elements go out. Values of deployments become text nodes only.
'use strict';

const VERSION = 'api-version=2025-04-01';
const TABS = ['Overview', 'Graph', 'Operations', 'What-if'];
const SVG = 'http://www.w3.org/2000/svg';
const view = { id: null, tab: 'Overview', deployment: null, operations: [], template: null, listed: [], watching: null };

// ---- elements

const $ = (id) => document.getElementById(id);

function make(space, tag, attributes, children) {
  const element = space ? document.createElementNS(space, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}
const h = (tag, attributes = {}, ...children) => make(null, tag, attributes, children);
const s = (tag, attributes = {}, ...children) => make(SVG, tag, attributes, children);

function tone(state) {
  if (/^(succeeded|created|ready)$/i.test(state)) return 'good';
  if (/^(failed|canceled)$/i.test(state)) return 'bad';
  if (/^(running|accepted|creating|updating|deleting)$/i.test(state)) return 'busy';
  return 'idle';
}
const badge = (state) => h('span', { class: 'state', 'data-tone': tone(state) }, state || 'Waiting');
const card = (title, ...content) => h('section', { class: 'card' }, h('h3', {}, title), ...content);
const pretty = (value) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));

function table(head, rows) {
  return h('div', { class: 'scroll' }, h('table', {},
    h('thead', {}, h('tr', {}, head.map((name) => h('th', { scope: 'col' }, name)))),
    h('tbody', {}, rows)));
}

function time(text) {
  const date = new Date(text);
  return isNaN(date) ? '' : h('time', { datetime: text }, date.toLocaleString());
}

/** `PT1M2.5S` as people say it. */
function duration(text) {
  const parts = /^P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/.exec(text || '');
  if (!parts) return '';
  const [, days, hours, minutes, seconds] = parts.map((part) => Number(part || 0));
  const words = [[days, 'd'], [hours, 'h'], [minutes, 'min']].filter(([count]) => count).map(([count, unit]) => `${count} ${unit}`);
  if (seconds || !words.length) words.push(`${Number(seconds.toFixed(seconds < 1 ? 3 : 1))} s`);
  return words.join(' ');
}

/** The scope and the name in the id of a deployment. */
function place(id) {
  const at = id.toLowerCase().lastIndexOf('/providers/microsoft.resources/deployments/');
  const scope = id.slice(0, at).split('/');
  const name = id.slice(at + 43);
  if (scope.length === 5 && /^resourcegroups$/i.test(scope[3])) {
    return { name, short: scope[4], where: `Resource group ${scope[4]} in subscription ${scope[2]}` };
  }
  if (scope.length === 3) return { name, short: 'subscription', where: `Subscription ${scope[2]}` };
  return scope.length === 5 ? { name, short: scope[4], where: `Management group ${scope[4]}` } : { name, short: 'tenant', where: 'Tenant' };
}

// ---- the server

async function ask(path, options = {}) {
  const token = sessionStorage.getItem('token');
  const headers = { ...(options.headers || {}), ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  const response = await fetch(path, { ...options, headers });
  if (response.status === 401) await login();
  return response.status === 401 ? ask(path, options) : response;
}

async function get(path, options) {
  const response = await ask(path, options);
  const text = await response.text();
  const body = text ? JSON.parse(text) : {};
  if (!response.ok) throw body.error || { code: String(response.status), message: response.statusText };
  return body;
}

let asked = null;
/** Asks for the token, once for all requests that wait for it. */
function login() {
  const dialog = $('login');
  if (asked) return asked;
  $('login-error').textContent = sessionStorage.getItem('token') ? 'That is not the token of this server.' : '';
  dialog.oncancel = (event) => event.preventDefault();
  asked = new Promise((resolve) => {
    dialog.onclose = () => {
      sessionStorage.setItem('token', $('token').value);
      $('token').value = '';
      asked = null;
      resolve();
    };
  });
  dialog.showModal();
  return asked;
}

function connected(state) {
  $('connection').textContent = state === 'live' ? 'Live' : 'Connection lost, trying again…';
  $('connection').dataset.state = state;
}

// ---- the list

async function refreshList() {
  try {
    view.listed = (await get('/watch/deployments')).value;
    connected('live');
  } catch {
    connected('lost');
  }
  showList();
}

function showList() {
  const wanted = $('search').value.trim().toLowerCase();
  const found = view.listed.filter((item) => `${item.id} ${item.provisioningState}`.toLowerCase().includes(wanted));
  const rows = found.map((item) => {
    const { name, short } = place(item.id);
    const current = view.id && item.id.toLowerCase() === view.id.toLowerCase();
    return h('li', {}, h('a', { href: `#${item.id}`, 'aria-current': current ? 'true' : null },
      h('span', { class: 'name' }, name), badge(item.provisioningState),
      h('span', { class: 'where' }, short, item.timestamp ? ' · ' : '', time(item.timestamp))));
  });
  const focused = document.activeElement?.closest?.('#deployments a')?.getAttribute('href');
  $('deployments').replaceChildren(...rows);
  if (focused) $('deployments').querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
  $('nothing').hidden = rows.length > 0;
  $('nothing').textContent = view.listed.length ? 'No deployment matches.' : 'No deployments yet.';
}

// ---- one deployment

async function open() {
  const [id, tab] = decodeURIComponent(location.hash.slice(1)).split('?');
  const isNew = id !== view.id;
  view.tab = TABS.includes(tab) ? tab : 'Overview';
  if (!id) return;
  if (isNew) {
    Object.assign(view, { id, deployment: null, operations: [], template: null });
    watch(id);
    showList();
  }
  await refresh(true);
}

async function refresh(whole) {
  const id = view.id;
  if (!id) return;
  try {
    const [deployment, operations] = await Promise.all([get(`${id}?${VERSION}`), get(`${id}/operations?${VERSION}`)]);
    if (id !== view.id) return;
    const before = view.deployment?.properties.provisioningState;
    const after = deployment.properties.provisioningState;
    if (before && before !== after) $('announce').textContent = `${deployment.name}: ${after}`;
    Object.assign(view, { deployment, operations: operations.value });
    if (deployment.properties.error && !view.template) view.template = await exported(id);
    if (id === view.id) show(whole);
  } catch (error) {
    if (id === view.id) $('detail').replaceChildren(h('h2', {}, place(id).name), problem(error));
  }
}

async function exported(id) {
  try {
    return (await get(`${id}/exportTemplate?${VERSION}`, { method: 'POST' })).template;
  } catch {
    return null;
  }
}

/** Follows the changes of a deployment for as long as it is shown. */
async function watch(id) {
  view.watching?.abort();
  const watching = new AbortController();
  view.watching = watching;
  while (!watching.signal.aborted) {
    try {
      const response = await ask(`/watch/events${id}`, { signal: watching.signal });
      const reader = response.ok ? response.body.getReader() : null;
      while (reader && !(await reader.read()).done) soon();
    } catch {
      // Broken off: asked again below.
    }
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

let timer = 0;
/** Many changes at once are one refresh. */
function soon() {
  if (timer) return;
  timer = setTimeout(async () => {
    timer = 0;
    await Promise.all([refresh(false), refreshList()]);
  }, 100);
}

/** Shows the deployment. The what-if tab holds what the user typed: it is left alone unless all is drawn anew. */
function show(whole) {
  const { deployment, tab } = view;
  const { name, where } = place(deployment.id);
  const head = h('div', { class: 'title', id: 'title' }, h('h2', {}, name), badge(deployment.properties.provisioningState));
  if (!whole && tab === 'What-if') return void $('title')?.replaceWith(head);
  const focused = document.activeElement?.id;
  const panel = h('div', { role: 'tabpanel', id: 'panel', 'aria-labelledby': `tab-${tab}`, tabindex: '0' }, panels[tab]());
  $('detail').replaceChildren(head, h('p', { class: 'where' }, where), tabs(), panel);
  document.title = `${name} · Sinew deployments`;
  if (focused) $(focused)?.focus();
}

function tabs() {
  const go = (tab) => {
    view.tab = tab;
    history.replaceState(null, '', `#${view.id}?${tab}`);
    show(true);
    $(`tab-${tab}`).focus();
  };
  const onkeydown = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) go(TABS[(TABS.indexOf(view.tab) + step + TABS.length) % TABS.length]);
  };
  return h('div', { role: 'tablist', 'aria-label': 'Parts of the deployment', onkeydown }, TABS.map((tab) =>
    h('button', { role: 'tab', id: `tab-${tab}`, 'aria-selected': String(tab === view.tab), 'aria-controls': 'panel',
      tabindex: tab === view.tab ? '0' : '-1', onclick: () => go(tab) }, tab)));
}

const panels = { 'Overview': overview, 'Graph': graph, 'Operations': operations, 'What-if': whatIf };

// ---- overview

function overview() {
  const { properties, location: region, tags } = view.deployment;
  const facts = [
    ['Started', time(properties.timestamp)], ['Took', duration(properties.duration)], ['Mode', properties.mode],
    ['Region', region], ['Template hash', properties.templateHash], ['Correlation', properties.correlationId],
    ['Tags', tags && Object.entries(tags).map(([name, value]) => `${name}: ${value}`).join(', ')],
  ].filter(([, value]) => value);
  return h('div', {},
    properties.error ? card('What went wrong', problem(properties.error, view.template)) : null,
    card('Facts', h('dl', { class: 'facts' }, facts.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))))),
    values('Outputs', properties.outputs), values('Parameters', properties.parameters));
}

function values(title, members) {
  const entries = Object.entries(members || {});
  if (!entries.length) return null;
  return card(title, table(['Name', 'Type', 'Value'], entries.map(([name, member]) => h('tr', {},
    h('td', {}, name), h('td', {}, member.type || ''),
    h('td', {}, 'value' in member ? h('code', {}, pretty(member.value)) : h('span', { class: 'secret' }, 'not shown'))))));
}

// ---- errors

/** An error with those behind it, each with its place in the source. */
function problem(error, source) {
  if (error instanceof Error) error = { code: 'Failed', message: error.message };
  return h('div', { class: 'error' },
    h('p', {}, h('span', { class: 'code' }, error.code), error.target ? ` at ${error.target}` : ''),
    h('p', { class: 'message' }, error.message),
    (error.additionalInfo || []).map((addition) => where(addition, source)),
    (error.details || []).map((detail) => problem(detail, source)));
}

function where({ type, info }, source) {
  if (!info) return null;
  const line = info.lineNumber ?? info.line;
  const column = info.linePosition ?? info.column;
  const file = info.file || info.source || (type === 'TemplateViolation' ? 'template' : type);
  const position = [file, line || null, line && column ? column : null].filter(Boolean).join(':');
  return [h('p', { class: 'place' }, position, info.path ? `  ${info.path}` : ''), excerpt(info, source)];
}

/** The lines of a text around a place, or the part of a template at a path. */
function excerpt(info, source) {
  const line = info.lineNumber ?? info.line;
  let lines, first, here;
  if (typeof source === 'string' && line) {
    first = Math.max(1, line - 3);
    lines = source.split('\n').slice(first - 1, line + 3);
    here = line;
  } else {
    const part = source && typeof source === 'object' && info.path ? follow(source, info.path) : undefined;
    if (part === undefined) return null;
    [lines, first] = [JSON.stringify(part, null, 2).split('\n').slice(0, 40), 1];
  }
  return h('pre', { class: 'excerpt', tabindex: '0', 'aria-label': 'Source' }, lines.map((text, index) =>
    h('span', { class: first + index === here ? 'line here' : 'line', 'data-number': String(first + index) }, `${text}\n`)));
}

function follow(template, path) {
  const steps = path.replace(/^properties\.template\.?/, '').match(/[^.[\]']+/g) || [];
  return steps.reduce((value, step) => (value === undefined || value === null ? undefined : value[step]), template);
}

// ---- operations

function operations() {
  const rows = view.operations.map(({ properties, operationId }) => {
    const target = properties.targetResource;
    const error = properties.statusMessage?.error;
    return h('tr', {},
      h('td', {}, badge(properties.provisioningState)),
      h('td', {}, target ? [h('strong', {}, target.resourceName || target.symbolicName || ''), h('br'), h('code', {}, target.resourceType || '')]
        : properties.provisioningOperation || operationId, error ? problem(error, view.template) : null),
      h('td', {}, properties.provisioningOperation || ''), h('td', {}, properties.statusCode || ''),
      h('td', { class: 'number' }, duration(properties.duration)), h('td', { class: 'number' }, time(properties.timestamp)));
  });
  if (!rows.length) return h('p', { class: 'hint' }, 'No operations.');
  return card('Operations', table(['State', 'Resource', 'Operation', 'Status', 'Took', 'When'], rows));
}

// ---- the graph

/** The resources of the deployment with what they wait for, and their states. */
function resources() {
  const nodes = new Map();
  const node = (id, type, name) => {
    const key = id.toLowerCase();
    if (!nodes.has(key)) nodes.set(key, { key, id, type: type || typeOf(id), name: name || id.split('/').pop(), state: '', needs: new Set() });
    return nodes.get(key);
  };
  const { properties } = view.deployment;
  for (const item of properties.dependencies || []) {
    const from = node(item.id, item.resourceType, item.resourceName);
    for (const other of item.dependsOn || []) from.needs.add(node(other.id, other.resourceType, other.resourceName).key);
  }
  for (const { properties: operation } of view.operations) {
    const target = operation.targetResource;
    const id = target && (target.id || target.symbolicName);
    if (id) node(id, target.resourceType, target.resourceName || target.symbolicName).state = operation.provisioningState;
  }
  const failed = JSON.stringify(properties.error || '').toLowerCase();
  const isOver = tone(properties.provisioningState) !== 'busy';
  for (const { id } of properties.outputResources || []) if (id) node(id);
  for (const item of nodes.values()) {
    // What fails before its provider is asked has no operation: the error names it.
    if (failed.includes(`'${item.key}'`) || failed.includes(`"${item.key}"`)) item.state ||= 'Failed';
    item.state ||= properties.provisioningState === 'Succeeded' ? 'Succeeded' : isOver ? 'Not done' : 'Waiting';
  }
  return nodes;
}

function typeOf(id) {
  const parts = id.split('/providers/').pop().split('/');
  return [parts[0], ...parts.slice(1).filter((_, index) => index % 2 === 0)].join('/');
}

/** How many steps must come before each node; circles, which cannot be, end somewhere. */
function depths(nodes) {
  const depth = new Map();
  for (const start of nodes.keys()) {
    const way = [[start, false]];
    while (way.length) {
      const [key, done] = way.pop();
      if (done) {
        depth.set(key, Math.max(0, ...[...nodes.get(key).needs].map((need) => (depth.get(need) ?? -1) + 1)));
      } else if (!depth.has(key)) {
        depth.set(key, 0);
        way.push([key, true], ...[...nodes.get(key).needs].filter((need) => !depth.has(need)).map((need) => [need, false]));
      }
    }
  }
  return depth;
}

/** Columns of nodes by depth. A line that passes a column has a place in it, so that it does not run behind a box. */
function columnsOf(nodes) {
  const depth = depths(nodes);
  const columns = [];
  const lines = [];
  const put = (column, entry) => ((columns[column] ||= []).push(entry), entry);
  const entries = new Map([...nodes.keys()].map((key) => [key, put(depth.get(key), { key, from: [] })]));
  for (const node of nodes.values()) {
    for (const need of node.needs) {
      const line = [entries.get(need)];
      for (let column = depth.get(need) + 1; column < depth.get(node.key); column += 1) {
        line.push(put(column, { key: `${need} ${node.key}`, from: [line.at(-1)], passes: true }));
      }
      line.push(entries.get(node.key));
      entries.get(node.key).from.push(line.at(-2));
      lines.push(line);
    }
  }
  for (const column of columns) {
    const mean = ({ from }) => (from.length ? from.reduce((sum, entry) => sum + entry.row, 0) / from.length : 0);
    column.sort((a, b) => mean(a) - mean(b) || a.key.localeCompare(b.key));
    column.forEach((entry, row) => { entry.row = row; });
  }
  return { columns, lines };
}

const BOX = { width: 256, height: 58, gapX: 84, gapY: 22, edge: 24, passing: 14 };

/** Gives each entry its place, and says how large the picture is. */
function arrange(columns) {
  const tall = (entry) => (entry.passes ? BOX.passing : BOX.height);
  const heights = columns.map((column) => column.reduce((sum, entry) => sum + tall(entry) + BOX.gapY, -BOX.gapY));
  const tallest = Math.max(...heights);
  columns.forEach((column, index) => {
    let y = BOX.edge + (tallest - heights[index]) / 2;
    for (const entry of column) {
      Object.assign(entry, { x: BOX.edge + index * (BOX.width + BOX.gapX), y, middle: y + tall(entry) / 2 });
      y += tall(entry) + BOX.gapY;
    }
  });
  return [2 * BOX.edge + columns.length * (BOX.width + BOX.gapX) - BOX.gapX, 2 * BOX.edge + tallest];
}

function curve(line) {
  const parts = line.slice(1).map((to, index) => {
    const from = line[index];
    const [x1, x2] = [from.x + BOX.width, to.passes ? to.x : to.x - 7];
    const bend = (x2 - x1) / 2;
    const start = index === 0 ? `M${x1} ${from.middle}` : `L${x1} ${from.middle}`;
    return `${start}C${x1 + bend} ${from.middle} ${x2 - bend} ${to.middle} ${x2} ${to.middle}`;
  });
  return s('path', { class: 'edge', 'marker-end': 'url(#arrow)', d: parts.join('') });
}

function box(node, { x, y }, nodes) {
  const short = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);
  const kind = tone(node.state);
  const mark = { good: '✓', bad: '✕', busy: '●', idle: '○' }[kind];
  const needs = [...node.needs].map((need) => nodes.get(need).name).join(', ');
  const label = `${node.name}, ${node.type}, ${node.state}${needs ? `, after ${needs}` : ''}`;
  return s('g', { class: `node ${kind}`, role: 'listitem', tabindex: '0', 'aria-label': label, transform: `translate(${x} ${y})`, 'data-state': node.state },
    s('title', {}, `${node.id}\n${node.state}`),
    s('rect', { width: BOX.width, height: BOX.height, rx: 8 }),
    s('text', { class: 'mark', x: 12, y: 25 }, mark), s('text', { class: 'name', x: 32, y: 25 }, short(node.name, 27)),
    s('text', { class: 'type', x: 32, y: 44 }, short(node.type, 35)));
}

function graph() {
  const nodes = resources();
  if (!nodes.size) return h('p', { class: 'hint' }, 'No resources yet.');
  const { columns, lines } = columnsOf(nodes);
  const [width, height] = arrange(columns);
  const arrow = s('defs', {}, s('marker', { id: 'arrow', viewBox: '0 0 8 8', refX: 1, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto' },
    s('path', { d: 'M0 0L8 4L0 8z' })));
  const boxes = columns.flat().filter((entry) => !entry.passes).map((entry) => box(nodes.get(entry.key), entry, nodes));
  const picture = s('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'list', 'aria-label': 'Resources and what they wait for' },
    arrow, lines.map(curve), boxes);
  return h('div', {}, h('div', { class: 'graph' }, picture),
    h('div', { class: 'legend', 'aria-hidden': 'true' }, badge('Waiting'), badge('Running'), badge('Succeeded'), badge('Failed')));
}

// ---- what-if

function whatIf() {
  const template = h('textarea', { id: 'wi-template', spellcheck: 'false' });
  const parameters = h('textarea', { id: 'wi-parameters', spellcheck: 'false' });
  const complete = h('input', { type: 'checkbox', id: 'wi-complete' });
  const all = h('input', { type: 'checkbox', id: 'wi-all' });
  const result = h('div', { id: 'wi-result', 'aria-live': 'polite' });
  const button = h('button', { id: 'wi-run', onclick: run }, 'Show what would change');
  let last = null;
  all.addEventListener('change', () => last && result.replaceChildren(changes(last, all.checked)));
  exported(view.id).then((value) => { template.value = value ? JSON.stringify(value, null, 2) : ''; });
  const given = Object.entries(view.deployment.properties.parameters || {}).filter(([, member]) => 'value' in member);
  parameters.value = JSON.stringify(Object.fromEntries(given.map(([name, member]) => [name, { value: member.value }])), null, 2);

  async function run() {
    button.disabled = true;
    result.replaceChildren(h('p', { class: 'hint' }, 'Comparing…'));
    const mode = complete.checked ? 'Complete' : 'Incremental';
    const region = view.deployment.location ? `,"location":${JSON.stringify(view.deployment.location)}` : '';
    // The text goes as it stands, so that the lines of errors are those of the editor.
    const body = `{"properties":{"mode":"${mode}","template":${template.value || '{}'}\n,"parameters":${parameters.value || '{}'}\n}${region}}`;
    try {
      last = await get(`${view.id}/whatIf?${VERSION}`, { method: 'POST', body, headers: { 'Content-Type': 'application/json' } });
      if (last.error) throw last.error;
      result.replaceChildren(changes(last, all.checked));
    } catch (error) {
      last = null;
      result.replaceChildren(card('It cannot be compared', problem(error, template.value)));
    }
    button.disabled = false;
  }
  return h('div', {},
    h('div', { class: 'editors' },
      h('div', { class: 'field' }, h('label', { for: 'wi-template' }, 'Template'), template),
      h('div', { class: 'field' }, h('label', { for: 'wi-parameters' }, 'Parameters'), parameters)),
    h('div', { class: 'choices' }, button, h('label', { for: 'wi-complete' }, complete, 'Complete mode'),
      h('label', { for: 'wi-all' }, all, 'Also what stays as it is')), result);
}

const KINDS = {
  Create: ['good', '+'], Delete: ['bad', '−'], Modify: ['busy', '~'], Deploy: ['busy', '!'], Unsupported: ['idle', '?'],
  NoChange: ['idle', '='], Ignore: ['idle', '*'],
};

function changes(result, all) {
  const found = result.properties?.changes || result.changes || [];
  const quiet = (change) => change.changeType === 'NoChange' || change.changeType === 'Ignore';
  const counts = Object.keys(KINDS).map((kind) => [kind, found.filter((change) => change.changeType === kind).length]).filter(([, count]) => count);
  const shown = found.filter((change) => all || !quiet(change));
  const summary = counts.length ? counts.map(([kind, count]) => `${count} ${kind}`).join(', ') : 'No resources';
  return h('div', {}, h('p', { id: 'wi-summary' }, h('strong', {}, summary)), h('br'),
    shown.length ? shown.map(change) : h('p', { class: 'hint' }, 'Nothing would change.'));
}

function change(item) {
  const [kind, mark] = KINDS[item.changeType] || ['idle', '?'];
  const lines = item.changeType === 'Modify' ? delta(item.delta || [], '') : whole(item);
  return h('details', { class: `change ${kind}`, open: lines.length > 0 },
    h('summary', {}, h('span', { class: 'kind' }, `${mark} ${item.changeType}`), h('span', { class: 'id' }, item.resourceId || item.symbolicName || '')),
    item.unsupportedReason ? h('p', {}, item.unsupportedReason) : null, h('div', { class: 'diff' }, lines));
}

const signed = (sign, value) => pretty(value).split('\n').map((text) =>
  h('div', { class: sign === '+' ? 'add' : 'del' }, h('span', { class: 'unseen' }, sign === '+' ? 'added ' : 'removed '), `${sign} ${text}`));

function whole({ changeType, before, after }) {
  if (changeType === 'Create' && after) return signed('+', after);
  return changeType === 'Delete' && before ? signed('-', before) : [];
}

function delta(items, path) {
  return items.flatMap((item) => {
    const here = path ? (/^\d+$/.test(item.path) ? `${path}[${item.path}]` : `${path}.${item.path}`) : item.path;
    if (item.children?.length) return delta(item.children, here);
    if (item.propertyChangeType === 'NoEffect') return [];
    return [h('div', { class: 'path' }, here),
      item.before !== undefined && item.before !== null ? signed('-', item.before) : [],
      item.after !== undefined && item.after !== null ? signed('+', item.after) : []].flat();
  });
}

// ---- start

$('search').addEventListener('input', showList);
addEventListener('hashchange', open);
refreshList().then(open);
setInterval(refreshList, 5000);
