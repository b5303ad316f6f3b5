//! Nothing that can be written makes the compiler panic, hang or run out of stack.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a test may read files, say what it found and fail"
)]

use std::path::{Path, PathBuf};

use base::MemoryWorld;
use bicep_sema::{Program, Setup};
use camino::Utf8PathBuf;

/// Compiles a file as far as it goes.
fn compile(name: &str, text: &str) -> usize {
    let world = MemoryWorld::new().with_file(name, text);
    let program = Program::load(Setup::new(&world), &[Utf8PathBuf::from(name)]);
    program.files().map(|file| program.report(file).diagnostics.len()).sum()
}

#[test]
fn broken_files_are_normal_input() {
    let Some(corpus) = corpus() else { return eprintln!("no shared corpus: nothing compiled") };
    for folder in std::fs::read_dir(corpus.join("baselines")).unwrap() {
        let path = folder.unwrap().path().join("input/main.bicep");
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let step = (text.len() / 12).max(1);
        for at in (0..text.len()).step_by(step).filter(|at| text.is_char_boundary(*at)) {
            compile("main.bicep", text.get(..at).unwrap());
        }
        let lines: Vec<&str> = text.lines().collect();
        for gone in (0..lines.len()).step_by((lines.len() / 12).max(1)) {
            let kept = lines.iter().enumerate().filter(|(at, _)| *at != gone).map(|(_, line)| *line);
            compile("main.bicep", &kept.collect::<Vec<_>>().join("\n"));
        }
    }
}

#[test]
fn modules_of_modules_come_to_an_end() {
    for (modules_each, files) in [(1, 2000), (2, 60), (10, 20)] {
        let mut world = MemoryWorld::new().with_file("0.bicep", "output o string = 'o'");
        for file in 1..files {
            let one = |at: usize| format!("module m{at} '{}.bicep' = {{ name: 'm{at}' }}\n", file - 1);
            world = world.with_file(format!("{file}.bicep"), (0..modules_each).map(one).collect::<String>());
        }
        let program = Program::load(Setup::new(&world), &[Utf8PathBuf::from(format!("{}.bicep", files - 1))]);
        let reports = program.files().map(|file| program.report(file));
        let codes: Vec<String> =
            reports.flat_map(|report| report.diagnostics).map(|it| it.code.to_string()).collect();
        assert!(codes.iter().any(|code| code == "template-too-large"), "{modules_each}: {codes:?}");
    }
}

#[test]
fn deep_nesting_needs_no_deep_stack() {
    let nested =
        |open: &str, inner: &str, close: &str| format!("{}{inner}{}", open.repeat(3000), close.repeat(3000));
    for text in [
        format!("var x = {}", nested("(", "1", ")")),
        format!("var x = {}", nested("[", "1", "]")),
        format!("var x = {}", nested("{ a: ", "1", " }")),
        format!("var x = {}", nested("true ? 1 : ", "1", "")),
        format!("var x = {}", nested("-", "1", "")),
        format!("var x = {}", nested("'${", "'a'", "}'")),
        format!("var x = {}", nested("concat(", "'a'", ")")),
        format!("var x = {}", nested("map([1], i => ", "1", ")")),
        format!("var x = 1{}", " + 1".repeat(3000)),
        format!("var x = {{}}{}", ".a".repeat(3000)),
        format!("type t = {}", nested("{ a: ", "string", " }")),
        format!("type t = {}", nested("[", "string", "]")),
        format!("type t = string{}", "[]".repeat(3000)),
        format!("param p {} = null", nested("(", "string", ")")),
    ] {
        compile("main.bicep", &text);
    }
}

#[test]
fn long_chains_of_declarations_are_followed() {
    let chain: String = (0..3000).map(|at| format!("var v{at} = v{}\n", at + 1)).collect();
    compile("main.bicep", &format!("{chain}var v3000 = 1\n"));
    compile("main.bicep", &format!("{chain}var v3000 = v0\n"));
    let types: String = (0..2000).map(|at| format!("type t{at} = {{ a: t{} }}\n", at + 1)).collect();
    compile("main.bicep", &format!("{types}type t2000 = string\n"));
    compile("main.bicep", &format!("{types}type t2000 = t0?\n"));
}

/// Types that contain others more than once double with every step when their parts are not shared.
#[test]
fn doubling_declarations_do_not_double_the_work() {
    for (first, step, last) in [
        ("var v0 = 1", "var vI = [vJ, vJ]", "output o array = vI"),
        ("var v0 = 1", "var vI = { a: vJ, b: vJ }", "output o object = vI"),
        ("var v0 = { a: 1 }", "var vI = union(vJ, { pI: vJ })", "output o object = vI"),
        ("var v0 = [1]", "var vI = concat(vJ, vJ)", "output o array = vI"),
        ("var v0 = [1]", "var vI = [...vJ, ...vJ]", "output o array = vI\noutput p string[] = vI"),
        ("var v0 = { a: 1 }", "var vI = { ...vJ, pI: 1 }", "output o object = vI"),
        ("var v0 = 'x'", "var vI = '${vJ}${vJ}'", "output o string = vI"),
        ("var v0 = [1]", "var vI = flatten([vJ, vJ])", "output o array = vI"),
        ("var v0 = [1]", "var vI = map(vJ, x => [x, x])", "output o array = vI"),
        ("type t0 = string", "type tI = [tJ, tJ]", "param p tI\noutput o tI = p"),
        ("type t0 = string", "type tI = [tJ?, tJ]", "param p tI\noutput o tI = p"),
        ("type t0 = string", "type tI = { a: tJ, b: tJ }", "param p tI\noutput o tI = p"),
        (
            "type t0 = string",
            "@discriminator('k')\ntype tI = { k: 'a', x: tJ, y: tJ } | { k: 'b', x: tJ }",
            "param p tI\noutput o tI = p",
        ),
    ] {
        let numbered = |text: &str, i: usize| {
            text.replace('I', &i.to_string()).replace('J', &i.wrapping_sub(1).to_string())
        };
        let steps: Vec<String> = (1..=400).map(|i| numbered(step, i)).collect();
        compile("main.bicep", &format!("{first}\n{}\n{}\n", steps.join("\n"), numbered(last, 400)));
    }
}

#[test]
fn types_may_contain_themselves() {
    let text = "type tree = { value: string, left: tree?, right: tree?, all: tree[] }\n\
        type list = (tree | list)?\n\
        param t tree\n\
        param u { next: tree?, more: { *: tree } }\n\
        output o tree = { value: 'a', left: t, right: { value: 'b', all: [t] }, all: [t.?left] }\n\
        output p object = u\n\
        var deep = t.left!.right!.left!.all[0]\n";
    assert!(compile("main.bicep", text) > 0);
}

fn corpus() -> Option<PathBuf> {
    if let Ok(shared) = std::env::var("SINEW_SHARED") {
        return Some(PathBuf::from(shared).join("corpus/bicep"));
    }
    let ancestors = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    ancestors.map(|folder| folder.join("shared/corpus/bicep")).find(|folder| folder.is_dir())
}
