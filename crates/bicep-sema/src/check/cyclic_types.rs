//! Types that require themselves: no value can have them, because it would have to be infinite.

use bicep_syntax::ast::{self, TypeExpr};
use bicep_syntax::{Node, SyntaxKind};
use bicep_types::ty::{Kind, Type};
use rustc_hash::FxHashMap;

use super::Checker;
use crate::messages::types as messages;
use crate::symbol::{SymbolId, SymbolKind};

impl<'a> Checker<'a> {
    /// Finds and reports the types that require themselves, directly or through others.
    pub(super) fn find_type_cycles(&mut self, types: &[SymbolId]) {
        let mut uses: FxHashMap<SymbolId, Vec<SymbolId>> = FxHashMap::default();
        for id in types {
            let Some(symbol) = self.symbol(*id).filter(|_| !self.bound.cycles.contains_key(id)) else {
                continue;
            };
            let Some(declaration) = ast::TypeDeclaration::cast(self.declaration(symbol)) else { continue };
            let mut required = Vec::new();
            self.required_types(declaration.value().syntax(), false, &mut required);
            uses.insert(*id, required);
        }
        self.type_cycles = cycles(types, &uses);
        for id in types {
            let Some(cycle) = self.type_cycles.get(id) else { continue };
            let members = cycle.iter().filter_map(|id| self.symbol(*id));
            let names: Vec<&str> = members.filter_map(|member| member.name.as_deref()).collect();
            if let Some(symbol) = self.symbol(*id) {
                let diagnostic = messages::type_cycle(symbol.name_range, &names);
                self.report(diagnostic);
            }
        }
    }

    /// The declared types that every value of a type contains a value of.
    fn required_types(&mut self, node: Node<'a>, is_inside: bool, found: &mut Vec<SymbolId>) {
        let is_container = match node.kind() {
            SyntaxKind::ArrayType | SyntaxKind::ObjectType | SyntaxKind::TupleType => true,
            SyntaxKind::UnionType => is_inside || self.is_tagged(node),
            _ => is_inside,
        };
        match node.kind() {
            SyntaxKind::TypeVar | SyntaxKind::GenericType if is_inside => {
                if let Some((id, symbol)) = self.referenced(node)
                    && symbol.kind == SymbolKind::Type
                {
                    found.push(id);
                }
            }
            // Further properties may be missing.
            SyntaxKind::ObjectTypeAdditional => return,
            SyntaxKind::ObjectTypeProperty | SyntaxKind::TupleTypeItem => {
                let ty = self.declared_type_of(node);
                if is_optional(&ty) {
                    return;
                }
            }
            SyntaxKind::ArrayTypeMember | SyntaxKind::UnionTypeMember => {
                let inner = node.children().next().map(TypeExpr::of);
                let ty = match inner {
                    Some(TypeExpr::NullType(_)) | None => return,
                    Some(inner) => self.type_syntax(inner).ty,
                };
                if is_optional(&ty) {
                    return;
                }
            }
            _ => {}
        }
        stacker::maybe_grow(64 << 10, 1 << 20, || {
            node.children().for_each(|child| self.required_types(child, is_container, found));
        });
    }

    fn is_tagged(&mut self, node: Node<'a>) -> bool {
        let ty = self.type_syntax(TypeExpr::of(node)).ty;
        matches!(ty.kind(), Kind::Discriminated(_))
    }
}

fn is_optional(ty: &Type) -> bool {
    ty.is_error() || ty.is_nullable()
}

/// For each type in a circle, the circle.
fn cycles(
    types: &[SymbolId],
    uses: &FxHashMap<SymbolId, Vec<SymbolId>>,
) -> FxHashMap<SymbolId, Vec<SymbolId>> {
    let mut found: FxHashMap<SymbolId, Vec<SymbolId>> = FxHashMap::default();
    let mut done: FxHashMap<SymbolId, bool> = FxHashMap::default();
    for start in types {
        let mut path: Vec<(SymbolId, usize)> = Vec::new();
        let mut next = (!done.contains_key(start)).then_some(*start);
        loop {
            if let Some(id) = next.take() {
                match done.get(&id) {
                    Some(true) => {}
                    Some(false) => {
                        let from = path.iter().position(|(it, _)| *it == id).unwrap_or(0);
                        let circle: Vec<SymbolId> = path.iter().skip(from).map(|(id, _)| *id).collect();
                        for member in &circle {
                            found.entry(*member).or_insert_with(|| circle.clone());
                        }
                    }
                    None => {
                        done.insert(id, false);
                        path.push((id, 0));
                    }
                }
            }
            let Some((id, edge)) = path.last_mut() else { break };
            let id = *id;
            next = uses.get(&id).and_then(|edges| edges.get(*edge)).copied();
            *edge += 1;
            if next.is_none() {
                path.pop();
                done.insert(id, true);
            }
        }
    }
    found
}
