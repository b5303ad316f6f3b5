// What is shown while nothing is chosen: what goes on, and what went wrong lately.

import { badge, card, elapsed, h, moment, scopeOf, table, times, tone } from './elements.js';

const LATELY = 10;

/** The state of all deployments at a glance. */
export function home(deployments) {
  if (!deployments.length) {
    return h('p', { class: 'hint' }, 'No deployments yet. Deploy something with `sinew deploy --endpoint ', location.origin, '`, the Azure CLI or an SDK.');
  }
  const of = (kind) => deployments.filter((item) => tone(item.provisioningState) === kind);
  const [busy, bad, good] = [of('busy'), of('bad'), of('good')];
  const tile = (kind, count, words) => h('li', { class: 'tile', 'data-tone': count ? kind : 'idle' }, h('strong', {}, String(count)), ' ', words);
  return h('div', {}, h('div', { class: 'title', id: 'title' }, h('h2', {}, 'Deployments')),
    h('ul', { class: 'tiles' }, tile('busy', busy.length, 'in progress'), tile('bad', bad.length, 'failed or canceled'), tile('good', good.length, 'succeeded')),
    part('In progress', busy, 'Nothing is in progress.'), part('Failed or canceled lately', bad.slice(0, LATELY), 'Nothing has failed.'));
}

function part(title, items, nothing) {
  const row = (item) => h('tr', {}, h('td', {}, badge(item.provisioningState)),
    h('td', {}, h('a', { href: `#${item.id}` }, scopeOf(item.id).name)), h('td', {}, scopeOf(item.id).short),
    h('td', { class: 'number' }, moment(times(item).start)), h('td', { class: 'number' }, elapsed(item)));
  return card(title, items.length ? table(['State', 'Deployment', 'Scope', 'Started', 'Took'], items.map(row)) : h('p', { class: 'hint' }, nothing));
}
