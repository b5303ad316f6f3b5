//! Where the properties of an object must be known one by one, nothing can be spread into it.

use bicep_syntax::ast::{Expr, Module, Object, Resource, Spread, Statement};
use bicep_syntax::{NodeId, SyntaxKind, Tree};
use config::Feature;
use rustc_hash::FxHashSet;

use super::Limits;
use crate::messages::limits as messages;

pub(super) fn check(ctx: &mut Limits<'_>) {
    for spread in bodies(ctx).into_iter().flat_map(Object::spreads) {
        ctx.report(messages::spread_not_allowed(spread.range()));
    }
    let with_loops = around_property_loops(ctx.tree());
    for spread in ctx.tree().nodes_of(&[SyntaxKind::Spread]).filter_map(Spread::cast) {
        let Some(object) = spread.syntax().parent().and_then(Object::cast) else { continue };
        if with_loops.contains(&object.syntax().id()) {
            ctx.report(messages::spread_beside_loop(spread.range()));
        }
        if object.syntax().parent().is_some_and(|parent| parent.kind() == SyntaxKind::WithClause) {
            ctx.report(messages::spread_not_allowed(spread.range()));
        }
    }
}

/// The nodes that have a property with a loop somewhere inside.
fn around_property_loops(tree: &Tree) -> FxHashSet<NodeId> {
    let mut around = FxHashSet::default();
    for node in tree.nodes_of(&[SyntaxKind::For]) {
        if node.parent().is_some_and(|parent| parent.kind() == SyntaxKind::Property) {
            // What is around something that has been seen has been seen as well.
            let _ = node.ancestors().find(|outer| !around.insert(outer.id()));
        }
    }
    around
}

/// The objects whose properties the emitter takes apart. The reference does not look at nested resources here.
fn bodies<'t>(ctx: &Limits<'t>) -> Vec<Object<'t>> {
    let mut bodies = Vec::new();
    for node in ctx.tree().file().statements().map(Statement::syntax) {
        if let Some(body) = Resource::cast(node).and_then(Resource::body) {
            bodies.push(body);
        }
        if let Some(body) = Module::cast(node).and_then(Module::body) {
            bodies.push(body);
            bodies.extend(object_property(body, "params"));
            if ctx.bicep.config.has(Feature::ModuleExtensionConfigs) {
                let configs = object_property(body, "extensionConfigs");
                bodies.extend(configs);
                bodies.extend(
                    configs.into_iter().flat_map(Object::properties).filter_map(|it| as_object(it.value())),
                );
            }
        }
    }
    bodies
}

fn object_property<'t>(object: Object<'t>, name: &str) -> Option<Object<'t>> {
    object.property(name).and_then(|property| as_object(property.value()))
}

fn as_object(value: Expr<'_>) -> Option<Object<'_>> {
    match value {
        Expr::Object(object) => Some(object),
        _ => None,
    }
}
