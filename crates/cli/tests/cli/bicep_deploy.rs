//! `deploy`, `what-if` and `teardown` under the name `bicep`, against a server on this machine.
#![cfg(unix)]

use std::path::Path;
use std::process::Command;

use expect_test::{Expect, expect};

use crate::program::{Called, call, project};
use crate::serve::Server;

const SUBSCRIPTION: &str = "11111111-1111-1111-1111-111111111111";

const MAIN: &str = "param names array
param size int = 3
@batchSize(1)
resource sites 'A.B/sites@2023-01-01' = [for name in names: {
  name: name
  location: 'westeurope'
  properties: { size: size }
}]
output names array = names
output first string = sites[0].name
";

/// A parameter file that is deployed as `with` says.
fn parameter_file(with: &str) -> String {
    format!(
        "using 'main.bicep' with {{
  scope: '/subscriptions/${{readEnvVar('SUBSCRIPTION')}}/resourceGroups/${{readCliArg('group')}}'
  {with}
}}
param names = ['a', 'b']
"
    )
}

fn bicep(folder: &Path, arguments: &[&str]) -> Called {
    let name = folder.join("bicep");
    if !name.exists() {
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_sinew"), &name).unwrap();
    }
    let mut command = Command::new(name);
    command.current_dir(folder).env("SINEW_HOME", folder.join(".sinew")).env("SUBSCRIPTION", SUBSCRIPTION);
    command.env("SINEW_TYPES_MIRROR", "none").env_remove("SINEW_TOKEN");
    call(command.args(arguments))
}

/// Holds standard output against what is expected, with durations and colours in one spelling.
fn check(called: &Called, code: i32, expected: &Expect) {
    let (found, stdout, stderr) = called;
    let mut text = String::new();
    for part in stdout.split_inclusive('s') {
        // `0.1s` is a duration.
        let digits =
            part.strip_suffix('s').map(|it| it.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'));
        match digits {
            Some(before) if part.len() - before.len() == 4 => text.push_str(&format!("{before}0.0s")),
            _ => text.push_str(part),
        }
    }
    expected.assert_eq(&text.replace('\u{1b}', "^"));
    assert_eq!(*found, code, "{stderr}");
}

#[test]
fn a_parameter_file_is_deployed_looked_at_and_torn_down() {
    let state = tempfile::tempdir().unwrap();
    let server = Server::start(state.path());
    let address = format!("http://{}", server.address);
    let config = format!(
        r#"{{ "experimentalFeaturesEnabled": {{ "deployCommands": true }}, "cloud": {{ "currentProfile": "here", "profiles":
          {{ "here": {{ "resourceManagerEndpoint": "{address}", "activeDirectoryAuthority": "{address}" }} }} }} }}"#
    );
    let deployment = parameter_file("mode: 'deployment'");
    let stack = parameter_file(
        "mode: 'stack'\n  name: 'web'\n  actionOnUnmanage: { resources: 'delete' }\n  denySettings: { mode: 'none' }",
    );
    let files = [
        ("main.bicep", MAIN),
        ("main.bicepparam", &deployment),
        ("stack.bicepparam", &stack),
        ("bicepconfig.json", &config),
    ];
    let folder = project(&files);
    let folder = folder.path();
    let group = format!("/subscriptions/{SUBSCRIPTION}/resourceGroups/web");
    let version = "api-version=2025-04-01";
    server.send("PUT", &format!("{group}?{version}"), r#"{ "location": "westeurope" }"#);

    let arguments = ["main.bicepparam", "--arg-group", "web"];
    let run = |command: &str, more: &[&str]| bicep(folder, &[&[command], &arguments[..], more].concat());
    check(
        &run("what-if", &[]),
        0,
        &expect![[r#"

        Scope: /subscriptions/11111111-1111-1111-1111-111111111111/resourceGroups/web
        ^[38;5;77m
          + A.B/sites/a

              apiVersion^[0m:^[38;5;77m      "2023-01-01"
              id^[0m:^[38;5;77m              "/subscriptions/11111111-1111-1111-1111-111111111111/resourceGroups/web/providers/A.B/sites/a"
              name^[0m:^[38;5;77m            "a"
              type^[0m:^[38;5;77m            "A.B/sites"
              resourceGroup^[0m:^[38;5;77m   "web"
              location^[0m:^[38;5;77m        "westeurope"
              properties.size^[0m:^[38;5;77m 3

          + A.B/sites/b

              apiVersion^[0m:^[38;5;77m      "2023-01-01"
              id^[0m:^[38;5;77m              "/subscriptions/11111111-1111-1111-1111-111111111111/resourceGroups/web/providers/A.B/sites/b"
              name^[0m:^[38;5;77m            "b"
              type^[0m:^[38;5;77m            "A.B/sites"
              resourceGroup^[0m:^[38;5;77m   "web"
              location^[0m:^[38;5;77m        "westeurope"
              properties.size^[0m:^[38;5;77m 3
        ^[0m"#]],
    );
    let deployed = expect![[r#"
        ╭──────────┬──────────┬───────────╮
        │ Resource │ Duration │ Status    │
        ├──────────┼──────────┼───────────┤
        │ sites[0] │ 0.0s     │ Succeeded │
        │ sites[1] │ 0.0s     │ Succeeded │
        ╰──────────┴──────────┴───────────╯
        ╭────────┬────────╮
        │ Output │ Value  │
        ├────────┼────────┤
        │ first  │ a      │
        │ names  │ [      │
        │        │   "a", │
        │        │   "b"  │
        │        │ ]      │
        ╰────────┴────────╯
    "#]];
    check(&run("deploy", &[]), 0, &deployed);
    check(
        &run("deploy", &["--format", "json"]),
        0,
        &expect![[r#"
        {
          "outputs": {
            "names": [
              "a",
              "b"
            ],
            "first": "a"
          }
        }"#]],
    );
    check(
        &run("what-if", &[]),
        0,
        &expect![[r#"

        Scope: /subscriptions/11111111-1111-1111-1111-111111111111/resourceGroups/web
        ^[0m
          = A.B/sites/a
          = A.B/sites/b
        ^[0m"#]],
    );
    check(
        &run("teardown", &[]),
        1,
        &expect![[r#"
        ╭───────────┬──────────┬───────────────────────────────────────────────────────╮
        │ Operation │ Duration │ Status                                                │
        ├───────────┼──────────┼───────────────────────────────────────────────────────┤
        │ Teardown  │ 0.0s     │ Only stacks can be torn down: the parameter file has  │
        │           │          │ to say `mode: 'stack'`.                               │
        ╰───────────┴──────────┴───────────────────────────────────────────────────────╯
    "#]],
    );
    check(
        &bicep(folder, &["deploy", "main.bicepparam", "--arg-group", "none"]),
        1,
        &expect![[r#"
        ╭╮

        ╰╯
        ╭──────────────────────────────────────────────────────────────────╮
        │ Error                                                            │
        ├──────────────────────────────────────────────────────────────────┤
        │ ResourceGroupNotFound: Resource group 'none' could not be found. │
        ╰──────────────────────────────────────────────────────────────────╯
    "#]],
    );

    let arguments = ["stack.bicepparam", "--arg-group", "web"];
    let run = |command: &str| bicep(folder, &[&[command], &arguments[..]].concat());
    check(&run("deploy"), 0, &deployed);
    check(
        &run("teardown"),
        0,
        &expect![[r#"
        ╭───────────┬──────────┬───────────╮
        │ Operation │ Duration │ Status    │
        ├───────────┼──────────┼───────────┤
        │ Teardown  │ 0.0s     │ Succeeded │
        ╰───────────┴──────────┴───────────╯
    "#]],
    );
    let left = server.send("GET", &format!("{group}/resources?{version}"), "");
    assert!(left.contains(r#"{"value":[]}"#), "{left}");
    server.stop();
}
