//! Types that require themselves: no value can have them, because it would have to be infinite.

use std::sync::Arc;

use base::TextRange;
use bicep_syntax::ast::{self, TypeExpr};
use bicep_syntax::{Node, SyntaxKind};
use bicep_types::ty::{Kind, Type};

use super::Checker;
use crate::cycles::circles;
use crate::messages::types as messages;
use crate::symbol::{SymbolId, SymbolKind};

impl<'a> Checker<'a> {
    /// Finds and reports the types that require themselves, directly or through others.
    pub(super) fn find_type_cycles(&mut self, types: &[SymbolId]) {
        let mut uses = vec![Vec::new(); self.bound.declarations.symbols.len()];
        for id in types {
            let Some(symbol) = self.symbol(*id).filter(|_| !self.bound.cycles.contains_key(id)) else {
                continue;
            };
            let Some(declaration) = ast::TypeDeclaration::cast(self.declaration(symbol)) else { continue };
            let mut required = Vec::new();
            self.required_types(declaration.value().syntax(), false, &mut required);
            if let Some(slot) = uses.get_mut(id.index()) {
                *slot = required;
            }
        }
        self.type_cycles = circles(&uses);
        for id in types {
            let Some(cycle) = self.type_cycles.get(id) else { continue };
            let cycle = Arc::clone(cycle);
            if let Some(symbol) = self.symbol(*id) {
                self.report_type_cycle(symbol.name_range, &cycle);
            }
        }
    }

    pub(super) fn report_type_cycle(&mut self, range: TextRange, cycle: &[SymbolId]) {
        let members = cycle.iter().filter_map(|id| self.symbol(*id));
        let names = members.filter_map(|member| member.name.as_deref());
        let diagnostic = messages::type_cycle(range, cycle.len(), names);
        self.report(diagnostic);
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
        base::recurse(|| {
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
