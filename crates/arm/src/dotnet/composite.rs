//! `{0,-10:N2}`: composite formatting.

use super::utf16_len;

/// Why a format cannot be used.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Failure<E> {
    /// A brace without its partner, or something else than an index in braces.
    Malformed,
    /// An index without an argument.
    MissingArgument(usize),
    /// The result would be longer than the limit.
    TooLong,
    /// The argument could not be written.
    Argument(E),
}

/// The widest field that is taken for meant.
const MAX_WIDTH: i64 = 1_000_000;

/// Puts arguments into a format. `write` gives the text of an argument for a format string, or nothing if there is no
/// such argument; no more than `limit` bytes are produced.
pub(crate) fn compose<E>(
    format: &str,
    limit: usize,
    mut write: impl FnMut(usize, Option<&str>) -> Result<Option<String>, E>,
) -> Result<String, Failure<E>> {
    let mut out = String::with_capacity(format.len());
    let mut rest = format;
    while let Some(at) = rest.find(['{', '}']) {
        out.push_str(rest.get(..at).unwrap_or_default());
        let brace = rest.get(at..=at).unwrap_or_default();
        rest = rest.get(at + 1..).unwrap_or_default();
        if let Some(after) = rest.strip_prefix(brace) {
            out.push_str(brace);
            rest = after;
            continue;
        }
        if brace == "}" {
            return Err(Failure::Malformed);
        }
        let (item, after) = rest.split_once('}').ok_or(Failure::Malformed)?;
        rest = after;
        let item = Item::parse(item).ok_or(Failure::Malformed)?;
        let text = write(item.index, item.format).map_err(Failure::Argument)?;
        let text = text.ok_or(Failure::MissingArgument(item.index))?;
        item.pad(&text, &mut out);
        if out.len() > limit {
            return Err(Failure::TooLong);
        }
    }
    out.push_str(rest);
    if out.len() > limit { Err(Failure::TooLong) } else { Ok(out) }
}

struct Item<'f> {
    index: usize,
    alignment: i64,
    format: Option<&'f str>,
}

impl<'f> Item<'f> {
    fn parse(text: &'f str) -> Option<Self> {
        if text.contains('{') {
            return None;
        }
        let (head, format) = match text.split_once(':') {
            Some((head, format)) => (head, Some(format)),
            None => (text, None),
        };
        let (index, alignment) = match head.split_once(',') {
            Some((index, alignment)) => (index, alignment.trim().parse().ok()?),
            None => (head, 0),
        };
        let index = index.trim_end_matches(' ');
        let digits = !index.is_empty() && index.bytes().all(|b| b.is_ascii_digit());
        let wide = !(-MAX_WIDTH..=MAX_WIDTH).contains(&alignment);
        if !digits || wide {
            return None;
        }
        Some(Self { index: index.parse().ok()?, alignment, format: format.filter(|f| !f.is_empty()) })
    }

    fn pad(&self, text: &str, out: &mut String) {
        let width = usize::try_from(self.alignment.unsigned_abs()).unwrap_or(0);
        let fill = " ".repeat(width.saturating_sub(utf16_len(text)));
        if self.alignment > 0 {
            out.push_str(&fill);
        }
        out.push_str(text);
        if self.alignment < 0 {
            out.push_str(&fill);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(format: &str, expected: Result<&str, Failure<()>>) {
        let args = ["a", "bc"];
        let actual = compose(format, 100, |index, format| {
            Ok(args.get(index).map(|arg| format.map_or(arg.to_string(), |f| format!("{arg}<{f}>"))))
        });
        assert_eq!(actual, expected.map(String::from), "{format}");
    }

    #[test]
    fn fields() {
        check("{0}-{1}-{0}", Ok("a-bc-a"));
        check("{{{0}}}", Ok("{a}"));
        check("{1,5}|{1,-5}|", Ok("   bc|bc   |"));
        check("{0:N0} {0 , 3 : x}", Ok("a<N0> a< x>"));
        check("", Ok(""));
    }

    #[test]
    fn failures() {
        check("{2}", Err(Failure::MissingArgument(2)));
        for malformed in ["{", "}", "{}", "{a}", "{0", "{-1}", "{0,x}", "{0,99999999}", "x}y", "{0{1}}"] {
            check(malformed, Err(Failure::Malformed));
        }
        check(&"{0,90}".repeat(2), Err(Failure::TooLong));
    }
}
