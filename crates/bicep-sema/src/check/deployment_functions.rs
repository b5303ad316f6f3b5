//! What a parameter file imports must be known before anything is deployed: exported names come in; the functions behind
//! them that only a deployment can answer go out.

use bicep_syntax::ast::{self, Expr, Name};
use bicep_syntax::{Node, SyntaxKind};
use bicep_types::ty::{FunctionFlags, Kind};
use rustc_hash::FxHashSet;
use smol_str::SmolStr;

use crate::export::{ExportOrigin, exports};
use crate::model::Model;
use crate::program::{BicepFile, FileId, Program};
use crate::symbol::{SymbolId, SymbolKind};

/// The names of those functions, sorted, each once. Declarations are followed through files.
pub(super) fn deployment_functions(program: &Program<'_>, file: FileId, names: &[&str]) -> Vec<SmolStr> {
    let mut open: Vec<(FileId, SymbolId)> =
        names.iter().filter_map(|name| exported(program, file, name)).collect();
    let mut seen: FxHashSet<(FileId, SymbolId)> = FxHashSet::default();
    let mut found: Vec<SmolStr> = Vec::new();
    while let Some((file, symbol)) = open.pop() {
        let (Some(bicep), Some(model)) = (program.bicep(file), program.model(file)) else { continue };
        if !seen.insert((file, symbol)) {
            continue;
        }
        let declaration = bicep.tree().node(model.symbol(symbol).declaration);
        match model.symbol(symbol).kind {
            SymbolKind::Var | SymbolKind::Func => {}
            SymbolKind::ImportItem => {
                let name = ast::ImportItem::cast(declaration).and_then(ast::ImportItem::original_name);
                open.extend(name.and_then(|name| imported(program, bicep, declaration, &name)));
                continue;
            }
            _ => continue,
        }
        let values = declaration.children().filter(|it| it.kind() != SyntaxKind::Decorator);
        for node in values.flat_map(Node::descendants) {
            open.extend(model.bindings().symbol(node).map(|symbol| (file, symbol)));
            open.extend(wildcard_member(program, bicep, model, node));
            found.extend(asks_deployment(model, node).map(SmolStr::new));
        }
    }
    found.sort_by_key(|name| name.to_ascii_uppercase());
    found.dedup();
    found
}

fn exported(program: &Program<'_>, file: FileId, name: &str) -> Option<(FileId, SymbolId)> {
    let export = exports(program, file).into_iter().find(|export| export.name == name)?;
    match export.origin {
        ExportOrigin::Symbol(symbol) => Some((file, symbol)),
        ExportOrigin::Template(_) => None,
    }
}

/// What an import takes from another file under this name.
fn imported(
    program: &Program<'_>,
    bicep: &BicepFile,
    node: Node<'_>,
    name: &str,
) -> Option<(FileId, SymbolId)> {
    let import = node.ancestors().find(|outer| outer.kind() == SyntaxKind::Import)?;
    exported(program, bicep.reference(import)?.as_ref().ok()?.file, name)
}

/// `namespace.member` of a wildcard import.
fn wildcard_member(
    program: &Program<'_>,
    bicep: &BicepFile,
    model: &Model,
    node: Node<'_>,
) -> Option<(FileId, SymbolId)> {
    let (base, name) = match Expr::of(node) {
        Expr::MethodCall(call) => (call.base(), call.name()),
        Expr::PropertyAccess(access) => (access.base(), access.name()),
        _ => return None,
    };
    let symbol = model.symbol(model.bindings().symbol(base.syntax())?);
    if symbol.kind != SymbolKind::WildcardImport {
        return None;
    }
    imported(program, bicep, bicep.tree().node(symbol.declaration), name.and_then(Name::text)?)
}

/// The name of the function that a node calls, if only a deployment knows what it gives.
fn asks_deployment<'t>(model: &Model, node: Node<'t>) -> Option<&'t str> {
    let overload = model.overload(node)?;
    let is_declared = model.bindings().symbol(node).is_some();
    if is_declared || overload.flags.contains(FunctionFlags::PURE) || names_its_scope(model, node) {
        return None;
    }
    node.children().filter_map(Name::cast).next_back().and_then(Name::text)
}

/// Whether a call for a resource id says itself which scope the resource is in: then the deployment's is not asked for.
fn names_its_scope(model: &Model, node: Node<'_>) -> bool {
    let (name, arguments): (_, Vec<Expr<'_>>) = match Expr::of(node) {
        Expr::Call(call) => (call.name(), call.arguments().map(ast::Argument::value).collect()),
        Expr::MethodCall(call) => (call.name(), call.arguments().map(ast::Argument::value).collect()),
        _ => return false,
    };
    let scopes = match name.and_then(Name::text) {
        Some("resourceId") => 2,
        Some("subscriptionResourceId" | "managementGroupResourceId") => 1,
        _ => return false,
    };
    let is_type = |argument: &Expr<'_>| match model.type_of(argument.syntax())?.kind() {
        Kind::StringLiteral(text) => {
            Some(text.split_once('/').is_some_and(|(provider, _)| provider.contains('.')))
        }
        _ => None,
    };
    let known: Vec<Option<bool>> = arguments.iter().take(scopes + 1).map(is_type).collect();
    arguments.len() >= scopes + 2
        && known.iter().position(|it| *it != Some(false)) == Some(scopes)
        && known.last() == Some(&Some(true))
}
