//! Parameters, external inputs and constraints: what comes in is checked, secrets stay in memory.

use deploy::Paging;
use serde_json::{Value as Json, json};

use crate::support::{Bench, id, scope, symbolic, template};

fn echo(parameter: Json) -> Json {
    template(json!({
        "parameters": { "p": parameter },
        "outputs": { "p": { "type": "string", "value": "[parameters('p')]" } },
    }))
}

/// The outputs, or `code target: message`.
async fn check(properties: Json, expected: &str) {
    let bench = Bench::new().await;
    let outputs = bench.outputs("main", properties).await;
    let actual = match outputs.get("code") {
        Some(code) => format!(
            "{} {}: {}",
            code.as_str().unwrap(),
            outputs["target"],
            outputs["message"].as_str().unwrap()
        ),
        None => outputs["p"]["value"].to_string(),
    };
    assert_eq!(actual, expected);
}

#[tokio::test]
async fn external_inputs_in_both_shapes() {
    let expression = json!({ "p": { "expression": "[concat('pr', externalInputs('tail'))]" } });
    let template = || echo(json!({ "type": "string" }));
    for properties in [
        json!({ "template": template(), "parameters": expression,
            "externalInputDefinitions": { "tail": { "kind": "sys.envVar", "config": "TAIL" } },
            "externalInputs": { "tail": { "value": "obe" } } }),
        json!({ "template": template(), "parameters": expression,
            "externalInputs": { "tail": { "type": "sys.envVar", "config": "TAIL" } },
            "externalInputValues": { "tail": "obe" } }),
        json!({ "template": template(), "parameters": expression,
            "externalInputs": { "tail": { "type": "sys.envVar", "options": "TAIL" } },
            "externalInputValues": { "tail": "obe" } }),
    ] {
        check(properties, "\"probe\"").await;
    }
}

#[tokio::test]
async fn external_inputs_that_are_wrong() {
    let request = |expression: &str, rest: Json| {
        let mut properties = json!({ "template": echo(json!({ "type": "string" })), "parameters": { "p": { "expression": expression } } });
        for (name, value) in rest.as_object().unwrap() {
            properties[name] = value.clone();
        }
        properties
    };
    let defined = json!({ "externalInputDefinitions": { "a": { "kind": "sys.envVar" } } });
    check(
        request("[externalInputs('a')]", defined.clone()),
        "ExternalInputNotSupplied \"parameters.p\": The parameter 'p' needs the external input 'a', which has no value. \
         Send it in 'externalInputs', or use 'sinew deploy FILE.bicepparam --endpoint URL --input NAME=VALUE'.",
    )
    .await;
    check(
        request("[externalInputs('b')]", defined.clone()),
        "InvalidTemplate \"parameters.p.expression\": Deployment template validation failed: 'There is no external input 'b'.'",
    )
    .await;
    check(
        request("[int('x')]", defined),
        "InvalidTemplate \"parameters.p.expression\": Deployment template validation failed: 'The template function 'int' cannot be evaluated: the text is not a whole number.'",
    )
    .await;
    check(
        request("[externalInputs('a')]", json!({ "externalInputs": { "a": { "value": 1 } } })),
        "ExternalInputNotDefined \"externalInputs.a\": A value is supplied for the external input 'a', which is not defined.",
    )
    .await;
    check(
        request("[resourceGroup().id]", json!({})),
        "InvalidTemplate \"parameters.p.expression\": Deployment template validation failed: 'The template function 'resourceGroup' is not expected at this location.'",
    )
    .await;
}

#[tokio::test]
async fn external_values_are_not_kept() {
    let bench = Bench::new().await;
    let properties = json!({
        "template": template(json!({
            "parameters": { "p": { "type": "string" }, "s": { "type": "securestring" } },
            "outputs": { "s": { "type": "securestring", "value": "[parameters('s')]" } },
        })),
        "parameters": {
            "p": { "expression": "[substring(externalInputs('a'), 0, 3)]" }, "s": { "expression": "[externalInputs('b')]" },
        },
        "externalInputDefinitions": { "a": { "kind": "k" }, "b": { "kind": "k" } },
        "externalInputs": { "a": { "value": "visible-not" }, "b": { "value": "hunter2" } },
    });
    let deployment = bench.deploy("main", properties).await.unwrap();
    assert_eq!(
        deployment["properties"]["parameters"],
        json!({ "p": { "type": "String", "value": "vis" }, "s": { "type": "SecureString" } })
    );
    let told = format!(
        "{:?}{:?}{:?}",
        bench.engine.list(&scope(), None, &Paging::default()).await,
        bench.engine.operations(&id("main"), &Paging::default()).await,
        bench.engine.export_template(&id("main")).await,
    );
    assert!(!told.contains("visible-not") && !told.contains("hunter2"), "{told}");
    assert!(!told.contains("externalInputs\""), "{told}");
    // What was asked for is told, without the answers.
    assert_eq!(
        deployment["properties"]["externalInputDefinitions"],
        json!({ "a": { "kind": "k" }, "b": { "kind": "k" } })
    );
}

fn constrained(constraint: Json, function: Json) -> Json {
    symbolic(json!({
        "functions": [{ "namespace": "v", "members": { "f": {
            "parameters": [{ "name": "value", "type": "string" }],
            "output": { "type": "object", "value": function },
        } } }],
        "parameters": { "p": { "type": "string", "userDefinedConstraint": constraint } },
        "resources": {},
        "outputs": { "p": { "type": "string", "value": "[parameters('p')]" } },
    }))
}

#[tokio::test]
async fn constraints_of_the_user() {
    let f = || json!({ "namespace": "v", "name": "f" });
    for (constraint, function, expected) in [
        (f(), json!({ "kind": "success" }), "\"x\""),
        (
            f(),
            json!({ "kind": "failure", "errorMessage": "[concat(parameters('value'), ' is bad')]" }),
            "InvalidTemplate \"parameters.p.value\": Deployment template validation failed: 'The value of 'p' is not valid: x is bad.'",
        ),
        (
            f(),
            json!({ "kind": "other" }),
            "InvalidTemplate \"parameters.p.value\": Deployment template validation failed: 'The custom validator 'v.f' returned an invalid value: 'kind' must be 'success' or 'failure'.'",
        ),
        (
            json!({ "namespace": "v", "name": "g" }),
            json!({ "kind": "success" }),
            "InvalidTemplate \"parameters.p.value\": Deployment template validation failed: 'The custom validator 'v.g' is not a function of the template.'",
        ),
    ] {
        let template = constrained(constraint, function);
        check(json!({ "template": template, "parameters": { "p": { "value": "x" } } }), expected).await;
    }
}

#[tokio::test]
async fn requests_that_are_wrong() {
    let p = || echo(json!({ "type": "string" }));
    let value = json!({ "p": { "value": "x" } });
    for (properties, expected) in [
        (
            json!({}),
            "InvalidRequestContent \"properties.template\": The deployment has neither 'template' nor 'templateLink'.",
        ),
        (
            json!({ "template": p(), "parameters": value, "mode": "All" }),
            "InvalidRequestContent \"properties.mode\": There is no deployment mode 'All'.",
        ),
        (
            json!({ "templateLink": { "uri": "https://x" } }),
            "InvalidContentLink \"properties.templateLink\": The linked template 'https://x' is not here: a template spec of this server, or a file in the folder of linked templates, is expected.",
        ),
        (
            json!({ "template": p() }),
            "InvalidTemplate \"parameters.p\": Deployment template validation failed: 'The value for the template parameter 'p' is not provided.'",
        ),
        (
            json!({ "template": p(), "parameters": { "p": { "value": 1 } } }),
            "InvalidTemplate \"parameters.p.value\": Deployment template validation failed: 'The value of 'p' is not valid: expected a value of type 'String', but received 'Integer'.'",
        ),
        (
            json!({ "template": p(), "parameters": { "p": { "reference": { "keyVault": { "id": "/x" }, "secretName": "s" } } } }),
            "KeyVaultParameterReferenceSecretRetrieveFailed \"parameters.p\": The secret that the parameter 'p' refers to is not kept here.",
        ),
    ] {
        check(properties, expected).await;
    }
}

#[tokio::test]
async fn a_check_that_could_not_be_made_is_told() {
    let bench = Bench::new().await;
    let inner = template(json!({ "parameters": { "n": { "type": "int", "minValue": 3 } } }));
    let properties = json!({ "template": template(json!({ "resources": [
        { "type": "Test.Things/things", "apiVersion": "1", "name": "a", "properties": { "n": 1 } },
        { "type": "Microsoft.Resources/deployments", "apiVersion": "1", "name": "inner", "properties": {
            "mode": "Incremental", "template": inner, "expressionEvaluationOptions": { "scope": "inner" },
            "parameters": { "n": { "value": "[reference('a').n]" } },
        } },
    ] })) });
    let request =
        || deploy::DeploymentRequest::new(id("main"), &json!({ "properties": properties })).unwrap();
    let validated = bench.engine.validate(request()).await.unwrap();
    let diagnostic = &validated["properties"]["diagnostics"][0];
    assert_eq!(
        (diagnostic["code"].as_str(), diagnostic["target"].as_str()),
        (Some("CheckNotMade"), Some("resources[1].properties.template.parameters.n.value"))
    );
    // During the deployment the value is there and the check is made.
    let error = bench.outputs("main", properties.clone()).await;
    assert_eq!(error["details"][0]["code"], "InvalidTemplate", "{error}");
}
