//! The values of parameters one after the other, in the order in which they need each other. What is built on a mistake
//! is not evaluated: the mistake is told once, where it is.

use std::collections::{BTreeMap, BTreeSet};

use base::{Diagnostic, Severity};
use bicep_sema::{Interface, Model, SymbolId, SymbolKind};
use bicep_syntax::ast::{self, Expr};
use bicep_syntax::{Node, SyntaxKind};
use smol_str::SmolStr;

use super::inputs::base_member;
use super::parameter_file::ParameterFile;
use super::{Assigned, secret_arguments};
use crate::messages;

/// What the parameters of a file and those that it inherits get.
pub(super) fn results(
    file: &ParameterFile<'_>,
    interface: Option<&Interface>,
    diagnostics: &mut Vec<Diagnostic>,
) -> BTreeMap<SmolStr, Assigned> {
    let mut walk = Walk {
        file,
        interface,
        done: BTreeSet::new(),
        wrong: BTreeSet::new(),
        found: BTreeMap::new(),
        diagnostics: Vec::new(),
    };
    let symbols: Vec<SymbolId> = file.cx.model.symbols().map(|(id, _)| id).collect();
    for symbol in symbols {
        walk.symbol(symbol);
    }
    for (name, assignment, owner) in file.assignments() {
        if !std::ptr::eq(owner, file) {
            let result = owner.assigned_parameter(&name, assignment);
            walk.found.insert(name, result.unwrap_or(Assigned::Failed));
        }
    }
    diagnostics.append(&mut walk.diagnostics);
    walk.found
}

/// Whether an error has been reported at a node.
fn has_error_at(model: &Model, node: Node<'_>) -> bool {
    let is_there = |it: &Diagnostic| it.severity == Severity::Error && node.range().contains_range(it.range);
    model.diagnostics().iter().any(is_there)
}

struct Walk<'s, 'p> {
    file: &'s ParameterFile<'p>,
    interface: Option<&'s Interface>,
    done: BTreeSet<SymbolId>,
    /// What has no value, because it or something that it needs is wrong.
    wrong: BTreeSet<SymbolId>,
    found: BTreeMap<SmolStr, Assigned>,
    diagnostics: Vec<Diagnostic>,
}

impl<'p> Walk<'_, 'p> {
    fn symbol(&mut self, symbol: SymbolId) {
        let kind = self.file.cx.model.symbol(symbol).kind;
        let has_value = matches!(
            kind,
            SymbolKind::ParamAssignment
                | SymbolKind::Var
                | SymbolKind::ImportItem
                | SymbolKind::WildcardImport
        );
        if has_value && self.done.insert(symbol) {
            base::recurse(|| self.declaration(symbol, kind));
        }
    }

    fn declaration(&mut self, symbol: SymbolId, kind: SymbolKind) {
        let cx = &self.file.cx;
        let node = cx.declaration(symbol);
        let uses: Vec<Node<'p>> = node
            .descendants()
            .filter(|inner| matches!(inner.kind(), SyntaxKind::VarAccess | SyntaxKind::Call))
            .collect();
        let targets = uses.iter().filter_map(|inner| cx.model.bindings().symbol(*inner));
        for target in targets.collect::<Vec<_>>() {
            self.symbol(target);
        }
        let is_import = matches!(kind, SymbolKind::ImportItem | SymbolKind::WildcardImport);
        let is_wrong = cx.model.cycle(symbol).is_some()
            || is_import && has_error_at(cx.model, node)
            || cx.model.declared_type(symbol).is_some_and(bicep_types::ty::Type::is_error)
            || cx.model.type_of(node).is_some_and(bicep_types::ty::Type::is_error);
        let mut is_open = false;
        if !is_wrong {
            for node in uses {
                is_open |= !self.is_usable(node);
            }
        }
        if is_wrong || is_open {
            self.wrong.insert(symbol);
        } else if kind == SymbolKind::ParamAssignment {
            self.assign(symbol, node);
        }
    }

    /// Whether what a name stands for has a value here; if a vault or a default gives it, that is reported.
    fn is_usable(&mut self, node: Node<'p>) -> bool {
        let cx = &self.file.cx;
        let Some(symbol) = cx.model.bindings().symbol(node) else { return self.is_usable_inherited(node) };
        if self.wrong.contains(&symbol) {
            return false;
        }
        let declared = cx.model.symbol(symbol);
        if declared.kind != SymbolKind::ParamAssignment {
            return true;
        }
        let name = declared.name.clone().unwrap_or_default();
        match self.found.get(&name) {
            Some(Assigned::Secret(_)) => {
                self.diagnostics.push(messages::refers_to_secret(node.range(), &name));
                false
            }
            Some(Assigned::Value(value)) if value.is_null() => {
                self.diagnostics.push(messages::refers_to_default(node.range(), &name));
                false
            }
            Some(Assigned::Failed) => false,
            _ => true,
        }
    }

    /// The same for what comes from the extended file, by its name or as a member of `base`.
    fn is_usable_inherited(&mut self, node: Node<'p>) -> bool {
        let Expr::VarAccess(access) = Expr::of(node) else { return true };
        let Some(name) = access.name().and_then(ast::Name::text) else { return true };
        let name = if name == "base" { base_member(node) } else { Some(name.to_owned()) };
        let Some((name, parent)) = name.zip(self.file.parent.as_deref()) else { return true };
        let Some((assignment, owner)) = parent.assignment(&name) else { return true };
        if secret_arguments(&owner.cx, assignment.value()).is_some() {
            self.diagnostics.push(messages::refers_to_secret(node.range(), &name));
            return false;
        }
        if matches!(parent.parameter_value(&name), Ok(value) if value.is_null()) {
            self.diagnostics.push(messages::refers_to_default(node.range(), &name));
            return false;
        }
        true
    }

    fn assign(&mut self, symbol: SymbolId, node: Node<'p>) {
        let Some(name) = self.file.cx.model.symbol(symbol).name.clone() else { return };
        let Some(assignment) = ast::ParamAssignment::cast(node) else { return };
        if self.found.contains_key(&name) {
            return;
        }
        let value = assignment.value();
        let result = self.file.assigned_parameter(&name, assignment);
        let assigned = result.unwrap_or_else(|error| {
            let is_secure = self
                .interface
                .and_then(|interface| interface.parameter(&name))
                .is_some_and(|parameter| parameter.is_secure);
            self.diagnostics.push(if is_secure {
                messages::secure_evaluation_failed(value.range(), &name)
            } else {
                messages::evaluation_failed(value.range(), "parameter", &name, error.message())
            });
            Assigned::Failed
        });
        self.found.insert(name, assigned);
    }
}
