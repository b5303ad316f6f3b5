//! Patterns of the `regex` operator: written for .NET, run by another engine. Where the two would silently differ, the
//! pattern is rewritten or refused.

use std::fmt;
use std::sync::{Arc, OnceLock};

use fancy_regex::{Regex, RegexBuilder};

/// How many steps back a search may take. A pattern that needs more gives no answer.
const BACKTRACK_LIMIT: usize = 100_000;

/// How long a text may be in which a pattern looks around: it may look at all of it from every place.
const MAX_LOOK_AROUND: usize = 8 << 10;

/// A pattern to search with. Letter case never counts.
#[derive(Clone)]
pub struct Pattern {
    text: Arc<str>,
    /// Made at the first search, if not before: that costs more than most searches. None when it cannot be.
    regex: Arc<OnceLock<Option<Regex>>>,
}

impl Pattern {
    /// Reads a pattern; the error says in a clause what is wrong with it.
    pub fn new(text: &str) -> Result<Self, String> {
        let regex = build(text)?;
        Ok(Self { text: text.into(), regex: Arc::new(OnceLock::from(Some(regex))) })
    }

    /// A pattern that is known to be good.
    pub(crate) fn trusted(text: &str) -> Self {
        Self { text: text.into(), regex: Arc::default() }
    }

    /// Whether it is found in a text; none when the search was given up.
    pub fn is_found_in(&self, text: &str) -> Option<bool> {
        if text.len() > MAX_LOOK_AROUND && looks_around(&self.text) {
            return None;
        }
        self.regex.get_or_init(|| build(&self.text).ok()).as_ref()?.is_match(text).ok()
    }

    /// The pattern as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/{}/", self.text)
    }
}

fn build(text: &str) -> Result<Regex, String> {
    let built = RegexBuilder::new(&translate(text)?)
        .case_insensitive(true)
        .backtrack_limit(BACKTRACK_LIMIT)
        .delegate_size_limit(1 << 20)
        .build();
    built.map_err(|error| first_line(&error.to_string()))
}

/// The same pattern for our engine: `$` also means the place before a final line end.
fn translate(pattern: &str) -> Result<String, String> {
    let multiline = has_multiline_option(pattern);
    let mut out = String::with_capacity(pattern.len());
    let mut in_class = false;
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        match c {
            '\\' => {
                let escaped = after.chars().next().map_or(0, char::len_utf8);
                out.push_str(rest.get(..1 + escaped).unwrap_or(rest));
                rest = after.get(escaped..).unwrap_or_default();
                continue;
            }
            '[' if !in_class => {
                in_class = true;
                // A closing bracket that comes first is a member of the class.
                let head = if after.starts_with("^]") { 3 } else { 1 + usize::from(after.starts_with(']')) };
                out.push_str(rest.get(..head).unwrap_or(rest));
                rest = rest.get(head..).unwrap_or_default();
                continue;
            }
            '[' if out.ends_with('-') => {
                return Err("subtraction of character classes is not supported".into());
            }
            '[' => out.push_str("\\["),
            ']' => {
                in_class = false;
                out.push(c);
            }
            '(' if !in_class && is_balancing(after) => {
                return Err("balancing groups are not supported".into());
            }
            '$' if !in_class && !multiline => out.push_str("(?=\\n?\\z)"),
            _ => out.push(c),
        }
        rest = after;
    }
    Ok(out)
}

/// Whether a pattern asks what stands around a place, or refers to what it has found.
fn looks_around(pattern: &str) -> bool {
    let mut escaped = false;
    let refers_back = pattern.chars().any(|c| {
        let refers = escaped && (c == 'k' || ('1'..='9').contains(&c));
        escaped = c == '\\' && !escaped;
        refers
    });
    refers_back || ["(?=", "(?!", "(?<=", "(?<!", "(?>"].iter().any(|it| pattern.contains(it))
}

/// `(?m)` or `(?im:` somewhere: `$` then means the end of a line, as it does here.
fn has_multiline_option(pattern: &str) -> bool {
    pattern.split("(?").skip(1).any(|rest| {
        let options = rest.split([')', ':', '-']).next().unwrap_or_default();
        options.contains('m') && options.chars().all(|c| c.is_ascii_alphabetic())
    })
}

/// `(?<a-b>` or `(?<-b>`, with the quotes form too.
fn is_balancing(after: &str) -> bool {
    let Some(name) = after.strip_prefix("?<").or_else(|| after.strip_prefix("?'")) else { return false };
    let name = name.split(['>', '\'', ')']).next().unwrap_or_default();
    !name.starts_with(['=', '!']) && name.contains('-')
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_mean_what_they_mean_in_dotnet() {
        for (pattern, text, expected) in [
            ("admin", "myADMIN", true),
            ("^((?!linux).)*$", "app,linux", false),
            ("^((?!linux).)*$", "app\n", true),
            ("(?<!master)$", "server/master", false),
            ("end$", "the end\n", true),
            ("end$", "end\nmore", false),
            ("(?m)end$", "end\nmore", true),
            ("[$]", "a$", true),
            (r"\$", "a$", true),
            ("[]a]b", "]b", true),
            ("[[]", "[", true),
            ("", "anything", true),
        ] {
            let found = Pattern::new(pattern).expect(pattern).is_found_in(text);
            assert_eq!(found, Some(expected), "{pattern} in {text:?}");
        }
    }

    #[test]
    fn what_would_silently_differ_is_refused() {
        for pattern in ["[a-z-[aeiou]]", "(?<-x>a)", "(?<y-x>a)", "(", "[a", "*"] {
            assert!(Pattern::new(pattern).is_err(), "{pattern}");
        }
    }

    #[test]
    fn a_catastrophic_pattern_gives_no_answer_instead_of_a_hang() {
        let pattern = Pattern::new(r"^(?=(a+)+\1b)").expect("valid");
        assert_ne!(pattern.is_found_in(&"a".repeat(5_000)), Some(true));
    }

    #[test]
    fn long_texts_are_not_looked_around_in() {
        for (pattern, expected) in [
            ("(?<!a+)b", None),
            (r"(a)\1", None),
            (r"\\1|a", Some(true)),
            ("a$", Some(true)),
            ("b", Some(false)),
        ] {
            let found = Pattern::new(pattern).expect(pattern).is_found_in(&"a".repeat(20_000));
            assert_eq!(found, expected, "{pattern}");
        }
    }
}
