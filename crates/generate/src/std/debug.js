// A round trip of values, for tests.

const plain = (value) => (value instanceof Uint8Array ? Array.from(value) : JSON.parse(JSON.stringify(value) ?? 'null'));

export function echoSync(...values) {
  return values.map(plain);
}

export async function echo(...values) {
  return echoSync(...values);
}
