// One deployment: it is asked for, followed while it runs, and shown in tabs.

import { $, badge, card, confirm, download, elapsed, h, isDeployment, linkTo, moment, parts, pretty, scopeOf, source, table, times, tone } from './elements.js';
import { problem } from './errors.js';
import { collect, picture, progress } from './graph.js';
import { exported, follow, get, list, send, VERSION } from './server.js';
import { whatIf } from './what_if.js';

const TABS = ['Overview', 'Graph', 'Operations', 'Template', 'What-if'];
const NESTED = 200;
const shown = { id: null, tab: 'Overview', deployment: null, operations: [], nested: new Map(), template: null, watching: null, isGoing: false, graph: {}, chosen: null };
let listChanged = () => {};

/** The id of the deployment that is open, if one is. */
export const openId = () => shown.id;

/** Shows a deployment; `changed` is called whenever something in it changed. */
export async function openDeployment(id, tab, changed) {
  listChanged = changed;
  shown.tab = TABS.includes(tab) ? tab : 'Overview';
  if (id !== shown.id) {
    closeDeployment();
    const watching = new AbortController();
    Object.assign(shown, { id, watching, isGoing: false, deployment: null, operations: [], nested: new Map(), template: null, graph: {}, chosen: null });
    follow(id, watching.signal, soon);
  }
  await refresh(true);
}

/** Stops following. */
export function closeDeployment() {
  shown.watching?.abort();
  shown.id = null;
}

let timer = 0;
/** Many changes at once are one refresh. */
function soon() {
  if (timer) return;
  timer = setTimeout(async () => {
    timer = 0;
    await Promise.all([refresh(false), listChanged()]);
  }, 100);
}

async function refresh(whole) {
  if (shown.isGoing) return;
  const id = shown.id;
  if (!id) return;
  try {
    const known = await load(id);
    const nested = await loadNested(known, shown.nested);
    if (id !== shown.id) return;
    const before = shown.deployment?.properties.provisioningState;
    const after = known.deployment.properties.provisioningState;
    if (before && before !== after) $('announce').textContent = `${known.deployment.name}: ${after}`;
    Object.assign(shown, known, { nested });
    if (known.deployment.properties.error && !shown.template) shown.template = await exported(id);
    if (id === shown.id) show(whole);
  } catch (error) {
    if (id === shown.id) $('detail').replaceChildren(back(), h('h2', {}, scopeOf(id).name), problem(error));
  }
}

async function load(id) {
  const [deployment, operations] = await Promise.all([get(`${id}?${VERSION}`), list(`${id}/operations?${VERSION}`)]);
  return { deployment, operations };
}

/** What is known of nested deployments, by id. Those that ended are not asked for again. */
async function loadNested(root, before) {
  const found = new Map();
  let level = [root];
  while (level.length && found.size < NESTED) {
    const ids = level.flatMap(({ operations }) => operations.map(({ properties }) => properties.targetResource?.id))
      .filter((id) => id && isDeployment(id) && !found.has(id.toLowerCase())).slice(0, NESTED - found.size);
    level = (await Promise.all(ids.map(async (id) => {
      const key = id.toLowerCase();
      const old = before.get(key);
      const known = old && tone(old.deployment.properties.provisioningState) !== 'busy' ? old : await load(id).catch(() => null);
      if (known) found.set(key, known);
      return known;
    }))).filter(Boolean);
  }
  return found;
}

// ---- the frame

const back = () => h('p', { class: 'back' }, h('a', { href: '#' }, '‹ All deployments'));

/** Shows the deployment. The what-if tab holds what the user typed: it is left alone unless all is drawn anew. */
function show(whole) {
  const { deployment, tab } = shown;
  const { name, where } = scopeOf(deployment.id);
  const nodes = collect(shown, shown.nested);
  const head = h('div', { class: 'title', id: 'title' }, h('h2', {}, name), badge(deployment.properties.provisioningState));
  const bar = progressBar(nodes);
  if (!whole && tab === 'What-if') {
    $('title')?.replaceWith(head);
    $('progress')?.replaceWith(bar);
    return;
  }
  const [focused, key] = [document.activeElement?.id, document.activeElement?.dataset?.key];
  const scroll = $('graph') && { left: $('graph').scrollLeft, top: $('graph').scrollTop };
  const panel = h('div', { role: 'tabpanel', id: 'panel', 'aria-labelledby': `tab-${tab}`, tabindex: '0' }, panels[tab](nodes));
  $('detail').replaceChildren(back(), head, h('p', { class: 'where' }, where), bar, actions(), tabs(), panel);
  document.title = `${name} · Sinew deployments`;
  if (focused) $(focused)?.focus({ preventScroll: true });
  if (key) $('detail').querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
  if (scroll && $('graph')) requestAnimationFrame(() => $('graph')?.scrollTo(scroll));
}

function progressBar(nodes) {
  const { all, good, bad, busy } = progress(nodes);
  const { properties } = shown.deployment;
  const words = [`${good} of ${all} resources done`, busy ? `${busy} in progress` : null, bad ? `${bad} failed` : null].filter(Boolean).join(', ');
  const part = (kind, count) => (count ? h('span', { class: `part ${kind}`, 'data-share': String(count) }) : null);
  const bar = h('div', { class: 'meter', role: 'progressbar', 'aria-valuemin': '0', 'aria-valuemax': String(all), 'aria-valuenow': String(good + bad), 'aria-label': words },
    part('good', good), part('bad', bad), part('busy', busy), part('idle', all - good - bad - busy));
  // The policy of the page forbids inline style attributes; properties set by a script are allowed.
  for (const element of bar.children) element.style.flexGrow = element.dataset.share;
  const { start } = times(properties);
  return h('div', { class: 'progress', id: 'progress' }, bar,
    h('p', { class: 'counts' }, words, start === null ? '' : [' · started ', moment(start)], ' · ', elapsed(properties)));
}

function actions() {
  const { deployment } = shown;
  const { id, properties } = deployment;
  const isBusy = tone(properties.provisioningState) === 'busy';
  const act = async (work) => {
    try {
      await work();
    } catch (error) {
      $('panel').prepend(card('It was refused', problem(error)));
    }
  };
  const cancel = () => act(async () => {
    if (await confirm('Cancel this deployment?', 'Resources that are done stay; the rest is not made.', 'Cancel the deployment')) {
      await send('POST', `${id}/cancel?${VERSION}`);
      await refresh(false);
    }
  });
  const remove = () => act(async () => {
    if (await confirm('Delete this deployment?', 'Its record goes; the resources it made stay.', 'Delete the record')) {
      // The server tells of the deletion at once: what is being deleted must not be asked for again.
      shown.isGoing = true;
      try {
        await send('DELETE', `${id}?${VERSION}`);
      } catch (error) {
        shown.isGoing = false;
        throw error;
      }
      closeDeployment();
      location.hash = '';
      await listChanged();
    }
  });
  const save = () => act(async () => download(`${deployment.name}.json`, JSON.stringify(await exported(id), null, 2)));
  return h('div', { class: 'choices actions' },
    isBusy ? h('button', { id: 'do-cancel', onclick: cancel }, 'Cancel') : null,
    isBusy ? null : h('button', { id: 'do-redeploy', class: 'quiet', onclick: () => go('What-if') }, 'Redeploy…'),
    h('button', { id: 'do-download', class: 'quiet', onclick: save }, 'Download template'),
    isBusy ? null : h('button', { id: 'do-delete', class: 'quiet', onclick: remove }, 'Delete…'));
}

function go(tab) {
  shown.tab = tab;
  history.replaceState(null, '', `#${shown.id}?${tab}`);
  show(true);
  $(`tab-${tab}`).focus();
}

function tabs() {
  const onkeydown = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) go(TABS[(TABS.indexOf(shown.tab) + step + TABS.length) % TABS.length]);
  };
  return h('div', { role: 'tablist', 'aria-label': 'Parts of the deployment', onkeydown }, TABS.map((tab) =>
    h('button', { role: 'tab', id: `tab-${tab}`, 'aria-selected': String(tab === shown.tab), 'aria-controls': 'panel',
      tabindex: tab === shown.tab ? '0' : '-1', onclick: () => go(tab) }, tab)));
}

const panels = {
  'Overview': overview,
  'Graph': (nodes) => h('div', {},
    picture(nodes, shown.graph, (node) => { shown.chosen = node; $('node-detail').replaceChildren(nodeDetail(node)); }),
    h('div', { id: 'node-detail', 'aria-live': 'polite' }, shown.chosen ? nodeDetail(shown.chosen) : h('p', { class: 'hint' }, 'Choose a resource to see more about it.'))),
  'Operations': () => operationsTable(shown.operations),
  'Template': templateText,
  'What-if': () => whatIf(shown.deployment, () => { go('Graph'); soon(); }),
};

// ---- the tabs

function overview() {
  const { properties, location: region, tags } = shown.deployment;
  const rows = [
    ['Started', moment(times(properties).start)], [tone(properties.provisioningState) === 'busy' ? 'Elapsed' : 'Took', elapsed(properties)], ['Mode', properties.mode],
    ['Region', region], ['Template hash', properties.templateHash], ['Correlation', properties.correlationId],
    ['Tags', tags && Object.entries(tags).map(([name, value]) => `${name}: ${value}`).join(', ')],
  ].filter(([, value]) => value);
  return h('div', {},
    properties.error ? card('What went wrong', problem(properties.error, shown.template)) : null,
    card('Summary', h('dl', { class: 'facts' }, rows.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))))),
    values('Outputs', properties.outputs), values('Parameters', properties.parameters));
}

function values(title, members) {
  const entries = Object.entries(members || {});
  if (!entries.length) return null;
  return card(title, table(['Name', 'Type', 'Value'], entries.map(([name, member]) => h('tr', {},
    h('td', {}, name), h('td', {}, member.type || ''),
    h('td', {}, 'value' in member ? h('code', {}, pretty(member.value)) : h('span', { class: 'secret' }, 'not shown'))))));
}

function nodeDetail(node) {
  const error = node.operation?.statusMessage?.error;
  const rows = [['State', badge(node.state)], ['Type', node.type],
    ['Started', node.operation && moment(times(node.operation).start)], ['Took', node.operation && elapsed(node.operation)]].filter(([, value]) => value);
  return card(node.name, h('dl', { class: 'facts' }, rows.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value)))),
    h('p', { class: 'where' }, h('a', { href: linkTo(node.id) }, isDeployment(node.id) ? 'Open this deployment' : 'Open this resource'), ' ', h('code', {}, node.id)),
    error ? problem(error, shown.template) : null);
}

function operationsTable(operations) {
  const rows = operations.flatMap(({ properties, operationId }) => {
    const target = properties.targetResource;
    const error = properties.statusMessage?.error;
    const name = target?.resourceName || target?.symbolicName || '';
    const row = h('tr', {},
      h('td', {}, badge(properties.provisioningState)),
      h('td', { class: 'main' }, target ? [target.id ? h('a', { href: linkTo(target.id) }, name) : h('strong', {}, name), h('br'), h('code', {}, parts(target.resourceType || ''))]
        : operationId),
      h('td', {}, properties.provisioningOperation || '', h('br'), properties.statusCode || ''),
      h('td', { class: 'number' }, moment(times(properties).start)), h('td', { class: 'number' }, elapsed(properties)));
    return error ? [row, h('tr', { class: 'more' }, h('td', { colspan: '5' }, problem(error, shown.template)))] : [row];
  });
  if (!rows.length) return h('p', { class: 'hint' }, 'No operations.');
  return card('Operations', table(['State', 'Resource', 'Operation', 'Started', 'Took'], rows));
}

function templateText() {
  const holder = h('div', {}, h('p', { class: 'hint' }, 'Asking the server…'));
  exported(shown.id).then((template) => {
    shown.template = template;
    holder.replaceChildren(template ? source(JSON.stringify(template, null, 2), { label: 'Template', tall: true })
      : h('p', { class: 'hint' }, 'The template of this deployment was not kept.'));
  });
  return holder;
}
