//! The types of operations.

use bicep_syntax::{Node, SyntaxKind, ast};
use bicep_types::ty::{IntRange, Kind, Type, TypeFlags, assignable, collapse_or_union, union};

use super::Checker;
use super::fold::{self, Folded};
use crate::messages::functions;
use crate::messages::types::{self as messages, WrittenOperand};

impl<'a> Checker<'a> {
    pub(super) fn unary(&mut self, unary: ast::Unary<'a>) -> Type {
        let operand = self.expr(unary.operand());
        if operand.is_error() {
            return Type::error();
        }
        let Some(operator) = unary.operator() else { return Type::error() };
        if let Some(ty) = fold_unary(operator.kind(), &operand) {
            return ty;
        }
        let range = unary.range();
        if let Some(bare) = operand.without_null()
            && is_in_ternary_branch(unary.syntax())
            && let Some(ty) = fold_unary(operator.kind(), &bare)
        {
            let side = unary.operand();
            let written = WrittenOperand { range: side.range(), text: side.syntax().text() };
            self.report(messages::null_operand(range, &bare, &operand, written));
            return ty;
        }
        self.fail(messages::unary_operator(range, operator.text(), &operand))
    }

    pub(super) fn binary(&mut self, binary: ast::Binary<'a>) -> Type {
        let left = self.expr(binary.left());
        let right = self.expr(binary.right());
        if left.is_error() || right.is_error() {
            return Type::error();
        }
        let Some(operator) = binary.operator() else { return Type::error() };
        let node = binary.syntax();
        if let Some(ty) = self.operation(node, operator.kind(), &left, &right) {
            return ty;
        }
        let (bare_left, bare_right) = (left.without_null(), right.without_null());
        if (bare_left.is_some() || bare_right.is_some()) && is_in_ternary_branch(node) {
            let given = (bare_left.as_ref().unwrap_or(&left), bare_right.as_ref().unwrap_or(&right));
            if let Some(ty) = self.operation(node, operator.kind(), given.0, given.1) {
                let sides = [(bare_left, &left, binary.left()), (bare_right, &right, binary.right())];
                for (bare, operand, side) in sides {
                    if let Some(bare) = bare {
                        let written = WrittenOperand { range: side.range(), text: side.syntax().text() };
                        self.report(messages::null_operand(node.range(), &bare, operand, written));
                    }
                }
                return ty;
            }
        }
        self.fail(messages::binary_operator(node.range(), operator.text(), &left, &right))
    }

    /// The type of an operation, if the operator takes operands of these types.
    fn operation(&mut self, node: Node<'a>, operator: SyntaxKind, left: &Type, right: &Type) -> Option<Type> {
        let both = |expected: Type| assignable(left, &expected) && assignable(right, &expected);
        let (name, general) = match operator {
            SyntaxKind::OrOr if both(Type::bool()) => ("or", logical(left, right, true)),
            SyntaxKind::AndAnd if both(Type::bool()) => ("and", logical(left, right, false)),
            SyntaxKind::EqualEqual | SyntaxKind::NotEqual if both(Type::any()) => ("equals", Type::bool()),
            SyntaxKind::EqualIgnoreCase | SyntaxKind::NotEqualIgnoreCase if both(Type::string()) => {
                ("equals", Type::bool())
            }
            SyntaxKind::Less => ("less", comparison(operator, left, right)?),
            SyntaxKind::LessOrEqual => ("lessOrEquals", comparison(operator, left, right)?),
            SyntaxKind::Greater => ("greater", comparison(operator, left, right)?),
            SyntaxKind::GreaterOrEqual => ("greaterOrEquals", comparison(operator, left, right)?),
            SyntaxKind::Plus if both(Type::int()) => ("add", pairwise(left, right, &add)),
            SyntaxKind::Minus if both(Type::int()) => {
                ("sub", pairwise(left, right, &|a, b| add(a, &negate(b))))
            }
            SyntaxKind::Star if both(Type::int()) => ("mul", Type::int()),
            SyntaxKind::Slash if both(Type::int()) => ("div", Type::int()),
            SyntaxKind::Percent if both(Type::int()) => ("mod", pairwise(left, right, &modulo)),
            SyntaxKind::DoubleQuestion if both(Type::any()) => ("coalesce", coalesce(left, right)),
            _ => return None,
        };
        let folded = self.fold_operation(node, operator, name, [left, right]);
        let ty = folded.unwrap_or(general);
        if ty.is_error() {
            // Only a division by zero makes an error of operands that are none.
            self.report(messages::division_by_zero(node.range()));
        }
        Some(ty)
    }

    fn fold_operation(
        &mut self,
        node: Node<'a>,
        operator: SyntaxKind,
        name: &str,
        [left, right]: [&Type; 2],
    ) -> Option<Type> {
        let insensitive = matches!(operator, SyntaxKind::EqualIgnoreCase | SyntaxKind::NotEqualIgnoreCase);
        let operands = if insensitive {
            [fold::lower_case(left), fold::lower_case(right)]
        } else {
            [left.clone(), right.clone()]
        };
        match fold::call(name, &operands, &mut self.allowance) {
            Folded::Literal(ty) => {
                let negated = matches!(operator, SyntaxKind::NotEqual | SyntaxKind::NotEqualIgnoreCase);
                match ty.kind() {
                    Kind::BoolLiteral(value) if negated => Some(Type::bool_literal(!value)),
                    _ => Some(ty),
                }
            }
            Folded::Failed(reason) => {
                self.report(functions::would_fail(node.range(), name, &reason));
                None
            }
            Folded::Unknown => None,
        }
    }
}

/// The type of `!a` or `-a`, if the operator takes an operand of this type.
pub(super) fn fold_unary(operator: SyntaxKind, operand: &Type) -> Option<Type> {
    match operator {
        SyntaxKind::Bang => assignable(operand, &Type::bool()).then(|| not(operand)),
        SyntaxKind::Minus => assignable(operand, &Type::int()).then(|| negate(operand)),
        _ => None,
    }
}

fn not(operand: &Type) -> Type {
    match operand.kind() {
        Kind::Union(members) => union(members.iter().map(not)),
        Kind::BoolLiteral(value) => Type::with(Kind::BoolLiteral(!value), operand.flags()),
        Kind::Bool => operand.clone(),
        _ => Type::bool().with_flags(operand.flags()),
    }
}

fn negate(operand: &Type) -> Type {
    let negated = |value: i64| value.checked_neg();
    match operand.kind() {
        Kind::Union(members) => collapse_or_union(members.iter().map(negate)),
        Kind::IntLiteral(value) => match negated(*value) {
            Some(value) => Type::with(Kind::IntLiteral(value), operand.flags()),
            None => Type::int(),
        },
        Kind::Int(range) => {
            let range = IntRange { min: range.max.and_then(negated), max: range.min.and_then(negated) };
            Type::int_between(range, operand.flags())
        }
        _ => Type::int(),
    }
}

/// `||` is decided by `true`, `&&` by `false` on either side.
fn logical(left: &Type, right: &Type, deciding: bool) -> Type {
    let decides = |ty: &Type| matches!(ty.kind(), Kind::BoolLiteral(value) if *value == deciding);
    let is_literal = |ty: &Type| matches!(ty.kind(), Kind::BoolLiteral(_));
    if decides(left) || decides(right) {
        Type::bool_literal(deciding)
    } else if is_literal(left) && is_literal(right) {
        Type::bool_literal(!deciding)
    } else {
        Type::bool()
    }
}

fn comparison(operator: SyntaxKind, left: &Type, right: &Type) -> Option<Type> {
    let both = |expected: Type| assignable(left, &expected) && assignable(right, &expected);
    if !both(Type::int()) {
        return both(Type::string()).then(Type::bool);
    }
    // `a > b` is `b < a`.
    let (small, large, or_equal) = match operator {
        SyntaxKind::Less => (left, right, false),
        SyntaxKind::LessOrEqual => (left, right, true),
        SyntaxKind::Greater => (right, left, false),
        _ => (right, left, true),
    };
    let below = |a: i64, b: i64| if or_equal { a <= b } else { a < b };
    let is_always = largest(small).zip(smallest(large)).is_some_and(|(a, b)| below(a, b));
    let is_never = smallest(small).zip(largest(large)).is_some_and(|(a, b)| !below(a, b));
    Some(match (is_always, is_never) {
        (true, _) => Type::bool_literal(true),
        (_, true) => Type::bool_literal(false),
        _ => Type::bool(),
    })
}

fn smallest(ty: &Type) -> Option<i64> {
    match ty.kind() {
        Kind::IntLiteral(value) => Some(*value),
        Kind::Int(range) => range.min,
        Kind::Union(members) => members.iter().filter_map(smallest).min(),
        _ => None,
    }
}

fn largest(ty: &Type) -> Option<i64> {
    match ty.kind() {
        Kind::IntLiteral(value) => Some(*value),
        Kind::Int(range) => range.max,
        Kind::Union(members) => members.iter().filter_map(largest).max(),
        _ => None,
    }
}

/// Computes with every member of two unions.
fn pairwise(left: &Type, right: &Type, compute: &dyn Fn(&Type, &Type) -> Type) -> Type {
    match (left.kind(), right.kind()) {
        (Kind::Union(members), _) => collapse_or_union(members.iter().map(|it| pairwise(it, right, compute))),
        (_, Kind::Union(members)) => collapse_or_union(members.iter().map(|it| pairwise(left, it, compute))),
        _ => compute(left, right),
    }
}

fn add(left: &Type, right: &Type) -> Type {
    let sum = |a: Option<i64>, b: Option<i64>| a.zip(b).and_then(|(a, b)| a.checked_add(b));
    let range = |ty: &Type| match ty.kind() {
        Kind::IntLiteral(value) => Some(IntRange { min: Some(*value), max: Some(*value) }),
        Kind::Int(range) => Some(*range),
        _ => None,
    };
    match (range(left), range(right)) {
        (Some(a), Some(b)) => {
            let range = IntRange { min: sum(a.min, b.min), max: sum(a.max, b.max) };
            Type::int_between(range, TypeFlags::empty())
        }
        _ => Type::int(),
    }
}

fn modulo(left: &Type, right: &Type) -> Type {
    let divisor = match right.kind() {
        Kind::IntLiteral(0) => return Type::error(),
        Kind::IntLiteral(value) => value.checked_abs(),
        Kind::Int(IntRange { min: Some(min), max: Some(max) }) => {
            min.checked_abs().zip(max.checked_abs()).map(|(a, b)| a.max(b))
        }
        _ => None,
    };
    let Some(divisor) = divisor else { return Type::int() };
    let min = if smallest(left).is_some_and(|min| min >= 0) { 0 } else { 1 - divisor };
    let max = if largest(left).is_some_and(|max| max <= 0) { 0 } else { divisor - 1 };
    Type::int_between(IntRange { min: Some(min), max: Some(max) }, TypeFlags::empty())
}

fn coalesce(left: &Type, right: &Type) -> Type {
    if left.is_null() {
        return right.clone();
    }
    match left.without_null() {
        Some(bare) => union([bare, right.clone()]),
        None => left.clone(),
    }
}

/// Whether a node stands in one of the branches of a condition, where its operands may have been tested.
fn is_in_ternary_branch(node: Node<'_>) -> bool {
    let mut inner = node;
    for outer in node.ancestors() {
        if let Some(ternary) = ast::Ternary::cast(outer)
            && ternary.condition().syntax() != inner
        {
            return true;
        }
        inner = outer;
    }
    false
}
