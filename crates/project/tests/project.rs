//! What a project says about its files, and what it does not compute again.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "snapshots are asked from other threads")]

use std::sync::Arc;

use base::MemoryWorld;
use bicep_emit::Generator;
use bicep_sema::NoTypes;
use camino::{Utf8Path, Utf8PathBuf};
use project::{Options, Project, Snapshot};

fn project(files: &[(&str, &str)]) -> Project {
    let world = files.iter().fold(MemoryWorld::new(), |world, (path, text)| world.with_file(*path, text));
    let generator = Generator { name: "test".to_owned(), version: "1".to_owned() };
    let options = Options { generator, today: None, clocks: None };
    let mut project = Project::new(Arc::new(world), Arc::new(NoTypes), options);
    project.set_workspace(files.iter().map(|(path, _)| Utf8PathBuf::from(*path)).collect());
    project
}

fn codes(snapshot: &Snapshot, path: &str) -> Vec<String> {
    let report = snapshot.diagnostics(Utf8Path::new(path)).unwrap();
    report.diagnostics.iter().map(|it| it.code.to_string()).collect()
}

const MAIN: &str =
    "module m 'm.bicep' = {\n  name: 'm'\n  params: { a: 'x' }\n}\noutput o string = m.outputs.o\n";
const MODULE: &str = "param a string\noutput o string = a\n";

#[test]
fn an_unsaved_text_is_seen_by_the_files_that_use_it() {
    let mut project = project(&[("/w/main.bicep", MAIN), ("/w/m.bicep", MODULE)]);
    let before = project.snapshot();
    assert_eq!(codes(&before, "/w/main.bicep"), [""; 0]);
    project.open("/w/m.bicep".into(), 1, "param a int\noutput o string = '${a}'\n");
    let after = project.snapshot();
    assert_eq!(codes(&after, "/w/main.bicep"), ["BCP036"]);
    assert_eq!(codes(&before, "/w/main.bicep"), [""; 0], "a revision does not change");
    project.close("/w/m.bicep".into());
    assert_eq!(codes(&project.snapshot(), "/w/main.bicep"), [""; 0]);
}

#[test]
fn what_an_edit_does_not_reach_is_shared() {
    let mut project =
        project(&[("/w/main.bicep", MAIN), ("/w/m.bicep", MODULE), ("/w/o.bicep", "var a = 1")]);
    let report = |project: &Project, path: &str| project.snapshot().diagnostics(path.into()).unwrap();
    let template = |project: &Project, path: &str| project.snapshot().template(path.into()).unwrap();
    let (other, module) = (report(&project, "/w/o.bicep"), template(&project, "/w/m.bicep"));
    project.open("/w/main.bicep".into(), 1, format!("{MAIN}// more"));
    assert!(Arc::ptr_eq(&other, &report(&project, "/w/o.bicep")));
    assert!(Arc::ptr_eq(&module, &template(&project, "/w/m.bicep")));
    let main = report(&project, "/w/main.bicep");
    project.open("/w/main.bicep".into(), 2, format!("{MAIN}// more"));
    assert!(Arc::ptr_eq(&main, &report(&project, "/w/main.bicep")), "the text is the same");
}

#[test]
fn a_module_may_change_inside_without_touching_its_users() {
    let mut project = project(&[("/w/main.bicep", MAIN), ("/w/m.bicep", MODULE)]);
    let before = project.snapshot().compilation("/w/main.bicep".into());
    project.open("/w/m.bicep".into(), 1, format!("var b = a\n{MODULE}"));
    let inside = project.snapshot().compilation("/w/main.bicep".into());
    assert!(std::ptr::eq(before.model().unwrap(), inside.model().unwrap()));
    project.open("/w/m.bicep".into(), 2, format!("{MODULE}output p string = a\n"));
    let outside = project.snapshot().compilation("/w/main.bicep".into());
    assert!(!std::ptr::eq(before.model().unwrap(), outside.model().unwrap()));
}

#[test]
fn files_know_who_uses_them() {
    let project = project(&[
        ("/w/main.bicep", MAIN),
        ("/w/m.bicep", MODULE),
        ("/w/main.bicepparam", "using 'main.bicep'"),
    ]);
    let snapshot = project.snapshot();
    assert_eq!(snapshot.used_by("/w/m.bicep".into()), ["/w/main.bicep"]);
    assert_eq!(*snapshot.uses("/w/main.bicepparam".into()), ["/w/main.bicep"]);
    let dependents = snapshot.dependents(&["/w/m.bicep".into()]);
    assert_eq!(Vec::from_iter(dependents), ["/w/main.bicep", "/w/main.bicepparam"]);
}

#[test]
fn revisions_can_be_sent_to_other_threads() {
    let mut project = project(&[("/w/main.bicep", MAIN), ("/w/m.bicep", MODULE)]);
    let snapshot = project.snapshot();
    let thread = std::thread::spawn(move || codes(&snapshot, "/w/main.bicep"));
    project.open("/w/m.bicep".into(), 1, "");
    assert_eq!(thread.join().unwrap(), [""; 0]);
    assert_eq!(codes(&project.snapshot(), "/w/main.bicep"), ["BCP037", "BCP052"]);
}
