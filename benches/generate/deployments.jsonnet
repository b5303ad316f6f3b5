// The same objects for jsonnet, checked by assertions, printed as a stream.
local deployment(i) =
  local name = 'app-' + i;
  local labels = { app: name, tier: if i % 2 == 0 then 'web' else 'worker', release: 'stable' };
  {
    assert std.length(std.findSubstr(' ', self.metadata.name)) == 0 : 'the name is not good',
    assert self.spec.replicas >= 1 : 'there must be replicas',
    assert std.length(self.spec.template.spec.containers) > 0 : 'there must be containers',
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: name, namespace: 'team-' + (i % 10), labels: labels, annotations: { 'example.com/owner': 'owner-' + (i % 7) } },
    spec: {
      replicas: i % 5 + 1,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: labels },
        spec: {
          serviceAccountName: 'sa-' + (i % 3),
          containers: [{
            name: 'main',
            image: 'registry.example.com/team-' + (i % 10) + '/' + name + ':1.' + (i % 20) + '.0',
            ports: [{ containerPort: 8080, protocol: 'TCP' }],
            env: [{ name: 'LOG_LEVEL', value: 'info' }, { name: 'INDEX', value: '' + i }],
            resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
          }],
        },
      },
    },
  };
[deployment(i) for i in std.range(0, std.parseInt(std.extVar('count')) - 1)]
