//! What is shown when the pointer rests on a name: a file and an offset come in, Markdown and the marked range go out.

use std::sync::Arc;

use base::{TextRange, TextSize};
use bicep_sema::interface::{Export, ExportKind};
use bicep_sema::{Interface, SymbolId, SymbolKind, Unit, decorator};
use bicep_syntax::ast::{self, Expr};
use bicep_syntax::{Node, SyntaxKind};
use bicep_types::ty::{Kind, Overload, Type};
use config::reference::{self, OciReference, Reference, Version};

use crate::FileContext;
use crate::entity::{Entity, Named, entity_at, imported_interface};
use crate::lookup::{Path, name_range};
use crate::markdown::{code_block, described_code, documentation_link, joined, paragraph};
use crate::signature_help::{Fit, fit};

/// Documentation of what stands somewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hover {
    /// Markdown, one text for each way to call a function.
    pub contents: Vec<String>,
    /// What is marked.
    pub range: TextRange,
}

/// What a hover may want to know beside the program.
pub trait HoverSources {
    /// The manifest of an artifact of a registry, if it has been restored.
    fn manifest(&self, _reference: &OciReference) -> Option<String> {
        None
    }
}

impl HoverSources for crate::completion::NoSources {}

/// The documentation of what stands at an offset.
pub fn hover(context: &FileContext<'_>, offset: TextSize, sources: &dyn HoverSources) -> Option<Hover> {
    if let Some(generic) = generic_type(context, offset) {
        return Some(generic);
    }
    let named = entity_at(context, offset).or_else(|| resource_type_string(context, offset))?;
    let contents = match &named.entity {
        Entity::Symbol(symbol) if context.model.symbol(*symbol).kind == SymbolKind::Module => {
            vec![of_module(context, *symbol, sources)]
        }
        _ => contents(context, &named)?,
    };
    Some(Hover { contents, range: name_range(named.node) })
}

/// The name of a type that takes the type of a resource as its argument.
fn generic_type(context: &FileContext<'_>, offset: TextSize) -> Option<Hover> {
    let path = Path::at(context.tree(), offset);
    let node = path.nodes.iter().rev().copied().find(|node| node.kind() == SyntaxKind::GenericType)?;
    let range = Some(name_range(node)).filter(|range| range.contains_inclusive(offset))?;
    let name = crate::lookup::name_of(node)?.text()?;
    let is_known = matches!(name, "resourceInput" | "resourceOutput");
    let code = code_block(&format!("type {name}: {name}<ResourceTypeIdentifier>"));
    is_known.then(|| Hover { contents: vec![code], range })
}

/// The string with the type of a resource stands for the resource, though it does not name it.
fn resource_type_string<'a>(context: &FileContext<'a>, offset: TextSize) -> Option<Named<'a>> {
    let path = Path::at(context.tree(), offset);
    path.token?;
    let node = path.last().filter(|node| node.kind() == SyntaxKind::Str)?;
    let resource = ast::Resource::cast(node.parent()?)?;
    (resource.path_syntax() == node).then_some(())?;
    let symbol = context.model.declared(resource.syntax().id())?;
    Some(Named { node, entity: Entity::Symbol(symbol) })
}

fn contents(context: &FileContext<'_>, named: &Named<'_>) -> Option<Vec<String>> {
    let one = |text: String| Some(vec![text]);
    match &named.entity {
        Entity::Symbol(symbol) if is_call(named.node) => {
            one(of_overload(&*called_overload(context, *symbol)?))
        }
        Entity::Symbol(symbol) => one(of_symbol(context, *symbol)?),
        Entity::Namespace(index) => {
            one(code_block(&format!("{} namespace", context.model.namespaces().get(*index)?.name)))
        }
        Entity::Type(index) => {
            let name = crate::lookup::name_of(named.node)?.text()?;
            let ty = context.model.namespaces().get(*index)?.named_type(name)?;
            one(code_block(&with_modifiers(&format!("type {name}: Type<{ty}>"), ty)))
        }
        Entity::Function(overloads) => is_call(named.node).then(|| of_call(context, named.node, overloads)),
        Entity::ImportedFunction(overload) => one(of_overload(overload)),
        Entity::Property(name, property) => {
            let code = with_modifiers(&format!("{name}: {:#}", property.ty), &property.ty);
            one(described_code(&code, property.description.as_deref()))
        }
        Entity::Unknown => None,
    }
}

fn is_call(node: Node<'_>) -> bool {
    matches!(node.kind(), SyntaxKind::Call | SyntaxKind::MethodCall)
}

/// The function of the user that a symbol names.
pub(crate) fn called_overload(context: &FileContext<'_>, id: SymbolId) -> Option<Arc<Overload>> {
    let symbol = context.model.symbol(id);
    match symbol.kind {
        SymbolKind::Func => {
            let node = context.tree().node(symbol.declaration);
            let overload = context.model.function(node)?;
            Some(match description(context, node) {
                Some(text) => Arc::new(Overload::clone(&overload).described(&text)),
                None => overload,
            })
        }
        SymbolKind::ImportItem => match &imported(context, id)?.kind {
            ExportKind::Function(overload) => {
                let name = symbol.name.clone()?;
                let mut own = Overload::clone(overload);
                own.name = bicep_types::ty::FunctionName::Exact(name);
                Some(Arc::new(own))
            }
            _ => None,
        },
        _ => None,
    }
}

/// What an imported name stands for.
fn imported<'a>(context: &FileContext<'a>, id: SymbolId) -> Option<&'a Export> {
    let node = context.tree().node(context.model.symbol(id).declaration);
    let original = ast::ImportItem::cast(node)?.original_name()?;
    imported_interface(context, id)?.export(&original)
}

/// The ways to call a function that fit the arguments; all of them if none does.
fn of_call(context: &FileContext<'_>, call: Node<'_>, overloads: &[Arc<Overload>]) -> Vec<String> {
    let inferred = || context.model.infer(context.program, context.bicep, call.id()).1;
    if let Some(matched) = context.model.overload(call).cloned().or_else(inferred) {
        return vec![of_overload(&matched)];
    }
    let arguments = crate::signature_help::argument_types(context, call, false);
    let fitting: Vec<_> =
        overloads.iter().filter(|overload| fit(overload, &arguments) != Fit::Mismatch).collect();
    let shown = if fitting.is_empty() { overloads.iter().collect() } else { fitting };
    shown.into_iter().map(|overload| of_overload(overload)).collect()
}

fn of_overload(overload: &Overload) -> String {
    let description = overload.description.as_str();
    described_code(&format!("function {}{}", overload.name, overload.signature()), Some(description))
}

fn of_symbol(context: &FileContext<'_>, id: SymbolId) -> Option<String> {
    let model = context.model;
    let symbol = model.symbol(id);
    let node = context.tree().node(symbol.declaration);
    let name = symbol.name.as_deref().unwrap_or_else(|| missing_name(node));
    let ty = symbol_type(context, id);
    let shown = ty.as_ref().map(|ty| format!("{ty:#}")).unwrap_or_else(|| "error".to_owned());
    let described = |code: String| described_code(&code, description(context, node).as_deref());
    let with_type = |keyword: &str| {
        let code = format!("{keyword} {name}: {shown}");
        described(ty.as_ref().map(|ty| with_modifiers(&code, ty)).unwrap_or(code))
    };
    Some(match symbol.kind {
        SymbolKind::Param => with_type("param"),
        SymbolKind::Type => with_type("type"),
        SymbolKind::Output => with_type("output"),
        SymbolKind::Var => described(format!("var {name}: {shown}")),
        SymbolKind::Metadata => described(format!("metadata {name}: {shown}")),
        SymbolKind::Assert => described(format!("assert {name}: {shown}")),
        SymbolKind::Test => described(format!("test {name}")),
        SymbolKind::Extension => described(format!("extension {name}")),
        SymbolKind::Resource => of_resource(context, id),
        SymbolKind::Module => of_module(context, id, &crate::completion::NoSources),
        SymbolKind::Func => of_overload(&*called_overload(context, id)?),
        SymbolKind::WildcardImport => {
            let import = node.ancestors().find(|it| it.kind() == SyntaxKind::Import)?;
            described_code(&format!("{name} namespace"), description(context, import).as_deref())
        }
        SymbolKind::ImportItem => of_import(context, id, name)?,
        SymbolKind::FuncParam | SymbolKind::LambdaVar | SymbolKind::LoopItem | SymbolKind::LoopIndex => {
            code_block(&format!("{name}: {shown}"))
        }
        SymbolKind::ParamAssignment => {
            let parameter = used_interface(context)?.parameter(name)?;
            let code = format!("param {name}: {:#}", parameter.ty);
            described_code(&with_modifiers(&code, &parameter.ty), parameter.description.as_deref())
        }
        SymbolKind::ExtensionConfig => {
            let extension = used_interface(context)?.extension(name)?;
            let configuration = extension.configuration.as_ref()?;
            let code = format!("extensionConfig {}: {configuration:#}", extension.alias);
            code_block(&with_modifiers(&code, configuration))
        }
        SymbolKind::BrokenImport
        | SymbolKind::InheritedAssignment(_)
        | SymbolKind::Base
        | SymbolKind::This => return None,
    })
}

/// How a declaration without a name is called.
pub(crate) fn missing_name(node: Node<'_>) -> &str {
    crate::lookup::name_of(node).map_or("<missing>", ast::Name::display)
}

/// The type of what a symbol names.
pub(crate) fn symbol_type(context: &FileContext<'_>, id: SymbolId) -> Option<Type> {
    let model = context.model;
    let symbol = model.symbol(id);
    let node = context.tree().node(symbol.declaration);
    match symbol.kind {
        SymbolKind::Resource | SymbolKind::Module | SymbolKind::Test => model.declared_type(id).cloned(),
        kind if kind.is_local_variable() => Some(context.type_of(node)),
        _ => model.type_of(node).or_else(|| model.declared_type(id)).cloned(),
    }
}

fn of_import(context: &FileContext<'_>, id: SymbolId, name: &str) -> Option<String> {
    let export = imported(context, id)?;
    Some(match &export.kind {
        ExportKind::Type(ty) => {
            let code = with_modifiers(&format!("type {name}: Type<{ty:#}>"), ty);
            described_code(&code, export.description.as_deref())
        }
        ExportKind::Variable(ty) => {
            described_code(&format!("var {name}: {ty:#}"), export.description.as_deref())
        }
        ExportKind::Function(_) => of_overload(&*called_overload(context, id)?),
        ExportKind::Ambiguous => return None,
    })
}

fn of_resource(context: &FileContext<'_>, id: SymbolId) -> String {
    let symbol = context.model.symbol(id);
    let node = context.tree().node(symbol.declaration);
    let name = symbol.name.as_deref().unwrap_or_else(|| missing_name(node));
    let ty = context.model.declared_type_of(node);
    let shown = match ty.map(|ty| (ty, ty.kind())) {
        Some((ty, Kind::Resource(_))) => format!("'{ty}'"),
        Some((ty, _)) => ty.to_string(),
        None => "error".to_owned(),
    };
    let below = paragraph(description(context, node).as_deref());
    let link = ty.and_then(|ty| documentation_page(context, ty)).map(|uri| documentation_link(&uri));
    let below = below + &link.unwrap_or_default();
    described_code(&format!("resource {name} {shown}"), Some(&below))
}

/// The page that documents a resource type of Azure, if the type is known.
pub(crate) fn documentation_page(context: &FileContext<'_>, ty: &Type) -> Option<String> {
    let resource = ty.as_resource().filter(|resource| resource.namespace == "az")?;
    let namespaces = &context.model.namespaces().all;
    let namespace = namespaces.iter().find(|namespace| namespace.extension == "az")?;
    let is_known = namespace.resources.as_ref()?.0.is_defined(&resource.reference);
    is_known.then_some(())?;
    let name = resource.reference.name().to_ascii_lowercase();
    let (provider, path) = name.split_once('/')?;
    let version = resource.reference.version().map(|version| format!("{}/", version.to_ascii_lowercase()));
    let version = version.unwrap_or_default();
    Some(format!(
        "https://learn.microsoft.com/azure/templates/{provider}/{version}{path}?pivots=deployment-language-bicep"
    ))
}

fn of_module(context: &FileContext<'_>, id: SymbolId, sources: &dyn HoverSources) -> String {
    let symbol = context.model.symbol(id);
    let node = context.tree().node(symbol.declaration);
    let name = symbol.name.as_deref().unwrap_or_else(|| missing_name(node));
    let path =
        ast::Module::cast(node).and_then(ast::Module::path).and_then(ast::Str::value).unwrap_or_default();
    let mut below: Vec<String> = description(context, node).into_iter().collect();
    let about = registry_documentation(context, &path, sources);
    below.extend(about.description.or_else(|| module_description(context, node)));
    below.extend(about.page.map(|page| documentation_link(&page)));
    described_code(&format!("module {name} '{path}'"), Some(&joined(&below)))
}

/// What a registry says about a module.
#[derive(Default)]
struct RegistryDocumentation {
    description: Option<String>,
    page: Option<String>,
}

/// What the manifest of a module in a registry says about it. Public modules have a page whether it says so or not.
fn registry_documentation(
    context: &FileContext<'_>,
    path: &str,
    sources: &dyn HoverSources,
) -> RegistryDocumentation {
    const PUBLIC_REGISTRY: &str = "mcr.microsoft.com";
    let parsed = reference::parse(path, reference::ArtifactKind::Module, &context.bicep.config);
    let Ok(Reference::Oci(oci)) = parsed else { return RegistryDocumentation::default() };
    let manifest: serde_json::Value =
        sources.manifest(&oci).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let annotation = |name: &str| {
        let text = manifest.get("annotations")?.get(format!("org.opencontainers.image.{name}"))?.as_str()?;
        (!text.trim().is_empty()).then(|| text.to_owned())
    };
    let public = || match (&oci.version, oci.repository.strip_prefix("bicep/")) {
        (Version::Tag(tag), Some(name)) if oci.registry == PUBLIC_REGISTRY => Some(format!(
            "https://github.com/Azure/bicep-registry-modules/tree/{name}/{tag}/modules/{name}/README.md"
        )),
        _ => None,
    };
    RegistryDocumentation {
        description: annotation("description"),
        page: annotation("documentation").or_else(public),
    }
}

/// What the file of a module says about itself: its metadata `description`.
fn module_description(context: &FileContext<'_>, module: Node<'_>) -> Option<String> {
    let target = context.bicep.reference(module)?.as_ref().ok()?;
    if let Unit::Template(template) = context.program.unit(target.file) {
        let text = template.parsed.root.as_ref()?.pointer("/metadata/description")?.as_str()?;
        return Some(text.to_owned());
    }
    let other = FileContext::new(context.program, target.file)?;
    let statements = other.tree().file().statements();
    let value = statements
        .filter_map(|statement| ast::Metadata::cast(statement.syntax()))
        .find_map(|it| (it.name()?.text()? == "description").then_some(it.value()))?;
    match value {
        Expr::Str(text) => text.value(),
        _ => None,
    }
}

/// The interface of the file that a parameter file is for.
pub(crate) fn used_interface<'a>(context: &FileContext<'a>) -> Option<&'a Interface> {
    let mut statements = context.tree().file().statements();
    let using = statements.find(|statement| matches!(statement, ast::Statement::Using(_)))?;
    let target = context.bicep.reference(using.syntax())?.as_ref().ok()?;
    context.program.interface(target.file)
}

/// The `@description` of a declaration.
pub(crate) fn description(context: &FileContext<'_>, node: Node<'_>) -> Option<String> {
    let found = context.model.decorator(node, "description");
    let argument = found.and_then(|found| decorator::arguments(found).next());
    if let Some(Expr::Str(text)) = argument {
        return text.value();
    }
    let metadata = context.model.decorator(node, "metadata")?;
    match decorator::arguments(metadata).next()? {
        Expr::Object(object) => match object.property("description")?.value() {
            Expr::Str(text) => text.value(),
            _ => None,
        },
        _ => None,
    }
}

/// Code with the restrictions of a type written above it as decorators.
pub(crate) fn with_modifiers(code: &str, ty: &Type) -> String {
    let ty = bare(ty);
    let mut lines = Vec::new();
    let mut bound = |name: &str, value: Option<i64>| {
        lines.extend(value.map(|value| format!("@{name}({value})\n")));
    };
    match ty.kind() {
        Kind::Int(range) => {
            bound("minValue", range.min);
            bound("maxValue", range.max);
        }
        Kind::String(shape) => {
            bound("minLength", shape.min_length);
            bound("maxLength", shape.max_length);
        }
        Kind::Array(array) => {
            bound("minLength", array.length.min);
            bound("maxLength", array.length.max);
        }
        _ => {}
    }
    if ty.is_secure() {
        lines.push("@secure()\n".to_owned());
    }
    lines.concat() + code
}

fn bare(ty: &Type) -> Type {
    match ty.kind() {
        Kind::TypeOf(inner) => bare(inner),
        _ => match ty.without_null() {
            Some(inner) => bare(&inner),
            None => ty.clone(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ask;

    fn check(source: &str, expected: &str) {
        let found = ask(
            source,
            &[("/mod.bicep", "metadata description = 'A module'\nparam p string")],
            |context, offset| hover(context, offset, &crate::completion::NoSources),
        );
        let shown = found.map(|found| found.contents.join("\n")).unwrap_or_default();
        let plain = shown.replace("```bicep\n", "").replace("\n```", "").replace("  \n", "\n");
        assert_eq!(plain.trim(), expected, "{source}");
    }

    #[test]
    fn names_are_shown_with_their_types() {
        check(
            "@minLength(3)\n@description('Who')\nparam na|me string",
            "@minLength(3)\nparam name: string\nWho",
        );
        check("var a = { b: 1 }\nvar c = a.b|", "b: 1");
        check("var a = [for |i in range(0, 3): i]", "i: int");
        check("func f(x int) string => '${x}'\nvar a = |f(1)", "function f(x: int): string");
        check("module |m 'mod.bicep' = { params: { p: '' } }", "module m 'mod.bicep'\nA module");
        check("type t = { /|/ nothing\n  a: int }", "");
        check(
            "type t = resource|Input<'a.b/c@2020-01-01'>",
            "type resourceInput: resourceInput<ResourceTypeIdentifier>",
        );
    }

    #[test]
    fn what_stands_in_a_module_that_is_not_there_has_types_all_the_same() {
        check("module m 'none.bicep' = [for (x, |i) in ['a', 'b']: { name: x }]", "i: int");
    }
}
