//! Which version of the template language a file needs: its model and its configuration come in; how its template is
//! written goes out, with it whether resources have symbolic names.

use bicep_syntax::ast::{self, Statement};
use bicep_syntax::{Node, SyntaxKind};
use config::{Config, Feature};

use crate::bind::Binding;
use crate::deployed_body::DeployedBody;
use crate::interface::Interface;
use crate::model::Model;
use crate::module::modules;
use crate::program::{BicepFile, Program};
use crate::symbol::SymbolKind;

/// How a template is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mode {
    /// Resources are an object with their names in the file as keys.
    pub is_symbolic: bool,
    /// The template says that it uses features which may still change.
    pub is_experimental: bool,
    /// Extensions are written in their newer form.
    pub has_extension_configs: bool,
}

impl Mode {
    /// The `languageVersion` of a template; none for the first version.
    pub fn language_version(self) -> Option<&'static str> {
        match (self.is_experimental, self.has_extension_configs, self.is_symbolic) {
            (true, true, _) => Some("2.2-experimental"),
            (true, false, _) => Some("2.1-experimental"),
            (false, _, true) => Some("2.0"),
            (false, _, false) => None,
        }
    }
}

/// How the template of a file is written.
pub fn mode(program: &Program<'_>, bicep: &BicepFile, model: &Model) -> Mode {
    let (tree, config) = (bicep.tree(), &bicep.config);
    let is_experimental = experimental_features(config).next().is_some()
        || tree
            .nodes_of(&[SyntaxKind::Resource, SyntaxKind::MethodCall])
            .any(|node| uses_experimental(node, model));
    let is_symbolic = is_experimental
        || config.has(Feature::SymbolicNameCodegen)
        || config.has(Feature::ResourceInfoCodegen)
        || model.resources().iter().any(|resource| !resource.is_azure)
        || has_secure_outputs(program, bicep, model)
        || tree.file().statements().any(|statement| needs_symbols(statement, model))
        || tree.nodes_of(&WITH_TYPES).next().is_some()
        || tree.nodes_of(&[SyntaxKind::Resource]).any(|node| is_beyond_first_version(node, model))
        || tree.nodes_of(&[SyntaxKind::VarAccess]).any(|node| uses_collection(node, model));
    Mode { is_symbolic, is_experimental, has_extension_configs: config.has(Feature::ModuleExtensionConfigs) }
}

/// Whether an output of the file or of one of its modules is secure.
fn has_secure_outputs(program: &Program<'_>, bicep: &BicepFile, model: &Model) -> bool {
    let modules = modules(bicep, model).into_iter().filter_map(|module| module.target);
    let mut files = modules.chain(program.file_at(bicep.source.path()));
    files.any(|file| program.interface(file).is_some_and(Interface::has_secure_outputs))
}

/// The names of the features that a template has to be marked with.
pub fn experimental_features(config: &Config) -> impl Iterator<Item = &'static str> {
    const MARKED: [(Feature, &str); 9] = [
        (Feature::ResourceInfoCodegen, "Resource info code generation"),
        (Feature::Assertions, "Asserts"),
        (Feature::WaitUntil, "Enable waitUntil feature on resource bicep types"),
        (Feature::LocalDeploy, "Enable local deploy"),
        (Feature::ModuleExtensionConfigs, "Enable defining extension configs for modules"),
        (Feature::UserDefinedConstraints, "Enable @validate() decorator"),
        (Feature::DeployCommands, "Enable deploy commands"),
        (Feature::RuntimeValuesInTagsAndSku, "Enable runtime values in tags and SKU"),
        (Feature::AzExtensionConfig, "Enable configuration for the built-in 'az' extension"),
    ];
    MARKED.into_iter().filter(|(feature, _)| config.has(*feature)).map(|(_, name)| name)
}

/// `@nullIfNotFound()` and `this.…()`
fn uses_experimental(node: Node<'_>, model: &Model) -> bool {
    match node.kind() {
        SyntaxKind::Resource => model.decorator(node, "nullIfNotFound").is_some(),
        SyntaxKind::MethodCall => {
            let base = ast::MethodCall::cast(node).map(|call| call.base().syntax());
            let symbol = base.and_then(|base| model.bindings().symbol(base));
            symbol.is_some_and(|symbol| model.symbol(symbol).kind == SymbolKind::This)
        }
        _ => false,
    }
}

fn needs_symbols(statement: Statement<'_>, model: &Model) -> bool {
    match statement {
        Statement::Extension(_) | Statement::TypeDeclaration(_) | Statement::Func(_) => true,
        Statement::Import(import) => {
            import.wildcard().is_some() || import.list().is_some_and(|list| list.items().next().is_some())
        }
        Statement::Var(variable) => variable.ty().is_some(),
        Statement::Module(module) => module.body().is_none_or(|body| body.property("name").is_none()),
        Statement::Resource(resource) => model.decorator(resource.syntax(), "retryOn").is_some(),
        _ => false,
    }
}

/// Types that only the second version of the language has.
const WITH_TYPES: [SyntaxKind; 5] = [
    SyntaxKind::ObjectType,
    SyntaxKind::ArrayType,
    SyntaxKind::TupleType,
    SyntaxKind::UnionType,
    SyntaxKind::NullableType,
];

/// Whether only the second version of the language can describe a resource.
fn is_beyond_first_version(node: Node<'_>, model: &Model) -> bool {
    ast::Resource::cast(node).is_some_and(|resource| {
        let depends = resource.body().is_some_and(|body| body.property("dependsOn").is_some());
        resource.existing().is_some() && depends || model.decorator(node, "onlyIfNotExists").is_some()
    })
}

/// Whether a whole collection of resources or modules is used as a value.
fn uses_collection(node: Node<'_>, model: &Model) -> bool {
    let Some(Binding::Symbol(symbol)) = model.bindings().get(node) else { return false };
    let declaration = node.tree().node(model.symbol(symbol).declaration);
    if !DeployedBody::of(declaration).is_some_and(DeployedBody::is_collection) {
        return false;
    }
    let around = node.ancestors().find(|outer| outer.kind() != SyntaxKind::Paren);
    let is_accessed =
        around.is_some_and(|outer| matches!(outer.kind(), SyntaxKind::Index | SyntaxKind::PropertyAccess));
    !is_accessed && !is_in_depends_on(node)
}

/// Whether a node stands in the `dependsOn` of the resource or module around it. One that is written behind a nested
/// resource does not count, as in the reference.
fn is_in_depends_on(node: Node<'_>) -> bool {
    let around = node.ancestors().find(|outer| DeployedBody::of(*outer).is_some());
    let property = around.and_then(DeployedBody::of).and_then(|it| it.property("dependsOn"));
    let (Some(around), Some(property)) = (around, property.map(ast::Property::syntax)) else { return false };
    let is_behind_nested = || {
        let mut nested = around.descendants().filter(|it| *it != around && it.kind() == SyntaxKind::Resource);
        nested.any(|it| it.range().end() <= property.range().start())
    };
    node.ancestors().any(|outer| outer == property) && !is_behind_nested()
}
