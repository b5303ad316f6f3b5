import { print, write } from 'sinew:std';

for (let i = 0; i < 5000; i += 1) {
  write({ kind: 'Service', labels: { app: `a${i}` }, name: `service-${i}`, ports: [80, 443], replicas: i % 7 }, `out/${i}.json`);
}
print('written');
