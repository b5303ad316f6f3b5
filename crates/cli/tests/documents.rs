//! A template that was compiled in this process is not printed to be read again: the reader of documents counts.
//!
//! The only test of its binary: other tests would count, too.

#![cfg(debug_assertions)]
#![expect(clippy::disallowed_methods, reason = "the files of the test")]

use std::ffi::OsString;
use std::fs;

use arm::document::readings;

const MODULE: &str = "\
@minLength(2)
param name string
output upper string = toUpper(name)
";

const MAIN: &str = "\
param prefix string = 'st'
param names array = ['a', 'b']

var all = [for name in names: '${prefix}${name}']

resource stores 'Microsoft.Storage/storageAccounts@2023-01-01' = [for name in all: {
  name: name
  location: 'westeurope'
  kind: 'StorageV2'
  sku: {
    name: 'Standard_LRS'
  }
}]

module named 'module.bicep' = {
  name: 'named'
  params: {
    name: prefix
  }
}

output upper string = named.outputs.upper
";

const PARAMETERS: &str = "using 'main.bicep'\nparam prefix = 'xy'\n";

#[test]
fn what_is_compiled_is_not_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| OsString::from(folder.path().join(name));
    for (name, text) in [("module.bicep", MODULE), ("main.bicep", MAIN), ("main.bicepparam", PARAMETERS)] {
        fs::write(path(name), text).unwrap();
    }
    let run = |command: &str, file: &str, options: &[&str]| {
        let mut arguments = vec![OsString::from("sinew"), command.into(), path(file)];
        arguments.extend(options.iter().map(OsString::from));
        if matches!(command, "what-if" | "deploy") {
            arguments.extend(["--state".into(), path("state.db"), "-g".into(), "group".into()]);
        }
        let before = readings::so_far();
        let code = cli::run(&arguments);
        assert_eq!(readings::so_far(), before, "`{command} {file}` reads a template");
        code
    };
    for file in ["main.bicep", "main.bicepparam"] {
        run("analyze", file, &[]);
        run("check", file, &[]);
        run("what-if", file, &["--offline"]);
    }
    let deployed = run("deploy", "main.bicep", &["--offline"]);
    assert_eq!(deployed, std::process::ExitCode::SUCCESS);
    // The counter counts.
    fs::write(path("main.json"), r#"{ "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0", "resources": [] }"#).unwrap();
    let before = readings::so_far();
    cli::run(&["sinew".into(), "analyze".into(), path("main.json")]);
    assert!(readings::so_far() > before);
}
