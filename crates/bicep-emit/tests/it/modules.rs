//! Modules.

use super::{check_files, template};

#[test]
fn a_module_is_a_deployment_of_its_template() {
    check_files(
        &[
            (
                "main.bicep",
                "param rg string
                module m 'm.bicep' = {
                  name: 'm'
                  scope: resourceGroup(rg)
                  params: { a: 1, b: [for i in [1]: { x: i }] }
                }
                output o string = m.outputs.o",
            ),
            ("m.bicep", "param a int\nparam b array\noutput o string = 'x'"),
        ],
        r#"{"resources": [{
            "type": "Microsoft.Resources/deployments", "apiVersion": "2025-04-01", "name": "m",
            "resourceGroup": "[parameters('rg')]",
            "properties": {
                "expressionEvaluationOptions": {"scope": "inner"},
                "mode": "Incremental",
                "parameters": {
                    "a": {"value": 1},
                    "b": {"copy": [{"name": "value", "count": "[length(createArray(1))]",
                        "input": "[createObject('x', createArray(1)[copyIndex('value')])]"}]}
                },
                "template": {
                    "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
                    "contentVersion": "1.0.0.0",
                    "metadata": {"_generator": {"name": "sinew", "version": "1.2.3", "templateHash": "6785783819885300367"}},
                    "parameters": {"a": {"type": "int"}, "b": {"type": "array"}},
                    "resources": [],
                    "outputs": {"o": {"type": "string", "value": "x"}}
                }
            }
        }], "outputs": {"o": {"type": "string",
            "value": "[reference(extensionResourceId(format('/subscriptions/{0}/resourceGroups/{1}', subscription().subscriptionId, parameters('rg')), 'Microsoft.Resources/deployments', 'm'), '2025-04-01').outputs.o.value]"}}}"#,
    );
}

#[test]
fn modules_without_names_get_one() {
    let main =
        "module m 'm.bicep' = {}\nmodule ms 'm.bicep' = [for i in [1]: {}]\noutput o array = [ms[0].name]";
    let template = template(&[("main.bicep", main), ("m.bicep", "")]);
    assert_eq!(template["resources"]["m"]["name"], "[format('m-{0}', uniqueString('m', deployment().name))]");
    assert_eq!(
        template["resources"]["ms"]["name"],
        "[format('ms-{0}-{1}', copyIndex(), uniqueString('ms', deployment().name))]"
    );
    assert_eq!(
        template["outputs"]["o"]["value"][0],
        "[format('ms-{0}-{1}', 0, uniqueString('ms', deployment().name))]"
    );
}

#[test]
fn secrets_are_referred_to() {
    let main = "resource kv 'Microsoft.KeyVault/vaults@2020-01-01' existing = { name: 'kv' }
        param b bool
        module m 'm.bicep' = {
          name: 'm'
          params: { s: kv.getSecret('x', 'v1'), t: b ? kv.getSecret('x') : 'y' }
        }";
    let template = template(&[
        ("main.bicep", main),
        ("m.bicep", "@secure()\nparam s string\n@secure()\nparam t string"),
    ]);
    let parameters = &template["resources"][0]["properties"]["parameters"];
    assert_eq!(
        json::to_compact(parameters),
        concat!(
            r#"{"s":{"reference":{"keyVault":{"id":"[resourceId('Microsoft.KeyVault/vaults', 'kv')]"},"#,
            r#""secretName":"x","secretVersion":"v1"}},"t":"[if(parameters('b'), createObject('reference', "#,
            r#"createObject('keyVault', createObject('id', resourceId('Microsoft.KeyVault/vaults', 'kv')), "#,
            r#"'secretName', 'x')), createObject('value', 'y'))]"}"#
        )
    );
}

#[test]
fn secure_outputs_are_listed() {
    let template = template(&[
        (
            "main.bicep",
            "module m 'm.bicep' = { name: 'm' }\noutput o string = m.outputs.s\noutput p string = m.outputs.t",
        ),
        ("m.bicep", "@secure()\noutput s string = 'x'\noutput t string = 'y'"),
    ]);
    assert_eq!(template["languageVersion"], "2.0");
    assert_eq!(template["outputs"]["o"]["value"], "[listOutputsWithSecureValues('m', '2025-04-01').s]");
    assert_eq!(template["outputs"]["p"]["value"], "[reference('m').outputs.t.value]");
}

#[test]
fn modules_of_other_scopes_have_a_location() {
    let template = template(&[
        ("main.bicep", "module m 'm.bicep' = { name: 'm', scope: subscription() }"),
        ("m.bicep", "targetScope = 'subscription'"),
    ]);
    let module = &template["resources"][0];
    assert_eq!(module["subscriptionId"], "[subscription().subscriptionId]");
    assert_eq!(module["location"], "[resourceGroup().location]");
}

#[test]
fn templates_in_json_are_embedded_as_they_are() {
    let template = template(&[
        ("main.bicep", "module m 'm.json' = { name: 'm' }"),
        ("m.json", r#"{ "resources": [], "contentVersion": "9" }"#),
    ]);
    let inner = &template["resources"][0]["properties"]["template"];
    assert_eq!(json::to_compact(inner), r#"{"resources":[],"contentVersion":"9"}"#);
}

#[test]
fn a_choice_is_handed_on_by_its_sides_also_through_a_variable() {
    let main = "param on bool
        module first 'm.bicep' = if (on) { name: 'first', params: { a: '' } }
        var chosen = on ? first!.outputs.o : ''
        module second 'm.bicep' = { name: 'second', params: { a: chosen } }";
    let template = template(&[("main.bicep", main), ("m.bicep", "param a string\noutput o string = a")]);
    assert_eq!(
        template["resources"][1]["properties"]["parameters"]["a"],
        "[if(parameters('on'), createObject('value', reference(resourceId('Microsoft.Resources/deployments', \
         'first'), '2025-04-01').outputs.o.value), createObject('value', ''))]"
    );
}
