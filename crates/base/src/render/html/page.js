(() => {
  'use strict';
  const findings = [...document.querySelectorAll('article.finding')];
  const byRule = document.getElementById('by-rule');
  const byFile = document.getElementById('by-file');
  const form = document.querySelector('form');
  const search = document.getElementById('filter');
  const shown = document.getElementById('shown');
  // Where each finding stands when findings are grouped by rule.
  const homes = findings.map((finding) => finding.parentElement);
  const texts = new Map();

  const textOf = (finding) => {
    if (!texts.has(finding)) {
      texts.set(finding, `${finding.textContent} ${finding.dataset.file}`.toLowerCase());
    }
    return texts.get(finding);
  };

  const element = (tag, className, text) => {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text) made.textContent = text;
    return made;
  };

  const fileGroup = (file) => {
    const group = element('section', 'group');
    const details = element('details');
    details.open = true;
    const summary = element('summary');
    summary.append(element('h2', '', file), element('span', 'count'));
    details.append(summary);
    group.append(details);
    byFile.append(group);
    return details;
  };

  const groupByFile = () => {
    const groups = new Map();
    for (const finding of [...findings].sort((a, b) => a.dataset.order - b.dataset.order)) {
      const file = finding.dataset.file;
      if (!groups.has(file)) groups.set(file, fileGroup(file));
      groups.get(file).append(finding);
    }
  };

  const regroup = () => {
    const files = form.elements.group.value === 'file';
    byFile.replaceChildren();
    if (files) groupByFile();
    else findings.forEach((finding, at) => homes[at].append(finding));
    byRule.hidden = files;
    byFile.hidden = !files;
  };

  const counted = (count) => (count === 1 ? '1 finding' : `${count} findings`);

  const refresh = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const severities = new Set([...form.querySelectorAll('[name=severity]:checked')].map((box) => box.value));
    let visible = 0;
    for (const finding of findings) {
      const fits = severities.has(finding.dataset.severity) && words.every((word) => textOf(finding).includes(word));
      finding.hidden = !fits;
      visible += fits;
    }
    for (const part of document.querySelectorAll('.group, .file')) {
      const inside = part.querySelectorAll('article.finding:not([hidden])').length;
      part.hidden = inside === 0;
      const count = part.querySelector('.count');
      if (part.matches('.group') && count) count.textContent = counted(inside);
    }
    shown.textContent = `${visible} of ${counted(findings.length)} shown`;
  };

  // `#filter=words&group=file` opens the page in that state, and the address follows what is chosen.
  const readAddress = () => {
    const wanted = new URLSearchParams(location.hash.slice(1));
    search.value = wanted.get('filter') || '';
    const group = [...form.elements.group].find((choice) => choice.value === wanted.get('group'));
    if (group) group.checked = true;
  };

  const writeAddress = () => {
    const state = new URLSearchParams();
    if (search.value) state.set('filter', search.value);
    if (form.elements.group.value !== 'rule') state.set('group', form.elements.group.value);
    history.replaceState(null, '', `#${state}`);
  };

  form.hidden = false;
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('input', (event) => {
    if (event.target.name === 'group') regroup();
    refresh();
    writeAddress();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && document.activeElement !== search) {
      event.preventDefault();
      search.focus();
    }
  });
  readAddress();
  regroup();
  refresh();
})();
