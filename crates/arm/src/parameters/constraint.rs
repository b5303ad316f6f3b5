//! Checks that the template brings along: `validate` lambdas and `userDefinedConstraint` functions.

use base::Verdict;

use super::check::{CheckedPart, Checker, Findings};
use crate::error::Error;
use crate::evaluate::{Lambda, Scope};
use crate::messages;
use crate::template::{LambdaConstraint, TypeNode, UserConstraint};
use crate::value::{Kind, Unknown, Value};

/// How messages call the validator that a lambda is.
const LAMBDA: &str = "validate";

impl<'t> Checker<'t> {
    /// Runs the checks of one type on a value that is otherwise good. All of them run; every failure is reported.
    pub(super) fn constraints(&self, spot: &CheckedPart<'_>, node: &'t TypeNode, report: &mut Findings) {
        if let Some(constraint) = &node.validate {
            let answer = self.lambda_verdict(spot, constraint).map_err(|error| error.at(constraint.range));
            settle(spot, LAMBDA, answer, report);
        }
        for constraint in &node.constraints {
            let (Some(namespace), Some(name)) = (&constraint.namespace, &constraint.name) else {
                spot.fail(report, messages::incomplete_constraint().at(constraint.range).by(""));
                continue;
            };
            let name = format!("{namespace}.{name}");
            let answer = self.function_verdict(spot, constraint, &name);
            settle(spot, &name, answer.map_err(|error| error.at(constraint.range)), report);
        }
    }

    fn lambda_verdict(
        &self,
        spot: &CheckedPart<'_>,
        constraint: &LambdaConstraint,
    ) -> Result<Verdict<String>, Error> {
        let lambda = self.evaluator.term(&constraint.lambda, &Scope::free())?;
        let Kind::Lambda(lambda) = lambda.kind() else {
            return Err(messages::bad_validator_result(LAMBDA, "a lambda is expected"));
        };
        let result = self.apply(lambda, spot.value).map_err(|error| named(LAMBDA, spot.value, error))?;
        match result.kind() {
            Kind::Bool(true) => Ok(Verdict::Pass),
            Kind::Bool(false) => {
                let message = match &constraint.message {
                    Some(term) => self.evaluator.term(term, &Scope::free())?.as_str().map(String::from),
                    None => None,
                };
                Ok(Verdict::Fail(vec![message.unwrap_or_else(|| messages::VALIDATION_FAILED.into())]))
            }
            Kind::Unknown(unknown) => Ok(left_open(unknown)),
            _ => Err(messages::bad_validator_result(LAMBDA, "the lambda must give true or false")),
        }
    }

    fn apply(&self, lambda: &Lambda, value: &Value) -> Result<Value, Error> {
        let scope = match lambda.parameters.first() {
            Some(name) => lambda.scope.with_local(name.clone(), value.clone()),
            None => lambda.scope.clone(),
        };
        self.evaluator.expression(&lambda.body, &scope)
    }

    fn function_verdict(
        &self,
        spot: &CheckedPart<'_>,
        constraint: &UserConstraint,
        full: &str,
    ) -> Result<Verdict<String>, Error> {
        if !self.template.has_aggregate_types() {
            let version = self.template.language_version.as_deref();
            return Err(messages::constraint_needs_language_version(full, version));
        }
        if self.template.functions.get(full).is_none() {
            return Err(messages::no_such_validator(full));
        }
        let mut args = vec![spot.value.clone()];
        for argument in &constraint.arguments {
            args.push(self.evaluator.term(argument, &Scope::free())?);
        }
        let (namespace, name) = full.rsplit_once('.').unwrap_or(("", full));
        let result = self.evaluator.user_function(namespace, name, &args);
        read_verdict(full, &result.map_err(|error| named(full, spot.value, error))?)
    }
}

fn settle(
    spot: &CheckedPart<'_>,
    validator: &str,
    answer: Result<Verdict<String>, Error>,
    report: &mut Findings,
) {
    match answer {
        Ok(Verdict::Pass) => {}
        Ok(Verdict::Fail(failures)) => {
            for message in failures {
                spot.fail(report, messages::constraint_violated(&spot.path, &message).by(validator));
            }
        }
        Ok(Verdict::Undetermined(reasons)) => {
            reasons.iter().for_each(|reason| spot.leave_open(report, reason));
        }
        Err(error) => spot.fail(report, error.by(validator)),
    }
}

/// The verdict on a value that only the deployment knows.
fn left_open(unknown: &Unknown) -> Verdict<String> {
    Verdict::Undetermined(vec![unknown.origins.first().map_or_else(String::new, ToString::to_string)])
}

/// `{kind: 'success'}`, or `{kind: 'failure', errorMessage: '…'}`; anything else is a mistake of the validator.
fn read_verdict(name: &str, result: &Value) -> Result<Verdict<String>, Error> {
    if let Some(unknown) = result.as_unknown() {
        return Ok(left_open(unknown));
    }
    let Some(object) = result.as_object() else {
        return Err(messages::bad_validator_result(name, "an object is expected"));
    };
    let kind = object.get("kind");
    if let Some(unknown) = kind.and_then(Value::as_unknown) {
        return Ok(left_open(unknown));
    }
    match kind.and_then(Value::as_str) {
        Some("success") => Ok(Verdict::Pass),
        Some("failure") => match object.get("errorMessage") {
            // The function may have put the value itself into its message.
            Some(message) if message.is_secure() => Ok(Verdict::Fail(vec![messages::WITHHELD.into()])),
            Some(message) if message.is_unknown() => {
                Ok(Verdict::Fail(vec![messages::VALIDATION_FAILED.into()]))
            }
            Some(message) if message.as_str().is_some() => {
                Ok(Verdict::Fail(vec![message.as_str().unwrap_or_default().into()]))
            }
            _ => Err(messages::bad_validator_result(name, "a failure needs the text 'errorMessage'")),
        },
        _ => Err(messages::bad_validator_result(name, "'kind' must be 'success' or 'failure'")),
    }
}

/// The error with the name of the validator in front, so that the right one can be found. What went wrong may show the
/// value, so it is not told of secrets.
fn named(validator: &str, value: &Value, error: Error) -> Error {
    let hidden = value.has_secure() && !error.is_overrun();
    let why = if hidden { messages::WITHHELD } else { error.message() };
    let message = messages::validator_failed(validator, why);
    error.reword(message).detached()
}
