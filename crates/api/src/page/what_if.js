// The editor of a deployment: its template and parameters, what deploying them would change, and deploying them.

import { card, h, pretty } from './elements.js';
import { problem } from './errors.js';
import { exported, send, VERSION } from './server.js';

/** The editor for a deployment. `deployed` is called after it has been deployed again. */
export function whatIf(deployment, deployed) {
  const template = h('textarea', { id: 'wi-template', spellcheck: 'false' });
  const parameters = h('textarea', { id: 'wi-parameters', spellcheck: 'false' });
  const complete = h('input', { type: 'checkbox', id: 'wi-complete' });
  const all = h('input', { type: 'checkbox', id: 'wi-all' });
  const result = h('div', { id: 'wi-result', 'aria-live': 'polite' });
  const compare = h('button', { id: 'wi-run', onclick: () => run(showChanges) }, 'Show what would change');
  const deploy = h('button', { id: 'wi-deploy', class: 'quiet', onclick: () => run(deployAgain) }, 'Deploy this');
  let last = null;
  all.addEventListener('change', () => last && result.replaceChildren(changes(last, all.checked)));
  exported(deployment.id).then((value) => { template.value = value ? JSON.stringify(value, null, 2) : ''; });
  const given = Object.entries(deployment.properties.parameters || {});
  const secret = given.filter(([, member]) => !('value' in member) && !('reference' in member)).map(([name]) => name);
  parameters.value = JSON.stringify(Object.fromEntries(given.map(([name, member]) => [name,
    'reference' in member ? { reference: member.reference } : { value: 'value' in member ? member.value : '' }])), null, 2);

  // The text goes as it stands, so that the lines of errors are those of the editor.
  const body = () => {
    const mode = complete.checked ? 'Complete' : 'Incremental';
    const region = deployment.location ? `,"location":${JSON.stringify(deployment.location)}` : '';
    return `{"properties":{"mode":"${mode}","template":${template.value || '{}'}\n,"parameters":${parameters.value || '{}'}\n}${region}}`;
  };
  async function showChanges() {
    last = await send('POST', `${deployment.id}/whatIf?${VERSION}`, body());
    if (last.error) throw last.error;
    result.replaceChildren(changes(last, all.checked));
  }
  async function deployAgain() {
    await send('PUT', `${deployment.id}?${VERSION}`, body());
    deployed();
  }
  async function run(work) {
    [compare.disabled, deploy.disabled, last] = [true, true, null];
    result.replaceChildren(h('p', { class: 'hint' }, 'Asking the server…'));
    try {
      await work();
    } catch (error) {
      result.replaceChildren(card('The server refused it', problem(error, template.value)));
    }
    [compare.disabled, deploy.disabled] = [false, false];
  }
  const note = secret.length ? h('p', { class: 'hint' }, `Secure values are not kept: fill in ${secret.join(', ')} first.`) : null;
  return h('div', {}, note,
    h('div', { class: 'editors' },
      h('div', { class: 'field' }, h('label', { for: 'wi-template' }, 'Template'), template),
      h('div', { class: 'field' }, h('label', { for: 'wi-parameters' }, 'Parameters'), parameters)),
    h('div', { class: 'choices' }, compare, deploy, h('label', { for: 'wi-complete' }, complete, 'Complete mode'),
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
  const rows = item.changeType === 'Modify' ? delta(item.delta || [], '') : whole(item);
  return h('details', { class: `change ${kind}`, open: rows.length > 0 },
    h('summary', {}, h('span', { class: 'kind' }, `${mark} ${item.changeType}`), h('span', { class: 'id' }, item.resourceId || item.symbolicName || '')),
    item.unsupportedReason ? h('p', {}, item.unsupportedReason) : null, h('div', { class: 'diff' }, rows));
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
