//! Addresses.

use super::{Function, shape, whole};
use crate::error::Error;
use crate::evaluate::Invocation;
use crate::value::Value;

pub(super) const TABLE: &[Function] = &[
    whole("uri", 2, 2, uri),
    whole("uriComponent", 1, 1, |call, args| call.text(base::percent::encode(call.string(args, 0)?, b""))),
    whole("uriComponentToString", 1, 1, |call, args| call.text(base::percent::decode(call.string(args, 0)?))),
    shape("buildUri", 1, 1, build_uri),
    whole("parseUri", 1, 1, parse_uri),
];

/// The parts of an absolute address, as RFC 3986 names them.
struct Uri<'t> {
    scheme: &'t str,
    authority: &'t str,
    path: &'t str,
    query: Option<&'t str>,
    fragment: Option<&'t str>,
}

impl<'t> Uri<'t> {
    fn parse(text: &'t str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let valid = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
        let (rest, fragment) = split_off(rest, '#');
        let (rest, query) = split_off(rest, '?');
        let (authority, path) = match rest.find('/') {
            Some(at) => rest.split_at_checked(at)?,
            None => (rest, ""),
        };
        (valid && !authority.is_empty()).then_some(Self { scheme, authority, path, query, fragment })
    }

    /// Host and port; the port only when it is not the usual one of the scheme.
    fn host_and_port(&self) -> Option<(String, Option<u16>)> {
        let host = self.authority.rsplit_once('@').map_or(self.authority, |(_, host)| host);
        let (host, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.contains(']') => {
                (name, Some(port).filter(|port| !port.is_empty()).map(str::parse).transpose().ok()?)
            }
            _ => (host, None),
        };
        let usual = match self.scheme.to_ascii_lowercase().as_str() {
            "http" => Some(80),
            "https" => Some(443),
            "ftp" => Some(21),
            _ => None,
        };
        Some((host.to_lowercase(), port.filter(|port| Some(*port) != usual)))
    }

    fn with(&self, path: &str, query: Option<&str>, fragment: Option<&str>) -> Option<String> {
        let (host, port) = self.host_and_port()?;
        let mut out = format!("{}://{host}", self.scheme.to_ascii_lowercase());
        if let Some(port) = port {
            out.push_str(&format!(":{port}"));
        }
        out.push_str(&without_dots(if path.is_empty() { "/" } else { path }));
        for (mark, part) in [('?', query), ('#', fragment)] {
            if let Some(part) = part {
                out.push(mark);
                out.push_str(part);
            }
        }
        Some(out)
    }
}

fn uri(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let (base, relative) = (call.string(args, 0)?, call.string(args, 1)?);
    let joined = join(base, relative).ok_or_else(|| call.invalid("the base is not an absolute URI"))?;
    call.text(joined)
}

fn join(base: &str, relative: &str) -> Option<String> {
    let base = Uri::parse(base)?;
    if let Some(absolute) = Uri::parse(relative) {
        return absolute.with(absolute.path, absolute.query, absolute.fragment);
    }
    if let Some(rest) = relative.strip_prefix("//") {
        let text = format!("{}://{rest}", base.scheme);
        let other = Uri::parse(&text)?;
        return other.with(other.path, other.query, other.fragment);
    }
    if relative.is_empty() {
        return base.with(base.path, base.query, base.fragment);
    }
    let (rest, fragment) = split_off(relative, '#');
    let (path, query) = split_off(rest, '?');
    if path.is_empty() {
        return base.with(base.path, query.or(base.query), fragment);
    }
    if path.starts_with('/') {
        return base.with(path, query, fragment);
    }
    let folder = base.path.rfind('/').and_then(|at| base.path.get(..=at)).unwrap_or("/");
    base.with(&format!("{folder}{path}"), query, fragment)
}

/// A path without `.` and `..`.
fn without_dots(path: &str) -> String {
    let mut out: Vec<&str> = Vec::new();
    let mut segments = path.split('/').peekable();
    while let Some(segment) = segments.next() {
        let last = segments.peek().is_none();
        match segment {
            "." | ".." => {
                if segment == ".." && out.len() > 1 {
                    out.pop();
                }
                if last {
                    out.push("");
                }
            }
            _ => out.push(segment),
        }
    }
    out.join("/")
}

fn build_uri(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let parts = call.members(args, 0)?;
    if call.arg(args, 0)?.has_unknown() {
        return call.residual(args);
    }
    let text = |name: &str| parts.get(name).and_then(Value::as_str);
    let (Some(scheme), Some(host)) = (text("scheme"), text("host")) else {
        return Err(call.invalid("the object needs a 'scheme' and a 'host'"));
    };
    let mut out = format!("{scheme}://{host}");
    if let Some(port) = parts.get("port").and_then(Value::as_int) {
        out.push_str(&format!(":{port}"));
    }
    let path = text("path").unwrap_or("/");
    if !path.starts_with('/') {
        out.push('/');
    }
    out.push_str(path);
    if let Some(query) = text("query").filter(|query| !query.is_empty()) {
        if !query.starts_with('?') {
            out.push('?');
        }
        out.push_str(query);
    }
    let valid = Uri::parse(&out).is_some_and(|uri| uri.host_and_port().is_some());
    if valid { call.text(out) } else { Err(call.invalid("the parts do not make an absolute URI")) }
}

fn parse_uri(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let not_absolute = || call.invalid("the text is not an absolute URI");
    let uri = Uri::parse(call.string(args, 0)?).ok_or_else(not_absolute)?;
    let (host, port) = uri.host_and_port().ok_or_else(not_absolute)?;
    let mut members = vec![
        ("scheme", Value::string(uri.scheme.to_ascii_lowercase())),
        ("host", Value::string(host)),
        ("port", port.map_or(Value::NULL, |port| Value::int(i64::from(port)))),
    ];
    if !matches!(uri.path, "" | "/") {
        members.push(("path", Value::string(uri.path)));
    }
    if let Some(query) = uri.query {
        members.push(("query", Value::string(format!("?{query}"))));
    }
    Ok(Value::object(members))
}

fn split_off(text: &str, mark: char) -> (&str, Option<&str>) {
    text.split_once(mark).map_or((text, None), |(before, after)| (before, Some(after)))
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::check_all;

    #[test]
    fn joining() {
        check_all(&[
            ("uri('https://github.com/another/repo', '/Azure/bicep')", "\"https://github.com/Azure/bicep\""),
            ("uri('http://contoso.org/firstpath', 'myscript.sh')", "\"http://contoso.org/myscript.sh\""),
            (
                "uri('http://contoso.org/firstpath/', 'myscript.sh')",
                "\"http://contoso.org/firstpath/myscript.sh\"",
            ),
            (
                "uri('http://contoso.org/a/azuredeploy.json/', 'b')",
                "\"http://contoso.org/a/azuredeploy.json/b\"",
            ),
            ("uri('https://Host.COM:443', 'a?b=c#d')", "\"https://host.com/a?b=c#d\""),
            ("uri('https://h/a/b/c', '../d')", "\"https://h/a/d\""),
            ("uri('https://h/a', 'http://other/x')", "\"http://other/x\""),
            ("uri('https://h', '')", "\"https://h/\""),
            ("uri('nothing', 'x')", "\"!invalid-argument\""),
        ]);
    }

    #[test]
    fn components() {
        check_all(&[
            ("uriComponent(' Fizz/é')", "\"%20Fizz%2F%C3%A9\""),
            ("uriComponentToString('%20Fizz%2f%C3%A9%zz%')", "\" Fizz/é%zz%\""),
        ]);
    }

    #[test]
    fn building_and_taking_apart() {
        check_all(&[
            ("buildUri(createObject('scheme', 'https', 'host', 'example.com'))", "\"https://example.com/\""),
            (
                "buildUri(createObject('scheme', 'https', 'host', 'h', 'port', 8080, 'path', 'a/b', 'query', 'x=1'))",
                "\"https://h:8080/a/b?x=1\"",
            ),
            ("buildUri(createObject('host', 'h'))", "\"!invalid-argument\""),
            (
                "parseUri('https://h:8080/a?x=1')",
                r#"{"scheme":"https","host":"h","port":8080,"path":"/a","query":"?x=1"}"#,
            ),
            ("parseUri('https://H:443/')", r#"{"scheme":"https","host":"h","port":null}"#),
            ("parseUri('a/b')", "\"!invalid-argument\""),
        ]);
    }
}
