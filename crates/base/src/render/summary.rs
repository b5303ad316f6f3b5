//! How much was found: in one line, or in one table with a line for everything that was done.

use std::fmt;

use crate::{Diagnostic, FileReport, Severity};

/// Counts of diagnostics. Prints as `Found 2 errors and 1 warning in 3 files.`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// How many errors.
    pub errors: usize,
    /// How many warnings.
    pub warnings: usize,
    /// How many informations.
    pub infos: usize,
    /// How many checks could not be made.
    pub undetermined: usize,
    /// How many files were looked at.
    pub files: usize,
}

impl Summary {
    /// Counts what reports hold.
    pub fn of(reports: &[FileReport]) -> Self {
        let mut summary = Self { files: reports.len(), ..Self::default() };
        for diagnostic in reports.iter().flat_map(|report| &report.diagnostics) {
            summary.add(diagnostic);
        }
        summary
    }

    /// Counts one more.
    pub const fn add(&mut self, diagnostic: &Diagnostic) {
        match diagnostic.severity {
            _ if diagnostic.is_undetermined => self.undetermined += 1,
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Info => self.infos += 1,
        }
    }

    /// How many diagnostics of any kind.
    pub const fn total(&self) -> usize {
        self.errors + self.warnings + self.infos + self.undetermined
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = [(self.errors, "error"), (self.warnings, "warning"), (self.infos, "note")];
        let mut counts: Vec<_> =
            kinds.iter().filter(|(count, _)| *count > 0).map(|(n, s)| counted(*n, s)).collect();
        if self.undetermined > 0 {
            counts.push(format!("{} undetermined", self.undetermined));
        }
        let files = counted(self.files, "file");
        match counts.split_last() {
            None => write!(f, "No problems found in {files}."),
            Some((only, [])) => write!(f, "Found {only} in {files}."),
            Some((last, others)) => write!(f, "Found {} and {last} in {files}.", others.join(", ")),
        }
    }
}

/// One of several things that were done, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub name: &'static str,
    /// What it found.
    pub summary: Summary,
    /// Whether it failed: what counts as that is for the step to say.
    pub failed: bool,
}

impl Step {
    /// `failed`, `undetermined`, `passed`, or `nothing to do`.
    pub const fn result(&self) -> &'static str {
        match (self.failed, self.summary) {
            (true, _) => "failed",
            (false, Summary { undetermined: 1.., .. }) => "undetermined",
            (false, Summary { files: 0, .. }) => "nothing to do",
            (false, _) => "passed",
        }
    }
}

/// Steps as a table, one line each.
pub fn table(steps: &[Step]) -> String {
    let titles = ["check", "files", "errors", "warnings", "notes", "undetermined", "result"];
    let mut rows = vec![titles.map(str::to_owned)];
    for step in steps {
        let Summary { files, errors, warnings, infos, undetermined } = step.summary;
        let counts = [files, errors, warnings, infos, undetermined].map(|count| count.to_string());
        let [files, errors, warnings, infos, open] = counts;
        rows.push([step.name.to_owned(), files, errors, warnings, infos, open, step.result().to_owned()]);
    }
    let width = rows.iter().map(|row| row[0].len()).max().unwrap_or_default();
    let line = |[name, files, errors, warnings, notes, open, result]: &[String; 7]| {
        format!("{name:<width$}  {files:>7}  {errors:>7}  {warnings:>8}  {notes:>7}  {open:>12}  {result}\n")
    };
    rows.iter().map(line).collect()
}

pub(super) fn counted(count: usize, what: &str) -> String {
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

    #[test]
    fn steps_make_a_table() {
        let step = |name, files, errors, failed| Step {
            name,
            summary: Summary { files, errors, warnings: 1, ..Summary::default() },
            failed,
        };
        let open = Summary { files: 1, undetermined: 2, ..Summary::default() };
        let validators = Step { name: "validators", summary: open, failed: false };
        let steps = [step("compile", 12, 0, false), step("formatting", 3, 3, true), validators];
        expect_test::expect![[r#"
            check         files   errors  warnings    notes  undetermined  result
            compile          12        0         1        0             0  passed
            formatting        3        3         1        0             0  failed
            validators        1        0         0        0             2  undetermined
        "#]]
        .assert_eq(&table(&steps));
    }
}
