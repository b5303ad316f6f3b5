// Written directly: what is left half-written when something fails is the reader's problem.
import { mkdirSync, writeFileSync } from 'node:fs';

mkdirSync('out', { recursive: true });
for (let i = 0; i < 5000; i += 1) {
  const value = { kind: 'Service', labels: { app: `a${i}` }, name: `service-${i}`, ports: [80, 443], replicas: i % 7 };
  writeFileSync(`out/${i}.json`, `${JSON.stringify(value, undefined, 2)}\n`);
}
console.log('written');
