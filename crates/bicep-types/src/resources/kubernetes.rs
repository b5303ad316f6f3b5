//! Resource types of the Kubernetes extension that comes with the language: `metadata` identifies them.

use base::SmolStr;

use super::extension::{each_object, published, with_scopes};
use super::{Declaration, ResourceTypes};
use crate::ty::{
    Kind, ObjectType, Property, PropertyFlags, ResourceFlags, ResourceReference, ResourceType, Scopes, Type,
};

const IDENTIFIER: &str = "metadata";

/// The type as published.
pub(super) fn resource_type(
    types: &ResourceTypes,
    reference: &ResourceReference,
    declared: Declaration,
) -> Option<Type> {
    let (resource, reference, body) = published(types, reference)?;
    let body = each_object(&body, |object| adapt(object, declared));
    let identifiers = vec![SmolStr::new_static(IDENTIFIER)];
    Some(ResourceType { body, identifiers, ..with_scopes(types, &resource, reference) }.into())
}

/// Any properties.
pub(super) fn generic_type(
    types: &ResourceTypes,
    reference: &ResourceReference,
    declared: Declaration,
) -> Type {
    ResourceType {
        reference: reference.clone(),
        namespace: types.namespace.clone(),
        scopes: Scopes::AZURE,
        read_only_scopes: Scopes::empty(),
        flags: ResourceFlags::empty(),
        body: adapt(&ObjectType::open(reference.to_string()), declared).into(),
        identifiers: vec![SmolStr::new_static(IDENTIFIER)],
    }
    .into()
}

fn adapt(object: &ObjectType, declared: Declaration) -> ObjectType {
    use PropertyFlags as F;
    let mut object = object.clone();
    object.methods.clear();
    if let Some(metadata) = object.properties.get_mut(IDENTIFIER) {
        metadata.flags |= F::LOOP_VARIANT;
    }
    if !declared.contains(Declaration::EXISTING) {
        let flags = F::WRITE_ONLY | F::DISALLOW_ANY;
        object = object.with_property("dependsOn", Type::resource_or_collection_ref_array(), flags);
        object.properties.sort_unstable_keys();
        return object;
    }
    read_only(&mut object, &[IDENTIFIER]);
    if let Some(metadata) = object.properties.get_mut(IDENTIFIER)
        && let Some(inner) = metadata.ty.as_object()
    {
        let mut inner = inner.clone();
        read_only(&mut inner, &["name", "namespace"]);
        metadata.ty = Type::with(Kind::Object(inner), metadata.ty.flags());
    }
    object
}

fn read_only(object: &mut ObjectType, except: &[&str]) {
    let change = |property: &mut Property| property.flags = property.flags.to_read_only();
    for (name, property) in &mut object.properties {
        if !except.contains(&name.as_str()) {
            change(property);
        }
    }
    if let Some(additional) = &mut object.additional {
        change(additional);
    }
}
