//! What the language allows but a template cannot express. Each check is a file; all of them only report.

mod collections;
mod constants;
mod derived_types;
mod duplicates;
mod expected;
mod explicit_dependencies;
mod extensions;
mod features;
mod inlined;
mod integers;
mod invariants;
mod lambdas;
mod loops;
mod module_outputs;
mod names;
mod parents;
mod placement;
mod resource_names;
mod runtime;
mod scopes;
mod spread;

use base::Diagnostic;
use bicep_syntax::ast::{self, Expr};
use bicep_syntax::{Node, Tree};
use bicep_types::ty::{FunctionFlags, Kind, ModuleType, ObjectType, ResourceType, Type};

use crate::lifted;
use crate::model::Model;
use crate::program::{BicepFile, Program};
use crate::resource::{Resource, Resources};
use crate::symbol::{Symbol, SymbolId, SymbolKind};

/// Reports everything in a file that could not be emitted.
pub(crate) fn check(
    program: &Program<'_>,
    bicep: &BicepFile,
    model: &Model,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let resources = Resources::collect(bicep.tree(), model);
    let mut ctx = Limits { program, bicep, model, resources: &resources, diagnostics };
    features::check(&mut ctx);
    integers::check(&mut ctx);
    lambdas::check(&mut ctx);
    loops::check(&mut ctx);
    names::check(&mut ctx);
    spread::check(&mut ctx);
    extensions::check(&mut ctx);
    derived_types::check(&mut ctx);
    placement::check(&mut ctx);
    parents::check(&mut ctx);
    resource_names::check(&mut ctx);
    invariants::check(&mut ctx);
    module_outputs::check(&mut ctx);
    let places = scopes::check(&mut ctx);
    duplicates::check(&mut ctx, &places);
    let inlined = inlined::inlined(&ctx, &places.resources);
    collections::check(&mut ctx, &inlined);
    constants::check(&mut ctx, &inlined);
    explicit_dependencies::check(&mut ctx, &inlined);
}

/// What a check sees, and where its findings go.
struct Limits<'a> {
    program: &'a Program<'a>,
    bicep: &'a BicepFile,
    model: &'a Model,
    resources: &'a Resources,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl<'a> Limits<'a> {
    fn tree(&self) -> &'a Tree {
        self.bicep.tree()
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// The symbol that a node refers to.
    fn symbol(&self, node: Node<'_>) -> Option<&'a Symbol> {
        self.model.bindings().symbol(node).map(|symbol| self.model.symbol(symbol))
    }

    /// The symbols of some kinds, in order.
    fn symbols(&self, kinds: &'a [SymbolKind]) -> impl Iterator<Item = &'a Symbol> + use<'a> {
        self.model.symbols().map(|(_, symbol)| symbol).filter(|symbol| kinds.contains(&symbol.kind))
    }

    /// The name of a symbol, for messages.
    fn name(&self, symbol: SymbolId) -> &'a str {
        self.model.symbol(symbol).name.as_deref().unwrap_or_default()
    }

    /// Whether a node refers to a resource or a module that a loop declares.
    fn is_collection(&self, node: Node<'_>) -> bool {
        self.model.bindings().symbol(node).is_some_and(|symbol| self.is_looped(symbol))
    }

    /// Whether a symbol is a resource or a module that a loop declares.
    fn is_looped(&self, symbol: SymbolId) -> bool {
        let symbol = self.model.symbol(symbol);
        matches!(symbol.kind, SymbolKind::Resource | SymbolKind::Module)
            && self
                .tree()
                .node(symbol.declaration)
                .children()
                .next_back()
                .is_some_and(|value| matches!(Expr::of(value), Expr::For(_)))
    }

    /// The resources of the file that have a type and, where they name a parent, one that is understood.
    fn deployed(&self) -> impl Iterator<Item = &'a Resource> + use<'a, '_> {
        self.resources.iter().filter(|resource| self.is_deployed(resource))
    }

    fn is_deployed(&self, resource: &Resource) -> bool {
        let statement = self.statement(resource);
        let named = statement.and_then(ast::Resource::body).and_then(|body| only_property(body, "parent"));
        let is_understood = match named {
            Some(parent) if statement.is_some_and(|it| it.parent_resource().is_none()) => {
                resource.parent.is_some() || self.parameter_resource(parent.value()).is_some()
            }
            _ => true,
        };
        is_understood && self.resource_type(resource.symbol).is_some()
    }

    /// The statement of a resource.
    fn statement(&self, resource: &Resource) -> Option<ast::Resource<'a>> {
        ast::Resource::cast(self.tree().node(resource.declaration))
    }

    /// The parameter that holds a resource.
    fn parameter_resource(&self, expr: Expr<'_>) -> Option<SymbolId> {
        let symbol = self.model.bindings().symbol(expr.syntax())?;
        let is_parameter = self.model.symbol(symbol).kind == SymbolKind::Param;
        let ty = self.model.declared_type(symbol)?;
        (is_parameter && matches!(ty.kind(), Kind::Resource(_))).then_some(symbol)
    }

    /// The type of what a symbol names, as far as its value says it.
    fn found_type(&self, symbol: SymbolId) -> Option<&'a Type> {
        let declaration = self.tree().node(self.model.symbol(symbol).declaration);
        self.model.type_of(declaration)
    }

    /// The type of a resource, or of the resources that a loop declares.
    fn resource_type(&self, symbol: SymbolId) -> Option<&'a ResourceType> {
        self.found_type(symbol)?.as_resource()
    }

    /// The type of a module, or of the modules that a loop declares.
    fn module_type(&self, symbol: SymbolId) -> Option<&'a ModuleType> {
        let ty = self.found_type(symbol)?;
        match ty.item().unwrap_or(ty).kind() {
            Kind::Module(module) => Some(module),
            _ => None,
        }
    }

    /// What a resource, a module or a parameter that holds a resource consists of.
    fn body_type(&self, symbol: SymbolId) -> Option<&'a ObjectType> {
        let body = match self.model.symbol(symbol).kind {
            SymbolKind::Resource => &self.resource_type(symbol)?.body,
            SymbolKind::Module => &self.module_type(symbol)?.body,
            SymbolKind::Param => &self.model.declared_type(symbol)?.as_resource()?.body,
            _ => return None,
        };
        body.as_object()
    }

    /// Whether a symbol is a resource of Azure.
    fn is_azure(&self, symbol: SymbolId) -> bool {
        self.resource_type(symbol).is_some_and(|ty| ty.namespace == "az")
    }

    /// The flags of the built-in function that a node calls: by name, of a namespace or of a resource.
    fn function_flags(&self, node: Node<'_>) -> FunctionFlags {
        let flags = lifted::function_flags(node, self.model);
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

/// The properties that together say which resource is meant.
const IDENTIFIERS: [&str; 3] = ["name", "scope", "parent"];

/// How many variables on the way to a value a message names.
const LONGEST_PATH: usize = 8;

/// What is inside of `!`.
fn without_non_null(expr: Expr<'_>) -> Expr<'_> {
    match expr {
        Expr::NonNull(assertion) => assertion.base(),
        expr => expr,
    }
}

/// The property of a name, unless there are several of it.
fn only_property<'t>(object: ast::Object<'t>, name: &str) -> Option<ast::Property<'t>> {
    let mut found = object.properties().filter(|it| it.key_text().as_deref() == Some(name));
    let first = found.next();
    first.filter(|_| found.next().is_none())
}
