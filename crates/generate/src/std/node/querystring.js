// node:querystring.

export const escape = (text) => encodeURIComponent(text);
export const unescape = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

export function parse(text, separator = '&', equals = '=') {
  const result = Object.create(null);
  for (const pair of String(text ?? '').split(separator)) {
    if (pair === '') continue;
    const at = pair.indexOf(equals);
    const [name, value] = (at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + equals.length)]).map((part) => unescape(part.replaceAll('+', ' ')));
    if (name in result) result[name] = [].concat(result[name], value);
    else result[name] = value;
  }
  return result;
}

export function stringify(values, separator = '&', equals = '=') {
  return Object.entries(values ?? {})
    .flatMap(([name, value]) => [].concat(value).map((one) => `${escape(name)}${equals}${escape(one ?? '')}`))
    .join(separator);
}

export const decode = parse;
export const encode = stringify;
export default { parse, stringify, escape, unescape, decode, encode };
