// Questions to the server: paths come in, parsed answers go out. The token is asked for when one is needed.

import { $ } from './elements.js';

export const VERSION = 'api-version=2025-04-01';
const PAGES = 20;

async function ask(path, options = {}) {
  const token = sessionStorage.getItem('token');
  const headers = { ...(options.headers || {}), ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  const response = await fetch(path, { ...options, headers });
  if (response.status === 401) await login();
  return response.status === 401 ? ask(path, options) : response;
}

/** The answer as JSON; an error of the server is thrown as it is. */
export async function get(path, options) {
  const response = await ask(path, options);
  const text = await response.text();
  const body = text ? JSON.parse(text) : {};
  if (!response.ok) throw body.error || { code: String(response.status), message: response.statusText };
  return body;
}

/** All entries of a list, page after page, up to a bound. */
export async function list(path) {
  const found = [];
  for (let next = path, page = 0; next && page < PAGES; page += 1) {
    const { value, nextLink } = await get(next);
    found.push(...value);
    next = nextLink ? nextLink.replace(/^https?:\/\/[^/]+/, '') : null;
  }
  return found;
}

export const send = (method, path, body) => get(path, {
  method, body, headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
});

/** The template of a deployment, or null when it was not kept. */
export async function exported(id) {
  try {
    return (await send('POST', `${id}/exportTemplate?${VERSION}`)).template;
  } catch {
    return null;
  }
}

/** Follows the changes of a deployment until `signal` ends it. */
export async function follow(id, signal, changed) {
  while (!signal.aborted) {
    try {
      const response = await ask(`/watch/events${id}`, { signal });
      const reader = response.ok ? response.body.getReader() : null;
      while (reader && !(await reader.read()).done) changed();
    } catch {
      // Broken off: asked again below.
    }
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

let asked = null;
/** Asks for the token, once for all requests that wait for it. */
function login() {
  if (asked) return asked;
  const dialog = $('login');
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
