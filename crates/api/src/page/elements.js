// What every part of the page is built from: elements, states, times, identifiers. Values become text nodes only, so
// that nothing a deployment holds can become markup.

const SVG = 'http://www.w3.org/2000/svg';
export const $ = (id) => document.getElementById(id);

function make(space, tag, attributes, children) {
  const element = space ? document.createElementNS(space, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ''));
  return element;
}
export const h = (tag, attributes = {}, ...children) => make(null, tag, attributes, children);
export const s = (tag, attributes = {}, ...children) => make(SVG, tag, attributes, children);

export const card = (title, ...content) => h('section', { class: 'card' }, h('h3', {}, title), ...content);
export const pretty = (value) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));

export function table(head, rows) {
  // A narrow page shows cells below each other, each with the name of its column.
  for (const row of rows) [...row.cells].filter((cell) => cell.colSpan === 1).forEach((cell, index) => { cell.dataset.label = head[index]; });
  return h('div', { class: 'scroll' }, h('table', {},
    h('thead', {}, h('tr', {}, head.map((name) => h('th', { scope: 'col' }, name)))),
    h('tbody', {}, rows)));
}

/** A path that is broken behind its slashes where it does not fit. */
export const parts = (path) => path.split('/').flatMap((part, index) => (index ? ['/', h('wbr'), part] : [part]));

/** A text as lines with numbers; `here` is the one to look at. */
export function source(text, { first = 1, here = null, label = 'Source', tall = false } = {}) {
  const lines = text.split('\n').map((line, index) => {
    const number = first + index;
    return h('span', { class: number === here ? 'line here' : 'line', 'data-number': String(number) }, `${line}\n`);
  });
  return h('pre', { class: tall ? 'excerpt tall' : 'excerpt', tabindex: '0', 'aria-label': label }, lines);
}

/** Saves a text as a file, without the server. */
export function download(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = h('a', { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** Asks before something is done that cannot be taken back. */
export function confirm(title, text, action) {
  $('confirm-title').textContent = title;
  $('confirm-text').textContent = text;
  $('confirm-yes').textContent = action;
  const before = document.activeElement?.id;
  return new Promise((resolve) => {
    $('confirm').onclose = () => {
      // The button may have been drawn anew meanwhile: then the browser cannot give the focus back by itself.
      if (before) $(before)?.focus();
      resolve($('confirm').returnValue === 'yes');
    };
    $('confirm').returnValue = 'no';
    $('confirm').showModal();
    $('confirm-no').focus();
  });
}

// ---- states

export function tone(state) {
  if (/^(succeeded|created|ready)$/i.test(state)) return 'good';
  if (/^(failed|canceled)$/i.test(state)) return 'bad';
  if (/^(running|accepted|creating|updating|deleting|canceling)$/i.test(state)) return 'busy';
  return 'idle';
}
export const MARKS = { good: '✓', bad: '✕', busy: '●', idle: '○' };
export const badge = (state) => h('span', { class: 'state', 'data-tone': tone(state) }, state || 'Waiting');

// ---- times

/** `PT1M2.5S` in milliseconds. */
export function milliseconds(text) {
  const parts = /^P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/.exec(text || '');
  if (!parts) return null;
  const [, days, hours, minutes, seconds] = parts.map((part) => Number(part || 0));
  return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000;
}

/** A span of time as people say it, never broken between number and unit. */
export const span = (count) => words(count).replaceAll(' ', '\u00a0');

function words(count) {
  if (count === null || !Number.isFinite(count)) return '';
  const seconds = Math.max(0, count) / 1000;
  if (seconds < 60) return `${Number(seconds.toFixed(seconds < 1 ? 3 : 1))} s`;
  const [minutes, rest] = [Math.floor(seconds / 60), Math.floor(seconds % 60)];
  if (minutes < 60) return `${minutes} min ${rest} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** When something that was last heard of at `timestamp`, after `duration`, began; and how long it took or has taken. */
export function times({ timestamp, duration, provisioningState }) {
  const heard = Date.parse(timestamp);
  const took = milliseconds(duration);
  if (Number.isNaN(heard)) return { start: null, elapsed: took };
  const start = heard - (took ?? 0);
  return { start, elapsed: tone(provisioningState) === 'busy' ? Date.now() - start : took };
}

function relative(date) {
  const seconds = Math.round((date - Date.now()) / 1000);
  const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  for (const [unit, size] of [['day', 86400], ['hour', 3600], ['minute', 60]]) {
    if (Math.abs(seconds) >= size) return words.format(Math.trunc(seconds / size), unit);
  }
  return Math.abs(seconds) < 5 ? 'just now' : words.format(seconds, 'second');
}

/** A moment in words relative to now; the date is in its title. */
export function moment(value) {
  const date = new Date(value);
  if (value === null || value === undefined || Number.isNaN(date.getTime())) return '';
  const element = h('time', { datetime: date.toISOString(), title: date.toLocaleString() });
  element.textContent = relative(date.getTime());
  return element;
}

/** How long something took or has taken; when it began, if it goes on. */
export function since(properties) {
  const { start, elapsed } = times(properties);
  return { elapsed, start: tone(properties.provisioningState) === 'busy' && start !== null ? String(start) : null };
}

/** The elapsed time of something in progress counts on by itself. */
export function elapsed(properties) {
  const { start, elapsed: took } = since(properties);
  return h('span', { class: 'elapsed', 'data-since': start }, span(took));
}

/** Brings all times that are shown up to now. */
export function tick() {
  for (const element of document.querySelectorAll('.elapsed[data-since]')) {
    element.textContent = span(Date.now() - Number(element.dataset.since));
  }
  for (const element of document.querySelectorAll('time')) element.textContent = relative(Date.parse(element.dateTime));
}

// ---- identifiers

const DEPLOYMENTS = '/providers/microsoft.resources/deployments/';

/** The scope and the name in the id of a deployment. */
export function scopeOf(id) {
  const at = id.toLowerCase().lastIndexOf(DEPLOYMENTS);
  const scope = id.slice(0, Math.max(at, 0)).split('/');
  const name = at < 0 ? id.split('/').pop() : id.slice(at + DEPLOYMENTS.length);
  if (scope.length === 5 && /^resourcegroups$/i.test(scope[3])) {
    return { name, short: scope[4], where: `Resource group ${scope[4]} in subscription ${scope[2]}` };
  }
  if (scope.length === 3) return { name, short: 'Subscription', where: `Subscription ${scope[2]}` };
  return scope.length === 5 ? { name, short: scope[4], where: `Management group ${scope[4]}` } : { name, short: 'Tenant', where: 'Tenant' };
}

export const isDeployment = (id) => id.toLowerCase().lastIndexOf(DEPLOYMENTS) === id.toLowerCase().lastIndexOf('/providers/')
  && id.toLowerCase().includes(DEPLOYMENTS);

/** The type in the id of a resource. */
export function typeOf(id) {
  const parts = id.split('/providers/').pop().split('/');
  return [parts[0], ...parts.slice(1).filter((_, index) => index % 2 === 0)].join('/');
}

/** Where the page shows a resource or a deployment. */
export const linkTo = (id) => (isDeployment(id) ? `#${id}` : `#/resources${id}`);
