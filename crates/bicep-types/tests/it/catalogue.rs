//! Small packages: what is found in their catalogues, what is reported about bad ones, and that damage is noticed.

use bicep_types::Catalogue;
use bicep_types::catalogue::{OpenError, pack};
use bicep_types::def::{Def, FileKind};
use bicep_types::protocol;
use expect_test::{Expect, expect};
use proptest::prelude::*;

const INDEX: &str = r#"{
  "resources": {
    "My.Provider/things@2024-01-01": {"$ref": "a/types.json#/6"},
    "My.Provider/things@2024-06-01-preview": {"$ref": "b/types.json#/6"},
    "my.provider/THINGS/parts@2024-01-01": {"$ref": "a/types.json#/7"}
  },
  "resourceFunctions": {"my.provider/things": {"2024-01-01": [{"$ref": "a/types.json#/8"}]}},
  "namespaceFunctions": [{"$ref": "a/types.json#/10"}],
  "settings": {"name": "Mine", "version": "1.2.3", "isSingleton": true, "configurationType": {"$ref": "a/types.json#/5"}},
  "fallbackResourceType": {"$ref": "a/types.json#/6"}
}"#;

const TYPES: &str = r##"[
  {"$type": "StringType", "minLength": 1, "pattern": "^a$", "sensitive": true},
  {"$type": "StringLiteralType", "value": "VERSION"},
  {"$type": "UnionType", "elements": [{"$ref": "#/0"}, {"$ref": "#/1"}]},
  {"$type": "ArrayType", "itemType": {"$ref": "#/0"}, "maxLength": 9},
  {"$type": "IntegerType", "minValue": -5},
  {"$type": "ObjectType", "name": "Thing", "properties": {
    "apiVersion": {"type": {"$ref": "#/1"}, "flags": 10},
    "parts": {"type": {"$ref": "#/3"}, "flags": 0, "description": "The parts."},
    "count": {"type": {"$ref": "#/4"}, "flags": 1}
  }, "additionalProperties": {"$ref": "#/4"}},
  {"$type": "ResourceType", "name": "My.Provider/things@VERSION", "body": {"$ref": "#/5"}, "readableScopes": 8,
   "writableScopes": 0, "functions": {"turn": {"type": {"$ref": "#/9"}, "description": "Turns it."}}},
  {"$type": "ResourceType", "name": "My.Provider/things/parts@VERSION", "body": {"$ref": "#/5"}, "scopeType": 8, "readOnlyScopes": 4},
  {"$type": "ResourceFunctionType", "name": "listKeys", "resourceType": "My.Provider/things", "apiVersion": "VERSION",
   "output": {"$ref": "#/3"}, "input": {"$ref": "#/4"}},
  {"$type": "FunctionType", "parameters": [{"name": "by", "type": {"$ref": "#/4"}, "description": "How far."}], "output": {"$ref": "#/0"}},
  {"$type": "NamespaceFunctionType", "name": "now", "description": "The time.", "parameters": [{"name": "zone", "type": {"$ref": "#/0"}, "flags": 3}],
   "outputType": {"$ref": "#/0"}, "visibleInFileKind": 2, "evaluatedLanguageExpression": "[utcNow()]"},
  {"$type": "BuiltInType", "kind": 8}
]"##;

fn sample() -> Vec<u8> {
    let (bytes, problems) = pack("sample", |path| match path {
        "index.json" => Some(INDEX.to_owned()),
        "a/types.json" => Some(TYPES.replace("VERSION", "2024-01-01")),
        "b/types.json" => Some(TYPES.replace("VERSION", "2024-06-01-preview")),
        _ => None,
    });
    assert_eq!(problems, []);
    bytes
}

fn open(bytes: Vec<u8>) -> Catalogue {
    Catalogue::open(bytes).unwrap()
}

#[test]
fn resource_types_are_found_without_regard_to_case() {
    let catalogue = open(sample());
    let found = catalogue.find("MY.provider/Things", "2024-06-01-PREVIEW").unwrap().unwrap();
    assert_eq!((found.name.as_str(), found.version), ("My.Provider/things", "2024-06-01-preview"));
    assert!(catalogue.find("My.Provider/things", "2024-06-01").unwrap().is_none());
    assert!(catalogue.find("My.Provider/thing", "2024-01-01").unwrap().is_none());
    assert!(catalogue.find("", "").unwrap().is_none());
    assert!(catalogue.find("zzz", "2024-01-01").unwrap().is_none());
    let parts = catalogue.find("my.provider/things/parts", "2024-01-01").unwrap().unwrap();
    assert_eq!(parts.name, "My.Provider/things/parts", "spelled as in the definition");
}

#[test]
fn versions_and_types_are_listed() {
    let catalogue = open(sample());
    let things = catalogue.find_type("my.provider/things").unwrap().unwrap();
    let versions: Vec<&str> = things.versions.iter().map(|version| version.version).collect();
    assert_eq!(versions, ["2024-01-01", "2024-06-01-preview"]);
    let names: Vec<String> = catalogue.types().unwrap().iter().map(|entry| entry.name.to_string()).collect();
    assert_eq!(catalogue.names().unwrap(), names);
    assert_eq!(names, ["My.Provider/things", "My.Provider/things/parts"]);
    let info = catalogue.info().unwrap();
    assert_eq!((info.origin, info.resource_count), ("sample", 3));
}

#[test]
fn versions_share_their_types() {
    let catalogue = open(sample());
    let record = |version| {
        let found = catalogue.find("My.Provider/things", version).unwrap().unwrap();
        let resource = catalogue.resource(&found).unwrap().unwrap();
        let Def::Object(body) = catalogue.body(&resource, &found).unwrap() else { panic!() };
        let api_version = catalogue.def(body.properties[0].ty).unwrap();
        (resource.body, format!("{api_version:?}"))
    };
    let (old, old_version) = record("2024-01-01");
    let (new, new_version) = record("2024-06-01-preview");
    assert_eq!(old, new);
    assert_eq!(old_version, r#"StringLiteral("2024-01-01")"#);
    assert_eq!(new_version, r#"StringLiteral("2024-06-01-preview")"#);
}

#[test]
fn everything_else_is_there() {
    let catalogue = open(sample());
    let found = catalogue.find("My.Provider/things", "2024-01-01").unwrap().unwrap();
    let resource = catalogue.resource(&found).unwrap().unwrap();
    assert_eq!(resource.name, "My.Provider/things@2024-01-01");
    assert_eq!((resource.readable_scopes, resource.writable_scopes), (8, 0));
    assert_eq!(resource.methods[0].name, "turn");
    assert_eq!(resource.methods[0].description.as_deref(), Some("Turns it."));
    assert_eq!(resource.methods[0].parameters[0].description.as_deref(), Some("How far."));

    let mut body = catalogue.body(&resource, &found).unwrap();
    catalogue.descriptions().describe(resource.body, &mut body).unwrap();
    let Def::Object(body) = body else { panic!() };
    let described: Vec<_> =
        body.properties.iter().map(|p| (&*p.name, p.flags, p.description.as_deref())).collect();
    assert_eq!(described, [("apiVersion", 10, None), ("parts", 0, Some("The parts.")), ("count", 1, None)]);

    let functions = catalogue.functions(&found).unwrap();
    assert_eq!((&*functions[0].name, &*functions[0].resource_type), ("listKeys", "My.Provider/things"));

    let parts = catalogue.find("My.Provider/things/parts", "2024-01-01").unwrap().unwrap();
    let parts = catalogue.resource(&parts).unwrap().unwrap();
    assert_eq!((parts.readable_scopes, parts.writable_scopes), (12, 8), "from the old fields");

    let settings = catalogue.settings().unwrap().unwrap();
    assert_eq!((&*settings.name, &*settings.version, settings.is_singleton), ("Mine", "1.2.3", true));
    assert!(matches!(catalogue.def(settings.configuration.unwrap()), Ok(Def::Object(_))));
    assert_eq!(catalogue.fallback().unwrap().unwrap().name, "My.Provider/things@2024-01-01");
    let now = &catalogue.namespace_functions().unwrap()[0];
    assert_eq!((&*now.name, now.visible_in), ("now", Some(FileKind::Params)));
    assert_eq!(now.expression.as_deref(), Some("[utcNow()]"));
    assert_eq!(now.parameters[0].flags, 3);
}

fn check_types(types: &str, expected: &Expect) {
    let (entries, problems) = protocol::read_types("types.json", types.as_bytes());
    let mut report: Vec<String> =
        problems.iter().map(|p| format!("{}: {}", p.diagnostic.code, p.diagnostic.message)).collect();
    let resources = entries.len();
    let (bytes, packing) = pack("", |path| match path {
        "index.json" => Some(r##"{"resources": {"a/b@2024-01-01": {"$ref": "types.json#/0"}}}"##),
        _ => Some(types),
    });
    report.extend(
        packing
            .iter()
            .filter(|p| !problems.contains(p))
            .map(|p| format!("{}: {}", p.diagnostic.code, p.diagnostic.message)),
    );
    report.push(format!("{resources} entries"));
    open(bytes).verify().unwrap();
    expected.assert_eq(&report.join("\n"));
}

#[test]
fn bad_types_are_reported() {
    check_types(
        "{",
        &expect![[r##"
        types-syntax: This is not a file of types: invalid type: map, expected a sequence.
        types-bad-reference: "a/b@2024-01-01" refers to "types.json#/0", which is not a resource type.
        0 entries"##]],
    );
    check_types(
        r#"[{"$type": "FloatType"}]"#,
        &expect![[r##"
        types-unknown-kind: Entry #/0 has the unknown kind "FloatType"; it is read as "any".
        types-bad-reference: "a/b@2024-01-01" refers to "types.json#/0", which is not a resource type.
        1 entries"##]],
    );
    check_types(
        r##"[{"$type": "ResourceType", "name": "a/b@2024-01-01", "body": {"$ref": "#/9"}, "readableScopes": 99, "writableScopes": 8}]"##,
        &expect![[r##"
        types-bad-value: The field "readableScopes" of entry #/0 has to be a number from 0 to 31.
        types-bad-reference: Entry #/0 refers to "#/9", which is no type of this file.
        1 entries"##]],
    );
    check_types(
        r##"[{"$type": "ResourceType", "name": "x/y@2024-01-01", "body": {"$ref": "#/0"}, "readableScopes": 8, "scopeType": 8}]"##,
        &expect![[r##"
        types-mixed-scopes: Entry #/0 says its scopes in the old and in the new way; "readableScopes" and "writableScopes" have to be given together and without "scopeType", "readOnlyScopes" and "flags".
        types-other-resource: "a/b@2024-01-01" leads to the definition of "x/y@2024-01-01".
        1 entries"##]],
    );
    check_types(
        r##"[{"$type": "ResourceType"}, {"$type": "ArrayType", "itemType": {"$ref": "other.json#/1"}}, {"$type": "BuiltInType", "kind": 9}]"##,
        &expect![[r##"
        types-missing-field: Entry #/0 lacks the field "name".
        types-bad-reference: Entry #/1 refers to "other.json#/1", which is no type of this file.
        types-bad-value: The field "kind" of entry #/2 has to be a number from 1 to 8.
        types-bad-reference: "a/b@2024-01-01" refers to "types.json#/0", which is not a resource type.
        3 entries"##]],
    );
    check_types(
        r##"[{"$type": "ResourceType", "name": "a/b@2024-01-01", "body": {"$ref": "#/1"}, "functions": {"f": {"type": {"$ref": "#/1"}}}},
        {"$type": "UnionType", "elements": [{"$ref": "#/2"}, {"$ref": "#/0"}]}, {"$type": "ArrayType", "itemType": {"$ref": "#/1"}},
        {"$type": "DiscriminatedObjectType", "name": "d", "discriminator": "k", "baseProperties": {}, "elements": {"x": {"$ref": "#/2"}}}]"##,
        &expect![[r##"
        types-bad-reference: Entry #/0 refers to "#/1", which is no type of this file.
        types-bad-reference: Entry #/1 refers to "#/0", which is no type of this file.
        types-bad-reference: Entry #/3 refers to "#/2", which is no type of this file.
        types-endless: Entry #/1 is made of nothing but itself; it is read as "any".
        types-endless: Entry #/2 is made of nothing but itself; it is read as "any".
        4 entries"##]],
    );
}

#[test]
fn a_bad_index_is_reported() {
    let check = |index: &str, expected: &Expect| {
        let (bytes, problems) = pack("", |path| match path {
            "index.json" => Some(index.to_owned()),
            "types.json" => Some(r##"[{"$type": "AnyType"}]"##.to_owned()),
            _ => None,
        });
        let report: Vec<String> = problems.iter().map(|p| p.diagnostic.message.clone()).collect();
        open(bytes);
        expected.assert_eq(&report.join("\n"));
    };
    check(
        "[]",
        &expect!["This is not a file of types: invalid length 3, expected an object with resources."],
    );
    check(
        r##"{"resources": {"noVersion@": {"$ref": "types.json#/0"}, "a@1": {"$ref": "gone.json#/0"}, "b@1": {"$ref": "gone.json#/1"},
            "c@1": {"$ref": "#/0"}, "d@1": {"$ref": "types.json#/7"}}, "settings": {"name": "", "version": "", "configurationType": {"$ref": "types.json#/0"}}}"##,
        &expect![[r##"
            "c@1" refers to "#/0", which is not a place in a types file.
            "noVersion@" is not a resource type, such as "My.Provider/things@2024-01-01".
            The package has no file "gone.json", which it refers to.
            "d@1" refers to "types.json#/7", which is not a resource type.
            "configurationType" refers to "types.json#/0", which is not an object type."##]],
    );
    let (bytes, problems) = pack("", |_| None::<Vec<u8>>);
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].diagnostic.code, "types-missing-file");
    assert_eq!(Catalogue::open(bytes).unwrap_err(), OpenError::NotACatalogue);
}

#[test]
fn types_that_contain_each_other_are_stored_once() {
    // The same ring, entered at another place in the second file.
    let ring = |first: &str, second: &str| {
        format!(
            r##"[{{"$type": "ObjectType", "name": "{first}", "properties": {{"next": {{"type": {{"$ref": "#/1"}}, "flags": 0}}}}}},
            {{"$type": "ObjectType", "name": "{second}", "properties": {{"next": {{"type": {{"$ref": "#/0"}}, "flags": 0}}}}}},
            {{"$type": "ResourceType", "name": "r/{first}@2024-01-01", "body": {{"$ref": "#/0"}}, "readableScopes": 8, "writableScopes": 8}}]"##
        )
    };
    let (bytes, problems) = pack("", |path| {
        Some(match path {
        "index.json" => r##"{"resources": {"r/A@2024-01-01": {"$ref": "1.json#/2"}, "r/B@2024-01-01": {"$ref": "2.json#/2"}}}"##.to_owned(),
        "1.json" => ring("A", "B"),
        _ => ring("B", "A"),
    })
    });
    assert_eq!(problems, []);
    // The version and the two objects.
    assert_eq!(open(bytes).info().unwrap().type_count, 3);
}

#[test]
fn other_bytes_are_refused() {
    let refused = |bytes: &[u8]| Catalogue::open(bytes.to_vec()).unwrap_err();
    assert_eq!(refused(b""), OpenError::NotACatalogue);
    assert_eq!(refused(b"PK\x03\x04 something else"), OpenError::NotACatalogue);
    let bytes = sample();
    assert_eq!(refused(&bytes[..bytes.len() - 1]), OpenError::Corrupt);
    assert_eq!(refused(&bytes[..20]), OpenError::Corrupt);
    let mut newer = bytes.clone();
    newer[8] = 9;
    assert_eq!(refused(&newer), OpenError::OtherFormat(9));
    let mut longer = bytes;
    longer.push(0);
    assert_eq!(refused(&longer), OpenError::Corrupt);
}

/// Asks a catalogue everything there is to ask.
fn read_all(catalogue: &Catalogue) {
    let _ = (catalogue.info(), catalogue.settings(), catalogue.fallback(), catalogue.namespace_functions());
    let _ = catalogue.find("My.Provider/things", "2024-01-01");
    let mut descriptions = catalogue.descriptions();
    for entry in catalogue.types().unwrap_or_default() {
        for versioned in &entry.versions {
            let _ = catalogue.functions(versioned);
            if let Ok(Some(resource)) = catalogue.resource(versioned)
                && let Ok(mut body) = catalogue.body(&resource, versioned)
            {
                let _ = descriptions.describe(resource.body, &mut body);
            }
        }
    }
    for number in 0..40 {
        let reference = bicep_types::catalogue::Ref::Type(number);
        if let Ok(mut def) = catalogue.def(reference) {
            let _ = descriptions.describe(reference, &mut def);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn damage_is_never_a_panic(at in any::<prop::sample::Index>(), bits in 1..=255_u8, cut in any::<prop::sample::Index>()) {
        let mut bytes = sample();
        let at = at.index(bytes.len());
        bytes[at] ^= bits;
        match Catalogue::open(bytes.clone()) {
            // The header is sound, so the damage is in the content.
            Ok(catalogue) => {
                prop_assert!(catalogue.verify().is_err());
                read_all(&catalogue);
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
        bytes.truncate(cut.index(bytes.len()));
        prop_assert!(Catalogue::open(bytes).is_err());
    }

    #[test]
    fn no_package_is_too_much(text in any::<String>()) {
        let _ = protocol::read_types("t", text.as_bytes());
        let _ = protocol::read_index("i", text.as_bytes());
    }

    #[test]
    fn any_references_can_be_packed(links in prop::collection::vec((0..6_u32, 0..6_u32, 0..4), 1..7)) {
        let entry = |(a, b, kind): &(u32, u32, i32)| match kind {
            0 => format!(r##"{{"$type": "ArrayType", "itemType": {{"$ref": "#/{a}"}}}}"##),
            1 => format!(r##"{{"$type": "UnionType", "elements": [{{"$ref": "#/{a}"}}, {{"$ref": "#/{b}"}}]}}"##),
            2 => format!(r##"{{"$type": "ObjectType", "name": "o", "properties": {{"p": {{"type": {{"$ref": "#/{a}"}}, "flags": 0}}}}, "additionalProperties": {{"$ref": "#/{b}"}}}}"##),
            _ => format!(r##"{{"$type": "ResourceType", "name": "a/b@2024-01-01", "body": {{"$ref": "#/{a}"}}, "readableScopes": 8, "writableScopes": 8}}"##),
        };
        let types = format!("[{}]", links.iter().map(entry).collect::<Vec<_>>().join(","));
        let index: Vec<String> = (0..links.len()).map(|at| format!(r##""t/r{at}@2024-01-01": {{"$ref": "t.json#/{at}"}}"##)).collect();
        let (bytes, _) = pack("", |path| Some(if path == "index.json" { format!(r#"{{"resources": {{{}}}}}"#, index.join(",")) } else { types.clone() }));
        let catalogue = open(bytes);
        catalogue.verify().unwrap();
        for entry in catalogue.types().unwrap() {
            for versioned in &entry.versions {
                let resource = catalogue.resource(versioned).unwrap().unwrap();
                catalogue.body(&resource, versioned).unwrap();
            }
        }
    }
}
