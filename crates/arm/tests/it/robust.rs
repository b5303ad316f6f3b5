//! Nothing panics, hangs or grows without bound, whatever comes in.

use arm::evaluate::{Evaluator, Nothing, Scope};
use arm::expand::Expansion;
use arm::expression::parse;
use arm::parameters::Inputs;
use arm::{Context, Template, Value, culture, snapshot};
use base::{Budget, Limits};
use proptest::prelude::*;
use proptest::sample::select;

#[test]
fn results_can_be_sent_to_other_threads() {
    fn check<T: Send + Sync>() {}
    check::<Template>();
    check::<Expansion>();
    check::<Value>();
    check::<arm::Error>();
}

/// A budget that ends soon.
fn small() -> Budget {
    Budget::new(Limits { steps: 20_000, memory: 1 << 20, depth: 64, ..Limits::default() })
}

fn leaf() -> impl Strategy<Value = String> {
    let fixed = [
        "''",
        "'a'",
        "'A.B/c'",
        "'10.0.0.0/8'",
        "'::/0'",
        "'2020-02-29T23:59:59Z'",
        "'P1M'",
        "'-P9999Y'",
        "'{0,-3:D5}'",
        "'{'",
        "'https://x/y?z'",
        "'💪é'",
        "'*a*'",
        "0",
        "-1",
        "1",
        "32",
        "10000",
        "9223372036854775807",
        "-9223372036854775808",
        "true()",
        "false()",
        "null()",
        "createArray()",
        "createArray(1, 'a', null())",
        "createObject('a', 1, 'B', createArray(2))",
        "json('1.5')",
        "json('[1e300]')",
        "newGuid()",
        "lambda('x', lambdaVariables('x'))",
        "lambda('x', 'y', true())",
        "lambda(1)",
    ];
    select(fixed.to_vec()).prop_map(String::from)
}

fn expression() -> impl Strategy<Value = String> {
    let names: Vec<&str> = arm::function_names().filter(|name| !name.contains('*')).collect();
    leaf().prop_recursive(4, 24, 4, move |inner| {
        let call = (select(names.clone()), prop::collection::vec(inner.clone(), 0..5))
            .prop_map(|(name, args)| format!("{name}({})", args.join(", ")));
        let access = (select(names.clone()), inner.clone(), inner)
            .prop_map(|(name, arg, key)| format!("{name}({arg}).a[{key}]"));
        prop_oneof![4 => call, 1 => access]
    })
}

proptest! {
    #[test]
    fn any_text_is_an_expression_or_an_error(text in "\\PC*|\\[[a-z('\\[\\].,0-9) ]*\\]") {
        if let Ok(parsed) = parse(&text) {
            let printed = format!("[{parsed}]");
            prop_assert_eq!(parse(&printed).map(|again| format!("[{again}]")), Ok(printed.clone()));
        }
    }

    #[test]
    fn any_call_gives_a_value_or_an_error(text in expression()) {
        let parsed = parse(&format!("[{text}]")).map_err(|error| TestCaseError::fail(error.to_string()))?;
        if let Ok(value) = Evaluator::new(&Nothing, &small()).expression(&parsed, &Scope::free()) {
            // What is left over can be written, read and evaluated again.
            let written = value.to_json(arm::Secrets::Shown);
            prop_assert!(!written.to_string().is_empty());
            let _ = Evaluator::new(&Nothing, &small()).resume(&value);
        }
    }

    #[test]
    fn any_document_is_read(text in "[\\[\\]{}:,\"a-z$0-9' ]*") {
        if let Some(root) = json::parse(&text, json::Options::lenient()).root {
            let (template, _) = Template::read(&root);
            let (inputs, _) = Inputs::read(&root);
            let _ = snapshot(&template, &inputs, &Context::default(), &small());
            arm::hash::template_hash(&root.to_value());
        }
    }

    #[test]
    fn names_have_one_order(a in "\\PC*", b in "\\PC*", c in "\\PC*") {
        prop_assert_eq!(culture::compare(&a, &b), culture::compare(&b, &a).reverse());
        prop_assert_eq!(culture::compare(&a, &b).is_eq(), a == b);
        let mut names = [a, b, c];
        names.sort_by(|x, y| culture::compare(x, y));
        prop_assert!(culture::compare(&names[0], &names[2]).is_le());
    }
}

/// Sections of the wrong kind, in every place.
#[test]
fn sections_of_the_wrong_kind() {
    let good = r#"{"$schema": "https://x/deploymentTemplate.json#", "contentVersion": "1.0.0.0", "languageVersion": "2.0",
        "parameters": {"p": {"type": "object", "properties": {"a": {"$ref": "\u0023/definitions/d"}}, "defaultValue": {"a": [1]}, "allowedValues": [1]}},
        "definitions": {"d": {"type": "array", "prefixItems": [{"type": "int"}], "items": false, "discriminator": {"propertyName": "k", "mapping": {"x": {"type": "object"}}}}},
        "variables": {"copy": [{"name": "v", "count": 2, "input": "[copyIndex('v')]"}]},
        "functions": [{"namespace": "n", "members": {"f": {"parameters": [{"name": "x", "type": "int"}], "output": {"type": "int", "value": "[n.f(1)]"}}}}],
        "resources": {"r": {"type": "Microsoft.Resources/deployments", "apiVersion": "1", "name": "r", "copy": {"name": "r", "count": 1, "mode": "serial", "batchSize": 1},
            "dependsOn": ["r"], "scope": "/", "condition": true, "properties": {"template": {"resources": [{"name": 1}]}, "parameters": {"a": {"value": 1}}}}},
        "outputs": {"o": {"type": "int", "copy": {"count": 1, "input": "[n.f(2)]"}}}, "extensions": {"e": {"name": "e", "config": {}}}, "asserts": {"a": true}}"#;
    let root = json::parse(good, json::Options::lenient()).root.unwrap().to_value();
    for wrong in ["null", "1", "\"x\"", "[]", "{}", "[null]", "\"[parameters('p')]\"", "true"] {
        let wrong: serde_json::Value = serde_json::from_str(wrong).unwrap();
        each_place(&root, &wrong, &mut |changed| {
            let node = json::parse(&changed.to_string(), json::Options::strict()).root.unwrap();
            let (template, _) = Template::read(&node);
            let _ = snapshot(&template, &Inputs::default(), &Context::default(), &small());
            arm::hash::template_hash(changed);
        });
    }
}

/// The document with `wrong` in the place of each of its parts.
fn each_place(
    root: &serde_json::Value,
    wrong: &serde_json::Value,
    visit: &mut impl FnMut(&serde_json::Value),
) {
    fn pointers(value: &serde_json::Value, at: &str, all: &mut Vec<String>) {
        all.push(at.to_owned());
        match value {
            serde_json::Value::Object(members) => {
                members.iter().for_each(|(key, value)| pointers(value, &json::path::join(at, key), all));
            }
            serde_json::Value::Array(items) => {
                items
                    .iter()
                    .enumerate()
                    .for_each(|(index, value)| pointers(value, &format!("{at}/{index}"), all));
            }
            _ => {}
        }
    }
    let mut all = Vec::new();
    pointers(root, "", &mut all);
    for pointer in all {
        let mut changed = root.clone();
        if let Some(place) = changed.pointer_mut(&pointer) {
            *place = wrong.clone();
        }
        visit(&changed);
    }
}
