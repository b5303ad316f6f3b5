// The same work for node: build, check, print as a YAML stream with the library that most use.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';

const yaml = createRequire(`${process.argv[2]}/`)('js-yaml');
const count = Number(process.argv[3]);
const source = readFileSync(new URL('./deployments.js', import.meta.url), 'utf8')
  .replace(/^import .*$/m, '')
  .replace(/^const count = .*$/m, '')
  .replace(/^export default .*$/m, '');
const { deployment, check } = new Function(`${source}; return { deployment, check };`)();

const texts = [];
for (let i = 0; i < count; i += 1) {
  const value = deployment(i);
  const result = check(value);
  if (result !== 'ok') throw new Error(`${i}: ${result}`);
  texts.push(yaml.dump(value, { sortKeys: true, noRefs: true }));
}
process.stdout.write(texts.join('---\n'));
