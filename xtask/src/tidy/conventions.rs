//! Rules about what code may say where: diagnostics are made in catalogues, parameters are no grab bags, modules have names
//! that can be searched for.

use std::path::Path;

use syn::visit::{self, Visit};
use syn::{FnArg, ImplItemFn, ItemFn, ItemMod, Signature, Type};

use super::files::Source;
use super::shown;

/// Files that are catalogues of diagnostics without being called `messages`.
const CATALOGUES: [&str; 8] = [
    "crates/base/src/check.rs",          // the constructors themselves
    "crates/base/src/render/samples.rs", // for the tests of renderers
    "crates/bicep-lint/src/context.rs",  // what every lint rule reports through
    "crates/bicep-lint/src/lib.rs",
    "crates/config/src/diagnostics.rs",
    "crates/config/src/reference.rs", // codes come with the error of the reference
    "crates/registry/src/error.rs",   // the same for artifacts
    "crates/rules/src/report.rs",     // the words are those of the rule
];

/// Names of modules that say nothing to a person who looks for something.
const OPAQUE_MODULES: [&str; 5] = ["facts", "same", "sheet", "supply", "trial"];

/// More members than this make a tuple a struct that wants a name.
const LARGEST_TUPLE: usize = 2;

/// Checks every source file.
pub(super) fn check(root: &Path, sources: &[Source]) -> Vec<String> {
    let mut problems = Vec::new();
    for source in sources {
        let shown = shown(root, &source.path);
        let Ok(file) = syn::parse_file(&source.text) else { continue };
        let mut visitor = Conventions { shown: &shown, problems: Vec::new() };
        visitor.visit_file(&file);
        problems.append(&mut visitor.problems);
        if shown.starts_with("crates/") && !is_catalogue(&shown) && makes_diagnostics(&source.text) {
            problems.push(format!("{shown}: a diagnostic is made outside of a catalogue (`messages.rs`)"));
        }
        let stem = source.path.file_stem().unwrap_or_default().to_string_lossy();
        if OPAQUE_MODULES.contains(&&*stem) {
            problems.push(format!("{shown}: `{stem}` does not say what the module is for"));
        }
    }
    problems
}

fn is_catalogue(shown: &str) -> bool {
    CATALOGUES.contains(&shown) || shown.ends_with("/messages.rs") || shown.contains("/messages/")
}

/// Whether code that is no test calls a constructor of `base::Check`.
fn makes_diagnostics(text: &str) -> bool {
    const CONSTRUCTORS: [&str; 5] = ["error", "warning", "info", "undetermined", "diagnostic"];
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let is_test = code.contains("#[test]");
    !is_test
        && code.split("Check::").skip(1).any(|rest| {
            // Layout may put the call on the next line.
            let rest = rest.trim_start_matches(|c: char| c.is_alphanumeric()).trim_start();
            let called = rest.strip_prefix('.').unwrap_or_default();
            CONSTRUCTORS
                .iter()
                .any(|name| called.strip_prefix(name).is_some_and(|rest| rest.starts_with('(')))
        })
}

struct Conventions<'s> {
    shown: &'s str,
    problems: Vec<String>,
}

impl Conventions<'_> {
    fn signature(&mut self, signature: &Signature) {
        for input in &signature.inputs {
            let FnArg::Typed(argument) = input else { continue };
            let Type::Tuple(tuple) = &*argument.ty else { continue };
            if tuple.elems.len() > LARGEST_TUPLE {
                let (shown, name) = (self.shown, &signature.ident);
                self.problems.push(format!(
                    "{shown}: `{name}` takes a tuple of {} things: make it a struct with a name",
                    tuple.elems.len()
                ));
            }
        }
    }
}

impl<'ast> Visit<'ast> for Conventions<'_> {
    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.signature(&item.sig);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.signature(&item.sig);
        visit::visit_impl_item_fn(self, item);
    }

    /// Tests may do as they like.
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if item.ident != "tests" {
            visit::visit_item_mod(self, item);
        }
    }
}
