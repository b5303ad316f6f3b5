//! The resources that a file declares, as rules look at them.

use bicep_sema::resource::Resource;
use bicep_sema::{SymbolId, SymbolKind};
use bicep_syntax::Node;
use bicep_syntax::ast::{self, Expr, Object, Property};
use bicep_types::ty::ResourceReference;

use crate::View;

/// A declared resource.
#[derive(Debug, Clone)]
pub struct DeclaredResource<'t> {
    /// What it is called in the file.
    pub symbol: SymbolId,
    /// Its name in the file.
    pub name: &'t str,
    /// Its statement.
    pub declaration: ast::Resource<'t>,
    /// Its type, with those of the resources it is nested in.
    pub reference: ResourceReference,
    /// What it is a child of.
    pub parent: Option<SymbolId>,
    /// Whether it is one of Azure, and not of an extension.
    pub is_azure: bool,
}

impl<'t> DeclaredResource<'t> {
    /// Its body.
    pub fn body(&self) -> Option<Object<'t>> {
        self.declaration.body()
    }

    /// The value of a property of its body.
    pub fn property(&self, name: &str) -> Option<Expr<'t>> {
        Some(self.body()?.property(name)?.value())
    }

    /// Whether it is declared by a loop.
    pub fn is_collection(&self) -> bool {
        matches!(self.declaration.value(), Expr::For(_))
    }

    /// Whether it is of this type, in any version.
    pub fn is_of_type(&self, name: &str) -> bool {
        self.reference.name().eq_ignore_ascii_case(name)
    }
}

/// The resources of a file in the order of the text, outer ones before those nested in them.
pub fn resources<'p>(ctx: &View<'p, '_>) -> Vec<DeclaredResource<'p>> {
    let declared = |it: &Resource| {
        Some(DeclaredResource {
            symbol: it.symbol,
            name: ctx.model.symbol(it.symbol).name.as_deref()?,
            declaration: ast::Resource::cast(ctx.tree().node(it.declaration))?,
            reference: it.reference.clone(),
            parent: it.parent.map(|parent| parent.resource),
            is_azure: is_azure(ctx, it),
        })
    };
    let mut found: Vec<_> = ctx.resources.iter().filter_map(declared).collect();
    found.sort_by_key(|resource| resource.declaration.syntax().id());
    found
}

/// The symbol of the resource that an expression names: `a`, `a::b`, or a variable that holds nothing else.
pub fn resource_named(ctx: &View<'_, '_>, expr: Expr<'_>) -> Option<SymbolId> {
    ctx.resources.of_expr(expr, ctx.model).map(|resource| resource.symbol)
}

fn is_azure(ctx: &View<'_, '_>, resource: &Resource) -> bool {
    let namespaces = &ctx.model.namespaces().all;
    match &resource.namespace {
        Some(name) => namespaces.iter().any(|it| it.name == *name && it.extension == "az"),
        // A type of Azure has a provider with a dot in its name.
        None => resource.reference.segments().next().is_some_and(|provider| provider.contains('.')),
    }
}

/// The property at the end of a path of property names, where everything on the way is written out as an object.
pub fn property_at<'t>(object: Object<'t>, path: &[&str]) -> Option<Property<'t>> {
    let (first, rest) = path.split_first()?;
    let property = object.property(first)?;
    match (rest, property.value()) {
        ([], _) => Some(property),
        (_, Expr::Object(inner)) => property_at(inner, rest),
        _ => None,
    }
}

/// The first property of a name, whatever its case.
pub fn property_ignoring_case<'t>(object: Object<'t>, name: &str) -> Option<Property<'t>> {
    object.properties().find(|it| it.key_text().is_some_and(|key| key.eq_ignore_ascii_case(name)))
}

/// The resources and modules in and under a node that are named there.
pub fn names_deployed(ctx: &View<'_, '_>, node: Node<'_>) -> bool {
    node.descendants().any(|inner| {
        ctx.referenced(inner)
            .is_some_and(|(_, symbol)| matches!(symbol.kind, SymbolKind::Resource | SymbolKind::Module))
    })
}

/// Whether a text has the form of a resource type: `Microsoft.Storage/storageAccounts`.
pub fn looks_like_a_type(text: &str) -> bool {
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphabetic());
    let mut parts = text.split('/');
    let provider = parts.next().and_then(|provider| provider.split_once('.'));
    let has_provider = provider.is_some_and(|(company, service)| is_word(company) && is_word(service));
    has_provider && text.contains('/') && parts.all(is_word)
}
