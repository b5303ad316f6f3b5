//! What the compiler says about types, in the words of its users: every line that ends in `//! CODE …` must have exactly
//! these diagnostics, and no other line any.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_macros,
    reason = "the helpers of tests may fail a test, too, and say why"
)]

use base::{LineIndex, MemoryWorld};
use bicep_sema::{Program, Setup};
use bicep_types::ty::Type;
use camino::Utf8PathBuf;

/// Compiles the first of some files and compares the codes by line.
fn check_files(files: &[(&str, &str)]) {
    let world = files.iter().fold(MemoryWorld::new(), |world, (name, text)| world.with_file(*name, text));
    let (name, text) = files.first().unwrap();
    let program = Program::load(Setup::new(&world), &[Utf8PathBuf::from(*name)]);
    let file = program.file_at((*name).into()).unwrap();
    let report = program.report(file);
    let lines = LineIndex::new(text);
    for (number, line) in (0_u32..).zip(text.lines()) {
        let expected = line.split_once("//!").map(|(_, codes)| codes).unwrap_or_default();
        let mut expected: Vec<&str> = expected.split_whitespace().collect();
        let here = report.diagnostics.iter().filter(|it| lines.line(it.range.start()) == number);
        let mut found: Vec<&str> =
            here.map(|it| it.code.as_str()).filter(|code| *code != "no-resource-types").collect();
        expected.sort_unstable();
        found.sort_unstable();
        if expected != found {
            println!("{:#?}", report.diagnostics);
        }
        assert_eq!(found, expected, "line {}: {line}", number + 1);
    }
}

fn check(text: &str) {
    check_files(&[("main.bicep", text)]);
}

#[test]
fn operators_take_operands_of_their_types() {
    check("var a = 1 + 'a' //! BCP045");
    check("var a = -'a' //! BCP044");
    check("var a = !1 //! BCP044");
    check("var a = 1 ? 2 : 3 //! BCP046");
    check("param p int?\nvar a = p + 1 //! BCP045");
    check("param p int?\nvar a = p == null ? 1 : p + 1 //! BCP321");
    check("var a = 1 / 0 //! BCP234");
    check("var a = 1 % 0 //! BCP234 BCP410");
}

#[test]
fn properties_are_known() {
    check("var o = { name: 1 }\nvar a = o.nam //! BCP083");
    check("var o = { name: 1 }\nvar a = o.xyzzy //! BCP053");
    check("var o = {}\nvar a = o.x //! BCP052");
    check("var o = { a: 1 }\nvar b = o.?x //! BCP053");
    check("var a = 'text'.x //! BCP055");
    check("var t = [1, 2]\nvar a = t[2] //! BCP311");
    check("param p array\nvar a = p['x'] //! BCP074");
    check("param p object\nvar a = p[0] //! BCP075");
    check("param p { a: string }?\nvar a = p.a //! BCP318\nvar b = p.?a\nvar c = p!.a");
}

#[test]
fn calls_choose_an_overload() {
    check("var a = toLower(1) //! BCP070");
    check("var a = toLower() //! BCP071");
    check("var a = length(1) //! BCP048");
    check("var a = notAFunction() //! BCP057");
    check("var a = toLoweer('a') //! BCP082");
    check("var a = sys.toLoweer('a') //! BCP108");
    check("var a = add(1, 2) //! BCP069");
    check("var a = newGuid() //! BCP065");
    check("var concat = 1\nvar a = concat('a') //! BCP265");
    check("var a = map([1], x => x.y) //! BCP070");
    check("var a = filter([1, 2], x => x > 1)");
    check("var a = filter([1, 2], (x, i, j) => true) //! BCP070");
    check("func f(a string) string => a\nvar b = f(1) //! BCP070");
    check("var a = json('{') ");
    check("var a = nameof(1) //! BCP408");
}

#[test]
fn declarations_hold_their_values_to_their_types() {
    check("output o string = 1 //! BCP033");
    check("param p string = 1 //! BCP033");
    check("var v int = 'a' //! BCP033");
    check("param p 'a' | 'b' = 'c' //! BCP033");
    check("param p string? = 'a' //! BCP326");
    check("@allowed(['a'])\nparam p string = 'b' //! BCP033");
    check("@minLength(3)\nparam p string = 'ab' //! BCP333");
    check("@maxValue(3)\nparam p int = 5 //! BCP327");
    check("@minValue(3) //! BCP331\n@maxValue(2)\nparam p int");
    check("@secure() //! BCP124\nparam p int");
    check("@description('a') //! BCP166\n@description('b') //! BCP166\nparam p int");
    check("var x = 1\nparam p int = x //! BCP072");
}

#[test]
fn objects_have_the_properties_of_their_types() {
    let ty = "type t = { name: string, size: int? }\n";
    let check = |value: &str| check(&format!("{ty}{value}"));
    check("output o t = { name: 'a', size: 1 }");
    check("output o t = { size: 1 } //! BCP035");
    check("output o t = { name: 1 } //! BCP036");
    check("output o t = { name: 'a', sise: 1 } //! BCP089");
    check("output o t = { name: 'a', other: 1 } //! BCP037");
    check("var v = { name: 1 }\noutput o t = v //! BCP036");
    check("output o t = { name: 'a', name: 'b' } //! BCP025 BCP025");
}

#[test]
fn unions_of_objects_are_told_apart() {
    let ty = "type a = { kind: 'a', x: int }\ntype b = { kind: 'b', y: int }\n@discriminator('kind')\ntype u = a | b\n";
    let check = |value: &str| check(&format!("{ty}{value}"));
    check("output o u = { kind: 'a', x: 1 }");
    check("output o u = { kind: 'a', y: 1 } //! BCP035 BCP037");
    check("output o u = { kind: 'c' } //! BCP088");
    check("output o u = {} //! BCP078");
    check("param k 'a' | 'b'\noutput o u = { kind: k } //! BCP225");
}

#[test]
fn types_refer_to_types() {
    check("type a = b //! BCP302");
    check("var v = 1\ntype a = v //! BCP287");
    check("type a = string\nvar v = a //! BCP288");
    check("type a = a //! BCP298");
    check("type a = { b: a } //! BCP298");
    check("type a = { b: a? }");
    check("type a = 'x' | 1 //! BCP294");
    check("type a = 'x' | string //! BCP293");
    check("type a = { x: int }\ntype b = a.y //! BCP053");
    check("type a = [int, string]\ntype b = a[2] //! BCP311");
    check("type a = sys //! BCP306");
}

#[test]
fn declarations_do_not_need_themselves() {
    check("var a = a //! BCP079");
    check("var a = b //! BCP080\nvar b = a //! BCP080");
    check("var a = a //! BCP079\nvar b = a //! BCP062");
}

#[test]
fn names_are_declared_once() {
    check("var a = 1 //! BCP028\nparam a int //! BCP028");
    check("output a int = 1 //! BCP145\noutput a int = 2 //! BCP145");
    check("var sys = 1 //! BCP084");
    check("targetScope = 'tenant' //! BCP112\ntargetScope = 'tenant' //! BCP112");
}

#[test]
fn modules_take_and_give_what_the_other_file_declares() {
    let module = "param a string\nparam b int = 1\noutput c string = a\n";
    let check = |text: &str| check_files(&[("main.bicep", text), ("m.bicep", module)]);
    check("module m 'm.bicep' = {\n  name: 'm'\n  params: { a: 'x' }\n}\noutput o string = m.outputs.c");
    check("module m 'm.bicep' = { //! BCP035\n  name: 'm'\n}");
    check("module m 'm.bicep' = {\n  name: 'm'\n  params: { a: 1 } //! BCP036\n}");
    check("module m 'm.bicep' = {\n  name: 'm'\n  params: { a: '', d: 1 } //! BCP037\n}");
    check("module m 'm.bicep' = {\n  params: { a: '' }\n}\noutput o string = m.outputs.d //! BCP053");
    check_files(&[("main.bicep", "module m 'm.bicep' = {} //! BCP104"), ("m.bicep", "var a = b")]);
}

#[test]
fn imports_bring_types_variables_and_functions() {
    let lib = "@export()\ntype t = { a: int }\n@export()\nvar v = 'x'\n@export()\nfunc f(a int) string => '${a}'\nvar own = 1\n";
    let check = |text: &str| check_files(&[("main.bicep", text), ("lib.bicep", lib)]);
    check("import { t, v, f } from 'lib.bicep'\nparam p t\nvar a = f(p.a)\nvar b int = v //! BCP033");
    check("import { own } from 'lib.bicep' //! BCP360");
    check(
        "import * as lib from 'lib.bicep'\nparam p lib.t = { a: lib.v } //! BCP036\nvar a = lib.f('') //! BCP070",
    );
    check("import { v as a, v as b } from 'lib.bicep' //! BCP362 BCP362");
}

#[test]
fn parameter_files_assign_what_is_declared() {
    let main = "param a string\nparam b int = 1\n";
    let check = |text: &str| check_files(&[("main.bicepparam", text), ("main.bicep", main)]);
    check("using 'main.bicep'\nparam a = 'x'");
    check("using 'main.bicep' //! BCP258");
    check("using 'main.bicep'\nparam a = 1 //! BCP033");
    check("using 'main.bicep'\nparam a = ''\nparam c = 1 //! BCP259");
    check("param a = '' //! BCP261");
    check("using 'main.bicep'\nparam a = readEnvironmentVariable('nowhere') //! BCP427");
}

#[test]
fn files_are_read_by_the_compiler() {
    let data = ("data.json", r#"{ "a": { "b": [1, "x"] } }"#);
    let check = |text: &str| check_files(&[("main.bicep", text), data, ("data.yml", "a:\n  b: 1\n")]);
    check("var a string = loadJsonContent('data.json', '$.a.b[0]') //! BCP033");
    check("var a = loadJsonContent('data.json', 'x') //! BCP235");
    check("var a = loadJsonContent('gone.json') //! BCP091");
    check("var a int = loadYamlContent('data.yml').a.b");
    check("param p string\nvar a = loadTextContent(p) //! BCP032");
}

#[test]
fn calls_with_known_arguments_have_known_values() {
    let text = "var a = toUpper('ab${1 + 1}')";
    let world = MemoryWorld::new().with_file("main.bicep", text);
    let program = Program::load(Setup::new(&world), &[Utf8PathBuf::from("main.bicep")]);
    let file = program.file_at("main.bicep".into()).unwrap();
    let statement = program.bicep(file).unwrap().tree().file().statements().next().unwrap();
    let ty = program.model(file).unwrap().type_of(statement.syntax()).unwrap();
    assert_eq!(*ty, Type::string_literal("AB2"));
}

#[test]
fn a_call_is_checked_though_a_property_in_its_arguments_is_not_there() {
    check("var o = { a: 1 }\noutput s int = concat('a', o.xyzzy) //! BCP053 BCP033");
    check("var o = { a: 1 }\noutput s int = concat('a', (o.xyzzy[0])) //! BCP053 BCP033");
    check("output s int = concat('a', xyzzy) //! BCP057");
    check("var o = { a: 1 }\noutput s int = concat('a', [o.xyzzy, xyzzy]) //! BCP053 BCP057");
}

/// Compiles a file with many declarations of a kind, and asks whether what is said about each stays readable.
fn check_messages(text: &str, count: usize) {
    let world = MemoryWorld::new().with_file("main.bicep", text);
    let program = Program::load(Setup::new(&world), &[Utf8PathBuf::from("main.bicep")]);
    let report = program.report(program.file_at("main.bicep".into()).unwrap());
    assert!(report.diagnostics.len() >= count, "{} diagnostics", report.diagnostics.len());
    for diagnostic in &report.diagnostics {
        let length = diagnostic.message.len();
        assert!(length < 10_000, "{} has {length} bytes", diagnostic.code);
    }
}

#[test]
fn messages_stay_short_however_large_the_program_is() {
    let lines = |line: &dyn Fn(usize) -> String| (0..600).map(line).collect::<String>();
    check_messages(
        &format!(
            "type t = {{\n{}}}\nparam p t = {{\n{}}}\n",
            lines(&|i| format!("  a{i}: string\n")),
            lines(&|i| format!("  b{i}: 'x'\n"))
        ),
        600,
    );
    check_messages(&lines(&|i| format!("var v{i} = v{}\n", (i + 1) % 600)), 600);
    check_messages(&lines(&|i| format!("type t{i} = {{ a: t{} }}\n", (i + 1) % 600)), 600);
    check_messages(&lines(&|i| format!("module m{i} 'm.bicep' = {{\n  name: 'same'\n}}\n")), 600);
    let spelling = |i: usize| -> String {
        "abcdefghij"
            .chars()
            .enumerate()
            .map(|(at, c)| if i >> at & 1 == 1 { c.to_ascii_uppercase() } else { c })
            .collect()
    };
    check_messages(&lines(&|i| format!("param {} string\n", spelling(i))), 600);
    let members: Vec<String> = (0..600).map(|i| format!("'a{i}'")).collect();
    check_messages(
        &format!("type t = {}\n{}", members.join(" | "), lines(&|i| format!("param p{i} t = 'x'\n"))),
        600,
    );
}
