// The page of the preview: shows what a file would deploy, as the extension sends it.

interface Host {
  postMessage(message: unknown): void;
}
declare function acquireVsCodeApi(): Host;

const host = acquireVsCodeApi();
const text = document.getElementById('text') as HTMLElement;
const status = document.getElementById('status') as HTMLElement;

window.addEventListener('message', ({ data }) => {
  if (data.kind === 'preview') {
    // Shown as text: nothing in it is markup.
    text.textContent = data.text;
    status.textContent = data.status;
  }
});

host.postMessage({ kind: 'ready' });

export {};
