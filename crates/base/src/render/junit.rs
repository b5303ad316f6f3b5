//! JUnit XML: a test suite per file, a test case per diagnostic; a file without findings is one case that passed.

use std::fmt::Write as _;

use super::regions::{Region, RegionFinder};
use super::{Summary, Tool, text};
use crate::{Diagnostic, FileReport, Severity};

pub(super) fn render(reports: &[FileReport], tool: &Tool) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let counts = counts(reports);
    // Writing to a String cannot fail, here and below.
    let _ = writeln!(out, "<testsuites name=\"{}\"{counts}>", escape(&tool.name));
    for report in reports {
        push_suite(&mut out, report);
    }
    out.push_str("</testsuites>\n");
    out
}

fn push_suite(out: &mut String, report: &FileReport) {
    let path = escape(report.file.path().as_str());
    let counts = counts(std::slice::from_ref(report));
    let _ = writeln!(out, "  <testsuite name=\"{path}\"{counts}>");
    if report.diagnostics.is_empty() {
        let _ = writeln!(out, "    <testcase name=\"{path}\" classname=\"{path}\" time=\"0\" />");
    }
    let mut places = RegionFinder::new(&report.file);
    for diagnostic in &report.diagnostics {
        push_case(out, report.file.path().as_str(), places.region(diagnostic.range), diagnostic);
    }
    out.push_str("  </testsuite>\n");
}

fn push_case(out: &mut String, path: &str, place: Region, diagnostic: &Diagnostic) {
    let Region { start_line, start_column, .. } = place;
    let code = escape(&diagnostic.code);
    let line = escape(&text::line(path, place, diagnostic));
    let (path, message) = (escape(path), escape(&diagnostic.message));
    let _ = writeln!(
        out,
        "    <testcase name=\"{code} ({start_line},{start_column})\" classname=\"{path}\" time=\"0\">"
    );
    let _ = match diagnostic.severity {
        _ if diagnostic.is_undetermined => {
            let notes = diagnostic.notes.iter().map(|note| format!(" {}", escape(note)));
            writeln!(out, "      <skipped message=\"{message}{}\" />", notes.collect::<String>())
        }
        Severity::Info => writeln!(out, "      <system-out>{line}</system-out>"),
        Severity::Warning => {
            writeln!(out, "      <failure type=\"warning\" message=\"{message}\">{line}</failure>")
        }
        Severity::Error => {
            writeln!(out, "      <failure type=\"error\" message=\"{message}\">{line}</failure>")
        }
    };
    out.push_str("    </testcase>\n");
}

/// The attributes that say how many cases there are and how many of them failed.
fn counts(reports: &[FileReport]) -> String {
    let passed = reports.iter().filter(|report| report.diagnostics.is_empty()).count();
    let summary = Summary::of(reports);
    let tests = summary.total() + passed;
    let failures = summary.errors + summary.warnings;
    let skipped = summary.undetermined;
    format!(" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\" time=\"0\"")
}

/// Text for elements and attributes of XML. What XML 1.0 cannot hold at all is replaced.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\t' | '\n' | '\r' => {
                let _ = write!(out, "&#{};", u32::from(c));
            }
            '\0'..' ' | '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::render::samples;

    #[test]
    fn a_suite_per_file() {
        expect![[r#"
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="sinew" tests="5" failures="3" errors="0" skipped="0" time="0">
              <testsuite name="src/main.bicep" tests="2" failures="2" errors="0" skipped="0" time="0">
                <testcase name="BCP033 (7,11)" classname="src/main.bicep" time="0">
                  <failure type="error" message="Expected a value of type &quot;int&quot; but the provided value is of type &quot;string&quot;.">src/main.bicep(7,11) : Error BCP033: Expected a value of type &quot;int&quot; but the provided value is of type &quot;string&quot;. The parameter `size` of the module is an int. [https://aka.ms/bicep/core-diagnostics#BCP033]</failure>
                </testcase>
                <testcase name="no-unused-vars (11,5)" classname="src/main.bicep" time="0">
                  <failure type="warning" message="Variable &quot;unused&quot; is declared but never used.">src/main.bicep(11,5) : Warning no-unused-vars: Variable &quot;unused&quot; is declared but never used.</failure>
                </testcase>
              </testsuite>
              <testsuite name="my files/größe, 100%.bicep" tests="2" failures="1" errors="0" skipped="0" time="0">
                <testcase name="sample-info (1,8)" classname="my files/größe, 100%.bicep" time="0">
                  <system-out>my files/größe, 100%.bicep(1,8) : Info sample-info: After two units &amp; &quot;one&quot; letter.</system-out>
                </testcase>
                <testcase name="BCP018 (2,9)" classname="my files/größe, 100%.bicep" time="0">
                  <failure type="error" message="Line one&#13;&#10;line &lt;two&gt;: 50%�[31m">my files/größe, 100%.bicep(2,9) : Error BCP018: Line one line &lt;two&gt;: 50%�[31m</failure>
                </testcase>
              </testsuite>
              <testsuite name="clean.bicep" tests="1" failures="0" errors="0" skipped="0" time="0">
                <testcase name="clean.bicep" classname="clean.bicep" time="0" />
              </testsuite>
            </testsuites>
        "#]].assert_eq(&render(&samples::reports(), &Tool::new("sinew", "1.0.0")));
    }

    #[test]
    fn nothing_can_break_out_of_the_markup() {
        assert_eq!(
            escape("<a b=\"c\">&'\u{0}\u{1b}\t\r\n]]>é💪\u{ffff}"),
            "&lt;a b=&quot;c&quot;&gt;&amp;&apos;\u{fffd}\u{fffd}&#9;&#13;&#10;]]&gt;é💪\u{fffd}"
        );
    }
}
