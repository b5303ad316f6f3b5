//! Parameters and variables: evaluated when first asked for, once.

use std::cell::RefCell;

use base::Verdict;
use smol_str::SmolStr;

use super::{Deployment, Missing, OutputValue};
use crate::error::{Code, Error, Step};
use crate::evaluate::{Environment as _, ExpressionSite, Scope};
use crate::expression::Expr;
use crate::messages;
use crate::parameters::{Checker, Supplied, placeholder};
use crate::template::{Output, Parameter};
use crate::value::{Origin, Unknown, Value};

/// More supplied names that the template does not have are not told: for each of them similar names are looked for.
const MAX_UNKNOWN: usize = 100;

/// What is known about a parameter or variable.
#[derive(Debug, Default)]
pub(super) enum Memo {
    /// Not asked for yet.
    #[default]
    Empty,
    /// Being evaluated: to ask again is a cycle.
    Busy,
    /// Evaluated.
    Done(Result<Value, Error>),
}

impl Deployment<'_> {
    /// The value of a parameter, with what is wrong with it.
    pub(super) fn bound_parameter(&self, name: &str) -> Result<(Value, Vec<Error>), Error> {
        let value = self.parameter_value(name)?;
        let Some((_, name, parameter)) = self.setup.template.parameters.find(name) else {
            return Ok((value, Vec::new()));
        };
        let checker = self.checker();
        if value.is_null() && self.may_be_left_out(&checker, name, parameter) {
            return Ok((value, Vec::new()));
        }
        // What came from an external input may be a secret: no message shows it.
        let is_input = self.setup.inputs.depends_on_input(name);
        let checked = if is_input { value.clone().into_secure() } else { value.clone() };
        let verdict = checker.check(name, &parameter.schema, &checked);
        let errors = self.place_errors(verdict, name, parameter);
        Ok((value, errors))
    }

    pub(super) fn parameter_value(&self, name: &str) -> Result<Value, Error> {
        let Some((at, name, parameter)) = self.setup.template.parameters.find(name) else {
            return Err(messages::no_such_parameter(name));
        };
        let Some(slot) = self.parameters.get(at) else { return Err(messages::no_such_parameter(name)) };
        self.once(slot, name, || self.supplied_or_default(at, name, parameter))
    }

    pub(super) fn bound_variable(&self, name: &str) -> Result<Value, Error> {
        let Some((at, name, term)) = self.setup.template.variables.find(name) else {
            return Err(messages::no_such_variable(name));
        };
        let Some(slot) = self.variables.get(at) else { return Err(messages::no_such_variable(name)) };
        self.once(slot, name, || {
            let scope = Scope::new(ExpressionSite::Variable);
            let value = self.noting(
                || self.evaluator().term(term, &scope),
                |open| open.within(name.clone()).within("variables").at(term.range),
            );
            value.map_err(|error| {
                // An error of another variable or parameter is told as such already.
                let told = error.is_rooted() || error.reason() == "cycle";
                let error = if told { error } else { messages::invalid_variable(name, &error) };
                error.within(name.clone()).within("variables")
            })
        })
    }

    /// Supplied names that the template does not have.
    pub(super) fn unknown_supplied(&self) -> Vec<Error> {
        let template = self.setup.template;
        let unknown =
            self.setup.inputs.parameters.iter().filter(|(name, _)| template.parameters.get(name).is_none());
        let known: Vec<&str> = template.parameters.iter().map(|(name, _)| name.as_str()).collect();
        unknown
            .take(MAX_UNKNOWN)
            .map(|(name, _)| {
                messages::unknown_parameter(name, &known).within(name.clone()).within("parameters")
            })
            .collect()
    }

    /// The value of an output; nothing when its condition is false.
    pub(super) fn output(&self, name: &str, output: &Output) -> Result<Option<OutputValue>, Error> {
        let scope = self.around.names.at(ExpressionSite::Output);
        let condition =
            output.condition.as_ref().map(|condition| self.value(condition, &scope)).transpose()?;
        if self.leaves_out(condition.as_ref()) {
            return Ok(None);
        }
        if self.collects() {
            return Ok(Some(self.lenient_output(output, condition)));
        }
        let failed = |error: Error| error.with_code(Code::DeploymentOutputEvaluationFailed);
        let place = |error: Error| error.within("value").at(output.range);
        let whole = |error: Error| place(error).within(name).within("outputs");
        let value = match &output.value {
            Some(term) => self
                .noting(|| self.evaluator().term(term, &scope), whole)
                .map_err(|error| if error.is_overrun() { error } else { failed(error) }.within("value"))?,
            None => Value::NULL,
        };
        let checker = self.checker();
        match checker.check_output(name, &output.schema, &value) {
            Verdict::Pass => {}
            Verdict::Fail(errors) => {
                return errors.into_iter().next().map_or(Ok(None), |error| Err(place(failed(error))));
            }
            Verdict::Undetermined(open) => self.note_unchecked(open.into_iter().map(whole).collect()),
        }
        let value = checker.secured(&output.schema, value);
        Ok(Some(OutputValue {
            primitive: checker.primitive(&output.schema),
            condition,
            written: None,
            value,
        }))
    }

    /// Checks a value against the declaration of a parameter, without binding it. Nothing if there is no such parameter.
    pub fn check_parameter(&self, name: &str, value: &Value) -> Option<Verdict<Error>> {
        let (_, name, parameter) = self.setup.template.parameters.find(name)?;
        Some(self.checker().check(name, &parameter.schema, value))
    }

    /// A checker for the types of the template.
    pub fn checker(&self) -> Checker<'_> {
        Checker::new(self.setup.template, self.evaluator())
    }

    /// Evaluates once; asking again meanwhile is a cycle and told as a path.
    fn once(
        &self,
        slot: &RefCell<Memo>,
        name: &SmolStr,
        evaluate: impl FnOnce() -> Result<Value, Error>,
    ) -> Result<Value, Error> {
        match &*slot.borrow() {
            Memo::Done(result) => return result.clone(),
            Memo::Busy => return Err(self.cycle(name)),
            Memo::Empty => {}
        }
        *slot.borrow_mut() = Memo::Busy;
        self.active.borrow_mut().push(name.clone());
        let result = evaluate().map_err(Error::rooted);
        self.active.borrow_mut().pop();
        *slot.borrow_mut() = Memo::Done(result.clone());
        result
    }

    fn cycle(&self, name: &SmolStr) -> Error {
        let active = self.active.borrow();
        let start = active.iter().position(|known| known == name).unwrap_or(0);
        let mut path: Vec<&str> = active.iter().skip(start).map(SmolStr::as_str).collect();
        path.push(name);
        messages::cycle("value", &path)
    }

    fn supplied_or_default(&self, at: usize, name: &SmolStr, parameter: &Parameter) -> Result<Value, Error> {
        let supplied = self.setup.inputs.parameters.get(name);
        let given = match supplied {
            Some(Supplied::Value(value, _)) => Some(value.clone()),
            Some(Supplied::Reference(..)) => Some(open_parameter(name, Origin::Secret(name.clone()))),
            Some(Supplied::Expression(term)) => {
                let scope = Scope::new(ExpressionSite::ParameterExpression);
                let value = self.evaluator().term(term, &scope);
                Some(value.map_err(|error| {
                    let is_input = self.setup.inputs.depends_on_input(name);
                    let error = if is_input { messages::without_inputs(error) } else { error };
                    error.within("expression").within(name.clone()).within("parameters")
                })?)
            }
            None => None,
        };
        let (checker, missing) = (self.checker(), self.setup.policy.missing);
        // `null` for a parameter with a default asks for the default.
        let given = given.filter(|value| !value.is_null() || parameter.default.is_none());
        let value = match (given, &parameter.default) {
            (Some(value), _) => value,
            (None, Some(default)) => {
                let scope = Scope::new(ExpressionSite::ParameterDefault);
                let place =
                    |error: Error| error.within("defaultValue").within(name.clone()).within("parameters");
                self.noting(|| self.evaluator().term(default, &scope), place).map_err(place)?
            }
            (None, None) if missing == Missing::Placeholder => placeholder(&parameter.schema, at)
                .unwrap_or_else(|| open_parameter(name, Origin::Parameter(name.clone()))),
            (None, None) if checker.is_nullable(&parameter.schema) => Value::NULL,
            (None, None) if missing == Missing::Unknown => {
                open_parameter(name, Origin::Parameter(name.clone()))
            }
            (None, None) => {
                let error = messages::parameter_not_provided(name);
                return Err(error.within(name.clone()).within("parameters").at(parameter.range));
            }
        };
        Ok(checker.secured(&parameter.schema, value))
    }

    fn may_be_left_out(&self, checker: &Checker<'_>, name: &str, parameter: &Parameter) -> bool {
        checker.is_nullable(&parameter.schema) && self.setup.inputs.parameters.get(name).is_none()
    }

    /// Does something, and gives the checks that could not be made meanwhile their place in the template.
    pub(super) fn noting<T>(&self, work: impl FnOnce() -> T, place: impl Fn(Error) -> Error) -> T {
        let before = self.open.take();
        let result = work();
        let new = self.open.replace(before);
        self.open.borrow_mut().extend(new.into_iter().map(|open| place(open).rooted()));
        result
    }

    /// Errors of a parameter value with the place where the value stands: in the inputs, or in the template.
    fn place_errors(&self, verdict: Verdict<Error>, name: &SmolStr, parameter: &Parameter) -> Vec<Error> {
        let supplied = self.setup.inputs.parameters.get(name);
        let (member, node) = match supplied {
            Some(Supplied::Value(value, node)) if !value.is_null() => ("value", node.as_ref()),
            Some(Supplied::Expression(_)) => ("expression", None),
            _ => ("defaultValue", None),
        };
        let place = |error: Error| {
            let range = match node {
                Some(node) => find(node, &error.steps()).range,
                None => parameter.default.as_ref().map_or(parameter.range, |term| term.range),
            };
            error.within(member).within(name.clone()).within("parameters").at(range)
        };
        match verdict {
            Verdict::Pass => Vec::new(),
            Verdict::Fail(errors) => errors.into_iter().map(place).collect(),
            Verdict::Undetermined(open) => {
                self.note_unchecked(open.into_iter().map(place).collect());
                Vec::new()
            }
        }
    }
}

/// The innermost node that the steps lead to.
fn find<'n>(node: &'n json::Node, steps: &[&Step]) -> &'n json::Node {
    let mut node = node;
    for step in steps {
        let next = match step {
            Step::Key(key) => node.get_ignore_case(key),
            Step::Index(index) => node.as_array().and_then(|items| items.get(*index)),
        };
        match next {
            Some(next) => node = next,
            None => break,
        }
    }
    node
}

fn open_parameter(name: &SmolStr, origin: Origin) -> Value {
    let call = Expr::call("parameters", vec![Expr::string(name.as_str())]);
    Value::unknown(Unknown::new(call, origin))
}
