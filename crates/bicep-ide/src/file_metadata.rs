//! What a file says about itself: a file comes in; its metadata, parameters, outputs and exports go out, in the order of
//! their declaration.

use base::TextRange;
use bicep_sema::{Symbol, SymbolKind, decorator};
use bicep_syntax::Node;
use bicep_syntax::ast::{self, Expr, TypeExpr};

use crate::FileContext;

/// What a file says about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileMetadata {
    /// Names and texts of `metadata`; values that are no texts are left out.
    pub metadata: Vec<(String, String)>,
    /// What it takes.
    pub parameters: Vec<TypedDeclaration>,
    /// What it gives.
    pub outputs: Vec<TypedDeclaration>,
    /// What can be imported from it.
    pub exports: Vec<ExportedDeclaration>,
}

/// A parameter or an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedDeclaration {
    /// The whole declaration.
    pub range: TextRange,
    pub name: String,
    /// Its type as text: the name of a type of this file, else the type itself.
    pub type_name: Option<String>,
    /// The declaration of its type, if this file has it.
    pub type_range: Option<TextRange>,
    /// Words for the reader.
    pub description: Option<String>,
}

/// Something that can be imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedDeclaration {
    /// The whole declaration.
    pub range: TextRange,
    pub name: String,
    pub kind: SymbolKind,
    /// Words for the reader.
    pub description: Option<String>,
}

/// What a file says about itself.
pub fn file_metadata(context: &FileContext<'_>) -> FileMetadata {
    let mut found = FileMetadata::default();
    let mut symbols: Vec<(&Symbol, Node<'_>)> = context
        .model
        .symbols()
        .filter(|(_, symbol)| symbol.scope == bicep_sema::symbol::ScopeId::FILE)
        .map(|(_, symbol)| (symbol, context.tree().node(symbol.declaration)))
        .collect();
    symbols.sort_by_key(|(_, node)| node.range().start());
    for (symbol, node) in symbols {
        let Some(name) = symbol.name.as_deref() else { continue };
        match symbol.kind {
            SymbolKind::Metadata => {
                if let Some(text) = ast::Metadata::cast(node).and_then(|it| text_of(it.value())) {
                    found.metadata.push((name.to_owned(), text));
                }
            }
            SymbolKind::Param => found.parameters.push(typed(context, name, node)),
            SymbolKind::Output => found.outputs.push(typed(context, name, node)),
            SymbolKind::Type | SymbolKind::Var | SymbolKind::Func if is_exported(context, node) => {
                found.exports.push(ExportedDeclaration {
                    range: node.range(),
                    name: name.to_owned(),
                    kind: symbol.kind,
                    description: description(context, node),
                });
            }
            _ => {}
        }
    }
    found
}

fn typed(context: &FileContext<'_>, name: &str, node: Node<'_>) -> TypedDeclaration {
    let written = match ast::Statement::cast(node) {
        Some(ast::Statement::Param(it)) => Some(it.ty()),
        Some(ast::Statement::Output(it)) => Some(it.ty()),
        _ => None,
    };
    let alias = written.and_then(|ty| alias(context, ty));
    let (type_name, type_range) = match alias {
        Some((name, range)) => (Some(name), Some(range)),
        None => (context.model.declared_type_of(node).map(ToString::to_string), None),
    };
    TypedDeclaration {
        range: node.range(),
        name: name.to_owned(),
        type_name,
        type_range,
        description: description(context, node),
    }
}

/// The type of this file that a type is nothing but the name of.
fn alias(context: &FileContext<'_>, ty: TypeExpr<'_>) -> Option<(String, TextRange)> {
    let symbol = context.model.symbol(context.model.bindings().symbol(ty.syntax())?);
    let declaration = context.tree().node(symbol.declaration);
    (symbol.kind == SymbolKind::Type).then_some(())?;
    Some((symbol.name.as_deref()?.to_owned(), declaration.range()))
}

fn is_exported(context: &FileContext<'_>, node: Node<'_>) -> bool {
    context.model.decorator(node, "export").is_some()
}

fn description(context: &FileContext<'_>, node: Node<'_>) -> Option<String> {
    let decorator = context.model.decorator(node, "description")?;
    decorator::arguments(decorator).next().and_then(text_of)
}

/// The text of a string without holes.
fn text_of(value: Expr<'_>) -> Option<String> {
    ast::Str::cast(value.syntax())?.value().map(|text| text.to_string())
}
