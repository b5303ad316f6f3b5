//! What validation functions may answer, and what becomes of it.

use base::Verdict;
use expect_test::{Expect, expect};
use generate::GenerateOptions;

use crate::support::{generate, generate_files, run, settings, validate};

/// The lines for a file `x.yaml` whose validation function is this expression.
#[track_caller]
fn check(function: &str, expected: &str) {
    let run =
        generate(&format!("export default [{{ path: 'x.yaml', value: {{ v: 1 }}, validate: {function} }}];"));
    let errors = run.errors();
    let expected = if expected.is_empty() {
        String::new()
    } else {
        format!("{expected}\nError: values failed validation")
    };
    assert_eq!(errors, expected, "{function}");
    assert_eq!(run.outcome.files.is_empty(), !expected.is_empty(), "{function}");
}

#[test]
fn every_answer_has_a_meaning() {
    let cases = [
        ("() => 'ok'", ""),
        ("() => true", ""),
        ("undefined", ""),
        ("() => []", ""),
        ("() => false", "x.yaml: value not valid"),
        ("() => 'bad'", "x.yaml: bad"),
        ("() => ''", "x.yaml: "),
        ("() => 'OK'", "x.yaml: OK"),
        ("() => ['a', 'b']", "x.yaml: a\nx.yaml: b"),
        ("() => ({ msg: 'm' })", "x.yaml: m"),
        ("() => [{ msg: 'm' }, 's']", "x.yaml: m\nx.yaml: s"),
        ("() => ({ msg: 'm', path: 'a.b' })", "x.yaml: m at a.b"),
        ("() => ({ msg: 'm', start: { line: 3, column: 20 } })", "x.yaml:3.20: m"),
        (
            "() => ({ msg: 'm', path: 'p', start: { line: 3, column: 20 }, end: { line: 5, column: 0 } })",
            "x.yaml:3.20-5.0: m at p",
        ),
        ("async () => 'late'", "x.yaml: late"),
        ("() => Promise.resolve(['a'])", "x.yaml: a"),
        ("(v) => v.v === 1", ""),
        ("function () { return arguments.length === 1; }", ""),
    ];
    for (function, expected) in cases {
        check(function, expected);
    }
}

#[test]
fn everything_else_is_an_error_that_names_the_file() {
    let cases = [
        ("() => undefined", "x.yaml: unrecognised result from validation function: undefined"),
        ("() => 5", "x.yaml: unrecognised result from validation function: 5"),
        ("() => null", "x.yaml: unrecognised result from validation function: null"),
        ("() => ({ a: 1 })", r#"x.yaml: unrecognised result from validation function: {"a":1}"#),
        ("() => ['a', 1]", r#"x.yaml: unrecognised result from validation function: ["a",1]"#),
        (
            "() => { throw new TypeError('t'); }",
            "x.yaml: the validation function threw TypeError: t (main.js:1:76)",
        ),
        ("() => Promise.reject('r')", "x.yaml: the validation function threw r"),
        ("null", "x.yaml: validate is not a function"),
        ("'text'", "x.yaml: validate is not a function"),
    ];
    for (function, expected) in cases {
        check(function, expected);
    }
}

#[test]
fn all_files_are_checked_before_anything_is_written() {
    let run = generate(
        "import { write } from '@jkcfg/std';
         write({}, 'direct.json');
         const fail = (v) => `${v} is bad`;
         export default [
           { path: 'good.json', value: 1, validate: () => 'ok' },
           { path: 'b.json', value: 'b', validate: fail },
           { path: 'a.json', value: 'a', validate: () => { throw new Error('oops'); } },
           { path: 'c.json', value: 'c', validate: fail },
         ];",
    );
    assert!(run.outcome.files.is_empty());
    expect![[r#"
        b.json: b is bad
        a.json: the validation function threw Error: oops (main.js:7:66)
        c.json: c is bad
        Error: values failed validation"#]]
    .assert_eq(&run.errors());
    let verdicts: Vec<&Verdict> = run.outcome.checks.iter().map(|check| &check.verdict).collect();
    assert_eq!(*verdicts[0], Verdict::Pass);
    assert_eq!(*verdicts[1], Verdict::fail("b is bad"));
    assert_eq!(
        *verdicts[2],
        Verdict::undetermined("the validation function threw Error: oops (main.js:7:66)")
    );
}

#[test]
fn a_validator_may_change_the_value() {
    let script =
        "export default [{ path: 'a.json', value: { n: 1 }, validate: (v) => { v.n = 2; return true; } }];";
    assert_eq!(generate(script).files(), "a.json:\n{\n  \"n\": 2\n}\n");
}

#[test]
fn a_stream_is_checked_as_a_whole() {
    let script = "import { Format } from '@jkcfg/std';
        export default [{ path: 'a.yaml', value: [1, 2], format: Format.YAMLStream, validate: (v) => v.length === 2 }];";
    assert_eq!(generate(script).files(), "a.yaml:\n1\n--- 2\n");
}

#[track_caller]
fn check_global(script: &str, expected: &Expect) {
    let run = generate(script);
    assert!(run.outcome.files.is_empty());
    expected.assert_eq(&run.errors());
}

#[test]
fn the_whole_configuration_is_checked_after_the_files() {
    check_global(
        "export default () => ({
           files: [{ path: 'a.json', value: 1, validate: () => 'bad a' }, { path: 'b.json', value: Promise.resolve(2) }],
           validate: (values) => [`sum is ${values.reduce((a, b) => a + b)}`, { msg: 'm', path: 'p' }],
         });",
        &expect![[r#"
            a.json: bad a
            (all files): sum is 3
            (all files): m at p
            Error: values failed validation"#]],
    );
    check_global(
        "export default { files: [{ path: 'a.json', value: 1 }], validate: 5 };",
        &expect![[r#"
            (all files): validate is not a function
            Error: values failed validation"#]],
    );
}

#[test]
fn values_name_their_schema() {
    let schema = r#"{"required": ["name"], "properties": {"name": {"type": "string"}}}"#;
    let script = "export default [
        { path: 'a.json', value: { $schema: './s.json', name: 1 } },
        { path: 'b.json', value: { $schema: './missing.json' } },
        { path: 'c.json', value: { $schema: 'https://example.com/s.json' } },
        { path: 'd.json', value: { $schema: './s.json', name: 'x' } },
    ];";
    let files = [("main.js", script), ("s.json", schema)];
    let run = generate_files(&files, settings(), &GenerateOptions::default());
    expect![[r#"
        a.json: Invalid type. Expected: string, given: integer at name
        b.json: the schema './missing.json' could not be used: /w/missing.json: the file does not exist
        Error: values failed validation"#]]
    .assert_eq(&run.errors());
    assert_eq!(
        run.outcome.notes,
        ["c.json: not checked against 'https://example.com/s.json', which is not a local file"]
    );
}

#[test]
fn the_command_line_adds_a_check_of_every_document() {
    let script = "import { Format } from '@jkcfg/std';
        export default [
          { path: 'a.yaml', value: [{ n: 1 }, { n: 20 }], format: Format.YAMLStream, validate: () => 'own' },
          { path: 'b.yaml', value: { n: 2 } },
        ];";
    let files =
        [("main.js", script), ("check.js", "export default ({ n }) => n < 10 || `${n} is too large`;")];
    let options = GenerateOptions { validate: Some("./check.js".into()), ..Default::default() };
    let run = generate_files(&files, settings(), &options);
    assert_eq!(run.errors(), "a.yaml: own\na.yaml: 20 is too large\nError: values failed validation");
}

#[test]
fn the_validate_command_reports_per_file() {
    let files = [("b.yaml", "k: 1\n---\nk: 5\n---\nk: 6"), ("a.json", "{\"k\": 1}")];
    let run = validate("({ k }) => k < 5 || `${k} is too large`", &files);
    assert_eq!(
        run.errors(),
        "b.yaml: 5 is too large\nb.yaml: 6 is too large\nError: values failed validation"
    );
    let passed: Vec<_> = run.outcome.checks.iter().map(|c| (c.path.as_str(), c.verdict.is_pass())).collect();
    assert_eq!(passed, [("a.json", true), ("b.yaml", false)]);
}

#[test]
fn validate_all_and_output_values_leave_the_decision_to_the_script() {
    let script = "
        import { validateAll, outputValues, formatError } from '@jkcfg/std/generate';
        import { log } from '@jkcfg/std';
        const values = [{ path: 'a.json', value: 1 }, { path: 'b.json', value: 20 }];
        const errors = validateAll(values, (v) => v < 10 || 'too large');
        if (errors !== 'ok') errors.forEach((e) => log(formatError(e.file, e)));
        log(validateAll([1, 2], () => true));
        log(await validateAll(Promise.resolve(values), async () => 'late'));
        outputValues(values);";
    let run = run(script);
    assert_eq!(run.errors(), "");
    expect![[r#"
        b.json: too large
        ok
        [{"file":"a.json","msg":"late"},{"file":"b.json","msg":"late"}]
    "#]]
    .assert_eq(&run.logged);
    assert_eq!(run.files(), "a.json:\n1\nb.json:\n20\n");
}

#[test]
fn failures_become_diagnostics_of_the_files() {
    let script = "export default [
        { path: 'a.yaml', value: 1, validate: () => ({ msg: 'm', path: 'p', start: { line: 2, column: 3 } }) },
    ];";
    let reports = generate(script).outcome.reports(&|_| Some("one\ntwo\n".to_owned()));
    let [report] = reports.as_slice() else { panic!("{reports:?}") };
    let diagnostic = &report.diagnostics[0];
    assert_eq!(report.file.path(), "a.yaml");
    assert_eq!((diagnostic.code.as_str(), diagnostic.message.as_str()), ("generate-invalid-value", "m at p"));
    assert_eq!(u32::from(diagnostic.range.start()), 6);
}
