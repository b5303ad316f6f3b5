//! Where resources and modules are deployed: declarations with their `scope` and `parent` come in; the places these mean
//! go out, and what is wrong with them. Whether a file can reach a place is not asked here.

use std::collections::BTreeMap;

use base::{Diagnostic, TextRange};
use bicep_syntax::NodeId;
use bicep_syntax::ast::{self, Expr};
use bicep_types::ty::{Kind, Scopes};
use config::Feature;

use crate::file_view::FileView;
use crate::messages::limits as messages;
use crate::resource::Resource;
use crate::symbol::{SymbolId, SymbolKind};

/// Where the resources and modules of a file are deployed.
#[derive(Debug, Default)]
pub struct DeploymentScopes(BTreeMap<SymbolId, DeploymentScope>);

/// A place that something is deployed to. What is not named is that of the file's own deployment. Two places are
/// surely the same if they are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeploymentScope {
    /// What kind of place it is.
    pub kind: Scopes,
    /// The name of its management group.
    pub management_group: Option<NodeId>,
    /// The id of its subscription.
    pub subscription: Option<NodeId>,
    /// The name of its resource group.
    pub resource_group: Option<NodeId>,
    /// The resource that is extended.
    pub resource: Option<SymbolId>,
    /// Which one of the resources of a loop names the place, or is extended.
    pub index: Option<(SymbolId, NodeId)>,
    /// The resource whose own place this is, where it may differ from that of its parent by an index.
    owner: Option<SymbolId>,
}

impl DeploymentScope {
    /// The place of this kind in the file's own deployment.
    pub fn of_kind(kind: Scopes) -> Self {
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
        self.management_group.or(self.subscription).or(self.resource_group).is_some() || self.index.is_some()
    }
}

impl DeploymentScopes {
    /// The place of a resource or module, if its type is known.
    pub fn get(&self, symbol: SymbolId) -> Option<&DeploymentScope> {
        self.0.get(&symbol)
    }

    /// Whether resources can be deployed to a place from a file with this target: tenant resources from anywhere,
    /// others only where the file is deployed.
    pub(crate) fn is_deployable(&self, place: &DeploymentScope, target: Scopes) -> bool {
        self.root(*place).is_none_or(|root| {
            let parts = root.management_group.or(root.subscription).or(root.resource_group);
            root.kind == Scopes::TENANT || root.kind == target && parts.is_none()
        })
    }

    /// The place at the end of a chain of extended resources; `None` where it does not end.
    pub(crate) fn root(&self, place: DeploymentScope) -> Option<DeploymentScope> {
        let mut place = place;
        for _ in 0..DEEPEST {
            match place.resource {
                Some(extended) => place = *self.get(extended)?,
                None => return Some(place),
            }
        }
        None
    }
}

/// The places of all resources and modules of a file.
pub(crate) fn places(view: FileView<'_>) -> (DeploymentScopes, Vec<Diagnostic>) {
    let mut mistakes = Vec::new();
    let mut places = DeploymentScopes::default();
    let elsewhere = DeploymentScope::of_kind(view.model.target_scope());
    let statements = view.tree().file().statements();
    for module in statements.filter_map(|statement| ast::Module::cast(statement.syntax())) {
        let symbol = view.model.declared(module.syntax().id());
        let Some((symbol, ty)) = symbol.and_then(|it| Some((it, view.module_type(it)?))) else { continue };
        let scope = module.body().and_then(|body| body.property("scope")).map(ast::Property::value);
        let place = place(view, ty.scopes, module.value().range(), scope, DEEPEST);
        let place = place.map_err(|refused| mistakes.push(refused.message(messages::module_scope)));
        places.0.insert(symbol, place.ok().flatten().unwrap_or(elsewhere));
    }
    // Children are where their parents are, so these come first.
    let mut resources: Vec<_> =
        view.deployed().map(|resource| (view.resources().ancestors(resource), resource)).collect();
    resources.sort_by_key(|(ancestors, _)| ancestors.len());
    for (ancestors, resource) in resources {
        let place = match (ancestors.first(), ancestors.last()) {
            (Some((oldest, _)), Some((parent, _))) => child_place(view, &places, resource, oldest, parent),
            _ => own_place(view, resource),
        };
        let place = place.map_err(|mistake| mistakes.push(mistake));
        places.0.insert(resource.symbol, place.ok().flatten().unwrap_or(elsewhere));
    }
    (places, mistakes)
}

/// A place that something cannot be deployed to; `supplied` is `None` where it is not known which place it is.
struct Refused {
    range: TextRange,
    supplied: Option<Scopes>,
    supported: Scopes,
}

impl Refused {
    fn message(self, unsupported: fn(TextRange, Scopes, Scopes) -> Diagnostic) -> Diagnostic {
        match self.supplied {
            Some(supplied) => unsupported(self.range, supplied, self.supported),
            None => messages::unknown_scope(self.range),
        }
    }
}

/// The place of a resource without parent. `None`: that of the file.
fn own_place(view: FileView<'_>, resource: &Resource) -> Result<Option<DeploymentScope>, Diagnostic> {
    let (Some(statement), Some(ty)) = (view.statement(resource), view.resource_type(resource.symbol)) else {
        return Ok(None);
    };
    // Of several scopes or names the last one counts, as for the reference.
    let scope = statement.body().and_then(|body| body.last_property("scope")).map(ast::Property::value);
    let parent = statement.body().and_then(|body| body.property("parent")).map(ast::Property::value);
    for expr in [scope, parent].into_iter().flatten() {
        if let Some(parameter) = view.parameter_resource(expr) {
            return Err(messages::parameter_as_scope(expr.range(), view.name(parameter)));
        }
    }
    place(view, ty.scopes, statement.value().range(), scope, DEEPEST)
        .map_err(|refused| refused.message(messages::resource_scope))
}

/// The place of a resource with a parent: that of the parent.
fn child_place(
    view: FileView<'_>,
    places: &DeploymentScopes,
    resource: &Resource,
    oldest: &Resource,
    parent: &Resource,
) -> Result<Option<DeploymentScope>, Diagnostic> {
    let Some(statement) = view.statement(resource) else { return Ok(None) };
    if let Some(scope) = statement.body().and_then(|body| body.last_property("scope")) {
        return Err(messages::scope_of_child(scope.value().range()));
    }
    let target = view.model.target_scope();
    let is_elsewhere = places.get(oldest.symbol).is_some_and(|place| !places.is_deployable(place, target));
    if !resource.is_existing && oldest.is_existing && is_elsewhere {
        return Err(messages::scope_of_ancestor(statement.value().range(), view.name(oldest.symbol)));
    }
    let Some(place) = places.get(parent.symbol) else { return Ok(None) };
    let has_index = resource.parent.is_some_and(|parent| parent.index.is_some());
    let is_moved = place.resource.is_some() || has_index && place.names_something();
    Ok(Some(DeploymentScope { owner: is_moved.then_some(resource.symbol).or(place.owner), ..*place }))
}

/// How many variables and resources a scope may lead through.
const DEEPEST: usize = 64;

/// The place that a scope means, if it is one of the supported ones. `None`: that of the file.
fn place(
    view: FileView<'_>,
    supported: Scopes,
    body: TextRange,
    scope: Option<Expr<'_>>,
    depth: usize,
) -> Result<Option<DeploymentScope>, Refused> {
    let mut supported = supported;
    supported
        .set(Scopes::LOCAL, supported.contains(Scopes::LOCAL) || view.bicep.config.has(Feature::LocalDeploy));
    let refuse = |range, supplied| Err(Refused { range, supplied, supported });
    let Some(written) = scope else {
        let target = view.model.target_scope();
        return if supported.contains(target) { Ok(None) } else { refuse(body, Some(target)) };
    };
    let scope = bare(written);
    let (named, index) = match scope {
        Expr::Index(access) if matches!(access.base(), Expr::VarAccess(_) | Expr::ResourceAccess(_)) => {
            (access.base(), Some(access.index()))
        }
        scope => (scope, None),
    };
    let Some(ty) = view.model.type_of(scope.syntax()) else { return Ok(None) };
    let symbol = view.model.bindings().symbol(named.syntax());
    let chosen = symbol.zip(index.map(|index| index.syntax().id()));
    if let Some(kind) = ty.as_object().and_then(|object| object.scope) {
        if matches!(scope, Expr::Ternary(_) | Expr::Binary(_)) {
            return refuse(written.range(), None);
        }
        if !supported.contains(kind) {
            return refuse(written.range(), Some(kind));
        }
        return Ok(Some(DeploymentScope { index: chosen, ..called_place(view, kind, scope) }));
    }
    let Some(symbol) = symbol else {
        let is_any_scope = matches!(ty.kind(), Kind::Union(members) if members.iter().all(|it| it.scope_reference().is_some()));
        return if is_any_scope { refuse(written.range(), None) } else { Ok(None) };
    };
    match view.model.symbol(symbol).kind {
        SymbolKind::Resource => {
            let Some(resource) = view.resources().get(symbol).filter(|it| view.is_deployed(it)) else {
                return Ok(None);
            };
            if resource.is_collection && index.is_none() {
                return Ok(None);
            }
            let place = resource_place(view, resource, depth);
            if !supported.contains(place.kind) {
                return refuse(written.range(), Some(place.kind));
            }
            Ok(Some(DeploymentScope { index: chosen, ..place }))
        }
        SymbolKind::Module if view.is_looped(symbol) == index.is_some() => {
            refuse(written.range(), Some(Scopes::MODULE))
        }
        _ => Ok(None),
    }
}

/// What a scope is without parentheses and `!`.
fn bare(scope: Expr<'_>) -> Expr<'_> {
    let mut scope = scope;
    loop {
        scope = match scope {
            Expr::Paren(paren) => paren.value(),
            Expr::NonNull(assertion) => assertion.base(),
            scope => return scope,
        }
    }
}

/// The place that `tenant()`, `managementGroup(…)`, `subscription(…)` or `resourceGroup(…)` means, called here or in a
/// variable.
fn called_place(view: FileView<'_>, kind: Scopes, scope: Expr<'_>) -> DeploymentScope {
    let arguments = arguments(view, scope);
    let argument = |at: usize| arguments.get(at).copied();
    let place = DeploymentScope::of_kind(kind);
    match kind {
        Scopes::MANAGEMENT_GROUP => DeploymentScope { management_group: argument(0), ..place },
        Scopes::SUBSCRIPTION => DeploymentScope { subscription: argument(0), ..place },
        Scopes::RESOURCE_GROUP if arguments.len() > 1 => {
            DeploymentScope { subscription: argument(0), resource_group: argument(1), ..place }
        }
        Scopes::RESOURCE_GROUP => DeploymentScope { resource_group: argument(0), ..place },
        _ => place,
    }
}

fn arguments(view: FileView<'_>, scope: Expr<'_>) -> Vec<NodeId> {
    let mut expr = scope;
    for _ in 0..DEEPEST {
        expr = match expr {
            Expr::Paren(_) | Expr::NonNull(_) => bare(expr),
            Expr::Call(call) => return call.arguments().map(|it| it.value().syntax().id()).collect(),
            Expr::MethodCall(call) => return call.arguments().map(|it| it.value().syntax().id()).collect(),
            Expr::VarAccess(_) => {
                let tree = expr.syntax().tree();
                let declaration = view.symbol(expr.syntax()).map(|symbol| tree.node(symbol.declaration));
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
fn resource_place(view: FileView<'_>, resource: &Resource, depth: usize) -> DeploymentScope {
    let extended =
        DeploymentScope { resource: Some(resource.symbol), ..DeploymentScope::of_kind(Scopes::RESOURCE) };
    let Some(depth) = depth.checked_sub(1) else { return extended };
    let kind = match resource.reference.name().to_ascii_lowercase().as_str() {
        "microsoft.resources/resourcegroups" => Scopes::RESOURCE_GROUP,
        "microsoft.management/managementgroups" => Scopes::MANAGEMENT_GROUP,
        _ => return extended,
    };
    let (Some(statement), Some(ty)) = (view.statement(resource), view.resource_type(resource.symbol)) else {
        return extended;
    };
    let property = |name| Some(statement.body()?.last_property(name)?.value());
    let Ok(outer) = place(view, ty.scopes, statement.value().range(), property("scope"), depth) else {
        return extended;
    };
    let name = property("name").map(|name| name.syntax().id());
    if kind == Scopes::MANAGEMENT_GROUP {
        return DeploymentScope { management_group: name, ..DeploymentScope::of_kind(kind) };
    }
    let subscription = outer.and_then(|outer| outer.subscription);
    DeploymentScope { subscription, resource_group: name, ..DeploymentScope::of_kind(kind) }
}
