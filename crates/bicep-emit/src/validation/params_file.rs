//! The values of a parameter file, checked by the template that it is for.

use arm::evaluate::Scope;
use arm::parameters::{ExternalInput, Inputs, Supplied};
use base::{Diagnostic, Related};
use bicep_sema::{FileId, Program};
use bicep_syntax::ast::{self, Expr, Statement};

use super::{FileValidation, Site};
use crate::parameters::{Assigned, Assignment, ParameterOptions, Parameters, parameters};
use crate::{Emitter, messages};

impl<'p> FileValidation<'p> {
    /// Checks what a parameter file assigns, inherited values included.
    pub(super) fn params_file(&mut self, emitter: &Emitter<'p>, file: FileId) {
        if let Some(given) = parameters(self.program, file, &ParameterOptions::default()) {
            self.parameters(emitter, file, &given);
        }
    }

    /// Checks the values of a parameter file, which may have been evaluated with external inputs.
    pub(super) fn parameters(&mut self, emitter: &Emitter<'p>, file: FileId, given: &Parameters) {
        let Some(target) = given.template else { return };
        let emitted = emitter.template(target);
        let template = emitted.model();
        let inputs = self.supplied(template, given);
        let constrained = self.constrained(template).parameters;
        let is_constrained =
            |name: &str| constrained.iter().any(|constrained| json::eq_ignore_case(constrained, name));
        for assignment in given.assignments.iter().filter(|it| is_constrained(&it.name)) {
            let name = assignment.name.as_str();
            let Some(value) = value_of(self.program, assignment) else { continue };
            let report = self.check_input(template, &inputs, name);
            let site = Site { value, name, checked_in: target };
            if assignment.file == file {
                self.report(report, site);
                continue;
            }
            // The value stands in an extended file, which may be used with other templates too.
            let own = std::mem::take(&mut self.found);
            self.report(report, site);
            let inherited = std::mem::replace(&mut self.found, own);
            self.found.extend(
                inherited.into_iter().filter_map(|it| at_extends(self.program, file, assignment, it)),
            );
        }
    }

    /// What the file assigns, with what waits for external inputs left open.
    fn supplied(&self, template: &arm::Template, given: &Parameters) -> Inputs {
        let mut inputs = Inputs::default();
        for input in &given.external_inputs {
            let open =
                ExternalInput { kind: input.kind.as_str().into(), config: arm::Value::NULL, value: None };
            inputs.external.insert(input.key.as_str().into(), open);
        }
        for assignment in &given.assignments {
            let value = match &assigned(assignment) {
                Some(Assigned::Value(value)) => Some(value.clone()),
                Some(Assigned::Expression(expression)) => {
                    self.with_deployment(template, &inputs, |deployment| {
                        deployment.evaluator().expression(expression, &Scope::free()).ok()
                    })
                }
                _ => None,
            };
            if let Some(value) = value {
                inputs.parameters.insert(assignment.name.clone(), Supplied::Value(value, None));
            }
        }
        inputs
    }
}

fn assigned(assignment: &Assignment) -> Option<&Assigned> {
    assignment.is_declared.then_some(&assignment.assigned)
}

/// The expression that gives a parameter its value.
fn value_of<'p>(program: &'p Program<'p>, assignment: &Assignment) -> Option<Expr<'p>> {
    let statements = program.bicep(assignment.file)?.tree().file().statements();
    let mut assignments = statements.filter_map(|statement| match statement {
        Statement::ParamAssignment(it) => Some(it.value()),
        _ => None,
    });
    assignments.find(|value| value.range() == assignment.range)
}

/// What is wrong with an inherited value, told where the file asks for it.
fn at_extends(
    program: &Program<'_>,
    file: FileId,
    assignment: &Assignment,
    found: Diagnostic,
) -> Option<Diagnostic> {
    let extends = program.bicep(file)?.tree().file().statements().find_map(|statement| match statement {
        Statement::Extends(extends) => Some(extends),
        _ => None,
    })?;
    let source = program.bicep(assignment.file)?.source.clone();
    let value = Related { file: source, range: found.range, message: messages::INHERITED.to_owned() };
    let related = std::iter::once(value).chain(found.related).collect();
    let range = extends.path().map_or(extends.range(), ast::Str::range);
    Some(Diagnostic { range, related, ..found })
}
