//! Whole templates to resources.

use arm::expand::Expansion;
use arm::{ResourceQuery, Secrets, State, Value};
use expect_test::{Expect, expect};

use crate::support::{document, expand, expand_with, template, told};

/// Expands and prints one line for each resource: id, condition, what it waits for.
#[track_caller]
fn check(language: &str, sections: &str, expected: &Expect) {
    let template = template(&document(language, sections));
    expected.assert_eq(&shown(&expand(&template, "{}")));
}

fn shown(expansion: &Expansion) -> String {
    let mut out = told(&expansion.errors);
    for (at, planned) in expansion.resources.iter().enumerate() {
        let id = planned.id.as_ref().map_or_else(|| "-".into(), |id| id.to_json(Secrets::Hidden));
        out.push_str(&format!(
            "{at} {}",
            id.as_str().unwrap_or("-").replace("/subscriptions/S/resourceGroups/G", "~")
        ));
        if planned.existing {
            out.push_str(" existing");
        }
        if planned.condition.is_unknown() {
            out.push_str(&format!(" if {}", planned.condition.to_json(Secrets::Hidden)));
        }
        if !planned.depends_on.is_empty() {
            out.push_str(&format!(" after {:?}", planned.depends_on));
        }
        out.push('\n');
    }
    for (name, output) in &expansion.outputs {
        out.push_str(&format!("{name} = {}\n", output.value.to_json(Secrets::Hidden)));
    }
    out
}

#[test]
fn classic_templates() {
    check(
        "1",
        r#"
        "variables": {"v": "vnet"},
        "resources": [
            {"type": "M.N/vnets", "apiVersion": "1", "name": "[variables('v')]", "properties": {},
             "resources": [{"type": "subnets", "apiVersion": "1", "name": "a", "dependsOn": ["[variables('v')]"]}]},
            {"type": "M.N/nics", "apiVersion": "1", "name": "nic", "dependsOn": ["[resourceId('M.N/vnets/subnets', 'vnet', 'a')]", "M.N/vnets/vnet"],
             "properties": {"x": "[reference('vnet').y]"}},
            {"condition": false, "type": "M.N/off", "apiVersion": "1", "name": "off"},
            {"type": "M.A/locks", "apiVersion": "1", "name": "lock", "scope": "M.N/vnets/vnet", "dependsOn": ["off"]},
            {"type": "M.A/locks", "apiVersion": "1", "name": "lock", "scope": "/subscriptions/S/resourceGroups/other"}
        ]"#,
        &expect![[r#"
            0 ~/providers/M.N/vnets/vnet
            1 ~/providers/M.N/vnets/vnet/subnets/a after [0]
            2 ~/providers/M.N/nics/nic after [0, 1]
            3 ~/providers/M.N/vnets/vnet/providers/M.A/locks/lock
            4 /subscriptions/S/resourceGroups/other/providers/M.A/locks/lock
        "#]],
    );
}

#[test]
fn symbolic_templates() {
    check(
        "2.0",
        r#"
        "resources": {
            "a": {"type": "M.N/a", "apiVersion": "1", "name": "[resourceInfo('b').name]", "dependsOn": ["b"]},
            "b": {"existing": true, "type": "M.N/b", "apiVersion": "1", "name": "bee", "resourceGroup": "other"},
            "c": {"type": "M.N/c", "apiVersion": "1", "name": "c", "properties": {"x": "[reference('a').y]", "keys": "[listKeys('b', '1').k]"}}
        },
        "outputs": {"x": {"type": "string", "value": "[reference('c').z]"}, "none": {"condition": false, "type": "int", "value": "[fail('x')]"}}"#,
        &expect![[r#"
            0 ~/providers/M.N/a/bee after [1]
            1 /subscriptions/S/resourceGroups/other/providers/M.N/b/bee existing
            2 ~/providers/M.N/c/c after [0, 1]
            x = "[reference('/subscriptions/S/resourceGroups/G/providers/M.N/c/c', '1').z]"
        "#]],
    );
}

#[test]
fn loops() {
    check(
        "2.0",
        r#"
        "variables": {"copy": [{"name": "squares", "count": 3, "input": "[mul(copyIndex('squares'), copyIndex('squares'))]"}]},
        "resources": {
            "vms": {"copy": {"name": "vms", "count": "[length(variables('squares'))]", "mode": "serial", "batchSize": 2},
                "type": "M.N/vm", "apiVersion": "1", "name": "[format('vm{0}', variables('squares')[copyIndex()])]",
                "properties": {"copy": [{"name": "disks", "count": 2, "input": "[format('{0}-{1}', copyIndex(), copyIndex('disks'))]"}], "after": true}},
            "one": {"type": "M.N/one", "apiVersion": "1", "name": "one", "dependsOn": ["[format('vms[{0}]', 1)]"]},
            "all": {"type": "M.N/all", "apiVersion": "1", "name": "all", "dependsOn": ["vms", "none"]},
            "none": {"copy": {"name": "none", "count": 0}, "type": "M.N/x", "apiVersion": "1", "name": "x"}
        },
        "outputs": {"o": {"type": "array", "copy": {"count": 2, "input": "[copyIndex()]"}}}"#,
        &expect![[r#"
            0 ~/providers/M.N/vm/vm0
            1 ~/providers/M.N/vm/vm1
            2 ~/providers/M.N/vm/vm4 after [0, 1]
            3 ~/providers/M.N/one/one after [1]
            4 ~/providers/M.N/all/all after [0, 1, 2]
            o = [0,1]
        "#]],
    );
}

#[test]
fn loop_bodies() {
    let template = template(&document(
        "1",
        r#""resources": [
        {"copy": {"name": "vms", "count": 2}, "type": "M.N/vm", "apiVersion": "1", "name": "[concat('vm', copyIndex(1))]",
         "properties": {"first": 1, "copy": [{"name": "disks", "count": 2, "input": {"n": "[copyIndex('disks', 1)]"}}]}}]"#,
    ));
    let expansion = expand(&template, "{}");
    assert_eq!(
        expansion.resources[1].body.to_json(Secrets::Hidden).to_string(),
        r#"{"properties":{"first":1,"disks":[{"n":1},{"n":2}]}}"#
    );
    assert_eq!(expansion.resources[1].name, Some(Value::from("vm2")));
}

#[test]
fn loop_errors() {
    for (count, reason) in
        [("801", "loop-count-out-of-range"), ("-1", "loop-count-out-of-range"), ("\"x\"", "bad-loop-count")]
    {
        let template = template(&document(
            "1",
            &format!(
                r#""resources": [{{"copy": {{"name": "c", "count": {count}}}, "type": "M.N/x", "apiVersion": "1", "name": "x"}}]"#
            ),
        ));
        let expansion = expand(&template, "{}");
        assert_eq!(expansion.errors[0].reason(), reason);
        assert!(
            expansion.errors[0].path().starts_with("resources[0].copy"),
            "{}",
            expansion.errors[0].path()
        );
    }
}

#[test]
fn cycles_are_told_as_paths() {
    check(
        "2.0",
        r#""resources": {
        "a": {"type": "M.N/a", "apiVersion": "1", "name": "a", "dependsOn": ["b"]},
        "b": {"type": "M.N/b", "apiVersion": "1", "name": "b", "dependsOn": ["c"]},
        "c": {"type": "M.N/c", "apiVersion": "1", "name": "c", "properties": {"x": "[reference('a').y]"}}}"#,
        &expect![[r#"
            cycle at resources.a: Circular dependency detected on resource: 'a' -> 'b' -> 'c' -> 'a'.
            0 ~/providers/M.N/a/a after [1]
            1 ~/providers/M.N/b/b after [2]
            2 ~/providers/M.N/c/c after [0]
        "#]],
    );
    check(
        "1",
        r#""variables": {"a": "[variables('b')]", "b": "[variables('a')]"}, "resources": []"#,
        &expect![[r#"
        cycle at variables.b: Circular dependency detected on value: 'a' -> 'b' -> 'a'.
    "#]],
    );
    check(
        "1",
        r#""resources": [{"type": "M.N/a", "apiVersion": "1", "name": "a", "dependsOn": ["nobody"]}]"#,
        &expect![[r#"
        no-such-dependency at resources[0].dependsOn: The dependency 'nobody' is not defined in the template.
        0 ~/providers/M.N/a/a
    "#]],
    );
}

/// A deployment of a template with one output and one resource.
fn nested(scope: &str, extra: &str) -> String {
    let inner = document(
        "1",
        r#"
        "parameters": {"p": {"type": "string", "defaultValue": "inner"}},
        "variables": {"v": "inner"},
        "resources": [{"type": "M.N/x", "apiVersion": "1", "name": "[variables('v')]"}],
        "outputs": {"out": {"type": "string", "value": "[concat(variables('v'), '!')]"}, "later": {"type": "string", "value": "[reference('inner').z]"}}"#,
    );
    format!(
        r#""variables": {{"v": "outer"}}, "resources": [{{"type": "Microsoft.Resources/deployments", "apiVersion": "2025-04-01", "name": "mod", {extra}
            "properties": {{"mode": "Incremental", "expressionEvaluationOptions": {{"scope": "{scope}"}}, "template": {inner}}}}}]"#
    )
}

fn inner_ids(expansion: &Expansion) -> Vec<String> {
    let inner = expansion.resources[0].deployment.as_ref().unwrap().expansion.as_ref().unwrap();
    let ids = inner.resources.iter().map(|planned| planned.id.as_ref().unwrap().to_json(Secrets::Hidden));
    ids.map(|id| id.as_str().unwrap().to_owned()).collect()
}

#[test]
fn nested_deployments_see_their_own_or_the_outer_names() {
    let inner = template(&document("1", &nested("inner", "")));
    assert_eq!(inner_ids(&expand(&inner, "{}")), ["/subscriptions/S/resourceGroups/G/providers/M.N/x/inner"]);
    let outer =
        template(&document("1", &nested("outer", "").replace("reference('inner')", "reference('outer')")));
    assert_eq!(inner_ids(&expand(&outer, "{}")), ["/subscriptions/S/resourceGroups/G/providers/M.N/x/outer"]);
}

#[test]
fn nested_deployments_go_elsewhere() {
    for (extra, expected) in [
        (r#""resourceGroup": "H","#, "/subscriptions/S/resourceGroups/H/providers/M.N/x/inner"),
        (
            r#""subscriptionId": "T", "resourceGroup": "H","#,
            "/subscriptions/T/resourceGroups/H/providers/M.N/x/inner",
        ),
        (r#""resourceGroup": "[utcNow2()]","#, ""),
    ] {
        let template = template(&document("1", &nested("inner", extra)));
        let expansion = expand(&template, "{}");
        if expected.is_empty() {
            assert_eq!(expansion.errors[0].reason(), "unknown-function");
        } else {
            assert_eq!(inner_ids(&expansion), [expected], "{extra}");
        }
    }
}

#[test]
fn known_outputs_of_nested_deployments_are_used() {
    let sections = nested("inner", "")
        + r#", "outputs": {
        "a": {"type": "string", "value": "[reference('mod').outputs.out.value]"},
        "b": {"type": "string", "value": "[reference(resourceId('Microsoft.Resources/deployments', 'mod'), '2025-04-01').outputs.later.value]"},
        "c": {"type": "string", "value": "[reference('mod').mode]"}}"#;
    check(
        "1",
        &sections,
        &expect![[r#"
        0 ~/providers/Microsoft.Resources/deployments/mod
        a = "inner!"
        b = "[reference('/subscriptions/S/resourceGroups/G/providers/M.N/x/inner', '1').z]"
        c = "[reference('/subscriptions/S/resourceGroups/G/providers/Microsoft.Resources/deployments/mod', '2025-04-01').mode]"
    "#]],
    );
}

#[test]
fn errors_of_nested_deployments_have_their_place() {
    let sections = nested("inner", "").replace("[concat(variables('v'), '!')]", "[div(1, 0)]");
    let template = template(&document("1", &sections));
    let expansion = expand(&template, "{}");
    expect![[r#"
        division-by-zero at resources[0].properties.template.outputs.out.value: The template function 'div' cannot divide by zero.
    "#]]
    .assert_eq(&told(&expansion.errors));
}

struct Deployed;

impl State for Deployed {
    fn resource(&self, query: &ResourceQuery<'_>) -> Option<Value> {
        let known = query.id.ends_with("/M.N/a/a") && query.api_version == Some("1");
        known.then(|| Value::object([("y", Value::from("state")), ("full", Value::bool(query.full))]))
    }
}

#[test]
fn state_answers_references() {
    let template = template(&document(
        "2.0",
        r#"
        "resources": {"a": {"existing": true, "type": "M.N/a", "apiVersion": "1", "name": "a"}},
        "outputs": {
            "symbol": {"type": "string", "value": "[reference('a').y]"},
            "id": {"type": "bool", "value": "[reference(resourceId('M.N/a', 'a'), '1', 'full').full]"},
            "other": {"type": "string", "value": "[reference('/x/y', '1').y]"}
        }"#,
    ));
    expect![[r#"
        0 ~/providers/M.N/a/a existing
        symbol = "state"
        id = true
        other = "[reference('/x/y', '1').y]"
    "#]]
    .assert_eq(&shown(&expand_with(&template, "{}", &Deployed)));
}

#[test]
fn what_is_left_open_can_be_resumed() {
    use arm::expand::{Deployment, Policy, Setup};
    let template = template(&document(
        "2.0",
        r#"
        "variables": {"prefix": "p-"},
        "resources": {
            "a": {"type": "M.N/a", "apiVersion": "1", "name": "a"},
            "b": {"copy": {"name": "b", "count": 1}, "type": "M.N/b", "apiVersion": "1", "name": "b",
                  "properties": {"list": "[map(createArray(1, 2), lambda('x', format('{0}{1}{2}{3}', variables('prefix'), reference('a').y, lambdaVariables('x'), copyIndex())))]"}}
        }"#,
    ));
    let open = expand(&template, "{}");
    assert_eq!(open.resources[1].depends_on, [0]);
    assert!(open.resources[1].body.has_unknown() && !open.gaps.is_empty());
    let budget = base::Budget::new(base::Limits::default());
    let setup = Setup {
        template: &template,
        inputs: &arm::parameters::Inputs::default(),
        context: &crate::support::here(),
        state: &Deployed,
        budget: &budget,
        policy: Policy::default(),
    };
    let deployment = Deployment::new(setup);
    let body = deployment.evaluator().resume(&open.resources[1].body).unwrap();
    assert_eq!(
        body.to_json(Secrets::Hidden).to_string(),
        r#"{"properties":{"list":["p-state10","p-state20"]}}"#
    );
}

#[test]
fn loops_of_unknown_length() {
    let template = template(&document(
        "2.0",
        r#"
        "resources": {
            "a": {"existing": true, "type": "M.N/a", "apiVersion": "1", "name": "a"},
            "b": {"type": "M.N/b", "apiVersion": "1", "name": "b", "properties": {
                "copy": [{"name": "x", "count": "[length(reference('a').y)]", "input": {"n": "[copyIndex('x', 1)]"}}]}}
        },
        "outputs": {"o": {"type": "array", "copy": {"count": "[length(reference('a').y)]", "input": "[format('{0}', copyIndex())]"}}}"#,
    ));
    let open = expand(&template, "{}");
    let of_a = "length(reference('/subscriptions/S/resourceGroups/G/providers/M.N/a/a', '1').y)";
    assert_eq!(
        open.outputs[0].1.value.to_json(Secrets::Hidden),
        format!("[map(range(0, {of_a}), lambda('turn', format('{{0}}', lambdaVariables('turn'))))]")
    );
    assert_eq!(
        open.resources[1].body.to_json(Secrets::Hidden)["properties"]["x"],
        format!("[map(range(0, {of_a}), lambda('x', createObject('n', add(lambdaVariables('x'), 1))))]")
    );
    let known = expand_with(&template, "{}", &Deployed);
    assert_eq!(known.outputs[0].1.value.to_json(Secrets::Hidden).to_string(), r#"["0","1","2","3","4"]"#);
}

#[test]
fn user_functions() {
    check(
        "2.0",
        r#"
        "functions": [{"namespace": "f", "members": {
            "twice": {"parameters": [{"name": "x", "type": "string"}], "output": {"type": "string", "value": "[concat(parameters('x'), parameters('x'))]"}},
            "four": {"parameters": [{"name": "x", "type": "string"}], "output": {"type": "object", "value": {"v": "[f.twice(f.twice(parameters('x')))]"}}}
        }}],
        "outputs": {
            "ok": {"type": "string", "value": "[F.Four('a').v]"},
            "kind": {"type": "string", "value": "[f.twice(1)]"}
        }, "resources": {}"#,
        &expect![[r#"
            wrong-type at outputs.kind.value: The value of 'f.twice.x' is not valid: expected a value of type 'String', but received 'Integer'.
            ok = "aaaa"
        "#]],
    );
    check(
        "2.0",
        r#"
        "functions": [{"namespace": "f", "members": {"loop": {"parameters": [], "output": {"type": "string", "value": "[f.loop()]"}}}}],
        "outputs": {"x": {"type": "string", "value": "[f.loop()]"}}, "resources": {}"#,
        &expect![[r#"
            limit at outputs.x.value: The evaluation was stopped: it is nested deeper than 512 levels.
        "#]],
    );
}

#[test]
fn assertions() {
    let template = template(&document(
        "2.0",
        r#""asserts": {"a": "[equals(1, 1)]", "b": "[less(2, 1)]"}, "resources": {}"#,
    ));
    let asserts = expand(&template, "{}").asserts;
    let asserts: Vec<_> = asserts.iter().map(|(name, value)| (name.as_str(), value.as_bool())).collect();
    assert_eq!(asserts, [("a", Some(true)), ("b", Some(false))]);
}

#[test]
fn scopes() {
    for (schema, expected) in [
        ("subscriptionDeploymentTemplate", "/subscriptions/S/providers/M.N/x/x"),
        ("tenantDeploymentTemplate", "/providers/M.N/x/x"),
        (
            "managementGroupDeploymentTemplate",
            "[managementGroupResourceId(managementGroup().name, 'M.N/x', 'x')]",
        ),
    ] {
        let text = document("1", r#""resources": [{"type": "M.N/x", "apiVersion": "1", "name": "x"}]"#);
        let template = template(&text.replace("deploymentTemplate", schema));
        let expansion = expand(&template, "{}");
        let id = expansion.resources[0].id.as_ref().unwrap().to_json(Secrets::Hidden);
        assert_eq!(id, expected);
    }
}
