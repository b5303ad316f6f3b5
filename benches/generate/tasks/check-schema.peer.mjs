import { createRequire } from 'node:module';

const Ajv = createRequire(`${process.argv[2]}/`)('ajv');
const schema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  required: ['kind', 'name', 'replicas', 'ports'],
  properties: {
    kind: { enum: ['Service', 'Job'] },
    name: { type: 'string', pattern: '^[a-z][a-z0-9-]*$', maxLength: 63 },
    replicas: { type: 'integer', minimum: 0, maximum: 10 },
    ports: { type: 'array', items: { type: 'integer', minimum: 1, maximum: 65535 }, minItems: 1 },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
  },
  additionalProperties: false,
};
const validate = new (Ajv.default ?? Ajv)({ allErrors: true }).compile(schema);
let bad = 0;
for (let i = 0; i < 10000; i += 1) {
  const value = { kind: 'Service', name: `service-${i}`, replicas: i % 12, ports: [80, 443, i + 1], labels: { app: `a${i}`, tier: 'web' } };
  if (!validate(value)) bad += 1;
}
console.log(`${bad} bad`);
