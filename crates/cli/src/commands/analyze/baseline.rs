//! Baselines: reading, applying and writing them.

use base::{FileReport, World as _};
use camino::{Utf8Path, Utf8PathBuf};
use project::best_practices::baseline_entry;
use rules::{Baseline, Rule};

use crate::analysis::Checked;
use crate::failure::Failure;
use crate::messages;
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
            let report = FileReport::new(file, vec![messages::bad_baseline(range, &message)]);
            report::write_beside_output(session, &[report], DiagnosticsFormat::Text)?;
            return Err(Failure::bad_baseline(path));
        }
    };
    let folder = folder_of(path, session)?;
    for one in checked {
        one.findings
            .retain(|(file, finding)| !baseline.accept(&baseline_entry(file, finding, rules, &folder)));
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
    let folder = folder_of(path, session)?;
    let all = checked.iter().flat_map(|one| &one.findings);
    let baseline = Baseline::of(all.map(|(file, finding)| baseline_entry(file, finding, rules, &folder)));
    write::write(path, &baseline.to_text())?;
    checked.iter_mut().for_each(|one| one.findings.clear());
    session.output.talk(&format!("wrote {path}\n"))
}

fn folder_of(path: &Utf8Path, session: &Session) -> Result<Utf8PathBuf, Failure> {
    let path = session.absolute(path)?;
    Ok(path.parent().unwrap_or(Utf8Path::new("/")).to_owned())
}
