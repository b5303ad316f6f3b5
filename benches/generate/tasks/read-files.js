import { print, read } from 'sinew:std';

let replicas = 0;
for (let i = 0; i < 5000; i += 1) replicas += (await read(`data/${i}.json`)).replicas;
print(`${replicas}`);
