//! SARIF as commands write it: valid, with rule metadata, fingerprints, columns and fixes. The published schema is used where
//! `SINEW_SARIF_SCHEMA` or a folder `shared` has it.

use std::path::Path;

use serde_json::Value;

use crate::program::sinew;

const TEMPLATE: &str = r#"{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "contentVersion": "1.0.0.0",
  "resources": [
    { "type": "Microsoft.Cache/redis", "apiVersion": "2023-08-01", "name": "größe",
      "properties": { "enableNonSslPort": true } },
    { "type": "Microsoft.ApiManagement/service/apis", "apiVersion": "2023-08-01", "name": "a/b",
      "properties": { "protocols": ["http", "ws"] } }
  ]
}"#;

#[test]
fn sarif_says_everything_about_rules_and_places() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("my template.json"), TEMPLATE).unwrap();
    std::fs::write(folder.path().join("main.bicep"), "var   unused = 1\n").unwrap();
    for command in ["analyze", "check"] {
        let log = sarif(folder.path(), command);
        validate(&log);
        let run = &log["runs"][0];
        let results = run["results"].as_array().unwrap();
        let of = |id: &str| results.iter().find(|result| result["ruleId"] == id).unwrap();
        let redis = of("TA-000022");
        let place = &redis["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "my%20template.json");
        assert_eq!(place["region"]["startLine"], 6);
        assert_eq!(place["region"]["startColumn"], 43);
        assert_eq!(place["region"]["endColumn"], 47);
        assert!(redis["partialFingerprints"]["primaryLocationLineHash"].is_string(), "{redis}");
        let rule =
            &run["tool"]["driver"]["rules"][usize::try_from(redis["ruleIndex"].as_u64().unwrap()).unwrap()];
        assert_eq!(rule["id"], "TA-000022");
        for text in ["shortDescription", "fullDescription", "help"] {
            assert!(rule[text]["text"].as_str().is_some_and(|text| text.len() > 10), "{text}: {rule}");
        }
        assert_eq!(rule["defaultConfiguration"]["level"], "error");
        let further = of("TA-000029")["relatedLocations"].as_array().map_or(0, Vec::len);
        assert!(further > 0, "the second protocol is wrong, too");
        if command == "check" {
            let fix = &of("not-formatted")["fixes"][0]["artifactChanges"][0]["replacements"][0];
            assert_eq!(fix["insertedContent"]["text"], "", "two spaces too many go");
        }
    }
}

fn sarif(folder: &Path, command: &str) -> Value {
    let (_, output, _) = sinew(folder, &[command, ".", "--diagnostics-format", "sarif"]);
    serde_json::from_str(&output).unwrap()
}

fn validate(log: &Value) {
    let named = std::env::var_os("SINEW_SARIF_SCHEMA").map(Into::into);
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let shared = folders.map(|folder| folder.join("shared/sarif-schema-2.1.0.json"));
    let Some(text) = named.into_iter().chain(shared).find_map(|path| std::fs::read_to_string(path).ok())
    else {
        eprintln!("not validated: SINEW_SARIF_SCHEMA does not name the SARIF 2.1.0 schema");
        return;
    };
    let validator = jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).unwrap();
    let errors = validator.iter_errors(log).map(|error| format!("{}: {error}", error.instance_path()));
    assert_eq!(errors.collect::<Vec<_>>(), Vec::<String>::new());
}
