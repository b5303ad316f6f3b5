//! Looking into types: `T.name`, `T[0]`, `T[*]`, `T.*`.

use base::{Diagnostic, SmolStr, TextRange};
use bicep_syntax::ast::{self, Expr, TypeExpr};
use bicep_syntax::{Node, SyntaxKind, Token};
use bicep_types::ty::{Kind, Type};

use super::Checker;
use super::access::unknown_property_diagnostic;
use super::declared::Resolved;
use crate::messages::types as messages;

/// One look into a type.
#[derive(Clone)]
enum TypeAccessor {
    Property(SmolStr),
    Item(usize),
    Items,
    Additional,
}

impl<'a> Checker<'a> {
    pub(super) fn type_access(&mut self, access: TypeExpr<'a>) -> Resolved {
        let node = access.syntax();
        let Some((inner, look)) = self.look(access) else { return Resolved::ready(Type::error()) };
        let mut base = self.type_syntax(inner);
        if matches!(look, TypeAccessor::Items | TypeAccessor::Additional) {
            base = self.not_a_namespace(base, inner.syntax());
        }
        if base.is_pending || self.open_aliases > 0 {
            self.pending_accesses.push((base.ty.clone(), node));
            let is_pending = true;
            let ty = base.ty;
            let compute = move || ty.is_known().then(|| step(&ty, &look).unwrap_or_else(Type::error));
            let ty = Type::defer_named(node.text(), compute);
            return Resolved { ty, is_pending };
        }
        Resolved::ready(self.checked_step(&base.ty, node, inner, &look))
    }

    /// Says what is wrong with a look into a type that is complete by now.
    pub(super) fn check_pending_access(&mut self, base: &Type, node: Node<'a>) {
        let Some((inner, look)) = self.look(TypeExpr::of(node)) else { return };
        if let TypeExpr::TypeVar(name) = inner
            && let Some((id, _)) = self.referenced(name.syntax())
            && (self.type_cycles.contains_key(&id) || self.bound.cycles.contains_key(&id))
        {
            let name = name.name().map_or("", ast::Name::display);
            return self.report(messages::declaration_has_errors(inner.range(), name));
        }
        self.checked_step(base, node, inner, &look);
    }

    fn look(&mut self, access: TypeExpr<'a>) -> Option<(TypeExpr<'a>, TypeAccessor)> {
        match access {
            TypeExpr::TypePropertyAccess(access) => {
                // A name that is missing is one that no type has.
                let name = access.name().map_or("", ast::Name::display);
                Some((access.inner(), TypeAccessor::Property(name.into())))
            }
            TypeExpr::TypeItemsAccess(access) => Some((access.inner(), TypeAccessor::Items)),
            TypeExpr::TypeAdditionalAccess(access) => Some((access.inner(), TypeAccessor::Additional)),
            TypeExpr::TypeIndex(access) => {
                let look = match access.index() {
                    Expr::IntLiteral(index) => {
                        Some(TypeAccessor::Item(usize::try_from(index.value()).unwrap_or(usize::MAX)))
                    }
                    Expr::Str(text) => text.value().map(|name| TypeAccessor::Property(name.into())),
                    Expr::Unary(unary)
                        if unary.operator().is_some_and(|it| it.kind() == SyntaxKind::Minus) =>
                    {
                        self.report(messages::negative_type_index(unary.range()));
                        return None;
                    }
                    _ => None,
                };
                if look.is_none() {
                    self.report(messages::constant_required(access.index().range()));
                }
                Some((access.inner(), look?))
            }
            _ => None,
        }
    }

    fn checked_step(
        &mut self,
        base: &Type,
        node: Node<'a>,
        inner: TypeExpr<'a>,
        look: &TypeAccessor,
    ) -> Type {
        let base = base.remove_null();
        if base.is_error() {
            return Type::error();
        }
        let is_named = is_named_base(inner);
        // A property is looked up before it is asked whether that is allowed; everything else after.
        if !is_named && !matches!(look, TypeAccessor::Property(_)) {
            return self.fail(messages::named_base_required(node.range()));
        }
        let Some(ty) = step(&base, look) else {
            let diagnostic = misstep(&base, node, look);
            return self.fail(diagnostic);
        };
        if !is_named {
            return self.fail(messages::named_base_required(node.range()));
        }
        ty
    }
}

/// Whether a type has a name or is itself part of one that has.
fn is_named_base(base: TypeExpr<'_>) -> bool {
    matches!(
        base,
        TypeExpr::TypePropertyAccess(_)
            | TypeExpr::TypeAdditionalAccess(_)
            | TypeExpr::TypeIndex(_)
            | TypeExpr::TypeItemsAccess(_)
            | TypeExpr::TypeVar(_)
            | TypeExpr::GenericType(_)
            | TypeExpr::MemberGenericType(_)
    )
}

fn step(base: &Type, look: &TypeAccessor) -> Option<Type> {
    let base = base.remove_null();
    let unwrap = |ty: &Type| match ty.kind() {
        Kind::TypeOf(inner) => inner.clone(),
        _ => ty.clone(),
    };
    match (look, base.kind()) {
        (_, Kind::Error(_)) => Some(base.clone()),
        (TypeAccessor::Property(name), Kind::Object(object)) => {
            Some(unwrap(&object.properties.get(name)?.ty))
        }
        (TypeAccessor::Property(name), Kind::Namespace(namespace)) => {
            Some(unwrap(&namespace.members.properties.get(name)?.ty))
        }
        (TypeAccessor::Item(index), Kind::Tuple(tuple)) => Some(unwrap(tuple.items.get(*index)?)),
        (TypeAccessor::Items, Kind::Array(array)) if !array.item.is_any() => Some(unwrap(&array.item)),
        (TypeAccessor::Additional, Kind::Object(object)) => {
            let additional = object.additional.as_ref().filter(|it| !it.ty.is_any())?;
            Some(unwrap(&additional.ty))
        }
        _ => None,
    }
}

/// What is wrong with a look that sees nothing.
fn misstep(base: &Type, node: Node<'_>, look: &TypeAccessor) -> Diagnostic {
    match look {
        TypeAccessor::Property(name) => {
            let range = property_range(node);
            match base.kind() {
                Kind::Object(object) => {
                    unknown_property_diagnostic(&object.properties, name, base, range, false)
                }
                Kind::Namespace(namespace) => {
                    unknown_property_diagnostic(&namespace.members.properties, name, base, range, false)
                }
                _ => messages::object_required(range, base),
            }
        }
        TypeAccessor::Item(index) => {
            let range = ast::TypeIndex::cast(node).map_or(node.range(), |access| access.index().range());
            match base.kind() {
                Kind::Tuple(tuple) => {
                    let index = i64::try_from(*index).unwrap_or(i64::MAX);
                    messages::index_out_of_bounds(range, base, tuple.items.len(), index)
                }
                _ => messages::tuple_required(range, base),
            }
        }
        TypeAccessor::Items => {
            let open = node.token(SyntaxKind::LeftSquare).map(Token::range);
            let close = node.token(SyntaxKind::RightSquare).map(Token::range);
            let range = open.zip(close).map_or(node.range(), |(open, close)| open.cover(close));
            messages::typed_array_required(range)
        }
        TypeAccessor::Additional => {
            let range = node.token(SyntaxKind::Star).map_or(node.range(), Token::range);
            messages::additional_required(range, base)
        }
    }
}

fn property_range(node: Node<'_>) -> TextRange {
    if let Some(access) = ast::TypePropertyAccess::cast(node) {
        return access.name().map_or(node.range(), ast::Name::range);
    }
    ast::TypeIndex::cast(node).map_or(node.range(), |access| access.index().range())
}
