//! Which value may stand where.
//!
//! [`assignable`] is the quick test that the reference makes first: it looks at objects and arrays only from outside,
//! because their parts are checked, with better messages, where the expression is known. [`conforms`] looks inside and
//! is for places that have two types and no expression.

use rustc_hash::FxHashMap;

use super::{Alternatives, Kind, LambdaType, ObjectType, PropertyFlags, Type, TypeFlags};

/// Up to so many members of a union are held against each member of another.
const FEW: usize = 16;

/// Whether a value of type `source` may stand where `target` is expected, judged from outside.
pub fn assignable(source: &Type, target: &Type) -> bool {
    if (source.flags() | target.flags()).contains(TypeFlags::PREVENT_ASSIGNMENT) {
        return false;
    }
    if source.is_any() || target.is_any() {
        return true;
    }
    if let (Kind::Lambda(source), Kind::Lambda(target)) = (source.kind(), target.kind()) {
        return lambda_assignable(source, target);
    }
    if source.scope_reference().is_some() && target.scope_reference().is_some() {
        // Which scope goes where is checked later, with a better message.
        return true;
    }
    if target.same(&Type::resource_or_collection_ref()) {
        return is_scope_or_collection(source);
    }
    match (source.kind(), target.kind()) {
        (Kind::Resource(source), Kind::ResourceParent(child)) => source.reference.is_parent_of(child),
        (Kind::Resource(source), Kind::ResourceParameter(target)) => source.reference.same_type(target),
        (Kind::Resource(source), _) => assignable(&source.body, target),
        (Kind::Module(source) | Kind::Test(source), _) => assignable(&source.body, target),
        (Kind::Union(members), Kind::Union(_)) if members.len() > FEW => {
            let alternatives = Alternatives::of(target);
            let fits = |member| alternatives.for_value(member).iter().any(|other| assignable(member, other));
            members.iter().all(fits)
        }
        (Kind::Union(members), _) => members.iter().all(|member| assignable(member, target)),
        (Kind::Never, _) => true,
        (_, Kind::Union(members)) => members.iter().any(|member| assignable(source, member)),
        _ => primitive_assignable(source, target),
    }
}

/// Whether `source` would be assignable to `target` without its `null`; then the type without it.
pub fn assignable_if_not_null(source: &Type, target: &Type) -> Option<Type> {
    source.without_null().filter(|bare| assignable(bare, target))
}

fn primitive_assignable(source: &Type, target: &Type) -> bool {
    let loose = || source.flags().contains(TypeFlags::ALLOW_LOOSE_ASSIGNMENT);
    match (source.kind(), target.kind()) {
        (Kind::StringLiteral(a), Kind::StringLiteral(b)) => a == b,
        (Kind::IntLiteral(a), Kind::IntLiteral(b)) => a == b,
        (Kind::BoolLiteral(a), Kind::BoolLiteral(b)) => a == b,
        (Kind::String(_), Kind::StringLiteral(_))
        | (Kind::Int(_), Kind::IntLiteral(_))
        | (Kind::Bool, Kind::BoolLiteral(_)) => loose(),
        (Kind::StringLiteral(_) | Kind::String(_), Kind::String(_))
        | (Kind::IntLiteral(_) | Kind::Int(_), Kind::Int(_))
        | (Kind::BoolLiteral(_) | Kind::Bool, Kind::Bool)
        | (Kind::Null, Kind::Null)
        | (Kind::Array(_) | Kind::Tuple(_), Kind::Array(_) | Kind::Tuple(_))
        | (Kind::Object(_) | Kind::Discriminated(_), Kind::Object(_) | Kind::Discriminated(_)) => true,
        _ => false,
    }
}

fn is_scope_or_collection(source: &Type) -> bool {
    let is_scope = |ty: &Type| ty.scope_reference().is_some();
    is_scope(source) || matches!(source.kind(), Kind::Array(array) if is_scope(&array.item))
}

fn lambda_assignable(source: &LambdaType, target: &LambdaType) -> bool {
    let (have, want) = (source.arity(), target.arity());
    have.max.is_none_or(|max| max >= want.min)
        && want.max.is_none_or(|max| max >= have.min)
        && assignable(&source.result, &target.result)
        && source.all_arguments().zip(target.all_arguments()).all(|(a, b)| assignable(a, b))
}

/// Whether every value of type `source` is a value of type `target`, judged with all parts.
///
/// Bounds have to contain each other, patterns have to be the same, properties have to fit one by one. A primitive may
/// stand for a literal where [`assignable`] allows it. A type that contains itself is taken to fit while it is looked at.
pub fn conforms(source: &Type, target: &Type) -> bool {
    Conformance::default().check(source, target)
}

#[derive(Default)]
struct Conformance {
    /// Answers so far; a pair that is being looked at is taken to fit.
    answers: FxHashMap<(usize, usize), bool>,
    depth: usize,
}

/// Deeper parts of a type are taken to fit.
const MAX_DEPTH: usize = 100;

impl Conformance {
    fn check(&mut self, source: &Type, target: &Type) -> bool {
        if !assignable(source, target) {
            return false;
        }
        if self.depth >= MAX_DEPTH {
            return true;
        }
        let pair = (source.identity(), target.identity());
        if let Some(answer) = self.answers.get(&pair) {
            return *answer;
        }
        self.answers.insert(pair, true);
        self.depth += 1;
        let fits = self.check_parts(source, target);
        self.depth -= 1;
        self.answers.insert(pair, fits);
        fits
    }

    fn check_parts(&mut self, source: &Type, target: &Type) -> bool {
        match (source.kind(), target.kind()) {
            (Kind::Any, _) | (_, Kind::Any) => true,
            (Kind::Union(members), _) => members.iter().all(|member| self.check(member, target)),
            (_, Kind::Union(members)) => members.iter().any(|member| self.check(source, member)),
            (Kind::Discriminated(union), _) => {
                union.members.values().all(|member| self.check(member, target))
            }
            (_, Kind::Discriminated(union)) => {
                union.members.values().any(|member| self.check(source, member))
            }
            (Kind::Object(source), Kind::Object(target)) => self.objects(source, target),
            (Kind::Array(_) | Kind::Tuple(_), Kind::Array(_) | Kind::Tuple(_)) => self.arrays(source, target),
            (Kind::Resource(resource), Kind::Object(_)) => self.check(&resource.body, target),
            (Kind::Module(module), Kind::Object(_)) => self.check(&module.body, target),
            (Kind::IntLiteral(value), Kind::Int(range)) => {
                range.min.is_none_or(|min| min <= *value) && range.max.is_none_or(|max| *value <= max)
            }
            (Kind::Int(a), Kind::Int(b)) => within((a.min, a.max), (b.min, b.max)),
            (Kind::StringLiteral(value), Kind::String(shape)) => {
                let length = i64::try_from(value.encode_utf16().count()).unwrap_or(i64::MAX);
                shape.min_length.is_none_or(|min| min <= length)
                    && shape.max_length.is_none_or(|max| length <= max)
                    && shape.pattern.as_ref().is_none_or(|it| it.matches(value).unwrap_or(true))
            }
            (Kind::String(a), Kind::String(b)) => {
                let min = a.min_length.or(Some(0));
                within((min, a.max_length), (b.min_length, b.max_length))
                    && (b.pattern.is_none() || a.pattern == b.pattern)
            }
            _ => true,
        }
    }

    fn objects(&mut self, source: &ObjectType, target: &ObjectType) -> bool {
        let declared = target.properties.iter().all(|(name, wanted)| match source.property(name) {
            Some(given) if source.properties.contains_key(name) => {
                self.check(&given.ty, &wanted.ty) && (!wanted.is_required() || given.is_required())
            }
            Some(given) => !wanted.is_required() && self.check(&given.ty, &wanted.ty),
            None => !wanted.is_required(),
        });
        declared
            && source.properties.iter().all(|(name, given)| {
                target.properties.contains_key(name)
                    || target.additional.as_ref().is_some_and(|wanted| self.check(&given.ty, &wanted.ty))
            })
            && match (&source.additional, &target.additional) {
                (Some(given), Some(wanted)) => self.check(&given.ty, &wanted.ty),
                (Some(given), None) => given.flags.contains(PropertyFlags::FALLBACK),
                (None, _) => true,
            }
    }

    fn arrays(&mut self, source: &Type, target: &Type) -> bool {
        match (source.kind(), target.kind()) {
            (Kind::Tuple(a), Kind::Tuple(b)) => {
                a.items.len() == b.items.len() && a.items.iter().zip(&b.items).all(|(a, b)| self.check(a, b))
            }
            (Kind::Tuple(a), Kind::Array(b)) => {
                within((Some(a.len()), Some(a.len())), (b.length.min, b.length.max))
                    && a.items.iter().all(|item| self.check(item, &b.item))
            }
            (Kind::Array(a), Kind::Array(b)) => {
                within((a.length.min.or(Some(0)), a.length.max), (b.length.min, b.length.max))
                    && self.check(&a.item, &b.item)
            }
            _ => false,
        }
    }
}

/// Whether the first range lies in the second; a missing bound is no bound.
fn within(inner: (Option<i64>, Option<i64>), outer: (Option<i64>, Option<i64>)) -> bool {
    let low = outer.0.is_none_or(|outer| inner.0.is_some_and(|inner| inner >= outer));
    let high = outer.1.is_none_or(|outer| inner.1.is_some_and(|inner| inner <= outer));
    low && high
}
