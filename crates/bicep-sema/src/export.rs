//! What a file offers to others: declarations with `@export()`, or what a template in JSON marks as exported.

use bicep_syntax::ast::Statement;
use smol_str::SmolStr;

use crate::imports::TemplateSymbol;
use crate::model::Model;
use crate::program::{BicepFile, FileId, Program, Unit};
use crate::symbol::SymbolId;

/// An exported declaration.
#[derive(Debug, Clone)]
pub struct Exported {
    pub name: String,
    /// What it is.
    pub origin: ExportOrigin,
}

/// What is exported.
#[derive(Debug, Clone)]
pub enum ExportOrigin {
    /// A declaration of a Bicep file.
    Symbol(SymbolId),
    /// A declaration of a template in JSON.
    Template(TemplateSymbol),
}

/// What a file exports: types, then variables, then functions, each in the order of the text.
pub fn exports(program: &Program<'_>, file: FileId) -> Vec<Exported> {
    match program.unit(file) {
        Unit::Bicep(bicep) => program.model(file).map(|model| of_bicep(bicep, model)).unwrap_or_default(),
        Unit::Template(template) => template.parsed.root.as_ref().map(of_template).unwrap_or_default(),
    }
}

fn of_bicep(bicep: &BicepFile, model: &Model) -> Vec<Exported> {
    let of_kind = |wanted: fn(&Statement<'_>) -> bool| {
        bicep
            .tree()
            .file()
            .statements()
            .filter(move |it| wanted(it) && model.decorator(it.syntax(), "export").is_some())
            .filter_map(|statement| {
                let symbol = model.declared(statement.syntax().id())?;
                let name = model.symbol(symbol).name.as_ref()?.to_string();
                Some(Exported { name, origin: ExportOrigin::Symbol(symbol) })
            })
    };
    of_kind(|it| matches!(it, Statement::TypeDeclaration(_)))
        .chain(of_kind(|it| matches!(it, Statement::Var(_))))
        .chain(of_kind(|it| matches!(it, Statement::Func(_))))
        .collect()
}

fn of_template(root: &json::Node) -> Vec<Exported> {
    let is_marked = |node: &json::Node| {
        node.pointer("/metadata/__bicep_export!").and_then(json::Node::as_bool) == Some(true)
    };
    let exported = |name: &str, symbol: TemplateSymbol| Exported {
        name: name.to_owned(),
        origin: ExportOrigin::Template(symbol),
    };
    let members = |node: Option<&'_ json::Node>| {
        node.and_then(json::Node::as_object).map(|object| object.members().to_vec()).unwrap_or_default()
    };
    let mut found = Vec::new();
    for member in members(root.get("definitions")).iter().filter(|member| is_marked(&member.value)) {
        let pointer = SmolStr::new(format!("#/definitions/{}", member.key));
        found.push(exported(&member.key, TemplateSymbol::Type(pointer)));
    }
    let variables = root.pointer("/metadata/__bicep_exported_variables!").and_then(json::Node::as_array);
    for name in variables.into_iter().flatten().filter_map(|it| it.get("name")?.as_str()) {
        found.push(exported(name, TemplateSymbol::Variable(name.into())));
    }
    for namespace in root.get("functions").and_then(json::Node::as_array).into_iter().flatten() {
        let prefix = namespace.get("namespace").and_then(json::Node::as_str).unwrap_or_default();
        for member in members(namespace.get("members")).iter().filter(|member| is_marked(&member.value)) {
            let full = SmolStr::new(format!("{prefix}.{}", member.key));
            let name = if prefix == "__bicep" { member.key.as_str() } else { full.as_str() };
            found.push(exported(name, TemplateSymbol::Function(full.clone())));
        }
    }
    found
}
