//! Resources against the catalogue of types.

use bicep_types::catalogue::pack;
use bicep_types::resources::Flavour;
use bicep_types::{Catalogue, ResourceTypes};
use deploy::provider::Types;
use deploy::{DeploymentRequest, Options};
use serde_json::{Value as Json, json};

use crate::support::{Bench, id, template, thing};

/// One type: `size` is required, `endpoints` and `thingId` are read, `password` is written, `token` is sensitive.
async fn bench() -> Bench {
    let index =
        json!({ "resources": { "Test.Things/things@2024-01-01": { "$ref": "types.json#/7" } } }).to_string();
    let reference = |at: usize| json!({ "$ref": format!("#/{at}") });
    let types = json!([
        { "$type": "StringType" },
        { "$type": "IntegerType" },
        { "$type": "StringLiteralType", "value": "small" },
        { "$type": "StringLiteralType", "value": "large" },
        { "$type": "UnionType", "elements": [reference(2), reference(3)] },
        { "$type": "ObjectType", "name": "Endpoints", "properties": { "blob": { "type": reference(0), "flags": 2 } } },
        { "$type": "ObjectType", "name": "Properties", "properties": {
            "size": { "type": reference(4), "flags": 1 }, "count": { "type": reference(1), "flags": 0 },
            "password": { "type": reference(0), "flags": 4 }, "token": { "type": reference(9), "flags": 0 },
            "endpoints": { "type": reference(5), "flags": 2 }, "thingId": { "type": reference(0), "flags": 2 },
        } },
        { "$type": "ResourceType", "name": "Test.Things/things@2024-01-01", "body": reference(8), "readableScopes": 8, "writableScopes": 8 },
        { "$type": "ObjectType", "name": "Body", "properties": {
            "id": { "type": reference(0), "flags": 10 }, "name": { "type": reference(0), "flags": 9 },
            "properties": { "type": reference(6), "flags": 0 },
        } },
        { "$type": "StringType", "sensitive": true },
    ])
    .to_string();
    let (bytes, problems) =
        pack("", |path| Some(if path == "index.json" { index.clone() } else { types.clone() }));
    assert_eq!(problems, []);
    let types = ResourceTypes::new("az", Flavour::Az, Some(Catalogue::open(bytes).unwrap()));
    Bench::with(Options { types: Types::new(types), ..Options::default() }).await
}

fn with(properties: Json) -> Json {
    json!({ "template": template(json!({ "resources": [thing("a", properties)] })) })
}

#[tokio::test]
async fn what_the_type_forbids_is_refused_before_anything_runs() {
    let bench = bench().await;
    for (properties, expected) in [
        (json!({}), "MissingRequiredProperty properties.size"),
        (json!({ "size": "huge" }), "InvalidPropertyValue properties.size"),
        (json!({ "size": "small", "count": "many" }), "InvalidPropertyValue properties.count"),
    ] {
        let error = bench.deploy("main", with(properties)).await.unwrap_err();
        assert_eq!((error.code.as_str(), error.status), ("InvalidTemplateDeployment", 400));
        let inner = &error.details[0].details[0];
        assert_eq!(format!("{} {}", inner.code, inner.target.as_deref().unwrap()), expected);
        assert!(bench.engine.get(&id("main")).await.is_err(), "nothing is recorded");
    }
}

#[tokio::test]
async fn what_is_read_is_filled_in_and_what_is_written_is_not_kept() {
    let bench = bench().await;
    let properties = || with(json!({ "size": "small", "password": "hunter2", "other": true }));
    bench.deploy("main", properties()).await.unwrap();
    let thing = bench.resource("Test.Things/things", "a").await.unwrap();
    let kept = &thing["properties"];
    assert_eq!(kept["endpoints"]["blob"], "https://a.blob.core.windows.net/");
    assert_eq!(kept["thingId"].as_str().unwrap().len(), 36);
    assert_eq!(kept["other"], true);
    assert!(kept.get("password").is_none(), "{thing}");
    let request = DeploymentRequest::new(id("what-if"), &json!({ "properties": properties() })).unwrap();
    let changes = bench.engine.what_if(request).await.unwrap();
    assert_eq!(changes["properties"]["changes"][0]["changeType"], "NoChange", "{changes}");
}

#[tokio::test]
async fn what_if_hides_what_the_type_calls_sensitive() {
    let bench = bench().await;
    // The values come through a parameter that nobody has marked.
    let properties = |secret: &str, size: &str| {
        let thing = thing(
            "a",
            json!({ "size": size, "password": "[parameters('p')]", "token": "[parameters('p')]" }),
        );
        json!({
            "template": template(json!({ "parameters": { "p": { "type": "string" } }, "resources": [thing] })),
            "parameters": { "p": { "value": secret } },
        })
    };
    let what_if = async |secret: &str, size: &str| {
        let body = json!({ "properties": properties(secret, size) });
        bench.engine.what_if(DeploymentRequest::new(id("what-if"), &body).unwrap()).await.unwrap().to_string()
    };
    let created = what_if("hunter2hunter2", "small").await;
    assert!(created.contains("Create") && !created.contains("hunter2"), "{created}");
    bench.deploy("main", properties("hunter2hunter2", "small")).await.unwrap();
    let changed = what_if("swordfish", "large").await;
    assert!(changed.contains("Modify") && !changed.contains("swordfish"), "{changed}");
    assert!(!changed.contains("hunter2"), "{changed}");
}

#[tokio::test]
async fn without_a_catalogue_names_tell_what_is_sensitive() {
    let bench = Bench::new().await;
    let properties = |secret: &str, size: &str| {
        let members = json!({ "size": size, "adminPassword": "[parameters('p')]",
            "list": [{ "connectionString": "[parameters('p')]" }] });
        json!({
            "template": template(json!({ "parameters": { "p": { "type": "string" } }, "resources": [thing("a", members)] })),
            "parameters": { "p": { "value": secret } },
        })
    };
    for (secret, size, kind) in [("hunter2hunter2", "small", "Create"), ("swordfish", "large", "Modify")] {
        let body = json!({ "properties": properties(secret, size) });
        let request = DeploymentRequest::new(id("what-if"), &body).unwrap();
        let answer = bench.engine.what_if(request).await.unwrap().to_string();
        assert!(answer.contains(kind) && answer.contains(size), "{answer}");
        assert!(!answer.contains("hunter2") && !answer.contains("swordfish"), "{answer}");
        bench.deploy("main", properties("hunter2hunter2", "small")).await.unwrap();
    }
}

#[tokio::test]
async fn versions_of_types_come_from_the_catalogue() {
    let bench = bench().await;
    let provider = bench.engine.providers(Some("Test.Things")).await.unwrap().remove(0);
    let types = provider["resourceTypes"].as_array().unwrap();
    let known = types.iter().find(|known| known["resourceType"] == "things").unwrap();
    assert_eq!(known["apiVersions"], json!(["2024-01-01"]), "{provider}");
}
