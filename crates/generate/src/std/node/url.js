// node:url.

import { host } from '../internal/host.js';
import { URL, URLSearchParams } from '../internal/url.js';

export { URL, URLSearchParams };

export function fileURLToPath(url) {
  const { protocol, pathname } = typeof url === 'string' ? new URL(url) : url;
  if (protocol !== 'file:') throw new TypeError('The URL must be of scheme file');
  return decodeURIComponent(pathname);
}

export const pathToFileURL = (path) => new URL(host.fileUrl(String(path)));

// The parser from before there was URL; packages still use it for relative references.
export function parse(text, parseQuery = false) {
  const [, protocol = null, slashes, authority, pathname = '', search = null, hash = null] =
    /^([a-z][a-z0-9+.-]*:)?(\/\/([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?$/is.exec(String(text)) ?? [];
  const at = authority?.lastIndexOf('@') ?? -1;
  const where = authority?.slice(at + 1) ?? null;
  const port = where === null ? null : /:(\d+)$/.exec(where)?.[1] ?? null;
  const query = search === null ? null : search.slice(1);
  return {
    protocol: protocol?.toLowerCase() ?? null,
    slashes: slashes === undefined ? null : true,
    auth: at < 0 ? null : decodeURIComponent(authority.slice(0, at)),
    host: where,
    port,
    hostname: where === null ? null : port === null ? where : where.slice(0, -port.length - 1),
    hash,
    search,
    query: parseQuery ? Object.fromEntries(new URLSearchParams(query ?? '')) : query,
    pathname: pathname === '' ? (authority === undefined ? null : '/') : pathname,
    path: pathname === '' && search === null ? null : `${pathname}${search ?? ''}`,
    href: String(text),
  };
}

export function format(url) {
  if (typeof url === 'string' || url instanceof URL) return String(url);
  const { protocol, slashes, auth, host: where, hostname, port, pathname = '', search, query, hash } = url;
  const scheme = protocol ? (protocol.endsWith(':') ? protocol : `${protocol}:`) : '';
  const authority = where ?? (hostname ? `${hostname}${port ? `:${port}` : ''}` : '');
  const hasSlashes = slashes || authority !== '';
  const text = search ?? (query && typeof query === 'object' ? `?${new URLSearchParams(query)}` : query ? `?${query}` : '');
  return `${scheme}${hasSlashes ? '//' : ''}${auth ? `${encodeURIComponent(auth)}@` : ''}${authority}${pathname ?? ''}${text}${hash ?? ''}`;
}

export function resolve(from, to) {
  const base = new URL(from, 'resolve:///');
  const resolved = new URL(to, base);
  return resolved.protocol === 'resolve:' ? `${resolved.pathname}${resolved.search}${resolved.hash}` : resolved.href;
}

export const domainToASCII = (domain) => host.parseUrl(`http://${domain}`)?.[6] ?? '';
export const domainToUnicode = (domain) => domain;
export const urlToHttpOptions = (url) => ({ protocol: url.protocol, hostname: url.hostname, path: `${url.pathname}${url.search}`, href: url.href });

export default { URL, URLSearchParams, fileURLToPath, pathToFileURL, parse, format, resolve, domainToASCII, domainToUnicode, urlToHttpOptions };
