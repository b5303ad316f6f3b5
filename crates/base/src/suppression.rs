//! Diagnostics that the user has asked not to see. Each language finds its own directives; what they mean is here.

use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

use crate::{Diagnostic, Severity, SourceFile};

/// Which diagnostics may be silenced, and where the directives of one file silence them.
#[derive(Debug, Clone, Default)]
pub struct Suppressions {
    /// The lines on which a code is silenced.
    lines: FxHashMap<SmolStr, FxHashSet<u32>>,
    spans: FxHashMap<SmolStr, Spans>,
}

/// Where a code is silenced from one directive to another.
#[derive(Debug, Clone, Default)]
struct Spans {
    /// First lines, and the lines behind the last ones; they do not overlap, and are in order.
    closed: Vec<(u32, u32)>,
    /// Where the one begins that has no end yet.
    open: Option<u32>,
}

impl Suppressions {
    /// Silences a code on one line, counted from zero.
    pub fn on_line(&mut self, line: u32, code: impl Into<SmolStr>) {
        self.lines.entry(code.into()).or_default().insert(line);
    }

    /// Silences a code from a line on. Directives come in the order of the text; one that is in force already changes nothing,
    /// so that the next end is the end.
    pub fn starting_at(&mut self, line: u32, code: impl Into<SmolStr>) {
        self.spans.entry(code.into()).or_default().open.get_or_insert(line);
    }

    /// Ends what [`Self::starting_at`] began, for this code.
    pub fn ending_at(&mut self, line: u32, code: &str) {
        let Some(spans) = self.spans.get_mut(code) else { return };
        if let Some(first) = spans.open.take() {
            spans.closed.push((first, line));
        }
    }

    /// Whether there is nothing to silence.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.spans.is_empty()
    }

    /// Whether a diagnostic that starts on this line is silenced.
    pub fn covers(&self, line: u32, code: &str) -> bool {
        self.lines.get(code).is_some_and(|lines| lines.contains(&line))
            || self.spans.get(code).is_some_and(|spans| spans.contain(line))
    }

    /// Drops the silenced diagnostics. `may_silence` is the language's rule for what can be silenced at all.
    pub fn apply(
        &self,
        diagnostics: &mut Vec<Diagnostic>,
        source: &SourceFile,
        may_silence: impl Fn(&Diagnostic) -> bool,
    ) {
        if self.is_empty() {
            return;
        }
        let lines = source.lines();
        diagnostics.retain(|diagnostic| {
            !may_silence(diagnostic) || !self.covers(lines.line(diagnostic.range.start()), &diagnostic.code)
        });
    }
}

impl Spans {
    fn contain(&self, line: u32) -> bool {
        let behind = self.closed.partition_point(|(first, _)| *first <= line);
        let closed = behind.checked_sub(1).and_then(|last| self.closed.get(last));
        closed.is_some_and(|(_, end)| line < *end) || self.open.is_some_and(|first| first <= line)
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
    use crate::Check;

    #[test]
    fn directives_silence_lines_and_spans_but_no_compiler_errors() {
        let source = SourceFile::new("main.bicep", "a\nb\nc\nd\n");
        let at = |offset: u32| TextRange::new(offset.into(), (offset + 1).into());
        let mut found = vec![
            Check::Compiler.warning("rule", at(0), "on a"),
            Check::Compiler.warning("rule", at(2), "on b"),
            Check::Compiler.error("BCP018", at(2), "on b"),
            Check::Compiler.warning("other", at(4), "on c"),
            Check::Compiler.warning("other", at(6), "on d"),
        ];
        let mut silenced = Suppressions::default();
        silenced.on_line(1, "rule");
        silenced.on_line(1, "BCP018");
        silenced.starting_at(2, "other");
        silenced.ending_at(3, "other");
        silenced.apply(&mut found, &source, unless_compiler_error);
        let left: Vec<_> = found.iter().map(|d| (d.code.as_str(), d.message.as_str())).collect();
        assert_eq!(left, [("rule", "on a"), ("BCP018", "on b"), ("other", "on d")]);
    }

    #[test]
    fn a_second_start_changes_nothing() {
        let mut silenced = Suppressions::default();
        silenced.starting_at(1, "a");
        silenced.starting_at(3, "a");
        silenced.ending_at(5, "a");
        silenced.ending_at(7, "a");
        silenced.ending_at(8, "a");
        silenced.starting_at(10, "a");
        silenced.ending_at(12, "a");
        silenced.starting_at(14, "a");
        let covered: Vec<u32> = (0..16).filter(|line| silenced.covers(*line, "a")).collect();
        assert_eq!(covered, [1, 2, 3, 4, 10, 11, 14, 15]);
        assert!(!silenced.covers(1, "b"));
    }
}
