//! Secure values stay inside: no error, document, operation, change or list has them.

use deploy::{DeploymentRequest, Paging};
use serde_json::{Value as Json, json};

use crate::support::{Bench, id, scope, symbolic, template, thing};

const SECRET: &str = "hunter2-is-secret";

/// Everything that can be read of a deployment, or what it was refused with.
async fn all_that_is_told(bench: &Bench, name: &str, properties: Json) -> String {
    let request = || DeploymentRequest::new(id(name), &json!({ "properties": properties })).unwrap();
    let what_if = bench.engine.what_if(request()).await.map_err(|error| error.to_json());
    let validated = bench.engine.validate(request()).await.map_err(|error| error.to_json());
    let deployed = bench.deploy(name, properties.clone()).await.map_err(|error| error.to_json());
    let operations = bench.engine.operations(&id(name), &Paging::default()).await.map(|page| page.items);
    let listed = bench.engine.list(&scope(), None, &Paging::default()).await.unwrap().items;
    let resources = bench.engine.export_resources().await.unwrap();
    format!("{what_if:?}\n{validated:?}\n{deployed:?}\n{operations:?}\n{listed:?}\n{resources:?}")
}

/// Expressions that fail, or wait, with a secret in their hands.
const EXPRESSIONS: &[&str] = &[
    "[int(parameters('secret'))]",
    "[json(parameters('secret'))]",
    "[bool(parameters('secret'))]",
    "[substring(parameters('secret'), 100)]",
    "[base64ToString(parameters('secret'))]",
    "[base64ToJson(base64(parameters('secret')))]",
    "[dataUriToString(parameters('secret'))]",
    "[dateTimeAdd(parameters('secret'), 'P1D')]",
    "[dateTimeAdd('2020-01-01', parameters('secret'))]",
    "[format(concat('{9}', parameters('secret')), 1)]",
    "[createObject('a', 1)[parameters('secret')]]",
    "[parameters('object')[parameters('secret')]]",
    "[parameters('object').absent]",
    "[parameters('object').list[7]]",
    "[parameters('secret').absent]",
    "[fail(parameters('secret'))]",
    "[fail(parameters('object').key)]",
    "[parseCidr(parameters('secret'))]",
    "[cidrSubnet(parameters('secret'), 24, 0)]",
    "[resourceId(parameters('secret'), 'a')]",
    "[resourceId('Test.Things/things', parameters('secret'), 'x')]",
    "[reference(parameters('secret')).x]",
    "[reference(resourceId('Test.Things/things', parameters('secret')), '2024-01-01').x]",
    "[add(parameters('secret'), 1)]",
    "[union(parameters('object'), createArray(1))]",
    "[range(0, parameters('secret'))]",
    "[uri(parameters('secret'), parameters('secret'))]",
    "[parseUri(parameters('secret'))]",
    "[guid(parameters('object'))]",
    "[split(parameters('secret'), parameters('object'))]",
    "[padLeft(parameters('secret'), 1, parameters('secret'))]",
    "[toLogicalZone(parameters('secret'), 'a', 'b')]",
    "[environment()[parameters('secret')]]",
    "[deployment()[parameters('secret')]]",
];

#[cfg(unix)]
#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "looks at the disk")]
async fn state_files_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let store = deploy::Location::File(folder.path().join("state.db"));
    let bench = Bench::with(deploy::Options { store, ..deploy::Options::default() }).await;
    bench.deploy("main", json!({ "template": template(json!({ "resources": [] })) })).await.unwrap();
    let mut files = 0;
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}: {mode:o}", entry.path().display());
        files += 1;
    }
    assert!(files >= 2, "the file and its log");
}

#[tokio::test]
async fn errors_do_not_tell_secrets() {
    let given = json!({
        "secret": { "value": SECRET },
        "object": { "value": { "key": SECRET, "list": [SECRET] } },
    });
    for expression in EXPRESSIONS {
        for place in ["resource", "output", "name", "variable", "late"] {
            let bench = Bench::new().await;
            let mut body = json!({ "resources": [], "parameters": {
                "secret": { "type": "securestring" }, "object": { "type": "secureObject" },
            } });
            match place {
                "resource" => body["resources"] = json!([thing("a", json!({ "x": expression }))]),
                "output" => body["outputs"] = json!({ "o": { "type": "string", "value": expression } }),
                "name" => body["resources"] = json!([thing(expression, json!({}))]),
                "variable" => {
                    body["variables"] = json!({ "v": expression });
                    body["resources"] = json!([thing("a", json!({ "x": "[variables('v')]" }))]);
                }
                _ => {
                    // Evaluated only when the other is there.
                    let late = format!(
                        "[if(equals(reference('b').n, 1), {}, 0)]",
                        &expression[1..expression.len() - 1]
                    );
                    body["resources"] =
                        json!([thing("b", json!({ "n": 1 })), thing("a", json!({ "x": late }))]);
                }
            }
            let told =
                all_that_is_told(&bench, "main", json!({ "template": template(body), "parameters": given }))
                    .await;
            let told = told.to_lowercase();
            let around = told.find(SECRET).map(|at| &told[at.saturating_sub(200)..at]);
            assert_eq!(around, None, "{place} {expression}");
        }
    }
}

#[tokio::test]
async fn refused_values_are_not_told() {
    for (schema, value) in [
        (json!({ "type": "securestring", "allowedValues": ["a", "b"] }), json!(SECRET)),
        (json!({ "type": "securestring", "maxLength": 3 }), json!(SECRET)),
        (json!({ "type": "securestring" }), json!({ "deep": SECRET })),
        (json!({ "type": "secureObject" }), json!(SECRET)),
        (json!({ "type": "secureObject", "properties": { "n": { "type": "int" } } }), json!({ "n": SECRET })),
    ] {
        let bench = Bench::new().await;
        let template = symbolic(json!({ "resources": {}, "parameters": { "p": schema } }));
        let told = all_that_is_told(
            &bench,
            "main",
            json!({ "template": template, "parameters": { "p": { "value": value } } }),
        )
        .await;
        assert!(!told.contains(SECRET), "{schema}: {told}");
    }
}

/// A secret may be a part of a value: only that part is one.
#[tokio::test]
async fn parts_of_values_may_be_secret() {
    let bench = Bench::new().await;
    let account = json!({ "type": "object", "properties": { "user": { "type": "string" }, "password": { "type": "securestring" } } });
    let variant = json!({ "type": "object", "discriminator": { "propertyName": "kind", "mapping": {
        "key": { "type": "object", "properties": { "kind": { "type": "string" }, "key": { "$ref": "#/definitions/secret" } } },
    } } });
    let template = symbolic(json!({
        "definitions": { "secret": { "type": "securestring" }, "account": account },
        "parameters": {
            "one": { "$ref": "#/definitions/account" },
            "many": { "type": "array", "items": { "$ref": "#/definitions/account" } },
            "by": { "type": "object", "additionalProperties": { "type": "securestring" } },
            "variant": variant,
        },
        "resources": { "a": {
            "type": "Test.Things/things", "apiVersion": "1", "name": "a",
            "properties": {
                "user": "[parameters('one').user]", "password": "[parameters('one').password]",
                "all": "[parameters('many')]", "by": "[parameters('by').x]", "key": "[parameters('variant').key]",
            },
        } },
        "outputs": {
            "user": { "type": "string", "value": "[parameters('one').user]" },
            "password": { "type": "string", "value": "[parameters('one').password]" },
        },
    }));
    let account = json!({ "user": "me", "password": SECRET });
    let parameters = json!({
        "one": { "value": account }, "many": { "value": [account] }, "by": { "value": { "x": SECRET } },
        "variant": { "value": { "kind": "key", "key": SECRET } },
    });
    let told =
        all_that_is_told(&bench, "main", json!({ "template": template, "parameters": parameters })).await;
    assert!(told.contains("Succeeded") && !told.contains(SECRET), "{told}");
    let a = bench.resource("Test.Things/things", "a").await.unwrap();
    assert_eq!(
        a["properties"],
        json!({ "user": "me", "all": [{ "user": "me" }], "provisioningState": "Succeeded" })
    );
}
