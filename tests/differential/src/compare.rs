//! What was recorded and what was answered in; the difference out, if there is one.

use std::fmt::Write as _;

use crate::answer::Answers;
use crate::recording::Finding;
use crate::{Case, Kind, Recording};

/// How an answer differs from the recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// Texts that differ: the lines from the first to the last that do.
    Text(String),
    /// Diagnostics that only one side has.
    Findings {
        /// Those that only the reference gives.
        missing: Vec<Finding>,
        /// Those that only the library gives.
        extra: Vec<Finding>,
    },
    /// The library did not come to an end.
    Panic,
}

/// Compares one kind of answer. `None`: the case says nothing about this kind.
pub fn compare(
    kind: Kind,
    case: &Case,
    recording: &Recording,
    answers: &Answers<'_>,
) -> Option<Result<(), Difference>> {
    let blob = |key: &Option<String>| key.as_ref().map(|key| recording.blob(key));
    Some(match kind {
        Kind::Build => text(blob(&case.template)?.trim_end(), answers.build().trim_end()),
        Kind::Format => text(blob(&case.formatted)?, &answers.format()),
        Kind::Diagnostics => {
            let is_compared = |it: &Finding| !recording.ignore.contains(&it.0);
            findings(case.diags.clone()?, answers.diagnostics().into_iter().filter(is_compared).collect())
        }
    })
}

fn findings(mut expected: Vec<Finding>, mut actual: Vec<Finding>) -> Result<(), Difference> {
    expected.sort();
    actual.sort();
    let (missing, extra) = (without(&expected, &actual), without(&actual, &expected));
    if missing.is_empty() && extra.is_empty() { Ok(()) } else { Err(Difference::Findings { missing, extra }) }
}

/// What is in one list and not in the other, counting repetitions.
fn without(list: &[Finding], other: &[Finding]) -> Vec<Finding> {
    let mut other = other.to_vec();
    let mut rest = Vec::new();
    for it in list {
        match other.iter().position(|there| there == it) {
            Some(at) => drop(other.swap_remove(at)),
            None => rest.push(it.clone()),
        }
    }
    rest
}

/// More differing lines than this are not shown.
const MOST_LINES: usize = 40;

fn text(expected: &str, actual: &str) -> Result<(), Difference> {
    if expected == actual {
        return Ok(());
    }
    let (expected, actual) = (Vec::from_iter(expected.split('\n')), Vec::from_iter(actual.split('\n')));
    let alike = |(one, other): &(&&str, &&str)| one == other;
    let start = expected.iter().zip(&actual).take_while(alike).count();
    let (expected, actual) =
        (expected.get(start..).unwrap_or_default(), actual.get(start..).unwrap_or_default());
    let end = expected.iter().rev().zip(actual.iter().rev()).take_while(alike).count();
    let mut shown = format!("from line {}:\n", start + 1);
    for (mark, lines) in [('-', expected), ('+', actual)] {
        for line in lines.iter().take(lines.len() - end).take(MOST_LINES) {
            // Writing to a string cannot fail.
            let _ = writeln!(shown, "{mark} {line}");
        }
    }
    Err(Difference::Text(shown))
}
