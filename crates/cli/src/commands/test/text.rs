//! Results for people: a line for each assertion.

use std::fmt::Write as _;

use base::Verdict;
use bicep_emit::unit_test::Assertion;
use camino::Utf8Path;

use super::TestResult;

/// The results, with paths as somebody in a folder writes them.
pub(super) fn render(results: &[TestResult], here: &Utf8Path) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail, here and below.
    for result in results {
        let _ = writeln!(out, "{}: {}", short(result.file.path(), here), result.unit_test.name);
        match &result.unit_test.outcome {
            Ok(none) if none.is_empty() => out.push_str("  pass   (it can be evaluated)\n"),
            Ok(assertions) => assertions.iter().for_each(|it| push(&mut out, result, it, here)),
            Err(reason) => {
                for line in reason.lines() {
                    let _ = writeln!(out, "  error  {line}");
                }
            }
        }
    }
    let _ = writeln!(out, "{}", Counts::of(results));
    out
}

fn push(out: &mut String, result: &TestResult, assertion: &Assertion, here: &Utf8Path) {
    let at = result.target.position(assertion.range.start());
    let place = format!("{}({},{})", short(result.target.path(), here), at.line + 1, at.col + 1);
    let name = &assertion.name;
    let _ = match &assertion.verdict {
        Verdict::Pass => writeln!(out, "  pass   {name}"),
        Verdict::Fail(findings) => {
            let why: Vec<&str> = findings.iter().map(|finding| finding.message.as_str()).collect();
            writeln!(out, "  FAIL   {name}: {} [{place}]", why.join("; "))
        }
        Verdict::Undetermined(reason) => writeln!(out, "  open   {name}: {reason} [{place}]"),
    };
}

/// How many assertions hold.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) passed: usize,
    pub(super) failed: usize,
    pub(super) open: usize,
    /// Tests that could not be run.
    pub(super) errors: usize,
}

impl Counts {
    pub(super) fn of(results: &[TestResult]) -> Self {
        let mut counts = Self::default();
        for result in results {
            let Ok(assertions) = &result.unit_test.outcome else {
                counts.errors += 1;
                continue;
            };
            // A test of a file without assertions says that it can be evaluated.
            counts.passed += usize::from(assertions.is_empty());
            for assertion in assertions {
                match assertion.verdict {
                    Verdict::Pass => counts.passed += 1,
                    Verdict::Fail(_) => counts.failed += 1,
                    Verdict::Undetermined(_) => counts.open += 1,
                }
            }
        }
        counts
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { passed, failed, open, errors } = self;
        write!(f, "{passed} passed, {failed} failed, {open} undecided")?;
        if *errors > 0 {
            let tests = if *errors == 1 { "test" } else { "tests" };
            write!(f, ", {errors} {tests} could not be run")?;
        }
        Ok(())
    }
}

/// A path as somebody in a folder writes it.
pub(super) fn short<'p>(path: &'p Utf8Path, here: &Utf8Path) -> &'p Utf8Path {
    path.strip_prefix(here).unwrap_or(path)
}
