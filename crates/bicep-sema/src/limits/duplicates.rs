//! Resources and modules that would have the same identifier.

use std::collections::BTreeMap;

use bicep_syntax::ast::Expr;
use bicep_syntax::{Node, NodeId};
use bicep_types::ty::{Kind, Type};
use rustc_hash::FxHashMap;

use super::Limits;
use crate::deployed_body::DeployedBody;
use crate::messages::limits as messages;
use crate::resource::Resource;
use crate::symbol::{SymbolId, SymbolKind};

pub(super) fn check(ctx: &mut Limits<'_>) {
    check_resources(ctx);
    check_modules(ctx);
}

fn check_resources(ctx: &mut Limits<'_>) {
    let mut groups: BTreeMap<(String, Vec<Segment>), Vec<SymbolId>> = BTreeMap::new();
    let names: FxHashMap<SymbolId, Segment> =
        ctx.resources().iter().map(|resource| (resource.symbol, own_segment(ctx, resource))).collect();
    let resources: Vec<&Resource> = ctx.deployed().collect();
    for resource in resources {
        if ctx.is_azure(resource.symbol) && is_surely_deployed(ctx, resource.declaration) {
            let ty = resource.reference.name().to_string();
            groups.entry((ty, name_segments(ctx, &names, resource))).or_default().push(resource.symbol);
        }
    }
    let places = ctx.model.places();
    for group in groups.into_values() {
        for same in by_equality(group, |symbol| places.get(*symbol)) {
            let names: Vec<&str> = same.iter().map(|symbol| ctx.name(*symbol)).collect();
            for symbol in &same {
                let name = resource_name(ctx, ctx.model.symbol(*symbol).declaration);
                if let Some(name) = name {
                    ctx.report(messages::same_resource_name(name.range(), &names));
                }
            }
        }
    }
}

fn check_modules(ctx: &mut Limits<'_>) {
    let mut groups: BTreeMap<(Segment, [Option<Segment>; 3]), Vec<SymbolId>> = BTreeMap::new();
    let modules = ctx.model.symbols().filter(|(_, symbol)| symbol.kind == SymbolKind::Module);
    for (symbol, place) in modules.filter_map(|(id, _)| Some((id, ctx.model.places().get(id)?))) {
        let declaration = ctx.model.symbol(symbol).declaration;
        let Some(name) = module_name(ctx, declaration) else { continue };
        if is_surely_deployed(ctx, declaration) {
            let scope = [place.management_group, place.subscription, place.resource_group]
                .map(|part| part.map(|part| segment(ctx, part)));
            groups.entry((segment(ctx, name.id()), scope)).or_default().push(symbol);
        }
    }
    for group in groups.into_values().filter(|group| group.len() > 1) {
        let names: Vec<&str> = group.iter().map(|symbol| ctx.name(*symbol)).collect();
        for symbol in &group {
            let name = module_name(ctx, ctx.model.symbol(*symbol).declaration);
            if let Some(name) = name {
                ctx.report(messages::same_module_name(name.range(), &names));
            }
        }
    }
}

/// The groups of at least two that have equal keys.
fn by_equality<'k, K: PartialEq + 'k>(
    symbols: Vec<SymbolId>,
    key: impl Fn(&SymbolId) -> Option<&'k K>,
) -> Vec<Vec<SymbolId>> {
    let mut groups: Vec<Vec<SymbolId>> = Vec::new();
    for symbol in symbols {
        let same = groups.iter_mut().find(|group| {
            let known = group.first().and_then(&key);
            known.is_some() && known == key(&symbol)
        });
        match same {
            Some(group) => group.push(symbol),
            None => groups.push(vec![symbol]),
        }
    }
    groups.retain(|group| group.len() > 1);
    groups
}

/// The names of a resource and its ancestors, with the indexes of those that loops declare.
fn name_segments(
    ctx: &Limits<'_>,
    names: &FxHashMap<SymbolId, Segment>,
    resource: &Resource,
) -> Vec<Segment> {
    let mut segments = Vec::new();
    for (ancestor, link) in ctx.resources().ancestors(resource) {
        segments.extend(names.get(&ancestor.symbol).cloned());
        if let Some(index) = link.index {
            let literal = match ctx.model.type_of(ctx.tree().node(index)).map(Type::kind) {
                Some(Kind::IntLiteral(value)) => Some(Segment::Literal(value.to_string())),
                _ => None,
            };
            segments.push(literal.unwrap_or(Segment::Expression(index)));
        }
    }
    segments.extend(names.get(&resource.symbol).cloned());
    segments
}

fn own_segment(ctx: &Limits<'_>, resource: &Resource) -> Segment {
    match resource_name(ctx, resource.declaration) {
        Some(name) => segment(ctx, name.id()),
        None => Segment::Expression(resource.declaration),
    }
}

/// The name of a resource: the last one, where it has several.
fn resource_name<'a>(ctx: &Limits<'a>, declaration: NodeId) -> Option<Node<'a>> {
    let body = DeployedBody::of(ctx.tree().node(declaration))?.body()?;
    Some(body.last_property("name")?.value().syntax())
}

/// The name of a module, if it has just one.
fn module_name<'a>(ctx: &Limits<'a>, declaration: NodeId) -> Option<Node<'a>> {
    let body = DeployedBody::of(ctx.tree().node(declaration))?.body()?;
    Some(body.property("name")?.value().syntax())
}

/// Whether there is no condition, or one that always holds: the same name may be used on both sides of a condition.
fn is_surely_deployed(ctx: &Limits<'_>, declaration: NodeId) -> bool {
    let value = ctx.tree().node(declaration).children().next_back().map(Expr::of);
    let value = match value {
        Some(Expr::For(each)) => Some(each.body()),
        value => value,
    };
    let Some(Expr::If(condition)) = value else { return true };
    let ty = ctx.model.type_of(condition.condition().syntax());
    ty.is_some_and(|ty| matches!(ty.kind(), Kind::BoolLiteral(true)))
}

/// What an expression that names a part of an identifier is surely equal to: its literal value, else only itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Segment {
    Literal(String),
    Expression(NodeId),
}

/// The segment of an expression.
fn segment(ctx: &Limits<'_>, expr: NodeId) -> Segment {
    let ty = ctx.model.type_of(ctx.tree().node(expr));
    match ty.and_then(Type::as_string_literal) {
        Some(text) => Segment::Literal(text.to_string()),
        None => Segment::Expression(expr),
    }
}
