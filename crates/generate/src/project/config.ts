// Run with: sinew generate config.ts -p name=my-app
import * as param from 'sinew:std/param';
import type { File, ValidateResult } from 'sinew:std/generate';

const name = param.String('name', 'my-app')!;
const labels = { app: name };

function checkName(value: any): ValidateResult {
  return value.metadata.name.startsWith('my-') ? 'ok' : 'name does not start with my-';
}

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, labels },
  spec: {
    replicas: param.Number('replicas', 1),
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: { containers: [{ name: 'main', image: param.String('image', 'nginx:1.27') }] },
    },
  },
};

const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, labels },
  spec: { selector: labels, ports: [{ port: 80 }] },
};

const files: File[] = [
  { path: 'deployment.yaml', value: deployment, validate: checkName },
  { path: 'service.yaml', value: service, validate: checkName },
];

export default files;
