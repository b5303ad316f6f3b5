//! Names that a template cannot tell apart, or keeps for itself.

use base::TextRange;
use bicep_syntax::SyntaxKind;
use bicep_syntax::ast::{Import, ImportItem, ObjectType};

use super::Limits;
use crate::interface::ExportKind;
use crate::messages::limits as messages;
use crate::symbol::{Symbol, SymbolKind};

/// What shares one table of names in a template.
const TABLES: [(&str, SymbolKind); 6] = [
    ("parameters", SymbolKind::Param),
    ("variables", SymbolKind::Var),
    ("outputs", SymbolKind::Output),
    ("types", SymbolKind::Type),
    ("asserts", SymbolKind::Assert),
    ("functions", SymbolKind::Func),
];

pub(super) fn check(ctx: &mut Limits<'_>) {
    let model = ctx.model;
    for (table, kind) in TABLES {
        let names = model
            .symbols()
            .filter(|(_, symbol)| symbol.kind == kind || imported_kind(ctx, symbol) == Some(kind))
            .filter_map(|(_, symbol)| Some((symbol.name.as_deref()?, symbol.name_range)));
        let names = names.collect();
        check_table(ctx, table, names);
    }
    for object in ctx.tree().nodes_of(&[SyntaxKind::ObjectType]).filter_map(ObjectType::cast) {
        let names =
            object.properties().filter_map(|property| Some((property.key_text()?, property.key().range())));
        check_table(ctx, "type properties", names.collect());
    }
    let is_copy = |name: &str| name.eq_ignore_ascii_case("copy");
    let copy = ctx.symbols(&[SymbolKind::Var]).find(|symbol| symbol.name.as_deref().is_some_and(is_copy));
    if let Some(symbol) = copy {
        ctx.report(messages::reserved_variable(symbol.name_range));
    }
}

/// What an item of an import list brings into the file.
fn imported_kind(ctx: &Limits<'_>, symbol: &Symbol) -> Option<SymbolKind> {
    if symbol.kind != SymbolKind::ImportItem {
        return None;
    }
    let item = ImportItem::cast(ctx.tree().node(symbol.declaration))?;
    let import = item.syntax().ancestors().find_map(Import::cast)?;
    let target = ctx.bicep.reference(import.syntax())?.as_ref().ok()?;
    match ctx.program.interface(target.file)?.export(&item.original_name()?)?.kind {
        ExportKind::Type(_) => Some(SymbolKind::Type),
        ExportKind::Variable(_) => Some(SymbolKind::Var),
        ExportKind::Function(_) => Some(SymbolKind::Func),
        ExportKind::Ambiguous => None,
    }
}

/// Reports names that differ only in case. Equal names have been reported as duplicates.
fn check_table<N: AsRef<str>>(ctx: &mut Limits<'_>, table: &str, mut names: Vec<(N, TextRange)>) {
    // The sort keeps the order of those that differ only in case.
    names.sort_by(|(a, _), (b, _)| uppercase(a.as_ref()).cmp(uppercase(b.as_ref())));
    let groups = names.chunk_by(|(a, _), (b, _)| a.as_ref().eq_ignore_ascii_case(b.as_ref()));
    for group in groups.filter(|group| group.len() > 1) {
        let mut spellings: Vec<&str> = group.iter().map(|(name, _)| name.as_ref()).collect();
        spellings.sort_unstable();
        spellings.dedup();
        if spellings.len() == group.len() {
            for (_, range) in group {
                ctx.report(messages::differ_only_in_case(*range, table, &spellings));
            }
        }
    }
}

fn uppercase(name: &str) -> impl Iterator<Item = u8> {
    name.bytes().map(|byte| byte.to_ascii_uppercase())
}
