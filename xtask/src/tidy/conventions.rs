//! Rules about what code may say where: diagnostics are made in catalogues, templates are read where text comes in,
//! parameters are no grab bags, modules have names that can be searched for.

use std::path::Path;

use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{
    Attribute, Block, Expr, ExprCall, ExprMethodCall, ExprPath, ExprStruct, FnArg, ImplItemFn, ItemFn,
    ItemMod, Local, Member, Pat, Signature, Token, TraitItemFn, Type,
};

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

/// Files that read templates, and the text that each of them gets from outside of the process. Everything else is handed
/// a template as a value.
const TEMPLATE_READERS: [&str; 9] = [
    "crates/arm/src/template.rs",                  // the reader itself
    "crates/arm/src/template/term.rs",             // a value of a parameters file
    "crates/cli/src/analysis.rs",                  // a template in a file
    "crates/cli/src/commands/decompile/verify.rs", // the template that was decompiled
    "crates/cli/src/commands/graph.rs",            // a template in a file
    "crates/cli/src/evaluation/workbench.rs",      // a template in a file
    "crates/cli/src/review/deployed.rs",           // a template of a commit
    "crates/lsp/src/best_practices.rs",            // a template that is open in an editor
    "crates/rules/src/examples.rs",                // the examples of rules are texts
];

/// Names of modules that say nothing to a person who looks for something.
const OPAQUE_MODULES: [&str; 20] = [
    "around", "done", "facts", "found", "known", "lifted", "look", "normal", "part", "place", "reach",
    "same", "sheet", "shell", "stated", "supply", "trial", "unit", "work", "written",
];

/// More members than this make a tuple a struct that wants a name.
const LARGEST_TUPLE: usize = 2;

/// Checks every source file.
pub(super) fn check(root: &Path, sources: &[Source]) -> Vec<String> {
    sources.iter().flat_map(|source| check_source(&shown(root, &source.path), &source.text)).collect()
}

/// Checks one file. What cannot be parsed is reported by the rule on sizes.
fn check_source(shown: &str, text: &str) -> Vec<String> {
    let Ok(file) = syn::parse_file(text) else { return Vec::new() };
    let stem = Path::new(shown).file_stem().unwrap_or_default().to_string_lossy();
    let is_product = shown.starts_with("crates/") && shown.contains("/src/");
    let mut visitor = Conventions {
        shown,
        is_product,
        may_make_diagnostics: !is_product || is_catalogue(shown),
        may_read_templates: !is_product || TEMPLATE_READERS.contains(&shown),
        problems: Vec::new(),
    };
    if OPAQUE_MODULES.contains(&&*stem) {
        visitor.report(&format!("`{stem}` does not say what the module is for"));
    }
    visitor.visit_file(&file);
    visitor.problems
}

fn is_catalogue(shown: &str) -> bool {
    CATALOGUES.contains(&shown) || shown.ends_with("/messages.rs") || shown.contains("/messages/")
}

struct Conventions<'s> {
    shown: &'s str,
    is_product: bool,
    may_make_diagnostics: bool,
    may_read_templates: bool,
    problems: Vec<String>,
}

impl Conventions<'_> {
    fn report(&mut self, problem: &str) {
        let problem = format!("{}: {problem}", self.shown);
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    fn signature(&mut self, signature: &Signature) {
        let name = &signature.ident;
        for input in &signature.inputs {
            let FnArg::Typed(argument) = input else { continue };
            let Type::Tuple(tuple) = &*argument.ty else { continue };
            let members = tuple.elems.len();
            if members > LARGEST_TUPLE {
                self.report(&format!(
                    "`{name}` takes a tuple of {members} things: make it a struct with a name"
                ));
            } else if matches!(&*argument.pat, Pat::Tuple(_)) {
                // It would only hide parameters from the lint that counts them.
                self.report(&format!(
                    "`{name}` takes a tuple apart: make its members parameters or a struct"
                ));
            }
        }
    }

    fn diagnostic_made(&mut self) {
        if !self.may_make_diagnostics {
            self.report("a diagnostic is made outside of a catalogue (`messages.rs`)");
        }
    }

    /// A function that prints and reads within itself has a detour; one that only reads must be known to.
    fn body(&mut self, signature: &Signature, block: &Block) {
        let mut texts = Texts::default();
        texts.visit_block(block);
        let name = &signature.ident;
        if texts.reads_template && !self.may_read_templates {
            self.report(&format!(
                "`{name}` reads a template: take it as a value, or name the file with the reason among the readers \
                 (xtask/src/tidy/conventions.rs)"
            ));
        }
        if texts.reads_printed && self.is_product {
            self.report(&format!(
                "`{name}` reads JSON that it has printed itself: hand the value over as it is"
            ));
        }
    }
}

/// Whether a block reads a template, and whether it reads a text that it has printed itself.
#[derive(Default)]
struct Texts {
    reads_template: bool,
    reads_printed: bool,
    /// Variables that hold printed JSON.
    printed: Vec<String>,
}

impl Texts {
    fn is_printed(&self, expression: &Expr) -> bool {
        let mut printed = Printed { variables: &self.printed, found: false };
        printed.visit_expr(expression);
        printed.found
    }
}

impl<'ast> Visit<'ast> for Texts {
    fn visit_local(&mut self, local: &'ast Local) {
        if let (Pat::Ident(name), Some(init)) = (&local.pat, &local.init)
            && self.is_printed(&init.expr)
        {
            self.printed.push(name.ident.to_string());
        }
        visit::visit_local(self, local);
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        const READERS: [&str; 3] = ["json::parse", "serde_json::from_str", "serde_json::from_slice"];
        if let Expr::Path(path) = &*call.func
            && READERS.contains(&last_two(path).as_str())
            && call.args.iter().any(|argument| self.is_printed(argument))
        {
            self.reads_printed = true;
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        const READERS: [&str; 4] =
            ["Template::read", "Template::read_owned", "Node::read", "Node::read_owned"];
        self.reads_template |= READERS.contains(&last_two(path).as_str());
        visit::visit_expr_path(self, path);
    }
}

/// Whether an expression prints JSON, or is what was printed before.
struct Printed<'v> {
    variables: &'v [String],
    found: bool,
}

impl<'ast> Visit<'ast> for Printed<'_> {
    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        const PRINTERS: [&str; 4] =
            ["json::to_pretty", "json::to_compact", "serde_json::to_string", "serde_json::to_vec"];
        let is_variable =
            path.path.get_ident().is_some_and(|name| self.variables.iter().any(|it| name == it));
        self.found |= is_variable || PRINTERS.contains(&last_two(path).as_str());
    }

    /// `template.to_json().to_string()`
    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        let is_json = matches!(&*call.receiver, Expr::MethodCall(inner) if inner.method == "to_json");
        self.found |= call.method == "to_string" && is_json;
        visit::visit_expr_method_call(self, call);
    }
}

/// The last two names of a path: `arm::Template::read` → `Template::read`.
fn last_two(path: &ExprPath) -> String {
    let names: Vec<String> = path.path.segments.iter().rev().take(2).map(|it| it.ident.to_string()).collect();
    names.into_iter().rev().collect::<Vec<_>>().join("::")
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let in_test = || {
            let parsed = attribute.parse_args_with(Punctuated::<Expr, Token![,]>::parse_terminated);
            parsed.is_ok_and(|list| {
                list.iter().any(|it| matches!(it, Expr::Path(path) if path.path.is_ident("test")))
            })
        };
        attribute.path().is_ident("test") || (attribute.path().is_ident("cfg") && in_test())
    })
}

impl<'ast> Visit<'ast> for Conventions<'_> {
    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        if is_test(&item.attrs) {
            return;
        }
        self.signature(&item.sig);
        self.body(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.signature(&item.sig);
        self.body(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        self.signature(&item.sig);
        visit::visit_trait_item_fn(self, item);
    }

    /// `Check::Compiler.error(…)` and the like.
    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        const CONSTRUCTORS: [&str; 5] = ["error", "warning", "info", "undetermined", "diagnostic"];
        let is_check = matches!(&*call.receiver, Expr::Path(path) if last_two(path).starts_with("Check::"));
        if is_check && CONSTRUCTORS.iter().any(|name| call.method == name) {
            self.diagnostic_made();
        }
        visit::visit_expr_method_call(self, call);
    }

    /// `Check::error(Check::Compiler, …)`.
    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        if let Expr::Path(path) = &*call.func
            && ["Check::error", "Check::warning", "Check::info", "Check::undetermined", "Check::diagnostic"]
                .contains(&last_two(path).as_str())
        {
            self.diagnostic_made();
        }
        visit::visit_expr_call(self, call);
    }

    /// A whole diagnostic, and not another one with a change.
    fn visit_expr_struct(&mut self, built: &'ast ExprStruct) {
        let names_code =
            built.fields.iter().any(|field| matches!(&field.member, Member::Named(name) if name == "code"));
        if built.path.segments.last().is_some_and(|last| last.ident == "Diagnostic") && names_code {
            self.diagnostic_made();
        }
        visit::visit_expr_struct(self, built);
    }

    /// Tests may do as they like.
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if OPAQUE_MODULES.iter().any(|name| item.ident == name) {
            self.report(&format!("`{}` does not say what the module is for", item.ident));
        }
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is wrong with a file of the product.
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        check_at("crates/deploy/src/engine.rs", text, expected);
    }

    #[track_caller]
    fn check_at(path: &str, text: &str, expected: &[&str]) {
        let found = check_source(path, text);
        assert_eq!(found.len(), expected.len(), "{found:#?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.starts_with(path) && found.contains(expected), "{found}");
        }
    }

    #[test]
    fn diagnostics_are_made_in_catalogues() {
        let outside = &["outside of a catalogue"];
        check(r#"fn f() { Check::Compiler.error("BCP001", range, "no") }"#, outside);
        check(
            r#"fn f() { base::Check::Rules\n.undetermined("X", range, "no") }"#.replace("\\n", "\n").as_str(),
            outside,
        );
        check(r#"fn f() { Check::warning(Check::Rules, "X", range, "no") }"#, outside);
        check(r#"fn f() { Diagnostic { code: "X".into(), ..other } }"#, outside);
        check("fn f() { Diagnostic { range, ..other } }", &[]);
        check(r#"#[cfg(test)] mod tests { fn f() { Check::Compiler.error("X", range, "no") } }"#, &[]);
        check_at("crates/arm/src/messages.rs", r#"fn f() { Check::Compiler.error("X", range, "no") }"#, &[]);
    }

    #[test]
    fn templates_are_not_printed_to_be_read_again() {
        check("fn f() { Template::read(&root) }", &["`f` reads a template"]);
        check("fn f() { arm::document::Node::read_owned(root) }", &["`f` reads a template"]);
        check("fn f() { roots.map(Template::read) }", &["`f` reads a template"]);
        check_at("crates/cli/src/analysis.rs", "fn f() { Template::read(&root) }", &[]);
        check(
            "fn f() { let text = json::to_pretty(&value); json::parse(&text, options) }",
            &["reads JSON that it has printed"],
        );
        check(
            "fn f() { json::parse(&emitted.to_json().to_string(), options) }",
            &["reads JSON that it has printed"],
        );
        check(
            "fn f() { serde_json::from_str(&serde_json::to_string(&it)?) }",
            &["reads JSON that it has printed"],
        );
        check("fn f() { let read = json::parse(&text, options); json::to_pretty(&read) }", &[]);
        check("fn f() { json::to_pretty(&value) }", &[]);
    }

    #[test]
    fn parameters_are_no_grab_bags() {
        check("fn f(a: (A, B, C)) {}", &["`f` takes a tuple of 3 things"]);
        check("fn f((a, b, c): (A, B, C)) {}", &["`f` takes a tuple of 3 things"]);
        check("impl X { fn f(&self, (a, b): (A, B)) {} }", &["`f` takes a tuple apart"]);
        check("fn f(range: (A, B)) { g(|(a, b): (A, B)| a) }", &[]);
        check("trait X { fn f(a: (A, B, C)); }", &["`f` takes a tuple of 3 things"]);
    }

    #[test]
    fn modules_can_be_searched_for() {
        check_at("crates/arm/src/facts.rs", "", &["`facts` does not say"]);
        check("mod stated;", &["`stated` does not say"]);
        check("mod statement;", &[]);
    }
}
