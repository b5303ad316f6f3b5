//! Document symbols, workspace symbols, folding, growing selections, lenses.

use bicep_ide::folding::{self, FoldingKind};
use bicep_ide::symbols::{self, DocumentSymbol};
use bicep_ide::{FileContext, selection};
use serde_json::{Value, json};

use super::Request;
use crate::convert::{self, set};
use crate::rpc::Answer;

pub(super) fn document_symbols(request: &Request) -> Answer {
    let found = request.ask(|context| {
        let symbols = symbols::document_symbols(context);
        Ok(symbols.iter().map(|symbol| document_symbol(context, symbol)).collect::<Vec<_>>())
    })?;
    Ok(Value::Array(found.unwrap_or_default()))
}

fn document_symbol(context: &FileContext<'_>, symbol: &DocumentSymbol) -> Value {
    let children: Vec<Value> = symbol.children.iter().map(|child| document_symbol(context, child)).collect();
    json!({
        "name": symbol.name,
        "detail": symbol.detail,
        "kind": symbol.protocol_kind(),
        "range": convert::range(&context.bicep.source, symbol.range),
        "selectionRange": convert::range(&context.bicep.source, symbol.name_range),
        "children": children,
    })
}

/// The declarations of all files of the workspace whose names hold the letters of the query in their order.
pub(super) fn workspace_symbols(request: &Request) -> Answer {
    const MAX: usize = 1000;
    let query = request.params.get("query").and_then(Value::as_str).unwrap_or_default().to_lowercase();
    let mut found = Vec::new();
    for path in request.snapshot.all_files() {
        let compilation = request.snapshot.compilation(&path);
        let Some(entry) = compilation.entry() else { continue };
        let Some(context) = FileContext::new(compilation.program(), entry) else { continue };
        for symbol in symbols::document_symbols(&context) {
            if has_letters(&symbol.name.to_lowercase(), &query) {
                let range = convert::range(&context.bicep.source, symbol.name_range);
                let location = json!({ "uri": request.uri_of(&path), "range": range });
                found.push(
                    json!({ "name": symbol.name, "kind": symbol.protocol_kind(), "location": location }),
                );
            }
        }
        if found.len() >= MAX {
            break;
        }
    }
    Ok(Value::Array(found))
}

fn has_letters(name: &str, query: &str) -> bool {
    let mut letters = name.chars();
    query.chars().all(|wanted| letters.any(|letter| letter == wanted))
}

pub(super) fn folding_ranges(request: &Request) -> Answer {
    let found = request.ask(|context| {
        let ranges = folding::folding_ranges(context).into_iter();
        Ok(ranges
            .map(|range| {
                let mut value = json!({ "startLine": range.start_line, "endLine": range.end_line });
                let kind = match range.kind {
                    FoldingKind::Code => return value,
                    FoldingKind::Comment => "comment",
                    FoldingKind::Imports => "imports",
                    FoldingKind::Region => "region",
                };
                set(&mut value, "kind", json!(kind));
                value
            })
            .collect::<Vec<_>>())
    })?;
    Ok(Value::Array(found.unwrap_or_default()))
}

pub(super) fn selection_ranges(request: &Request) -> Answer {
    let found = request.ask(|context| {
        let positions = request.params.get("positions").and_then(Value::as_array);
        let mut answers = Vec::new();
        for position in positions.into_iter().flatten() {
            let offset = convert::offset_of(&context.bicep.source, position)?;
            let ranges = selection::selection_ranges(context, offset);
            let nested = ranges.into_iter().rev().fold(Value::Null, |parent, range| {
                let mut value = json!({ "range": convert::range(&context.bicep.source, range) });
                if !parent.is_null() {
                    set(&mut value, "parent", parent);
                }
                value
            });
            answers.push(nested);
        }
        Ok(answers)
    })?;
    Ok(Value::Array(found.unwrap_or_default()))
}

/// Local files have no lenses; documents with the sources of registry modules will.
pub(super) fn code_lenses(_request: &Request) -> Answer {
    Ok(json!([]))
}
