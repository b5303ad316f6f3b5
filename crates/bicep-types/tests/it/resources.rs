//! Resource types as the compiler sees them: made from a small package, from nothing, and from Azure's.

use std::sync::Arc;

use bicep_types::catalogue::pack;
use bicep_types::resources::{Declaration, Flavour};
use bicep_types::ty::{
    FunctionName, Kind, ObjectType, PropertyFlags, ResourceFlags, ResourceReference, ResourceType, Scopes,
    TypeFlags,
};
use bicep_types::{Catalogue, ResourceTypes, Type};
use expect_test::{Expect, expect};

use crate::shared::az_catalogue;

const TYPES: &str = r##"[
  {"$type": "StringType"},
  {"$type": "StringLiteralType", "value": "2024-01-01"},
  {"$type": "ObjectType", "name": "Inner", "properties": {
    "self": {"type": {"$ref": "#/2"}, "flags": 0},
    "secret": {"type": {"$ref": "#/3"}, "flags": 4},
    "mode": {"type": {"$ref": "#/6"}, "flags": 1}}},
  {"$type": "StringType", "sensitive": true, "minLength": 8},
  {"$type": "StringLiteralType", "value": "On"},
  {"$type": "StringLiteralType", "value": "Off"},
  {"$type": "UnionType", "elements": [{"$ref": "#/4"}, {"$ref": "#/5"}]},
  {"$type": "ObjectType", "name": "My.Provider/things", "properties": {
    "id": {"type": {"$ref": "#/0"}, "flags": 10}, "name": {"type": {"$ref": "#/4"}, "flags": 9, "description": "Its name."},
    "apiVersion": {"type": {"$ref": "#/1"}, "flags": 10},
    "properties": {"type": {"$ref": "#/2"}, "flags": 0}, "tags": {"type": {"$ref": "#/8"}, "flags": 0}}},
  {"$type": "ArrayType", "itemType": {"$ref": "#/0"}},
  {"$type": "ResourceType", "name": "My.Provider/things@2024-01-01", "body": {"$ref": "#/7"}, "readableScopes": 12, "writableScopes": 8},
  {"$type": "ResourceType", "name": "My.Provider/things/parts@2024-01-01", "body": {"$ref": "#/7"}, "readableScopes": 8, "writableScopes": 0},
  {"$type": "ResourceFunctionType", "name": "listKeys", "resourceType": "My.Provider/things", "apiVersion": "2024-01-01", "output": {"$ref": "#/2"}, "input": {"$ref": "#/2"}},
  {"$type": "ResourceFunctionType", "name": "restart", "resourceType": "My.Provider/things", "apiVersion": "2024-01-01", "output": {"$ref": "#/0"}},
  {"$type": "StringLiteralType", "value": "A"}, {"$type": "StringLiteralType", "value": "B"},
  {"$type": "ObjectType", "name": "KindA", "properties": {"kind": {"type": {"$ref": "#/13"}, "flags": 1}, "a": {"type": {"$ref": "#/0"}, "flags": 1}}},
  {"$type": "ObjectType", "name": "KindB", "properties": {"kind": {"type": {"$ref": "#/14"}, "flags": 1}}},
  {"$type": "DiscriminatedObjectType", "name": "My.Provider/kinds", "discriminator": "kind",
   "baseProperties": {"name": {"type": {"$ref": "#/0"}, "flags": 9}}, "elements": {"A": {"$ref": "#/15"}, "B": {"$ref": "#/16"}}},
  {"$type": "ResourceType", "name": "My.Provider/kinds@2024-01-01", "body": {"$ref": "#/17"}, "readableScopes": 16, "writableScopes": 16},
  {"$type": "ObjectType", "name": "Free", "properties": {
    "key": {"type": {"$ref": "#/0"}, "flags": 25}, "value": {"type": {"$ref": "#/0"}, "flags": 1}}},
  {"$type": "ResourceType", "name": "Free", "body": {"$ref": "#/19"}, "readableScopes": 0, "writableScopes": 0,
   "functions": {"spin": {"type": {"$ref": "#/21"}}}},
  {"$type": "FunctionType", "parameters": [{"name": "by", "type": {"$ref": "#/0"}}], "output": {"$ref": "#/0"}}
]"##;

const INDEX: &str = r##"{"resources": {
  "My.Provider/things@2024-01-01": {"$ref": "t.json#/9"}, "My.Provider/things/parts@2024-01-01": {"$ref": "t.json#/10"},
  "My.Provider/kinds@2024-01-01": {"$ref": "t.json#/18"}, "Free": {"$ref": "t.json#/20"}},
  "resourceFunctions": {"my.provider/things": {"2024-01-01": [{"$ref": "t.json#/11"}, {"$ref": "t.json#/12"}]}}}"##;

fn sample(flavour: Flavour) -> Arc<ResourceTypes> {
    let (bytes, problems) = pack("", |path| Some(if path == "index.json" { INDEX } else { TYPES }));
    assert_eq!(problems, []);
    ResourceTypes::with_descriptions("az", flavour, Some(Catalogue::open(bytes).unwrap()))
}

fn reference(text: &str) -> ResourceReference {
    ResourceReference::parse(text).unwrap()
}

fn resource(ty: &Type) -> &ResourceType {
    let Kind::Resource(resource) = ty.kind() else { panic!("{ty}") };
    resource
}

fn object(ty: &Type) -> &ObjectType {
    ty.as_object().unwrap()
}

/// A line per property: name, type, flags.
fn outline(ty: &Type) -> String {
    let line = |(name, p): (&base::SmolStr, &bicep_types::ty::Property)| {
        let flags: Vec<&str> = p.flags.iter_names().map(|(name, _)| name).collect();
        format!("{name}: {} {}", p.ty, flags.join(" ").to_lowercase())
    };
    object(ty).sorted().into_iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_resource_has_what_the_language_adds() {
    let types = sample(Flavour::Az);
    let things =
        types.resource_type(&reference("my.provider/THINGS@2024-01-01"), Declaration::empty()).unwrap();
    let things = resource(&things);
    assert_eq!(things.reference.to_string(), "My.Provider/things@2024-01-01", "spelled as published");
    assert_eq!(things.scopes, Scopes::RESOURCE_GROUP | Scopes::SUBSCRIPTION);
    assert_eq!(things.read_only_scopes, Scopes::SUBSCRIPTION);
    assert_eq!(things.identifiers, ["name", "scope", "parent"]);
    expect![[r#"
        apiVersion: '2024-01-01' read_only deploy_time_constant readable_at_deploy_time
        asserts: ResourceAsserts deploy_time_constant
        dependsOn: (module[] | (resource | module) | resource[])[] write_only disallow_any system
        eTag: string fallback
        extendedLocation: extendedLocation fallback
        id: string read_only deploy_time_constant readable_at_deploy_time
        identity: identity fallback
        kind: string fallback
        location: string fallback
        managedBy: string fallback
        managedByExtended: string[] fallback
        name: 'On' required deploy_time_constant readable_at_deploy_time loop_variant system
        placement: placement fallback
        plan: object fallback
        properties: Inner allow_implicit_null
        scale: scale fallback
        sku: sku fallback
        tags: string[] deploy_time_constant allow_implicit_null
        zones: string[] fallback"#]]
    .assert_eq(&outline(&things.body));
    assert_eq!(object(&things.body).properties["name"].description.as_deref(), Some("Its name."));
}

#[test]
fn strictness_falls_with_depth() {
    let types = sample(Flavour::Az);
    let things =
        types.resource_type(&reference("My.Provider/things@2024-01-01"), Declaration::empty()).unwrap();
    let body = &resource(&things).body;
    assert!(!body.warns_on_mismatch() && !body.warns_on_property_mismatch());
    let properties = &object(body).properties["properties"].ty;
    assert!(!properties.warns_on_mismatch() && properties.warns_on_property_mismatch());
    let mode = &object(properties).properties["mode"].ty;
    assert_eq!(mode.to_string(), "'Off' | 'On'");
    assert!(mode.warns_on_mismatch() && mode.warns_on_property_mismatch());
    let tags = &object(body).properties["tags"].ty;
    assert!(tags.warns_on_mismatch(), "arrays are looser than other values at the top");
    let secret = &object(properties).properties["secret"].ty;
    assert!(secret.flags().contains(TypeFlags::SECURE));
    let inner = &object(properties).properties["self"].ty;
    assert!(object(inner).properties["self"].ty.same(inner), "a type that contains itself is one type");
}

#[test]
fn an_existing_resource_takes_only_its_identity() {
    let types = sample(Flavour::Az);
    let things =
        types.resource_type(&reference("My.Provider/things@2024-01-01"), Declaration::EXISTING).unwrap();
    let body = object(&resource(&things).body);
    let writable: Vec<&str> = body
        .properties
        .iter()
        .filter(|(_, property)| !property.flags.contains(PropertyFlags::READ_ONLY))
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(writable, ["dependsOn", "name", "scope"]);
    assert_eq!(body.properties["scope"].ty.to_string(), "subscription | resourceGroup");
}

#[test]
fn a_child_has_a_parent_unless_it_is_nested() {
    let types = sample(Flavour::Az);
    let parts = reference("My.Provider/things/parts@2024-01-01");
    let body = |declared| types.resource_type(&parts, declared).unwrap();
    let plain = body(Declaration::empty());
    assert_eq!(resource(&plain).flags, ResourceFlags::READ_ONLY);
    let plain = object(&resource(&plain).body).clone();
    assert_eq!(plain.properties["parent"].ty.to_string(), "My.Provider/things");
    assert_eq!(plain.properties["name"].ty.to_string(), "string", "the whole path, not only its end");
    let nested = body(Declaration::NESTED | Declaration::HAS_PARENT);
    let nested = object(&resource(&nested).body).clone();
    assert!(!nested.properties.contains_key("parent"));
    assert_eq!(nested.properties["name"].ty.to_string(), "'On'");
}

#[test]
fn alternatives_are_told_apart() {
    let types = sample(Flavour::Az);
    let kinds = reference("My.Provider/kinds@2024-01-01");
    let made = types.resource_type(&kinds, Declaration::empty()).unwrap();
    let Kind::Discriminated(body) = resource(&made).body.kind() else { panic!() };
    assert_eq!(body.discriminator_type().to_string(), "'A' | 'B'");
    let a = object(&body.members["A"]);
    assert!(a.properties.contains_key("a") && a.properties.contains_key("name"));
    assert_eq!(a.properties["scope"].ty.to_string(), "resource");
    let existing = types.resource_type(&kinds, Declaration::EXISTING).unwrap();
    let body = object(&resource(&existing).body);
    assert!(body.properties["kind"].flags.contains(PropertyFlags::READ_ONLY));
}

#[test]
fn functions_are_methods() {
    let types = sample(Flavour::Az);
    let things =
        types.resource_type(&reference("My.Provider/things@2024-01-01"), Declaration::empty()).unwrap();
    let methods: Vec<String> = object(&resource(&things).body)
        .methods
        .iter()
        .map(|method| format!("{}{}", method.name, method.signature()))
        .collect();
    assert_eq!(
        methods,
        [
            "listKeys(): Inner",
            "listKeys(apiVersion: '2024-01-01', params: Inner): Inner",
            "list*([apiVersion: string], [functionValues: object]): any",
        ]
    );
    let vault =
        types.generic_type(&reference("microsoft.keyvault/VAULTS@2024-01-01"), Declaration::empty()).unwrap();
    let secret = FunctionName::Exact("getSecret".into());
    assert!(object(&resource(&vault).body).methods.iter().any(|method| method.name == secret));
}

#[test]
fn unknown_types_have_a_generic_shape() {
    let types = ResourceTypes::new("az", Flavour::Az, None);
    let generic = |text: &str| types.generic_type(&reference(text), Declaration::empty());
    let unknown = generic("Some.Provider/things@2099-01-01-preview").unwrap();
    assert_eq!(unknown.to_string(), "Some.Provider/things@2099-01-01-preview");
    let body = object(&resource(&unknown).body);
    assert_eq!(body.properties["type"].ty.to_string(), "'Some.Provider/things'");
    assert_eq!(body.properties["scope"].ty.to_string(), "resource | tenant");
    assert!(
        types.resource_type(&reference("Some.Provider/things@2099-01-01"), Declaration::empty()).is_none()
    );
    for not_plausible in
        ["things@2099-01-01", "Some.Provider/things", "Some.Provider/things@v1.0", "a-b/c@2099-01-01"]
    {
        assert!(generic(not_plausible).is_none(), "{not_plausible}");
    }
}

#[test]
fn extensions_say_what_identifies_their_resources() {
    let types = sample(Flavour::Extension);
    let free = types.resource_type(&reference("free"), Declaration::empty()).unwrap();
    assert_eq!(free.to_string(), "Free");
    assert_eq!(resource(&free).identifiers, ["key"]);
    assert!(resource(&free).scopes.contains(Scopes::LOCAL));
    assert_eq!(object(&resource(&free).body).methods[0].signature(), "(by: string): string");
    expect![[r#"
        dependsOn: (module[] | (resource | module) | resource[])[] write_only disallow_any
        key: string required deploy_time_constant readable_at_deploy_time loop_variant system identifier
        value: string required"#]]
    .assert_eq(&outline(&resource(&free).body));
    let existing = types.resource_type(&reference("Free"), Declaration::EXISTING).unwrap();
    expect![[r#"
        key: string required deploy_time_constant readable_at_deploy_time loop_variant system identifier
        value: string read_only"#]]
    .assert_eq(&outline(&resource(&existing).body));
}

#[test]
fn unions_may_be_nested_as_deep_as_anyone_likes() {
    let depth = 50_000;
    let union =
        |at: usize| format!(r##"{{"$type": "UnionType", "elements": [{{"$ref": "#/{}"}}]}}"##, at + 1);
    let mut entries: Vec<String> = (0..depth).map(union).collect();
    entries.push(r##"{"$type": "StringType"}"##.to_owned());
    entries.push(r##"{"$type": "ObjectType", "name": "o", "properties": {"p": {"type": {"$ref": "#/0"}, "flags": 0}}}"##.to_owned());
    entries.push(format!(
        r##"{{"$type": "ResourceType", "name": "a/b@2024-01-01", "body": {{"$ref": "#/{}"}}, "readableScopes": 8, "writableScopes": 8}}"##,
        depth + 1
    ));
    let index = format!(r##"{{"resources": {{"a/b@2024-01-01": {{"$ref": "t.json#/{}"}}}}}}"##, depth + 2);
    let types_file = format!("[{}]", entries.join(","));
    let (bytes, problems) =
        pack("", |path| Some(if path == "index.json" { index.clone() } else { types_file.clone() }));
    assert_eq!(problems, []);
    let types = ResourceTypes::new("az", Flavour::Az, Some(Catalogue::open(bytes).unwrap()));
    let made = types.resource_type(&reference("a/b@2024-01-01"), Declaration::empty()).unwrap();
    assert_eq!(object(&resource(&made).body).properties["p"].ty.to_string(), "any");
}

#[test]
fn a_damaged_catalogue_is_noticed() {
    let (mut bytes, _) = pack("", |path| Some(if path == "index.json" { INDEX } else { TYPES }));
    let length = bytes.len();
    bytes[length / 2..].fill(0xFF);
    let types = ResourceTypes::new("az", Flavour::Az, Some(Catalogue::open(bytes).unwrap()));
    let made = types.resource_type(&reference("My.Provider/things@2024-01-01"), Declaration::empty());
    assert!(types.is_damaged(), "{made:?}");
}

#[test]
fn all_azure_types_can_be_made() {
    let Some(catalogue) = az_catalogue() else { return };
    let types = ResourceTypes::new("az", ResourceTypes::flavour_of(catalogue), Some(catalogue.clone()));
    assert_eq!(types.flavour(), Flavour::Az);
    let mut count = 0;
    for entry in catalogue.types().unwrap() {
        for version in entry.versions.iter().filter(|version| version.is_defined()).rev().take(2) {
            let reference = ResourceReference::new(version.name.clone(), Some(version.version.into()));
            for declared in [Declaration::empty(), Declaration::EXISTING] {
                let made = types.resource_type(&reference, declared).unwrap();
                let body = &resource(&made).body;
                assert!(matches!(body.kind(), Kind::Object(_) | Kind::Discriminated(_)), "{reference}");
                for property in body.as_object().iter().flat_map(|object| object.properties.values()) {
                    assert!(!property.ty.to_string().is_empty());
                }
            }
            count += 1;
        }
    }
    assert!(count > 5000, "{count}");
    assert!(!types.is_damaged());
}

fn check_azure(name: &str, path: &[&str], expected: &Expect) {
    let Some(catalogue) = az_catalogue() else { return };
    let types = ResourceTypes::with_descriptions("az", Flavour::Az, Some(catalogue.clone()));
    let made = types.resource_type(&reference(name), Declaration::empty()).unwrap();
    let mut ty = resource(&made).body.clone();
    for step in path {
        ty = object(&ty).properties[*step].ty.clone();
    }
    expected.assert_eq(&outline(&ty));
}

#[test]
fn a_storage_account_is_known() {
    check_azure(
        "microsoft.storage/STORAGEACCOUNTS@2023-01-01",
        &["sku"],
        &expect![[r#"
        name: 'Premium_LRS' | 'Premium_ZRS' | 'Standard_GRS' | 'Standard_GZRS' | 'Standard_LRS' | 'Standard_RAGRS' | 'Standard_RAGZRS' | 'Standard_ZRS' | string required
        tier: 'Premium' | 'Standard' read_only"#]],
    );
    check_azure(
        "Microsoft.Storage/storageAccounts@2023-01-01",
        &["properties", "encryption"],
        &expect![[r#"
            identity: EncryptionIdentity allow_implicit_null
            keySource: 'Microsoft.Keyvault' | 'Microsoft.Storage' | string allow_implicit_null
            keyvaultproperties: KeyVaultProperties allow_implicit_null
            requireInfrastructureEncryption: bool allow_implicit_null
            services: EncryptionServices allow_implicit_null"#]],
    );
}
