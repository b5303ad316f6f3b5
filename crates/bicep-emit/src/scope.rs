//! Where resources and modules are deployed: the `scope` property, understood.

use bicep_sema::resource::{Resource, Resources};
use bicep_sema::{Model, SymbolId, SymbolKind};
use bicep_syntax::ast::{self, Expr};
use bicep_syntax::{SyntaxKind, Tree};
use bicep_types::ty::Scopes;
use rustc_hash::FxHashMap;

/// Kinds of scopes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScopeKind {
    Tenant,
    ManagementGroup,
    Subscription,
    ResourceGroup,
    /// Another resource, which is extended.
    Resource,
    /// No cloud at all.
    Local,
}

/// A scope with what names it. What is not named is that of the file's own deployment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope<'p> {
    pub(crate) kind: ScopeKind,
    pub(crate) management_group: Option<Expr<'p>>,
    pub(crate) subscription: Option<Expr<'p>>,
    pub(crate) resource_group: Option<Expr<'p>>,
    /// The resource that is extended.
    pub(crate) resource: Option<SymbolId>,
    /// The declaration from whose loop the names come, and the index into it.
    pub(crate) index: Option<(SymbolId, Expr<'p>)>,
}

impl Scope<'_> {
    pub(crate) fn of_kind(kind: ScopeKind) -> Self {
        Self {
            kind,
            management_group: None,
            subscription: None,
            resource_group: None,
            resource: None,
            index: None,
        }
    }
}

impl ScopeKind {
    /// The scope that a file is deployed to.
    pub(crate) fn of_target(target: Scopes) -> Self {
        if target.contains(Scopes::TENANT) {
            Self::Tenant
        } else if target.contains(Scopes::MANAGEMENT_GROUP) {
            Self::ManagementGroup
        } else if target.contains(Scopes::SUBSCRIPTION) {
            Self::Subscription
        } else if target.contains(Scopes::LOCAL) {
            Self::Local
        } else {
            Self::ResourceGroup
        }
    }
}

/// The scopes of all resources without parents and of all modules of a file, where they say one.
pub(crate) fn scopes<'p>(
    tree: &'p Tree,
    model: &Model,
    resources: &Resources,
) -> FxHashMap<SymbolId, Scope<'p>> {
    let reader = Reader { tree, model, resources };
    let modules = tree.file().statements().filter_map(|it| ast::Module::cast(it.syntax()));
    let of_modules = modules.filter_map(|module| {
        let scope = module.body()?.property("scope")?.value();
        Some((model.declared(module.syntax().id())?, reader.scope(scope, DEEPEST)?))
    });
    let of_resources = resources.iter().filter(|resource| resource.parent.is_none()).filter_map(|resource| {
        Some((resource.symbol, reader.scope(reader.scope_property(resource)?, DEEPEST)?))
    });
    of_resources.chain(of_modules).collect()
}

/// How many variables and resources a scope may lead through.
const DEEPEST: usize = 64;

struct Reader<'p, 'r> {
    tree: &'p Tree,
    model: &'r Model,
    resources: &'r Resources,
}

impl<'p> Reader<'p, '_> {
    fn scope_property(&self, resource: &Resource) -> Option<Expr<'p>> {
        let statement = ast::Resource::cast(self.tree.node(resource.declaration))?;
        Some(statement.body()?.property("scope")?.value())
    }

    fn name_property(&self, resource: &Resource) -> Option<Expr<'p>> {
        let statement = ast::Resource::cast(self.tree.node(resource.declaration))?;
        Some(statement.body()?.property("name")?.value())
    }

    fn scope(&self, expr: Expr<'p>, depth: usize) -> Option<Scope<'p>> {
        let depth = depth.checked_sub(1)?;
        match expr {
            Expr::Paren(paren) => self.scope(paren.value(), depth),
            Expr::NonNull(assertion) => self.scope(assertion.base(), depth),
            Expr::Call(call) => function_scope(call.name()?.text()?, call.arguments()),
            Expr::MethodCall(call) => function_scope(call.name()?.text()?, call.arguments()),
            Expr::Index(access) => {
                let resource = self.resources.of_expr(access.base(), self.model)?;
                let scope = self.resource_scope(resource, depth)?;
                Some(Scope { index: Some((resource.symbol, access.index())), ..scope })
            }
            _ => match self.resources.of_expr(expr, self.model) {
                Some(resource) => self.resource_scope(resource, depth),
                None => {
                    let symbol = self.model.symbol(self.model.bindings().symbol(expr.syntax())?);
                    let declaration = self.tree.node(symbol.declaration);
                    let is_variable = symbol.kind == SymbolKind::Var && declaration.kind() == SyntaxKind::Var;
                    let value = ast::Var::cast(declaration).filter(|_| is_variable)?.value();
                    self.scope(value, depth)
                }
            },
        }
    }

    /// A resource as a scope: resource groups and management groups are scopes themselves, others are extended.
    fn resource_scope(&self, resource: &Resource, depth: usize) -> Option<Scope<'p>> {
        let ty = resource.reference.name();
        if ty.eq_ignore_ascii_case("Microsoft.Resources/resourceGroups") {
            let outer = self.scope_property(resource).and_then(|scope| self.scope(scope, depth));
            return Some(Scope {
                subscription: outer.and_then(|outer| outer.subscription),
                resource_group: self.name_property(resource),
                ..Scope::of_kind(ScopeKind::ResourceGroup)
            });
        }
        if ty.eq_ignore_ascii_case("Microsoft.Management/managementGroups") {
            let management_group = self.name_property(resource);
            return Some(Scope { management_group, ..Scope::of_kind(ScopeKind::ManagementGroup) });
        }
        Some(Scope { resource: Some(resource.symbol), ..Scope::of_kind(ScopeKind::Resource) })
    }
}

/// `tenant()`, `managementGroup(name)`, `subscription(id)`, `resourceGroup(subscription, name)`
fn function_scope<'p>(name: &str, arguments: impl Iterator<Item = ast::Argument<'p>>) -> Option<Scope<'p>> {
    let mut arguments = arguments.map(ast::Argument::value);
    let (first, second) = (arguments.next(), arguments.next());
    Some(match name {
        "tenant" => Scope::of_kind(ScopeKind::Tenant),
        "managementGroup" => Scope { management_group: first, ..Scope::of_kind(ScopeKind::ManagementGroup) },
        "subscription" => Scope { subscription: first, ..Scope::of_kind(ScopeKind::Subscription) },
        "resourceGroup" => {
            let (subscription, resource_group) =
                if second.is_some() { (first, second) } else { (None, first) };
            Scope { subscription, resource_group, ..Scope::of_kind(ScopeKind::ResourceGroup) }
        }
        _ => return None,
    })
}
