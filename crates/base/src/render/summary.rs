//! How much was found, in one line.

use std::fmt;

use crate::{FileReport, Severity};

/// Counts of diagnostics. Prints as `Found 2 errors and 1 warning in 3 files.`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// How many errors.
    pub errors: usize,
    /// How many warnings.
    pub warnings: usize,
    /// How many informations.
    pub infos: usize,
    /// How many files were looked at.
    pub files: usize,
}

impl Summary {
    /// Counts what reports hold.
    pub fn of(reports: &[FileReport]) -> Self {
        let mut summary = Self { files: reports.len(), ..Self::default() };
        for diagnostic in reports.iter().flat_map(|report| &report.diagnostics) {
            match diagnostic.severity {
                Severity::Error => summary.errors += 1,
                Severity::Warning => summary.warnings += 1,
                Severity::Info => summary.infos += 1,
            }
        }
        summary
    }

    /// How many diagnostics of any kind.
    pub const fn total(&self) -> usize {
        self.errors + self.warnings + self.infos
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = [(self.errors, "error"), (self.warnings, "warning"), (self.infos, "note")];
        let counts: Vec<_> =
            kinds.iter().filter(|(count, _)| *count > 0).map(|(n, s)| counted(*n, s)).collect();
        let files = counted(self.files, "file");
        match counts.split_last() {
            None => write!(f, "No problems found in {files}."),
            Some((only, [])) => write!(f, "Found {only} in {files}."),
            Some((last, others)) => write!(f, "Found {} and {last} in {files}.", others.join(", ")),
        }
    }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::samples;

    #[test]
    fn counts_are_said_in_one_line() {
        let sample = Summary::of(&samples::reports());
        assert_eq!(sample.to_string(), "Found 2 errors, 1 warning and 1 note in 3 files.");
        for (summary, want) in [
            (Summary::default(), "No problems found in 0 files."),
            (Summary { files: 1, ..Summary::default() }, "No problems found in 1 file."),
            (Summary { errors: 1, files: 1, ..Summary::default() }, "Found 1 error in 1 file."),
            (
                Summary { warnings: 2, infos: 1, files: 3, ..Summary::default() },
                "Found 2 warnings and 1 note in 3 files.",
            ),
        ] {
            assert_eq!(summary.to_string(), want);
        }
    }
}
