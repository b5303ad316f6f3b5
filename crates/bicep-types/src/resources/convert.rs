//! Published definitions become types, part by part.

use std::sync::PoisonError;

use base::SmolStr;

use super::{Flavour, ResourceTypes, extension};
use crate::catalogue::Ref;
use crate::def::{BuiltIn, Def, DiscriminatedDef, ObjectDef, ParameterDef, PropertyDef, StringDef, scope};
use crate::ty::{
    DiscriminatedType, IntRange, Kind, LengthRange, ObjectName, ObjectType, Parameter, ParameterFlags,
    Pattern, Properties, Property, PropertyFlags, Scopes, StringShape, Type, TypeFlags, union,
};

/// Where a type stands in a resource, on which depends how strictly values are held against it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Strictness {
    /// The resource itself.
    Body,
    /// The value of a property of the resource.
    TopLevel,
    /// Anything further inside or outside of resources.
    Deep,
}

impl ResourceTypes {
    /// The type at this place of the catalogue; the same one whenever it is asked for.
    pub(super) fn convert(&self, reference: Ref, strictness: Strictness) -> Type {
        let key = (reference, strictness);
        let known = self.types.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(known) = known {
            return known;
        }
        let Some(def) = self.definition(reference) else { return Type::any() };
        let made = self.convert_def(&def, strictness);
        let mut types = self.types.lock().unwrap_or_else(PoisonError::into_inner);
        types.entry(key).or_insert(made).clone()
    }

    fn definition(&self, reference: Ref) -> Option<Def<'_, Ref>> {
        let mut def = self.ask(|catalogue| catalogue.def(reference))?;
        self.describe(reference, &mut def);
        Some(def)
    }

    /// Adds descriptions where they are wanted.
    pub(super) fn describe(&self, reference: Ref, def: &mut Def<'_, Ref>) {
        if let Some(descriptions) = &self.descriptions {
            let mut descriptions = descriptions.lock().unwrap_or_else(PoisonError::into_inner);
            self.ask(|_| descriptions.describe(reference, def));
        }
    }

    /// The type of a definition; its parts are converted when they are looked into.
    pub(super) fn convert_def(&self, def: &Def<'_, Ref>, strictness: Strictness) -> Type {
        let flags = self.flags(strictness, false);
        match def {
            Def::Any => Type::any(),
            Def::Null => Type::null(),
            Def::Bool => Type::bool().with_flags(flags),
            Def::Int { min, max } => Type::int_between(IntRange { min: *min, max: *max }, flags),
            Def::String(string) => self.string(string, strictness),
            Def::StringLiteral(value) => Type::with(Kind::StringLiteral(SmolStr::new(value)), flags),
            // Bounds on the number of items are published but not enforced.
            Def::Array { item, .. } => Type::array_between(
                self.deferred(*item, self.inside(Strictness::Deep, strictness)),
                LengthRange::default(),
                self.flags(part_of(strictness), false),
            ),
            Def::Union(members) => union(members.iter().map(|member| self.member(*member, strictness))),
            Def::Object(object) => self.object(object, strictness),
            Def::Discriminated(object) => self.discriminated(object, strictness),
            Def::BuiltIn(kind) => match kind {
                BuiltIn::Any => Type::any(),
                BuiltIn::Null => Type::null(),
                BuiltIn::Bool => Type::bool(),
                BuiltIn::Int => Type::int(),
                BuiltIn::String => Type::string(),
                BuiltIn::Object => Type::object(),
                BuiltIn::Array => Type::array(),
                BuiltIn::ResourceRef => Type::resource_ref(),
            },
        }
    }

    /// A member of a union. Unions in unions go through deferral, which bounds how deep they can be.
    fn member(&self, reference: Ref, strictness: Strictness) -> Type {
        match reference {
            Ref::Type(_) => self.deferred(reference, strictness),
            Ref::Literal(_) | Ref::Version(_) => self.convert(reference, strictness),
        }
    }

    fn string(&self, string: &StringDef<'_>, strictness: Strictness) -> Type {
        let shape = StringShape {
            min_length: string.min_length,
            max_length: string.max_length,
            pattern: string.pattern.as_ref().map(|text| Pattern::new(text.as_ref())),
        };
        Type::string_shaped(shape, self.flags(strictness, string.sensitive))
    }

    fn object(&self, object: &ObjectDef<'_, Ref>, strictness: Strictness) -> Type {
        let flags = self.flags(strictness, object.sensitive);
        let members = object.properties.iter();
        Type::with(Kind::Object(self.object_of(&object.name, members, object.additional, strictness)), flags)
    }

    fn object_of<'d>(
        &self,
        name: &str,
        members: impl Iterator<Item = &'d PropertyDef<'d, Ref>>,
        additional: Option<Ref>,
        strictness: Strictness,
    ) -> ObjectType {
        let inside = self.inside(part_of(strictness), strictness);
        let property = |member: &PropertyDef<'_, Ref>| Property {
            ty: self.deferred(member.ty, inside),
            flags: self.property_flags(member.flags),
            description: member.description.as_ref().map(SmolStr::new),
        };
        let mut properties: Properties = members.map(|m| (SmolStr::new(&m.name), property(m))).collect();
        properties.sort_unstable_keys();
        ObjectType {
            name: ObjectName::Given(name.into()),
            properties,
            additional: additional
                .map(|link| Box::new(Property::new(self.deferred(link, inside), PropertyFlags::empty()))),
            methods: Vec::new(),
            scope: None,
        }
    }

    /// Each alternative has its own properties and those that all have in common.
    fn discriminated(&self, object: &DiscriminatedDef<'_, Ref>, strictness: Strictness) -> Type {
        let flags = self.flags(strictness, false);
        let alternative = |(name, link): &(crate::def::Text<'_>, Ref)| {
            let Some(Def::Object(element)) = self.definition(*link) else { return None };
            let own = |name: &str| element.properties.iter().any(|p| p.name.eq_ignore_ascii_case(name));
            let shared = object.base.iter().filter(|member| !own(&member.name));
            let members = element.properties.iter().chain(shared);
            let made = self.object_of(name, members, element.additional, strictness);
            Some(Type::with(Kind::Object(made), self.flags(strictness, element.sensitive)))
        };
        let alternatives = object.elements.iter().filter_map(alternative);
        match DiscriminatedType::new(&*object.name, &*object.discriminator, alternatives) {
            Some(made) => Type::with(Kind::Discriminated(made), flags),
            // The alternatives cannot be told apart, so anything goes.
            None => Type::with(Kind::Object(ObjectType::open(&*object.name)), flags),
        }
    }

    /// A part that is converted when it is looked into.
    pub(super) fn deferred(&self, reference: Ref, strictness: Strictness) -> Type {
        let me = self.me.clone();
        Type::defer(move || me.upgrade().map_or_else(Type::any, |me| me.convert(reference, strictness)))
    }

    /// Extensions hold everything in a resource to the rules of the resource.
    fn inside(&self, az: Strictness, whole: Strictness) -> Strictness {
        if self.flavour == Flavour::Az { az } else { whole }
    }

    fn flags(&self, strictness: Strictness, sensitive: bool) -> TypeFlags {
        const WARN_BOTH: TypeFlags =
            TypeFlags::WARN_ON_PROPERTY_MISMATCH.union(TypeFlags::WARN_ON_TYPE_MISMATCH);
        let strict = match (self.flavour, strictness) {
            (Flavour::Az, Strictness::Body) => TypeFlags::empty(),
            (Flavour::Az, Strictness::TopLevel) => TypeFlags::WARN_ON_PROPERTY_MISMATCH,
            (Flavour::Az, Strictness::Deep) => WARN_BOTH,
            (_, Strictness::Body) if extension::is_graph(&self.namespace) => WARN_BOTH,
            _ => TypeFlags::empty(),
        };
        if sensitive { strict | TypeFlags::SECURE } else { strict }
    }

    fn property_flags(&self, published: u8) -> PropertyFlags {
        type Published<'a> = PropertyDef<'a, Ref>;
        let has = |flag: u8| published & flag != 0;
        let mut flags = PropertyFlags::empty();
        flags.set(PropertyFlags::REQUIRED, has(Published::REQUIRED));
        flags.set(PropertyFlags::READ_ONLY, has(Published::READ_ONLY));
        flags.set(PropertyFlags::WRITE_ONLY, has(Published::WRITE_ONLY));
        flags.set(PropertyFlags::DEPLOY_TIME_CONSTANT, has(Published::DEPLOY_TIME_CONSTANT));
        flags.set(PropertyFlags::ALLOW_IMPLICIT_NULL, !has(Published::REQUIRED | Published::READ_ONLY));
        if self.flavour != Flavour::Az && has(Published::IDENTIFIER) {
            flags |= PropertyFlags::IDENTIFIER | PropertyFlags::LOOP_VARIANT;
        }
        flags
    }

    pub(super) fn parameter(&self, parameter: &ParameterDef<'_, Ref>, flags: ParameterFlags) -> Parameter {
        Parameter {
            name: SmolStr::new(&parameter.name),
            ty: self.convert(parameter.ty, Strictness::Deep),
            flags,
            description: parameter.description.as_deref().map(SmolStr::new).unwrap_or_default(),
        }
    }
}

/// How strict the parts are of what is this strict.
fn part_of(whole: Strictness) -> Strictness {
    if whole == Strictness::Body { Strictness::TopLevel } else { Strictness::Deep }
}

/// Published scopes as scopes of the language.
pub(super) fn scopes(published: u8) -> Scopes {
    let pairs = [
        (scope::EXTENSION, Scopes::RESOURCE),
        (scope::TENANT, Scopes::TENANT),
        (scope::MANAGEMENT_GROUP, Scopes::MANAGEMENT_GROUP),
        (scope::SUBSCRIPTION, Scopes::SUBSCRIPTION),
        (scope::RESOURCE_GROUP, Scopes::RESOURCE_GROUP),
    ];
    pairs.into_iter().filter(|(bit, _)| published & bit != 0).map(|(_, scope)| scope).collect()
}
