// Bundles the extension into dist/, and with --test also the parts that tests look at.
import { build } from 'esbuild';

const shared = { bundle: true, platform: 'node', target: 'node20', sourcemap: true, logLevel: 'warning' };

await build({
  ...shared,
  entryPoints: ['src/extension.ts'],
  outfile: 'dist/extension.js',
  format: 'cjs',
  external: ['vscode'],
  minify: !process.argv.includes('--test'),
});

await build({
  ...shared,
  entryPoints: ['src/webview/graphView.ts', 'src/webview/previewView.ts'],
  outdir: 'dist/webview',
  platform: 'browser',
  target: 'es2022',
  format: 'iife',
});

if (process.argv.includes('--test')) {
  await build({
    ...shared,
    entryPoints: ['src/graphModel.ts', 'src/resourceModel.ts', 'src/serverPath.ts'],
    outdir: 'dist/test',
    format: 'esm',
    outExtension: { '.js': '.mjs' },
  });
}
