//! Properties that the language knows of every Azure resource, whatever its published type says.

use std::sync::LazyLock;

use base::SmolStr;

use crate::ty::{ObjectType, Property, PropertyFlags, ResourceReference, Type, union};

const NONE: PropertyFlags = PropertyFlags::empty();
const REQUIRED: PropertyFlags = PropertyFlags::REQUIRED;

/// `id`, `name`, `type` and `apiVersion` of a generic resource.
pub(super) fn identity(reference: &ResourceReference) -> [(&'static str, Property); 4] {
    use PropertyFlags as F;
    let system = F::DEPLOY_TIME_CONSTANT | F::SYSTEM;
    let literal = |text: &SmolStr| Type::string_literal(text.clone());
    let version = reference.version().map_or_else(Type::string, literal);
    [
        ("id", Property::new(Type::string(), F::READ_ONLY | system).described("The resource id")),
        (
            "name",
            Property::new(Type::string(), REQUIRED | F::LOOP_VARIANT | system).described("The resource name"),
        ),
        (
            "type",
            Property::new(literal(reference.name()), F::READ_ONLY | system).described("The resource type"),
        ),
        ("apiVersion", Property::new(version, F::READ_ONLY | system).described("The resource api version")),
    ]
}

/// Other properties that resources may have at the top.
pub(super) fn top_level() -> &'static [(&'static str, Type)] {
    static KNOWN: LazyLock<Vec<(&'static str, Type)>> = LazyLock::new(make_top_level);
    &KNOWN
}

fn make_top_level() -> Vec<(&'static str, Type)> {
    let string = Type::string;
    vec![
        ("location", string()),
        ("tags", dictionary("Tags", string(), NONE)),
        ("asserts", asserts()),
        ("properties", Type::object()),
        ("sku", sku()),
        ("kind", string()),
        ("managedBy", string()),
        ("managedByExtended", Type::string_array()),
        ("extendedLocation", extended_location()),
        ("zones", Type::string_array()),
        ("placement", placement()),
        ("plan", Type::object()),
        ("eTag", string()),
        ("scale", scale()),
        ("identity", identity_object()),
    ]
}

/// What `asserts` takes.
pub(super) fn asserts() -> Type {
    static ASSERTS: LazyLock<Type> =
        LazyLock::new(|| dictionary("ResourceAsserts", Type::bool(), PropertyFlags::DEPLOY_TIME_CONSTANT));
    ASSERTS.clone()
}

fn sku() -> Type {
    object("sku", &[("name", NONE), ("tier", NONE), ("size", NONE), ("family", NONE), ("model", NONE)])
        .with_property("capacity", Type::int(), NONE)
        .into()
}

fn extended_location() -> Type {
    let kinds = open_choice(&["NotSpecified", "EdgeZone", "CustomLocation", "ArcZone"]);
    object("extendedLocation", &[("name", NONE)]).with_property("type", kinds, REQUIRED).into()
}

fn placement() -> Type {
    let policies = open_choice(&["NotSpecified", "Any", "None", "Auto"]);
    ObjectType::named("placement")
        .with_property("zonePlacementPolicy", policies, REQUIRED)
        .with_property("includeZones", Type::string_array(), NONE)
        .with_property("excludeZones", Type::string_array(), NONE)
        .into()
}

fn scale() -> Type {
    ObjectType::named("scale")
        .with_property("capacity", Type::int(), REQUIRED)
        .with_property("maximum", Type::int(), NONE)
        .with_property("minimum", Type::int(), NONE)
        .into()
}

fn identity_object() -> Type {
    let kinds = open_choice(&["NotSpecified", "SystemAssigned", "UserAssigned", "None", "Actor"]);
    let user_assigned =
        object("userAssignedIdentityProperties", &[("principalId", NONE), ("clientId", NONE)]).into();
    object("identity", &[("principalId", NONE), ("tenantId", NONE)])
        .with_property("type", kinds, REQUIRED)
        .with_property("identityIds", Type::string_array(), NONE)
        .with_property(
            "userAssignedIdentities",
            dictionary("userAssignedIdentities", user_assigned, NONE),
            NONE,
        )
        .with_property("delegatedResources", Type::object(), NONE)
        .into()
}

fn object(name: &str, strings: &[(&'static str, PropertyFlags)]) -> ObjectType {
    let add = |object: ObjectType, (name, flags): &(&'static str, PropertyFlags)| {
        object.with_property(*name, Type::string(), *flags)
    };
    strings.iter().fold(ObjectType::named(name), add)
}

fn dictionary(name: &str, value: Type, flags: PropertyFlags) -> Type {
    ObjectType::named(name).with_additional(Property::new(value, flags)).into()
}

/// One of these, or any other string.
fn open_choice(values: &[&'static str]) -> Type {
    union(values.iter().map(|value| Type::string_literal(*value)).chain([Type::string()]))
}
