//! What a resource or module waits for: dependencies followed to what is deployed, in a stable order.

use bicep_sema::dependency::Dependency;
use bicep_sema::deployed_body::DeployedBody;
use bicep_sema::{SymbolId, SymbolKind};
use bicep_syntax::ast::Expr;

use crate::code::Code;
use crate::context::Context;
use crate::culture;
use crate::translate::Translator;
use crate::value::Reference;

/// The `dependsOn` of a resource or module.
pub(crate) fn depends_on(cx: &Context<'_>, symbol: SymbolId) -> Vec<Code> {
    let mut ends: Vec<End> = Vec::new();
    for dependency in cx.dependencies.of(symbol) {
        follow(cx, &mut vec![*dependency], &mut ends);
    }
    let translator = Translator::new(cx);
    merged(ends).into_iter().map(|end| entry(&translator, &end.reference)).collect()
}

/// Where a chain of dependencies ends.
struct End {
    key: String,
    target: Dependency,
    reference: Reference,
}

/// Follows a chain to everything that is deployed at its ends.
fn follow(cx: &Context<'_>, path: &mut Vec<Dependency>, ends: &mut Vec<End>) {
    let Some(last) = path.last().copied() else { return };
    if is_end(cx, last) {
        ends.extend(end_of(cx, path));
        return;
    }
    for next in cx.dependencies.of(last.target) {
        if path.contains(next) {
            // A circle; it has been reported.
            continue;
        }
        path.push(*next);
        base::recurse(|| follow(cx, path, ends));
        path.pop();
    }
}

/// Whether something is there to be waited for in the template.
fn is_end(cx: &Context<'_>, dependency: Dependency) -> bool {
    match cx.model.symbol(dependency.target).kind {
        SymbolKind::Module => true,
        SymbolKind::Resource => {
            let is_existing =
                cx.resources.get(dependency.target).is_some_and(|resource| resource.is_existing);
            !is_existing || cx.mode.is_symbolic && !dependency.is_weak
        }
        _ => false,
    }
}

/// The end of a chain, as seen from its start: indexes are carried along. An index that depends on a position in a loop
/// holds only while every link of the chain does; otherwise the whole collection is waited for.
fn end_of(cx: &Context<'_>, path: &[Dependency]) -> Option<End> {
    let mut translator = Translator::new(cx);
    let mut all_at_position = true;
    let mut end = None;
    for dependency in path {
        let mut target = *dependency;
        let mut reference = match dependency.index {
            Some(index) => translator.indexed(dependency.target, Expr::of(cx.tree().node(index))),
            None => Reference { symbol: dependency.target, index: None },
        };
        if let Some(indexed) = &reference.index {
            translator = translator.with(indexed.locals.clone());
        }
        let is_at_position = reference.index.as_ref().is_some_and(|indexed| indexed.index.has_copy_index());
        if is_at_position && !all_at_position {
            reference.index = None;
            target.index = None;
        }
        all_at_position &= is_at_position;
        end = Some((target, reference));
    }
    let (target, reference): (Dependency, Reference) = end?;
    Some(End { key: cx.symbolic_name(target.target), target, reference })
}

/// The ends without repetition: a whole collection stands for all of its parts.
fn merged(ends: Vec<End>) -> Vec<End> {
    let whole: Vec<SymbolId> =
        ends.iter().filter(|end| end.target.index.is_none()).map(|end| end.target.target).collect();
    let mut kept: Vec<End> = Vec::new();
    for end in ends {
        let is_part_of_whole = end.target.index.is_some() && whole.contains(&end.target.target);
        let is_known = kept.iter().any(|known| {
            known.target.target == end.target.target
                && (end.target.index.is_none() || known.target == end.target)
        });
        if !is_part_of_whole && !is_known {
            kept.push(end);
        }
    }
    kept.sort_by(|a, b| culture::compare(&a.key, &b.key));
    kept
}

/// An entry: the symbolic name, or else the id. A whole collection is named either way.
fn entry(translator: &Translator<'_, '_>, reference: &Reference) -> Code {
    let cx = translator.cx;
    let is_collection =
        DeployedBody::of(cx.declaration(reference.symbol)).is_some_and(DeployedBody::is_collection);
    let is_whole = reference.index.is_none() && is_collection;
    if cx.mode.is_symbolic || is_whole {
        return translator.symbolic_reference(reference);
    }
    let at = match &reference.index {
        Some(indexed) => translator.with(indexed.locals.clone()),
        None => translator.clone(),
    };
    match cx.resources.get(reference.symbol) {
        Some(resource) => at.resource_id(resource),
        None => at.module_id(reference.symbol, reference.index.as_ref().map(|indexed| &indexed.index)),
    }
}
