//! Hostile templates end with a clear error, in bounded time and memory.

use crate::support::{document, expand, template, told};

#[track_caller]
fn check(sections: &str, reason: &str) {
    let template = template(&document("2.0", sections));
    let expansion = expand(&template, "{}");
    let reasons: Vec<&str> = expansion.errors.iter().map(arm::Error::reason).collect();
    assert!(reasons.contains(&reason), "{}", told(&expansion.errors));
}

#[test]
fn texts_that_double() {
    let variables: Vec<String> = (1..64)
        .map(|n| format!("\"v{n}\": \"[concat(variables('v{}'), variables('v{}'))]\"", n - 1, n - 1))
        .collect();
    check(&format!("\"variables\": {{ \"v0\": \"0123456789\", {} }}", variables.join(",")), "limit");
    let formats: Vec<String> =
        (1..64).map(|n| format!("\"v{n}\": \"[format('{{0}}{{0}}', variables('v{}'))]\"", n - 1)).collect();
    check(&format!("\"variables\": {{ \"v0\": \"0123456789\", {} }}", formats.join(",")), "limit");
}

#[test]
fn arrays_and_unknowns_that_double() {
    let arrays: Vec<String> = (1..64)
        .map(|n| format!("\"v{n}\": \"[createArray(variables('v{}'), variables('v{}'))]\"", n - 1, n - 1))
        .collect();
    check(&format!("\"variables\": {{ \"v0\": \"x\", {} }}", arrays.join(",")), "limit");
    let open: Vec<String> = (1..64)
        .map(|n| format!("\"v{n}\": \"[concat(variables('v{}'), variables('v{}'))]\"", n - 1, n - 1))
        .collect();
    check(
        &format!("\"variables\": {{ \"v0\": \"[deployment().properties.mode]\", {} }}", open.join(",")),
        "limit",
    );
}

#[test]
fn copies_of_copies() {
    check(
        r#""variables": {"copy": [{"name": "a", "count": 800, "input": {"copy": [{"name": "b", "count": 800, "input": {"copy": [{"name": "c", "count": 800, "input": "[copyIndex('c')]"}]}}]}}]}"#,
        "limit",
    );
}

#[test]
fn deployments_of_copies() {
    let inner = document(
        "2.0",
        r#""resources": {"a": {"copy": {"name": "a", "count": 800}, "type": "M.N/a", "apiVersion": "1", "name": "[string(copyIndex())]"}}"#,
    );
    check(
        &format!(
            r#""resources": {{"m": {{"copy": {{"name": "m", "count": 800}}, "type": "Microsoft.Resources/deployments", "apiVersion": "1", "name": "[string(copyIndex())]",
                "properties": {{"expressionEvaluationOptions": {{"scope": "inner"}}, "template": {inner}}}}}}}"#
        ),
        "limit",
    );
}

#[test]
fn lambdas_in_lambdas() {
    let mut body = "1".to_owned();
    for n in 0..6 {
        body = format!("map(range(0, 10000), lambda('x{n}', {body}))");
    }
    check(&format!("\"variables\": {{ \"v\": \"[{body}]\" }}"), "limit");
    check(
        r#""variables": {"v": "[reduce(range(0, 10000), 0, lambda('c', 'n', createArray(lambdaVariables('c'))))]"}"#,
        "limit",
    );
    check(
        r#""variables": {"v": "[reduce(range(0, 10000), deployment().properties.mode, lambda('c', 'n', concat(lambdaVariables('c'), 'x')))]"}"#,
        "limit",
    );
}

#[test]
fn too_many_of_anything() {
    let many = |count: usize, item: &str| {
        (0..count).map(|n| format!("\"n{n}\": {item}")).collect::<Vec<_>>().join(",")
    };
    check(
        &format!("\"parameters\": {{ {} }}", many(100_000, r#"{"type": "int", "defaultValue": 1}"#)),
        "too-many",
    );
    check(&format!("\"variables\": {{ {} }}", many(513, "1")), "too-many");
    check(&format!("\"outputs\": {{ {} }}", many(65, r#"{"type": "int", "value": 1}"#)), "too-many");
    check(
        &format!(
            "\"resources\": {{ {} }}",
            many(801, r#"{"type": "M.N/a", "apiVersion": "1", "name": "x"}"#)
        ),
        "too-many",
    );
}

#[test]
fn deep_documents_and_long_chains() {
    let deep = format!("{}1{}", "[".repeat(400), "]".repeat(400));
    let template = template(&document("2.0", &format!("\"variables\": {{ \"v\": {deep} }}")));
    assert_eq!(told(&expand(&template, "{}").errors), "");
    let chain: Vec<String> = (1..500).map(|n| format!("\"v{n}\": \"[variables('v{}')]\"", n + 1)).collect();
    let text = document("2.0", &format!("\"variables\": {{ {}, \"v500\": 1 }}", chain.join(",")));
    assert_eq!(told(&expand(&crate::support::template(&text), "{}").errors), "");
    let nested = (0..60).fold(document("2.0", "\"variables\": {}"), |inner, _| {
        document("2.0", &format!(r#""resources": {{"m": {{"type": "Microsoft.Resources/deployments", "apiVersion": "1", "name": "m",
            "properties": {{"expressionEvaluationOptions": {{"scope": "inner"}}, "template": {inner}}}}}}}"#))
    });
    let (template, _) = arm::Template::read(&crate::support::node(&nested));
    assert!(told(&expand(&template, "{}").errors).contains("nested-too-deeply"));
}
