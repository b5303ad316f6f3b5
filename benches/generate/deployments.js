// Deployment-like objects, each in a file of its own and checked by a function.
import * as param from '@jkcfg/std/param';

function deployment(i) {
  const name = `app-${i}`;
  const labels = { app: name, tier: i % 2 === 0 ? 'web' : 'worker', release: 'stable' };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: `team-${i % 10}`, labels, annotations: { 'example.com/owner': `owner-${i % 7}` } },
    spec: {
      replicas: (i % 5) + 1,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: `sa-${i % 3}`,
          containers: [
            {
              name: 'main',
              image: `registry.example.com/team-${i % 10}/${name}:1.${i % 20}.0`,
              ports: [{ containerPort: 8080, protocol: 'TCP' }],
              env: [
                { name: 'LOG_LEVEL', value: 'info' },
                { name: 'INDEX', value: String(i) },
              ],
              resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
            },
          ],
        },
      },
    },
  };
}

function check(value) {
  const problems = [];
  if (!/^[a-z0-9-]+$/.test(value.metadata.name)) problems.push('the name is not good');
  if (value.spec.replicas < 1) problems.push('there must be replicas');
  if (value.spec.template.spec.containers.length === 0) problems.push('there must be containers');
  return problems.length === 0 ? 'ok' : problems;
}

const count = param.Number('count', 1);
export default Array.from({ length: count }, (_, i) => ({ path: `${i}.yaml`, value: deployment(i), validate: check }));
