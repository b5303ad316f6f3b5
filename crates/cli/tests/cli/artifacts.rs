//! `restore`, `publish`, `publish-extension` and `config`, as a user calls them.

use std::path::Path;

use crate::program::{self, Called, project};

/// Exit code, standard output and standard error; the folder is written as `HERE`.
fn sinew(folder: &Path, arguments: &[&str]) -> Called {
    let (code, output, errors) = program::sinew(folder, arguments);
    let shown = |text: String| text.replace(folder.to_str().unwrap(), "HERE");
    (code, shown(output), shown(errors))
}

const INDEX: (&str, &str) =
    ("types/index.json", r##"{ "resources": { "a/b@v1": { "$ref": "types.json#/1" } } }"##);
const TYPES: (&str, &str) = (
    "types/types.json",
    r##"[{ "$type": "ObjectType", "name": "a/b", "properties": {} },
        { "$type": "ResourceType", "name": "a/b@v1", "body": { "$ref": "#/0" }, "readableScopes": 0, "writableScopes": 0 }]"##,
);

#[test]
fn a_local_package_is_made_and_restored() {
    let folder = project(&[
        INDEX,
        TYPES,
        ("bicepconfig.json", r#"{ "providers": { "foo": "./foo.tgz" } }"#),
        ("main.bicep", "extension foo\n"),
    ]);
    let here = folder.path();
    let done = (0, String::new(), String::new());
    let missing = sinew(here, &["restore", "main.bicep"]);
    assert_eq!(missing.0, 1);
    assert!(missing.2.contains("HERE/main.bicep(1,11) : Error BCP192"), "{}", missing.2);
    assert_eq!(sinew(here, &["publish-extension", "types/index.json", "--target", "foo.tgz"]), done);
    assert_eq!(sinew(here, &["restore", "main.bicep"]), done);
    assert!(std::fs::read_to_string(here.join("sinew.lock.json")).unwrap().contains("\"foo.tgz\""));
    assert_eq!(sinew(here, &["restore", "--locked", "--offline", "."]), done);
    // Another package is not what the lock file says.
    std::fs::write(here.join("types/types.json"), TYPES.1.replace("\"name\": \"a/b\"", "\"name\": \"b\""))
        .unwrap();
    assert_eq!(sinew(here, &["publish-extension", "types/index.json", "--target", "foo.tgz"]), done);
    assert_eq!(sinew(here, &["restore", "--locked", "main.bicep"]).0, 1);
}

#[test]
fn offline_reports_at_the_statement() {
    let folder = project(&[
        ("main.bicep", "module local 'sub/m.bicep' = {}\n"),
        ("sub/m.bicep", "\nmodule far 'br:registry.invalid/x:1' = {}\n"),
    ]);
    let (code, _, talk) = sinew(folder.path(), &["restore", "--offline", "main.bicep"]);
    assert_eq!(
        (code, talk.as_str()),
        (
            1,
            "HERE/sub/m.bicep(2,12) : Error BCP192: The artifact \"br:registry.invalid/x:1\" could not be restored: it is not in the cache, and `--offline` forbids downloading it\n"
        )
    );
}

#[test]
fn targets_are_checked() {
    let folder = project(&[("main.json", "{}"), INDEX, TYPES]);
    let check = |arguments: &[&str], expected: &str| {
        let (code, _, talk) = sinew(folder.path(), arguments);
        assert_ne!(code, 0);
        assert!(talk.contains(expected), "{talk}");
    };
    check(&["publish", "main.json", "--target", "./x"], "it does not lead to a registry");
    check(&["publish", "main.json", "--target", "br:registry.invalid/X:1"], "is not a part of a path");
    check(&["publish", "main.json", "--target", "br/nobody:x:1"], "There is no module alias \"nobody\"");
    check(&["publish", "main.bicep", "--target", "br:registry.invalid/x:1"], "the file does not exist");
    check(&["publish-extension", "gone.json", "--target", "x.tgz"], "gone.json");
}

#[test]
fn settings_are_explained() {
    let folder =
        project(&[("bicepconfig.json", "{\n  \"formatting\": { \"indentSize\": 4, \"width\": \"x\" }\n}")]);
    let (code, data, talk) = sinew(folder.path(), &["config", "explain", "--changed"]);
    assert_eq!(
        data,
        "formatting.indentSize = 4  HERE/bicepconfig.json:2\ntypes.mirror = \"none\"      SINEW_TYPES_MIRROR\n"
    );
    assert_eq!(
        (code, talk.as_str()),
        (
            1,
            "HERE/bicepconfig.json(2,45) : Error BCP273: The value of \"formatting.width\" must be a whole number, not a string.\n"
        )
    );
    let (_, data, _) = sinew(folder.path(), &["config", "explain", "--json", "--changed"]);
    let expected = "{\"path\":\"formatting.indentSize\",\"value\":4,\"file\":\"HERE/bicepconfig.json\",\"line\":2}\n\
                    {\"path\":\"types.mirror\",\"value\":\"none\",\"variable\":\"SINEW_TYPES_MIRROR\"}";
    assert_eq!(data.trim_end(), expected);
    let (code, data, _) = sinew(folder.path(), &["config", "schema"]);
    assert!(code == 0 && data.contains("\"implicitProviders\""));
}
