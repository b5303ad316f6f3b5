// Legacy decorators (`experimentalDecorators`): from the last to the first, each may replace what it decorates.

export default function decorate(decorators, target, key, descriptor) {
  const isMember = arguments.length > 2;
  const given = descriptor === null ? Object.getOwnPropertyDescriptor(target, key) : descriptor;
  let result = isMember ? given : target;
  for (const decorator of decorators.toReversed()) {
    if (decorator === undefined) continue;
    result = (isMember ? decorator(target, key, result) : decorator(result)) ?? result;
  }
  if (isMember && result !== undefined && result !== given) Object.defineProperty(target, key, result);
  else if (isMember && result !== undefined && descriptor === null) Object.defineProperty(target, key, result);
  return result;
}
