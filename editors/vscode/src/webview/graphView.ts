// The page of the deployment graph: shows the SVG that the extension sends, and says which node was chosen.

interface Host {
  postMessage(message: unknown): void;
}
declare function acquireVsCodeApi(): Host;

const host = acquireVsCodeApi();
const canvas = document.getElementById('canvas') as HTMLElement;
const status = document.getElementById('status') as HTMLElement;
let scale = 1;

window.addEventListener('message', ({ data }) => {
  if (data.kind === 'graph') {
    canvas.innerHTML = data.svg;
    status.textContent = data.status;
    zoom(scale);
  }
});

canvas.addEventListener('click', ({ target }) => choose(target));
canvas.addEventListener('keydown', (event) => {
  if (event.key === 'Enter') {
    choose(event.target);
  }
});

canvas.addEventListener(
  'wheel',
  (event) => {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      zoom(scale * (event.deltaY < 0 ? 1.1 : 1 / 1.1));
    }
  },
  { passive: false },
);

for (const [id, factor] of [['in', 1.25], ['out', 0.8]] as const) {
  document.getElementById(id)?.addEventListener('click', () => zoom(scale * factor));
}

document.getElementById('export')?.addEventListener('click', () => host.postMessage({ kind: 'export' }));

function zoom(wanted: number): void {
  scale = Math.min(4, Math.max(0.1, wanted));
  const svg = canvas.querySelector('svg');
  if (svg) {
    svg.style.transform = `scale(${scale})`;
    svg.style.transformOrigin = '0 0';
  }
}

function choose(target: EventTarget | null): void {
  const node = target instanceof Element ? target.closest('.node') : null;
  if (node) {
    host.postMessage({ kind: 'open', id: node.getAttribute('data-id') });
  }
}

host.postMessage({ kind: 'ready' });

export {};
