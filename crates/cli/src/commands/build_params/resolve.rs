//! `build-params --resolve`: the values of external inputs, and what becomes of the parameters with them.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Diagnostic, FileReport};
use bicep_emit::parameters::Parameters;
use bicep_sema::{FileId, Program};
use camino::Utf8Path;

use crate::commands::external_inputs::unresolved;
use crate::external_inputs::{AnswerArgs, Asked, Resolver};
use crate::failure::Failure;
use crate::report::{self, DiagnosticsFormat};
use crate::session::Session;

/// The values of all external inputs by key. What has none is reported where the file asks for it.
pub(super) fn answers(
    program: &Program<'_>,
    parameters: &Parameters,
    args: &AnswerArgs,
    session: &Session,
) -> Result<BTreeMap<String, arm::Value>, Failure> {
    let resolver = Resolver::new(args, session)?;
    let mut answers = BTreeMap::new();
    let mut open: BTreeMap<FileId, Vec<Diagnostic>> = BTreeMap::new();
    for input in &parameters.external_inputs {
        let path = program.unit(input.file).source().path();
        let folder = path.parent().unwrap_or(Utf8Path::new("/"));
        let asked = Asked { key: &input.key, kind: &input.kind, config: input.config.as_ref(), folder };
        match resolver.answer(asked) {
            Ok(value) => {
                answers.insert(input.key.clone(), arm::Value::from(&value));
            }
            Err(reason) => {
                open.entry(input.file).or_default().push(unresolved(input.range, &input.key, &reason));
            }
        }
    }
    tell(program, open, session)?;
    resolver.check_all_used()?;
    Ok(answers)
}

/// Reports what cannot be evaluated with the values that the external inputs have. The reasons might show them.
pub(super) fn check(
    program: &Program<'_>,
    file: FileId,
    parameters: &Parameters,
    session: &Session,
) -> Result<(), Failure> {
    let hide = |diagnostic: &Diagnostic| {
        let message =
            "The value cannot be evaluated; the reason is withheld, as external inputs may be secrets";
        Diagnostic::error(diagnostic.code.clone(), diagnostic.range, message)
    };
    let found: Vec<Diagnostic> = parameters.diagnostics.iter().map(hide).collect();
    tell(program, BTreeMap::from([(file, found)]), session)
}

/// Writes reports, if there is anything in them, and ends the work on the file.
fn tell(
    program: &Program<'_>,
    found: BTreeMap<FileId, Vec<Diagnostic>>,
    session: &Session,
) -> Result<(), Failure> {
    let reports: Vec<FileReport> = found
        .into_iter()
        .filter(|(_, diagnostics)| !diagnostics.is_empty())
        .map(|(file, diagnostics)| FileReport::new(Arc::clone(program.unit(file).source()), diagnostics))
        .collect();
    if reports.is_empty() {
        return Ok(());
    }
    report::write_beside_output(session, &reports, DiagnosticsFormat::Text)?;
    Err(Failure::unresolved_inputs())
}
