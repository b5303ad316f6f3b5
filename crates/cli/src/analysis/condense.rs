//! Files of which only the lines are kept that something is said about. A folder of compiled templates is more text than
//! memory should hold, and a report shows few lines of it.

use std::collections::BTreeSet;
use std::sync::Arc;

use base::{Diagnostic, SourceFile, TextRange, TextSize};
use rules::{Finding, FindingLocation};

use super::Checked;

/// Cuts the text of a file down, for all that was said about it. Lines and columns stay what they are; offsets do not,
/// so that this is not for reports that have them.
pub(crate) fn condense(checked: &mut [Checked]) {
    let Some(root) = checked.first().map(|one| Arc::clone(&one.root)) else { return };
    if has_lone_returns(root.text()) {
        return;
    }
    let mut lines = BTreeSet::new();
    each_range(checked, &root, &mut |range| {
        // Pages show the lines around, too.
        let (first, last) = (root.lines().line(range.start()), root.lines().line(range.end()));
        lines.extend(first.saturating_sub(1)..=last.saturating_add(1));
        range
    });
    let condensed = CondensedFile::of(&root, &lines);
    each_range(checked, &root, &mut |range| condensed.range(range));
    for one in checked {
        let is_root = |file: &Arc<SourceFile>| file.path() == root.path();
        let files = one.reports.iter_mut().map(|report| &mut report.file);
        let files = files.chain(one.findings.iter_mut().map(|(file, _)| file));
        files.filter(|file| is_root(file)).for_each(|file| *file = Arc::clone(&condensed.file));
        one.root = Arc::clone(&condensed.file);
    }
}

/// Whether lines end with a carriage return alone: before the end of another line it would become part of that.
fn has_lone_returns(text: &str) -> bool {
    text.split('\r').skip(1).any(|rest| !rest.starts_with('\n'))
}

/// Replaces all ranges in what was said about a file.
fn each_range(
    checked: &mut [Checked],
    root: &Arc<SourceFile>,
    replace: &mut impl FnMut(TextRange) -> TextRange,
) {
    for one in checked {
        for report in one.reports.iter_mut().filter(|report| report.file.path() == root.path()) {
            report.diagnostics.iter_mut().for_each(|it| ranges_of_diagnostic(it, replace));
        }
        for (_, finding) in one.findings.iter_mut().filter(|(file, _)| file.path() == root.path()) {
            let verdict = finding.verdict.clone();
            let moved = |spot: FindingLocation| FindingLocation { range: replace(spot.range), ..spot };
            *finding = Finding { verdict: verdict.map(moved), ..*finding };
        }
    }
}

fn ranges_of_diagnostic(diagnostic: &mut Diagnostic, replace: &mut impl FnMut(TextRange) -> TextRange) {
    diagnostic.range = replace(diagnostic.range);
    diagnostic.labels.iter_mut().for_each(|label| label.range = replace(label.range));
    let edits = diagnostic.fixes.iter_mut().flat_map(|fix| &mut fix.edits);
    edits.for_each(|edit| edit.range = replace(edit.range));
}

struct CondensedFile {
    file: Arc<SourceFile>,
    /// Where kept lines start: in the whole text, and in this one.
    kept: Vec<(TextSize, TextSize)>,
}

impl CondensedFile {
    fn of(whole: &SourceFile, lines: &BTreeSet<u32>) -> Self {
        let (mut text, mut kept) = (String::new(), Vec::with_capacity(lines.len()));
        let count = u32::try_from(whole.lines().line_count()).unwrap_or(u32::MAX);
        let mut next = 0;
        for &number in lines.iter().filter(|number| **number < count) {
            // Of the lines between, the ends stay, so that the numbers of the others do.
            text.extend((next..number).map(|_| '\n'));
            let start = whole.lines().line_start(number);
            kept.push((start, TextSize::of(&text)));
            text.push_str(whole.slice(TextRange::new(start, whole.lines().line_start(number + 1))));
            next = number + 1;
        }
        Self { file: SourceFile::new(whole.path(), text), kept }
    }

    fn range(&self, range: TextRange) -> TextRange {
        TextRange::new(self.offset(range.start()), self.offset(range.end()))
    }

    fn offset(&self, at: TextSize) -> TextSize {
        let after = self.kept.partition_point(|(start, _)| *start <= at);
        match after.checked_sub(1).and_then(|before| self.kept.get(before)) {
            Some((start, moved)) => *moved + (at - *start),
            None => TextSize::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Check, FileReport};

    #[test]
    fn lines_and_columns_stay() {
        let text = "zero\none\r\ntwo ü x\nthree\nfour\nfive\n\nseven\neight";
        let whole = SourceFile::new("a.json", text);
        let at = |needle: &str| {
            let start = TextSize::of(text.split(needle).next().unwrap());
            TextRange::at(start, TextSize::of(needle))
        };
        let diagnostics = ["x\nth", "eight"].map(|needle| Check::Rules.error("X", at(needle), "wrong"));
        let report = FileReport::new(Arc::clone(&whole), diagnostics.to_vec());
        let before: Vec<_> = report.diagnostics.iter().map(|it| whole.position(it.range.start())).collect();
        let mut checked = [Checked {
            root: Arc::clone(&whole),
            parameters: None,
            findings: Vec::new(),
            passed: None,
            is_without_values: false,
            reports: vec![report],
        }];
        condense(&mut checked);
        let [Checked { root, reports, .. }] = &checked;
        assert_eq!(
            root.text().as_ref(),
            "\none\r\ntwo ü x\nthree\nfour\n\n\nseven\neight",
            "lines are counted"
        );
        let after = reports.iter().flat_map(|report| &report.diagnostics);
        let after: Vec<_> = after.map(|it| (root.position(it.range.start()), root.slice(it.range))).collect();
        assert_eq!(after.iter().map(|(place, _)| *place).collect::<Vec<_>>(), before);
        assert_eq!(after.iter().map(|(_, text)| *text).collect::<Vec<_>>(), ["x\nth", "eight"]);
    }
}
