//! Expectations about diagnostics, written as comments on the very line: `// error: BCP036`, with a column or a range of
//! columns (`@7-12`) and a part of the message in quotes if they matter. A comment that starts with `^` speaks of the
//! line above, for lines that cannot hold a comment.

use std::collections::BTreeMap;
use std::fmt::Write;

/// A diagnostic that should be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Expectation {
    /// Counted from one.
    pub(super) line: u64,
    level: String,
    code: String,
    columns: Option<(u64, Option<u64>)>,
    message: Option<String>,
}

/// A diagnostic that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// Counted from one.
    pub(super) line: u64,
    pub(super) columns: (u64, u64),
    pub(super) level: String,
    pub(super) code: String,
    pub(super) message: String,
}

/// The expectations in the text of a file.
pub(super) fn read(content: &str) -> Vec<Expectation> {
    lines(content).into_iter().flat_map(|line| line.expectations).collect()
}

/// The number of the last line of code. The end of a file, behind its last line end, counts as that line.
pub(super) fn last_line(content: &str) -> u64 {
    lines(content).last().map_or(1, |line| line.number)
}

/// What is missing and what is too much, one sentence each.
pub(super) fn differences(expected: &[Expectation], found: &[Found]) -> Vec<String> {
    let mut left: Vec<&Found> = found.iter().collect();
    let mut differences = Vec::new();
    for expectation in expected {
        match left.iter().position(|found| expectation.is_met_by(found)) {
            Some(at) => drop(left.remove(at)),
            None => {
                differences.push(format!(
                    "line {}: expected {}",
                    expectation.line,
                    expectation.without_mark()
                ));
            }
        }
    }
    differences.extend(left.into_iter().map(|found| {
        let Found { line, columns: (start, end), level, code, message } = found;
        format!("line {line}: unexpected {level}: {code} @{start}-{end} {message:?}")
    }));
    differences
}

/// The text with the expectations that are met by what was found. Columns and words stay only where they were.
pub(super) fn rewrite(content: &str, found: &[Found]) -> String {
    let mut by_line: BTreeMap<u64, Vec<&Found>> = BTreeMap::new();
    for found in found {
        by_line.entry(found.line).or_default().push(found);
    }
    let mut text = String::new();
    for line in lines(content) {
        let comments: Vec<String> = by_line
            .get(&line.number)
            .into_iter()
            .flatten()
            .map(|found| {
                let old = line.expectations.iter().find(|old| old.code == found.code);
                Expectation::of(found, old).without_mark()
            })
            .collect();
        // Writing to a string cannot fail.
        let _ = match (comments.as_slice(), line.is_marked_below) {
            ([], _) => writeln!(text, "{}", line.code),
            (comments, true) => writeln!(text, "{}\n// ^ {}", line.code, comments.join(" // ")),
            (comments, false) if line.code.is_empty() => writeln!(text, "// {}", comments.join(" // ")),
            (comments, false) => writeln!(text, "{} // {}", line.code, comments.join(" // ")),
        };
    }
    text
}

/// A line of code with what is expected of it.
struct Line<'a> {
    /// Counted from one.
    number: u64,
    /// Without the comment that holds expectations.
    code: &'a str,
    expectations: Vec<Expectation>,
    is_marked_below: bool,
}

fn lines(content: &str) -> Vec<Line<'_>> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    for (number, text) in (1..).zip(content.lines()) {
        let (code, comments) = split(text);
        let is_mark = code.is_empty() && comments.first().is_some_and(|comment| comment.starts_with('^'));
        if is_mark && let Some(above) = lines.last_mut() {
            let number = above.number;
            above.expectations.extend(comments.iter().filter_map(|comment| parse(number, comment)));
            above.is_marked_below = true;
            continue;
        }
        let expectations = comments.iter().filter_map(|comment| parse(number, comment)).collect();
        lines.push(Line { number, code, expectations, is_marked_below: false });
    }
    lines
}

/// The line without the expectations at its end, and those.
fn split(text: &str) -> (&str, Vec<&str>) {
    for (at, _) in text.match_indices("//") {
        let (code, comment) = text.split_at(at);
        let comments: Vec<&str> = comment.split("//").skip(1).map(str::trim).collect();
        if comments.iter().all(|comment| parse(0, comment).is_some()) {
            return (code.trim_end(), comments);
        }
    }
    (text, Vec::new())
}

/// `error: CODE`, then `@COLUMN` or `@COLUMN-END`, then a part of the message in quotes.
fn parse(line: u64, comment: &str) -> Option<Expectation> {
    let comment = comment.strip_prefix('^').unwrap_or(comment).trim_start();
    let (level, rest) = comment.split_once(": ")?;
    if !["error", "warning", "info"].contains(&level) {
        return None;
    }
    let (code, mut rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let mut columns = None;
    if let Some(place) = rest.strip_prefix('@') {
        let (place, behind) = place.split_once(' ').unwrap_or((place, ""));
        columns = Some(match place.split_once('-') {
            Some((start, end)) => (start.parse().ok()?, Some(end.parse().ok()?)),
            None => (place.parse().ok()?, None),
        });
        rest = behind;
    }
    let message = match rest {
        "" => None,
        quoted => Some(quoted.strip_prefix('"')?.strip_suffix('"')?.to_owned()),
    };
    Some(Expectation { line, level: level.to_owned(), code: code.to_owned(), columns, message })
}

impl Expectation {
    /// What would be met by a diagnostic, with as much detail as there was before.
    fn of(found: &Found, old: Option<&Self>) -> Self {
        let columns = old.and_then(|old| old.columns);
        let message = old.and_then(|old| old.message.clone());
        Self {
            line: found.line,
            level: found.level.clone(),
            code: found.code.clone(),
            columns: columns.map(|(_, end)| (found.columns.0, end.map(|_| found.columns.1))),
            message: message
                .map(|old| if found.message.contains(&old) { old } else { found.message.clone() }),
        }
    }

    fn is_met_by(&self, found: &Found) -> bool {
        self.line == found.line
            && self.level == found.level
            && self.code == found.code
            && self.columns.is_none_or(|(start, end)| {
                start == found.columns.0 && end.is_none_or(|end| end == found.columns.1)
            })
            && self.message.as_ref().is_none_or(|part| found.message.contains(part))
    }

    fn without_mark(&self) -> String {
        let mut text = format!("{}: {}", self.level, self.code);
        // Writing to a string cannot fail.
        let _ = match self.columns {
            Some((start, Some(end))) => write!(text, " @{start}-{end}"),
            Some((start, None)) => write!(text, " @{start}"),
            None => Ok(()),
        };
        if let Some(message) = &self.message {
            let _ = write!(text, " \"{message}\"");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: u64, columns: (u64, u64), code: &str) -> Found {
        let (level, message) = ("error".to_owned(), format!("about {code}"));
        Found { line, columns, level, code: code.to_owned(), message }
    }

    const CONTENT: &str = "\
var a = 'http://x' // a note // error: A @5-6 // error: B \"about\"
var b = 'open
// ^ error: C @9
// error: D
plain // error without a code
";

    #[test]
    fn comments_at_the_end_of_a_line_are_expectations() {
        let read: Vec<String> =
            read(CONTENT).iter().map(|it| format!("{} {}", it.line, it.without_mark())).collect();
        assert_eq!(read, ["1 error: A @5-6", "1 error: B \"about\"", "2 error: C @9", "4 error: D"]);
    }

    #[test]
    fn differences_name_what_is_missing_and_what_is_too_much() {
        let all =
            [found(1, (5, 6), "A"), found(1, (7, 8), "B"), found(2, (9, 9), "C"), found(4, (1, 1), "D")];
        assert_eq!(differences(&read(CONTENT), &all), [""; 0]);
        let some =
            [found(1, (5, 7), "A"), found(1, (7, 8), "B"), found(2, (9, 9), "C"), found(4, (1, 1), "D")];
        assert_eq!(
            differences(&read(CONTENT), &some),
            ["line 1: expected error: A @5-6", "line 1: unexpected error: A @5-7 \"about A\""]
        );
    }

    #[test]
    fn rewriting_keeps_the_form_and_is_stable() {
        let now = [found(1, (3, 4), "A"), found(2, (9, 9), "E"), found(5, (1, 2), "F")];
        let rewritten = "\
var a = 'http://x' // a note // error: A @3-4
var b = 'open
// ^ error: E

plain // error without a code // error: F
";
        assert_eq!(rewrite(CONTENT, &now), rewritten);
        assert_eq!(rewrite(CONTENT, &[]).lines().count(), 4);
    }
}
