//! What parameter files become: values, expressions over external inputs, references to secrets, and what is wrong.

use base::MemoryWorld;
use bicep_emit::parameters::{ExternalInputForm, ParameterOptions, Parameters, parameters};
use bicep_sema::{Program, Setup};
use serde_json::Value as Json;

/// Evaluates the first of several files; the environment variable `NAME` is `sinew`.
fn evaluated<R>(files: &[(&str, &str)], form: ExternalInputForm, look: impl FnOnce(&Parameters) -> R) -> R {
    let world = files.iter().fold(MemoryWorld::new(), |world, (path, text)| world.with_file(*path, text));
    let world = world.with_variable("NAME", "sinew");
    let program = Program::load(Setup::new(&world), &[files[0].0.into()]);
    let file = *program.entries()[0].1.as_ref().expect("the file is there");
    let options = ParameterOptions { external_inputs: form, ..ParameterOptions::default() };
    look(&parameters(&program, file, &options).expect("it is a parameter file"))
}

/// The document that the first of several files becomes.
pub(super) fn document(files: &[(&str, &str)]) -> Json {
    evaluated(files, ExternalInputForm::Azure, Parameters::document)
}

/// Compares sections of the document, with everything wrong in front.
#[track_caller]
fn check_files(files: &[(&str, &str)], expected: &str) {
    check_form(files, ExternalInputForm::Seed, expected);
}

#[track_caller]
fn check_form(files: &[(&str, &str)], form: ExternalInputForm, expected: &str) {
    let (wrong, document) = evaluated(files, form, |it| (it.diagnostics.clone(), it.document()));
    assert_eq!(wrong, []);
    let expected: Json = serde_json::from_str(expected).expect("the expectation is JSON");
    for (section, expected) in expected.as_object().expect("it has sections") {
        let actual = document.get(section).cloned().unwrap_or_default();
        assert_eq!(json::to_pretty(&actual), json::to_pretty(expected), "{section}");
    }
}

/// Compares the parameters that a file without template assigns.
#[track_caller]
fn check(source: &str, expected: &str) {
    let source = format!("using none\n{source}");
    check_files(&[("main.bicepparam", &source)], &format!("{{\"parameters\": {expected}}}"));
}

/// Compares codes and the text they stand at.
#[track_caller]
fn check_wrong(files: &[(&str, &str)], expected: &[(&str, &str)]) {
    let found = evaluated(files, ExternalInputForm::Seed, |it| it.diagnostics.clone());
    let found: Vec<_> = found.iter().map(|it| (it.code.to_string(), &files[0].1[it.range])).collect();
    let expected: Vec<_> = expected.iter().map(|(code, text)| ((*code).to_owned(), *text)).collect();
    assert_eq!(found, expected);
}

#[test]
fn values_are_computed() {
    check("param a = 1 + 2\nparam b = '${a}!'", r#"{"a": {"value": 3}, "b": {"value": "3!"}}"#);
    check("var v = [for i in range(0, 3): i * 2]\nparam a = v[2]", r#"{"a": {"value": 4}}"#);
    check(
        "param a = [for (x, i) in ['p', 'q']: { name: x, at: i, sub: [for y in [1, 2]: y + i] }]",
        r#"{"a": {"value": [{"name": "p", "at": 0, "sub": [1, 2]}, {"name": "q", "at": 1, "sub": [2, 3]}]}}"#,
    );
    check("param a = readEnvironmentVariable('NAME')", r#"{"a": {"value": "sinew"}}"#);
    check("param a = '[not an expression]'", r#"{"a": {"value": "[not an expression]"}}"#);
    check("param a = null", r#"{"a": {"value": null}}"#);
    // Names differ in letter case, also where templates see no difference.
    check("var x = 1\nvar X = 2\nparam a = x\nparam b = X", r#"{"a": {"value": 1}, "b": {"value": 2}}"#);
}

#[test]
fn long_expressions_have_no_limit_of_length() {
    let text = "x".repeat(30_000);
    check(&format!("param a = length('{text}${{1}}')"), r#"{"a": {"value": 30001}}"#);
}

#[test]
fn imports_are_evaluated() {
    let files = [
        (
            "main.bicepparam",
            "using none\nimport { f, list as l } from 'lib.bicep'\nimport * as lib from 'lib.bicep'\n\
             param a = f(2)\nparam b = l\nparam c = lib.f(lib.two)",
        ),
        (
            "lib.bicep",
            "@export()\nvar two = 2\n@export()\nvar list = [for i in range(0, 2): double(i)]\n\
             func double(n int) int => n * 2\n@export()\nfunc f(n int) int => double(n) + 1",
        ),
    ];
    check_files(&files, r#"{"parameters": {"a": {"value": 5}, "b": {"value": [0, 2]}, "c": {"value": 5}}}"#);
}

#[test]
fn imported_functions_use_variables_of_their_file() {
    let files = [
        ("main.bicepparam", "using none\nimport { f } from 'lib.bicep'\nparam a = f('x')"),
        ("lib.bicep", "var table = { x: 1 }\n@export()\nfunc f(key string) int => table[key]"),
    ];
    check_files(&files, r#"{"parameters": {"a": {"value": 1}}}"#);
}

#[test]
fn a_file_extends_another() {
    let files = [
        (
            "main.bicepparam",
            "using none\nextends 'base.bicepparam'\nparam b = '${base.b} and mine'\nparam d = { ...base.c, e: 1 }\n\
             param f = a",
        ),
        ("base.bicepparam", "using none\nvar v = 'theirs'\nparam a = v\nparam b = v\nparam c = { k: v }"),
    ];
    check_files(
        &files,
        r#"{"parameters": {
            "b": {"value": "theirs and mine"},
            "d": {"value": {"k": "theirs", "e": 1}},
            "f": {"value": "theirs"},
            "a": {"value": "theirs"},
            "c": {"value": {"k": "theirs"}}
        }}"#,
    );
}

#[test]
fn only_what_the_template_declares_is_written() {
    let files = [
        ("main.bicepparam", "using 'main.bicep'\nextends 'base.bicepparam'\nparam a = 1"),
        ("base.bicepparam", "using none\nparam a = 0\nparam other = 1"),
        ("main.bicep", "param a int"),
    ];
    check_files(&files, r#"{"parameters": {"a": {"value": 1}}}"#);
}

#[test]
fn secrets_are_referred_to() {
    check(
        "var group = 'g'\nparam a = az.getSecret('s', group, 'v', 'n')\nparam b = getSecret('s', 'g', 'v', 'n', '1')",
        r#"{
            "a": {"reference": {
                "keyVault": {"id": "/subscriptions/s/resourceGroups/g/providers/Microsoft.KeyVault/vaults/v"},
                "secretName": "n"
            }},
            "b": {"reference": {
                "keyVault": {"id": "/subscriptions/s/resourceGroups/g/providers/Microsoft.KeyVault/vaults/v"},
                "secretName": "n",
                "secretVersion": "1"
            }}
        }"#,
    );
}

#[test]
fn external_inputs_stay_expressions_with_everything_else_folded() {
    let source = "using none
var region = toLower('WEST')
var input = externalInput('sys.envVar', 'A')
param a = '${region}-${input}'
param b = externalInput('sys.cliArgument', { name: 'b', list: [1, -2] })
param c = { fixed: toUpper('x'), open: input, again: externalInput('sys.envVar', 'A') }
param d = [for i in range(0, 2): '${externalInput('tool')}${i}']
param e = true ? region : input
";
    check_files(
        &[("main.bicepparam", source)],
        r#"{
            "parameters": {
                "a": {"expression": "[format('{0}-{1}', 'west', externalInputs('0'))]"},
                "b": {"expression": "[externalInputs('1')]"},
                "c": {"expression": "[createObject('fixed', 'X', 'open', externalInputs('0'), 'again', externalInputs('0'))]"},
                "d": {"expression": "[createArray(format('{0}{1}', externalInputs('2'), 0), format('{0}{1}', externalInputs('2'), 1))]"},
                "e": {"value": "west"}
            },
            "externalInputs": {
                "0": {"type": "sys.envVar", "config": "A"},
                "1": {"type": "sys.cliArgument", "config": {"name": "b", "list": [1, -2]}},
                "2": {"type": "tool"}
            }
        }"#,
    );
}

#[test]
fn azure_numbers_parameters_before_variables() {
    let source = "using none
var input = externalInput('sys.envVar', 'A')
param a = input
param b = externalInput('my tool')
";
    check_form(
        &[("main.bicepparam", source)],
        ExternalInputForm::Azure,
        r#"{
            "parameters": {
                "a": {"expression": "[externalInputs('sys_envVar_1')]"},
                "b": {"expression": "[externalInputs('my_tool_0')]"}
            },
            "externalInputDefinitions": {
                "my_tool_0": {"kind": "my tool"},
                "sys_envVar_1": {"kind": "sys.envVar", "config": "A"}
            }
        }"#,
    );
}

#[test]
fn external_inputs_pass_through_imported_functions_and_extended_files() {
    let files = [
        (
            "main.bicepparam",
            "using none\nextends 'base.bicepparam'\nimport { wrap } from 'lib.bicep'\n\
             param a = wrap(base.open, 'x')\nparam overridden = 1",
        ),
        (
            "base.bicepparam",
            "using none\nparam open = externalInput('one')\nparam overridden = externalInput('two')\n\
             param kept = externalInput('three')",
        ),
        ("lib.bicep", "@export()\nfunc wrap(a string, b string) object => { both: '${toUpper(b)}${a}' }"),
    ];
    check_files(
        &files,
        r#"{
            "parameters": {
                "a": {"expression": "[createObject('both', format('{0}{1}', 'X', externalInputs('0')))]"},
                "overridden": {"value": 1},
                "open": {"expression": "[externalInputs('0')]"},
                "kept": {"expression": "[externalInputs('1')]"}
            },
            "externalInputs": {"0": {"type": "one"}, "1": {"type": "three"}}
        }"#,
    );
}

#[test]
fn the_place_of_a_vault_may_be_an_external_input() {
    check(
        "param a = getSecret(externalInput('sub'), 'g', 'v', 'n')",
        r#"{"a": {"reference": {
            "keyVault": {"id": "[resourceId(externalInputs('0'), 'g', 'Microsoft.KeyVault/vaults', 'v')]"},
            "secretName": "n"
        }}}"#,
    );
}

#[test]
fn what_fails_is_reported_at_the_value() {
    let one = |source: &'static str| [("main.bicepparam", source)];
    check_wrong(&one("using none\nparam a = int('x')"), &[("BCP338", "int('x')")]);
    // The mistake of a variable is told where a parameter needs it, and not again further on.
    check_wrong(&one("using none\nvar v = int('x')\nparam a = v\nparam b = a"), &[("BCP338", "v")]);
    check_wrong(
        &one("using none\nparam s = getSecret('a', 'b', 'c', 'd')\nparam a = '${s}'\nvar v = s\nparam b = v"),
        &[("BCP368", "s"), ("BCP368", "s")],
    );
    check_wrong(&one("using none\nparam n = null\nparam a = [n]"), &[("BCP369", "n")]);
    // What cannot be parsed is not evaluated.
    check_wrong(&one("using none\nparam a = int('x')\nparam b ="), &[]);
    check_wrong(&one("using none\nparam a = b\nparam b = a"), &[]);
    check_wrong(
        &[
            ("main.bicepparam", "using none\nextends 'p.bicepparam'\nparam a = base.s\nparam b = n"),
            ("p.bicepparam", "using none\nparam s = getSecret('a', 'b', 'c', 'd')\nparam n = null"),
        ],
        &[("BCP368", "base"), ("BCP369", "n")],
    );
}

#[test]
fn the_reason_is_withheld_where_it_could_show_a_secret() {
    let files = [
        ("main.bicepparam", "using 'main.bicep'\nparam a = string(int(readEnvironmentVariable('NAME')))"),
        ("main.bicep", "@secure()\nparam a string"),
    ];
    let found = evaluated(&files, ExternalInputForm::Seed, |it| it.diagnostics.clone());
    assert_eq!(found.len(), 1);
    assert!(!found[0].message.contains("sinew"), "{}", found[0].message);
}

#[test]
fn endless_work_ends() {
    let chain = |length: usize| {
        let mut text = String::from("using none\nvar v0 = 1\n");
        for index in 1..length {
            text.push_str(&format!("var v{index} = v{} + 1\n", index - 1));
        }
        text + &format!("param p = v{}", length - 1)
    };
    let wrong = |text: &str| {
        evaluated(&[("main.bicepparam", text)], ExternalInputForm::Seed, |it| it.diagnostics.len())
    };
    assert_eq!(wrong(&chain(1_000)), 0, "that is not too deep");
    assert_eq!(wrong(&chain(10_000)), 1, "nested too deeply");
    let bomb =
        "using none\nvar a = range(0, 10000)\nvar b = map(a, x => map(a, y => map(a, z => 1)))\nparam p = b";
    assert_eq!(wrong(bomb), 1, "too large");
}

/// What a parameter file for a template starts with.
#[track_caller]
fn check_placeholders(template: &str, existing: &str, expected: &str) {
    use bicep_emit::parameters::{Included, placeholder_document, placeholders};
    let world = MemoryWorld::new().with_file("main.bicep", template);
    let program = Program::load(Setup::new(&world), &["main.bicep".into()]);
    let file = *program.entries()[0].1.as_ref().expect("the file is there");
    let existing: Option<Json> = serde_json::from_str(existing).ok();
    let found = placeholders(&program, file, Included::All);
    let document = placeholder_document(&found, existing.as_ref());
    let parameters = document.get("parameters").cloned().unwrap_or_default();
    let expected: Json = serde_json::from_str(expected).expect("the expectation is JSON");
    assert_eq!(json::to_pretty(&parameters), json::to_pretty(&expected));
}

#[test]
fn new_parameter_files_have_defaults_and_placeholders() {
    check_placeholders(
        "param a string\nparam b int = -4\nparam c { x: bool, y: { z: 'p' | 'q' }[], w: int? }\n\
         @minValue(3)\nparam d int\nparam e string = toLower('X')\n@allowed(['k'])\nparam f string",
        "",
        r#"{
            "a": {"value": ""}, "b": {"value": -4}, "c": {"value": {"x": false, "y": []}},
            "d": {"value": 3}, "e": {"value": ""}, "f": {"value": "k"}
        }"#,
    );
    // What is there stays, as far as the template still has it.
    check_placeholders(
        "param a string\nparam b object = { x: 1 }\nparam c array = [1]",
        r#"{"parameters": {"a": {"value": "mine"}, "b": {"value": {"y": 2}}, "c": {"value": [1, 2]}, "gone": {"value": 1}}}"#,
        r#"{"a": {"value": "mine"}, "b": {"value": {"x": 1, "y": 2}}, "c": {"value": [1, 2]}}"#,
    );
    // A type that contains itself ends.
    check_placeholders("type t = { next: t? }\nparam a t", "", r#"{"a": {"value": {}}}"#);
}

#[test]
fn parameters_in_json_are_read_back() {
    let decompiled = |text: &str| {
        let document = json::parse(text, json::Options::strict()).root.expect("it is JSON");
        let (text, wrong) = bicep_emit::parameters::decompile_parameters(&document, Some("main.bicep"));
        (text, wrong.iter().map(|it| it.code.to_string()).collect::<Vec<_>>())
    };
    let vault = "/subscriptions/s/resourceGroups/g/providers/Microsoft.KeyVault/vaults/v";
    let (text, wrong) = decompiled(&format!(
        r#"{{"parameters": {{
            "a": {{"value": [1.5]}},
            "b": {{"reference": {{"keyVault": {{"id": "{vault}"}}, "secretName": "n"}}}},
            "c": {{"expression": "[externalInputs('0')]"}}
        }}, "externalInputs": {{"0": {{"type": "sys.envVar", "config": "A"}}}}}}"#
    ));
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(
        text,
        "using 'main.bicep'\n\nparam a = [\njson('1.5')\n]\n\nparam b = az.getSecret('s', 'g', 'v', 'n')\n\n\
         param c = externalInput('sys.envVar', 'A')\n\n"
    );
    let (_, wrong) = decompiled(
        r#"{"parameters": {
            "no name": {"value": 1}, "b": {}, "c": {"reference": {"keyVault": {"id": "x"}}}, "d": {"expression": "[1]"}
        }}"#,
    );
    assert_eq!(wrong, ["PARAMS002", "PARAMS003", "PARAMS004", "PARAMS005"]);
    assert_eq!(decompiled("{}").1, ["PARAMS001"]);
}
