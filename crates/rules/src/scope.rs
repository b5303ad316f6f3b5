//! The places an evaluation looks at: from a scope, by resource type and path, to scopes.

use base::{Budget, Overrun};
use json::{Path, Segment};
use smol_str::SmolStr;

use crate::document::View;
use crate::path::{PathStep, RulePath};

/// A place with the way to it. The place may be absent: the way then says where it would be.
#[derive(Debug, Clone)]
pub struct Scope<'d> {
    /// The way from the root of the expanded template.
    pub path: Path,
    /// What stands there; or the value around it that is not known.
    pub view: Option<View<'d>>,
    /// Whether the place lies inside a value that is not known, so that it may be there or not.
    pub is_inside_unknown: bool,
}

impl<'d> Scope<'d> {
    /// The whole template.
    pub fn root(view: View<'d>) -> Self {
        Self { path: Path::default(), view: Some(view), is_inside_unknown: false }
    }

    fn to(&self, segments: impl IntoIterator<Item = Segment>, view: Option<View<'d>>) -> Self {
        let mut path = self.path.clone();
        path.0.extend(segments);
        Self { path, view, is_inside_unknown: false }
    }

    /// A place inside this one, which is not known.
    fn inside_unknown(&self) -> Self {
        Self { is_inside_unknown: true, ..self.clone() }
    }

    fn is_unknown(&self) -> bool {
        self.view.and_then(View::value).is_some_and(arm::Value::is_unknown)
    }
}

/// The resources of a type below a scope. A resource whose type is the beginning of the wanted one is searched, too.
pub fn of_type<'d>(scope: &Scope<'d>, wanted: &str, budget: &Budget) -> Result<Vec<Scope<'d>>, Overrun> {
    let mut found = Vec::new();
    let mut around = Vec::new();
    search(scope, wanted, &mut around, &mut ScopeSearch { budget, found: &mut found })?;
    Ok(found)
}

struct ScopeSearch<'s, 'd> {
    budget: &'s Budget,
    found: &'s mut Vec<Scope<'d>>,
}

/// How deep resources are searched for resources.
const MAX_NESTING: usize = 64;

fn search<'d>(
    scope: &Scope<'d>,
    wanted: &str,
    around: &mut Vec<usize>,
    search_state: &mut ScopeSearch<'_, 'd>,
) -> Result<(), Overrun> {
    let Some((key, list)) = scope.view.and_then(|view| view.member("resources")) else { return Ok(()) };
    let Some(items) = list.items() else { return Ok(()) };
    let types: Vec<Option<&str>> = items.iter().map(|item| type_of(*item)).collect();
    if types.contains(&None) && items.iter().any(|item| item.value().is_none_or(|v| v.as_object().is_none()))
    {
        return Ok(());
    }
    for (index, (item, own)) in items.into_iter().zip(types).enumerate() {
        search_state.budget.step()?;
        let Some(own) = own else { continue };
        let inner = || scope.to([Segment::Key(key.into()), Segment::Index(index)], Some(item));
        if json::eq_ignore_case(own, wanted) {
            search_state.found.push(inner());
            continue;
        }
        let seen = item.identity().is_some_and(|at| around.contains(&at));
        if is_parent_type(own, wanted) && !seen && around.len() < MAX_NESTING {
            around.push(item.identity().unwrap_or(usize::MAX));
            search(&inner(), wanted, around, search_state)?;
            around.pop();
        }
    }
    Ok(())
}

fn type_of(view: View<'_>) -> Option<&str> {
    view.member("type")?.1.value()?.as_str()
}

fn is_parent_type(parent: &str, wanted: &str) -> bool {
    let head = wanted.get(..parent.len()).filter(|_| wanted.as_bytes().get(parent.len()) == Some(&b'/'));
    head.is_some_and(|head| json::eq_ignore_case(head, parent))
}

/// The places of a path below a scope. A path without wildcards gives exactly one, which may be absent; a path with
/// wildcards gives those that are there. What is not known stands for everything inside it.
pub fn along<'d>(scope: &Scope<'d>, path: &RulePath) -> Vec<Scope<'d>> {
    if !path.has_wildcard() {
        return vec![path.steps().iter().fold(scope.clone(), |scope, step| straight(&scope, step))];
    }
    let mut frontier = vec![scope.clone()];
    for step in path.steps() {
        let mut next = Vec::new();
        for scope in frontier {
            if scope.is_unknown() {
                next.push(scope.inside_unknown());
                continue;
            }
            match step {
                PathStep::EveryMember => every_member(&scope, &mut next),
                PathStep::EveryItem => every_item(&scope, &mut next),
                PathStep::Member(_) | PathStep::Item(_) => {
                    next.extend(Some(straight(&scope, step)).filter(|scope| scope.view.is_some()));
                }
            }
        }
        frontier = next;
    }
    frontier.retain(|scope| scope.view.is_some());
    frontier
}

/// One step that leads to at most one place.
fn straight<'d>(scope: &Scope<'d>, step: &PathStep) -> Scope<'d> {
    if scope.is_unknown() {
        return scope.inside_unknown();
    }
    match step {
        PathStep::Member(name) => match scope.view.and_then(|view| view.member(name)) {
            Some((key, view)) => scope.to([Segment::Key(key.into())], Some(view)),
            None => scope.to([Segment::Key(name.clone())], None),
        },
        PathStep::Item(index) => {
            scope.to([Segment::Index(*index)], scope.view.and_then(|view| view.item(*index)))
        }
        PathStep::EveryMember | PathStep::EveryItem => scope.to([], None),
    }
}

fn every_member<'d>(scope: &Scope<'d>, next: &mut Vec<Scope<'d>>) {
    for (key, view) in scope.view.into_iter().flat_map(View::members) {
        let member = scope.to([Segment::Key(key.into())], Some(view));
        match view.items() {
            Some(_) => every_item(&member, next),
            None => next.push(member),
        }
    }
}

fn every_item<'d>(scope: &Scope<'d>, next: &mut Vec<Scope<'d>>) {
    let items = scope.view.and_then(View::items).unwrap_or_default();
    next.extend(items.into_iter().enumerate().map(|(at, item)| scope.to([Segment::Index(at)], Some(item))));
}

/// Why the value at a scope is not known, if it is not.
pub(crate) fn unknown_reason(scope: &Scope<'_>) -> Option<SmolStr> {
    let unknown = scope.view?.value()?.as_unknown()?;
    let reason = unknown.origins.first().map_or_else(|| "its value is not known".into(), ToString::to_string);
    Some(reason.trim_end_matches('.').into())
}
