//! `analyze` and `rules`, as a user calls them.

use std::process::Command;

use crate::program::{project, sinew};

const REDIS: &str = r#"{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "contentVersion": "1.0.0.0",
  "parameters": { "open": { "type": "bool", "defaultValue": true } },
  "resources": [
    { "type": "Microsoft.Cache/redis", "apiVersion": "2023-08-01", "name": "cache",
      "properties": { "enableNonSslPort": "[parameters('open')]" } }
  ]
}"#;

const CLOSED: &str = r#"{ "parameters": { "open": { "value": false } } }"#;

#[test]
fn a_broken_rule_is_told_with_its_place_and_parameters_decide() {
    let folder = project(&[("a/redis.json", REDIS), ("a/package.json", "{}"), ("closed.json", CLOSED)]);
    let (code, _, errors) = sinew(folder.path(), &["analyze", "a"]);
    assert_eq!(code, 1, "{errors}");
    assert!(errors.contains("redis.json(7,") && errors.contains("TA-000022"), "{errors}");
    let (code, _, errors) = sinew(folder.path(), &["analyze", "a", "--parameters", "closed.json"]);
    assert_eq!((code, errors.as_str()), (0, ""));
    std::fs::write(folder.path().join("a/redis.parameters.json"), CLOSED).unwrap();
    assert_eq!(sinew(folder.path(), &["analyze", "a"]).0, 0, "found beside the template");
}

#[test]
fn findings_can_be_left_out_by_rule_path_severity_and_baseline() {
    let folder = project(&[("redis.json", REDIS)]);
    let here = folder.path();
    for arguments in [
        &["analyze", "redis.json", "--exclude", "ta-000022"][..],
        &["analyze", ".", "--exclude-path", "*.json"],
        &["analyze", "redis.json", "--include", "TA-000004"],
        &["analyze", "redis.json", "--write-baseline", "accepted.json"],
        &["analyze", "redis.json", "--baseline", "accepted.json"],
    ] {
        let (code, _, errors) = sinew(here, arguments);
        assert_eq!(code, 0, "{arguments:?}: {errors}");
    }
    std::fs::write(here.join("redis.json"), REDIS.replace("\"cache\"", "\"other\"")).unwrap();
    let (code, _, errors) = sinew(here, &["analyze", "redis.json", "--baseline", "accepted.json"]);
    assert!(code == 1 && errors.contains("no longer occur"), "{errors}");
}

#[test]
fn bicep_findings_stand_in_the_bicep_file() {
    let main = "module m 'redis.bicep' = { name: 'm' }\n";
    let redis = "resource cache 'Microsoft.Cache/redis@2023-08-01' = {\n  name: 'cache'\n  location: 'westus'\n  \
                 properties: {\n    enableNonSslPort: true\n    sku: { name: 'Basic', family: 'C', capacity: 0 }\n  }\n}\n";
    let folder = project(&[("main.bicep", main), ("redis.bicep", redis)]);
    let (code, _, errors) = sinew(folder.path(), &["analyze", "main.bicep"]);
    assert!(code == 1 && errors.contains("redis.bicep(5,"), "{errors}");
    let silenced =
        redis.replace("    enable", "    // sinew-ignore TA-000022: inside a private network\n    enable");
    std::fs::write(folder.path().join("redis.bicep"), silenced).unwrap();
    let (code, _, errors) = sinew(folder.path(), &["analyze", "main.bicep"]);
    assert_eq!((code, errors.as_str()), (0, ""));
}

#[test]
fn bad_input_is_told_and_the_rest_is_analysed() {
    let rules = r#"[{ "id": "BAD", "evaluation": { "path": "a" } },
        { "id": "GOOD", "evaluation": { "path": "resources[0].name", "equals": "x" } }]"#;
    let folder =
        project(&[("redis.json", REDIS), ("rules.json", rules), ("broken.json", "{"), ("other.json", "{}")]);
    let here = folder.path();
    let (code, _, errors) = sinew(
        here,
        &["analyze", "redis.json", "broken.json", "other.json", "gone.json", "--only-rules", "rules.json"],
    );
    assert_eq!(code, 1);
    for expected in ["RULE006", "'BAD'", "GOOD", "broken.json", "`other.json`: not a template", "gone.json"] {
        assert!(errors.contains(expected), "{expected}: {errors}");
    }
}

#[test]
fn rules_are_listed_explained_and_tested() {
    let rule = r#"{ "id": "R", "description": "d", "evaluation": { "resourceType": "A/b", "path": "x", "exists": true },
        "examples": { "pass": [{ "type": "A/b", "name": "n", "x": 1 }], "fail": [{ "type": "A/b", "name": "n", "x": 1 }] } }"#;
    let folder = project(&[("rules.json", rule)]);
    let here = folder.path();
    let (code, output, _) = sinew(here, &["rules", "list"]);
    assert_eq!((code, output.lines().count()), (0, 38));
    let (code, output, _) = sinew(here, &["rules", "explain", "ta-000004"]);
    assert!(code == 0 && output.contains("httpsOnly"), "{output}");
    let (code, output, _) = sinew(here, &["rules", "schema"]);
    assert!(code == 0 && output.contains("\"lessOrEquals\""), "{output}");
    let (code, _, errors) = sinew(here, &["rules", "test", "rules.json"]);
    assert!(
        code == 1
            && errors.contains("It should fail, but passes")
            && errors.contains("2 examples, 1 of them"),
        "{errors}"
    );
}

#[test]
fn the_template_analyzer_takes_the_configuration_beside_it() {
    let folder = project(&[("redis.json", REDIS)]);
    let program = folder.path().join("TemplateAnalyzer");
    // A link costs nothing, but the folder may be on another disk.
    if std::fs::hard_link(env!("CARGO_BIN_EXE_sinew"), &program).is_err() {
        std::fs::copy(env!("CARGO_BIN_EXE_sinew"), &program).unwrap();
    }
    let run = || {
        let mut command = Command::new(&program);
        command.args(["analyze-template", "redis.json"]).current_dir(folder.path());
        command.output().unwrap().status.code().unwrap()
    };
    assert_eq!(run(), 20, "a violation");
    std::fs::write(folder.path().join("configuration.json"), r#"{ "exclusions": { "ids": ["TA-000022"] } }"#)
        .unwrap();
    assert_eq!(run(), 0, "the rule is left out");
    std::fs::write(folder.path().join("configuration.json"), "[]").unwrap();
    assert_eq!(run(), 4, "not a configuration");
}
