//! Where resources and modules are deployed: whether they can be there, and whether the file can reach it from where it
//! is deployed itself. Gives the places that were found, for the checks that compare them.

use std::collections::BTreeMap;

use base::{Diagnostic, TextRange};
use bicep_syntax::NodeId;
use bicep_syntax::ast::{self, Expr};
use bicep_types::ty::{Kind, Scopes, Type};
use config::Feature;

use super::{Limits, only_property};
use crate::messages::limits as messages;
use crate::resource::Resource;
use crate::symbol::{SymbolId, SymbolKind};

/// Where things are deployed.
#[derive(Debug, Default)]
pub(super) struct Places {
    pub(super) resources: BTreeMap<SymbolId, Place>,
    pub(super) modules: BTreeMap<SymbolId, Place>,
}

/// A place that something is deployed to. What is not named is that of the file's own deployment. Two places are
/// surely the same if they are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) kind: Scopes,
    pub(super) management_group: Option<NodeId>,
    pub(super) subscription: Option<NodeId>,
    pub(super) resource_group: Option<NodeId>,
    /// The resource that is extended.
    pub(super) resource: Option<SymbolId>,
    index: Option<NodeId>,
    /// The resource whose own place this is, where it may differ from that of its parent by an index.
    owner: Option<SymbolId>,
}

impl Place {
    fn of_kind(kind: Scopes) -> Self {
        Self {
            kind,
            management_group: None,
            subscription: None,
            resource_group: None,
            resource: None,
            index: None,
            owner: None,
        }
    }

    fn names_something(&self) -> bool {
        self.management_group.or(self.subscription).or(self.resource_group).or(self.index).is_some()
    }
}

/// A place that something cannot be deployed to; `supplied` is `None` where it is not known which place it is.
struct Refused {
    range: TextRange,
    supplied: Option<Scopes>,
    supported: Scopes,
}

pub(super) fn check(ctx: &mut Limits<'_>) -> Places {
    let modules = check_modules(ctx);
    let resources = check_resources(ctx);
    Places { resources, modules }
}

fn check_modules(ctx: &mut Limits<'_>) -> BTreeMap<SymbolId, Place> {
    let mut places = BTreeMap::new();
    let statements = ctx.tree().file().statements();
    for module in statements.filter_map(|statement| ast::Module::cast(statement.syntax())) {
        let Some(symbol) = ctx.model.declared(module.syntax().id()) else { continue };
        let Some(ty) = ctx.module_type(symbol) else { continue };
        let scope = module.body().and_then(|body| only_property(body, "scope")).map(ast::Property::value);
        let found = place(ctx, ty.scopes, (module.value().range(), scope), DEEPEST);
        let place = match found {
            Ok(place) => place,
            Err(refused) => {
                let Refused { range, supplied, supported } = refused;
                ctx.report(match supplied {
                    Some(supplied) => messages::module_scope(range, supplied, supported),
                    None => messages::unknown_scope(range),
                });
                None
            }
        };
        let place = place.unwrap_or(Place::of_kind(ctx.model.target_scope()));
        if !is_reachable(ctx.model.target_scope(), &place) {
            let range = scope.map_or(module.value().range(), Expr::range);
            ctx.diagnostics.extend(messages::module_out_of_reach(range, ctx.model.target_scope()));
        }
        places.insert(symbol, place);
    }
    places
}

/// Whether a file can deploy a module to a place.
fn is_reachable(target: Scopes, place: &Place) -> bool {
    let anywhere = Scopes::TENANT | Scopes::MANAGEMENT_GROUP | Scopes::SUBSCRIPTION | Scopes::RESOURCE_GROUP;
    let below_subscription = Scopes::SUBSCRIPTION | Scopes::RESOURCE_GROUP;
    let from = match place.kind {
        Scopes::TENANT => anywhere,
        Scopes::MANAGEMENT_GROUP => Scopes::TENANT | Scopes::MANAGEMENT_GROUP,
        Scopes::RESOURCE_GROUP if place.resource_group.is_none() => Scopes::RESOURCE_GROUP,
        Scopes::SUBSCRIPTION | Scopes::RESOURCE_GROUP if place.subscription.is_some() => anywhere,
        Scopes::SUBSCRIPTION | Scopes::RESOURCE_GROUP => below_subscription,
        _ => Scopes::empty(),
    };
    from.contains(target)
}

fn check_resources(ctx: &mut Limits<'_>) -> BTreeMap<SymbolId, Place> {
    let mut places = BTreeMap::new();
    // Children are where their parents are, so these come first.
    let mut resources: Vec<_> =
        ctx.deployed().map(|resource| (ctx.resources.ancestors(resource), resource)).collect();
    resources.sort_by_key(|(ancestors, _)| ancestors.len());
    for (ancestors, resource) in &resources {
        let (place, mistake) = match (ancestors.first(), ancestors.last()) {
            (Some((oldest, _)), Some((parent, _))) => child_place(ctx, &places, resource, (oldest, parent)),
            _ => own_place(ctx, resource),
        };
        ctx.diagnostics.extend(mistake);
        places.insert(resource.symbol, place.unwrap_or(Place::of_kind(ctx.model.target_scope())));
    }
    for (_, resource) in &resources {
        check_deployment(ctx, &places, resource);
    }
    places
}

/// The place of a resource without parent.
fn own_place(ctx: &Limits<'_>, resource: &Resource) -> (Option<Place>, Option<Diagnostic>) {
    let (Some(statement), Some(ty)) = (ctx.statement(resource), ctx.resource_type(resource.symbol)) else {
        return (None, None);
    };
    let property = |name| Some(only_property(statement.body()?, name)?.value());
    let scope = property("scope");
    for expr in [scope, property("parent")].into_iter().flatten() {
        if let Some(parameter) = ctx.parameter_resource(expr) {
            return (None, Some(messages::parameter_as_scope(expr.range(), ctx.name(parameter))));
        }
    }
    match place(ctx, ty.scopes, (statement.value().range(), scope), DEEPEST) {
        Ok(place) => (place, None),
        Err(Refused { range, supplied, supported }) => {
            let mistake = match supplied {
                Some(supplied) => messages::resource_scope(range, supplied, supported),
                None => messages::unknown_scope(range),
            };
            (None, Some(mistake))
        }
    }
}

/// The place of a resource with a parent: that of the parent.
fn child_place(
    ctx: &Limits<'_>,
    places: &BTreeMap<SymbolId, Place>,
    resource: &Resource,
    (oldest, parent): (&Resource, &Resource),
) -> (Option<Place>, Option<Diagnostic>) {
    let Some(statement) = ctx.statement(resource) else { return (None, None) };
    if let Some(scope) = statement.body().and_then(|body| only_property(body, "scope")) {
        return (None, Some(messages::scope_of_child(scope.value().range())));
    }
    let is_elsewhere =
        places.get(&oldest.symbol).is_some_and(|place| !is_deployable(ctx, places, place, DEEPEST));
    if !resource.is_existing && oldest.is_existing && is_elsewhere {
        let mistake = messages::scope_of_ancestor(statement.value().range(), ctx.name(oldest.symbol));
        return (None, Some(mistake));
    }
    let Some(place) = places.get(&parent.symbol) else { return (None, None) };
    let has_index = resource.parent.is_some_and(|parent| parent.index.is_some());
    let is_moved = place.resource.is_some() || has_index && place.names_something();
    (Some(Place { owner: is_moved.then_some(resource.symbol).or(place.owner), ..*place }), None)
}

/// Whether a resource can be deployed to where it says: only modules leave the scope of the file.
fn check_deployment(ctx: &mut Limits<'_>, places: &BTreeMap<SymbolId, Place>, resource: &Resource) {
    if resource.is_existing {
        return;
    }
    let (Some(statement), Some(ty)) = (ctx.statement(resource), ctx.resource_type(resource.symbol)) else {
        return;
    };
    let Some(place) = root_place(places, resource.symbol) else { return };
    let scope = statement.body().and_then(|body| only_property(body, "scope")).map(ast::Property::value);
    let range = scope.unwrap_or(statement.value()).range();
    if !is_deployable(ctx, places, &place, DEEPEST) {
        ctx.report(messages::resource_out_of_reach(range));
    }
    if !place.kind.is_empty() && ty.read_only_scopes.contains(place.kind) {
        let writable = ty.scopes - ty.read_only_scopes;
        ctx.report(messages::read_only_at_scope(range, &ty.reference, writable));
    }
}

/// The place of the resource at the end of a chain of extensions.
fn root_place(places: &BTreeMap<SymbolId, Place>, symbol: SymbolId) -> Option<Place> {
    let mut place = places.get(&symbol)?;
    for _ in 0..DEEPEST {
        match place.resource {
            Some(extended) => place = places.get(&extended)?,
            None => return Some(*place),
        }
    }
    None
}

/// Whether resources can be deployed to a place: tenant resources from anywhere, others only where the file is deployed.
fn is_deployable(ctx: &Limits<'_>, places: &BTreeMap<SymbolId, Place>, place: &Place, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return true };
    if let Some(extended) = place.resource {
        return places.get(&extended).is_none_or(|place| is_deployable(ctx, places, place, depth));
    }
    place.kind == Scopes::TENANT
        || place.kind == ctx.model.target_scope()
            && place.management_group.or(place.subscription).or(place.resource_group).is_none()
}

/// How many variables and resources a scope may lead through.
const DEEPEST: usize = 64;

/// The place that a scope means, if it is one of the supported ones. `None`: that of the file.
fn place(
    ctx: &Limits<'_>,
    supported: Scopes,
    (body, scope): (TextRange, Option<Expr<'_>>),
    depth: usize,
) -> Result<Option<Place>, Refused> {
    let mut supported = supported;
    supported
        .set(Scopes::LOCAL, supported.contains(Scopes::LOCAL) || ctx.bicep.config.has(Feature::LocalDeploy));
    let refuse = |range, supplied| Err(Refused { range, supplied, supported });
    let Some(scope) = scope else {
        let target = ctx.model.target_scope();
        return if supported.contains(target) { Ok(None) } else { refuse(body, Some(target)) };
    };
    let (named, index) = match scope {
        Expr::Index(access) if matches!(access.base(), Expr::VarAccess(_) | Expr::ResourceAccess(_)) => {
            (access.base(), Some(access.index()))
        }
        scope => (scope, None),
    };
    let Some(ty) = ctx.model.type_of(scope.syntax()) else { return Ok(None) };
    let index_id = index.map(|index| index.syntax().id());
    if let Some(kind) = ty.as_object().and_then(|object| object.scope) {
        if is_choice(scope) {
            return refuse(scope.range(), None);
        }
        if !supported.contains(kind) {
            return refuse(scope.range(), Some(kind));
        }
        return Ok(Some(Place { index: index_id, ..called_place(ctx, kind, scope) }));
    }
    let Some(symbol) = ctx.model.bindings().symbol(named.syntax()) else {
        let is_any_scope = matches!(ty.kind(), Kind::Union(members) if members.iter().all(|it| it.scope_reference().is_some()));
        return if is_any_scope { refuse(scope.range(), None) } else { Ok(None) };
    };
    match ctx.model.symbol(symbol).kind {
        SymbolKind::Resource => {
            let Some(resource) = ctx.resources.get(symbol).filter(|it| ctx.is_deployed(it)) else {
                return Ok(None);
            };
            if resource.is_collection && index.is_none() {
                return Ok(None);
            }
            let place = resource_place(ctx, resource, depth);
            if !supported.contains(place.kind) {
                return refuse(scope.range(), Some(place.kind));
            }
            Ok(Some(Place { index: index_id, ..place }))
        }
        SymbolKind::Module if ctx.is_looped(symbol) == index.is_some() => {
            refuse(scope.range(), Some(Scopes::MODULE))
        }
        _ => Ok(None),
    }
}

/// Whether a scope is one of several.
fn is_choice(scope: Expr<'_>) -> bool {
    matches!(scope.without_parens(), Expr::Ternary(_) | Expr::Binary(_))
}

/// The place that `tenant()`, `managementGroup(…)`, `subscription(…)` or `resourceGroup(…)` means, called here or in a
/// variable.
fn called_place(ctx: &Limits<'_>, kind: Scopes, scope: Expr<'_>) -> Place {
    let arguments = arguments(ctx, scope);
    let argument = |at: usize| arguments.get(at).copied();
    let place = Place::of_kind(kind);
    match kind {
        Scopes::MANAGEMENT_GROUP => Place { management_group: argument(0), ..place },
        Scopes::SUBSCRIPTION => Place { subscription: argument(0), ..place },
        Scopes::RESOURCE_GROUP if arguments.len() > 1 => {
            Place { subscription: argument(0), resource_group: argument(1), ..place }
        }
        Scopes::RESOURCE_GROUP => Place { resource_group: argument(0), ..place },
        _ => place,
    }
}

fn arguments(ctx: &Limits<'_>, scope: Expr<'_>) -> Vec<NodeId> {
    let mut expr = scope;
    for _ in 0..DEEPEST {
        expr = match expr {
            Expr::Paren(paren) => paren.value(),
            Expr::NonNull(assertion) => assertion.base(),
            Expr::Call(call) => return call.arguments().map(|it| it.value().syntax().id()).collect(),
            Expr::MethodCall(call) => return call.arguments().map(|it| it.value().syntax().id()).collect(),
            Expr::VarAccess(_) => {
                let tree = expr.syntax().tree();
                let declaration = ctx.symbol(expr.syntax()).map(|symbol| tree.node(symbol.declaration));
                match declaration.and_then(ast::Var::cast) {
                    Some(variable) => variable.value(),
                    None => return Vec::new(),
                }
            }
            _ => return Vec::new(),
        };
    }
    Vec::new()
}

/// A resource as a place: resource groups and management groups are scopes themselves, others are extended.
fn resource_place(ctx: &Limits<'_>, resource: &Resource, depth: usize) -> Place {
    let extended = Place { resource: Some(resource.symbol), ..Place::of_kind(Scopes::RESOURCE) };
    let Some(depth) = depth.checked_sub(1) else { return extended };
    let kind = match resource.reference.name().to_ascii_lowercase().as_str() {
        "microsoft.resources/resourcegroups" => Scopes::RESOURCE_GROUP,
        "microsoft.management/managementgroups" => Scopes::MANAGEMENT_GROUP,
        _ => return extended,
    };
    let (Some(statement), Some(ty)) = (ctx.statement(resource), ctx.resource_type(resource.symbol)) else {
        return extended;
    };
    let property = |name| Some(only_property(statement.body()?, name)?.value());
    let Ok(outer) = place(ctx, ty.scopes, (statement.value().range(), property("scope")), depth) else {
        return extended;
    };
    let name = property("name").map(|name| name.syntax().id());
    if kind == Scopes::MANAGEMENT_GROUP {
        return Place { management_group: name, ..Place::of_kind(kind) };
    }
    let subscription = outer.and_then(|outer| outer.subscription);
    Place { subscription, resource_group: name, ..Place::of_kind(kind) }
}

/// What an expression that names a part of an identifier is surely equal to: its literal value, else only itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Segment {
    Literal(String),
    Expression(NodeId),
}

/// The segment of an expression.
pub(super) fn segment(ctx: &Limits<'_>, expr: NodeId) -> Segment {
    let ty = ctx.model.type_of(ctx.tree().node(expr));
    match ty.and_then(Type::as_string_literal) {
        Some(text) => Segment::Literal(text.to_string()),
        None => Segment::Expression(expr),
    }
}
