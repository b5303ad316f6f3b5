//! The members of a union, found by value: which of them a literal can belong to, without looking at all of them.

use rustc_hash::FxHashMap;

use super::{Kind, Type};

/// The members of a union.
#[derive(Debug)]
pub struct Alternatives<'t> {
    members: &'t [Type],
    /// By literal: the positions of the members that are this literal.
    literals: FxHashMap<Literal<'t>, Vec<usize>>,
    /// The positions of all other members.
    others: Vec<usize>,
}

#[derive(Debug, PartialEq, Eq, Hash)]
enum Literal<'t> {
    String(&'t str),
    Int(i64),
}

impl<'t> Alternatives<'t> {
    /// The members of a union, or a type as the only member.
    pub fn of(target: &'t Type) -> Self {
        let members = target.members();
        let mut literals: FxHashMap<Literal<'t>, Vec<usize>> = FxHashMap::default();
        let mut others = Vec::new();
        for (position, member) in members.iter().enumerate() {
            match Literal::of(member) {
                Some(literal) => literals.entry(literal).or_default().push(position),
                None => others.push(position),
            }
        }
        Self { members, literals, others }
    }

    /// The members that a value of a type may belong to, in their order. Literals other than the value are not among
    /// them.
    pub fn for_value(&self, source: &Type) -> Vec<&'t Type> {
        let Some(literal) = Literal::of(source) else { return self.members.iter().collect() };
        let same = self.literals.get(&literal).map(Vec::as_slice).unwrap_or_default();
        let mut positions: Vec<usize> = same.iter().chain(&self.others).copied().collect();
        positions.sort_unstable();
        positions.into_iter().filter_map(|position| self.members.get(position)).collect()
    }
}

impl<'t> Literal<'t> {
    fn of(ty: &'t Type) -> Option<Self> {
        match ty.kind() {
            Kind::StringLiteral(value) => Some(Self::String(value)),
            Kind::IntLiteral(value) => Some(Self::Int(*value)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ty::union;

    fn check(members: &[Type], value: &Type, expected: &str) {
        let target = union(members.iter().cloned());
        let found = Alternatives::of(&target).for_value(value);
        let names: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(names.join(" | "), expected);
    }

    #[test]
    fn a_literal_belongs_to_itself_and_to_what_is_no_literal() {
        let members =
            [Type::string_literal("a"), Type::string_literal("b"), Type::int_literal(1), Type::null()];
        check(&members, &Type::string_literal("b"), "'b' | null");
        check(&members, &Type::int_literal(1), "1 | null");
        check(&members, &Type::string_literal("c"), "null");
        check(&members, &Type::string(), "'a' | 'b' | 1 | null");
    }

    #[test]
    fn one_look_at_a_thousand_literals_finds_one() {
        let target = union((0..1000).map(|it| Type::string_literal(format!("v{it}"))));
        let alternatives = Alternatives::of(&target);
        for member in target.members() {
            assert_eq!(alternatives.for_value(member), [member]);
        }
    }
}
