//! Literals, the primitives behind them, and walks through all parts of a type.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use std::collections::VecDeque;

use super::{Kind, ObjectType, Properties, PropertyFlags, Type, union};

impl Type {
    /// Whether it has exactly one value. An object has when all its properties are required and have.
    pub fn is_literal(&self) -> bool {
        self.is_literal_within(MAX_DEPTH)
    }

    fn is_literal_within(&self, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        match self.kind() {
            Kind::StringLiteral(_) | Kind::IntLiteral(_) | Kind::BoolLiteral(_) | Kind::Null => true,
            Kind::Tuple(tuple) => tuple.items.iter().all(|item| item.is_literal_within(depth)),
            Kind::Object(object) => {
                !object.has_explicit_additional()
                    && object.properties.values().all(|property| {
                        property.flags.contains(PropertyFlags::REQUIRED)
                            && property.ty.is_literal_within(depth)
                    })
            }
            _ => false,
        }
    }

    /// The primitive of a literal, also within a union: `'a' | 'b' | null` becomes `null | string`.
    #[must_use]
    pub fn widen_literal(&self) -> Self {
        match self.kind() {
            Kind::StringLiteral(_) => Self::string().with_flags(self.flags()),
            Kind::IntLiteral(_) => Self::int().with_flags(self.flags()),
            Kind::BoolLiteral(_) => Self::bool().with_flags(self.flags()),
            Kind::Union(members) => union(members.iter().map(Self::widen_literal)),
            _ => self.clone(),
        }
    }

    /// The type that a template can say: `bool`, `int`, `string`, `object` or `array`, if all values are of one.
    pub fn template_type(&self) -> Option<Self> {
        match self.kind() {
            Kind::Bool | Kind::BoolLiteral(_) => Some(Self::bool()),
            Kind::Int(_) | Kind::IntLiteral(_) => Some(Self::int()),
            Kind::String(_) | Kind::StringLiteral(_) => Some(Self::string()),
            Kind::Object(_) | Kind::Discriminated(_) => Some(Self::object()),
            Kind::Array(_) | Kind::Tuple(_) => Some(Self::array()),
            Kind::Union(members) => {
                let mut types = members.iter().filter(|member| !member.is_null()).map(Self::template_type);
                let first = types.next()??;
                types.all(|ty| ty.as_ref() == Some(&first)).then_some(first)
            }
            _ => None,
        }
    }

    /// The paths, such as `.password` or `[*].key`, at which the value is a secret. The path of the value itself is empty.
    ///
    /// Only what a part is inside of already is not entered again. No more than [`MAX_PATHS`] parts are looked into: published
    /// types refer to each other in circles and grow new parts as they are looked into.
    pub fn secure_paths(&self) -> Vec<String> {
        if !self.holds_secret() {
            return Vec::new();
        }
        let mut found = Vec::new();
        let mut entered = 0;
        let mut open = VecDeque::from([(self.clone(), String::new(), None::<Rc<Way>>)]);
        while let Some((ty, path, outer)) = open.pop_front() {
            if ty.is_secure() {
                found.push(path.clone());
            }
            let parts = parts(&ty);
            let identity = ty.identity();
            let is_inside_itself = Way::leads_through(outer.as_deref(), identity);
            if !parts.is_empty() && entered < MAX_PATHS && !is_inside_itself {
                entered += 1;
                let way = Rc::new(Way { identity, outer });
                open.extend(
                    parts
                        .into_iter()
                        .map(|(step, part)| (part, format!("{path}{step}"), Some(Rc::clone(&way)))),
                );
            }
        }
        found.sort();
        found
    }

    /// Whether it is a secret or has one inside. Each part is entered once, and no more than [`MAX_PARTS`] of them.
    fn holds_secret(&self) -> bool {
        let mut entered = FxHashSet::default();
        let mut open = VecDeque::from([self.clone()]);
        while let Some(ty) = open.pop_front() {
            if ty.is_secure() {
                return true;
            }
            let parts = parts(&ty);
            if !parts.is_empty() && entered.len() < MAX_PARTS && entered.insert(ty.identity()) {
                open.extend(parts.into_iter().map(|(_, part)| part));
            }
        }
        false
    }

    /// The same type with these flags removed from its properties and theirs; parts are changed when looked into.
    #[must_use]
    pub fn without_property_flags(&self, remove: PropertyFlags) -> Self {
        let Kind::Object(object) = self.kind() else { return self.clone() };
        let mut properties = object.properties.clone();
        remove_flags(&mut properties, remove);
        Self::with(Kind::Object(object.with_properties(properties)), self.flags())
    }
}

/// Removes these flags from properties and theirs; parts are changed when looked into.
pub fn remove_flags(properties: &mut Properties, remove: PropertyFlags) {
    for property in properties.values_mut() {
        property.flags -= remove;
        let has_flags = property.ty.is_open() || matches!(property.ty.kind(), Kind::Object(_));
        if has_flags {
            let ty = property.ty.clone();
            property.ty = Type::defer(move || ty.without_property_flags(remove));
        }
    }
}

/// How deep a walk goes: a type may grow new parts as it is looked into.
const MAX_DEPTH: usize = 60;

/// How many parts of a type are searched for secrets.
const MAX_PARTS: usize = 500;

/// How many parts are searched for all ways to its secrets, if there are any. A part that several others have counts for each.
const MAX_PATHS: usize = 4_000;

/// What a part of a type is inside of.
struct Way {
    identity: usize,
    outer: Option<Rc<Way>>,
}

impl Way {
    fn leads_through(way: Option<&Self>, identity: usize) -> bool {
        std::iter::successors(way, |way| way.outer.as_deref()).any(|way| way.identity == identity)
    }
}

/// What a type is made of, each with the step that leads to it.
fn parts(ty: &Type) -> Vec<(String, Type)> {
    match ty.kind() {
        Kind::Union(members) => members.iter().map(|member| (String::new(), member.clone())).collect(),
        Kind::Object(object) => {
            let additional = object.additional.iter().map(|it| (".*".to_owned(), it.ty.clone()));
            let named = object.properties.iter().map(|(name, it)| (format!(".{name}"), it.ty.clone()));
            additional.chain(named).collect()
        }
        Kind::Tuple(tuple) => {
            tuple.items.iter().enumerate().map(|(index, item)| (format!("[{index}]"), item.clone())).collect()
        }
        Kind::Array(array) => vec![("[*]".to_owned(), array.item.clone())],
        _ => Vec::new(),
    }
}

/// Types are shared between threads.
const _: fn() = || {
    fn shared<T: Send + Sync>() {}
    shared::<Type>();
    shared::<Arc<ObjectType>>();
};
