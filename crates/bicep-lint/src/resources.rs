//! The resources that a file declares, as rules look at them.

use bicep_sema::resource::Resource;
use bicep_sema::{SymbolId, SymbolKind};
use bicep_syntax::Node;
use bicep_syntax::ast::{self, Expr, Object, Property};
use bicep_types::ty::{ResourceReference, ResourceType};

use crate::View;

#[derive(Debug, Clone)]
pub struct DeclaredResource<'t> {
    /// What it is called in the file.
    pub symbol: SymbolId,
    /// Its name in the file.
    pub name: &'t str,
    /// Its statement.
    pub declaration: ast::Resource<'t>,
    /// Its type, with those of the resources it is nested in.
    pub reference: &'t ResourceReference,
    /// What it is a child of.
    pub parent: Option<SymbolId>,
    /// What is known about its type.
    pub ty: &'t ResourceType,
    /// Whether it is one of Azure, and not of an extension.
    pub is_azure: bool,
}

impl<'t> DeclaredResource<'t> {
    pub fn body(&self) -> Option<Object<'t>> {
        self.declaration.body()
    }

    /// The value of a property of its body.
    pub fn property(&self, name: &str) -> Option<Expr<'t>> {
        Some(self.body()?.property(name)?.value())
    }

    /// The value of a property that says which resource it is. Of several the last one counts.
    pub fn identity(&self, name: &str) -> Option<Expr<'t>> {
        Some(self.body()?.last_property(name)?.value())
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

/// The resources of a file in the order of the text, outer ones before those nested in them. Those whose type makes no
/// sense have been reported and are left out.
pub fn resources<'p>(view: &View<'p, '_>) -> Vec<DeclaredResource<'p>> {
    let mut found: Vec<_> = view.resources.iter().filter_map(|it| declared(view, it)).collect();
    found.sort_by_key(|resource| resource.declaration.syntax().id());
    found
}

fn declared<'p>(view: &View<'p, '_>, resource: &'p Resource) -> Option<DeclaredResource<'p>> {
    let declaration = view.tree().node(resource.declaration);
    let statement = ast::Resource::cast(declaration)?;
    let ty = view.model.type_of(declaration)?.as_resource()?;
    Some(DeclaredResource {
        symbol: resource.symbol,
        name: statement.name().map_or("", ast::Name::display),
        declaration: statement,
        reference: &resource.reference,
        parent: resource.parent.map(|parent| parent.resource),
        is_azure: ty.namespace == "az",
        ty,
    })
}

/// The symbol of the resource that an expression names: `a`, `a::b`, or a variable that holds nothing else.
pub fn resource_named(view: &View<'_, '_>, expr: Expr<'_>) -> Option<SymbolId> {
    view.resources.of_expr(expr, view.model).map(|resource| resource.symbol)
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
pub fn names_deployed(view: &View<'_, '_>, node: Node<'_>) -> bool {
    node.descendants().any(|inner| {
        view.referenced(inner)
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
