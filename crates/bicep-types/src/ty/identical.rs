//! Whether two types cannot be told apart: two types come in, an answer by content goes out.
//!
//! Equality takes declared types for what they are; here it is asked whether a declaration that was read again says the
//! same, words and order included. A type may contain itself: what is being compared already counts as identical.

use rustc_hash::FxHashSet;

use super::{Kind, LambdaType, ObjectType, Overload, Parameter, Property, Type, VariadicParameter};

/// Larger types count as different: to look at them would cost more than to use them again saves.
const MAX_COMPARED: usize = 20_000;

/// Deeper types count as different, so that the stack suffices.
const MAX_DEPTH: usize = 200;

impl Type {
    /// Whether nobody could tell two types apart.
    pub fn is_identical(&self, other: &Self) -> bool {
        Comparison::default().types(self, other)
    }
}

impl Overload {
    /// Whether nobody could tell two overloads apart.
    pub fn is_identical(&self, other: &Self) -> bool {
        Comparison::default().overloads(self, other)
    }
}

#[derive(Default)]
struct Comparison {
    seen: FxHashSet<(usize, usize)>,
    depth: usize,
}

impl Comparison {
    fn types(&mut self, a: &Type, b: &Type) -> bool {
        if a.same(b) {
            return true;
        }
        let is_called_alike = a.node().name == b.node().name;
        if !is_called_alike || a.flags() != b.flags() || self.seen.len() > MAX_COMPARED {
            return false;
        }
        if !self.seen.insert((a.identity(), b.identity())) {
            return true;
        }
        self.depth += 1;
        let is_identical = self.depth <= MAX_DEPTH && self.kinds(a.kind(), b.kind());
        self.depth -= 1;
        is_identical
    }

    fn kinds(&mut self, a: &Kind, b: &Kind) -> bool {
        match (a, b) {
            (Kind::Never, Kind::Never)
            | (Kind::Any, Kind::Any)
            | (Kind::Null, Kind::Null)
            | (Kind::Bool, Kind::Bool) => true,
            (Kind::Error(a), Kind::Error(b)) => a == b,
            (Kind::Int(a), Kind::Int(b)) => a == b,
            (Kind::String(a), Kind::String(b)) => a == b,
            (Kind::BoolLiteral(a), Kind::BoolLiteral(b)) => a == b,
            (Kind::IntLiteral(a), Kind::IntLiteral(b)) => a == b,
            (Kind::StringLiteral(a), Kind::StringLiteral(b)) => a == b,
            (Kind::Array(a), Kind::Array(b)) => a.length == b.length && self.types(&a.item, &b.item),
            (Kind::Tuple(a), Kind::Tuple(b)) => self.all(&a.items, &b.items),
            (Kind::Union(a), Kind::Union(b)) => self.all(a, b),
            (Kind::Object(a), Kind::Object(b)) => self.objects(a, b),
            (Kind::Discriminated(a), Kind::Discriminated(b)) => {
                a.name == b.name
                    && a.discriminator == b.discriminator
                    && a.members.len() == b.members.len()
                    && a.members.iter().zip(&b.members).all(|(a, b)| a.0 == b.0 && self.types(a.1, b.1))
            }
            // References ignore case; their spelling is shown.
            (Kind::ResourceParent(a), Kind::ResourceParent(b))
            | (Kind::ResourceParameter(a), Kind::ResourceParameter(b))
            | (Kind::UnresolvedResource(a), Kind::UnresolvedResource(b)) => {
                a.name() == b.name() && a.version() == b.version()
            }
            (Kind::Scope(a), Kind::Scope(b)) => a == b,
            (Kind::Lambda(a), Kind::Lambda(b)) => self.lambdas(a, b),
            (Kind::TypeOf(a), Kind::TypeOf(b)) => self.types(a, b),
            // Resources, modules and namespaces never leave their file.
            _ => false,
        }
    }

    fn all(&mut self, a: &[Type], b: &[Type]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.types(a, b))
    }

    fn objects(&mut self, a: &ObjectType, b: &ObjectType) -> bool {
        let is_alike = a.name == b.name
            && a.scope == b.scope
            && a.properties.len() == b.properties.len()
            && a.methods.len() == b.methods.len();
        let is_additional_alike = match (&a.additional, &b.additional) {
            (Some(a), Some(b)) => self.properties(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        is_alike
            && is_additional_alike
            && a.properties.iter().zip(&b.properties).all(|(a, b)| a.0 == b.0 && self.properties(a.1, b.1))
            && a.methods.iter().zip(&b.methods).all(|(a, b)| self.overloads(a, b))
    }

    fn properties(&mut self, a: &Property, b: &Property) -> bool {
        a.flags == b.flags && a.description == b.description && self.types(&a.ty, &b.ty)
    }

    fn overloads(&mut self, a: &Overload, b: &Overload) -> bool {
        let is_variadic_alike = match (&a.variadic, &b.variadic) {
            (Some(a), Some(b)) => self.variadics(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        a.name == b.name
            && a.description == b.description
            && a.flags == b.flags
            && is_variadic_alike
            && a.parameters.len() == b.parameters.len()
            && a.parameters.iter().zip(&b.parameters).all(|(a, b)| self.parameters(a, b))
            && self.types(&a.result, &b.result)
    }

    fn parameters(&mut self, a: &Parameter, b: &Parameter) -> bool {
        a.name == b.name && a.flags == b.flags && a.description == b.description && self.types(&a.ty, &b.ty)
    }

    fn variadics(&mut self, a: &VariadicParameter, b: &VariadicParameter) -> bool {
        a.prefix == b.prefix
            && a.min_count == b.min_count
            && a.flags == b.flags
            && a.description == b.description
            && self.types(&a.ty, &b.ty)
    }

    fn lambdas(&mut self, a: &LambdaType, b: &LambdaType) -> bool {
        self.all(&a.arguments, &b.arguments)
            && self.all(&a.optional, &b.optional)
            && self.types(&a.result, &b.result)
    }
}

#[cfg(test)]
mod tests {
    use crate::ty::{Kind, ObjectType, PropertyFlags, Type, TypeFlags};

    fn recursive(item: &str) -> Type {
        let item = item.to_owned();
        let tail = item.clone();
        let next = Type::defer(move || recursive(&tail));
        ObjectType::structural()
            .with_property("next", next, PropertyFlags::empty())
            .with_property("item", Type::string_literal(item), PropertyFlags::REQUIRED)
            .into()
    }

    #[test]
    fn types_are_compared_by_content() {
        let object = |flags| Type::from(ObjectType::named("a").with_property("p", Type::int(), flags));
        assert!(object(PropertyFlags::REQUIRED).is_identical(&object(PropertyFlags::REQUIRED)));
        assert!(!object(PropertyFlags::REQUIRED).is_identical(&object(PropertyFlags::empty())));
        assert!(!Type::string().is_identical(&Type::secure_string()));
        let loose = |flags| Type::with(Kind::Bool, flags);
        assert!(!loose(TypeFlags::empty()).is_identical(&loose(TypeFlags::SECURE)));
    }

    #[test]
    fn types_that_contain_themselves_have_an_end() {
        // Each is made anew for every level: only the bound ends the comparison.
        assert!(!recursive("a").is_identical(&recursive("b")));
        assert!(!recursive("a").is_identical(&recursive("a")), "larger than is looked at");
    }
}
