//! Incremental deployments: parameters, resources, references, nested deployments, outputs, operations.

use deploy::Paging;
use serde_json::{Value as Json, json};

use crate::support::{Bench, GROUP, SUBSCRIPTION, id, resource_id, scope, symbolic, template, thing};

#[tokio::test]
async fn resources_outputs_and_operations() {
    let bench = Bench::new().await;
    let template = template(json!({
        "parameters": {
            "name": { "type": "string", "minLength": 3 },
            "location": { "type": "string", "defaultValue": "[resourceGroup().location]" },
        },
        "variables": { "full": "[concat(parameters('name'), '-', uniqueString('snap', 'crackle', 'pop'))]" },
        "resources": [{
            "type": "Test.Things/things", "apiVersion": "2024-01-01", "name": "[variables('full')]",
            "location": "[parameters('location')]", "tags": { "made-by": "test" },
        }],
        "outputs": {
            "id": { "type": "string", "value": "[resourceId('Test.Things/things', variables('full'))]" },
            "sum": { "type": "int", "value": "[add(40, 2)]" },
        },
    }));
    let deployment = bench
        .deploy("main", json!({ "mode": "Incremental", "template": template, "parameters": { "name": { "value": "probe" } } }))
        .await
        .unwrap();
    let properties = &deployment["properties"];
    assert_eq!(properties["provisioningState"], "Succeeded", "{deployment}");
    let thing_id = resource_id("Test.Things/things", "probe-byghxckddilkc");
    assert_eq!(properties["outputs"]["id"], json!({ "type": "String", "value": thing_id }));
    assert_eq!(properties["outputs"]["sum"], json!({ "type": "Int", "value": 42 }));
    assert_eq!(properties["parameters"]["location"], json!({ "type": "String", "value": "westeurope" }));
    assert_eq!(properties["outputResources"], json!([{ "id": thing_id }]));
    let thing = bench.resource("Test.Things/things", "probe-byghxckddilkc").await.unwrap();
    assert_eq!(thing["location"], "westeurope");
    assert_eq!(thing["properties"]["provisioningState"], "Succeeded");
    let operations = bench.engine.operations(&id("main"), &Paging::default()).await.unwrap().items;
    let kinds: Vec<_> = operations
        .iter()
        .map(|operation| {
            let properties = &operation["properties"];
            let target = properties["targetResource"]["id"].as_str();
            (
                properties["provisioningOperation"].as_str().unwrap(),
                properties["provisioningState"].as_str().unwrap(),
                target,
            )
        })
        .collect();
    assert_eq!(
        kinds,
        [("Create", "Succeeded", Some(thing_id.as_str())), ("EvaluateDeploymentOutput", "Succeeded", None)]
    );
    let exported = bench.engine.export_template(&id("main")).await.unwrap();
    assert_eq!(exported["template"], template);
}

#[tokio::test]
async fn references_wait_for_what_they_refer_to() {
    let bench = Bench::new().await;
    let template = template(json!({
        "resources": [
            thing("second", json!({ "copied": "[reference('first').size]", "whole": "[reference('first', '2024-01-01', 'Full').location]" })),
            { "type": "Test.Things/things", "apiVersion": "2024-01-01", "name": "first", "location": "here", "properties": { "size": 7 } },
        ],
        "outputs": {
            "copied": { "type": "int", "value": "[reference('second').copied]" },
            "key": { "type": "bool", "value": "[greater(length(listKeys('first', '2024-01-01').keys[0].value), 0)]" },
        },
    }));
    let outputs = bench.outputs("main", json!({ "template": template })).await;
    assert_eq!(outputs["copied"]["value"], 7, "{outputs}");
    let second = bench.resource("Test.Things/things", "second").await.unwrap();
    assert_eq!(second["properties"]["whole"], "here");
}

#[tokio::test]
async fn symbolic_names_loops_conditions_and_existing_resources() {
    let bench = Bench::new().await;
    bench
        .engine
        .put_resource(&resource_id("Test.Things/things", "old"), "1", &json!({ "properties": { "n": 5 } }))
        .await
        .unwrap();
    let template = symbolic(json!({
        "resources": {
            "old": { "existing": true, "type": "Test.Things/things", "apiVersion": "1", "name": "old" },
            "many": {
                "copy": { "name": "many", "count": 3, "mode": "serial", "batchSize": 1 },
                "type": "Test.Things/things", "apiVersion": "1", "name": "[format('many{0}', copyIndex())]",
                "properties": { "n": "[add(reference('old').n, copyIndex())]" },
            },
            "never": { "condition": false, "type": "Test.Things/things", "apiVersion": "1", "name": "never" },
        },
        "outputs": {
            "all": { "type": "array", "copy": { "count": 3, "input": "[reference(format('many[{0}]', copyIndex())).n]" } },
            "mapped": { "type": "array", "value": "[map(references('many'), lambda('m', lambdaVariables('m').n))]" },
        },
    }));
    let outputs = bench.outputs("main", json!({ "template": template })).await;
    assert_eq!(outputs["all"]["value"], json!([5, 6, 7]), "{outputs}");
    assert_eq!(outputs["mapped"]["value"], json!([5, 6, 7]), "{outputs}");
    assert!(bench.resource("Test.Things/things", "never").await.is_err());
}

fn module(scope: &str, template: &Json, parameters: &Json) -> Json {
    json!({
        "type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "inner",
        "properties": {
            "mode": "Incremental", "template": template, "parameters": parameters,
            "expressionEvaluationOptions": { "scope": scope },
        },
    })
}

#[tokio::test]
async fn nested_deployments_are_deployments() {
    let bench = Bench::new().await;
    let inner = template(json!({
        "parameters": { "count": { "type": "int" }, "secret": { "type": "securestring" } },
        "resources": [{
            "type": "Test.Things/things", "apiVersion": "1", "name": "[concat('t', copyIndex())]",
            "copy": { "name": "loop", "count": "[parameters('count')]" },
            "properties": { "password": "[parameters('secret')]", "n": "[copyIndex()]" },
        }],
        "outputs": {
            "last": { "type": "int", "value": "[reference(concat('t', sub(parameters('count'), 1))).n]" },
            "hidden": { "type": "securestring", "value": "[concat(parameters('secret'), '!')]" },
        },
    }));
    // The number of things is only known once 'first' is there.
    let mut module = module(
        "inner",
        &inner,
        &json!({
            "count": { "value": "[reference('first').size]" }, "secret": { "value": "[parameters('secret')]" },
        }),
    );
    module["dependsOn"] = json!(["first"]);
    let outer = template(json!({
        "parameters": { "secret": { "type": "securestring" } },
        "resources": [
            thing("first", json!({ "size": 2 })),
            module,
            thing("after", json!({ "n": "[reference('inner').outputs.last.value]",
                "length": "[length(reference('inner').outputs.hidden.value)]" })),
        ],
        "outputs": { "last": { "type": "int", "value": "[reference('inner').outputs.last.value]" } },
    }));
    let properties = json!({ "template": outer, "parameters": { "secret": { "value": "hunter2" } } });
    let deployment = bench.deploy("main", properties).await.unwrap();
    assert_eq!(
        deployment["properties"]["outputs"],
        json!({ "last": { "type": "Int", "value": 1 } }),
        "{deployment}"
    );
    assert_eq!(deployment["properties"]["parameters"], json!({ "secret": { "type": "SecureString" } }));
    let inner = bench.engine.get(&id("inner")).await.unwrap();
    assert_eq!(inner["properties"]["outputs"]["hidden"], json!({ "type": "SecureString" }));
    assert_eq!(inner["properties"]["provisioningState"], "Succeeded");
    let t1 = bench.resource("Test.Things/things", "t1").await.unwrap();
    assert_eq!(
        t1["properties"],
        json!({ "n": 1, "provisioningState": "Succeeded" }),
        "the password is not kept"
    );
    let operations = bench.engine.operations(&id("inner"), &Paging::default()).await.unwrap().items;
    assert_eq!(operations.len(), 3);
    let everything = format!(
        "{operations:?}{:?}",
        bench.engine.list(&scope(), None, &Paging::default()).await.unwrap().items
    );
    assert!(!everything.contains("hunter2"));
}

#[tokio::test]
async fn nested_templates_may_belong_to_the_template_around() {
    let bench = Bench::new().await;
    let inner = template(json!({
        "resources": [thing("[parameters('name')]", json!({ "n": "[reference('first').size]" }))],
        "outputs": { "n": { "type": "int", "value": "[reference(resourceId('Test.Things/things', parameters('name')), '1').n]" } },
    }));
    let mut module = module("outer", &inner, &json!({}));
    module["dependsOn"] = json!(["first"]);
    let outer = template(json!({
        "parameters": { "name": { "type": "string" } },
        "resources": [thing("first", json!({ "size": 2 })), module],
        "outputs": { "n": { "type": "int", "value": "[reference('inner').outputs.n.value]" } },
    }));
    let outputs =
        bench.outputs("main", json!({ "template": outer, "parameters": { "name": { "value": "x" } } })).await;
    assert_eq!(outputs["n"]["value"], 2, "{outputs}");
}

#[tokio::test]
async fn groups_are_made_and_deployed_to() {
    let bench = Bench::new().await;
    let schema =
        "https://schema.management.azure.com/schemas/2018-05-01/subscriptionDeploymentTemplate.json#";
    let inner = template(json!({
        "resources": [thing("inside", json!({ "at": "[resourceGroup().location]" }))],
        "outputs": { "id": { "type": "string", "value": "[resourceGroup().id]" } },
    }));
    let template = json!({
        "$schema": schema, "contentVersion": "1.0.0.0",
        "resources": [
            { "type": "Microsoft.Resources/resourceGroups", "apiVersion": "2022-09-01", "name": "fresh", "location": "northeurope" },
            {
                "type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "inner",
                "resourceGroup": "fresh", "dependsOn": ["fresh"],
                "properties": { "mode": "Incremental", "template": inner, "expressionEvaluationOptions": { "scope": "inner" } },
            },
        ],
        "outputs": { "id": { "type": "string", "value": "[reference('inner').outputs.id.value]" } },
    });
    let scope = deploy::Scope::Subscription { id: SUBSCRIPTION.into() };
    let id = deploy::DeploymentId::new(scope, "sub");
    let body = json!({ "location": "westeurope", "properties": { "template": template } });
    bench.engine.put(deploy::DeploymentRequest::new(id.clone(), &body).unwrap()).await.unwrap();
    let deployment = bench.end(&id).await;
    let expected = format!("/subscriptions/{SUBSCRIPTION}/resourceGroups/fresh");
    assert_eq!(deployment["properties"]["outputs"]["id"]["value"], expected, "{deployment}");
    let inside = format!("{expected}/providers/Test.Things/things/inside");
    let inside = bench.engine.get_resource(&inside, "1").await.unwrap();
    assert_eq!(inside["properties"]["at"], "northeurope");
    assert!(bench.engine.get_group(SUBSCRIPTION, GROUP).await.is_ok());
}

#[tokio::test]
async fn a_failed_resource_fails_the_deployment_and_what_depends_on_it() {
    let bench = Bench::new().await;
    let template = template(json!({
        "resources": [
            thing("good", json!({})),
            { "type": "Test.Things/things/parts", "apiVersion": "1", "name": "absent/part", "properties": {} },
            { "type": "Test.Things/things", "apiVersion": "1", "name": "after", "dependsOn": ["absent/part"] },
        ],
    }));
    let error = bench.outputs("main", json!({ "template": template })).await;
    assert_eq!(error["code"], "DeploymentFailed");
    assert_eq!(error["details"][0]["code"], "ParentResourceNotFound", "{error}");
    assert!(bench.resource("Test.Things/things", "good").await.is_ok());
    assert!(bench.resource("Test.Things/things", "after").await.is_err());
}

#[tokio::test]
async fn some_parents_are_there_without_being_made() {
    let bench = Bench::new().await;
    let part =
        |name: &str| json!({ "type": "Test.Things/things/services/parts", "apiVersion": "1", "name": name });
    let good = template(json!({ "resources": [thing("a", json!({})), part("a/default/p")] }));
    let mut good = json!({ "template": good });
    good["template"]["resources"][1]["dependsOn"] = json!(["a"]);
    let outputs = bench.outputs("good", good).await;
    assert_eq!(outputs, json!({}));
    let bad = template(json!({ "resources": [part("a/other/p")] }));
    let error = bench.outputs("bad", json!({ "template": bad })).await;
    assert_eq!(error["details"][0]["code"], "ParentResourceNotFound", "{error}");
}

#[tokio::test]
async fn an_output_that_cannot_be_evaluated_fails_the_deployment() {
    let bench = Bench::new().await;
    let template = template(json!({
        "resources": [thing("a", json!({ "n": 1 }))],
        "outputs": { "o": { "type": "int", "value": "[reference('a').absent]" } },
    }));
    let error = bench.outputs("main", json!({ "template": template })).await;
    let detail = &error["details"][0];
    assert_eq!(detail["code"], "DeploymentOutputEvaluationFailed");
    assert_eq!(
        detail["message"],
        "The template output 'o' could not be evaluated: The language expression property 'absent' doesn't exist, \
         available properties are 'n, provisioningState'."
    );
    assert_eq!(detail["additionalInfo"][0]["info"]["path"], "outputs.o.value");
    assert!(bench.resource("Test.Things/things", "a").await.is_ok());
}

#[tokio::test]
async fn errors_say_which_part_of_the_template_they_are_about() {
    let bench = Bench::new().await;
    let template = template(json!({
        "resources": [thing("a", json!({ "n": 1 })), thing("b", json!({ "n": "[reference('a').absent]" }))],
    }));
    let error = bench.outputs("main", json!({ "template": template })).await;
    let detail = &error["details"][0];
    assert_eq!(detail["additionalInfo"][0]["info"]["path"], "resources[1].properties.n", "{error}");
    assert!(detail["message"].as_str().unwrap().contains("property 'absent' doesn't exist"), "{error}");
}

/// Every resource that failed has an operation that says why, and only what was made is told as made.
#[tokio::test]
async fn what_fails_while_it_is_evaluated_is_recorded() {
    let bench = Bench::new().await;
    let inner = template(json!({ "resources": [
        thing("deep", json!({})),
        thing("deeper", json!({ "n": "[reference('deep').absent]" })),
    ] }));
    let mut template = template(json!({
        "resources": [
            thing("first", json!({ "size": 7 })),
            thing("bad", json!({ "n": "[reference('first').absent]" })),
            thing("after", json!({ "n": "[reference('bad').n]" })),
            thing("skipped", json!({})),
            module("inner", &inner, &json!({})),
        ],
    }));
    template["resources"][3]["condition"] = json!("[equals(1, 2)]");
    let deployment = bench.deploy("main", json!({ "template": template })).await.unwrap();
    let properties = &deployment["properties"];
    assert_eq!(properties["provisioningState"], "Failed");
    assert_eq!(properties["error"]["code"], "DeploymentFailed");
    let details = properties["error"]["details"].as_array().unwrap();
    assert_eq!(details.len(), 2, "{deployment:#}");
    let bad = resource_id("Test.Things/things", "bad");
    assert_eq!(details[0]["code"], "InvalidTemplate");
    assert!(details[0]["message"].as_str().unwrap().contains("'absent' doesn't exist"), "{}", details[0]);
    assert_eq!(details[0]["additionalInfo"][0]["info"]["path"], "resources[1].properties.n");
    assert_eq!(details[1]["code"], "ResourceDeploymentFailure");
    let made = |names: &[&str]| -> Json {
        names.iter().map(|name| json!({ "id": resource_id("Test.Things/things", name) })).collect()
    };
    assert_eq!(properties["outputResources"], made(&["first", "deep"]));
    let states = |operations: &[Json]| -> Vec<(String, String)> {
        let text = |json: &Json| json.as_str().unwrap_or_default().to_owned();
        let pair = |o: &Json| {
            let properties = &o["properties"];
            (text(&properties["targetResource"]["resourceName"]), text(&properties["provisioningState"]))
        };
        operations.iter().map(pair).collect()
    };
    let operations = bench.engine.operations(&id("main"), &Paging::default()).await.unwrap().items;
    let mut found = states(&operations);
    found.sort();
    let pair = |name: &str, state: &str| (name.to_owned(), state.to_owned());
    assert_eq!(found, [pair("bad", "Failed"), pair("first", "Succeeded"), pair("inner", "Failed")]);
    let failed = operations.iter().find(|o| o["properties"]["targetResource"]["id"] == bad.as_str()).unwrap();
    assert_eq!(failed["properties"]["statusCode"], "BadRequest");
    assert_eq!(failed["properties"]["statusMessage"]["error"]["code"], "InvalidTemplate");
    let inner = bench.engine.operations(&id("inner"), &Paging::default()).await.unwrap().items;
    assert_eq!(states(&inner), [pair("deep", "Succeeded"), pair("deeper", "Failed")]);
}
