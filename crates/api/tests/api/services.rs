//! What clients ask for around deployments: lists by type, actions, locks, stacks, template specs, secrets of vaults.

use serde_json::{Value, json};

use crate::server::{Answer, GROUP, Server};

const SCHEMA: &str = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#";
const SUBSCRIPTION: &str = "/subscriptions/00000000-0000-0000-0000-0000000000aa";

pub(crate) fn store(name: &str) -> String {
    format!("{GROUP}/providers/Microsoft.Storage/storageAccounts/{name}")
}

pub(crate) fn template(members: Value) -> Value {
    let mut template = json!({ "$schema": SCHEMA, "contentVersion": "1.0.0.0", "resources": [] });
    if let Value::Object(members) = members {
        for (name, value) in members {
            template[name] = value;
        }
    }
    template
}

fn thing(name: &str) -> Value {
    json!({ "type": "Test.Things/things", "apiVersion": "2024-01-01", "name": name, "properties": {} })
}

pub(crate) async fn server() -> Server {
    let server = Server::start().await;
    server.make_group().await;
    server
}

/// Deploys and gives the deployment as it is in the end.
pub(crate) async fn deploy(server: &Server, name: &str, properties: Value) -> Value {
    let path = format!("{GROUP}/providers/Microsoft.Resources/deployments/{name}");
    let accepted = server.put(&path, &json!({ "properties": properties })).await;
    assert!(matches!(accepted.status, 200 | 201), "{accepted:?}");
    for _ in 0..100 {
        let status = server.get(accepted.header("azure-asyncoperation")).await;
        assert_eq!(status.header("retry-after"), "0");
        if !matches!(status.body["status"].as_str(), Some("Accepted" | "Running")) {
            break;
        }
    }
    server.get(&path).await.body
}

pub(crate) fn names(list: &Answer) -> Vec<&str> {
    list.body["value"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn lists_by_type_at_every_scope() {
    let server = server().await;
    for name in ["a", "b"] {
        let made =
            server.put(&store(name), &json!({ "location": "westeurope", "properties": { "x": 1 } })).await;
        assert_eq!(made.status, 200, "its SDK does not take 201: {made:?}");
    }
    server.put(&format!("{}/blobServices/default", store("a")), &json!({})).await;
    let made = server.put(&format!("{GROUP}/providers/Test.Things/things/t"), &json!({})).await;
    assert_eq!(made.status, 201);
    for scope in [SUBSCRIPTION, GROUP] {
        let list = server.get(&format!("{scope}/providers/Microsoft.Storage/storageAccounts")).await;
        assert_eq!(names(&list), ["a", "b"]);
        assert_eq!(list.body["value"][0]["properties"]["x"], 1);
    }
    let children = server.get(&format!("{}/blobServices", store("a"))).await;
    assert_eq!(names(&children), ["default"]);
    assert!(names(&server.get(&format!("{}/blobServices", store("b"))).await).is_empty());
    let absent = server.get(&format!("{SUBSCRIPTION}/resourceGroups/no/providers/A.B/c")).await;
    assert_eq!((absent.status, absent.code()), (404, "ResourceGroupNotFound"));
}

#[tokio::test]
async fn actions() {
    let server = server().await;
    server.put(&store("a"), &json!({ "location": "here" })).await;
    let keys = server.post(&format!("{}/listKeys", store("a")), &json!({})).await;
    let again = server.post(&format!("{}/LISTKEYS", store("a")), &json!({})).await;
    assert_eq!(keys.body["keys"][0]["keyName"], "key1", "{keys:?}");
    assert_eq!(keys.body["keys"], again.body["keys"], "keys stay the same");
    assert_eq!(server.post(&format!("{}/listKeys", store("b")), &json!({})).await.status, 404);
    assert_eq!(
        server.post(&format!("{}/explode", store("a")), &json!({})).await.code(),
        "InvalidResourceAction"
    );
    let check = format!("{SUBSCRIPTION}/providers/Microsoft.Storage/checkNameAvailability");
    for (name, expected) in [("a", false), ("c", true)] {
        let body = json!({ "name": name, "type": "Microsoft.Storage/storageAccounts" });
        assert_eq!(server.post(&check, &body).await.body["nameAvailable"], expected, "{name}");
    }
}

#[tokio::test]
async fn resources_move_with_what_is_below_them() {
    let server = server().await;
    let other = format!("{SUBSCRIPTION}/resourceGroups/other");
    server.put(&other, &json!({ "location": "here" })).await;
    server.put(&store("a"), &json!({ "location": "here" })).await;
    server.put(&format!("{}/blobServices/default", store("a")), &json!({})).await;
    let body = json!({ "resources": [store("a")], "targetResourceGroup": other });
    for (action, there) in [("validateMoveResources", 404), ("moveResources", 204)] {
        assert_eq!(server.post(&format!("{GROUP}/{action}"), &body).await.status, 204);
        let moved = store("a").replace("/g/", "/other/");
        assert_eq!(server.head(&moved).await, there, "{action}");
        assert_eq!(server.head(&format!("{moved}/blobServices/default")).await, there, "{action}");
    }
    assert_eq!(server.head(&store("a")).await, 404);
}

#[tokio::test]
async fn locks_are_enforced() {
    let server = server().await;
    server.put(&store("a"), &json!({ "location": "here" })).await;
    let lock = format!("{GROUP}/providers/Microsoft.Authorization/locks/l");
    server.put(&lock, &json!({ "properties": { "level": "CanNotDelete" } })).await;
    assert_eq!(names(&server.get(&format!("{GROUP}/providers/Microsoft.Authorization/locks")).await), ["l"]);
    for path in [store("a"), GROUP.to_owned()] {
        let refused = server.delete(&path).await;
        assert_eq!((refused.status, refused.code()), (409, "ScopeLocked"), "{path}");
    }
    assert_eq!(server.put(&store("a"), &json!({ "location": "here" })).await.status, 200);
    server.put(&lock, &json!({ "properties": { "level": "ReadOnly" } })).await;
    assert_eq!(server.put(&store("a"), &json!({ "location": "here" })).await.code(), "ScopeLocked");
    let deployment = format!("{GROUP}/providers/Microsoft.Resources/deployments/d");
    let body = json!({ "properties": { "mode": "Incremental", "template": template(json!({})) } });
    assert_eq!(server.put(&deployment, &body).await.code(), "ScopeLocked");
    for wrong in [json!({ "properties": { "level": "Forever" } }), json!({ "properties": { "notes": "n" } })]
    {
        let refused = server.put(&lock, &wrong).await;
        assert_eq!((refused.status, refused.code()), (400, "InvalidRequestContent"), "{wrong}");
    }
    assert_eq!(server.delete(&lock).await.status, 200);
    assert_eq!(server.delete(&store("a")).await.status, 200);
}

#[tokio::test]
async fn ids_have_the_case_of_the_api() {
    let server = server().await;
    let put = server.put(&store("a").replace("resourceGroups", "resourcegroups"), &json!({})).await;
    assert_eq!(put.body["id"], store("a"), "{put:?}");
}

#[tokio::test]
async fn outputs_tell_keys_unless_they_are_secure() {
    let server = server().await;
    server.put(&store("a"), &json!({ "location": "here" })).await;
    let key = format!("[listKeys('{}', '2023-01-01').keys[0].value]", store("a"));
    let outputs = json!({ "key": { "type": "string", "value": key }, "safe": { "type": "securestring", "value": key } });
    let deployment =
        deploy(&server, "d", json!({ "template": template(json!({ "outputs": outputs })) })).await;
    let listed = server.post(&format!("{}/listKeys", store("a")), &json!({})).await;
    let outputs = &deployment["properties"]["outputs"];
    assert_eq!(outputs["key"]["value"], listed.body["keys"][0]["value"], "{deployment}");
    assert_eq!(outputs["safe"], json!({ "type": "SecureString" }));
}

#[tokio::test]
async fn a_stack_removes_what_it_does_not_have_any_more() {
    let server = server().await;
    let stack = format!("{GROUP}/providers/Microsoft.Resources/deploymentStacks/s");
    let body = |names: &[&str], action: &str| {
        let resources: Vec<Value> = names.iter().map(|name| thing(name)).collect();
        json!({ "properties": {
            "template": template(json!({ "resources": resources })),
            "actionOnUnmanage": { "resources": action, "resourceGroups": "detach" },
            "denySettings": { "mode": "none" },
        } })
    };
    let thing = |name: &str| format!("{GROUP}/providers/Test.Things/things/{name}");
    let made = server.put(&stack, &body(&["a", "b"], "delete")).await;
    assert_eq!(
        (made.status, &made.body["properties"]["provisioningState"]),
        (201, &json!("succeeded")),
        "{made:?}"
    );
    assert_eq!(made.body["properties"]["resources"].as_array().unwrap().len(), 2);
    let changed = server.put(&stack, &body(&["a", "c"], "delete")).await;
    assert_eq!(changed.status, 200);
    assert_eq!(changed.body["properties"]["deletedResources"], json!([{ "id": thing("b") }]));
    assert_eq!(server.head(&thing("b")).await, 404);
    let detached = server.put(&stack, &body(&["a"], "detach")).await;
    assert_eq!(detached.body["properties"]["detachedResources"], json!([{ "id": thing("c") }]));
    assert_eq!(server.head(&thing("c")).await, 204);
    let list = server.get(&format!("{GROUP}/providers/Microsoft.Resources/deploymentStacks")).await;
    assert_eq!(names(&list), ["s"]);
    let exported = server.post(&format!("{stack}/exportTemplate"), &json!({})).await;
    assert_eq!(exported.body["template"]["resources"][0]["name"], "a");
    let validated = server.post(&format!("{stack}/validate"), &body(&["z"], "detach")).await;
    assert_eq!(validated.body["properties"]["validatedResources"], json!([{ "id": thing("z") }]));
    let query = "?api-version=2024-03-01&unmanageAction.Resources=delete";
    assert_eq!(server.delete(&format!("{stack}{query}")).await.status, 200);
    assert_eq!(server.head(&thing("a")).await, 404);
    assert_eq!(server.get(&stack).await.code(), "DeploymentStackNotFound");
}

#[tokio::test]
async fn stacks_have_three_scopes() {
    let server = server().await;
    let schema = |name: &str| format!("https://schema.management.azure.com/schemas/2019-08-01/{name}.json#");
    for (scope, schema) in [
        (GROUP, SCHEMA.to_owned()),
        (SUBSCRIPTION, schema("subscriptionDeploymentTemplate")),
        ("/providers/Microsoft.Management/managementGroups/m", schema("managementGroupDeploymentTemplate")),
    ] {
        let stack = format!("{scope}/providers/Microsoft.Resources/deploymentStacks/s");
        let body = json!({ "location": "westeurope", "properties": {
            "template": { "$schema": schema, "contentVersion": "1.0.0.0", "resources": [] },
            "actionOnUnmanage": { "resources": "detach" }, "denySettings": { "mode": "none" },
        } });
        let made = server.put(&stack, &body).await;
        assert_eq!(
            (made.status, &made.body["properties"]["provisioningState"]),
            (201, &json!("succeeded")),
            "{made:?}"
        );
        assert_eq!(server.get(&stack).await.body["id"], stack);
        let list = server.get(&format!("{scope}/providers/Microsoft.Resources/deploymentStacks")).await;
        assert_eq!(names(&list), ["s"], "{scope}: those of groups are not stacks of the subscription");
    }
    for scope in [GROUP, SUBSCRIPTION, "/providers/Microsoft.Management/managementGroups/m"] {
        let stack =
            format!("{scope}/providers/Microsoft.Resources/deploymentStacks/s?api-version=2024-03-01");
        assert_eq!(server.delete(&stack).await.status, 200);
    }
}

#[tokio::test]
async fn roles_and_policies_are_kept_at_their_scope() {
    let server = server().await;
    for (of, name) in
        [("roleAssignments", "11111111-1111-1111-1111-111111111111"), ("policyAssignments", "p")]
    {
        let list = format!("{GROUP}/providers/Microsoft.Authorization/{of}");
        let path = format!("{list}/{name}");
        let made = server.put(&path, &json!({ "properties": { "displayName": "kept" } })).await;
        assert_eq!(made.status, 201, "{made:?}");
        assert_eq!(server.get(&path).await.body["properties"]["displayName"], "kept");
        assert_eq!(names(&server.get(&list).await), [name]);
        assert_eq!(server.delete(&path).await.status, 200);
        assert_eq!(names(&server.get(&list).await), [""; 0]);
    }
}

#[tokio::test]
async fn what_a_stack_denies_is_left_to_the_stack() {
    let server = server().await;
    let stack = format!("{GROUP}/providers/Microsoft.Resources/deploymentStacks/s");
    let body = |mode: &str, names: &[&str]| {
        let resources: Vec<Value> = names.iter().map(|name| thing(name)).collect();
        json!({ "properties": {
            "template": template(json!({ "resources": resources })),
            "actionOnUnmanage": { "resources": "delete" }, "denySettings": { "mode": mode },
        } })
    };
    let id = |name: &str| format!("{GROUP}/providers/Test.Things/things/{name}");
    let misspelt = server.put(&stack, &body("denyWrite", &["a"])).await;
    assert_eq!((misspelt.status, misspelt.code()), (400, "InvalidDeploymentStack"), "{misspelt:?}");
    let made = server.put(&stack, &body("denyWriteAndDelete", &["a", "b"])).await;
    assert_eq!(made.body["properties"]["resources"][0]["denyStatus"], "denyWriteAndDelete", "{made:?}");
    for refused in [server.delete(&id("a")).await, server.put(&id("a"), &json!({})).await] {
        assert_eq!((refused.status, refused.code()), (403, "DenyAssignmentAuthorizationFailed"));
    }
    let other = template(json!({ "resources": [thing("a")] }));
    let deployment = deploy(&server, "other", json!({ "mode": "Incremental", "template": other })).await;
    assert_eq!(deployment["properties"]["provisioningState"], "Failed", "{deployment}");
    assert_eq!(server.put(&id("c"), &json!({})).await.status, 201, "what it does not manage is free");
    let changed = server.put(&stack, &body("denyDelete", &["a"])).await;
    assert_eq!(changed.body["properties"]["provisioningState"], "succeeded", "{changed:?}");
    assert_eq!(server.head(&id("b")).await, 404, "the stack itself may remove it");
    assert_eq!(server.put(&id("a"), &json!({})).await.status, 200);
    assert_eq!(server.delete(&id("a")).await.status, 403);
    let query = "?api-version=2024-03-01&unmanageAction.Resources=detach";
    assert_eq!(server.delete(&format!("{stack}{query}")).await.status, 200);
    assert_eq!(server.delete(&id("a")).await.status, 200);
}

#[tokio::test]
async fn templates_of_a_folder_are_linked_by_the_address_of_the_server() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("linked");
    let inner = json!({
        "type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "inner",
        "properties": { "mode": "Incremental", "templateLink": { "relativePath": "parts/inner.json" } },
    });
    let output = |value: &str| json!({ "o": { "type": "int", "value": value } });
    let main = template(json!({
        "resources": [inner], "outputs": output("[reference('inner').outputs.o.value]"),
    }));
    std::fs::create_dir_all(folder.join("parts")).unwrap();
    std::fs::write(folder.join("main file.json"), main.to_string()).unwrap();
    let part = template(json!({ "outputs": output("[add(3, 4)]") }));
    std::fs::write(folder.join("parts/inner.json"), part.to_string()).unwrap();
    std::fs::write(root.path().join("outside.json"), part.to_string()).unwrap();
    let engine = deploy::Options { linked_templates: Some(folder.clone()), ..deploy::Options::default() };
    let server = Server::with(crate::server::Setup { engine, ..Default::default() }).await;
    server.make_group().await;
    assert_eq!(server.get("/templates/parts/inner.json").await.body, part);
    let link = |path: &str| json!({ "templateLink": { "uri": format!("{}/templates/{path}", server.url) } });
    let deployment = deploy(&server, "d", link("main%20file.json?sp=r")).await;
    assert_eq!(deployment["properties"]["outputs"]["o"]["value"], 7, "{deployment}");
    // Parameters may be linked as well.
    let values = json!({ "parameters": { "n": { "value": 4 } } });
    std::fs::write(folder.join("values.json"), values.to_string()).unwrap();
    let doubled = template(json!({
        "parameters": { "n": { "type": "int" } }, "outputs": output("[mul(parameters('n'), 2)]"),
    }));
    let uri = format!("{}/templates/values.json", server.url);
    let properties = json!({ "mode": "Incremental", "template": doubled, "parametersLink": { "uri": uri } });
    let deployment = deploy(&server, "values", properties).await;
    assert_eq!(deployment["properties"]["outputs"]["o"]["value"], 8, "{deployment}");
    let path = format!("{GROUP}/providers/Microsoft.Resources/deployments/x");
    for wrong in ["absent.json", "../outside.json", "%2e%2e/outside.json"] {
        let refused = server.put(&path, &json!({ "properties": link(wrong) })).await;
        assert_eq!(refused.code(), "InvalidContentLink", "{wrong}: {refused:?}");
    }
}

#[tokio::test]
async fn a_group_is_exported_as_bicep() {
    let server = server().await;
    server.put(&store("a"), &json!({ "location": "here", "kind": "StorageV2" })).await;
    let body = json!({ "resources": ["*"], "outputFormat": "Bicep", "options": "SkipAllParameterization" });
    let exported = server.post(&format!("{GROUP}/exportTemplate"), &body).await;
    let bicep = exported.body["output"].as_str().unwrap_or_default();
    assert!(bicep.contains("  name: 'a'\n  location: 'here'\n"), "{exported:?}");
    let other = json!({ "resources": ["*"], "outputFormat": "Terraform" });
    assert_eq!(server.post(&format!("{GROUP}/exportTemplate"), &other).await.status, 400);
}

#[tokio::test]
async fn names_of_tags_are_set_down() {
    let server = server().await;
    let name = format!("{SUBSCRIPTION}/tagNames/cost");
    let value = format!("{name}/tagValues/blue");
    assert_eq!(server.put(&value, &json!({})).await.code(), "TagNameNotFound");
    assert_eq!(server.put(&name, &json!({})).await.status, 201);
    assert_eq!(server.put(&name, &json!({})).await.status, 200);
    assert_eq!(server.put(&value, &json!({})).await.body["tagValue"], "blue");
    server.put(&store("a"), &json!({ "location": "here", "tags": { "cost": "red" } })).await;
    let list = server.get(&format!("{SUBSCRIPTION}/tagNames")).await;
    let values = |at: usize| &list.body["value"][0]["values"][at];
    assert_eq!(
        (&values(0)["tagValue"], &values(0)["count"]["value"]),
        (&json!("blue"), &json!(0)),
        "{list:?}"
    );
    assert_eq!(
        (&values(1)["tagValue"], &values(1)["count"]["value"]),
        (&json!("red"), &json!(1)),
        "{list:?}"
    );
    assert_eq!(server.delete(&format!("{name}/tagValues/red")).await.code(), "TagInUse");
    assert_eq!(server.delete(&name).await.code(), "TagInUse");
    server.delete(&store("a")).await;
    assert_eq!(server.delete(&name).await.code(), "TagHasValues");
    assert_eq!(server.delete(&value).await.status, 200);
    assert_eq!(server.delete(&name).await.status, 200);
    assert_eq!(server.delete(&name).await.status, 204);
    let resources = server.get(&format!("{SUBSCRIPTION}/resources")).await;
    assert_eq!(resources.body["value"], json!([]), "names are no resources");
}

#[tokio::test]
async fn template_specs_are_deployed_by_id() {
    let server = server().await;
    let spec = format!("{GROUP}/providers/Microsoft.Resources/templateSpecs/spec");
    server.put(&spec, &json!({ "location": "here", "properties": {} })).await;
    let version = format!("{spec}/versions/1.0");
    let main =
        template(json!({ "resources": [thing("a")], "outputs": { "o": { "type": "int", "value": 7 } } }));
    server.put(&version, &json!({ "location": "here", "properties": { "mainTemplate": main } })).await;
    assert_eq!(names(&server.get(&format!("{spec}/versions")).await), ["1.0"]);
    let expanded = server.get(&format!("{spec}?api-version=2022-02-01&$expand=versions")).await;
    assert!(expanded.body["properties"]["versions"]["1.0"]["timeCreated"].is_string(), "{expanded:?}");
    let deployment = deploy(&server, "d", json!({ "templateLink": { "id": version } })).await;
    assert_eq!(deployment["properties"]["outputs"]["o"]["value"], 7, "{deployment}");
    // The same inside of another template.
    let module = json!({
        "type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "inner",
        "properties": { "mode": "Incremental", "templateLink": { "id": version } },
    });
    let deployment = deploy(
        &server,
        "outer",
        json!({ "template": template(json!({
        "resources": [module],
        "outputs": { "o": { "type": "int", "value": "[reference('inner').outputs.o.value]" } },
    })) }),
    )
    .await;
    assert_eq!(deployment["properties"]["outputs"]["o"]["value"], 7, "{deployment}");
    let path = format!("{GROUP}/providers/Microsoft.Resources/deployments/x");
    let body = json!({ "properties": { "templateLink": { "uri": "https://example.com/main.json" } } });
    assert_eq!(server.put(&path, &body).await.code(), "InvalidContentLink");
}

#[tokio::test]
async fn templates_that_were_packed_with_a_template_spec_are_linked_by_their_path() {
    let server = server().await;
    let spec = format!("{GROUP}/providers/Microsoft.Resources/templateSpecs/packed");
    server.put(&spec, &json!({ "location": "here", "properties": {} })).await;
    let version = format!("{spec}/versions/2");
    let linked = |name: &str, path: &str| {
        let properties = json!({ "mode": "Incremental", "templateLink": { "relativePath": path } });
        let resource = json!({
            "type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": name, "properties": properties,
        });
        let output = format!("[reference('{name}').outputs.o.value]");
        template(json!({ "resources": [resource], "outputs": { "o": { "type": "int", "value": output } } }))
    };
    let leaf = template(json!({ "outputs": { "o": { "type": "int", "value": 5 } } }));
    let body = |deepest: &str| {
        json!({ "location": "here", "properties": {
            "mainTemplate": linked("middle", "parts/middle.json"),
            "linkedTemplates": [
                { "path": "parts\\middle.json", "template": linked("leaf", deepest) },
                { "path": "leaf.json", "template": leaf },
            ],
        } })
    };
    server.put(&version, &body("../leaf.json")).await;
    let link = json!({ "templateLink": { "id": version } });
    let deployment = deploy(&server, "d", link.clone()).await;
    assert_eq!(deployment["properties"]["outputs"]["o"]["value"], 5, "{deployment}");
    server.put(&version, &body("leaf.json")).await;
    let path = format!("{GROUP}/providers/Microsoft.Resources/deployments/x");
    let refused = server.put(&path, &json!({ "properties": link })).await;
    assert_eq!(refused.code(), "InvalidContentLink", "it is not beside its parent: {refused:?}");
}

#[tokio::test]
async fn parameters_take_secrets_of_vaults() {
    let server = server().await;
    let vault = format!("{GROUP}/providers/Microsoft.KeyVault/vaults/v");
    server.put(&vault, &json!({ "location": "here", "properties": {} })).await;
    let secret = format!("{vault}/secrets/pw");
    server.put(&secret, &json!({ "properties": { "value": "hunter2hunter2" } })).await;
    let read = server.get(&secret).await;
    assert!(!read.body.to_string().contains("hunter2"), "{read:?}");
    let properties = |name: &str| {
        json!({
            "template": template(json!({
                "parameters": { "pw": { "type": "securestring" } },
                "outputs": { "length": { "type": "int", "value": "[length(parameters('pw'))]" } },
            })),
            "parameters": { "pw": { "reference": { "keyVault": { "id": vault }, "secretName": name } } },
        })
    };
    let deployment = deploy(&server, "d", properties("pw")).await;
    assert!(!deployment.to_string().contains("hunter2"), "{deployment}");
    assert_eq!(deployment["properties"]["provisioningState"], "Succeeded", "{deployment}");
    let path = format!("{GROUP}/providers/Microsoft.Resources/deployments/x");
    let refused = server.put(&path, &json!({ "properties": properties("absent") })).await;
    assert_eq!(refused.code(), "KeyVaultParameterReferenceSecretRetrieveFailed");
}

#[tokio::test]
async fn what_is_wrong_is_the_result_of_what_if() {
    let server = server().await;
    let path = format!("{GROUP}/providers/Microsoft.Resources/deployments/d/whatIf");
    let bad = template(json!({ "outputs": { "o": { "type": "string", "value": "[nothing()]" } } }));
    let answer =
        server.post(&path, &json!({ "properties": { "mode": "Incremental", "template": bad } })).await;
    assert_eq!((answer.status, answer.body["status"].as_str()), (200, Some("Failed")), "{answer:?}");
    assert_eq!(answer.code(), "DeploymentOutputEvaluationFailed");
}

#[tokio::test]
async fn operations_by_state_and_deployments_made_again() {
    let server = server().await;
    let broken = json!({ "type": "Test.Things/things", "apiVersion": "2024-01-01", "name": "b",
        "properties": { "x": "[reference('a').absent]" }, "dependsOn": ["a"] });
    deploy(&server, "d", json!({ "template": template(json!({ "resources": [thing("a"), broken] })) })).await;
    let path = format!("{GROUP}/providers/Microsoft.Resources/deployments/d");
    for (state, count) in [("Failed", 1), ("Succeeded", 1), ("Running", 0), ("Unheard", 0)] {
        let list = server
            .get(&format!(
                "{path}/operations?api-version=2025-04-01&$filter=provisioningState%20eq%20'{state}'"
            ))
            .await;
        assert_eq!(list.body["value"].as_array().unwrap().len(), count, "{state}: {list:?}");
    }
    let again = server.post(&format!("/watch/redeploy{path}"), &json!({})).await;
    assert_eq!(again.status, 202, "{again:?}");
}

#[tokio::test]
async fn subscriptions_tags_and_the_activity_log() {
    let server = server().await;
    assert_eq!(server.get(SUBSCRIPTION).await.status, 200);
    let absent = server.get("/subscriptions/00000000-0000-0000-0000-0000000000ff").await;
    assert_eq!((absent.status, absent.code()), (404, "SubscriptionNotFound"));
    for list in [
        "resourceGroups",
        "resources",
        "providers/Microsoft.Web/sites",
        "providers/Microsoft.Resources/deployments",
        "providers/Microsoft.Resources/deploymentStacks",
    ] {
        let absent = server.get(&format!("/subscriptions/00000000-0000-0000-0000-0000000000ff/{list}")).await;
        assert_eq!((absent.status, absent.code()), (404, "SubscriptionNotFound"), "{list}");
        let there = server.get(&format!("/subscriptions/00000000-0000-0000-0000-000000000001/{list}")).await;
        assert_eq!(there.body["value"], json!([]), "{list}");
        let absent = server.get(&format!("{SUBSCRIPTION}/resourceGroups/none/{list}")).await;
        assert_eq!(absent.status, 404, "{list}");
    }
    server.put(&store("a"), &json!({ "location": "here", "tags": { "team": "blue" } })).await;
    let tags = server.get(&format!("{SUBSCRIPTION}/tagNames")).await;
    assert_eq!(tags.body["value"][0]["tagName"], "team", "{tags:?}");
    deploy(&server, "d", json!({ "template": template(json!({})) })).await;
    let log = server
        .get(&format!("{SUBSCRIPTION}/providers/Microsoft.Insights/eventtypes/management/values"))
        .await;
    assert_eq!(log.body["value"][0]["status"]["value"], "Succeeded", "{log:?}");
    for path in ["/healthz", "/readyz"] {
        assert_eq!(server.get(path).await.status, 200, "{path}");
    }
}
