//! Templates that want too much end with a clear error, within bounded memory.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::disallowed_methods, reason = "the test writes files and starts programs")]

use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// What an evaluation may use over what the program uses anyway.
const MAX_KILOBYTES: u64 = 64 << 10;

/// What reading a template may take beside that, in multiples of its text: the budget is one of evaluation, and the tree
/// of the JSON and the template made of it are there at the same time for a moment.
const READING: u64 = 8;

/// What came out of an evaluation.
struct Ended {
    code: Option<i32>,
    errors: String,
    /// The most memory that was seen in use; nothing where the system does not say.
    kilobytes: u64,
}

fn evaluate(sections: &str) -> Ended {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("main.json");
    let text = format!(
        r#"{{ "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "languageVersion": "2.0", "contentVersion": "1.0.0.0", {sections} }}"#
    );
    fs::write(&path, text).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_sinew-tested"))
        .arg("eval")
        .arg("--template")
        .arg(&path)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut errors = child.stderr.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        errors.read_to_string(&mut text).map(|_| text)
    });
    let mut kilobytes = 0;
    let code = loop {
        kilobytes = peak(child.id()).unwrap_or_default().max(kilobytes);
        match child.try_wait().unwrap() {
            Some(status) => break status.code(),
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    };
    Ended { code, errors: reader.join().unwrap().unwrap(), kilobytes }
}

/// The most memory that a process has had so far.
fn peak(process: u32) -> Option<u64> {
    let status = fs::read_to_string(Path::new("/proc").join(process.to_string()).join("status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches("kB").trim().parse().ok()
}

#[track_caller]
fn check(sections: &str, expected: &str) {
    // A short run may end between two looks at its memory: the largest of several counts.
    let short: Vec<Ended> = (0..5).map(|_| evaluate(r#""resources": {}"#)).collect();
    for ended in &short {
        assert_eq!(ended.code, Some(0), "{}", ended.errors);
    }
    let start = short.iter().map(|ended| ended.kilobytes).max().unwrap_or_default();
    let ended = evaluate(sections);
    assert_eq!(ended.code, Some(1), "{}", ended.errors);
    assert!(ended.errors.contains(expected), "{}", ended.errors);
    let used = ended.kilobytes.saturating_sub(start);
    let most = MAX_KILOBYTES + READING * (sections.len() as u64 >> 10);
    assert!(used <= most, "{used} kB");
}

const STOPPED: &str = "Error TemplateEvaluationLimitExceeded: ";

/// `"v0": FIRST, "v1": …` where each variable is made of the one before it.
fn growing(first: &str, next: &str) -> String {
    let mut text = format!("\"v0\": {first}");
    for n in 1..64 {
        let last = format!("variables('v{}')", n - 1);
        // Writing to a string cannot fail.
        let _ = write!(text, ", \"v{n}\": \"[{}]\"", next.replace("LAST", &last));
    }
    format!("\"resources\": {{}}, \"variables\": {{ {text} }}")
}

#[test]
fn texts_that_double() {
    check(&growing("\"0123456789\"", "concat(LAST, LAST)"), STOPPED);
    check(&growing("\"0123456789\"", "replace(LAST, '0', '00000')"), STOPPED);
    check(r#""resources": {}, "variables": { "v": "[padLeft('a', 2000000000)]" }"#, STOPPED);
}

#[test]
fn arrays_that_double() {
    check(&growing("[1]", "createArray(LAST, LAST)"), STOPPED);
}

#[test]
fn copies_of_copies() {
    check(
        r#""resources": {}, "variables": {"copy": [{"name": "a", "count": 800, "input": {"copy": [{"name": "b", "count": 800,
            "input": {"copy": [{"name": "c", "count": 800, "input": "[copyIndex('c')]"}]}}]}}]}"#,
        STOPPED,
    );
    let inner = r#"{ "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "contentVersion": "1.0.0.0", "resources": [{ "copy": { "name": "a", "count": 800 }, "type": "M.N/a",
            "apiVersion": "1", "name": "[string(copyIndex())]" }] }"#;
    check(
        &format!(
            r#""resources": {{ "m": {{ "copy": {{ "name": "m", "count": 800 }}, "type": "Microsoft.Resources/deployments",
                "apiVersion": "1", "name": "[string(copyIndex())]",
                "properties": {{ "expressionEvaluationOptions": {{ "scope": "inner" }}, "template": {inner} }} }} }}"#
        ),
        STOPPED,
    );
}

#[test]
fn deep_lambdas() {
    let nested = |levels: usize, width: usize| {
        (0..levels).fold("1".to_owned(), |body, n| format!("map(range(0, {width}), lambda('x{n}', {body}))"))
    };
    let variable = |body: &str| format!(r#""resources": {{}}, "variables": {{ "v": "[{body}]" }}"#);
    check(&variable(&nested(6, 10_000)), STOPPED);
    check(&variable(&nested(400, 1)), "nested");
}

#[test]
fn a_hundred_thousand_parameters() {
    let parameters: Vec<_> =
        (0..100_000).map(|n| format!(r#""p{n}": {{ "type": "int", "defaultValue": 1 }}"#)).collect();
    check(&format!(r#""resources": {{}}, "parameters": {{ {} }}"#, parameters.join(",")), "256 are allowed");
}

#[test]
fn a_hundred_thousand_violations() {
    let parameter = |schema: &str, default: &str| {
        format!(r#""resources": {{}}, "parameters": {{ "p": {{ {schema}, "defaultValue": {default} }} }}"#)
    };
    let texts = format!("[{}]", vec!["\"x\""; 100_000].join(","));
    check(
        &parameter(r#""type": "array", "items": { "type": "int" }"#, &texts),
        "Only the first 250 violations",
    );
    let members: Vec<_> = (0..100_000).map(|n| format!("\"k{n}\": 1")).collect();
    let object = format!("{{ {} }}", members.join(","));
    check(
        &parameter(r#""type": "object", "additionalProperties": false"#, &object),
        "violations are reported",
    );
    let numbers = |from: usize| (from..from + 5000).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
    let allowed = format!(r#""type": "array", "allowedValues": [{}]"#, numbers(0));
    check(&parameter(&allowed, &format!("[{}]", vec!["4999"; 100_000].join(","))), STOPPED);
}

#[test]
fn functions_that_call_themselves() {
    check(
        r#""resources": {}, "functions": [{ "namespace": "a", "members": { "f": { "parameters": [],
            "output": { "type": "int", "value": "[a.f()]" } } } }], "variables": { "v": "[a.f()]" }"#,
        "nested deeper than",
    );
}
