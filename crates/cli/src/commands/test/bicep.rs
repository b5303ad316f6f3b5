//! Results in the form of the Bicep CLI: what passed goes to standard output, everything else to standard error.

use std::fmt::Write as _;

use base::Verdict;

use super::TestResult;
use crate::failure::Failure;
use crate::session::Session;

/// What is said of files that may not have tests.
pub(super) const NOT_ENABLED: &str = "TestFrameWork not enabled\n";

/// Writes the results.
pub(super) fn write(results: &[TestResult], session: &Session) -> Result<(), Failure> {
    let (mut passed, mut skipped) = (0, 0);
    for result in results {
        let name = &result.unit_test.name;
        match state(result) {
            State::Passed => {
                passed += 1;
                session.output.data(&format!("[✓] Evaluation {name} Passed!\n"))?;
            }
            State::Skipped(reason) => {
                skipped += 1;
                session.output.talk(&format!("[-] Evaluation {name} Skipped!\nReason: {reason}\n"))?;
            }
            State::Failed { names, all } => {
                let mut text =
                    format!("[✗] Evaluation {name} Failed at {} / {all} assertions!\n", names.len());
                for name in names {
                    // Writing to a String cannot fail.
                    let _ = writeln!(text, "\t[✗] Assertion {name} failed!");
                }
                session.output.talk(&text)?;
            }
        }
    }
    let total = results.len();
    if passed == total {
        return session.output.data(&format!("All {total} evaluations passed!\n"));
    }
    // What was skipped counts as failed, too.
    let failed = total - passed;
    session.output.talk(&format!(
        "Evaluation Summary: Failure!\nTotal: {total} - Success: {passed} - Skipped: {skipped} - Failed: {failed}\n"
    ))
}

enum State<'r> {
    Passed,
    Failed { names: Vec<&'r str>, all: usize },
    Skipped(&'r str),
}

fn state(result: &TestResult) -> State<'_> {
    let assertions = match &result.unit_test.outcome {
        Ok(assertions) => assertions,
        Err(reason) => return State::Skipped(reason),
    };
    let open = assertions.iter().find_map(|assertion| match &assertion.verdict {
        Verdict::Undetermined(reason) => Some(reason),
        Verdict::Pass | Verdict::Fail(_) => None,
    });
    if let Some(reason) = open {
        return State::Skipped(reason);
    }
    let failed = assertions.iter().filter(|assertion| assertion.verdict != Verdict::Pass);
    let names: Vec<&str> = failed.map(|assertion| assertion.name.as_str()).collect();
    if names.is_empty() { State::Passed } else { State::Failed { names, all: assertions.len() } }
}
