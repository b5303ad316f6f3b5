//! Azure's resource types: the published ones with what the language adds, and the generic one.

use base::SmolStr;

use super::convert::{Strictness, scopes};
use super::{Declaration, ResourceTypes, standard_properties};
use crate::catalogue::{Catalogue, Ref};
use crate::def::ResourceFunctionDef;
use crate::ty::{
    DiscriminatedType, FunctionFlags, FunctionName, Kind, ObjectType, Overload, Property, PropertyFlags,
    ResourceFlags, ResourceReference, ResourceType, Scopes, Type,
};

/// The properties that tell one Azure resource from another.
const IDENTIFIERS: [&str; 3] = ["name", "scope", "parent"];

/// Have to be known at the start of the deployment, and can then be read.
const READABLE_AT_DEPLOY_TIME: [&str; 4] = ["id", "name", "type", "apiVersion"];

/// Have to be known at the start of the deployment, but the resource provider may change them.
const DEPLOY_TIME_CONSTANT: [&str; 14] = [
    "location",
    "kind",
    "subscriptionId",
    "resourceGroup",
    "managedBy",
    "extendedLocation",
    "zones",
    "placement",
    "plan",
    "sku",
    "identity",
    "managedByExtended",
    "tags",
    "asserts",
];

/// A resource while the language's properties are being added.
struct ResourceContext<'a> {
    reference: &'a ResourceReference,
    scopes: Scopes,
    declared: Declaration,
}

/// The type as published.
pub(super) fn resource_type(
    types: &ResourceTypes,
    reference: &ResourceReference,
    declared: Declaration,
) -> Option<Type> {
    let version = reference.version()?;
    let found = types.ask(|catalogue| catalogue.find(reference.name(), version))??;
    let resource = types.ask(|catalogue| catalogue.resource(&found))??;
    let mut def = types.ask(|catalogue| catalogue.body(&resource, &found))?;
    types.describe(resource.body, &mut def);
    let mut body = types.convert_def(&def, Strictness::Body);
    if let Kind::Object(object) = body.kind() {
        let mut object = object.clone();
        object
            .properties
            .insert("asserts".into(), Property::new(standard_properties::asserts(), PropertyFlags::empty()));
        let functions = types.ask(|catalogue: &Catalogue| catalogue.functions(&found)).unwrap_or_default();
        let listing = functions.iter().filter(|function| starts_with_list(&function.name));
        object.methods = listing.flat_map(|function| list_overloads(types, function)).collect();
        body = Type::with(Kind::Object(object), body.flags());
    }
    let (readable, writable) = (scopes(resource.readable_scopes), scopes(resource.writable_scopes));
    let reference = ResourceReference::new(found.name.clone(), Some(found.version.into()));
    let subject = ResourceContext { reference: &reference, scopes: readable | writable, declared };
    let body = adapt_body(&body, &subject);
    let flags = if writable.is_empty() { ResourceFlags::READ_ONLY } else { ResourceFlags::empty() };
    Some(resource_with(types, &subject, readable - writable, flags, body))
}

/// A type for a name that could well be a resource type.
pub(super) fn generic_type(
    types: &ResourceTypes,
    reference: &ResourceReference,
    declared: Declaration,
) -> Option<Type> {
    let plausible = is_type_name(reference.name()) && is_api_version(reference.version()?);
    plausible.then(|| {
        let subject = ResourceContext { reference, scopes: Scopes::AZURE, declared };
        let body = adapt_object(&generic_body(reference, |_| true), &subject).into();
        resource_with(types, &subject, Scopes::empty(), ResourceFlags::empty(), body)
    })
}

fn resource_with(
    types: &ResourceTypes,
    subject: &ResourceContext<'_>,
    read_only_scopes: Scopes,
    flags: ResourceFlags,
    body: Type,
) -> Type {
    ResourceType {
        reference: subject.reference.clone(),
        namespace: types.namespace.clone(),
        scopes: subject.scopes,
        read_only_scopes,
        flags,
        body,
        identifiers: IDENTIFIERS.map(SmolStr::new_static).to_vec(),
    }
    .into()
}

/// At least two parts, the first a namespace.
fn is_type_name(name: &str) -> bool {
    let mut segments = name.split('/');
    let is_namespace = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphanumeric())
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.')
    };
    let is_part =
        |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    segments.next().is_some_and(is_namespace) && name.contains('/') && segments.all(is_part)
}

/// `2024-01-01`, perhaps with `-preview` or another word for what is not finished.
fn is_api_version(version: &str) -> bool {
    let Some((date, rest)) = version.split_at_checked(10) else { return false };
    let is_date = date.bytes().enumerate().all(|(at, b)| match at {
        4 | 7 => b == b'-',
        _ => b.is_ascii_digit(),
    });
    let words = ["", "-preview", "-alpha", "-beta", "-rc", "-privatepreview"];
    is_date && words.iter().any(|word| rest.eq_ignore_ascii_case(word))
}

fn generic_body(reference: &ResourceReference, wanted: impl Fn(&str) -> bool) -> ObjectType {
    let identity = standard_properties::identity(reference).into_iter();
    let others = standard_properties::top_level().iter();
    let others = others.map(|(name, ty)| (*name, Property::new(ty.clone(), PropertyFlags::empty())));
    let mut body = ObjectType::named(reference.to_string());
    let wanted = identity.chain(others).filter(|(name, _)| wanted(name));
    body.properties = wanted.map(|(name, property)| (SmolStr::new_static(name), property)).collect();
    body
}

fn adapt_body(body: &Type, subject: &ResourceContext<'_>) -> Type {
    // Only the last part of such a name is what the literal says, and a longer name may be any expression.
    let literal_names =
        subject.reference.segment_count() == 2 || subject.declared.contains(Declaration::HAS_PARENT);
    match body.kind() {
        Kind::Object(object) => {
            let mut object = object.clone();
            if let Some(name) = object.properties.get_mut("name").filter(|_| !literal_names) {
                name.ty = Type::string();
                name.flags |= PropertyFlags::SYSTEM;
            }
            Type::with(Kind::Object(adapt_object(&object, subject)), body.flags())
        }
        Kind::Discriminated(object) => {
            let by_name = object.discriminator == "name";
            let generic =
                if by_name { !literal_names } else { subject.declared.contains(Declaration::EXISTING) };
            if generic {
                let known =
                    |name: &str| object.objects().any(|(_, object)| object.properties.contains_key(name));
                return adapt_object(&generic_body(subject.reference, known), subject).into();
            }
            let adapted = object.members.values().filter_map(|member| {
                let adapted = adapt_object(member.as_object()?, subject);
                Some(Type::with(Kind::Object(adapted), member.flags()))
            });
            let adapted = DiscriminatedType::new(object.name.clone(), object.discriminator.clone(), adapted);
            adapted.map_or_else(Type::any, |adapted| Type::with(Kind::Discriminated(adapted), body.flags()))
        }
        // A body of another kind is a mistake of the package; nothing can be said about it.
        _ => adapt_object(&generic_body(subject.reference, |_| true), subject).into(),
    }
}

/// Adds what the language gives every resource.
fn adapt_object(object: &ObjectType, subject: &ResourceContext<'_>) -> ObjectType {
    use PropertyFlags as F;
    let existing = subject.declared.contains(Declaration::EXISTING);
    let mut object = object.clone();
    let depends_on = F::WRITE_ONLY | F::DISALLOW_ANY | F::SYSTEM;
    object = object.with_property("dependsOn", Type::resource_or_collection_ref_array(), depends_on);
    add_scope(&mut object, subject);
    for name in READABLE_AT_DEPLOY_TIME {
        add_flags(&mut object, name, F::READABLE_AT_DEPLOY_TIME);
    }
    add_flags(&mut object, "name", F::LOOP_VARIANT | F::SYSTEM);
    if subject.reference.segment_count() > 2 && !subject.declared.contains(Declaration::NESTED) {
        let parent = Type::new(Kind::ResourceParent(subject.reference.clone()));
        object = object.with_property("parent", parent, reference_flags());
    }
    if subject.reference.name().eq_ignore_ascii_case("Microsoft.Resources/deployments") {
        for name in ["resourceGroup", "subscriptionId"] {
            object = object.with_property(name, Type::string(), F::DEPLOY_TIME_CONSTANT | F::SYSTEM);
        }
    }
    for (name, ty) in standard_properties::top_level() {
        let name = SmolStr::new_static(name);
        object.properties.entry(name).or_insert_with(|| Property::new(ty.clone(), F::FALLBACK));
    }
    object.methods.extend(language_methods(subject.reference));
    if existing {
        make_read_only(&mut object);
    }
    object.properties.sort_unstable_keys();
    object
}

fn add_flags(object: &mut ObjectType, name: &str, flags: PropertyFlags) {
    if let Some(property) = object.properties.get_mut(name) {
        property.flags |= flags;
    }
}

/// What `scope` and `parent` have in common.
fn reference_flags() -> PropertyFlags {
    use PropertyFlags as F;
    F::WRITE_ONLY
        | F::DEPLOY_TIME_CONSTANT
        | F::READABLE_AT_DEPLOY_TIME
        | F::DISALLOW_ANY
        | F::LOOP_VARIANT
        | F::SYSTEM
}

/// `scope`, and what only holds for resources that are deployed.
fn add_scope(object: &mut ObjectType, subject: &ResourceContext<'_>) {
    let mut flags = reference_flags();
    flags.set(
        PropertyFlags::REQUIRED,
        subject.scopes == Scopes::RESOURCE && subject.reference.segment_count() < 2,
    );
    if subject.declared.contains(Declaration::EXISTING) {
        object.properties.insert("scope".into(), Property::new(Type::scope(subject.scopes), flags));
        return;
    }
    // Elsewhere than below a resource or in the tenant, only the file itself says where.
    let offered = subject.scopes & (Scopes::RESOURCE | Scopes::TENANT);
    if !offered.is_empty() {
        object.properties.insert("scope".into(), Property::new(Type::scope(offered), flags));
    }
    let runtime_allowed = subject.declared.contains(Declaration::RUNTIME_TAGS_AND_SKU);
    for name in DEPLOY_TIME_CONSTANT {
        if !(runtime_allowed && matches!(name, "tags" | "sku")) {
            add_flags(object, name, PropertyFlags::DEPLOY_TIME_CONSTANT);
        }
    }
}

/// Of a resource that exists, only what identifies it can be said.
fn make_read_only(object: &mut ObjectType) {
    for (name, property) in &mut object.properties {
        if !IDENTIFIERS.contains(&name.as_str()) && name != "dependsOn" {
            property.flags = property.flags.to_read_only();
        }
    }
    if let Some(additional) = &mut object.additional {
        additional.flags = additional.flags.to_read_only();
    }
}

fn starts_with_list(name: &str) -> bool {
    name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("list"))
}

/// Without arguments; and, when the function takes input, with the version and the input.
fn list_overloads(types: &ResourceTypes, function: &ResourceFunctionDef<'_, Ref>) -> Vec<Overload> {
    let output = types.convert(function.output, Strictness::Deep);
    let bare = Overload::new(&*function.name, output).flagged(FunctionFlags::REQUIRES_INLINING);
    let full = function.input.map(|input| {
        let version = Type::string_literal(&*function.api_version);
        let input = types.convert(input, Strictness::Deep);
        let about = format!("{} parameters", function.name);
        bare.clone().required("apiVersion", version, "The api version").required("params", input, &about)
    });
    [bare].into_iter().chain(full).collect()
}

/// What can be called on every resource, and on key vaults.
fn language_methods(reference: &ResourceReference) -> Vec<Overload> {
    let mut list = Overload::new("list", Type::any())
        .optional("apiVersion", Type::string(), "The version of the resource type to call.")
        .optional(
            "functionValues",
            Type::object(),
            "What the function takes, for functions that take something.",
        )
        .described("Calls a function of the resource whose name starts with `list`, such as `listKeys`.")
        .flagged(FunctionFlags::REQUIRES_INLINING);
    list.name = FunctionName::Prefix("list".into());
    let mut methods = vec![list];
    if reference.name().eq_ignore_ascii_case("Microsoft.KeyVault/vaults") {
        methods.push(
            Overload::new("getSecret", Type::secure_string())
                .required("secretName", Type::string(), "The name of the secret.")
                .optional("secretVersion", Type::string(), "The version of the secret.")
                .described("A reference to a secret of the vault, for a secure parameter of a module.")
                .flagged(FunctionFlags::MODULE_SECURE_PARAMETER_ONLY),
        );
    }
    methods
}
