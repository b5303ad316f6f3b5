// The list of deployments of all scopes, with filters by name, state and scope.

import { $, badge, elapsed, h, moment, scopeOf, times, tone } from './elements.js';
import { home } from './home.js';
import { get } from './server.js';

let listed = [];
let isLoaded = false;
let drawn = '';

/** Asks for the list anew and shows it. `current` is the id of the deployment that is open. */
export async function refreshList(current) {
  try {
    listed = (await get('/watch/deployments')).value;
    isLoaded = true;
    connected('live');
  } catch {
    connected('lost');
  }
  showList(current);
}

function connected(state) {
  $('connection').textContent = state === 'live' ? 'Live' : 'Connection lost, trying again…';
  $('connection').dataset.state = state;
}

export function showList(current) {
  const wanted = $('search').value.trim().toLowerCase();
  const [state, scope] = [$('by-state').value, $('by-scope').value];
  // A nested deployment is part of another one, and shown there.
  const matches = (item) => `${item.id} ${item.provisioningState}`.toLowerCase().includes(wanted)
    && (!item.isNested || $('nested').checked)
    && (!state || tone(item.provisioningState) === state) && (!scope || scopeOf(item.id).short === scope);
  const found = listed.filter(matches);
  const isHome = document.body.dataset.view === 'list';
  // The list is drawn only when it changed: focus, scrolling and animations stay as they are.
  const key = JSON.stringify([found, current?.toLowerCase(), isHome, isLoaded]);
  if (key === drawn) return;
  drawn = key;
  const focused = document.activeElement?.closest?.('#deployments a')?.getAttribute('href');
  $('deployments').replaceChildren(...found.map((item) => entry(item, current)));
  if (focused) $('deployments').querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
  $('nothing').hidden = found.length > 0;
  $('nothing').textContent = listed.length ? 'No deployment matches.' : isLoaded ? 'No deployments yet.' : 'The server does not answer.';
  if (isHome) $('detail').replaceChildren(isLoaded ? home(listed.filter((item) => !item.isNested)) : h('p', { class: 'hint' }, 'The server does not answer. Trying again…'));
  showScopes();
  showCounts();
}

function entry(item, current) {
  const { name, short } = scopeOf(item.id);
  const isCurrent = current && item.id.toLowerCase() === current.toLowerCase();
  return h('li', {}, h('a', { href: `#${item.id}`, 'aria-current': isCurrent ? 'true' : null },
    h('span', { class: 'name' }, name), badge(item.provisioningState),
    h('span', { class: 'where' }, short, ' · ', moment(times(item).start), ' · ', elapsed(item))));
}

function showScopes() {
  const select = $('by-scope');
  const scopes = [...new Set(listed.map((item) => scopeOf(item.id).short))].sort();
  if (scopes.length === select.options.length - 1) return;
  const chosen = select.value;
  select.replaceChildren(h('option', { value: '' }, 'All'), ...scopes.map((scope) => h('option', { value: scope }, scope)));
  select.value = scopes.includes(chosen) ? chosen : '';
}

function showCounts() {
  const counted = listed.filter((item) => !item.isNested || $('nested').checked);
  const count = (kind) => counted.filter((item) => tone(item.provisioningState) === kind).length;
  const parts = [[count('busy'), 'in progress'], [count('bad'), 'failed or canceled'], [count('good'), 'succeeded']];
  $('counts').textContent = parts.filter(([number]) => number).map(([number, word]) => `${number} ${word}`.replaceAll(' ', '\u00a0')).join(' · ');
}
