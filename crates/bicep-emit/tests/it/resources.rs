//! Resources: names, ids, scopes, loops, conditions and what they wait for.

use super::{check, check_output, template};

#[test]
fn parts_have_a_fixed_order() {
    check(
        "@description('d')
        @batchSize(2)
        resource r 'A.B/c@2020-01-01' = [for i in range(0, 3): if (i > 0) {
          tags: {}
          name: 'r${i}'
          properties: { xs: [for x in [1]: x], y: i }
        }]",
        r#"{"resources": [{
            "copy": {"name": "r", "count": "[length(range(0, 3))]", "mode": "serial", "batchSize": 2},
            "condition": "[greater(range(0, 3)[copyIndex()], 0)]",
            "type": "A.B/c", "apiVersion": "2020-01-01", "name": "[format('r{0}', range(0, 3)[copyIndex()])]",
            "tags": {},
            "properties": {
                "copy": [{"name": "xs", "count": "[length(createArray(1))]",
                          "input": "[createArray(1)[copyIndex('xs')]]"}],
                "y": "[range(0, 3)[copyIndex()]]"
            },
            "metadata": {"description": "d"}
        }]}"#,
    );
}

#[test]
fn children_have_the_names_of_their_ancestors() {
    check(
        "resource a 'A.B/c@2020-01-01' = if (true) {
          name: 'a'
          resource b 'd' = {
            name: 'b'
          }
        }
        resource e 'A.B/c/d/e@2021-01-01' = {
          parent: a::b
          name: 'e'
        }",
        r#"{"resources": [
            {"condition": true, "type": "A.B/c/d", "apiVersion": "2020-01-01", "name": "[format('{0}/{1}', 'a', 'b')]",
             "dependsOn": ["[resourceId('A.B/c', 'a')]"]},
            {"condition": true, "type": "A.B/c", "apiVersion": "2020-01-01", "name": "a"},
            {"condition": true, "type": "A.B/c/d/e", "apiVersion": "2021-01-01", "name": "[format('{0}/{1}/{2}', 'a', 'b', 'e')]",
             "dependsOn": ["[resourceId('A.B/c/d', 'a', 'b')]"]}
        ]}"#,
    );
}

#[test]
fn indexes_are_carried_to_the_names_of_ancestors() {
    check_output(
        "resource a 'A.B/c@2020-01-01' existing = [for x in ['p', 'q']: { name: x }]
        resource b 'A.B/c/d@2020-01-01' existing = [for i in range(0, 2): {
          parent: a[i + 1]
          name: 'b${i}'
        }]
        output o string = b[7].id",
        "[resourceId('A.B/c/d', createArray('p', 'q')[add(range(0, 2)[7], 1)], format('b{0}', range(0, 2)[7]))]",
    );
}

#[test]
fn ids_depend_on_the_scope() {
    let id = |scope: &str| {
        format!(
            "param g string
            resource e 'E.F/g@2020-01-01' existing = {{ name: 'e' }}
            resource rg 'Microsoft.Resources/resourceGroups@2020-01-01' existing = {{
              name: 'rg'
              scope: subscription('s')
            }}
            resource r 'A.B/c@2020-01-01' existing = {{ name: 'r', scope: {scope} }}
            output o string = r.id"
        )
    };
    for (scope, expected) in [
        ("resourceGroup()", "[resourceId('A.B/c', 'r')]"),
        (
            "resourceGroup(g)",
            "[extensionResourceId(format('/subscriptions/{0}/resourceGroups/{1}', \
             subscription().subscriptionId, parameters('g')), 'A.B/c', 'r')]",
        ),
        (
            "rg",
            "[extensionResourceId(format('/subscriptions/{0}/resourceGroups/{1}', 's', 'rg'), 'A.B/c', 'r')]",
        ),
        ("subscription()", "[subscriptionResourceId('A.B/c', 'r')]"),
        ("subscription(g)", "[subscriptionResourceId(parameters('g'), 'A.B/c', 'r')]"),
        ("tenant()", "[tenantResourceId('A.B/c', 'r')]"),
        (
            "managementGroup(g)",
            "[extensionResourceId(tenantResourceId('Microsoft.Management/managementGroups', parameters('g')), \
             'A.B/c', 'r')]",
        ),
        ("e", "[extensionResourceId(resourceId('E.F/g', 'e'), 'A.B/c', 'r')]"),
    ] {
        check_output(&id(scope), expected);
    }
}

#[test]
fn properties_are_read_as_cheaply_as_possible() {
    let read = |access: &str| {
        format!(
            "resource r 'A.B/c@2020-01-01' = if (true) {{ name: 'r' }}
            resource l 'A.B/l@2020-01-01' = [for i in [1]: {{ name: 'l${{i}}' }}]
            output o any = {access}"
        )
    };
    for (access, expected) in [
        ("r.id", "[resourceId('A.B/c', 'r')]"),
        ("r['name']", "r"),
        ("r.type", "A.B/c"),
        ("r.apiVersion", "2020-01-01"),
        ("r.properties.x", "[reference(resourceId('A.B/c', 'r'), '2020-01-01').x]"),
        ("r.location", "[reference(resourceId('A.B/c', 'r'), '2020-01-01', 'full').location]"),
        ("r.?id", "[if(true(), resourceId('A.B/c', 'r'), null())]"),
        (
            "r.?properties.x",
            "[tryGet(if(true(), reference(resourceId('A.B/c', 'r'), '2020-01-01', 'full'), null()), 'properties', 'x')]",
        ),
        ("l[0].id", "[resourceId('A.B/l', format('l{0}', createArray(1)[0]))]"),
        ("r.listKeys()", "[listKeys(resourceId('A.B/c', 'r'), '2020-01-01')]"),
        (
            "r.listKeys('2019-01-01', {})",
            "[listKeys(resourceId('A.B/c', 'r'), '2019-01-01', createObject())]",
        ),
    ] {
        check_output(&read(access), expected);
    }
}

#[test]
fn whole_collections_need_symbolic_names() {
    check(
        "resource l 'A.B/l@2020-01-01' = [for i in [1]: { name: 'l${i}' }]
        output o array = map(l, x => x.id)",
        r#"{"languageVersion": "2.0", "outputs": {"o": {"type": "array",
            "value": "[map(references('l', 'full'), lambda('x', lambdaVariables('x').id))]"}}}"#,
    );
}

#[test]
fn waiting_follows_variables_and_existing_resources() {
    check(
        "resource a 'A.B/c@2020-01-01' = { name: 'a' }
        resource e 'A.B/c/d@2020-01-01' existing = { parent: a, name: 'e' }
        resource B 'A.B/c@2020-01-01' = { name: 'b' }
        var indirect = { x: [e.properties.y] }
        resource z 'A.B/c@2020-01-01' = { name: 'z', dependsOn: [B], properties: indirect }",
        r#"{"resources": [
            {"type": "A.B/c", "apiVersion": "2020-01-01", "name": "a"},
            {"type": "A.B/c", "apiVersion": "2020-01-01", "name": "b"},
            {"type": "A.B/c", "apiVersion": "2020-01-01", "name": "z",
             "properties": {"x": ["[reference(resourceId('A.B/c/d', 'a', 'e'), '2020-01-01').y]"]},
             "dependsOn": ["[resourceId('A.B/c', 'a')]", "[resourceId('A.B/c', 'b')]"]}
        ]}"#,
    );
}

#[test]
fn waiting_for_one_of_a_collection_keeps_the_index_where_it_can() {
    check(
        "resource l 'A.B/l@2020-01-01' = [for i in range(0, 2): { name: 'l${i}' }]
        resource m 'A.B/m@2020-01-01' = [for i in range(0, 2): { name: 'm${i}', properties: { x: l[i].properties.x } }]
        resource n 'A.B/n@2020-01-01' = { name: 'n', properties: { xs: [for i in range(0, 2): l[i].properties.x] } }
        resource o 'A.B/o@2020-01-01' = { name: 'o', dependsOn: [l, l[0]] }",
        r#"{"resources": [
            {"copy": {"name": "l", "count": "[length(range(0, 2))]"}, "type": "A.B/l", "apiVersion": "2020-01-01",
             "name": "[format('l{0}', range(0, 2)[copyIndex()])]"},
            {"copy": {"name": "m", "count": "[length(range(0, 2))]"}, "type": "A.B/m", "apiVersion": "2020-01-01",
             "name": "[format('m{0}', range(0, 2)[copyIndex()])]",
             "properties": {"x": "[reference(resourceId('A.B/l', format('l{0}', range(0, 2)[range(0, 2)[copyIndex()]])), '2020-01-01').x]"},
             "dependsOn": ["[resourceId('A.B/l', format('l{0}', range(0, 2)[range(0, 2)[copyIndex()]]))]"]},
            {"type": "A.B/n", "apiVersion": "2020-01-01", "name": "n",
             "properties": {"copy": [{"name": "xs", "count": "[length(range(0, 2))]",
                "input": "[reference(resourceId('A.B/l', format('l{0}', range(0, 2)[range(0, 2)[copyIndex('xs')]])), '2020-01-01').x]"}]},
             "dependsOn": ["l"]},
            {"type": "A.B/o", "apiVersion": "2020-01-01", "name": "o", "dependsOn": ["l"]}
        ]}"#,
    );
}

#[test]
fn symbolic_names_show_existing_resources_and_order_by_culture() {
    check(
        "type t = string
        resource hubVNET 'A.B/c@2020-01-01' = { name: 'v' }
        resource hubrg 'A.B/c@2020-01-01' existing = { name: 'g' }
        resource z 'A.B/c@2020-01-01' = { name: 'z', properties: { x: hubVNET.properties, y: hubrg.properties, w: hubrg.id } }",
        r#"{"resources": {
            "hubVNET": {"type": "A.B/c", "apiVersion": "2020-01-01", "name": "v"},
            "hubrg": {"existing": true, "type": "A.B/c", "apiVersion": "2020-01-01", "name": "g"},
            "z": {"type": "A.B/c", "apiVersion": "2020-01-01", "name": "z",
                "properties": {"x": "[reference('hubVNET')]", "y": "[reference('hubrg')]", "w": "[resourceId('A.B/c', 'g')]"},
                "dependsOn": ["hubrg", "hubVNET"]}
        }}"#,
    );
}

#[test]
fn options_are_written_before_the_type() {
    check(
        "@onlyIfNotExists()
        @retryOn(['E1'], 3)
        resource r 'A.B/c@2020-01-01' = { name: 'r' }",
        r#"{"languageVersion": "2.0", "resources": {"r": {
            "@options": {"retryOn": [["E1"], 3], "onlyIfNotExists": []},
            "type": "A.B/c", "apiVersion": "2020-01-01", "name": "r"}}}"#,
    );
}

#[test]
fn resources_that_are_handed_in_are_known_by_their_id() {
    let config = r#"{"experimentalFeaturesEnabled": {"resourceTypedParamsAndOutputs": true}}"#;
    for (access, expected) in [
        ("p.id", "[parameters('p')]"),
        ("p.name", "[last(split(parameters('p'), '/'))]"),
        ("p.type", "A.B/c"),
        ("p.properties.x", "[reference(parameters('p'), '2020-01-01').x]"),
        ("p.location", "[reference(parameters('p'), '2020-01-01', 'full').location]"),
        ("p.listKeys()", "[listKeys(parameters('p'), '2020-01-01')]"),
    ] {
        let source = format!("param p resource 'A.B/c@2020-01-01'\noutput o object = {{ v: {access} }}");
        let template = template(&[("main.bicep", source.as_str()), ("bicepconfig.json", config)]);
        assert_eq!(template.pointer("/outputs/o/value/v"), Some(&expected.into()), "{access}");
    }
}

#[test]
fn this_is_the_resource_before_its_deployment() {
    check(
        "resource r 'A.B/c@2020-01-01' = { name: 'r', properties: { a: this.exists(), b: this.existingResource().?tags } }",
        r#"{"languageVersion": "2.1-experimental", "resources": {"r": {
            "type": "A.B/c", "apiVersion": "2020-01-01", "name": "r",
            "properties": {"a": "[not(empty(target('full')))]", "b": "[tryGet(target('full'), 'tags')]"}}}}"#,
    );
}
