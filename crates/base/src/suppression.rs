//! Diagnostics that the user has asked not to see. Each language finds its own directives; what they mean is here.

use smol_str::SmolStr;

use crate::{Diagnostic, LineIndex, Severity};

/// Which diagnostics may be silenced, and where the directives of one file silence them.
#[derive(Debug, Clone, Default)]
pub struct Suppressions {
    next_line: Vec<(u32, SmolStr)>,
    spans: Vec<Span>,
}

#[derive(Debug, Clone)]
struct Span {
    code: SmolStr,
    first_line: u32,
    end_line: u32,
}

impl Suppressions {
    /// Silences a code on one line, counted from zero.
    pub fn on_line(&mut self, line: u32, code: impl Into<SmolStr>) {
        self.next_line.push((line, code.into()));
    }

    /// Silences a code from a line on.
    pub fn starting_at(&mut self, line: u32, code: impl Into<SmolStr>) {
        self.spans.push(Span { code: code.into(), first_line: line, end_line: u32::MAX });
    }

    /// Ends what [`Self::starting_at`] began, for this code.
    pub fn ending_at(&mut self, line: u32, code: &str) {
        let open = self.spans.iter_mut().rev().find(|span| span.code == code && span.end_line == u32::MAX);
        if let Some(span) = open {
            span.end_line = line;
        }
    }

    /// Whether there is nothing to silence.
    pub fn is_empty(&self) -> bool {
        self.next_line.is_empty() && self.spans.is_empty()
    }

    /// Whether a diagnostic that starts on this line is silenced.
    pub fn covers(&self, line: u32, code: &str) -> bool {
        self.next_line.iter().any(|(at, silenced)| *at == line && silenced == code)
            || self
                .spans
                .iter()
                .any(|span| span.code == code && (span.first_line..span.end_line).contains(&line))
    }

    /// Drops the silenced diagnostics. `may_silence` is the language's rule for what can be silenced at all.
    pub fn apply(
        &self,
        diagnostics: &mut Vec<Diagnostic>,
        lines: &LineIndex,
        may_silence: impl Fn(&Diagnostic) -> bool,
    ) {
        if self.is_empty() {
            return;
        }
        diagnostics.retain(|diagnostic| {
            !may_silence(diagnostic) || !self.covers(lines.line(diagnostic.range.start()), &diagnostic.code)
        });
    }
}

/// The rule of Bicep: everything but the compiler's own errors can be silenced.
pub fn unless_compiler_error(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity != Severity::Error || !diagnostic.code.starts_with("BCP")
}

#[cfg(test)]
mod tests {
    use text_size::TextRange;

    use super::*;

    #[test]
    fn directives_silence_lines_and_spans_but_no_compiler_errors() {
        let text = "a\nb\nc\nd\n";
        let lines = LineIndex::new(text);
        let at = |offset: u32| TextRange::new(offset.into(), (offset + 1).into());
        let mut found = vec![
            Diagnostic::warning("rule", at(0), "on a"),
            Diagnostic::warning("rule", at(2), "on b"),
            Diagnostic::error("BCP018", at(2), "on b"),
            Diagnostic::warning("other", at(4), "on c"),
            Diagnostic::warning("other", at(6), "on d"),
        ];
        let mut silenced = Suppressions::default();
        silenced.on_line(1, "rule");
        silenced.on_line(1, "BCP018");
        silenced.starting_at(2, "other");
        silenced.ending_at(3, "other");
        silenced.apply(&mut found, &lines, unless_compiler_error);
        let left: Vec<_> = found.iter().map(|d| (d.code.as_str(), d.message.as_str())).collect();
        assert_eq!(left, [("rule", "on a"), ("BCP018", "on b"), ("other", "on d")]);
    }
}
