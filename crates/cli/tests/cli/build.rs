//! `build`, as a user calls it.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::program::{call, command, project, sinew};

const QUIET: (&str, &str) = ("bicepconfig.json", r#"{"analyzers": {"core": {"enabled": false}}}"#);
const GOOD: &str = "output o string = 'x'\n";

#[test]
fn writes_beside_the_source_to_a_file_or_to_a_folder() {
    let folder = project(&[QUIET, ("a/main.bicep", GOOD), ("a/b/other.bicep", GOOD)]);
    let here = folder.path();
    let nothing = (0, String::new(), String::new());
    assert_eq!(sinew(here, &["build", "a/main.bicep"]), nothing);
    let text = std::fs::read_to_string(here.join("a/main.json")).unwrap();
    assert!(text.starts_with("{\n  \"$schema\"") && text.ends_with("\n}"), "{text}");
    assert_eq!(sinew(here, &["build", "a/main.bicep", "--stdout"]), (0, format!("{text}\n"), String::new()));
    assert_eq!(sinew(here, &["build", "a/main.bicep", "--outfile", "x/y.json"]), nothing);
    assert_eq!(sinew(here, &["build", "a", "--outdir", "out", "--minify"]), nothing);
    assert_eq!(sinew(here, &["build", "--pattern", "a/**/*.bicep", "--outdir", "out2"]), nothing);
    for path in ["x/y.json", "out/main.json", "out/b/other.json", "out2/main.json", "out2/b/other.json"] {
        assert!(here.join(path).is_file(), "{path}");
    }
    assert!(!std::fs::read_to_string(here.join("out/main.json")).unwrap().contains('\n'));
}

#[test]
fn errors_give_no_template_but_the_others_are_written() {
    let folder = project(&[
        QUIET,
        ("bad.bicep", "output o string = missing\n"),
        ("uses.bicep", "module m 'bad.bicep' = { name: 'm' }\n"),
        ("good.bicep", GOOD),
    ]);
    let here = folder.path();
    let (code, output, errors) = sinew(here, &["build", "."]);
    assert_eq!((code, output.as_str()), (1, ""));
    assert!(errors.contains("bad.bicep(1,19) : Error BCP057"), "{errors}");
    assert!(!here.join("bad.json").exists() && !here.join("uses.json").exists());
    assert!(here.join("good.json").exists());
}

#[test]
fn arguments_that_make_no_sense_are_refused() {
    let folder = project(&[("main.bicep", GOOD), ("p.bicepparam", "using 'main.bicep'\n")]);
    for (arguments, reason) in [
        (&["build"][..], "no input: name a file"),
        (&["build", "main.bicep", "--stdout", "--outdir", "x"], "`--stdout` cannot be used with `--outdir`"),
        (&["build", "--pattern", "*.bicep", "--stdout"], "`--stdout` cannot be used with `--pattern`"),
        (&["build", "p.bicepparam"], "build-params"),
        (&["build", "none.bicep"], "the file does not exist"),
        (&["build", "main.bicep", "--max-size", "lots"], "such as `4MB`"),
    ] {
        let (code, _, errors) = sinew(folder.path(), arguments);
        assert!(code != 0 && errors.contains(reason), "{arguments:?}: {errors}");
    }
}

#[test]
fn large_templates_are_refused_with_what_makes_them_large() {
    let folder = project(&[
        QUIET,
        ("main.bicep", "module a 'm.bicep' = { name: 'a' }\nmodule b 'm.bicep' = { name: 'b' }\n"),
        ("m.bicep", GOOD),
    ]);
    let (code, _, errors) = sinew(folder.path(), &["build", "main.bicep", "--max-size", "100"]);
    assert_eq!(code, 1);
    assert!(errors.contains("more than the 100 that are allowed"), "{errors}");
    assert!(errors.contains("m.bicep (2 times)"), "{errors}");
    assert!(!folder.path().join("main.json").exists());
    assert_eq!(sinew(folder.path(), &["build", "main.bicep", "--max-size"]).0, 0);
}

#[test]
fn source_maps_lead_from_the_template_to_the_source() {
    let folder = project(&[
        QUIET,
        ("main.bicep", "module m 'sub/m.bicep' = {\n  name: 'm'\n}\n"),
        ("sub/m.bicep", GOOD),
    ]);
    assert_eq!(sinew(folder.path(), &["build", "main.bicep", "--source-map"]).0, 0);
    let map = std::fs::read_to_string(folder.path().join("main.json.map")).unwrap();
    let map: serde_json::Value = serde_json::from_str(&map).unwrap();
    let place = &map["places"]["/resources/0/properties/template/outputs/o"];
    assert_eq!(map["files"][place["file"].as_u64().unwrap() as usize], "sub/m.bicep");
    assert_eq!(place["start"], serde_json::json!([1, 1]));
}

#[test]
fn watching_builds_again_after_a_change() {
    let loading = "output o string = loadTextContent('texts/a.txt')\n";
    let folder = project(&[QUIET, ("main.bicep", loading), ("texts/a.txt", "before")]);
    let mut watch = command(folder.path());
    let mut child = watch.args(["build", "main.bicep", "--watch"]).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut until_watching =
        || lines.by_ref().map_while(Result::ok).find(|line| line.starts_with("watching"));
    assert!(until_watching().is_some());
    std::fs::write(folder.path().join("texts/a.txt"), "loaded").unwrap();
    assert!(until_watching().is_some());
    let text = std::fs::read_to_string(folder.path().join("main.json")).unwrap();
    assert!(text.contains("\"loaded\""), "{text}");
    std::fs::write(folder.path().join("main.bicep"), "output o string = 'changed'\n").unwrap();
    assert!(until_watching().is_some());
    child.kill().unwrap();
    child.wait().unwrap();
    let text = std::fs::read_to_string(folder.path().join("main.json")).unwrap();
    assert!(text.contains("\"changed\""), "{text}");
}

#[cfg(unix)]
#[test]
fn under_the_name_bicep_the_flags_are_the_same() {
    let folder = project(&[QUIET, ("main.bicep", GOOD)]);
    let bicep = folder.path().join("bicep");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_sinew"), &bicep).unwrap();
    let output = Command::new(&bicep)
        .args(["build", "main.bicep", "--stdout", "--no-restore"])
        .current_dir(folder.path())
        .env("SINEW_HOME", folder.path().join(".sinew"))
        .output()
        .unwrap();
    let template: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(template["metadata"]["_generator"]["name"], "bicep");
}

#[test]
fn files_of_all_folders_are_one_program() {
    let using = |name: &str| format!("module m '../shared/m.bicep' = {{ name: '{name}' }}\n");
    let bad = "output o string = missing\n";
    let folder = project(&[
        QUIET,
        ("shared/m.bicep", GOOD),
        ("shared/bad.bicep", bad),
        ("a/main.bicep", &using("a")),
        ("b/main.bicep", &using("b")),
        ("c/main.bicep", "module m '../shared/bad.bicep' = { name: 'c' }\n"),
    ]);
    std::fs::remove_file(folder.path().join("bicepconfig.json")).unwrap();
    let build = |threads: &str, out: &str| {
        let arguments = ["build", "--pattern", "**/*.bicep", "--outdir", out];
        call(command(folder.path()).args(arguments).env("RAYON_NUM_THREADS", threads))
    };
    let (one, all) = (build("1", "one"), build("4", "all"));
    assert_eq!(one, all);
    assert_eq!(one.0, 1);
    assert_eq!(one.2.matches("BCP057").count(), 1, "a module is reported once: {}", one.2);
    for name in ["a/main.json", "b/main.json", "shared/m.json"] {
        let text = |out: &str| std::fs::read_to_string(folder.path().join(out).join(name)).unwrap();
        assert_eq!(text("one"), text("all"), "{name}");
    }
    assert!(!folder.path().join("one/c/main.json").exists(), "its module has an error");
}
