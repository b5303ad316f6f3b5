//! The outline of a file: a file comes in, its declarations go out, resources with those in them.

use base::TextRange;
use bicep_sema::{SymbolId, SymbolKind};
use bicep_syntax::Node;
use bicep_syntax::ast::{self, Object};

use crate::FileContext;
use crate::hover::{missing_name, symbol_type};
use crate::lookup::own_start;

/// A declaration.
#[derive(Debug, Clone)]
pub struct DocumentSymbol {
    pub name: String,
    pub kind: SymbolKind,
    /// Its type, where it has one.
    pub detail: String,
    /// The whole declaration.
    pub range: TextRange,
    /// Its name.
    pub name_range: TextRange,
    /// What is declared in it.
    pub children: Vec<DocumentSymbol>,
}

impl DocumentSymbol {
    /// The number that the language server protocol has for its kind. The protocol has no words for what Bicep declares;
    /// these are the ones that editors are used to.
    pub fn protocol_kind(&self) -> u8 {
        match self.kind {
            SymbolKind::Module => 2,
            SymbolKind::Extension => 3,
            SymbolKind::Param | SymbolKind::Type => 8,
            SymbolKind::Output => 11,
            SymbolKind::Func => 12,
            SymbolKind::Var => 13,
            SymbolKind::ParamAssignment | SymbolKind::ExtensionConfig => 14,
            SymbolKind::Assert => 17,
            SymbolKind::Resource => 19,
            _ => 20,
        }
    }
}

/// The declarations of a file, in order.
pub fn document_symbols(context: &FileContext<'_>) -> Vec<DocumentSymbol> {
    let mut symbols: Vec<DocumentSymbol> = context
        .model
        .symbols()
        .filter(|(_, symbol)| symbol.scope == bicep_sema::symbol::ScopeId::FILE)
        .filter(|(_, symbol)| !matches!(symbol.kind, SymbolKind::Base | SymbolKind::InheritedAssignment(_)))
        .map(|(id, _)| document_symbol(context, id))
        .collect();
    symbols.sort_by_key(|symbol| symbol.range.start());
    symbols
}

fn document_symbol(context: &FileContext<'_>, id: SymbolId) -> DocumentSymbol {
    let symbol = context.model.symbol(id);
    let node = context.tree().node(symbol.declaration);
    let name = symbol.name.as_deref().unwrap_or_else(|| missing_name(node));
    // An extension without a name is called what its types are, or that there are none.
    let spec = ast::Extension::cast(node).filter(|_| symbol.name.is_none()).and_then(ast::Extension::spec);
    let (name, name_range) = match spec {
        Some(spec) => ("error", spec.range()),
        None => (name, symbol.name_range),
    };
    DocumentSymbol {
        name: name.to_owned(),
        kind: symbol.kind,
        detail: detail(context, id),
        range: TextRange::new(own_start(node), node.range().end()),
        name_range,
        children: nested(context, node),
    }
}

fn nested(context: &FileContext<'_>, node: Node<'_>) -> Vec<DocumentSymbol> {
    let body = ast::Resource::cast(node).and_then(ast::Resource::body);
    let resources = body.into_iter().flat_map(Object::resources);
    let symbols = resources.filter_map(|resource| context.model.declared(resource.syntax().id()));
    symbols.map(|id| document_symbol(context, id)).collect()
}

fn detail(context: &FileContext<'_>, id: SymbolId) -> String {
    match context.model.symbol(id).kind {
        SymbolKind::Metadata
        | SymbolKind::Test
        | SymbolKind::Extension
        | SymbolKind::ImportItem
        | SymbolKind::WildcardImport
        | SymbolKind::BrokenImport => String::new(),
        _ => symbol_type(context, id).map(|ty| format!("{ty:#}")).unwrap_or_else(|| "error".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ask_in;

    #[test]
    fn what_takes_no_decorators_starts_behind_them() {
        let source = "using none\n@secure()\nparam |a = 1\n";
        ask_in("/main.bicepparam", source, &[], |context, _| {
            let symbols = document_symbols(context);
            let starts: Vec<u32> = symbols.iter().map(|it| u32::from(it.range.start())).collect();
            assert_eq!(starts, [21]);
        });
    }
}
