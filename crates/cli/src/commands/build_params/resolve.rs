//! `build-params --resolve`: the values of external inputs, and what becomes of the parameters with them.

use std::collections::BTreeMap;
use std::sync::Arc;

use arm::NoState;
use arm::expand::{Deployment, Missing, Policy, Setup};
use arm::parameters::Inputs;
use base::disk::SystemClock;
use base::{Budget, Diagnostic, FileReport, Limits, Verdict};
use bicep_emit::parameters::{Assigned, Parameters};
use bicep_emit::{Emitter, validation};
use bicep_sema::FileId;
use camino::Utf8Path;

use crate::batch::Entry;
use crate::external_inputs::{AnswerArgs, Asked, Resolver};
use crate::failure::Failure;
use crate::messages;
use crate::session::Session;

/// The values of all external inputs by key. What has none is reported where the file asks for it.
pub(super) fn answers(
    entry: &Entry<'_>,
    parameters: &Parameters,
    args: &AnswerArgs,
    session: &Session,
) -> Result<BTreeMap<String, arm::Value>, Failure> {
    let (program, resolver) = (entry.compilation.program(), Resolver::new(args, session)?);
    let mut answers = BTreeMap::new();
    let mut open: BTreeMap<FileId, Vec<Diagnostic>> = BTreeMap::new();
    let wanted = parameters.inputs().wanted_inputs();
    for input in &parameters.external_inputs {
        let path = program.unit(input.file).source().path();
        let folder = path.parent().unwrap_or(Utf8Path::new("/"));
        let asked = Asked { key: &input.key, kind: &input.kind, config: input.config.as_ref(), folder };
        match resolver.answer(asked) {
            Ok(value) => {
                // It may be a secret: nobody shows it.
                answers.insert(input.key.clone(), arm::Value::from(&value).into_secure());
            }
            // Nothing that is written depends on it.
            Err(_) if !wanted.contains(input.key.as_str()) => {}
            Err(reason) => {
                open.entry(input.file).or_default().push(messages::unresolved_input(
                    input.range,
                    &input.key,
                    &reason,
                ));
            }
        }
    }
    tell(entry, open)?;
    resolver.check_all_used()?;
    Ok(answers)
}

/// Reports what cannot be evaluated with the values that the external inputs have, and what validators say about it.
pub(super) fn check(
    entry: &Entry<'_>,
    emitter: &Emitter<'_>,
    parameters: &Parameters,
) -> Result<(), Failure> {
    // The reasons might show the values.
    let mut found: Vec<Diagnostic> = parameters.diagnostics.iter().map(messages::withheld).collect();
    if found.is_empty() {
        found = misfits(emitter, parameters);
    }
    if found.is_empty() {
        let clocks: validation::Clocks = || Arc::new(SystemClock::default());
        found = validation::check_parameters(emitter, entry.file, parameters, Some(clocks));
    }
    tell(entry, BTreeMap::from([(entry.file, found)]))
}

/// Values that the template does not take, by their types. Until now nothing was known about them.
fn misfits(emitter: &Emitter<'_>, parameters: &Parameters) -> Vec<Diagnostic> {
    let Some(emitted) = parameters.template.map(|file| emitter.template(file)) else { return Vec::new() };
    let values = parameters.assignments.iter().filter_map(|it| match &it.assigned {
        Assigned::Value(value) if it.is_declared => Some((it, value)),
        _ => None,
    });
    let values: Vec<_> = values.collect();
    let inputs = Inputs::of_values(values.iter().map(|(it, value)| (it.name.clone(), (*value).clone())));
    let (context, budget) = (arm::Context::default(), Budget::new(Limits::default()));
    let deployment = Deployment::new(Setup {
        template: emitted.model(),
        inputs: &inputs,
        context: &context,
        state: &NoState,
        budget: &budget,
        policy: Policy { missing: Missing::Unknown, ..Policy::default() },
    });
    let mut found = Vec::new();
    for (assignment, value) in values.into_iter().filter(|(_, value)| !value.is_null()) {
        let verdict = deployment.check_parameter(&assignment.name, value).unwrap_or(Verdict::Pass);
        let first = verdict.failures().iter().find(|error| error.validator().is_none());
        found.extend(
            first.map(|error| {
                messages::input_does_not_fit(assignment.range, &assignment.name, error.message())
            }),
        );
    }
    found
}

/// Reports what was found, if that is anything, and ends the work on the file.
fn tell(entry: &Entry<'_>, found: BTreeMap<FileId, Vec<Diagnostic>>) -> Result<(), Failure> {
    let program = entry.compilation.program();
    let reports: Vec<FileReport> = found
        .into_iter()
        .filter(|(_, diagnostics)| !diagnostics.is_empty())
        .map(|(file, diagnostics)| FileReport::new(Arc::clone(program.unit(file).source()), diagnostics))
        .collect();
    if reports.is_empty() {
        return Ok(());
    }
    entry.tell(reports);
    Err(Failure::unresolved_inputs())
}
