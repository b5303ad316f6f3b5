//! The engine: a rule's evaluation over a document gives one outcome for every place it looks at.
//!
//! Order inside every evaluation: resource type, path, filter, operator. `not` is plain negation of every place below
//! it; filters are never negated. What is not known makes an outcome open, never a pass.

use base::{Budget, Overrun};
use json::Path;
use smol_str::SmolStr;

use crate::document::View;
use crate::operator;
use crate::rule::{Evaluation, Operator};
use crate::scope::{self, Scope};

/// Evaluates over a whole document. Places with nothing to say about give no outcome.
pub fn evaluate<'r, 'd>(evaluation: &'r Evaluation, view: View<'d>, budget: &Budget) -> Vec<Outcome<'r, 'd>> {
    let run = Run { budget };
    run.evaluate(evaluation, &Scope::root(view), false).unwrap_or_else(|overrun| vec![open(&overrun)])
}

/// The places that an evaluation looks at, before its filter.
pub fn scopes<'d>(evaluation: &Evaluation, view: View<'d>, budget: &Budget) -> Vec<Scope<'d>> {
    Run { budget }.scopes(evaluation, &Scope::root(view)).unwrap_or_default()
}

/// What an evaluation found at one place.
#[derive(Debug, Clone)]
pub struct Outcome<'r, 'd> {
    /// The answer.
    pub truth: Truth,
    /// The single checks that made it so, unless it is a pass.
    pub parts: Vec<Part<'r, 'd>>,
}

/// A single check of a single value.
#[derive(Debug, Clone)]
pub struct Part<'r, 'd> {
    /// What was looked at.
    pub scope: Scope<'d>,
    /// What was asked; none when the work was given up.
    pub operator: Option<&'r Operator>,
    /// Whether the opposite was asked.
    pub negated: bool,
    /// The answer: a fail or open.
    pub truth: Truth,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Truth {
    /// Yes.
    Pass,
    /// No.
    Fail,
    /// It cannot be said, because of this.
    Open(SmolStr),
}

impl Truth {
    pub(crate) fn of(holds: bool) -> Self {
        if holds { Self::Pass } else { Self::Fail }
    }

    /// An answer that an unknown part may have left open.
    pub(crate) fn maybe(holds: Option<bool>) -> Self {
        holds.map_or(Self::Open(SmolStr::new_static("a part of it is not known")), Self::of)
    }

    fn negate_if(self, negated: bool) -> Self {
        match self {
            Self::Pass if negated => Self::Fail,
            Self::Fail if negated => Self::Pass,
            truth => truth,
        }
    }
}

struct Run<'b> {
    budget: &'b Budget,
}

/// Whether a filter lets a scope through.
enum Filtered {
    Kept,
    Dropped,
    /// It cannot be said whether the rule is about this place.
    Open(SmolStr),
}

impl Run<'_> {
    fn evaluate<'r, 'd>(
        &self,
        evaluation: &'r Evaluation,
        around: &Scope<'d>,
        negated: bool,
    ) -> Result<Vec<Outcome<'r, 'd>>, Overrun> {
        let mut outcomes = Vec::new();
        for scope in self.scopes(evaluation, around)? {
            self.budget.step()?;
            let filtered = self.filter(evaluation, &scope)?;
            if matches!(filtered, Filtered::Dropped) {
                continue;
            }
            let first = outcomes.len();
            self.apply(&evaluation.operator, &scope, negated, &mut outcomes)?;
            if let Filtered::Open(reason) = filtered {
                outcomes.iter_mut().skip(first).for_each(|outcome| outcome.reopen(&reason));
            }
        }
        Ok(outcomes)
    }

    fn scopes<'d>(&self, evaluation: &Evaluation, around: &Scope<'d>) -> Result<Vec<Scope<'d>>, Overrun> {
        let scopes = match &evaluation.resource_type {
            Some(wanted) => scope::of_type(around, wanted, self.budget)?,
            None => vec![around.clone()],
        };
        let Some(path) = &evaluation.path else { return Ok(scopes) };
        Ok(scopes.iter().flat_map(|scope| scope::along(scope, path)).collect())
    }

    fn filter(&self, evaluation: &Evaluation, scope: &Scope<'_>) -> Result<Filtered, Overrun> {
        let Some(filter) = &evaluation.filter else { return Ok(Filtered::Kept) };
        let outcomes = self.evaluate(filter, scope, false)?;
        if outcomes.iter().any(|outcome| outcome.truth == Truth::Pass) {
            return Ok(Filtered::Kept);
        }
        let open = outcomes.into_iter().find_map(|outcome| match outcome.truth {
            Truth::Open(reason) => Some(reason),
            Truth::Pass | Truth::Fail => None,
        });
        Ok(open.map_or(Filtered::Dropped, Filtered::Open))
    }

    fn apply<'r, 'd>(
        &self,
        operator: &'r Operator,
        scope: &Scope<'d>,
        negated: bool,
        outcomes: &mut Vec<Outcome<'r, 'd>>,
    ) -> Result<(), Overrun> {
        match operator {
            Operator::Not(inner) => outcomes.extend(self.evaluate(inner, scope, !negated)?),
            Operator::AllOf(children) => {
                outcomes.extend(self.combine(children, scope, Mode::new(true, negated))?);
            }
            Operator::AnyOf(children) => {
                outcomes.extend(self.combine(children, scope, Mode::new(false, negated))?);
            }
            _ => {
                let truth = operator::holds(operator, scope).negate_if(negated);
                let parts = match truth {
                    Truth::Pass => Vec::new(),
                    _ => vec![Part {
                        scope: scope.clone(),
                        operator: Some(operator),
                        negated,
                        truth: truth.clone(),
                    }],
                };
                outcomes.push(Outcome { truth, parts });
            }
        }
        Ok(())
    }

    /// One answer from the answers of all places of all children; none when there are none.
    fn combine<'r, 'd>(
        &self,
        children: &'r [Evaluation],
        scope: &Scope<'d>,
        mode: Mode,
    ) -> Result<Option<Outcome<'r, 'd>>, Overrun> {
        let mut all = Vec::new();
        for child in children {
            all.extend(self.evaluate(child, scope, mode.negated)?);
        }
        if all.is_empty() {
            return Ok(None);
        }
        let decisive = if mode.all { Truth::Fail } else { Truth::Pass };
        let open = all.iter().find(|outcome| matches!(outcome.truth, Truth::Open(_)));
        let truth = if all.iter().any(|outcome| outcome.truth == decisive) {
            decisive
        } else if let Some(open) = open {
            open.truth.clone()
        } else {
            decisive.negate_if(true)
        };
        let same = |other: &Truth| std::mem::discriminant(other) == std::mem::discriminant(&truth);
        let parts = match truth {
            Truth::Pass => Vec::new(),
            _ => all
                .into_iter()
                .filter(|outcome| same(&outcome.truth))
                .flat_map(|outcome| outcome.parts)
                .collect(),
        };
        Ok(Some(Outcome { truth, parts }))
    }
}

/// How answers are combined: negation turns "all" into "any" and is handed down.
#[derive(Clone, Copy)]
struct Mode {
    all: bool,
    negated: bool,
}

impl Mode {
    fn new(all: bool, negated: bool) -> Self {
        Self { all: all != negated, negated }
    }
}

impl Outcome<'_, '_> {
    /// A fail that may not be one after all.
    fn reopen(&mut self, reason: &SmolStr) {
        if self.truth == Truth::Fail {
            self.truth = Truth::Open(reason.clone());
            self.parts.iter_mut().for_each(|part| part.truth = Truth::Open(reason.clone()));
        }
    }
}

fn open<'r, 'd>(overrun: &Overrun) -> Outcome<'r, 'd> {
    let truth = Truth::Open(SmolStr::from(format!("the check was given up: {overrun}")));
    let scope = Scope { path: Path::default(), view: None, is_inside_unknown: false };
    Outcome { truth: truth.clone(), parts: vec![Part { scope, operator: None, negated: false, truth }] }
}
