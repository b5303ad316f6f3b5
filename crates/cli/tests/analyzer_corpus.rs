//! Runs the cases of the analyzer corpus that need a command line or the Bicep compiler, one test for each case. The
//! others are run by the crate of the rules. Known failures are in `tests/ratchet/analyzer.txt`.

#![expect(clippy::indexing_slicing, clippy::panic, reason = "a corpus that cannot be read fails the run")]
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "test data is on disk, and the program is started as a user starts it"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::{Value, json};

type Checked = Result<(), String>;
type Check = fn(&Path, &Value) -> Checked;

fn main() {
    let arguments = Arguments::from_args();
    let Some(root) = shared() else {
        eprintln!("the shared corpus is not here: no case is run");
        return;
    };
    let root = Arc::new(root);
    let known = ratchet();
    let suites: [(&str, Check); 4] =
        [("rule-tests", rule_test), ("nested", nested), ("cli", command_line), ("sarif-e2e", sarif)];
    let mut trials = Vec::new();
    for (suite, check) in suites {
        let text = read(&root.join(suite).join("cases.json"));
        let whole: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{suite}: {error}"));
        for case in whole["cases"].as_array().cloned().unwrap_or_default() {
            if case["kind"] == "arm-json" || case["needs_network"] == true || case["psrule_only"] == true {
                continue;
            }
            let id = format!("{suite}/{}", case["id"].as_str().unwrap_or("unnamed"));
            let (root, expected) = (Arc::clone(&root), known.get(&id).cloned());
            trials.push(Trial::test(id, move || judge(check(&root, &case), expected)));
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn judge(result: Checked, known: Option<String>) -> Result<(), Failed> {
    match (result, known) {
        (Ok(()), None) | (Err(_), Some(_)) => Ok(()),
        (Err(message), None) => Err(message.into()),
        (Ok(()), Some(reason)) => Err(format!("passes now; take it out of the ratchet ({reason})").into()),
    }
}

/// Exit code, standard output and standard error.
fn run(name: &str, folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let program = env!("CARGO_BIN_EXE_sinew");
    let mut command = Command::new(program);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::arg0(&mut command, name);
    let home = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let output = command.args(arguments).current_dir(folder).env("SINEW_HOME", home.path()).output();
    let output = output.unwrap_or_else(|error| panic!("{error}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

/// The lines of all failures, by file name; only of one rule if it is given.
fn lines(root: &Path, template: &str, rule: Option<&str>) -> Result<BTreeMap<String, BTreeSet<u64>>, String> {
    let mut arguments = vec!["analyze", template, "--no-restore", "--diagnostics-format", "json"];
    if let Some(rule) = rule {
        arguments.extend(["--include", rule]);
    }
    let (_, output, errors) = run("sinew", root, &arguments);
    let mut found: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
    for line in output.lines() {
        let diagnostic: Value =
            serde_json::from_str(line).map_err(|error| format!("{error}: {line} {errors}"))?;
        let code = diagnostic["code"].as_str().unwrap_or_default();
        let message = diagnostic["message"].as_str().unwrap_or_default();
        if !code.starts_with("TA-") {
            if diagnostic["severity"] == "error" {
                return Err(format!("{code}: {message}"));
            }
            continue;
        }
        if message.contains("undetermined, because") {
            continue;
        }
        let file = Path::new(diagnostic["file"].as_str().unwrap_or_default());
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let own = std::iter::once(&diagnostic["range"]);
        let labels = diagnostic["labels"].as_array().into_iter().flatten().map(|label| &label["range"]);
        let all = own.chain(labels).filter_map(|range| range["line"].as_u64());
        found.entry(name).or_default().extend(all);
    }
    Ok(found)
}

fn rule_test(root: &Path, case: &Value) -> Checked {
    let found = lines(root, case["template"].as_str().unwrap_or_default(), case["rule"].as_str())?;
    let found: BTreeSet<u64> = found.into_values().flatten().collect();
    let expected =
        case["expected_lines"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
    same(&found, &expected)
}

fn nested(root: &Path, case: &Value) -> Checked {
    let found = lines(root, case["template"].as_str().unwrap_or_default(), None)?;
    same(&json!(found), &case["expected_lines_by_file"])
}

fn command_line(root: &Path, case: &Value) -> Checked {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let cli = folder.path().join("cli");
    copy(&root.join("cli"), &cli);
    for (name, content) in case["write_files"].as_object().into_iter().flatten() {
        let text = content.as_str().map_or_else(|| content.to_string(), str::to_owned);
        std::fs::write(folder.path().join(name), text).map_err(|error| error.to_string())?;
    }
    let arguments: Vec<&str> =
        case["args"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let (code, output, errors) = run("TemplateAnalyzer", folder.path(), &arguments);
    if case["exit_code_asserted"] != false && Some(i64::from(code)) != case["exit_code"].as_i64() {
        return Err(format!("exit code {code}, expected {}: {output}{errors}", case["exit_code"]));
    }
    let texts = |name: &str| case[name].as_array().cloned().unwrap_or_default();
    let has = |text: &Value| output.contains(text.as_str().unwrap_or_default());
    if !texts("stdout_mentions").iter().all(has) || texts("stdout_lacks").iter().any(has) {
        return Err(format!("unexpected output: {output}"));
    }
    Ok(())
}

fn sarif(root: &Path, case: &Value) -> Checked {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (paths, here): (Vec<String>, PathBuf) = match case["template"].as_str() {
        Some(template) => (vec![template.to_owned()], root.to_owned()),
        None => {
            for (name, source) in case["files"].as_object().into_iter().flatten() {
                let path = folder.path().join(name);
                std::fs::create_dir_all(folder.path().join("repo")).map_err(|error| error.to_string())?;
                let parent = path.parent().ok_or("no folder")?;
                std::fs::create_dir_all(parent).map_err(|error| error.to_string())?;
                std::fs::write(&path, read(&root.join(source.as_str().unwrap_or_default())))
                    .map_err(|error| error.to_string())?;
            }
            let names = case["analyzed_in_order"].as_array().into_iter().flatten();
            (names.filter_map(Value::as_str).map(str::to_owned).collect(), folder.path().to_owned())
        }
    };
    let mut arguments = vec!["analyze", "--no-restore", "--diagnostics-format", "sarif"];
    arguments.extend(paths.iter().map(String::as_str));
    let (_, output, errors) = run("sinew", &here, &arguments);
    let log: Value = serde_json::from_str(&output).map_err(|error| format!("{error}: {errors}"))?;
    let mut found: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
    for result in log["runs"][0]["results"].as_array().into_iter().flatten() {
        let rule = result["ruleId"].as_str().unwrap_or_default();
        let places = ["locations", "relatedLocations"].into_iter().flat_map(|name| result[name].as_array());
        let lines =
            places.flatten().filter_map(|place| place["physicalLocation"]["region"]["startLine"].as_u64());
        found.entry(rule.to_owned()).or_default().extend(lines);
    }
    let expected =
        case["expected"].as_object().into_iter().flatten().filter(|(rule, _)| rule.starts_with("TA-"));
    let expected: BTreeMap<String, BTreeSet<u64>> = expected
        .map(|(rule, lines)| {
            let groups = lines.get("lines").unwrap_or(lines).as_array().into_iter().flatten();
            let lines =
                groups.flat_map(|group| group.as_array().into_iter().flatten()).filter_map(Value::as_u64);
            (rule.clone(), lines.collect())
        })
        .collect();
    found.retain(|rule, _| rule.starts_with("TA-"));
    same(&found, &expected)
}

fn same<T: PartialEq + std::fmt::Debug>(found: &T, expected: &T) -> Checked {
    if found == expected { Ok(()) } else { Err(format!("found {found:?}, expected {expected:?}")) }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap_or_else(|error| panic!("{error}"));
    for entry in std::fs::read_dir(from).into_iter().flatten().flatten() {
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() {
            copy(&source, &target);
        } else {
            std::fs::copy(&source, &target).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// `suite/case: reason`, one per line.
fn ratchet() -> BTreeMap<String, String> {
    let text = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ratchet/analyzer.txt"));
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| line.split_once(": "))
        .map(|(id, why)| (id.trim().into(), why.trim().into()))
        .collect()
}

/// The corpus, in a folder `shared` beside the project or wherever `SINEW_SHARED` says.
fn shared() -> Option<PathBuf> {
    let given = std::env::var_os("SINEW_SHARED").map(PathBuf::from);
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join("shared"));
    given.into_iter().chain(above).map(|shared| shared.join("corpus/analyzer")).find(|folder| folder.is_dir())
}
