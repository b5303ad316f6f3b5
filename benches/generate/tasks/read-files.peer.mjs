import { readFile } from 'node:fs/promises';

let replicas = 0;
for (let i = 0; i < 5000; i += 1) replicas += JSON.parse(await readFile(`data/${i}.json`, 'utf8')).replicas;
console.log(`${replicas}`);
