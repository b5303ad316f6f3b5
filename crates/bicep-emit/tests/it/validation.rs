//! Validators, run on what a file gives while it is compiled; and unit tests.

use base::{MemoryWorld, Verdict};
use bicep_emit::unit_test::{Circumstances, own_assertions, unit_tests};
use bicep_emit::{Emitter, Generator, Options, validation};
use bicep_sema::{FileId, Program, Setup};

const CHECKS: &str = "
func isName(value string) object => startsWith(value, 'a') ? { kind: 'success' } : { kind: 'failure', errorMessage: 'no ${value}' }
func atLeast(value int, min int) object => value >= min ? { kind: 'success' } : { kind: 'failure', errorMessage: 'less than ${min}' }
func all(value object) object => length(value) < 2 ? { kind: 'success' } : { kind: 'failure', errorMessage: 'too many' }
";

/// Loads files, the first of which is looked at.
fn with_file<R>(files: &[(&str, &str)], look: impl FnOnce(&Emitter<'_>, FileId) -> R) -> R {
    let world = files.iter().fold(MemoryWorld::new(), |world, (path, text)| world.with_file(*path, text));
    let program = Program::load(Setup::new(&world), &[files[0].0.into()]);
    let file = *program.entries()[0].1.as_ref().expect("the file is there");
    let generator = Generator { name: "sinew".to_owned(), version: "1.2.3".to_owned() };
    look(&Emitter::new(&program, Options { generator }), file)
}

/// What validators say about a file that starts with the functions above: the value and the message of each.
#[track_caller]
fn check(source: &str, expected: &[(&str, &str)]) {
    let text = format!("{CHECKS}{source}");
    let found =
        with_file(&[("main.bicep", &text)], |emitter, file| validation::check_values(emitter, file, None));
    let found: Vec<(&str, &str)> = found
        .iter()
        .map(|it| (&text[it.range], it.message.rsplit(": ").next().unwrap_or_default()))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn values_that_are_known_are_checked() {
    check("@isName()\nparam p string = 'b'", &[("'b'", "no b")]);
    check("@isName()\nparam p string = 'a'", &[]);
    check("param q string = 'b'\n@isName()\nparam p string = q", &[]);
    check("param q string = 'b'\n@isName()\nparam p string = 'b${q}'", &[]);
    check("@isName()\noutput o string = resourceGroup().location", &[]);
    check("@isName()\noutput o string = ('b')", &[("'b'", "no b")]);
    check("var b = 'b'\n@isName()\noutput o string = b", &[("b", "no b")]);
}

#[test]
fn the_place_is_the_innermost_that_is_written_out() {
    let ty =
        "type t = {\n  @isName()\n  name: string\n  list: number[]?\n}\n@atLeast(2)\ntype number = int\n";
    let with = |source: &str| format!("{ty}{source}");
    check(&with("var v t = { name: 'b' }\noutput o object = v"), &[("'b'", "no b")]);
    check(&with("var v t = { name: 'a', list: [2, (1), 3] }\noutput o object = v"), &[("1", "less than 2")]);
    check(
        &with("var ones = [1]\nvar v t = { name: 'a', list: [2, ...ones] }\noutput o object = v"),
        &[("[2, ...ones]", "less than 2")],
    );
    check(&with("var part = { name: 'b' }\nvar v t = part\noutput o object = v"), &[("part", "no b")]);
    check(&with("var v t = { ...{ name: 'b' } }\noutput o object = v"), &[("{ ...{ name: 'b' } }", "no b")]);
    check(
        &with("var v t = { name: 'a', list: [for i in range(0, 2): i] }\noutput o object = v"),
        &[("[for i in range(0, 2): i]", "less than 2"), ("[for i in range(0, 2): i]", "less than 2")],
    );
}

#[test]
fn parts_are_known_when_the_whole_is_not() {
    check(
        "param q string\ntype t = {\n  @isName()\n  one: string\n  two: string\n}\nparam p t = { one: 'b', two: q }",
        &[("'b'", "no b")],
    );
    check(
        "param q string\n@all()\nparam p object = { one: q, two: q }",
        &[("{ one: q, two: q }", "too many")],
    );
}

#[test]
fn tests_tell_every_assertion() {
    let tested = "param n int\nassert positive = n > 0\nassert even = n % 2 == 0\nassert open = resourceGroup().name == 'x'";
    let tests = "var three = 3\ntest odd 'tested.bicep' = {\n  params: { n: three }\n}\ntest none 'tested.bicep' = {}";
    let config = r#"{ "experimentalFeaturesEnabled": { "testFramework": true, "assertions": true } }"#;
    let files = [("/main.bicep", tests), ("/tested.bicep", tested), ("/bicepconfig.json", config)];
    let context = arm::Context::default();
    let circumstances = Circumstances { context: &context, clocks: None };
    with_file(&files, |emitter, file| {
        let unit_tests = unit_tests(emitter, file, circumstances);
        let [odd, none] = unit_tests.as_slice() else { panic!("{unit_tests:?}") };
        let told = odd.outcome.as_ref().expect("it can be evaluated");
        let told: Vec<(&str, &Verdict)> = told.iter().map(|it| (it.name.as_str(), &it.verdict)).collect();
        assert!(
            matches!(
                told.as_slice(),
                [("positive", Verdict::Pass), ("even", Verdict::Fail(_)), ("open", Verdict::Undetermined(_))]
            ),
            "{told:?}"
        );
        assert!(
            none.outcome.as_ref().is_err_and(|reason| reason.contains("'n' is not provided")),
            "{none:?}"
        );
        assert!(own_assertions(emitter, file, circumstances).is_none());
    });
}

#[test]
fn broken_files_do_not_break_validation() {
    let source = format!(
        "{CHECKS}@isName()\n@all()\nparam p string = 'b'\n@atLeast('x', p)\nparam n int = 1\nmodule m 'main.bicep' = [for i in [1]: {{\n  params: {{ p: 'b', n: i, x: y }}\n}}]\nvar v {{ @isName()\n a: string }} = {{ a: 'b' }}\ntest t 'main.bicep' = {{ params: {{ p: [v] }} }}\nassert x = isName(v.a)\noutput o array = [p, n, v]\n"
    );
    let context = arm::Context::default();
    for end in (0..=source.len()).filter(|end| source.is_char_boundary(*end)) {
        with_file(&[("main.bicep", &source[..end])], |emitter, file| {
            let _ = validation::check_values(emitter, file, None);
            let _ = unit_tests(emitter, file, Circumstances { context: &context, clocks: None });
        });
    }
}
