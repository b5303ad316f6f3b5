//! `run`, `generate`, `transform`, `validate` and `init`, as a user calls them.

use std::process::Command;

use crate::program::{Called, call, project, sinew};

fn done(output: &str) -> Called {
    (0, output.to_owned(), String::new())
}

fn failed(errors: &str) -> Called {
    (1, String::new(), errors.to_owned())
}

const CONFIG: (&str, &str) = (
    "config.js",
    "import * as param from '@jkcfg/std/param';
     const check = ({ name }) => name.startsWith('my-') || 'name does not start with my-';
     const name = param.String('name', 'my-app');
     const files = [{ path: 'a.yaml', value: { name, n: 1000000 }, validate: check }];
     if (!param.Boolean('small', false)) files.push({ path: 'sub/b.yaml', value: { name }, validate: check });
     export default files;",
);

#[test]
fn generate_writes_all_files_or_none() {
    let folder = project(&[CONFIG]);
    let here = folder.path();
    let refused = "a.yaml: name does not start with my-\nsub/b.yaml: name does not start with my-\n\
                   Error: values failed validation\n";
    assert_eq!(sinew(here, &["generate", "-v", "./config.js", "-p", "name=foo"]), failed(refused));
    assert!(!here.join("a.yaml").exists());
    assert_eq!(sinew(here, &["generate", "-v", "config.js"]), done("wrote a.yaml\nwrote sub/b.yaml\n"));
    assert_eq!(
        sinew(here, &["generate", "-v", "config.js"]),
        done("unchanged a.yaml\nunchanged sub/b.yaml\n")
    );
    let other = ["generate", "config.js", "-p", "name=my-other", "-v"];
    assert_eq!(sinew(here, &other), done("wrote a.yaml\nwrote sub/b.yaml\n"));
    assert_eq!(std::fs::read_to_string(here.join("a.yaml")).unwrap(), "\"n\": 1000000\nname: my-other\n");
}

#[test]
fn generate_can_check_and_prune() {
    let folder = project(&[CONFIG]);
    let here = folder.path();
    let plan = (1, "would write a.yaml\nwould write sub/b.yaml\n".to_owned(), String::new());
    assert_eq!(sinew(here, &["generate", "--check", "config.js"]), plan);
    assert_eq!(sinew(here, &["generate", "--prune", "config.js"]), done(""));
    assert_eq!(sinew(here, &["generate", "--check", "config.js"]), done(""));
    let smaller = ["generate", "--prune", "-v", "config.js", "-p", "small=true"];
    assert_eq!(sinew(here, &smaller), done("unchanged a.yaml\nremoved sub/b.yaml\n"));
    assert!(!here.join("sub/b.yaml").exists());
}

#[test]
fn a_failure_can_be_a_sarif_result() {
    let folder = project(&[CONFIG]);
    let arguments = ["generate", "config.js", "-p", "name=foo", "--diagnostics-format", "sarif"];
    let (code, output, errors) = sinew(folder.path(), &arguments);
    assert_eq!((code, errors.as_str()), (1, ""));
    let sarif: serde_json::Value = serde_json::from_str(&output).unwrap();
    let results = &sarif["runs"][0]["results"];
    assert_eq!(results.as_array().unwrap().len(), 2);
    assert_eq!(results[0]["ruleId"], "generate-invalid-value");
}

#[test]
fn scripts_outside_of_the_folder_bring_their_own_root() {
    let folder = project(&[CONFIG, ("elsewhere/x.txt", "")]);
    let there = folder.path().join("elsewhere");
    let printed = done("\"n\": 1000000\nname: my-app\n---\nname: my-app\n");
    assert_eq!(sinew(&there, &["generate", "--stdout", "../config.js"]), printed);
    let absolute = folder.path().canonicalize().unwrap().join("config.js");
    assert_eq!(sinew(&there, &["generate", "--stdout", absolute.to_str().unwrap()]), printed);
}

#[test]
fn parameters_apply_in_the_order_of_the_command_line() {
    let folder = project(&[("p.json", r#"{"a": "file"}"#)]);
    let show = "print(param.String('a'))";
    let check = |arguments: &[&str], expected: &str| {
        assert_eq!(sinew(folder.path(), &[&["run", "-c", show], arguments].concat()), done(expected));
    };
    check(&["-p", "a=line", "-f", "p.json"], "file\n");
    check(&["-f", "p.json", "-pa=line"], "line\n");
    let (code, _, errors) = sinew(folder.path(), &["run", "-c", show, "-p", "a"]);
    assert_eq!((code, errors.as_str()), (2, "error: the parameter 'a' must have the form name=value\n"));
}

#[test]
fn validate_says_which_files_are_good() {
    let folder = project(&[("good.yaml", "v: 1"), ("bad.yaml", "v: 2\n---\nv: 3")]);
    let check = "v => v.v === 1 || `${v.v} is not 1`";
    let lines = "bad.yaml: 2 is not 1\nbad.yaml: 3 is not 1\ngood.yaml: ok\n";
    let expected = failed(&format!("{lines}Error: values failed validation\n"));
    assert_eq!(sinew(folder.path(), &["validate", "-c", check, "good.yaml", "bad.yaml"]), expected);
    let forgiven = (0, String::new(), lines.to_owned());
    assert_eq!(
        sinew(folder.path(), &["validate", "--jk-compat", "-c", check, "good.yaml", "bad.yaml"]),
        forgiven
    );
}

#[test]
fn transform_changes_files_in_place() {
    let folder = project(&[("a.json", "1")]);
    let arguments = ["transform", "-v", "--overwrite", "-c", "v => v + 1", "a.json"];
    assert_eq!(sinew(folder.path(), &arguments), done("wrote a.json\n"));
    assert_eq!(std::fs::read_to_string(folder.path().join("a.json")).unwrap(), "2\n");
}

#[test]
fn a_new_project_works_at_once() {
    let folder = project(&[]);
    let new = folder.path().join("new");
    assert_eq!(sinew(folder.path(), &["init", "new"]).0, 0);
    let expected = done("wrote deployment.yaml\nwrote service.yaml\n");
    assert_eq!(sinew(&new, &["generate", "-v", "config.ts"]), expected);
    assert_eq!(sinew(folder.path(), &["init", "new"]).0, 1, "nothing is overwritten");
}

#[cfg(unix)]
#[test]
fn under_the_name_jk_streams_look_like_those_of_jk() {
    let folder = project(&[CONFIG]);
    let program = folder.path().join("jk");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_sinew"), &program).unwrap();
    let jk = |arguments: &[&str]| call(Command::new(&program).args(arguments).current_dir(folder.path()));
    let printed = jk(&["generate", "--stdout", "config.js", "-p", "small=1"]);
    assert_eq!(printed, done("\"n\": 1e+06\nname: my-app\n"));
    assert_eq!(jk(&["run", "-p", "a", "-c", "1"]).0, 1);
}
