// The browser of resource groups and the resources in them.

import { $, card, h, linkTo, parts, scopeOf, source, table, typeOf } from './elements.js';
import { problem } from './errors.js';
import { get, list, VERSION } from './server.js';

/** Shows groups, the resources of a group, or a resource, by the path behind `#/resources`. */
export async function openResources(path) {
  const isGroup = /^\/subscriptions\/[^/]+\/resourcegroups\/[^/]+$/i.test(path);
  const title = path ? path.split('/').pop() : 'Resource groups';
  document.title = `${title} · Sinew`;
  const up = path ? h('p', { class: 'back wide' }, h('a', { href: `#/resources${isGroup ? '' : groupOf(path)}` }, '‹ ', isGroup ? 'All groups' : groupOf(path).split('/').pop() || 'All groups')) : null;
  const holder = h('div', {}, h('p', { class: 'hint' }, 'Asking the server…'));
  $('detail').replaceChildren(...[up, h('div', { class: 'title', id: 'title' }, h('h2', {}, title)), holder].filter(Boolean));
  try {
    holder.replaceChildren(isGroup ? await group(path) : path ? await resource(path) : await groups());
  } catch (error) {
    holder.replaceChildren(problem(error));
  }
}

const groupOf = (path) => (/^\/subscriptions\/[^/]+\/resourcegroups\/[^/]+/i.exec(path) || [''])[0];

async function groups() {
  const subscriptions = await list(`/subscriptions?${VERSION}`);
  const found = (await Promise.all(subscriptions.map(({ id }) => list(`${id}/resourcegroups?${VERSION}`)))).flat();
  if (!found.length) return h('p', { class: 'hint' }, 'No resource groups yet.');
  return card('Groups', table(['Name', 'Region', 'Subscription', 'Tags'], found.map(({ id, name, location, tags }) => h('tr', {},
    h('td', {}, h('a', { href: `#/resources${id}` }, name)), h('td', {}, location || ''), h('td', {}, h('code', {}, id.split('/')[2])), h('td', {}, tagText(tags))))));
}

const tagText = (tags) => Object.entries(tags || {}).map(([name, value]) => `${name}: ${value}`).join(', ');

async function group(id) {
  const [resources, deployments] = await Promise.all([
    list(`/watch/resources${id}`), list(`${id}/providers/Microsoft.Resources/deployments?${VERSION}`)]);
  const filter = h('input', { id: 'resource-filter', type: 'search', autocomplete: 'off', placeholder: 'Name or type' });
  const rows = resources.map((item) => [`${item.name} ${item.type}`.toLowerCase(), h('tr', {},
    h('td', {}, h('a', { href: linkTo(item.id) }, item.name)), h('td', { class: 'main' }, h('code', {}, parts(item.type || typeOf(item.id)))),
    h('td', {}, item.location || ''), h('td', {}, tagText(item.tags)))]);
  filter.addEventListener('input', () => rows.forEach(([text, row]) => { row.hidden = !text.includes(filter.value.trim().toLowerCase()); }));
  return h('div', {},
    card(`Resources (${resources.length})`, h('div', { class: 'field' }, h('label', { for: 'resource-filter' }, 'Filter'), filter),
      rows.length ? table(['Name', 'Type', 'Region', 'Tags'], rows.map(([, row]) => row)) : h('p', { class: 'hint' }, 'No resources.')),
    card(`Deployments (${deployments.length})`, h('ul', { class: 'links' }, deployments.map((item) => h('li', {}, h('a', { href: `#${item.id}` }, scopeOf(item.id).name))))));
}

async function resource(id) {
  const [value, below] = await Promise.all([get(`${id}?${VERSION}`), list(`/watch/resources${id}`)]);
  const inside = below.map((item) => h('tr', {}, h('td', {}, h('a', { href: linkTo(item.id) }, item.name)), h('td', { class: 'main' }, h('code', {}, parts(typeOf(item.id))))));
  return h('div', {}, h('p', { class: 'where' }, h('code', {}, id)),
    inside.length ? card(`Inside (${inside.length})`, table(['Name', 'Type'], inside)) : null,
    source(JSON.stringify(value, null, 2), { label: 'Resource', tall: true }));
}
