//! Parameter values against their declarations: all violations, in order, with their places.

use arm::{Secrets, Template};
use base::Verdict;
use expect_test::{Expect, expect};

use crate::support::{document, expand, expand_with, node, template, told};

/// Declares one parameter `p`, supplies a value, and compares what is wrong.
#[track_caller]
fn check(declaration: &str, value: &str, expected: &Expect) {
    check_in(&format!("\"parameters\": {{ \"p\": {declaration} }}"), value, expected);
}

#[track_caller]
fn check_in(sections: &str, value: &str, expected: &Expect) {
    let template = template(&document("2.0", sections));
    let inputs = format!("{{ \"parameters\": {{ \"p\": {{ \"value\": {value} }} }} }}");
    expected.assert_eq(&told(&expand(&template, &inputs).errors));
}

#[test]
fn types() {
    for (declaration, good) in [
        (r#"{"type": "string"}"#, r#""x""#),
        (r#"{"type": "SecureString"}"#, r#""x""#),
        (r#"{"type": "int"}"#, "1"),
        (r#"{"type": "int"}"#, "1.0"),
        (r#"{"type": "bool"}"#, "true"),
        (r#"{"type": "object"}"#, "{}"),
        (r#"{"type": "array"}"#, "[]"),
        (r#"{"type": "string", "nullable": true}"#, "null"),
    ] {
        check(declaration, good, &expect![""]);
    }
    check(
        r#"{"type": "string"}"#,
        "1",
        &expect![[r#"
        wrong-type at parameters.p.value: The value of 'p' is not valid: expected a value of type 'String', but received 'Integer'.
    "#]],
    );
    check(
        r#"{"type": "object"}"#,
        "[]",
        &expect![[r#"
        wrong-type at parameters.p.value: The value of 'p' is not valid: expected a value of type 'Object', but received 'Array'.
    "#]],
    );
    check(
        r#"{"type": "int"}"#,
        "1.5",
        &expect![[r#"
        wrong-type at parameters.p.value: The value of 'p' is not valid: expected a value of type 'Int', but received 'Float'.
    "#]],
    );
    check(
        r#"{"type": "int"}"#,
        "null",
        &expect![[r#"
        null-not-allowed at parameters.p.defaultValue: The value of 'p' is not valid: it must not be null.
    "#]],
    );
}

#[test]
fn bounds_are_all_reported() {
    check(
        r#"{"type": "string", "allowedValues": ["a", "b"], "minLength": 3, "maxLength": 4}"#,
        r#""💪💪💪""#,
        &expect![[r#"
        not-allowed at parameters.p.value: The value of 'p' is not valid: '💪💪💪' is not part of the allowed values 'a, b'.
        too-long at parameters.p.value: The value of 'p' is not valid: its length is 6, but must be at most 4.
    "#]],
    );
    check(
        r#"{"type": "int", "minValue": 3, "maxValue": 5}"#,
        "6",
        &expect![[r#"
        too-large at parameters.p.value: The value of 'p' is not valid: it must be at most 5.
    "#]],
    );
    check(r#"{"type": "int", "minValue": 3, "maxValue": 5}"#, "3", &expect![""]);
    check(r#"{"type": "array", "allowedValues": ["a", "b"], "minLength": 1}"#, r#"["a", "a"]"#, &expect![""]);
    check(
        r#"{"type": "array", "allowedValues": ["a", "b"], "minLength": 1}"#,
        r#"["c"]"#,
        &expect![[r#"
        not-allowed at parameters.p.value: The value of 'p' is not valid: '['c']' is not part of the allowed values 'a, b'.
    "#]],
    );
}

#[test]
fn structure() {
    let declaration = r#"{
        "type": "object",
        "properties": { "a": {"type": "int"}, "b": {"type": "string", "nullable": true}, "c": {"type": "bool"} },
        "additionalProperties": false
    }"#;
    check(declaration, r#"{"A": 1, "c": true}"#, &expect![""]);
    check(
        declaration,
        r#"{"a": "x", "d": 1}"#,
        &expect![[r#"
        wrong-type at parameters.p.value.a: The value of 'p.a' is not valid: expected a value of type 'Int', but received 'String'.
        missing-property at parameters.p.value: The value of 'p' is not valid: the property 'c' is missing.
        property-not-allowed at parameters.p.value.d: The value of 'p' is not valid: the property 'd' is not declared.
    "#]],
    );
    check(
        r#"{"type": "object", "additionalProperties": {"type": "int"}}"#,
        r#"{"a": 1, "b-c": "x"}"#,
        &expect![[r#"
        wrong-type at parameters.p.value.b-c: The value of 'p.b-c' is not valid: expected a value of type 'Int', but received 'String'.
    "#]],
    );
    check(
        r#"{"type": "array", "prefixItems": [{"type": "int"}, {"type": "string"}], "items": false}"#,
        r#"[1, 2, 3]"#,
        &expect![[r#"
        wrong-type at parameters.p.value[1]: The value of 'p[1]' is not valid: expected a value of type 'String', but received 'Integer'.
        too-many-items at parameters.p.value: The value of 'p' is not valid: it has 3 items, but only 2 are declared.
    "#]],
    );
    check(
        r#"{"type": "array", "prefixItems": [{"type": "int"}], "items": {"type": "string"}}"#,
        r#"[1, "a", 2]"#,
        &expect![[r#"
        wrong-type at parameters.p.value[2]: The value of 'p[2]' is not valid: expected a value of type 'String', but received 'Integer'.
    "#]],
    );
    check(
        r#"{"type": "array", "prefixItems": [{"type": "int"}]}"#,
        "[]",
        &expect![[r#"
        missing-item at parameters.p.value: The value of 'p' is not valid: item 0 is missing.
    "#]],
    );
}

#[test]
fn discriminators() {
    let declaration = r#"{"type": "object", "discriminator": {"propertyName": "kind", "mapping": {
        "cat": {"type": "object", "properties": {"kind": {"type": "string", "allowedValues": ["cat"]}, "lives": {"type": "int"}}, "additionalProperties": false},
        "dog": {"type": "object", "properties": {"kind": {"type": "string", "allowedValues": ["dog"]}}}
    }}}"#;
    check(declaration, r#"{"kind": "cat", "lives": 9}"#, &expect![""]);
    check(
        declaration,
        r#"{"kind": "cat", "tail": 1}"#,
        &expect![[r#"
        missing-property at parameters.p.value: The value of 'p' is not valid: the property 'lives' is missing.
        property-not-allowed at parameters.p.value.tail: The value of 'p' is not valid: the property 'tail' is not declared.
    "#]],
    );
    check(
        declaration,
        r#"{"kind": "cow"}"#,
        &expect![[r#"
        not-allowed at parameters.p.value.kind: The value of 'p.kind' is not valid: 'cow' is not part of the allowed values 'cat, dog'.
    "#]],
    );
    check(
        declaration,
        "{}",
        &expect![[r#"
        missing-property at parameters.p.value: The value of 'p' is not valid: the property 'kind' is missing.
    "#]],
    );
    check(
        declaration,
        r#"{"kind": 1}"#,
        &expect![[r#"
        wrong-type at parameters.p.value.kind: The value of 'p.kind' is not valid: expected a value of type 'String', but received 'Integer'.
    "#]],
    );
}

#[test]
fn references() {
    let tree = r##""definitions": {
        "tree": {"type": "object", "properties": {
            "name": {"type": "string", "minLength": 2},
            "children": {"type": "array", "items": {"$ref": "#/definitions/tree"}, "nullable": true}
        }},
        "name": {"$ref": "#/definitions/tree/properties/name"},
        "self": {"$ref": "#/definitions/self"}
    }, "parameters": { "p": {"$ref": "#/definitions/TARGET", "nullable": true} }"##;
    check_in(
        &tree.replace("TARGET", "tree"),
        r#"{"name": "ab", "children": [{"name": "c"}]}"#,
        &expect![[r#"
        too-short at parameters.p.value.children[0].name: The value of 'p.children[0].name' is not valid: its length is 1, but must be at least 2.
    "#]],
    );
    check_in(
        &tree.replace("TARGET", "name"),
        r#""x""#,
        &expect![[r#"
        too-short at parameters.p.value: The value of 'p' is not valid: its length is 1, but must be at least 2.
    "#]],
    );
    check_in(&tree.replace("TARGET", "tree"), "null", &expect![""]);
    check_in(
        &tree.replace("TARGET", "self"),
        "1",
        &expect![[r##"
        cyclic-type at parameters.p.value: The type definition at '#/definitions/self' is only a reference to itself.
    "##]],
    );
    check_in(
        &tree.replace("TARGET", "none"),
        "1",
        &expect![[r##"
        no-such-type at parameters.p.value: There is no type definition at '#/definitions/none'.
    "##]],
    );
}

#[test]
fn lambdas_validate() {
    let declaration = r#"{"type": "string", "validate": ["[lambda('x', startsWith(lambdaVariables('x'), 'a'))]", "It must start with a."]}"#;
    check(declaration, r#""abc""#, &expect![""]);
    check(
        declaration,
        r#""bcd""#,
        &expect![[r#"
        constraint-violated at parameters.p.value: The value of 'p' is not valid: It must start with a.
    "#]],
    );
    check(
        r#"{"type": "int", "minValue": 5, "validate": ["[lambda('x', fail('not reached'))]"]}"#,
        "1",
        &expect![[r#"
        too-small at parameters.p.value: The value of 'p' is not valid: it must be at least 5.
    "#]],
    );
    check(
        r#"{"type": "int", "validate": ["[lambda('x', 'yes')]"]}"#,
        "1",
        &expect![[r#"
        bad-validator-result at parameters.p.value: The custom validator 'validate' returned an invalid value: the lambda must give true or false.
    "#]],
    );
}

/// A template with validators, and `constraint` on its parameter.
fn with_validators(language: &str, constraint: &str) -> Template {
    template(&validators(language, constraint))
}

/// What is wrong with such a template.
fn constraint_errors(language: &str, constraint: &str) -> String {
    told(&Template::read(&node(&validators(language, constraint))).1)
}

fn validators(language: &str, constraint: &str) -> String {
    document(
        language,
        &format!(
            r#""functions": [{{"namespace": "v", "members": {{
                "even": {{"parameters": [{{"name": "n", "type": "int"}}], "output": {{"type": "object",
                    "value": "[if(equals(mod(parameters('n'), 2), 0), createObject('kind', 'success'), createObject('kind', 'failure', 'errorMessage', format('{{0}} is odd', parameters('n'))))]"}}}},
                "below": {{"parameters": [{{"name": "n", "type": "int"}}, {{"name": "limit", "type": "int"}}], "output": {{"type": "object",
                    "value": {{"kind": "[if(less(parameters('n'), parameters('limit')), 'success', 'failure')]", "errorMessage": "too large"}}}}}},
                "maybe": {{"parameters": [{{"name": "n", "type": "int"}}], "output": {{"type": "object", "value": {{"kind": "maybe"}}}}}},
                "silent": {{"parameters": [{{"name": "n", "type": "int"}}], "output": {{"type": "object", "value": {{"kind": "failure"}}}}}},
                "text": {{"parameters": [{{"name": "n", "type": "int"}}], "output": {{"type": "string", "value": "ok"}}}},
                "broken": {{"parameters": [{{"name": "n", "type": "int"}}], "output": {{"type": "object", "value": "[div(1, 0)]"}}}}
            }}}}],
            "parameters": {{ "p": {{"type": "int", "userDefinedConstraint": {constraint}}} }}"#
        ),
    )
}

#[track_caller]
fn check_constraint(constraint: &str, value: &str, expected: &Expect) {
    let template = with_validators("2.0", constraint);
    let inputs = format!("{{ \"parameters\": {{ \"p\": {{ \"value\": {value} }} }} }}");
    expected.assert_eq(&told(&expand(&template, &inputs).errors));
}

#[test]
fn functions_validate() {
    let even = r#"{"namespace": "v", "name": "even"}"#;
    check_constraint(even, "2", &expect![""]);
    check_constraint(
        even,
        "3",
        &expect![[r#"
        constraint-violated at parameters.p.value: The value of 'p' is not valid: 3 is odd.
    "#]],
    );
    check_constraint(
        r#"{"namespace": "v", "name": "below", "additionalArguments": [10]}"#,
        "10",
        &expect![[r#"
        constraint-violated at parameters.p.value: The value of 'p' is not valid: too large.
    "#]],
    );
    let both = r#"[{"namespace": "v", "name": "even"}, {"namespace": "v", "name": "below", "additionalArguments": [10]}]"#;
    check_constraint(both, "8", &expect![""]);
    check_constraint(
        both,
        "11",
        &expect![[r#"
        constraint-violated at parameters.p.value: The value of 'p' is not valid: 11 is odd.
        constraint-violated at parameters.p.value: The value of 'p' is not valid: too large.
    "#]],
    );
}

#[test]
fn validators_may_be_wrong_themselves() {
    check_constraint(
        r#"{"namespace": "v", "name": "maybe"}"#,
        "1",
        &expect![[r#"
        bad-validator-result at parameters.p.value: The custom validator 'v.maybe' returned an invalid value: 'kind' must be 'success' or 'failure'.
    "#]],
    );
    check_constraint(
        r#"{"namespace": "v", "name": "silent"}"#,
        "1",
        &expect![[r#"
        bad-validator-result at parameters.p.value: The custom validator 'v.silent' returned an invalid value: a failure needs the text 'errorMessage'.
    "#]],
    );
    check_constraint(
        r#"{"namespace": "v", "name": "text"}"#,
        "1",
        &expect![[r#"
        bad-validator-result at parameters.p.value: The custom validator 'v.text' returned an invalid value: an object is expected.
    "#]],
    );
    check_constraint(
        r#"{"namespace": "v", "name": "broken"}"#,
        "1",
        &expect![[r#"
        division-by-zero at parameters.p.value: The custom validator 'v.broken' could not be evaluated: The template function 'div' cannot divide by zero.
    "#]],
    );
}

#[test]
fn constraints_name_a_function_and_its_arguments() {
    let check =
        |constraint: &str, expected: &Expect| expected.assert_eq(&constraint_errors("2.0", constraint));
    check(
        r#"{"namespace": "v", "name": "none"}"#,
        &expect![[r#"
        no-such-validator at parameters.p.userDefinedConstraint: The custom validator 'v.none' is not a function of the template.
    "#]],
    );
    check(
        r#"{"namespace": "other", "name": "even"}"#,
        &expect![[r#"
        no-such-validator at parameters.p.userDefinedConstraint: The custom validator 'other.even' is not a function of the template.
    "#]],
    );
    check(
        r#"{"name": "even"}"#,
        &expect![[r#"
        incomplete-constraint at parameters.p.userDefinedConstraint: A user-defined constraint needs a 'namespace' and a 'name'.
    "#]],
    );
    check(
        r#"{"namespace": "v", "name": "below"}"#,
        &expect![[r#"
        validator-argument-count at parameters.p.userDefinedConstraint: The custom validator 'v.below' takes 1 additional arguments, but 0 are given.
    "#]],
    );
}

#[test]
fn validators_need_the_type_language() {
    for (language, allowed) in [
        ("1", false),
        ("1.9-experimental", true),
        ("1.10-experimental", true),
        ("2.0", true),
        ("2.1-experimental", true),
        ("2.2-experimental", true),
        ("1.0", false),
    ] {
        let errors = constraint_errors(language, r#"{"namespace": "v", "name": "even"}"#);
        let is_refused = errors.starts_with("constraint-needs-language-version at parameters.p");
        assert!(if allowed { errors.is_empty() } else { is_refused }, "{language}: {errors}");
    }
}

#[test]
fn what_cannot_be_checked_is_said() {
    let template = with_validators("2.0", r#"{"namespace": "v", "name": "even"}"#);
    let inputs = r#"{"parameters": {"p": {"expression": "[externalInputs('0')]"}}, "externalInputs": {"0": {"type": "sys.cli"}}}"#;
    let expansion = expand(&template, inputs);
    assert!(expansion.errors.is_empty(), "{}", told(&expansion.errors));
    let open: Vec<String> =
        expansion.open.iter().map(|open| format!("{}: {}", open.pointer(), open.message())).collect();
    assert_eq!(
        open,
        [
            "/parameters/p/expression: The value of 'p' could not be checked: external input '0' is not supplied."
        ]
    );
}

#[test]
fn external_inputs_in_both_spellings() {
    let template = template(&document(
        "2.0",
        r#""parameters": { "p": {"type": "string"} }, "outputs": {"o": {"type": "string", "value": "[parameters('p')]"}}"#,
    ));
    let parameters = r#""parameters": {"p": {"expression": "[concat(externalInputs('0'), '!')]"}}"#;
    for (rest, expected) in [
        (
            r#""externalInputs": {"0": {"type": "sys.envVar", "config": "X"}}, "externalInputValues": {"0": "hi"}"#,
            "hi!",
        ),
        (
            r#""externalInputs": {"0": {"type": "sys.envVar", "options": "X"}}, "externalInputValues": {"0": "hi"}"#,
            "hi!",
        ),
        (
            r#""externalInputDefinitions": {"0": {"kind": "sys.envVar", "config": "X"}}, "externalInputs": {"0": {"value": "hi"}}"#,
            "hi!",
        ),
        (
            r#""externalInputDefinitions": {"0": {"kind": "sys.envVar"}}"#,
            "[concat(externalInputs('0'), '!')]",
        ),
    ] {
        let expansion = expand(&template, &format!("{{ {parameters}, {rest} }}"));
        assert_eq!(told(&expansion.errors), "");
        assert_eq!(expansion.outputs[0].1.value.to_json(Secrets::Hidden), expected, "{rest}");
    }
    let expansion = expand(&template, &format!("{{ {parameters} }}"));
    assert_eq!(
        told(&expansion.errors),
        "no-such-external-input at parameters.p.expression: There is no external input '0'.\n"
    );
    let expansion = expand(&template, r#"{"parameters": {"p": {"expression": "[resourceGroup().name]"}}}"#);
    assert_eq!(expansion.errors[0].reason(), "function-not-expected-here");
}

#[test]
fn binding() {
    let template = template(&document(
        "2.0",
        r#""parameters": {
            "a": {"type": "string", "defaultValue": "[concat(parameters('B'), '1')]"},
            "b": {"type": "string", "defaultValue": "b"},
            "c": {"type": "string", "nullable": true},
            "d": {"type": "securestring", "defaultValue": "[parameters('a')]"}
        }, "outputs": {"o": {"type": "string", "value": "[format('{0}{1}', parameters('a'), coalesce(parameters('c'), '-'))]"}, "s": {"type": "string", "value": "[concat(parameters('d'), 'x')]"}}"#,
    ));
    let expansion =
        expand(&template, r#"{"parameters": {"B": {"value": "[not evaluated]"}, "a": {"value": null}}}"#);
    assert_eq!(told(&expansion.errors), "");
    let outputs: Vec<_> =
        expansion.outputs.iter().map(|(_, output)| output.value.to_json(Secrets::Hidden)).collect();
    assert_eq!(outputs, ["[not evaluated]1-", "<secure value>"]);
}

#[test]
fn binding_errors() {
    let template = template(&document(
        "2.0",
        r#""parameters": {
            "needed": {"type": "string"},
            "x": {"type": "int", "defaultValue": "[parameters('y')]"},
            "y": {"type": "int", "defaultValue": "[parameters('x')]"}
        }"#,
    ));
    let expansion = expand(&template, r#"{"parameters": {"other": {"value": 1}}}"#);
    expect![[r#"
        unknown-parameter at parameters.other: The parameter 'other' is supplied, but the template has only 'needed, x, y'.
        parameter-not-provided at parameters.needed: The value for the template parameter 'needed' is not provided.
        cycle at parameters.y.defaultValue: Circular dependency detected on value: 'x' -> 'y' -> 'x'.
    "#]]
    .assert_eq(&told(&expansion.errors));
}

#[test]
fn secrets_are_not_told() {
    let secret = "hunter2";
    let declaration = r#"{"type": "securestring", "allowedValues": ["a"], "maxLength": 3, "validate": ["[lambda('x', equals(lambdaVariables('x'), 'a'))]"]}"#;
    let template = template(&document("2.0", &format!("\"parameters\": {{ \"p\": {declaration} }}")));
    let inputs = format!(r#"{{"parameters": {{"p": {{"value": "{secret}"}}}}}}"#);
    let expansion = expand_with(&template, &inputs, &arm::NoState);
    assert_eq!(expansion.errors.len(), 2);
    assert!(!told(&expansion.errors).contains(secret), "{}", told(&expansion.errors));
    let thrown = document(
        "2.0",
        r#""parameters": { "p": {"type": "secureObject"} }, "variables": {"a": "[int(parameters('p').k)]", "b": "[parameters('p').none]", "c": "[fail(parameters('p').k)]", "d": "[format(parameters('p').k)]"}"#,
    );
    let template = crate::support::template(&thrown);
    let expansion = expand(&template, r#"{"parameters": {"p": {"value": {"k": "{hunter2"}}}}"#);
    assert_eq!(expansion.errors.len(), 4);
    assert!(!told(&expansion.errors).contains(secret), "{}", told(&expansion.errors));
}

#[test]
fn validators_do_not_tell_secrets() {
    let check = |declaration: &str, value: &str, expected: &str| {
        let text = document(
            "2.0",
            &format!(
                r#""functions": [{{"namespace": "v", "members": {{
                    "tell": {{"parameters": [{{"name": "v"}}], "output": {{"type": "object",
                        "value": {{"kind": "failure", "errorMessage": "[format('{{0}} is bad', parameters('v'))]"}}}}}},
                    "tellPart": {{"parameters": [{{"name": "v"}}], "output": {{"type": "object",
                        "value": {{"kind": "failure", "errorMessage": "[format('{{0}} is bad', parameters('v').k)]"}}}}}},
                    "crash": {{"parameters": [{{"name": "v"}}], "output": {{"type": "object",
                        "value": {{"kind": "[int(parameters('v'))]"}}}}}}
                }}}}], "parameters": {{"p": {declaration}}}"#
            ),
        );
        let inputs = format!(r#"{{"parameters": {{"p": {{"value": {value}}}}}}}"#);
        assert_eq!(told(&expand(&template(&text), &inputs).errors).trim_end(), expected, "{declaration}");
    };
    let tell = r#""userDefinedConstraint": {"namespace": "v", "name": "tell"}"#;
    let tell_part = r#""userDefinedConstraint": {"namespace": "v", "name": "tellPart"}"#;
    let crash = r#""userDefinedConstraint": {"namespace": "v", "name": "crash"}"#;
    check(
        &format!(r#"{{"type": "securestring", {tell}}}"#),
        "\"hunter2\"",
        "constraint-violated at parameters.p.value: The value of 'p' is not valid: the reason is withheld, as it may show a secret.",
    );
    check(
        &format!(r#"{{"type": "securestring", {crash}}}"#),
        "\"hunter2\"",
        "invalid-argument at parameters.p.value: The custom validator 'v.crash' could not be evaluated: the reason is withheld, as it may show a secret",
    );
    let member = r#""properties": {"k": {"type": "securestring"}}"#;
    check(
        &format!(r#"{{"type": "object", {member}, {tell_part}}}"#),
        r#"{"k": "hunter2"}"#,
        "constraint-violated at parameters.p.value: The value of 'p' is not valid: the reason is withheld, as it may show a secret.",
    );
    check(
        &format!(r#"{{"type": "object", "properties": {{"k": {{"type": "securestring", {tell}}}}}}}"#),
        r#"{"k": "hunter2"}"#,
        "constraint-violated at parameters.p.value.k: The value of 'p.k' is not valid: the reason is withheld, as it may show a secret.",
    );
    check(
        &format!(r#"{{"type": "object", "additionalProperties": {{"type": "securestring"}}, {tell_part}}}"#),
        r#"{"k": "hunter2"}"#,
        "constraint-violated at parameters.p.value: The value of 'p' is not valid: the reason is withheld, as it may show a secret.",
    );
    check(
        &format!(r#"{{"type": "array", "prefixItems": [{{"type": "object", {member}}}], {tell}}}"#),
        r#"[{"k": "hunter2"}]"#,
        "constraint-violated at parameters.p.value: The value of 'p' is not valid: the reason is withheld, as it may show a secret.",
    );
    check(
        &format!(r#"{{"type": "object", "properties": {{"k": {{"type": "string"}}}}, {tell_part}}}"#),
        r#"{"k": "plain"}"#,
        "constraint-violated at parameters.p.value: The value of 'p' is not valid: plain is bad.",
    );
}

#[test]
fn validators_that_do_not_end_are_named() {
    let text = document(
        "2.0",
        r#""functions": [{"namespace": "v", "members": {
            "again": {"parameters": [{"name": "n", "type": "int"}], "output": {"type": "object",
                "value": "[v.again(add(parameters('n'), 1))]"}},
            "long": {"parameters": [{"name": "n", "type": "int"}], "output": {"type": "object",
                "value": "[createObject('kind', string(map(range(0, 10000), lambda('x', map(range(0, 10000), lambda('y', string(lambdaVariables('x'))))))))]"}}
        }}], "parameters": {
            "p": {"type": "int", "defaultValue": 1, "userDefinedConstraint": {"namespace": "v", "name": "again"}},
            "q": {"type": "int", "defaultValue": 1, "userDefinedConstraint": {"namespace": "v", "name": "long"}}
        }"#,
    );
    let template = template(&text);
    for (name, message) in [
        ("p", "The custom validator 'v.again' could not be evaluated: "),
        ("q", "The custom validator 'v.long' could not be evaluated: "),
    ] {
        let budget = base::Budget::new(base::Limits::default());
        let setup = arm::expand::Setup {
            template: &template,
            inputs: &arm::parameters::Inputs::default(),
            context: &arm::Context::default(),
            state: &arm::NoState,
            budget: &budget,
            policy: arm::expand::Policy::default(),
        };
        let report = arm::expand::Deployment::new(setup).check_parameter(name, &arm::Value::int(1)).unwrap();
        let [error] = report.failures() else { panic!("{report:?}") };
        assert!(error.is_overrun() && error.message().starts_with(message), "{error}");
        assert_eq!(error.validator(), Some(if name == "p" { "v.again" } else { "v.long" }));
    }
}

#[test]
fn errors_have_lines_in_the_files() {
    let text = document(
        "2.0",
        "\"parameters\": {\n  \"p\": {\"type\": \"object\", \"properties\": {\"a\": {\"type\": \"int\"}}}\n}",
    );
    let template = template(&text);
    let inputs = "{\"parameters\": {\"p\": {\"value\": {\n  \"a\": \"x\"\n}}}}";
    let expansion = expand(&template, inputs);
    let file = base::SourceFile::new("main.parameters.json", inputs);
    let json = expansion.errors[0].to_json(Some(&file));
    assert_eq!(json["additionalInfo"][0]["info"]["lineNumber"], 2);
    assert_eq!(json["additionalInfo"][0]["info"]["linePosition"], 8);
    assert_eq!(json["additionalInfo"][0]["info"]["path"], "parameters.p.value.a");
    assert_eq!(json["code"], "InvalidTemplate");
    assert_eq!(expansion.errors[0].pointer(), "/parameters/p/value/a");
}

#[test]
fn a_check_gives_a_verdict() {
    use arm::expand::{Deployment, Policy, Setup};
    let template = with_validators("2.0", r#"{"namespace": "v", "name": "even"}"#);
    let setup = Setup {
        template: &template,
        inputs: &arm::parameters::Inputs::default(),
        context: &arm::Context::default(),
        state: &arm::NoState,
        budget: &base::Budget::new(base::Limits::default()),
        policy: Policy::default(),
    };
    let deployment = Deployment::new(setup);
    let verdict = |value: &arm::Value| deployment.check_parameter("p", value).unwrap();
    assert_eq!(verdict(&arm::Value::int(2)), Verdict::Pass);
    assert!(
        matches!(verdict(&arm::Value::int(3)), Verdict::Fail(findings) if findings[0].message().contains("3 is odd"))
    );
    let unknown = arm::Unknown::new(arm::expression::Expr::call("utcNow", vec![]), arm::Origin::Clock);
    assert!(matches!(verdict(&arm::Value::unknown(unknown)), Verdict::Undetermined(_)));
    assert!(deployment.check_parameter("q", &arm::Value::NULL).is_none());
}
