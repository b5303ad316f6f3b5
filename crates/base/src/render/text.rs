//! The Bicep CLI's form, which editors and pipelines match: `path(line,column) : Level CODE: message [link]`.

use std::borrow::Cow;

use super::regions::{Region, RegionFinder};
use crate::{Diagnostic, FileReport};

pub(super) fn render(reports: &[FileReport]) -> String {
    let mut out = String::new();
    for report in reports {
        let mut places = RegionFinder::new(&report.file);
        for diagnostic in &report.diagnostics {
            out.push_str(&line(report.file.path().as_str(), places.region(diagnostic.range), diagnostic));
            out.push('\n');
        }
    }
    out
}

/// One diagnostic on one line.
pub(super) fn line(path: &str, place: Region, diagnostic: &Diagnostic) -> String {
    let Region { start_line, start_column, .. } = place;
    let Diagnostic { severity, code, .. } = diagnostic;
    let path = single_line(path);
    let mut message = single_line(&diagnostic.message).into_owned();
    for note in &diagnostic.notes {
        message.push(' ');
        message.push_str(&single_line(note));
    }
    let link = diagnostic.link.as_deref().map_or(String::new(), |link| format!(" [{}]", single_line(link)));
    format!("{path}({start_line},{start_column}) : {} {code}: {message}{link}", severity.name())
}

/// Line ends become spaces and other control characters are replaced: what a file says must not look like a report, nor
/// steer the terminal.
fn single_line(text: &str) -> Cow<'_, str> {
    // Bytes are looked at faster than characters. Control characters outside of ASCII start with 0xC2.
    let may_be_control = |byte: u8| byte.is_ascii_control() || byte == 0xC2;
    if !text.bytes().any(may_be_control) || !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let visible = |c: char| match c {
        '\n' | '\r' | '\t' => ' ',
        c if c.is_control() => char::REPLACEMENT_CHARACTER,
        c => c,
    };
    Cow::Owned(text.replace("\r\n", " ").chars().map(visible).collect())
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::render::samples;

    #[test]
    fn one_line_each() {
        expect![[r#"
            src/main.bicep(7,11) : Error BCP033: Expected a value of type "int" but the provided value is of type "string". The parameter `size` of the module is an int. [https://aka.ms/bicep/core-diagnostics#BCP033]
            src/main.bicep(11,5) : Warning no-unused-vars: Variable "unused" is declared but never used.
            my files/größe, 100%.bicep(1,8) : Info sample-info: After two units & "one" letter.
            my files/größe, 100%.bicep(2,9) : Error BCP018: Line one line <two>: 50%�[31m
        "#]].assert_eq(&render(&samples::reports()));
    }
}
