import { print, read } from 'sinew:std';

const items = await read('large.json');
print(`${items.length} ${items.at(-1).name}`);
