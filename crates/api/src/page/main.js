// The page of `sinew serve`: the address decides what is shown.
//   #                   the list of deployments
//   #ID?Tab             a deployment
//   #/resources[ID]     resource groups, a group, a resource

import { $, tick } from './elements.js';
import { closeDeployment, openDeployment, openId } from './deployment.js';
import { refreshList, showList } from './list.js';
import { openResources } from './resources.js';

const refresh = () => refreshList(openId());

async function route() {
  const [path, tab] = decodeURIComponent(location.hash.slice(1)).split('?');
  const isResources = path.startsWith('/resources');
  document.body.dataset.view = isResources ? 'resources' : path ? 'deployment' : 'list';
  $('view-deployments').setAttribute('aria-current', isResources ? 'false' : 'page');
  $('view-resources').setAttribute('aria-current', isResources ? 'page' : 'false');
  if (isResources || !path) closeDeployment();
  if (isResources) return openResources(path.slice('/resources'.length));
  if (path) {
    const opened = openDeployment(path, tab, refresh);
    showList(openId());
    return opened;
  }
  document.title = 'Sinew deployments';
  return showList(null);
}

for (const [id, event] of [['search', 'input'], ['by-state', 'change'], ['by-scope', 'change'], ['nested', 'change']]) {
  $(id).addEventListener(event, () => showList(openId()));
}
addEventListener('keydown', (event) => {
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName || '');
  if (event.key === '/' && !isTyping) {
    event.preventDefault();
    $('search').focus();
  }
});
addEventListener('hashchange', route);
refresh().then(route);
setInterval(refresh, 5000);
setInterval(tick, 1000);
