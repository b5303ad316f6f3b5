//! What a script may export, row by row, and what transform makes of files.

use expect_test::{Expect, expect};
use generate::TransformOptions;

use crate::support::{self, generate, generate_stdout, transform};

#[track_caller]
fn check(script: &str, expected: &Expect) {
    expected.assert_eq(&generate(script).all());
}

#[track_caller]
fn check_stdout(script: &str, expected: &Expect) {
    expected.assert_eq(&generate_stdout(script).all());
}

#[test]
fn every_form_of_a_list_gives_the_same_files() {
    let file = "{ path: 'a.yaml', value: { a: 1 } }";
    for definition in [
        format!("[{file}]"),
        format!("Promise.resolve([{file}])"),
        format!("() => [{file}]"),
        format!("async () => [{file}]"),
        format!("() => Promise.resolve([{file}])"),
        "[{ path: 'a.yaml', value: Promise.resolve({ a: 1 }) }]".to_owned(),
        "[{ file: 'a.yaml', value: { a: 1 } }]".to_owned(),
        "[{ path: 'ignored.yaml', file: 'a.yaml', value: { a: 1 } }]".to_owned(),
        format!("({{ files: [{file}] }})"),
        format!("Promise.resolve({{ files: [{file}] }})"),
        format!("() => ({{ files: [{file}], validate: () => 'ok' }})"),
        format!("async () => ({{ files: Promise.resolve([{file}]) }})"),
    ] {
        let run = generate(&format!("export default {definition};"));
        assert_eq!(run.all(), "a.yaml:\na: 1\n", "{definition}");
    }
}

#[test]
fn values_are_awaited_in_parallel_and_keep_their_order() {
    check(
        "const later = (v) => Promise.resolve().then(() => v);
         export default [{ path: 'b.json', value: later(later(2)) }, { path: 'a.json', value: 1 }];",
        &expect![[r#"
            b.json:
            2
            a.json:
            1
        "#]],
    );
}

#[test]
fn wrong_shapes_are_named_by_position() {
    let first_lines = |script: &str| generate(script).outcome.shape_problems.join("\n");
    let cases = [
        (
            "[{ path: 'a', value: 1 }, [{}]]",
            "2nd element does not have a 'path' property\n2nd element does not have a 'value' property",
        ),
        (
            "[Promise.resolve({ path: 'a', value: 1 })]",
            "1st element does not have a 'path' property\n1st element does not have a 'value' property",
        ),
        ("[{ value: 1 }]", "1st element does not have a 'path' property"),
        ("[{ path: 'a' }]", "1st element does not have a 'value' property"),
        (
            "[null]",
            "1st element does not have a 'path' property\n1st element does not have a 'value' property",
        ),
        ("[{ path: 3, value: 1 }]", "1st element has a 'path' that is not a string"),
        ("[{ path: 'a', value: () => 1 }]", "1st element has a function for a 'value'; call it"),
        (
            "[{ path: 'a', value: 1 }, { path: 'a', value: 2 }]",
            "2nd element has the path 'a' of the 1st element",
        ),
        (
            "new Map([['path', 'a']])",
            "1st element does not have a 'path' property\n1st element does not have a 'value' property",
        ),
        (
            "[{ path: 'a', value: 1, validat: 1 }]",
            "1st element has an unknown property 'validat'; did you mean 'validate'?",
        ),
        ("[{ path: 'a', value: undefined }]", "1st element has the value undefined"),
        (
            "[{ path: 'a.json', value: 1 }, { path: './b/../a.json', value: 2 }]",
            "2nd element has the path './b/../a.json' of the 1st element",
        ),
        ("({ a: 1 })", "default value is not an array"),
        ("({ files: 1 })", "default value is not an array"),
    ];
    for (definition, expected) in cases {
        assert_eq!(first_lines(&format!("export default {definition};")), expected, "{definition}");
    }
    let ordinals = first_lines("export default Array.from({ length: 23 }, () => ({ value: 1 }));");
    for ordinal in ["3rd", "4th", "11th", "12th", "21st", "22nd", "23rd"] {
        assert!(ordinals.contains(&format!("{ordinal} element")), "{ordinal}");
    }
}

#[test]
fn a_wrong_shape_ends_with_help_and_one_clear_line() {
    let run = generate("export default 1;");
    assert!(run.outcome.files.is_empty() && !run.outcome.is_good());
    let errors = run.errors();
    assert!(errors.starts_with("default value is not an array\n\nTo use generate"), "{errors}");
    assert!(errors.ends_with("Error: the default export is not a list of files"), "{errors}");
}

#[test]
fn a_script_without_default_export_says_so() {
    let errors = generate("export const a = 1;").errors();
    assert_eq!(errors, "Error: the module './main.js' has no default export");
}

#[test]
fn nothing_is_generated_from_an_empty_list() {
    check("export default [];", &expect![""]);
    check_stdout(
        "export default [];",
        &expect![[r#"
        []
    "#]],
    );
}

#[test]
fn undefined_is_refused_everywhere() {
    let script = "export default [{ path: 'a.yaml', value: Promise.resolve(undefined) }];";
    for run in [generate(script), generate_stdout(script)] {
        let errors = run.errors();
        assert!(errors.contains("TypeError: a.yaml: cannot write undefined value"), "{errors}");
        assert_eq!(run.printed, "");
    }
}

#[test]
fn lists_may_be_generated_one_by_one() {
    let expected = &expect![[r#"
        a.json:
        1
        b.json:
        2
    "#]];
    check(
        "export default function* () { yield { path: 'a.json', value: 1 }; yield { path: 'b.json', value: 2 }; }",
        expected,
    );
    check(
        "export default async function* () { yield { path: 'a.json', value: 1 }; yield { path: 'b.json', value: 2 }; }",
        expected,
    );
    check("export default new Set([{ path: 'a.json', value: 1 }, { path: 'b.json', value: 2 }]);", expected);
}

#[test]
fn maps_and_sets_are_written_as_what_they_are_and_promises_refused() {
    check(
        "export default [{ path: 'a.json', value: { m: new Map([['k', 1]]), s: new Set([1, 2]) } }];",
        &expect![[r#"
            a.json:
            {
              "m": {
                "k": 1
              },
              "s": [
                1,
                2
              ]
            }
        "#]],
    );
    let errors =
        generate("export default [{ path: 'a.json', value: { a: { b: Promise.resolve(1) } } }];").errors();
    assert!(errors.contains("a.json: the member 'b' is a promise; await it"), "{errors}");
    let errors = generate("export default [{ path: 'a.json', value: new Map([[1, 1]]) }];").errors();
    assert!(errors.contains("a.json: a Map with a key of type number cannot be written"), "{errors}");
}

#[test]
fn a_file_is_no_folder() {
    let errors =
        generate("export default [{ path: 'a', value: 1 }, { path: 'a/b.json', value: 1 }];").errors();
    assert_eq!(errors, "Error: a: the path is a file, and a/b.json needs it to be a folder");
    let errors = generate("import { write } from '@jkcfg/std'; write(1, 'x.json'); export default [{ path: './x.json', value: 1 }];").errors();
    assert!(
        errors.contains("./x.json: the script both writes this file with write() and exports it"),
        "{errors}"
    );
}

#[test]
fn formats_and_options_of_a_file() {
    check(
        "import { Format } from '@jkcfg/std';
         export default [
           { path: 'a.yaml', value: { a: 1 }, format: Format.JSON, indent: 4 },
           { path: 'b.yaml', value: [{ b: 1 }, 'x'], format: Format.YAMLStream },
           { path: 'c.yaml', value: 'text' },
           { path: 'd.txt', value: 'text' },
           { path: 'e.tf', value: { a: { b: { c: 1 } } } },
           { path: 'f', value: 7, format: Format.Raw },
         ];",
        &expect![[r#"
            a.yaml:
            {
                "a": 1
            }
            b.yaml:
            b: 1
            --- x
            c.yaml:
            text
            d.txt:
            text
            e.tf:
            "a" "b" {
              "c" = 1
            }
            f:
            7"#]],
    );
}

#[test]
fn stdout_merges_what_fits_together() {
    check_stdout(
        "import { Format } from '@jkcfg/std';
         export default [
           { path: 'a.yaml', value: { a: 1000000 } },
           { path: 'b', value: [{ b: 1 }, 'x'], format: Format.YAMLStream },
         ];",
        &expect![[r#"
            a: 1000000
            ---
            b: 1
            --- x
        "#]],
    );
    check_stdout(
        "export default [{ path: 'a.json', value: { b: 1, a: 2 } }, { path: 'b', value: [1] }];",
        &expect![[r#"
            {"a":2,"b":1}
            [1]
        "#]],
    );
    check_stdout("export default [{ path: 'a.yaml', value: 'raw text' }];", &expect!["raw text"]);
}

#[test]
fn stdout_refuses_what_does_not() {
    let refused = |script: &str| generate_stdout(script).outcome.error.unwrap().message;
    let expected = "stdout requires compatible formats, but have seen JSON,YAML";
    assert_eq!(
        refused("export default [{ path: 'a.yaml', value: 1 }, { path: 'b.json', value: 2 }];"),
        expected
    );
    let expected = "stdout requires compatible formats, but have seen Raw";
    assert_eq!(refused("export default [{ path: 'a', value: 'x' }, { path: 'b', value: 'y' }];"), expected);
}

#[test]
fn jk_prints_numbers_of_streams_in_its_own_way() {
    let mut settings = support::settings();
    settings.jk_compatible = true;
    let options = generate::GenerateOptions { stdout: true, ..Default::default() };
    let script = "export default [{ path: 'a.yaml', value: { a: 1000000, b: 12345678901 } }];";
    let run = support::generate_files(&[("main.js", script)], settings, &options);
    assert_eq!(run.printed, "a: 1e+06\nb: 1.2345678901e+10\n");
}

#[test]
fn existing_files_are_replaced_unless_the_script_says_otherwise() {
    let script = "export default [
        { path: 'old.json', value: 1 },
        { path: 'kept.json', value: 1, overwrite: false },
        { path: 'new.json', value: 1, overwrite: false },
    ];";
    let files = [("main.js", script), ("old.json", "0"), ("kept.json", "0")];
    let run = support::generate_files(&files, support::settings(), &Default::default());
    assert_eq!(run.files(), "old.json:\n1\nnew.json:\n1\n");
}

#[test]
fn paths_stay_in_the_output_folder() {
    for (path, message) in [
        ("/etc/x", "writing to an absolute path is forbidden"),
        ("../x", "writing to parent path is forbidden"),
        ("a/../../x", "writing to parent path is forbidden"),
    ] {
        let run = generate(&format!("export default [{{ path: '{path}', value: 1 }}];"));
        assert_eq!(run.outcome.error.unwrap().message, format!("{path}: {message}"));
        assert!(run.outcome.files.is_empty());
    }
}

#[test]
fn transform_maps_every_document() {
    let run = transform(
        "({ k }) => ({ m: k + 1 })",
        &[("b.yaml", "k: 1\n---\nk: 2\n"), ("a.json", "{\"k\":5}\n{\"k\":6}")],
        TransformOptions { overwrite: true, ..Default::default() },
    );
    assert_eq!(run.all(), "a.json:\n{\"m\":6}\n{\"m\":7}\nb.yaml:\nm: 2\n---\nm: 3\n");
}

#[test]
fn transform_keeps_what_the_function_only_changes() {
    let files = [("a.yaml", "k: 1")];
    let options = TransformOptions { stdout: true, ..Default::default() };
    assert_eq!(transform("(v) => { v.k = 9; }", &files, options.clone()).printed, "k: 9\n");
    assert_eq!(transform("async (v) => ({ late: v.k })", &files, options.clone()).printed, "late: 1\n");
    assert_eq!(transform("(v) => [v, v]", &files, options).printed, "- k: 1\n- k: 1\n");
}

#[test]
fn transform_does_not_overwrite_unasked() {
    let run = transform("(v) => v", &[("a.json", "1")], TransformOptions::default());
    assert_eq!(run.outcome.error.unwrap().message, "file a.json already exists");
    assert!(run.outcome.files.is_empty());
}

#[test]
fn transform_wants_a_function() {
    let run = transform("5", &[("a.json", "1")], TransformOptions::default());
    assert_eq!(run.outcome.error.unwrap().message, "default export of given module is not a function");
}

#[test]
fn transform_checks_with_a_module() {
    let files = [("check.js", "export default (v) => v < 10 || 'too large';"), ("a.json", "1\n20")];
    let options = TransformOptions {
        input: vec!["a.json".into()],
        stdout: true,
        validate: Some("./check.js".into()),
        ..Default::default()
    };
    let run = transform("(v) => v + 1", &files, options);
    assert_eq!(run.all(), "a.json: too large\nError: values failed validation");
}
