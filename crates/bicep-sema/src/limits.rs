//! What the language allows but a template cannot express. Each check is a file; all of them only report.

mod collections;
mod constants;
mod derived_types;
mod duplicates;
mod explicit_dependencies;
mod extensions;
mod features;
mod integers;
mod invariants;
mod lambdas;
mod loops;
mod module_outputs;
mod names;
mod parents;
mod placement;
mod resource_names;
mod scopes;
mod spread;

use std::ops::Deref;

use base::Diagnostic;

use crate::file_view::{FileView, without_non_null};
use crate::program::Program;

/// Reports everything in a file that could not be emitted.
pub(crate) fn check(program: &Program<'_>, view: FileView<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let mut ctx = Limits { program, view, diagnostics };
    features::check(&mut ctx);
    integers::check(&mut ctx);
    lambdas::check(&mut ctx);
    loops::check(&mut ctx);
    names::check(&mut ctx);
    spread::check(&mut ctx);
    extensions::check(&mut ctx);
    derived_types::check(&mut ctx);
    placement::check(&mut ctx);
    parents::check(&mut ctx);
    resource_names::check(&mut ctx);
    invariants::check(&mut ctx);
    module_outputs::check(&mut ctx);
    scopes::check(&mut ctx);
    duplicates::check(&mut ctx);
    collections::check(&mut ctx);
    constants::check(&mut ctx);
    explicit_dependencies::check(&mut ctx);
}

/// What a check sees, and where its findings go.
struct Limits<'a> {
    program: &'a Program<'a>,
    view: FileView<'a>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl<'a> Deref for Limits<'a> {
    type Target = FileView<'a>;

    fn deref(&self) -> &FileView<'a> {
        &self.view
    }
}

impl Limits<'_> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }
}
