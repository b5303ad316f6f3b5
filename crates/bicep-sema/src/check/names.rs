//! Names that are declared more than once or that belong to somebody else, and statements that stand once in a file.

use base::{SmolStr, TextRange};
use bicep_syntax::ast::{self, Statement};
use rustc_hash::FxHashMap;

use super::Checker;
use super::statement::keyword_range;
use crate::messages::{declarations, names as messages};
use crate::symbol::{Scope, Symbol, SymbolKind};

impl<'a> Checker<'a> {
    pub(super) fn check_names(&mut self) {
        let scopes: &'a [Scope] = &self.bound.declarations.scopes;
        for (index, scope) in scopes.iter().enumerate() {
            self.check_scope(scope, index == 0);
        }
        self.check_extensions();
        self.check_single_statements();
        self.check_imported_twice();
    }

    fn check_scope(&mut self, scope: &'a Scope, is_file: bool) {
        let symbols: Vec<&'a Symbol> = scope
            .symbols
            .iter()
            .filter_map(|id| self.symbol(*id))
            .filter(|symbol| symbol.kind != SymbolKind::This)
            .collect();
        let can_be_referenced = |symbol: &&&Symbol| symbol.kind.can_be_referenced();
        let referenceable = symbols.iter().filter(can_be_referenced);
        let referenceable: Vec<Named> = referenceable.filter_map(|symbol| self.named(symbol)).collect();
        for Named { name, range } in duplicates(&referenceable) {
            self.report(messages::duplicate_name(*range, name));
        }
        for kind in [SymbolKind::Output, SymbolKind::Metadata] {
            let of_kind = symbols.iter().filter(|it| it.kind == kind);
            let of_kind: Vec<Named> = of_kind.filter_map(|symbol| self.named(symbol)).collect();
            for Named { name, range } in duplicates(&of_kind) {
                self.report(messages::duplicate_output(*range, name));
            }
        }
        for Named { name, range } in &referenceable {
            let is_reserved = self.bound.namespaces.implicit(name).is_some() || (is_file && name == "this");
            if is_reserved {
                self.report(messages::reserved_name(*range, name));
            }
        }
    }

    /// The name under which a symbol is declared.
    fn named(&self, symbol: &Symbol) -> Option<Named> {
        if let Some(name) = &symbol.name {
            return Some(Named { name: name.clone(), range: symbol.name_range });
        }
        // An extension always has a name: if nothing is written, that of its types; without types, that of an error.
        let extension = ast::Extension::cast(self.declaration(symbol))?;
        if let Some(name) = extension.alias().and_then(ast::AsClause::name) {
            return Some(Named { name: name.display().into(), range: name.range() });
        }
        let index = self.bound.namespaces.declared_by(symbol.declaration);
        let namespace = index.and_then(|index| self.bound.namespaces.get(index));
        let name = namespace.map_or_else(|| SmolStr::new_static("error"), |it| it.name.clone());
        Some(Named { name, range: extension.spec()?.range() })
    }

    fn check_extensions(&mut self) {
        let declared: Vec<(SmolStr, _)> = self
            .tree
            .file()
            .statements()
            .filter_map(|statement| {
                let Statement::Extension(extension) = statement else { return None };
                let index = self.bound.namespaces.declared_by(extension.syntax().id())?;
                let namespace = self.bound.namespaces.get(index).filter(|it| it.is_singleton)?;
                Some((namespace.extension.clone(), extension.spec()?.range()))
            })
            .collect();
        for (name, range) in &declared {
            if declared.iter().filter(|(other, _)| other == name).count() > 1 {
                self.report(declarations::duplicate_namespace(*range, name));
            }
        }
    }

    fn check_single_statements(&mut self) {
        type IsKind = fn(&Statement<'_>) -> bool;
        let kinds: [(IsKind, &str, &str); 3] = [
            (|it| matches!(it, Statement::TargetScope(_)), "BCP112", "targetScope"),
            (|it| matches!(it, Statement::Using(_)), "BCP262", "using"),
            (|it| matches!(it, Statement::Extends(_)), "BCP405", "extends"),
        ];
        for (is_kind, code, word) in kinds {
            let found: Vec<Statement<'a>> = self.tree.file().statements().filter(is_kind).collect();
            if found.len() > 1 {
                for statement in found {
                    self.report(declarations::repeated(keyword_range(statement), code, word));
                }
            }
        }
    }

    fn check_imported_twice(&mut self) {
        let mut by_origin: FxHashMap<(crate::FileId, String), Vec<&'a Symbol>> = FxHashMap::default();
        let mut order = Vec::new();
        for symbol in &self.bound.declarations.symbols {
            if symbol.kind != SymbolKind::ImportItem {
                continue;
            }
            let node = self.declaration(symbol);
            let item = ast::ImportItem::cast(node);
            let import = node.ancestors().find_map(ast::Import::cast);
            let (Some(item), Some(import)) = (item, import) else { continue };
            let Some(Ok(target)) = self.bound.bicep.reference(import.syntax()) else { continue };
            let Some(name) = item.original_name() else { continue };
            let interface = self.bound.program.interface(target.file).filter(|it| !it.has_errors);
            if interface.is_none_or(|interface| interface.export(&name).is_none()) {
                continue;
            }
            let key = (target.file, name);
            if !by_origin.contains_key(&key) {
                order.push(key.clone());
            }
            by_origin.entry(key).or_default().push(symbol);
        }
        for key in order {
            let Some(symbols) = by_origin.get(&key).filter(|symbols| symbols.len() > 1) else { continue };
            let names: Vec<&str> = symbols.iter().filter_map(|symbol| symbol.name.as_deref()).collect();
            for symbol in symbols {
                let range = self.declaration(symbol).range();
                self.report(declarations::imported_twice(range, names.iter().copied()));
            }
        }
    }
}

/// A declared name, and where it stands.
struct Named {
    name: SmolStr,
    range: TextRange,
}

/// The names that are declared more than once.
fn duplicates(names: &[Named]) -> impl Iterator<Item = &Named> {
    let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
    for named in names {
        *counts.entry(named.name.as_str()).or_default() += 1;
    }
    names.iter().filter(move |named| counts.get(named.name.as_str()).is_some_and(|count| *count > 1))
}
