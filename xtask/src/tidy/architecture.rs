//! ARCHITECTURE.md against the code: the functions of its walks exist, no walk is longer than ten hops, and the files it
//! points to are there.

use std::collections::BTreeSet;
use std::path::Path;

use syn::visit::{self, Visit};
use syn::{Ident, ImplItemFn, ItemEnum, ItemFn, ItemImpl, ItemMod, ItemStruct, ItemTrait, TraitItemFn, Type};

use super::files::Source;

const DOCUMENT: &str = "ARCHITECTURE.md";
const WALKS: &str = "## Four walks";
const MOST_HOPS: usize = 10;

/// Checks the document.
pub(super) fn check(root: &Path, sources: &[Source]) -> Vec<String> {
    let Ok(text) = std::fs::read_to_string(root.join(DOCUMENT)) else {
        return vec![format!("{DOCUMENT}: cannot be read")];
    };
    let names = names(root, sources);
    let mut problems = check_walks(&text, &names);
    for path in quoted(&text).filter(|it| it.starts_with("crates/") || it.starts_with("tests/")) {
        if !root.join(path).exists() {
            problems.push(format!("{DOCUMENT}: `{path}` does not exist"));
        }
    }
    problems
}

fn check_walks(text: &str, names: &BTreeSet<String>) -> Vec<String> {
    let Some((_, walks)) = text.split_once(WALKS) else {
        return vec![format!("{DOCUMENT}: there is no section \"{WALKS}\"")];
    };
    let walks = walks.split("\n## ").next().unwrap_or_default();
    let mut problems = Vec::new();
    for walk in walks.split("\n**").skip(1) {
        let title = walk.split("**").next().unwrap_or_default();
        let hops = walk.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).count();
        if hops == 0 || hops > MOST_HOPS {
            problems.push(format!(
                "{DOCUMENT}: the walk \"{title}\" has {hops} hops, 1 to {MOST_HOPS} are allowed"
            ));
        }
    }
    for path in quoted(walks).filter(|it| it.contains("::")) {
        if !exists(path, names) {
            problems.push(format!("{DOCUMENT}: there is no `{path}`"));
        }
    }
    problems
}

/// What stands between backticks on one line.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| line.split('`').skip(1).step_by(2))
}

/// Whether a path names something, as it is written or exported from the root of its crate.
fn exists(path: &str, names: &BTreeSet<String>) -> bool {
    let written = format!("::{path}");
    let exported = path.split_once("::");
    names.iter().any(|name| {
        let is_written = name == path || name.ends_with(&written);
        is_written
            || exported.is_some_and(|(krate, rest)| {
                name.starts_with(&format!("{krate}::")) && name.ends_with(&format!("::{rest}"))
            })
    })
}

/// The paths of all modules, types and functions of the product.
fn names(root: &Path, sources: &[Source]) -> BTreeSet<String> {
    let mut names = Names { path: Vec::new(), found: BTreeSet::new() };
    for source in sources {
        let relative = source.path.strip_prefix(root).unwrap_or(&source.path);
        let parts: Vec<String> = relative.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        let [crates, krate, src, modules @ ..] = parts.as_slice() else { continue };
        if crates != "crates" || src != "src" {
            continue;
        }
        names.path = vec![krate.replace('-', "_")];
        names.path.extend(modules.iter().map(|part| part.trim_end_matches(".rs").to_owned()));
        names.path.retain(|part| part != "lib" && part != "main");
        names.found.insert(names.path.join("::"));
        if let Ok(file) = syn::parse_file(&source.text) {
            names.visit_file(&file);
        }
    }
    names.found
}

struct Names {
    path: Vec<String>,
    found: BTreeSet<String>,
}

impl Names {
    fn add(&mut self, name: &Ident) {
        self.path.push(name.to_string());
        self.found.insert(self.path.join("::"));
        self.path.pop();
    }

    fn within(&mut self, name: String, visit: impl FnOnce(&mut Self)) {
        self.path.push(name);
        visit(self);
        self.path.pop();
    }
}

impl<'ast> Visit<'ast> for Names {
    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.add(&item.sig.ident);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.add(&item.sig.ident);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        self.add(&item.sig.ident);
    }

    fn visit_item_struct(&mut self, item: &'ast ItemStruct) {
        self.add(&item.ident);
    }

    fn visit_item_enum(&mut self, item: &'ast ItemEnum) {
        self.add(&item.ident);
    }

    fn visit_item_trait(&mut self, item: &'ast ItemTrait) {
        self.add(&item.ident);
        self.within(item.ident.to_string(), |names| visit::visit_item_trait(names, item));
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        let Type::Path(path) = &*item.self_ty else { return };
        let Some(last) = path.path.segments.last() else { return };
        self.within(last.ident.to_string(), |names| visit::visit_item_impl(names, item));
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        self.within(item.ident.to_string(), |names| visit::visit_item_mod(names, item));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(walks: &str, expected: &[&str]) {
        let names = ["deploy", "deploy::plan::plan", "deploy::engine::Engine::put"].map(str::to_owned).into();
        assert_eq!(check_walks(&format!("{WALKS}\n\n{walks}\n\n## Next\n\n`no::such`\n"), &names), expected);
    }

    #[test]
    fn functions_exist_where_they_are_said_to_be() {
        check("**A**\n\n1. `deploy::plan::plan`, `plan::plan`, `Engine::put`, `deploy::Engine::put`", &[]);
        check("**A**\n\n1. `deploy::plan::gone`", &["ARCHITECTURE.md: there is no `deploy::plan::gone`"]);
        check("**A**\n\n1. `api::plan::plan`", &["ARCHITECTURE.md: there is no `api::plan::plan`"]);
    }

    #[test]
    fn walks_are_short() {
        let long: String = (1..=11).map(|hop| format!("{hop}. on\n")).collect();
        check(
            &format!("**A** (`x`)\n\n{long}"),
            &["ARCHITECTURE.md: the walk \"A\" has 11 hops, 1 to 10 are allowed"],
        );
    }
}
