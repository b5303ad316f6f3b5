//! The log as it is, that it is valid, that limits hold, that fingerprints are stable.

use std::io::Write as _;

use expect_test::expect;

use super::*;
use crate::Check;
use crate::render::samples;

fn parsed(reports: &[FileReport]) -> Value {
    serde_json::from_str(&render(reports, &tool())).unwrap()
}

fn tool() -> Tool {
    Tool { information_uri: Some("https://example.com/a b".to_owned()), ..Tool::new("sinew", "1.2.3") }
}

#[test]
fn the_whole_log() {
    let log = render(&samples::reports(), &tool());
    assert_valid(&serde_json::from_str(&log).unwrap());
    expect![[r#"
        {
          "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
          "version": "2.1.0",
          "runs": [
            {
              "tool": {
                "driver": {
                  "name": "sinew",
                  "rules": [
                    {
                      "id": "BCP033",
                      "shortDescription": {
                        "text": "BCP033"
                      },
                      "defaultConfiguration": {
                        "level": "error"
                      },
                      "properties": {
                        "problem.severity": "error"
                      },
                      "helpUri": "https://aka.ms/bicep/core-diagnostics#BCP033",
                      "help": {
                        "text": "See https://aka.ms/bicep/core-diagnostics#BCP033"
                      }
                    },
                    {
                      "id": "no-unused-vars",
                      "shortDescription": {
                        "text": "no-unused-vars"
                      },
                      "defaultConfiguration": {
                        "level": "warning"
                      },
                      "properties": {
                        "problem.severity": "warning"
                      }
                    },
                    {
                      "id": "sample-info",
                      "shortDescription": {
                        "text": "sample-info"
                      },
                      "defaultConfiguration": {
                        "level": "note"
                      },
                      "properties": {
                        "problem.severity": "recommendation"
                      }
                    },
                    {
                      "id": "BCP018",
                      "shortDescription": {
                        "text": "BCP018"
                      },
                      "defaultConfiguration": {
                        "level": "error"
                      },
                      "properties": {
                        "problem.severity": "error"
                      }
                    }
                  ],
                  "version": "1.2.3",
                  "informationUri": "https://example.com/a%20b"
                }
              },
              "columnKind": "utf16CodeUnits",
              "invocations": [
                {
                  "executionSuccessful": true
                }
              ],
              "results": [
                {
                  "ruleId": "BCP033",
                  "ruleIndex": 0,
                  "level": "error",
                  "message": {
                    "text": "Expected a value of type \"int\" but the provided value is of type \"string\".\nThe parameter `size` of the module is an int."
                  },
                  "locations": [
                    {
                      "physicalLocation": {
                        "artifactLocation": {
                          "uri": "src/main.bicep"
                        },
                        "region": {
                          "startLine": 7,
                          "startColumn": 11,
                          "endLine": 7,
                          "endColumn": 15
                        }
                      }
                    }
                  ],
                  "partialFingerprints": {
                    "primaryLocationLineHash": "c776c6c38d0c84ba:1"
                  },
                  "relatedLocations": [
                    {
                      "id": 0,
                      "physicalLocation": {
                        "artifactLocation": {
                          "uri": "src/main.bicep"
                        },
                        "region": {
                          "startLine": 2,
                          "startColumn": 7,
                          "endLine": 2,
                          "endColumn": 18
                        }
                      },
                      "message": {
                        "text": "declared as string"
                      }
                    },
                    {
                      "id": 1,
                      "physicalLocation": {
                        "artifactLocation": {
                          "uri": "src/modules/m.bicep"
                        },
                        "region": {
                          "startLine": 1,
                          "startColumn": 7,
                          "endLine": 1,
                          "endColumn": 11
                        }
                      },
                      "message": {
                        "text": "the parameter is declared here"
                      }
                    }
                  ]
                },
                {
                  "ruleId": "no-unused-vars",
                  "ruleIndex": 1,
                  "level": "warning",
                  "message": {
                    "text": "Variable \"unused\" is declared but never used."
                  },
                  "locations": [
                    {
                      "physicalLocation": {
                        "artifactLocation": {
                          "uri": "src/main.bicep"
                        },
                        "region": {
                          "startLine": 11,
                          "startColumn": 5,
                          "endLine": 11,
                          "endColumn": 11
                        }
                      }
                    }
                  ],
                  "partialFingerprints": {
                    "primaryLocationLineHash": "7bf7bd944c9ed2d1:1"
                  },
                  "fixes": [
                    {
                      "description": {
                        "text": "Remove the variable"
                      },
                      "artifactChanges": [
                        {
                          "artifactLocation": {
                            "uri": "src/main.bicep"
                          },
                          "replacements": [
                            {
                              "deletedRegion": {
                                "startLine": 11,
                                "startColumn": 1,
                                "endLine": 12,
                                "endColumn": 1
                              },
                              "insertedContent": {
                                "text": ""
                              }
                            }
                          ]
                        }
                      ]
                    }
                  ]
                },
                {
                  "ruleId": "sample-info",
                  "ruleIndex": 2,
                  "level": "note",
                  "message": {
                    "text": "After two units & \"one\" letter."
                  },
                  "locations": [
                    {
                      "physicalLocation": {
                        "artifactLocation": {
                          "uri": "my%20files/gr%C3%B6%C3%9Fe,%20100%25.bicep"
                        },
                        "region": {
                          "startLine": 1,
                          "startColumn": 8,
                          "endLine": 1,
                          "endColumn": 13
                        }
                      }
                    }
                  ],
                  "partialFingerprints": {
                    "primaryLocationLineHash": "cbc8e11972903d3f:1"
                  }
                },
                {
                  "ruleId": "BCP018",
                  "ruleIndex": 3,
                  "level": "error",
                  "message": {
                    "text": "Line one\r\nline <two>: 50%\u001b[31m"
                  },
                  "locations": [
                    {
                      "physicalLocation": {
                        "artifactLocation": {
                          "uri": "my%20files/gr%C3%B6%C3%9Fe,%20100%25.bicep"
                        },
                        "region": {
                          "startLine": 2,
                          "startColumn": 9,
                          "endLine": 4,
                          "endColumn": 2
                        }
                      }
                    }
                  ],
                  "partialFingerprints": {
                    "primaryLocationLineHash": "562a4d14a86071cd:1"
                  },
                  "fixes": [
                    {
                      "description": {
                        "text": "Insert a comma"
                      },
                      "artifactChanges": [
                        {
                          "artifactLocation": {
                            "uri": "my%20files/gr%C3%B6%C3%9Fe,%20100%25.bicep"
                          },
                          "replacements": [
                            {
                              "deletedRegion": {
                                "startLine": 3,
                                "startColumn": 7,
                                "endLine": 3,
                                "endColumn": 7
                              },
                              "insertedContent": {
                                "text": ","
                              }
                            }
                          ]
                        }
                      ]
                    }
                  ]
                }
              ]
            }
          ]
        }
    "#]].assert_eq(&log);
}

#[test]
fn logs_are_valid_whatever_is_in_them() {
    for reports in [vec![], samples::misplaced(), samples::endless()] {
        assert_valid(&parsed(&reports));
    }
}

#[test]
fn logs_fit_the_published_schema() {
    let Some(schema) = published_schema() else {
        let _ =
            writeln!(std::io::stderr(), "skipped: SINEW_SARIF_SCHEMA does not name the SARIF 2.1.0 schema");
        return;
    };
    let validator = jsonschema::validator_for(&schema).unwrap();
    for reports in [vec![], samples::reports(), samples::misplaced(), samples::endless()] {
        for limits in [GITHUB, Limits { results: 1, ..GITHUB }] {
            let log = log(&reports, &tool(), limits);
            let errors =
                validator.iter_errors(&log).map(|error| format!("{}: {error}", error.instance_path()));
            assert_eq!(errors.collect::<Vec<_>>(), Vec::<String>::new());
        }
    }
}

/// The schema is not ours to keep here: it is used where `SINEW_SARIF_SCHEMA` or a folder `shared` has it.
#[expect(clippy::disallowed_methods, reason = "a test may look for test data")]
fn published_schema() -> Option<Value> {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let shared = here.ancestors().map(|folder| folder.join("shared/sarif-schema-2.1.0.json"));
    let named = std::env::var("SINEW_SARIF_SCHEMA").ok().map(Into::into);
    let text = named.into_iter().chain(shared).find_map(|path| std::fs::read_to_string(path).ok())?;
    Some(serde_json::from_str(&text).unwrap())
}

#[test]
fn the_name_and_version_are_the_tools_own() {
    let log = log(&[], &Tool::new("bicep", ""), GITHUB);
    assert_valid(&log);
    assert_eq!(log["runs"][0]["tool"]["driver"], json!({ "name": "bicep", "rules": [] }));
}

#[test]
fn what_is_too_much_is_left_out_with_notice_the_least_severe_first() {
    let file = SourceFile::new("a.bicep", "abc\n");
    let range = TextRange::new(0.into(), 1.into());
    let diagnostics = (0..30).map(|n| match n % 3 {
        0 => Check::Compiler.info("i", range, "i"),
        1 => Check::Compiler.warning("w", range, "w"),
        _ => Check::Compiler.error("e", range, "e"),
    });
    let report = FileReport { file, diagnostics: diagnostics.collect() };
    let log = log(&[report], &tool(), Limits { results: 14, ..GITHUB });
    assert_valid(&log);
    let run = &log["runs"][0];
    let kept: String =
        run["results"].as_array().unwrap().iter().map(|r| r["ruleId"].as_str().unwrap()).collect();
    assert_eq!(kept, "wewewewe".to_owned() + "eeeeee");
    let notice = &run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
    assert!(notice.as_str().unwrap().starts_with("16 of 30 results were left out"), "{notice}");
}

#[test]
fn size_is_limited_too() {
    let file = SourceFile::new("a.bicep", "abc\n");
    let range = TextRange::new(0.into(), 1.into());
    let bulky =
        Check::Compiler.error("e", range, "m".repeat(10_000)).with_fix("f", range, "x".repeat(200_000));
    let report = FileReport { file, diagnostics: vec![bulky; 100] };
    let log = log(&[report], &tool(), Limits { bytes: 50_000, ..GITHUB });
    assert_valid(&log);
    assert!(log.to_string().len() < 60_000);
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["message"]["text"].as_str().unwrap().chars().count(), GITHUB.message + 1);
    assert!(result.get("fixes").is_none());
    assert!(log["runs"][0]["invocations"][0]["toolExecutionNotifications"].is_array());
}

#[test]
fn many_results_of_one_endless_line_are_written() {
    let file = SourceFile::new("min.json", "{\"x\":1},".repeat(40_000));
    let at = |n: u32| TextRange::at((n * 8 + 1).into(), 3.into());
    let diagnostics = (0..30_000).map(|n| Check::Compiler.warning("w", at(n), "w")).collect();
    let log = parsed(&[FileReport::new(file, diagnostics)]);
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), GITHUB.results);
    let last = &results[GITHUB.results - 1]["locations"][0]["physicalLocation"]["region"]["startColumn"];
    assert_eq!(*last, 24_999 * 8 + 2);
}

#[test]
fn fingerprints_follow_their_line() {
    let fingerprints = |text: &str| -> Vec<Value> {
        let offsets = text
            .match_indices("bad")
            .map(|(at, _)| TextRange::at(u32::try_from(at).unwrap().into(), 3.into()));
        let diagnostics = offsets.map(|at| Check::Compiler.error("e", at, "bad")).collect();
        let log = parsed(&[FileReport::new(SourceFile::new("a", text), diagnostics)]);
        let results = log["runs"][0]["results"].as_array().unwrap().clone();
        results
            .iter()
            .map(|result| result["partialFingerprints"]["primaryLocationLineHash"].clone())
            .collect()
    };
    let before = fingerprints("x = bad\ny = bad\nx = bad\n");
    let moved = fingerprints("// new\n\n  x  = bad\ny = bad\r\nother\nx = bad\n");
    assert_eq!(before, moved);
    assert_eq!(before.iter().collect::<std::collections::HashSet<_>>().len(), 3);
    assert_ne!(before[0], fingerprints("z = bad")[0]);
}

/// What the schema demands of the members that we write.
#[track_caller]
fn assert_valid(log: &Value) {
    assert_eq!(log["version"], "2.1.0");
    for run in log["runs"].as_array().unwrap() {
        let driver = &run["tool"]["driver"];
        assert!(!driver["name"].as_str().unwrap().is_empty());
        assert_eq!(run["columnKind"], "utf16CodeUnits");
        assert_eq!(run["invocations"][0]["executionSuccessful"], true);
        let rules = driver["rules"].as_array().unwrap();
        for (index, rule) in rules.iter().enumerate() {
            let first = rules.iter().position(|other| other["id"] == rule["id"]);
            assert_eq!(first, Some(index), "every rule once");
            assert_uri(rule.get("helpUri"));
        }
        let results = run["results"].as_array().unwrap();
        assert!(results.len() <= 25_000);
        for result in results {
            assert_result(result, rules);
        }
    }
}

#[track_caller]
fn assert_result(result: &Value, rules: &[Value]) {
    assert!(matches!(result["level"].as_str(), Some("error" | "warning" | "note")));
    assert!(result["message"]["text"].is_string());
    let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
    assert_eq!(result["ruleId"], rules[index]["id"]);
    let related = result.get("relatedLocations").and_then(Value::as_array);
    for location in result["locations"].as_array().unwrap().iter().chain(related.into_iter().flatten()) {
        assert_uri(location["physicalLocation"]["artifactLocation"].get("uri"));
        assert_region(&location["physicalLocation"]["region"]);
    }
    for fix in result.get("fixes").and_then(Value::as_array).into_iter().flatten() {
        for change in fix["artifactChanges"].as_array().unwrap() {
            assert_uri(change["artifactLocation"].get("uri"));
            let replacements = change["replacements"].as_array().unwrap();
            assert!(!replacements.is_empty());
            replacements.iter().for_each(|replacement| assert_region(&replacement["deletedRegion"]));
        }
    }
}

#[track_caller]
fn assert_region(region: &Value) {
    let number = |key: &str| region[key].as_u64().unwrap();
    let start = (number("startLine"), number("startColumn"));
    let end = (number("endLine"), number("endColumn"));
    assert!(start.0 >= 1 && start.1 >= 1 && end.1 >= 1 && start <= end, "{region}");
}

#[track_caller]
fn assert_uri(uri: Option<&Value>) {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=%".contains(c);
    assert!(uri.is_none_or(|uri| uri.as_str().unwrap().chars().all(allowed)), "{uri:?}");
}
