//! The official JSON Schema Test Suite: every required test of every draft that we know.
//!
//! It is not part of the repository. `JSON_SCHEMA_TEST_SUITE` names a checkout of
//! github.com/json-schema-org/JSON-Schema-Test-Suite; without it the test says that it did nothing.

use camino::{Utf8Path, Utf8PathBuf};
use generate::schema::{check, compile};
use serde_json::{Value, json};

const DRAFTS: [(&str, &str); 5] = [
    ("draft4", "http://json-schema.org/draft-04/schema#"),
    ("draft6", "http://json-schema.org/draft-06/schema#"),
    ("draft7", "http://json-schema.org/draft-07/schema#"),
    ("draft2019-09", "https://json-schema.org/draft/2019-09/schema"),
    ("draft2020-12", "https://json-schema.org/draft/2020-12/schema"),
];

#[test]
fn all_required_tests_of_the_official_suite_pass() {
    let Ok(suite) = std::env::var("JSON_SCHEMA_TEST_SUITE") else {
        return println!("skipped: JSON_SCHEMA_TEST_SUITE does not name a checkout of the suite");
    };
    let suite = Utf8PathBuf::from(suite);
    let mut failures = Vec::new();
    for (draft, address) in DRAFTS {
        let (mut passed, mut total) = (0, 0);
        for file in suite.join("tests").join(draft).read_dir_utf8().unwrap() {
            let path = file.unwrap().into_path();
            if path.extension() != Some("json") {
                continue;
            }
            let groups: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
            for group in &groups {
                for test in group["tests"].as_array().unwrap() {
                    total += 1;
                    match run(&suite, (draft, address), &group["schema"], test) {
                        Ok(()) => passed += 1,
                        Err(reason) => failures.push(format!(
                            "{draft} {}: {} / {}: {reason}",
                            path.file_name().unwrap(),
                            group["description"],
                            test["description"]
                        )),
                    }
                }
            }
        }
        println!("{draft}: {passed} of {total}");
    }
    assert!(failures.is_empty(), "{} tests fail:\n{}", failures.len(), failures.join("\n"));
}

fn run(suite: &Utf8Path, draft: (&str, &str), schema: &Value, test: &Value) -> Result<(), String> {
    // The suite's schemas do not all say which draft they are for; the folder does.
    let mut schema = schema.clone();
    if let Some(members) = schema.as_object_mut()
        && !members.contains_key("$schema")
    {
        members.insert("$schema".to_owned(), json!(draft.1));
    }
    let read = |address: &str| {
        let file = address.strip_prefix("http://localhost:1234/").ok_or("not local")?;
        let text = std::fs::read_to_string(suite.join("remotes").join(file)).map_err(|e| e.to_string())?;
        serde_json::from_str(&text).map_err(|error| error.to_string())
    };
    let verdict = check(&test["data"], &compile(&schema, None, &read)?);
    if !verdict.is_undetermined() && verdict.is_pass() == test["valid"].as_bool().unwrap() {
        Ok(())
    } else {
        Err("wrong verdict".to_owned())
    }
}
