//! Outputs are held against their whole type when their value is known.

use serde_json::{Value as Json, json};

use crate::support::{Bench, symbolic, thing};

/// The code and the message of the error of a deployment whose output `o` has this type and the resource's property `p`.
async fn check(output: Json, property: Json, expected: &str) {
    let bench = Bench::new().await;
    let mut output = output;
    output["value"] = json!("[reference('a').p]");
    let template = symbolic(json!({
        "definitions": { "short": { "type": "string", "maxLength": 3 } },
        "functions": [{ "namespace": "v", "members": { "even": {
            "parameters": [{ "name": "x", "type": "int" }],
            "output": { "type": "object", "value":
                "[if(equals(mod(parameters('x'), 2), 0), createObject('kind', 'success'), createObject('kind', 'failure', 'errorMessage', 'odd'))]" },
        } } }],
        "resources": { "a": thing("a", json!({ "p": property })) },
        "outputs": { "o": output },
    }));
    let answer = bench.outputs("main", json!({ "template": template })).await;
    match expected {
        "" => assert!(answer["o"].is_object(), "{answer}"),
        expected => {
            let detail = &answer["details"][0];
            assert!(detail["message"].as_str().unwrap_or_default().contains(expected), "{answer}");
            assert_eq!(detail["target"], "outputs.o", "{answer}");
            assert_eq!(detail["additionalInfo"][0]["info"]["path"], "outputs.o.value");
        }
    }
}

#[tokio::test]
async fn outputs_of_resources_are_held_against_their_type() {
    check(json!({ "type": "string", "minLength": 3 }), json!("abc"), "").await;
    check(json!({ "type": "string", "minLength": 3 }), json!("ab"), "at least 3").await;
    check(json!({ "type": "string", "allowedValues": ["x"] }), json!("y"), "allowed").await;
    check(json!({ "type": "int" }), json!("1"), "nt").await;
    check(json!({ "$ref": "#/definitions/short" }), json!("long"), "3").await;
    let sealed =
        json!({ "type": "object", "properties": { "a": { "type": "int" } }, "additionalProperties": false });
    check(sealed.clone(), json!({ "a": 1 }), "").await;
    check(sealed, json!({ "a": 1, "b": 2 }), "b").await;
    let even = json!({ "type": "int", "userDefinedConstraint": { "namespace": "v", "name": "even" } });
    check(even.clone(), json!(2), "").await;
    check(even, json!(3), "odd").await;
}
