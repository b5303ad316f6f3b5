//! Baselines: reading, applying and writing them.

use base::{Diagnostic, FileReport, SourceFile, World as _};
use camino::Utf8Path;
use rules::baseline::{Baseline, Entry};
use rules::{Finding, Rule};

use crate::analysis::Checked;
use crate::failure::Failure;
use crate::report::{self, DiagnosticsFormat};
use crate::session::Session;
use crate::write;

/// Takes out the findings that a baseline accepts.
pub(super) fn apply(
    checked: &mut [Checked],
    rules: &[Rule],
    path: Option<&Utf8Path>,
    session: &Session,
) -> Result<(), Failure> {
    let Some(path) = path else { return Ok(()) };
    let file = session.world.read_source(path).map_err(|error| Failure::unreadable(path, &error))?;
    let mut baseline = match Baseline::read(file.text()) {
        Ok(baseline) => baseline,
        Err((message, range)) => {
            let report = FileReport::new(file, vec![Diagnostic::error("ANALYZE010", range, message)]);
            report::write_beside_output(session, &[report], DiagnosticsFormat::Text)?;
            return Err(Failure::bad_baseline(path));
        }
    };
    for one in checked {
        one.findings.retain(|(file, finding)| !baseline.accept(&entry(file, finding, rules)));
    }
    let gone = baseline.left_over().count();
    if gone > 0 {
        session
            .output
            .warning(&format!("{gone} findings in {path} no longer occur; write the baseline again"))?;
    }
    Ok(())
}

/// Writes all findings and takes them out.
pub(super) fn write(
    checked: &mut [Checked],
    rules: &[Rule],
    path: &Utf8Path,
    session: &Session,
) -> Result<(), Failure> {
    let all = checked.iter().flat_map(|one| &one.findings).map(|(file, finding)| entry(file, finding, rules));
    let baseline = Baseline::of(all);
    write::write(path, &baseline.to_text())?;
    checked.iter_mut().for_each(|one| one.findings.clear());
    session.output.talk(&format!("wrote {path}\n"))
}

fn entry(file: &SourceFile, finding: &Finding, rules: &[Rule]) -> Entry {
    Entry {
        file: file.path().as_str().replace('\\', "/"),
        rule: rules.get(finding.rule).map(|rule| rule.id.to_string()).unwrap_or_default(),
        place: finding.spots.first().map(|spot| spot.place.clone()).unwrap_or_default(),
    }
}
