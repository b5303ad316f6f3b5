//! Parameters, variables, outputs, functions, metadata and the frame of the template.

use super::{check, emitted, template};

#[test]
fn the_frame_depends_on_the_target_scope() {
    for (scope, schema) in [
        ("resourceGroup", "2019-04-01/deploymentTemplate.json#"),
        ("subscription", "2018-05-01/subscriptionDeploymentTemplate.json#"),
        ("managementGroup", "2019-08-01/managementGroupDeploymentTemplate.json#"),
        ("tenant", "2019-08-01/tenantDeploymentTemplate.json#"),
    ] {
        let template = template(&[("main.bicep", &format!("targetScope = '{scope}'"))]);
        let expected = format!("https://schema.management.azure.com/schemas/{schema}");
        assert_eq!(template["$schema"], expected);
    }
}

#[test]
fn the_mark_and_the_hash_are_in_the_metadata() {
    check(
        "metadata author = 'me'",
        r#"{"contentVersion": "1.0.0.0", "metadata": {
            "_generator": {"name": "sinew", "version": "1.2.3", "templateHash": "1883839518046135816"},
            "author": "me"
        }, "resources": []}"#,
    );
}

#[test]
fn decorators_of_parameters_have_a_fixed_order() {
    check(
        "@description('''a
          b''')
        @maxValue(9)
        @minValue(1)
        @metadata({ x: true })
        @allowed([1, 2])
        param p int = 1
        @secure()
        @minLength(3)
        param s string",
        r#"{"parameters": {
            "p": {"type": "int", "defaultValue": 1, "allowedValues": [1, 2],
                  "metadata": {"x": true, "description": "a\nb"}, "minValue": 1, "maxValue": 9},
            "s": {"type": "securestring", "minLength": 3}
        }}"#,
    );
}

#[test]
fn loops_of_variables_and_outputs_are_copies() {
    check(
        "param n int
        var plain = 1
        var names = [for i in range(0, n): 'x${i}']
        var pairs = [for (x, i) in names: { key: i, value: x }]
        output o array = [for x in names: x]",
        r#"{"variables": {
            "copy": [
                {"name": "names", "count": "[length(range(0, parameters('n')))]",
                 "input": "[format('x{0}', range(0, parameters('n'))[copyIndex('names')])]"},
                {"name": "pairs", "count": "[length(variables('names'))]",
                 "input": {"key": "[copyIndex('pairs')]", "value": "[variables('names')[copyIndex('pairs')]]"}}
            ],
            "plain": 1
        }, "outputs": {"o": {"type": "array",
            "copy": {"count": "[length(variables('names'))]", "input": "[variables('names')[copyIndex()]]"}}}}"#,
    );
    check(
        "var ones = [for i in range(0, 3): 1]",
        r#"{"variables": {"copy": [{"name": "ones", "count": "[length(range(0, 3))]", "input": "[int(1)]"}]}}"#,
    );
}

#[test]
fn variables_that_need_a_deployment_are_written_out() {
    check(
        "resource r 'A.B/c@2020-01-01' existing = { name: 'r' }
        var value = r.properties.x
        var again = '${value}!'
        var id = r.id
        output o string = again",
        r#"{"variables": {"id": "[resourceId('A.B/c', 'r')]"},
            "outputs": {"o": {"type": "string",
                "value": "[format('{0}!', reference(resourceId('A.B/c', 'r'), '2020-01-01').x)]"}}}"#,
    );
}

#[test]
fn functions_have_a_namespace() {
    check(
        "@export()
        @description('greets')
        func hello(name string, times int?) string => '${name}${times}'
        func twice(name string) string => hello(hello(name, 1), 2)
        output o string = twice('x')",
        r#"{"languageVersion": "2.0", "functions": [{"namespace": "__bicep", "members": {
            "hello": {
                "parameters": [{"type": "string", "name": "name"},
                               {"type": "int", "nullable": true, "name": "times"}],
                "output": {"type": "string", "value": "[format('{0}{1}', parameters('name'), parameters('times'))]"},
                "metadata": {"description": "greets", "__bicep_export!": true}
            },
            "twice": {
                "parameters": [{"type": "string", "name": "name"}],
                "output": {"type": "string", "value": "[__bicep.hello(__bicep.hello(parameters('name'), 1), 2)]"}
            }
        }}], "outputs": {"o": {"type": "string", "value": "[__bicep.twice('x')]"}}}"#,
    );
}

#[test]
fn functions_as_decorators_are_constraints() {
    check(
        "func atLeast(value int, min int) object => { kind: 'success' }
        func odd(value int) object => { kind: 'success' }
        @atLeast(3)
        param one int
        @odd()
        @atLeast(3)
        @maxValue(9)
        param two int",
        r#"{"parameters": {
            "one": {"type": "int",
                "userDefinedConstraint": {"namespace": "__bicep", "name": "atLeast", "additionalArguments": [3]}},
            "two": {"type": "int", "maxValue": 9, "userDefinedConstraint": [
                {"namespace": "__bicep", "name": "odd"},
                {"namespace": "__bicep", "name": "atLeast", "additionalArguments": [3]}
            ]}
        }}"#,
    );
}

#[test]
fn exported_variables_are_listed() {
    check(
        "@export()\n@description('d')\nvar b string = 'x'\n@export()\nvar a = 1",
        r#"{"metadata": {"_generator": {"name": "sinew", "version": "1.2.3", "templateHash": "3298350222469614148"},
            "__bicep_exported_variables!": [
                {"name": "a"},
                {"name": "b", "description": "d", "type": {"type": "string"}}
            ]}}"#,
    );
}

#[test]
fn the_source_map_leads_back() {
    let source = "param p string\nresource r 'A.B/c@2020-01-01' = {\n  name: p\n  properties: { x: 1, y: [ 'a', { z: 2 } ] }\n}\n\
        module m 'inner.json' = {\n  name: 'm'\n}\n";
    let inner = r#"{"resources": [{"type": "A.B/d", "name": ["n"]}]}"#;
    let text_of = |pointer: &str| {
        emitted(&[("main.bicep", source), ("inner.json", inner)], |emitted| {
            let place = emitted.source_map.find(pointer).expect("a place");
            place.file.text()[place.range].to_owned()
        })
    };
    assert_eq!(text_of("/parameters/p/type"), "param p string");
    assert_eq!(text_of("/resources/0/properties/x"), "x: 1");
    assert_eq!(text_of("/resources/0/properties/y/0"), "'a'");
    assert_eq!(text_of("/resources/0/properties/y/1/z"), "z: 2");
    assert!(text_of("/resources/0/type").starts_with("resource r"));
    assert_eq!(text_of("/resources/1/properties/template/resources/0/name/0"), "\"n\"");
    assert!(text_of("/resources/1/properties/mode").starts_with("module m"));
}
