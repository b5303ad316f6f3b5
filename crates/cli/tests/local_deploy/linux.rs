//! The tests, and what they prepare.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Trial};

use crate::notes;
use crate::program::{Called, command, project, sinew};

pub(crate) fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "--socket") {
        return notes::serve(&arguments[at + 1]);
    }
    let tests: [(&str, fn()); 4] = [
        ("resources_are_made_by_the_program", resources_are_made_by_the_program),
        ("what_the_program_refuses_is_told", what_the_program_refuses_is_told),
        ("a_program_that_ends_is_told", a_program_that_ends_is_told),
        ("an_interruption_ends_the_program_too", an_interruption_ends_the_program_too),
    ];
    let trials = tests.into_iter().map(|(name, test)| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}

const INDEX: &str = r##"{
  "resources": {
    "Note": { "$ref": "types.json#/3" }, "Bad": { "$ref": "types.json#/4" }, "Crash": { "$ref": "types.json#/5" },
    "Wait": { "$ref": "types.json#/6" }
  },
  "resourceFunctions": {},
  "settings": { "name": "Notes", "version": "1.0.0", "isSingleton": false, "configurationType": { "$ref": "types.json#/7" } }
}"##;

const TYPES: &str = r##"[
  { "$type": "StringType" },
  { "$type": "IntegerType" },
  {
    "$type": "ObjectType", "name": "body",
    "properties": {
      "name": { "type": { "$ref": "#/0" }, "flags": 17 },
      "text": { "type": { "$ref": "#/0" }, "flags": 0 },
      "length": { "type": { "$ref": "#/1" }, "flags": 2 }
    }
  },
  { "$type": "ResourceType", "name": "Note", "body": { "$ref": "#/2" }, "readableScopes": 0, "writableScopes": 0 },
  { "$type": "ResourceType", "name": "Bad", "body": { "$ref": "#/2" }, "readableScopes": 0, "writableScopes": 0 },
  { "$type": "ResourceType", "name": "Crash", "body": { "$ref": "#/2" }, "readableScopes": 0, "writableScopes": 0 },
  { "$type": "ResourceType", "name": "Wait", "body": { "$ref": "#/2" }, "readableScopes": 0, "writableScopes": 0 },
  { "$type": "ObjectType", "name": "configuration", "properties": { "folder": { "type": { "$ref": "#/0" }, "flags": 1 } } }
]"##;

const CONFIG: &str = r#"{
  "experimentalFeaturesEnabled": { "localDeploy": true },
  "extensions": { "notes": "./notes.tgz" }, "implicitExtensions": []
}"#;

/// A project with the packed extension; its program writes its process id to `pid`.
fn prepared(resources: &str) -> tempfile::TempDir {
    let main = format!(
        "targetScope = 'local'\nparam folder string\nextension notes with {{ folder: folder }}\n{resources}\n"
    );
    let folder = project(&[
        ("types/index.json", INDEX),
        ("types/types.json", TYPES),
        ("bicepconfig.json", CONFIG),
        ("main.bicep", &main),
    ]);
    let path = folder.path().display();
    fs::write(
        folder.path().join("main.bicepparam"),
        format!("using 'main.bicep'\nparam folder = '{path}'\n"),
    )
    .unwrap();
    // Packing the test itself would take longer than everything else.
    let program = std::env::current_exe().unwrap();
    let script = format!("#!/bin/sh\necho $$ > '{path}/pid'\nexec '{}' \"$@\"\n", program.display());
    let runner = folder.path().join("runner");
    fs::write(&runner, script).unwrap();
    fs::set_permissions(&runner, fs::Permissions::from_mode(0o755)).unwrap();
    let (code, _, errors) = sinew(
        folder.path(),
        &["publish-extension", "types/index.json", "--bin-linux-x64", "runner", "--target", "notes.tgz"],
    );
    assert_eq!((code, errors.as_str()), (0, ""));
    folder
}

fn local_deploy(folder: &Path, more: &[&str]) -> Called {
    let mut arguments = vec!["local-deploy", "main.bicepparam"];
    arguments.extend(more);
    sinew(folder, &arguments)
}

/// Whether the program of the extension is still there.
fn is_running(folder: &Path) -> bool {
    let process = fs::read_to_string(folder.join("pid")).unwrap();
    Path::new("/proc").join(process.trim()).join("exe").exists()
}

fn resources_are_made_by_the_program() {
    let folder = prepared(
        "resource first 'Note' = {\n  name: 'a'\n  text: 'hello'\n}\n\
         resource second 'Note' = {\n  name: 'b'\n  text: '${first.text} ${first.length}'\n}\n\
         output text string = second.text\noutput length int = second.length",
    );
    let (code, out, errors) = local_deploy(folder.path(), &["--format", "json"]);
    assert_eq!((code, errors.as_str()), (0, ""), "{out}");
    let result: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(result, serde_json::json!({ "outputs": { "length": 7, "text": "hello 5" } }));
    assert!(fs::read_to_string(folder.path().join("b.json")).unwrap().contains("hello 5"));
    assert!(!is_running(folder.path()), "the program ends with the deployment");
    let (code, out, _) = local_deploy(folder.path(), &[]);
    assert_eq!(code, 0);
    for word in ["first", "second", "Succeeded", "hello 5"] {
        assert!(out.contains(word), "{word} in {out}");
    }
}

fn what_the_program_refuses_is_told() {
    let folder = prepared("resource bad 'Bad' = {\n  name: 'a'\n}");
    let (code, out, _) = local_deploy(folder.path(), &[]);
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("NoteRefused") && out.contains("The note cannot be made."), "{out}");
}

fn a_program_that_ends_is_told() {
    let folder = prepared("resource crash 'Crash' = {\n  name: 'a'\n}");
    let (code, out, errors) = local_deploy(folder.path(), &[]);
    assert_eq!(code, 1, "{out}{errors}");
    assert!(out.contains("crash"), "the resource is named: {out}");
}

fn an_interruption_ends_the_program_too() {
    let folder = prepared("resource wait 'Wait' = {\n  name: 'a'\n}");
    let mut process = command(folder.path())
        .args(["local-deploy", "main.bicepparam"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while !folder.path().join("a.json").exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "nothing was made");
        std::thread::sleep(Duration::from_millis(20));
    }
    let sent = Command::new("kill").args(["-INT", &process.id().to_string()]).status().unwrap();
    assert!(sent.success());
    assert_eq!(process.wait().unwrap().code(), Some(1));
    assert!(!is_running(folder.path()), "the program ends with the deployment");
}
