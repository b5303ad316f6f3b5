import { readFile } from 'node:fs/promises';

const items = JSON.parse(await readFile('large.json', 'utf8'));
console.log(`${items.length} ${items.at(-1).name}`);
