//! Evaluation under the policy: errors are final, or a part that fails is unknown and its error is kept.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use base::TextRange;

use super::head::HeadKey;
use super::{Deployment, Errors, OutputValue, Speculation, declared_state, placed};
use crate::error::Error;
use crate::evaluate::{ExpressionSite, Scope};
use crate::expression::Expr;
use crate::template::{Key, Output, Resource, Term, TermKind};
use crate::value::{Origin, Unknown, Value};

/// What an expansion that goes on after errors keeps until its end.
#[derive(Default)]
pub(super) struct Collected {
    pub errors: RefCell<Vec<Error>>,
    /// The counts of loops that have one turn because nobody knows how many.
    pub open_loops: RefCell<Vec<TextRange>>,
    /// How many resources there are so far.
    pub resources: Cell<usize>,
    /// Whether there are more resources than may be.
    pub is_full: Cell<bool>,
    /// Whether references are answered with what the template writes.
    pub answers: Cell<bool>,
    /// What the template writes about its resources, as far as it was asked for.
    pub written: RefCell<HashMap<HeadKey, Value>>,
}

impl Deployment<'_> {
    /// Whether the expansion goes on after errors.
    pub(super) fn collects(&self) -> bool {
        self.setup.policy.errors == Errors::Collected
    }

    /// Keeps an error of an expansion that goes on.
    pub(super) fn collect(&self, error: Error) {
        self.collected.errors.borrow_mut().push(error);
    }

    /// The value of a parameter of a deployment inside. There, what this template writes about a resource would pass for
    /// all of it; the same holds for outputs.
    pub(super) fn handed_on(&self, term: &Term, scope: &Scope) -> Result<Value, Error> {
        match self.setup.policy.errors {
            Errors::Final => self.evaluator().term(term, scope),
            Errors::Collected => Ok(self.lenient(term, scope, Speculation::Outputs)),
        }
    }

    /// The value of a part of the template. If errors are collected, there always is one.
    pub(super) fn value(&self, term: &Term, scope: &Scope) -> Result<Value, Error> {
        match self.setup.policy.errors {
            Errors::Final => self.evaluator().term(term, scope),
            Errors::Collected => Ok(self.lenient(term, scope, self.setup.policy.speculation)),
        }
    }

    /// An output, as far as it can be evaluated. It is not held against its type.
    pub(super) fn lenient_output(&self, output: &Output, condition: Option<Value>) -> OutputValue {
        let (checker, scope) = (self.checker(), self.around.names.at(ExpressionSite::Output));
        let secured = |value: Value| checker.secured(&output.schema, value);
        let handed_on = |term: &Term| self.lenient(term, &scope, Speculation::Outputs);
        let (written, value) = match &output.value {
            Some(term) if self.setup.policy.declarations && declared_state::refers(term) => {
                let written = self.lenient(term, &scope, self.setup.policy.speculation);
                (Some(secured(written)), self.silently(|| handed_on(term)))
            }
            Some(term) => (None, handed_on(term)),
            None => (None, Value::NULL),
        };
        let primitive = checker.primitive(&output.schema);
        OutputValue { primitive, condition, written, value: secured(value) }
    }

    /// Does something, and forgets the errors that are collected meanwhile: they are told elsewhere, or by nobody.
    pub(super) fn silently<T>(&self, work: impl FnOnce() -> T) -> T {
        let (errors, open_loops) = (self.collected.errors.take(), self.collected.open_loops.take());
        let result = work();
        self.collected.errors.replace(errors);
        self.collected.open_loops.replace(open_loops);
        result
    }

    /// Does something for a resource, and completes the paths of the errors that are collected meanwhile. What is wrong
    /// with a resource that is only read is nobody's business: it is not deployed.
    pub(super) fn collecting<T>(&self, resource: &Resource, work: impl FnOnce() -> T) -> T {
        if resource.existing {
            return self.silently(work);
        }
        let before = self.collected.errors.take();
        let result = work();
        let new = self.collected.errors.replace(before);
        self.collected
            .errors
            .borrow_mut()
            .extend(new.into_iter().map(|error| placed(error, &resource.path, resource.range).rooted()));
        result
    }

    /// Evaluates what can be evaluated: a part that fails leaves the parts around it as they are.
    pub(super) fn lenient(&self, term: &Term, scope: &Scope, speculation: Speculation) -> Value {
        let refers = speculation == Speculation::Written && declared_state::refers(term);
        let is_expression = matches!(term.kind, TermKind::Expression(..));
        if refers && is_expression {
            let outer = self.collected.answers.replace(true);
            let value = self.evaluator().term(term, scope);
            self.collected.answers.set(outer);
            if let Ok(value) = value {
                return value;
            }
            // The service may know what the template does not write.
        }
        // Each expression in it that refers to a resource is tried with and without what the template writes.
        let whole = (is_expression || !refers).then(|| self.evaluator().term(term, scope));
        let error = match whole {
            Some(Ok(value)) => return value,
            Some(Err(error)) if error.is_overrun() => return self.failed(term, error),
            Some(Err(error)) => Some(error),
            None => None,
        };
        match &term.kind {
            TermKind::Array(items) => {
                Value::array(items.iter().map(|item| self.lenient(item, scope, speculation)).collect())
            }
            TermKind::Object(parts) if parts.iter().all(|part| matches!(part.key, Key::Literal(_))) => {
                let literal = parts.iter().filter_map(|part| match &part.key {
                    Key::Literal(key) => Some((key.clone(), self.lenient(&part.value, scope, speculation))),
                    Key::Expression(_) => None,
                });
                Value::object(literal.collect::<Vec<_>>())
            }
            _ => match error.map_or_else(|| self.evaluator().term(term, scope), Err) {
                Ok(value) => value,
                Err(error) => self.failed(term, error),
            },
        }
    }

    fn failed(&self, term: &Term, error: Error) -> Value {
        let expression = match &term.kind {
            TermKind::Expression(expression, _) => expression.clone(),
            _ => Expr::string(""),
        };
        let unknown = Unknown::new(expression, Origin::Failed(error.message().into()));
        self.collect(error.about(term.range));
        Value::unknown(unknown)
    }
}
