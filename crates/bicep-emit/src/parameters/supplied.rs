//! What a parameter file assigns, as an evaluation takes it.

use arm::parameters::{ExternalInput, Inputs, Supplied};
use arm::template::{Term, TermKind};
use base::TextRange;

use super::{Assigned, Parameters};

impl Parameters {
    /// The values that the template takes, and what they still wait for. What could not be evaluated is left out.
    pub fn inputs(&self) -> Inputs {
        let mut inputs = Inputs::default();
        for assignment in self.assignments.iter().filter(|assignment| assignment.is_declared) {
            let supplied = match &assignment.assigned {
                Assigned::Value(value) => Supplied::Value(value.clone(), None),
                Assigned::Expression(expression) => Supplied::Expression(Term {
                    range: TextRange::default(),
                    kind: TermKind::Expression(expression.clone(), 0),
                }),
                Assigned::Secret(secret) => Supplied::Reference(arm::Value::from(&self.secret(secret))),
                Assigned::Failed => continue,
            };
            inputs.parameters.insert(assignment.name.clone(), supplied);
        }
        for input in &self.external_inputs {
            let config = input.config.as_ref().map(arm::Value::from).unwrap_or_default();
            let open = ExternalInput { kind: input.kind.as_str().into(), config, value: None };
            inputs.external.insert(input.key.as_str().into(), open);
        }
        inputs
    }
}
