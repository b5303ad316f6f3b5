//! Names that a template cannot tell apart, or keeps for itself.

use base::TextRange;
use bicep_syntax::ast::ObjectType;
use rustc_hash::FxHashMap;

use super::Limits;
use crate::messages::limits as messages;
use crate::symbol::SymbolKind;

/// What shares one table of names in a template.
const TABLES: [(&str, &[SymbolKind]); 5] = [
    ("parameters", &[SymbolKind::Param]),
    ("variables", &[SymbolKind::Var]),
    ("outputs", &[SymbolKind::Output]),
    ("types", &[SymbolKind::Type]),
    ("functions", &[SymbolKind::Func]),
];

pub(super) fn check(ctx: &mut Limits<'_>) {
    for (table, kinds) in TABLES {
        let names = ctx
            .symbols(kinds)
            .filter_map(|symbol| Some((symbol.name.to_owned()?.to_string(), symbol.name_range)));
        check_table(ctx, table, names.collect());
    }
    for object in ctx.tree().nodes().filter_map(ObjectType::cast) {
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

/// Reports names that differ only in case. Equal names have been reported as duplicates.
fn check_table(ctx: &mut Limits<'_>, table: &str, names: Vec<(String, TextRange)>) {
    let mut groups: FxHashMap<String, Vec<usize>> = FxHashMap::default();
    for (index, (name, _)) in names.iter().enumerate() {
        groups.entry(name.to_ascii_uppercase()).or_default().push(index);
    }
    for (name, range) in &names {
        let Some(group) = groups.get(&name.to_ascii_uppercase()).filter(|group| group.len() > 1) else {
            continue;
        };
        let mut spellings: Vec<&str> =
            group.iter().filter_map(|at| names.get(*at)).map(|it| it.0.as_str()).collect();
        let count = spellings.len();
        spellings.sort_unstable();
        spellings.dedup();
        if spellings.len() == count {
            ctx.report(messages::differ_only_in_case(*range, table, &spellings));
        }
    }
}
