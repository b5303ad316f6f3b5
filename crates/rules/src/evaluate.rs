//! The engine: a rule's evaluation over a document gives one verdict for every place it looks at.
//!
//! Order inside every evaluation: resource type, path, filter, operator. `not` is plain negation of every place below
//! it; filters are never negated. What is not known makes a verdict undetermined, never a pass.

use base::{Budget, Overrun, Verdict};
use json::Path;
use smol_str::SmolStr;

use crate::document::View;
use crate::operator;
use crate::rule::{Evaluation, Operator};
use crate::scope::{self, Scope};

/// What an evaluation found at one place, with the single checks that made it so.
pub type ScopeVerdict<'r, 'd> = Verdict<OperatorCheck<'r, 'd>>;

/// Evaluates over a whole document. Places with nothing to say about give no verdict.
pub fn evaluate<'r, 'd>(
    evaluation: &'r Evaluation,
    view: View<'d>,
    budget: &Budget,
) -> Vec<ScopeVerdict<'r, 'd>> {
    let run = Evaluator { budget };
    run.evaluate(evaluation, &Scope::root(view), false).unwrap_or_else(|overrun| vec![given_up(&overrun)])
}

/// The places that an evaluation looks at, before its filter.
pub fn scopes<'d>(evaluation: &Evaluation, view: View<'d>, budget: &Budget) -> Vec<Scope<'d>> {
    Evaluator { budget }.scopes(evaluation, &Scope::root(view)).unwrap_or_default()
}

/// A single check of a single value.
#[derive(Debug, Clone)]
pub struct OperatorCheck<'r, 'd> {
    /// What was looked at.
    pub scope: Scope<'d>,
    /// What was asked; none when the work was given up.
    pub operator: Option<&'r Operator>,
    /// Whether the opposite was asked.
    pub negated: bool,
    /// Why it cannot be said whether the value is as it should be; none if it is known not to be.
    pub open: Option<SmolStr>,
}

/// Whether a single value is as an operator wants it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Truth {
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

struct Evaluator<'b> {
    budget: &'b Budget,
}

/// Whether a filter lets a scope through.
enum Filtered {
    Kept,
    Dropped,
    /// It cannot be said whether the rule is about this place.
    Open(SmolStr),
}

impl Evaluator<'_> {
    fn evaluate<'r, 'd>(
        &self,
        evaluation: &'r Evaluation,
        around: &Scope<'d>,
        negated: bool,
    ) -> Result<Vec<ScopeVerdict<'r, 'd>>, Overrun> {
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
                outcomes.iter_mut().skip(first).for_each(|answer| reopen(answer, &reason));
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
        if outcomes.iter().any(Verdict::is_pass) {
            return Ok(Filtered::Kept);
        }
        let open = outcomes.iter().find_map(|answer| answer.open().first()?.open.clone());
        Ok(open.map_or(Filtered::Dropped, Filtered::Open))
    }

    fn apply<'r, 'd>(
        &self,
        operator: &'r Operator,
        scope: &Scope<'d>,
        negated: bool,
        outcomes: &mut Vec<ScopeVerdict<'r, 'd>>,
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
                let part =
                    |open| OperatorCheck { scope: scope.clone(), operator: Some(operator), negated, open };
                outcomes.push(match operator::holds(operator, scope).negate_if(negated) {
                    Truth::Pass => Verdict::Pass,
                    Truth::Fail => Verdict::Fail(vec![part(None)]),
                    Truth::Open(reason) => Verdict::Undetermined(vec![part(Some(reason))]),
                });
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
    ) -> Result<Option<ScopeVerdict<'r, 'd>>, Overrun> {
        let mut all = Vec::new();
        for child in children {
            all.extend(self.evaluate(child, scope, mode.negated)?);
        }
        if all.is_empty() {
            return Ok(None);
        }
        // One fail decides over "all", one pass over "any"; else what is open leaves the whole open.
        let (mut failed, mut open, mut passed) = (Vec::new(), Vec::new(), false);
        for answer in all {
            match answer {
                Verdict::Pass => passed = true,
                Verdict::Fail(parts) => failed.push(parts),
                Verdict::Undetermined(parts) => open.push(parts),
            }
        }
        let parts = |lists: Vec<Vec<_>>| lists.into_iter().flatten().collect();
        Ok(Some(match mode.all {
            true if !failed.is_empty() => Verdict::Fail(parts(failed)),
            false if passed => Verdict::Pass,
            _ if !open.is_empty() => Verdict::Undetermined(parts(open)),
            true => Verdict::Pass,
            false => Verdict::Fail(parts(failed)),
        }))
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

/// A fail that may not be one after all.
fn reopen(answer: &mut ScopeVerdict<'_, '_>, reason: &SmolStr) {
    if let Verdict::Fail(parts) = answer {
        let mut parts = std::mem::take(parts);
        parts.iter_mut().for_each(|part| part.open = Some(reason.clone()));
        *answer = Verdict::Undetermined(parts);
    }
}

fn given_up<'r, 'd>(overrun: &Overrun) -> ScopeVerdict<'r, 'd> {
    let reason = SmolStr::from(format!("the check was given up: {overrun}"));
    let scope = Scope { path: Path::default(), view: None, is_inside_unknown: false };
    Verdict::Undetermined(vec![OperatorCheck { scope, operator: None, negated: false, open: Some(reason) }])
}
