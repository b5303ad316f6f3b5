//! GitHub workflow commands: written to a job's log, they show up as annotations at the lines of a change.

use std::fmt::Write as _;

use super::regions::{Region, RegionFinder};
use crate::{Diagnostic, FileReport, Severity};

pub(super) fn render(reports: &[FileReport]) -> String {
    let mut out = String::new();
    for report in reports {
        let mut places = RegionFinder::new(&report.file);
        for diagnostic in &report.diagnostics {
            push_command(&mut out, report.file.path().as_str(), places.region(diagnostic.range), diagnostic);
        }
    }
    out
}

fn push_command(out: &mut String, path: &str, place: Region, diagnostic: &Diagnostic) {
    let command = match diagnostic.severity {
        Severity::Info => "notice",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let Region { start_line, start_column, end_line, end_column } = place;
    let file = property(&path.replace('\\', "/"));
    let title = property(&diagnostic.code);
    let notes = diagnostic.notes.iter().map(|note| format!("%0A{}", data(note)));
    let message: String = std::iter::once(data(&diagnostic.message)).chain(notes).collect();
    let link = diagnostic.link.as_deref().map_or(String::new(), |link| format!(" [{}]", data(link)));
    // The runner takes columns only within one line. Writing to a String cannot fail.
    let _ = if start_line == end_line {
        writeln!(
            out,
            "::{command} file={file},line={start_line},col={start_column},endLine={end_line},endColumn={end_column},\
             title={title}::{message}{link}"
        )
    } else {
        writeln!(
            out,
            "::{command} file={file},line={start_line},endLine={end_line},title={title}::{message}{link}"
        )
    };
}

/// The escapes of a command's message. Other control characters would steer the log's viewer.
fn data(text: &str) -> String {
    let unsafe_in_logs = |c: char| c.is_control() && !matches!(c, '\r' | '\n' | '\t');
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A").replace(unsafe_in_logs, "\u{fffd}")
}

/// The escapes of a command's properties.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::render::samples;

    #[test]
    fn one_command_each() {
        expect![[r#"
            ::error file=src/main.bicep,line=7,col=11,endLine=7,endColumn=15,title=BCP033::Expected a value of type "int" but the provided value is of type "string".%0AThe parameter `size` of the module is an int. [https://aka.ms/bicep/core-diagnostics#BCP033]
            ::warning file=src/main.bicep,line=11,col=5,endLine=11,endColumn=11,title=no-unused-vars::Variable "unused" is declared but never used.
            ::notice file=my files/größe%2C 100%25.bicep,line=1,col=8,endLine=1,endColumn=13,title=sample-info::After two units & "one" letter.
            ::error file=my files/größe%2C 100%25.bicep,line=2,endLine=4,title=BCP018::Line one%0D%0Aline <two>: 50%25�[31m
        "#]].assert_eq(&render(&samples::reports()));
    }

    #[test]
    fn nothing_can_break_out_of_a_command() {
        assert_eq!(property("a,b:c%\r\nd"), "a%2Cb%3Ac%25%0D%0Ad");
        assert_eq!(data("::error::a%0A"), "::error::a%250A");
    }
}
