//! Sizes of files and functions: a report, and a stop beyond reason.

use std::path::Path;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, Expr, ImplItemFn, ItemFn, Signature, Stmt, TraitItemFn};

use super::files::Source;
use super::shown;

/// What most functions and files should hold, and what none may exceed.
const FUNCTION_GOAL: usize = 60;
const FUNCTION_STOP: usize = 120;
const FILE_GOAL: usize = 800;
const FILE_STOP: usize = 1500;

/// A line that starts like this lifts the stop for a file that is a table; the reason stands behind it.
const TABLE_MARK: &str = "// A table:";

/// A function and how many lines it has.
struct Function {
    name: String,
    lines: usize,
    /// Whether it is little more than one `match`, or a test with its expectation: long, but not hard to read.
    is_plain: bool,
}

/// Prints the report and gives back what is too large.
pub(super) fn check(root: &Path, sources: &[Source]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut function_sizes = Vec::new();
    let mut large = Vec::new();
    for source in sources {
        let shown = shown(root, &source.path);
        let lines = source.text.lines().count();
        if lines > FILE_STOP && !source.text.lines().any(|line| line.starts_with(TABLE_MARK)) {
            problems.push(format!("{shown}: {lines} lines, at most {FILE_STOP} are allowed"));
        } else if lines > FILE_GOAL {
            large.push(format!("{shown}: {lines} lines"));
        }
        let functions = match functions(&source.text) {
            Ok(functions) => functions,
            Err(error) => {
                problems.push(format!("{shown}: {error}"));
                continue;
            }
        };
        for Function { name, lines, is_plain } in functions {
            function_sizes.push(lines);
            if lines > FUNCTION_STOP && !is_plain {
                problems.push(format!(
                    "{shown}: `{name}` has {lines} lines, at most {FUNCTION_STOP} are allowed"
                ));
            } else if lines > FUNCTION_GOAL {
                large.push(format!("{shown}: `{name}` has {lines} lines"));
            }
        }
    }
    large.iter().for_each(|line| println!("{line}"));
    report("files", sources.iter().map(|source| source.text.lines().count()).collect());
    report("functions", function_sizes);
    problems
}

fn report(what: &str, mut sizes: Vec<usize>) {
    sizes.sort_unstable();
    let at = |percent: usize| sizes.get((sizes.len() * percent / 100).min(sizes.len().saturating_sub(1)));
    let shown = |percent| at(percent).copied().unwrap_or_default();
    println!("{what}: {}, lines p50 {}, p95 {}, largest {}", sizes.len(), shown(50), shown(95), shown(100));
}

fn functions(text: &str) -> syn::Result<Vec<Function>> {
    let mut found = Functions(Vec::new());
    found.visit_file(&syn::parse_file(text)?);
    Ok(found.0)
}

struct Functions(Vec<Function>);

impl Functions {
    fn add(&mut self, attributes: &[Attribute], signature: &Signature, block: &Block) {
        let lines = lines(signature.span().join(block.span()).unwrap_or(block.span()));
        let matched = match block.stmts.last() {
            Some(Stmt::Expr(Expr::Match(found), _)) => self::lines(found.span()),
            _ => 0,
        };
        let is_test = attributes.iter().any(|attribute| attribute.path().is_ident("test"));
        let is_plain = is_test || lines <= matched + FUNCTION_GOAL / 2;
        self.0.push(Function { name: signature.ident.to_string(), lines, is_plain });
    }
}

fn lines(span: Span) -> usize {
    span.end().line + 1 - span.start().line
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.add(&item.attrs, &item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.add(&item.attrs, &item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        if let Some(block) = &item.default {
            self.add(&item.attrs, &item.sig, block);
        }
        visit::visit_trait_item_fn(self, item);
    }
}
