//! What the declarations of a file are, for whoever looks at the file as a whole after its types are known: a file and
//! its model come in; statements, types and flags go out.

use bicep_syntax::ast::{self, Expr};
use bicep_syntax::{Node, Tree};
use bicep_types::ty::{FunctionFlags, Kind, ModuleType, ObjectType, ResourceType, Type};

use crate::hoisted;
use crate::model::Model;
use crate::program::BicepFile;
use crate::resource::{Resource, Resources};
use crate::symbol::{Symbol, SymbolId, SymbolKind};

/// A file with its model.
#[derive(Clone, Copy)]
pub(crate) struct FileView<'a> {
    pub(crate) bicep: &'a BicepFile,
    pub(crate) model: &'a Model,
}

impl<'a> FileView<'a> {
    /// The tree of the file.
    pub(crate) fn tree(self) -> &'a Tree {
        self.bicep.tree()
    }

    /// The resources of the file.
    pub(crate) fn resources(self) -> &'a Resources {
        self.model.resources()
    }

    /// The symbol that a node refers to.
    pub(crate) fn symbol(self, node: Node<'_>) -> Option<&'a Symbol> {
        self.model.bindings().symbol(node).map(|symbol| self.model.symbol(symbol))
    }

    /// The symbols of some kinds, in order.
    pub(crate) fn symbols(self, kinds: &'a [SymbolKind]) -> impl Iterator<Item = &'a Symbol> + use<'a> {
        self.model.symbols().map(|(_, symbol)| symbol).filter(|symbol| kinds.contains(&symbol.kind))
    }

    /// The name of a symbol, for messages.
    pub(crate) fn name(self, symbol: SymbolId) -> &'a str {
        self.model.symbol(symbol).name.as_deref().unwrap_or_default()
    }

    /// Whether a node refers to a resource or a module that a loop declares.
    pub(crate) fn is_collection(self, node: Node<'_>) -> bool {
        self.model.bindings().symbol(node).is_some_and(|symbol| self.is_looped(symbol))
    }

    /// Whether a symbol is a resource or a module that a loop declares.
    pub(crate) fn is_looped(self, symbol: SymbolId) -> bool {
        self.model.is_collection(self.tree(), symbol)
    }

    /// The resources of the file that have a type.
    pub(crate) fn deployed(self) -> impl Iterator<Item = &'a Resource> + use<'a> {
        self.resources().iter().filter(move |resource| self.is_deployed(resource))
    }

    /// Whether a resource is one of these.
    pub(crate) fn is_deployed(self, resource: &Resource) -> bool {
        self.resource_type(resource.symbol).is_some()
    }

    /// The statement of a resource.
    pub(crate) fn statement(self, resource: &Resource) -> Option<ast::Resource<'a>> {
        ast::Resource::cast(self.tree().node(resource.declaration))
    }

    /// The parameter that holds a resource.
    pub(crate) fn parameter_resource(self, expr: Expr<'_>) -> Option<SymbolId> {
        let symbol = self.model.bindings().symbol(expr.syntax())?;
        let is_parameter = self.model.symbol(symbol).kind == SymbolKind::Param;
        let ty = self.model.declared_type(symbol)?;
        (is_parameter && matches!(ty.kind(), Kind::Resource(_))).then_some(symbol)
    }

    /// The type of what a symbol names, as far as its value says it.
    pub(crate) fn found_type(self, symbol: SymbolId) -> Option<&'a Type> {
        let declaration = self.tree().node(self.model.symbol(symbol).declaration);
        self.model.type_of(declaration)
    }

    /// The type of a resource, or of the resources that a loop declares.
    pub(crate) fn resource_type(self, symbol: SymbolId) -> Option<&'a ResourceType> {
        self.found_type(symbol)?.as_resource()
    }

    /// The type of a module, or of the modules that a loop declares.
    pub(crate) fn module_type(self, symbol: SymbolId) -> Option<&'a ModuleType> {
        let ty = self.found_type(symbol)?;
        match ty.item().unwrap_or(ty).kind() {
            Kind::Module(module) => Some(module),
            _ => None,
        }
    }

    /// What a resource, a module or a parameter that holds a resource consists of.
    pub(crate) fn body_type(self, symbol: SymbolId) -> Option<&'a ObjectType> {
        let body = match self.model.symbol(symbol).kind {
            SymbolKind::Resource => &self.resource_type(symbol)?.body,
            SymbolKind::Module => &self.module_type(symbol)?.body,
            SymbolKind::Param => &self.model.declared_type(symbol)?.as_resource()?.body,
            _ => return None,
        };
        body.as_object()
    }

    /// Whether a symbol is a resource of Azure.
    pub(crate) fn is_azure(self, symbol: SymbolId) -> bool {
        self.resource_type(symbol).is_some_and(|ty| ty.namespace == "az")
    }

    /// The flags of the built-in function that a node calls: by name, of a namespace or of a resource.
    pub(crate) fn function_flags(self, node: Node<'_>) -> FunctionFlags {
        let flags = hoisted::function_flags(node, self.model);
        let Expr::MethodCall(call) = Expr::of(node) else { return flags };
        let ty = self.model.type_of(call.base().syntax());
        let body = ty.and_then(|ty| match ty.kind() {
            Kind::Resource(resource) => resource.body.as_object(),
            _ => None,
        });
        let name = call.name().map(ast::Name::display).unwrap_or_default();
        let methods =
            body.into_iter().flat_map(|body| &body.methods).filter(|method| method.name.matches(name));
        methods.fold(flags, |flags, method| flags | method.flags)
    }
}

/// What is inside of `!`.
pub(crate) fn without_non_null(expr: Expr<'_>) -> Expr<'_> {
    match expr {
        Expr::NonNull(assertion) => assertion.base(),
        expr => expr,
    }
}
