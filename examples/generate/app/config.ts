// An application for Kubernetes, checked before it is written:
//
//   sinew generate config.ts -p name=my-shop -p replicas=3 -o out
//   sinew generate config.ts -p name=shop            (fails: every message, no file)
//   sinew generate config.ts --validate ./policy.js  (with a policy of the user)
import * as param from 'sinew:std/param';
import { merge } from 'sinew:std/merge';
import type { FilesObj, ValidateResult } from 'sinew:std/generate';
import defaults from './defaults.yaml';

const name = param.String('name', 'my-app');
const labels = { app: name };

function named(kind: string, apiVersion: string, spec: object) {
  return merge({ metadata: { labels } }, { apiVersion, kind, metadata: { name }, spec });
}

const deployment = named('Deployment', 'apps/v1', {
  replicas: param.Number('replicas', defaults.replicas),
  selector: { matchLabels: labels },
  template: {
    metadata: { labels },
    spec: { containers: [{ name: 'main', image: param.String('image', defaults.image) }] },
  },
});

const service = named('Service', 'v1', { selector: labels, ports: [{ port: defaults.port }] });

function checkName(value: any): ValidateResult {
  return value.metadata.name.startsWith('my-') || 'name does not start with my-';
}

// Sees all values: a Deployment needs a Service that selects its pods.
function everyDeploymentIsServed(values: any[]): ValidateResult {
  const served = new Set(values.filter((v) => v.kind === 'Service').map((v) => v.spec.selector.app));
  return values
    .filter((v) => v.kind === 'Deployment' && !served.has(v.spec.selector.matchLabels.app))
    .map((v) => `no Service selects the pods of ${v.metadata.name}`);
}

const config: FilesObj = {
  files: [
    { path: 'deployment.yaml', value: deployment, validate: checkName },
    { path: 'service.yaml', value: service, validate: checkName },
  ],
  validate: everyDeploymentIsServed,
};

export default config;
