//! Results as JUnit XML: one suite per test, one case per assertion.

use std::fmt::Write as _;

use base::Verdict;
use base::render::escape_xml as escape;
use bicep_emit::unit_test::Assertion;
use camino::Utf8Path;

use super::TestResult;
use super::text::{Counts, short};

/// The results, with paths as somebody in a folder writes them.
pub(super) fn render(results: &[TestResult], here: &Utf8Path) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a String cannot fail, here and below.
    let _ = writeln!(out, "<testsuites name=\"sinew\"{}>", attributes(results));
    for result in results {
        let name = escape(&result.unit_test.name);
        let counts = attributes(std::slice::from_ref(result));
        let file = escape(short(result.file.path(), here).as_str());
        let _ = writeln!(out, "  <testsuite name=\"{name}\" file=\"{file}\"{counts}>");
        match &result.unit_test.outcome {
            Ok(none) if none.is_empty() => {
                let _ = writeln!(out, "    <testcase name=\"{name}\" classname=\"{file}\" time=\"0\" />");
            }
            Ok(assertions) => assertions.iter().for_each(|it| push(&mut out, result, it, here)),
            Err(reason) => {
                let reason = escape(reason);
                let _ = writeln!(out, "    <testcase name=\"{name}\" classname=\"{file}\" time=\"0\">");
                let _ = writeln!(out, "      <error message=\"{reason}\" />\n    </testcase>");
            }
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

fn push(out: &mut String, result: &TestResult, assertion: &Assertion, here: &Utf8Path) {
    let at = result.target.position(assertion.range.start());
    let target = escape(short(result.target.path(), here).as_str());
    let place = format!("file=\"{target}\" line=\"{}\"", at.line + 1);
    let (name, class) = (escape(&assertion.name), escape(&result.unit_test.name));
    let case = format!("    <testcase name=\"{name}\" classname=\"{class}\" {place} time=\"0\"");
    let _ = match &assertion.verdict {
        Verdict::Pass => writeln!(out, "{case} />"),
        Verdict::Fail(findings) => {
            let why: Vec<String> = findings.iter().map(|finding| escape(&finding.message)).collect();
            let why = why.join("; ");
            writeln!(out, "{case}>\n      <failure message=\"{why}\" />\n    </testcase>")
        }
        Verdict::Undetermined(reasons) => {
            let why: Vec<String> = reasons.iter().map(|reason| escape(&reason.message)).collect();
            let reason = why.join("; ");
            writeln!(out, "{case}>\n      <skipped message=\"{reason}\" />\n    </testcase>")
        }
    };
}

fn attributes(results: &[TestResult]) -> String {
    let Counts { passed, failed, open, errors } = Counts::of(results);
    let tests = passed + failed + open + errors;
    format!(" tests=\"{tests}\" failures=\"{failed}\" errors=\"{errors}\" skipped=\"{open}\" time=\"0\"")
}
