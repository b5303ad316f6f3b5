//! Resource types of extensions other than Azure's.

use base::SmolStr;

use super::convert::{Strictness, scopes};
use super::{Declaration, NamespaceFunction, ResourceTypes};
use crate::catalogue::Ref;
use crate::def::{NamespaceFunctionDef, ResourceDef, scope};
use crate::ty::{
    DiscriminatedType, FunctionFlags, Kind, ObjectType, Overload, ParameterFlags, Property, PropertyFlags,
    ResourceFlags, ResourceReference, ResourceType, Scopes, Type,
};

/// The type as published.
pub(super) fn resource_type(
    types: &ResourceTypes,
    reference: &ResourceReference,
    declared: Declaration,
) -> Option<Type> {
    let (resource, reference, body) = published(types, reference)?;
    let graph = graph_patch(types, &reference);
    let body = each_object(&body, |object| adapt(object, declared, &graph));
    let identifiers = identifiers(&body);
    Some(ResourceType { body, identifiers, ..with_scopes(types, &resource, reference) }.into())
}

/// The package's type for what it does not know.
pub(super) fn generic_type(types: &ResourceTypes, reference: &ResourceReference) -> Option<Type> {
    let fallback = types.ask(|catalogue| catalogue.fallback())??;
    let body = types.convert(fallback.body, Strictness::Body);
    let resource = ResourceType {
        reference: reference.clone(),
        namespace: types.namespace.clone(),
        scopes: Scopes::AZURE,
        read_only_scopes: Scopes::empty(),
        flags: ResourceFlags::empty(),
        body,
        identifiers: Vec::new(),
    };
    Some(resource.into())
}

/// The definition, the spelling and the body of a type.
pub(super) fn published<'a>(
    types: &'a ResourceTypes,
    reference: &ResourceReference,
) -> Option<(ResourceDef<'a, Ref>, ResourceReference, Type)> {
    let version = reference.version().map_or("", SmolStr::as_str);
    let found = types.ask(|catalogue| catalogue.find(reference.name(), version))??;
    let resource = types.ask(|catalogue| catalogue.resource(&found))??;
    let mut def = types.ask(|catalogue| catalogue.body(&resource, &found))?;
    types.describe(resource.body, &mut def);
    let mut body = types.convert_def(&def, Strictness::Body);
    if let Kind::Object(object) = body.kind() {
        let mut object = object.clone();
        object.methods = methods(types, &resource);
        body = Type::with(Kind::Object(object), body.flags());
    }
    let version = Some(found.version).filter(|version| !version.is_empty());
    Some((resource, ResourceReference::new(found.name.clone(), version.map(SmolStr::from)), body))
}

/// A resource type with everything but its body.
pub(super) fn with_scopes(
    types: &ResourceTypes,
    resource: &ResourceDef<'_, Ref>,
    reference: ResourceReference,
) -> ResourceType {
    let place = |published: u8| match published {
        scope::ALL => scopes(published) | Scopes::LOCAL,
        _ => scopes(published),
    };
    let (readable, writable) = match (resource.readable_scopes, resource.writable_scopes) {
        (0, 0) => (place(scope::ALL), place(scope::ALL)),
        (readable, writable) => (place(readable), place(writable)),
    };
    let mut flags = ResourceFlags::empty();
    flags.set(ResourceFlags::READ_ONLY, writable.is_empty());
    flags.set(ResourceFlags::WRITE_ONLY, readable.is_empty());
    ResourceType {
        reference,
        namespace: types.namespace.clone(),
        scopes: readable | writable,
        read_only_scopes: readable - writable,
        flags,
        body: Type::any(),
        identifiers: Vec::new(),
    }
}

/// The same type with another object, or other objects if it has alternatives.
pub(super) fn each_object(body: &Type, adapt: impl Fn(&ObjectType) -> ObjectType) -> Type {
    match body.kind() {
        Kind::Object(object) => Type::with(Kind::Object(adapt(object)), body.flags()),
        Kind::Discriminated(object) => {
            let members = object.members.values().filter_map(|member| {
                Some(Type::with(Kind::Object(adapt(member.as_object()?)), member.flags()))
            });
            let made = DiscriminatedType::new(object.name.clone(), object.discriminator.clone(), members);
            made.map_or_else(Type::any, |made| Type::with(Kind::Discriminated(made), body.flags()))
        }
        _ => body.clone(),
    }
}

fn adapt(object: &ObjectType, declared: Declaration, more_identifiers: &[&str]) -> ObjectType {
    use PropertyFlags as F;
    let existing = declared.contains(Declaration::EXISTING);
    let mut object = object.clone();
    for name in more_identifiers {
        if let Some(property) = object.properties.get_mut(*name) {
            property.flags |= F::IDENTIFIER;
        }
    }
    if !existing {
        let flags = F::WRITE_ONLY | F::DISALLOW_ANY;
        object = object.with_property("dependsOn", Type::resource_or_collection_ref_array(), flags);
    }
    for property in object.properties.values_mut() {
        if property.flags.contains(F::IDENTIFIER | F::REQUIRED) {
            property.flags |= F::SYSTEM | F::LOOP_VARIANT;
        }
        // Who deploys it decides on such a value alone, so it can be read before.
        if property.flags.contains(F::REQUIRED | F::DEPLOY_TIME_CONSTANT) {
            property.flags |= F::READABLE_AT_DEPLOY_TIME;
        }
    }
    object.properties.sort_unstable_keys();
    if existing { read_only(&object, 0) } else { object }
}

/// How deep identifiers within identifiers are looked for.
const MAX_DEPTH: usize = 20;

/// Everything read-only but what identifies the resource.
fn read_only(object: &ObjectType, depth: usize) -> ObjectType {
    let change = |property: &Property| {
        let mut property = property.clone();
        if !property.flags.contains(PropertyFlags::IDENTIFIER) {
            property.flags = property.flags.to_read_only();
        } else if depth < MAX_DEPTH
            && let Some(inner) = property.ty.as_object()
        {
            property.ty = Type::with(Kind::Object(read_only(inner, depth + 1)), property.ty.flags());
        }
        property
    };
    let mut changed = object.clone();
    changed.properties = object.properties.iter().map(|(name, p)| (name.clone(), change(p))).collect();
    if let Some(additional) = &mut changed.additional {
        additional.flags = additional.flags.to_read_only();
    }
    changed
}

fn identifiers(body: &Type) -> Vec<SmolStr> {
    let of = |object: &ObjectType| {
        let identifies = |property: &Property| property.flags.contains(PropertyFlags::IDENTIFIER);
        let names = object.properties.iter().filter(|(_, property)| identifies(property));
        names.map(|(name, _)| name.clone()).collect::<Vec<_>>()
    };
    let mut names = match body.kind() {
        Kind::Object(object) => of(object),
        Kind::Discriminated(object) => object.objects().flat_map(|(_, object)| of(object)).collect(),
        _ => Vec::new(),
    };
    names.sort_unstable();
    names.dedup();
    names
}

fn methods(types: &ResourceTypes, resource: &ResourceDef<'_, Ref>) -> Vec<Overload> {
    let overload = |method: &crate::def::MethodDef<'_, Ref>| {
        let output = types.convert(method.output, Strictness::Deep);
        let mut overload = Overload::new(&*method.name, output)
            .described(method.description.as_deref().unwrap_or_default())
            .flagged(FunctionFlags::REQUIRES_INLINING);
        let parameters = method.parameters.iter();
        overload.parameters.extend(parameters.map(|p| types.parameter(p, ParameterFlags::REQUIRED)));
        overload
    };
    resource.methods.iter().map(overload).collect()
}

/// A function of the namespace.
pub(super) fn namespace_function(
    types: &ResourceTypes,
    function: &NamespaceFunctionDef<'_, Ref>,
) -> NamespaceFunction {
    let output = types.convert(function.output, Strictness::Deep);
    let mut overload =
        Overload::new(&*function.name, output).described(function.description.as_deref().unwrap_or_default());
    let flags = |published: u8| ParameterFlags::from_bits_truncate(published);
    overload.parameters = function.parameters.iter().map(|p| types.parameter(p, flags(p.flags))).collect();
    let expression = function.expression.as_deref().filter(|text| !text.trim().is_empty());
    if expression.is_some_and(|text| text.to_ascii_lowercase().contains("externalinput(")) {
        overload.flags |= FunctionFlags::REQUIRES_EXTERNAL_INPUT;
    }
    NamespaceFunction { overload, expression: expression.map(SmolStr::new), visible_in: function.visible_in }
}

/// Whether an extension is Microsoft Graph, whose types are held against values less strictly.
pub(super) fn is_graph(extension: &str) -> bool {
    matches!(extension, "MicrosoftGraph" | "MicrosoftGraphBeta")
}

/// Both versions of Microsoft Graph are one to templates.
pub(super) fn template_name(extension: &str) -> SmolStr {
    if is_graph(extension) { "MicrosoftGraph".into() } else { extension.into() }
}

/// The first version of Microsoft Graph did not say which properties identify its resources.
fn graph_patch(types: &ResourceTypes, reference: &ResourceReference) -> Vec<&'static str> {
    let settings = types.ask(|catalogue| catalogue.settings()).flatten();
    if !settings.is_some_and(|s| is_graph(&s.name) && s.version == "0.1.8-preview") {
        return Vec::new();
    }
    let more = match reference.name().as_str() {
        "Microsoft.Graph/applications/federatedIdentityCredentials" => Some("name"),
        "Microsoft.Graph/servicePrincipals" => Some("appId"),
        _ => None,
    };
    ["uniqueName"].into_iter().chain(more).collect()
}
