//! The predicted result of a deployment.

use arm::parameters::Inputs;
use arm::{Context, snapshot};
use base::{Budget, Limits};
use expect_test::{Expect, expect};

use crate::support::{document, here, node, template, told};

#[track_caller]
fn check(context: &Context, sections: &str, inputs: &str, expected: &Expect) {
    let template = template(&document("2.0", sections));
    let (inputs, _) = Inputs::read(&node(inputs));
    let actual = match snapshot(&template, &inputs, context, &Budget::new(Limits::default())) {
        Ok(snapshot) => json::to_pretty(&snapshot.document) + "\n",
        Err(errors) => told(&errors),
    };
    expected.assert_eq(&actual);
}

#[test]
fn what_is_known_is_put_in_and_the_rest_stays_an_expression() {
    check(
        &here(),
        r#"
        "parameters": {"size": {"type": "string", "defaultValue": "small"}, "pw": {"type": "securestring"}},
        "resources": {
            "old": {"existing": true, "type": "M.N/old", "apiVersion": "1", "name": "old"},
            "site": {"type": "M.W/sites", "apiVersion": "2", "name": "[uniqueString(resourceGroup().id)]",
                "tags": {}, "kind": "app", "location": "[resourceGroup().location]", "plan": "[null()]",
                "dependsOn": ["old"],
                "properties": {"size": "[parameters('size')]", "key": "[reference('old').key]", "pw": "[parameters('pw')]",
                    "tenant": "[subscription().tenantId]", "map": {"[reference('old').name]": 1}}},
            "off": {"condition": "[equals(parameters('size'), 'big')]", "type": "M.W/off", "apiVersion": "2", "name": "off"}
        },
        "outputs": {
            "size": {"type": "string", "value": "[parameters('size')]"},
            "both": {"type": "object", "value": {"known": 1, "open": "[reference('site').host]"}}
        }"#,
        r#"{"parameters": {"pw": {"value": "hunter2"}}}"#,
        &expect![[r#"
            {
              "predictedResources": [
                {
                  "id": "/subscriptions/S/resourceGroups/G/providers/M.W/sites/mvdfhah4nyqrm",
                  "type": "M.W/sites",
                  "name": "mvdfhah4nyqrm",
                  "apiVersion": "2",
                  "location": "[resourceGroup().location]",
                  "kind": "app",
                  "tags": {},
                  "properties": {
                    "size": "small",
                    "key": "[reference('/subscriptions/S/resourceGroups/G/providers/M.N/old/old', '1').key]",
                    "pw": "<secure value>",
                    "tenant": "[tenant().tenantId]",
                    "map": {
                      "[reference('/subscriptions/S/resourceGroups/G/providers/M.N/old/old', '1').name]": 1
                    }
                  }
                }
              ],
              "diagnostics": [],
              "outputs": {
                "size": "small",
                "both": "[createObject('known', 1, 'open', reference('/subscriptions/S/resourceGroups/G/providers/M.W/sites/mvdfhah4nyqrm', '2').host)]"
              }
            }
        "#]],
    );
}

#[test]
fn resources_of_extensions_have_no_id() {
    check(
        &here(),
        r#"
        "imports": {"http": {"provider": "http", "version": "1.0"}},
        "resources": {
            "first": {"import": "http", "type": "request@v1", "properties": {"uri": "https://a"}},
            "second": {"import": "http", "type": "request@v1", "properties": {"uri": "[format('https://{0}', json(reference('first').body).host)]"}, "dependsOn": ["first"]}
        }"#,
        "{}",
        &expect![[r#"
            {
              "predictedResources": [
                {
                  "properties": {
                    "uri": "https://a"
                  },
                  "type": "request@v1"
                },
                {
                  "properties": {
                    "uri": "[format('https://{0}', json(reference('first').body).host)]"
                  },
                  "type": "request@v1"
                }
              ],
              "diagnostics": [],
              "outputs": {}
            }
        "#]],
    );
}

#[test]
fn an_unknown_place_gives_an_id_that_says_so() {
    check(
        &Context::default(),
        r#""resources": {"a": {"type": "M.N/a", "apiVersion": "1", "name": "x"}}"#,
        "{}",
        &expect![[r#"
        {
          "predictedResources": [
            {
              "id": "[resourceId(subscription().subscriptionId, resourceGroup().name, 'M.N/a', 'x')]",
              "type": "M.N/a",
              "name": "x",
              "apiVersion": "1"
            }
          ],
          "diagnostics": [],
          "outputs": {}
        }
    "#]],
    );
}

#[test]
fn modules_are_replaced_by_what_they_deploy() {
    let inner = document(
        "2.0",
        r#"
        "parameters": {"name": {"type": "string"}},
        "resources": {"x": {"type": "M.N/x", "apiVersion": "1", "name": "[parameters('name')]"}},
        "outputs": {"name": {"type": "string", "value": "[concat(parameters('name'), '2')]"}}"#,
    );
    let module = |name: &str, value: &str| {
        format!(
            r#"{{"type": "Microsoft.Resources/deployments", "apiVersion": "2025-04-01", "name": "{name}", "properties": {{
            "expressionEvaluationOptions": {{"scope": "inner"}}, "mode": "Incremental",
            "parameters": {{"name": {{"value": "{value}"}}}}, "template": {inner}}}}}"#
        )
    };
    let sections = format!(
        r#""resources": {{"two": {}, "one": {}, "far": {{"type": "Microsoft.Resources/deployments", "apiVersion": "2025-04-01", "name": "far",
            "properties": {{"mode": "Incremental", "templateLink": {{"uri": "https://x"}}}}}}}}"#,
        module("two", "[reference('one').outputs.name.value]"),
        module("one", "n")
    );
    check(
        &here(),
        &sections,
        "{}",
        &expect![[r#"
        {
          "predictedResources": [
            {
              "id": "/subscriptions/S/resourceGroups/G/providers/M.N/x/n2",
              "type": "M.N/x",
              "name": "n2",
              "apiVersion": "1"
            },
            {
              "id": "/subscriptions/S/resourceGroups/G/providers/M.N/x/n",
              "type": "M.N/x",
              "name": "n",
              "apiVersion": "1"
            },
            {
              "id": "/subscriptions/S/resourceGroups/G/providers/Microsoft.Resources/deployments/far",
              "type": "Microsoft.Resources/deployments",
              "name": "far",
              "apiVersion": "2025-04-01",
              "properties": {
                "mode": "Incremental",
                "templateLink": {
                  "uri": "https://x"
                }
              }
            }
          ],
          "diagnostics": [
            "/subscriptions/S/resourceGroups/G/providers/Microsoft.Resources/deployments/far Warning NestedDeploymentSkippedFromInternalExpansion: the template of this deployment is linked, so its resources are not shown"
          ],
          "outputs": {}
        }
    "#]],
    );
}

#[test]
fn subscriptions_hold_groups() {
    let text = document(
        "2.0",
        r#""resources": {"g": {"type": "Microsoft.Resources/resourceGroups", "apiVersion": "1", "name": "g", "location": "[deployment().location]"}}"#,
    );
    let template = template(&text.replace("deploymentTemplate", "subscriptionDeploymentTemplate"));
    let context =
        Context { subscription_id: Some("S".into()), location: Some("west".into()), ..Context::default() };
    let snapshot =
        snapshot(&template, &Inputs::default(), &context, &Budget::new(Limits::default())).unwrap();
    let group = &snapshot.document["predictedResources"][0];
    assert_eq!(
        (&group["id"], &group["location"]),
        (&"/subscriptions/S/resourceGroups/g".into(), &"west".into())
    );
}

#[test]
fn errors_are_told() {
    check(
        &here(),
        r#""parameters": {"stop": {"type": "bool", "defaultValue": true}}, "variables": {"foo": "[if(parameters('stop'), fail('must be false'), 'foo')]"}, "resources": {}"#,
        "{}",
        &expect![[r#"
        raised at variables.foo: The template variable 'foo' is not valid: must be false
    "#]],
    );
}
