// A policy of the user, for --validate and for `sinew validate ./policy.js *.yaml`.
export default function policy(value) {
  const problems = [];
  if (value.kind === 'Deployment' && value.spec.replicas < 2) {
    problems.push({ msg: 'at least two replicas are needed', path: 'spec.replicas' });
  }
  return problems;
}
