//! What the parts of the language become in a template. Each check compiles a file and compares the sections that the
//! expectation names.

#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "a test that cannot go on has failed")]

mod declarations;
mod expressions;
mod imports;
mod modules;
mod parameters;
mod resources;
mod robustness;
mod types;
mod validation;

use base::MemoryWorld;
use bicep_emit::{Emitted, Generator, Options};
use bicep_sema::{Program, Setup};
use serde_json::{Map, Value as Json};

/// Compiles `source` and compares the named sections.
#[track_caller]
fn check(source: &str, expected: &str) {
    check_files(&[("main.bicep", source)], expected);
}

/// Compiles the first of several files and compares the named sections.
#[track_caller]
fn check_files(files: &[(&str, &str)], expected: &str) {
    let template = template(files);
    let expected: Map<String, Json> = serde_json::from_str(expected).expect("the expectation is JSON");
    let named = expected.keys().map(|name| (name.clone(), template.get(name).cloned().unwrap_or_default()));
    let actual: Map<String, Json> = named.collect();
    let (actual, expected) = (json::to_pretty(&actual.into()), json::to_pretty(&expected.into()));
    assert_eq!(actual, expected, "\n{actual}");
}

/// Compares the value of the output `o` with an expression.
#[track_caller]
fn check_output(source: &str, expected: &str) {
    let template = template(&[("main.bicep", source)]);
    let actual = template.pointer("/outputs/o/value").cloned().unwrap_or_default();
    assert_eq!(actual.as_str().map_or_else(|| actual.to_string(), str::to_owned), expected);
}

fn template(files: &[(&str, &str)]) -> Json {
    emitted(files, |emitted| emitted.template.clone())
}

/// Compiles the first of several files.
fn emitted<R>(files: &[(&str, &str)], look: impl FnOnce(&Emitted) -> R) -> R {
    let world = files.iter().fold(MemoryWorld::new(), |world, (path, text)| world.with_file(*path, text));
    let program = Program::load(Setup::new(&world), &[files[0].0.into()]);
    let file = *program.entries()[0].1.as_ref().expect("the file is there");
    let generator = Generator { name: "sinew".to_owned(), version: "1.2.3".to_owned() };
    look(&bicep_emit::emit(&program, file, &Options { generator }))
}
