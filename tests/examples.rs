//! The examples are what the README shows: they pass every check, their layout included.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::disallowed_methods, reason = "a changed example is written to a folder of its own")]

use std::path::Path;

use tests::program::run;

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples");

#[test]
fn examples_pass_all_checks() {
    let program = Path::new(env!("CARGO_BIN_EXE_sinew-tested"));
    let ran = run(program, ["check", EXAMPLES], &[]);
    assert!(ran.as_ref().is_ok_and(|ran| ran.code == Some(0)), "{ran:?}");
}

#[test]
fn validators_refuse_external_inputs() {
    let program = Path::new(env!("CARGO_BIN_EXE_sinew-tested"));
    let file = format!("{EXAMPLES}/validated-inputs/main.bicepparam");
    let arguments = ["build-params", &file, "--resolve", "--arg", "environment=test", "--stdout"];
    for (owner, code, message) in [
        ("storage-team@contoso.example", 0, ""),
        (
            "nobody",
            1,
            "(9,10) : Error validation-failed: The value of 'tags.owner' is not valid: the reason is withheld, as it may show a secret",
        ),
    ] {
        let ran = run(program, arguments, &[("OWNER".to_owned(), owner.to_owned())]).unwrap();
        assert!(ran.code == Some(code) && ran.errors().contains(message), "{owner}\n{}", ran.errors());
    }
}

/// Runs the program in a copy of an example with one text replaced.
/// A text in a file that is replaced by another.
struct Change<'t> {
    file: &'t str,
    from: &'t str,
    to: &'t str,
}

fn run_changed(
    example: &str,
    Change { file, from, to }: Change<'_>,
    arguments: &[&str],
) -> tests::program::Ran {
    let folder = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(format!("{EXAMPLES}/{example}")).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            let text = std::fs::read_to_string(entry.path()).unwrap();
            let is_it = entry.file_name() == file;
            assert!(!is_it || text.contains(from), "{file} has no `{from}`");
            let text = if is_it { text.replace(from, to) } else { text };
            std::fs::write(folder.path().join(entry.file_name()), text).unwrap();
        }
    }
    let path = folder.path().join(file).to_str().unwrap().to_owned();
    let program = Path::new(env!("CARGO_BIN_EXE_sinew-tested"));
    run(program, arguments.iter().copied().chain([path.as_str()]), &[]).unwrap()
}

#[test]
fn the_tests_of_the_validators_pass() {
    let program = Path::new(env!("CARGO_BIN_EXE_sinew-tested"));
    let folder = format!("{EXAMPLES}/validated-inputs/tests");
    let ran = run(program, ["test", &folder], &[]).unwrap();
    let text = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.code == Some(0) && text.ends_with("8 passed, 0 failed, 0 undecided\n"), "{ran:?}");
}

#[test]
fn validators_refuse_what_the_guide_says() {
    for (file, from, to, message) in [
        (
            "main.bicepparam",
            "'contosodata'",
            "'Contoso-Data'",
            "(4,21) : Error validation-failed: The value of 'storageName' is not valid: \"Contoso-Data\" may only have small letters and digits",
        ),
        ("main.bicepparam", "/20", "/28", "10.1.0.0/28 has no room for 256 addresses"),
        ("main.bicep", "/16'", "/30'", "10.0.0.0/30 has no room for 256 addresses"),
        ("main.bicepparam", "externalInput('sys.envVar', 'OWNER')", "'me'", "\"me\" is not an address"),
    ] {
        let ran = run_changed("validated-inputs", Change { file, from, to }, &["lint"]);
        assert!(ran.code == Some(1) && ran.errors().contains(message), "{message}\n{}", ran.errors());
    }
}
