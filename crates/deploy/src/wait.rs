//! `waitUntil`: a resource counts as deployed once a predicate of the template holds for it.
//!
//! The template has `[lambda('x', …)]` and a longest time. Before it is expanded, the predicate is applied to a reference to
//! the resource itself: so it is evaluated like everything else that asks for state.

use std::time::Duration;

use arm::Value;
use arm::expand::Planned;
use arm::expression::Expr;
use arm::template::{Key, Resource, Template, Term, TermKind};
use jiff::{Span, SpanRelativeTo};

use crate::error::ArmError;
use crate::messages;

/// The name of the option.
const OPTION: &str = "waitUntil";

/// Applies the predicates of a template, and of those inside it, to the resources that they stand at.
pub(crate) fn bind(template: &mut Template) {
    for resource in &mut template.resources {
        let inner = resource.deployment.as_mut().and_then(|nested| nested.template.as_deref_mut());
        inner.into_iter().for_each(bind);
        let Some(reference) = reference(resource) else { continue };
        let Some(Term { kind: TermKind::Object(options), .. }) = &mut resource.options else { continue };
        let option = options
            .iter_mut()
            .find(|part| matches!(&part.key, Key::Literal(key) if key.eq_ignore_ascii_case(OPTION)));
        let Some(TermKind::Array(arguments)) = option.map(|option| &mut option.value.kind) else { continue };
        if let Some(TermKind::Expression(predicate, _)) = arguments.first_mut().map(|term| &mut term.kind) {
            let all = Expr::call("createArray", vec![reference]);
            *predicate = Expr::call("first", vec![Expr::call("map", vec![all, predicate.clone()])]);
        }
    }
}

/// The expression that gives all of a resource; none without a symbolic name.
fn reference(resource: &Resource) -> Option<Expr> {
    let symbol = resource.symbol.as_ref()?.as_str();
    let target = match resource.copy {
        Some(_) => {
            let turn = Expr::call("copyIndex", Vec::new());
            Expr::call("format", vec![Expr::string(format!("{symbol}[{{0}}]")), turn])
        }
        None => Expr::string(symbol),
    };
    Some(Expr::call("reference", vec![target, Expr::string("1"), Expr::string("Full")]))
}

/// What a resource waits for.
pub(crate) struct WaitUntil<'p> {
    /// Whether it is over.
    pub predicate: &'p Value,
    /// How long it may take.
    pub longest: Duration,
}

impl<'p> WaitUntil<'p> {
    /// What a resource waits for, if it does.
    pub fn of(planned: &'p Planned) -> Result<Option<Self>, ArmError> {
        let option = planned.options.as_ref().and_then(|options| options.get(OPTION));
        let Some(option) = option else { return Ok(None) };
        let Some([predicate, longest]) = option.as_array() else { return Err(messages::bad_wait()) };
        let longest = longest.as_str().and_then(duration).ok_or_else(messages::bad_wait)?;
        if planned.symbol.is_none() {
            return Err(messages::bad_wait());
        }
        Ok(Some(Self { predicate, longest }))
    }
}

/// The longest time that anybody may wait.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// A duration such as `PT1M30S`.
fn duration(text: &str) -> Option<Duration> {
    let span: Span = text.parse().ok()?;
    let duration = span.to_duration(SpanRelativeTo::days_are_24_hours()).ok()?;
    Duration::try_from(duration).ok().map(|duration| duration.min(LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (text, expected) in
            [("PT2S", Some(2)), ("P1DT1M", Some(24 * 3600)), ("PT1M30S", Some(90)), ("PT0S", Some(0))]
        {
            assert_eq!(duration(text).map(|it| it.as_secs()), expected, "{text}");
        }
        for bad in ["", "2", "-PT1S", "P1Y", "PT"] {
            assert_eq!(duration(bad), None, "{bad}");
        }
    }
}
