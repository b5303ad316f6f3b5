//! Objects: properties by name, what may stand beside them, and unions of objects told apart by a property.

use base::SmolStr;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::{Kind, Overload, PropertyFlags, Scopes, Type, union};

/// Properties by name, in declared order. Names are compared exactly.
pub type Properties = IndexMap<SmolStr, Property, FxBuildHasher>;

/// A property, or what all undeclared properties have in common.
#[derive(Debug, Clone)]
pub struct Property {
    /// What its value is.
    pub ty: Type,
    /// What else holds for it.
    pub flags: PropertyFlags,
    /// Words for the editor.
    pub description: Option<SmolStr>,
}

impl Property {
    /// A property without a description.
    pub fn new(ty: Type, flags: PropertyFlags) -> Self {
        Self { ty, flags, description: None }
    }

    /// The same with words for the editor.
    #[must_use]
    pub fn described(mut self, description: impl Into<SmolStr>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Whether it has to be given: required, and `null` is not one of its values.
    pub fn is_required(&self) -> bool {
        self.flags.contains(PropertyFlags::REQUIRED) && !self.ty.is_nullable()
    }
}

/// How an object type is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ObjectName {
    /// By its name.
    Given(SmolStr),
    /// By its properties: `{ a: string, b: int }`.
    Structural,
}

#[derive(Debug, Clone)]
pub struct ObjectType {
    /// How it is called.
    pub name: ObjectName,
    /// The declared properties.
    pub properties: Properties,
    /// What an undeclared property is; `None` forbids them. With [`PropertyFlags::FALLBACK`] they are only doubtful.
    pub additional: Option<Box<Property>>,
    /// What can be called on it.
    pub methods: Vec<Overload>,
    /// Set for the values of `resourceGroup()` and its kin, which are objects and scopes at once.
    pub scope: Option<Scopes>,
}

impl ObjectType {
    /// The same with other properties.
    #[must_use]
    pub fn with_properties(&self, properties: Properties) -> Self {
        Self {
            name: self.name.clone(),
            properties,
            additional: self.additional.clone(),
            methods: self.methods.clone(),
            scope: self.scope,
        }
    }

    /// A named object type without properties.
    pub fn named(name: impl Into<SmolStr>) -> Self {
        Self {
            name: ObjectName::Given(name.into()),
            properties: Properties::default(),
            additional: None,
            methods: Vec::new(),
            scope: None,
        }
    }

    /// An object type called by its properties, which allows others with a warning, as user-defined types do.
    pub fn structural() -> Self {
        Self { name: ObjectName::Structural, ..Self::named("") }
            .with_additional(Property::new(Type::any(), PropertyFlags::FALLBACK))
    }

    /// A named object type that takes any properties.
    pub fn open(name: impl Into<SmolStr>) -> Self {
        Self::named(name).with_additional(Property::new(Type::any(), PropertyFlags::empty()))
    }

    /// With one more property, in place of one of the same name.
    #[must_use]
    pub fn with_property(self, name: impl Into<SmolStr>, ty: Type, flags: PropertyFlags) -> Self {
        self.with(name, Property::new(ty, flags))
    }

    /// With this as a property.
    #[must_use]
    pub fn with(mut self, name: impl Into<SmolStr>, property: Property) -> Self {
        self.properties.insert(name.into(), property);
        self
    }

    /// With this for undeclared properties.
    #[must_use]
    pub fn with_additional(mut self, property: Property) -> Self {
        self.additional = Some(Box::new(property));
        self
    }

    /// The declared property of this name, else what undeclared properties are.
    pub fn property(&self, name: &str) -> Option<&Property> {
        self.properties.get(name).or(self.additional.as_deref())
    }

    /// Whether undeclared properties are allowed on purpose.
    pub fn has_explicit_additional(&self) -> bool {
        self.additional.as_ref().is_some_and(|property| !property.flags.contains(PropertyFlags::FALLBACK))
    }

    /// The declared properties in the order of their names, which is the order in which they are reported and offered.
    pub fn sorted(&self) -> Vec<(&SmolStr, &Property)> {
        let mut sorted: Vec<_> = self.properties.iter().collect();
        sorted.sort_by_key(|(name, _)| name.as_str());
        sorted
    }
}

/// One of several object types, told apart by the literal value of one property.
#[derive(Debug, Clone)]
pub struct DiscriminatedType {
    /// How it is called.
    pub name: SmolStr,
    /// The property that tells.
    pub discriminator: SmolStr,
    /// The alternatives by the value of that property, each an object type.
    pub members: IndexMap<SmolStr, Type, FxBuildHasher>,
}

impl DiscriminatedType {
    /// Builds the type from object types that each require `discriminator` to be a string literal of their own.
    /// `None` when one does not, or when two have the same.
    pub fn new(
        name: impl Into<SmolStr>,
        discriminator: impl Into<SmolStr>,
        members: impl IntoIterator<Item = Type>,
    ) -> Option<Self> {
        let discriminator = discriminator.into();
        let mut by_value = IndexMap::default();
        for member in members {
            let property = member.as_object()?.properties.get(&discriminator)?;
            let value = property.ty.as_string_literal()?.clone();
            if by_value.insert(value, member).is_some() {
                return None;
            }
        }
        Some(Self { name: name.into(), discriminator, members: by_value })
    }

    /// The discriminator with the union of its values.
    pub fn discriminator_property(&self) -> Property {
        let declared = self.objects().filter_map(|(_, object)| object.properties.get(&self.discriminator));
        let flags = declared.fold(PropertyFlags::REQUIRED, |flags, property| flags | property.flags);
        Property::new(self.discriminator_type(), flags)
    }

    /// The union of the values of the discriminator.
    pub fn discriminator_type(&self) -> Type {
        union(self.members.keys().map(|value| Type::string_literal(value.clone())))
    }

    /// The alternatives as objects, with their discriminator values.
    pub fn objects(&self) -> impl Iterator<Item = (&SmolStr, &ObjectType)> {
        self.members.iter().filter_map(|(value, member)| match member.kind() {
            Kind::Object(object) => Some((value, object)),
            _ => None,
        })
    }
}
