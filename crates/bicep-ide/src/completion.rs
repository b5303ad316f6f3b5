//! What can be typed somewhere: a file and an offset come in, items go out.
//!
//! `context` says what is being written at the offset, from the tree alone; each of the other modules offers one sort of items for
//! the contexts that want it; `item` builds them.

mod context;
mod declarations;
mod decorators;
mod directives;
mod follower;
mod identity;
mod imports;
mod item;
mod objects;
mod paths;
mod properties;
mod references;
mod snippets;
mod symbols;
mod types;
mod typos;
mod values;

use base::{Diagnostic, TextSize};

use crate::FileContext;

pub use item::{CompletionItem, CompletionKind, FollowUp, Priority};

/// What completion may want to know beside the program. Each is asked for only where it is needed.
pub trait CompletionSources {
    /// What is wrong with the file.
    fn diagnostics(&self) -> Vec<Diagnostic> {
        Vec::new()
    }

    /// The modules that are known to be in registries.
    fn modules(&self) -> ModuleCatalog {
        ModuleCatalog::default()
    }
}

/// Nothing is known beside the program.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoSources;

impl CompletionSources for NoSources {}

/// Modules in registries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModuleCatalog {
    /// The modules, in the order in which they are offered.
    pub modules: Vec<CatalogModule>,
}

/// A module in a registry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CatalogModule {
    /// The host of the registry.
    pub registry: String,
    /// The path in the registry.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// Where more is written about it.
    pub documentation: Option<String>,
    /// Its versions, oldest first.
    pub versions: Vec<CatalogVersion>,
}

/// A version of a module.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CatalogVersion {
    /// The tag.
    pub version: String,
    /// What it is for.
    pub description: Option<String>,
    /// Where more is written about it.
    pub documentation: Option<String>,
}

impl ModuleCatalog {
    fn module(&self, registry: &str, name: &str) -> Option<&CatalogModule> {
        self.modules.iter().find(|it| it.registry == registry && it.name == name)
    }
}

/// The items for an offset, in no particular order: their sort texts order them.
pub fn completions(
    context: &FileContext<'_>,
    offset: TextSize,
    sources: &dyn CompletionSources,
) -> Vec<CompletionItem> {
    let place = context::completion_place(context, offset);
    let mut items = Vec::new();
    declarations::offer(context, &place, &mut items);
    decorators::offer(context, &place, &mut items);
    directives::offer(context, &place, sources, &mut items);
    follower::offer(&place, &mut items);
    imports::offer(context, &place, &mut items);
    paths::offer(context, &place, sources, &mut items);
    properties::offer(context, &place, &mut items);
    types::offer(context, &place, &mut items);
    values::offer(context, &place, &mut items);
    symbols::offer(context, &place, &mut items);
    typos::forgive(context, offset, &mut items);
    items
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ask;

    const MODULE: &str = "param must string\nparam may string = ''\noutput made string = must";

    fn items(source: &str) -> Vec<CompletionItem> {
        let mut items = ask(source, &[("/mod.bicep", MODULE)], |context, offset| {
            completions(context, offset, &NoSources)
        });
        items.sort_by(|one, other| one.sort_text.cmp(&other.sort_text));
        items
    }

    /// All labels, in the order that an editor shows.
    fn check(source: &str, expected: &[&str]) {
        let items = items(source);
        let labels: Vec<&str> = items.iter().map(|item| item.label.as_str()).collect();
        assert_eq!(labels, expected, "{source}");
    }

    /// The labels before the functions and namespaces.
    fn check_values(source: &str, expected: &[&str]) {
        let items = items(source);
        let own = items.iter().filter(|item| !item.sort_text.starts_with("3_"));
        let labels: Vec<&str> = own.map(|item| item.label.as_str()).collect();
        assert_eq!(labels, expected, "{source}");
    }

    #[test]
    fn nothing_is_offered_for_names_comments_and_plain_texts() {
        check("param na|me string", &[]);
        check("// com|ment", &[]);
        check("param p string = 'te|xt'", &[]);
        check("para|m p string", &[]);
    }

    #[test]
    fn required_properties_come_first_and_given_ones_are_left_out() {
        check("module m 'mod.bicep' = {\n  params: {\n    |\n  }\n}", &["must", "may"]);
        check("module m 'mod.bicep' = {\n  params: {\n    must: ''\n    |\n  }\n}", &["may"]);
    }

    #[test]
    fn a_property_gets_a_colon_unless_it_has_one() {
        let text = |source: &str| items(source).first().map(|item| item.edit.text.clone());
        assert_eq!(text("param p { a: int } = {\n  |\n}").as_deref(), Some("a:"));
        assert_eq!(text("param p { a: int, b: int } = {\n  b|: 1\n}").as_deref(), Some("a"));
    }

    #[test]
    fn members_are_those_of_the_type() {
        check("module m 'mod.bicep' = { params: { must: '' } }\noutput o string = m.outputs.|", &["made"]);
        check("param p { a: int, b: int }?\nvar v = p.?|", &["a", "b"]);
        check("type t = { a: int }\nparam p t.|", &["a"]);
    }

    #[test]
    fn values_are_literals_of_the_type_and_names_but_not_the_declared_one() {
        check_values("param b bool = |\nvar x = 1", &["false", "if-else", "true", "x"]);
        check_values("module m 'mod.bicep' = {\n  scope: |\n}\nvar x = 1", &["if-else", "x"]);
    }

    #[test]
    fn what_has_no_place_in_an_expression_may_become_a_value() {
        check_values("var v = {\n  a: 1\n  param na|me string\n}\nvar x = 1", &["if-else", "x"]);
        check_values("var a = [1]\nvar b = { c: [for d i|n a: d] }", &["if-else", "a"]);
        let nested =
            "resource r 'A.b/c@2020-01-01' = {\n  name: 'r'\n  reso|urce s 'd' = {\n  }\n}\nvar x = 1";
        check_values(nested, &["if-else", "r", "this", "x"]);
        check("output o array = [for d i|n []: d]", &[]);
    }

    #[test]
    fn the_name_of_a_function_is_of_no_type() {
        check_values("param b bool = em|pty('')\nvar x = 1", &["if-else", "x"]);
    }

    #[test]
    fn a_name_for_a_list_may_become_a_loop() {
        let source = "module m 'list.bicep' = {\n  params: { list: na|me }\n}";
        let found = ask(source, &[("/list.bicep", "param list string[]")], |context, offset| {
            completions(context, offset, &NoSources)
        });
        assert!(found.iter().any(|item| item.label == "for"));
    }

    fn has(source: &str, label: &str) -> bool {
        items(source).iter().any(|item| item.label == label)
    }

    #[test]
    fn functions_as_arguments_take_what_they_must() {
        assert!(has("var a = map([1], |)", "arg => ..."));
        assert!(!has("var a = map([1], |)", "(arg1, arg2) => ..."));
        assert!(has("var a = reduce([1], 0, |)", "(arg1, arg2) => ..."));
    }

    #[test]
    fn loops_are_offered_where_lists_are_expected() {
        assert!(has("var a = |", "for"));
        assert!(has("var a string[] = |", "for"));
        assert!(has("var b = 1\nvar a = b|", "for"));
        assert!(!has("var a string = |", "for"));
        assert!(!has("var a = (|)", "for"));
        assert!(!has("var a = tr|ue", "for"));
        let found = items("output o array[] = |");
        let text = found.iter().find(|it| it.label == "for").map(|it| it.edit.text.clone());
        assert_eq!(text.as_deref(), Some("[for ${2:item} in ${1:list}: [\n\t$0\n]]"));
    }

    #[test]
    fn types_of_a_namespace_are_its_members() {
        check(
            "type t = sys.|",
            &["any", "array", "bool", "int", "object", "resourceInput", "resourceOutput", "string"],
        );
    }

    #[test]
    fn resources_come_first_in_depends_on_only() {
        let module = "module n 'mod.bicep' = {}\nmodule m 'mod.bicep' = ";
        let sort_text =
            |source: String| items(&source).iter().find(|it| it.label == "n").map(|it| it.sort_text.clone());
        assert_eq!(sort_text(format!("{module}{{ dependsOn: [ | ] }}")).as_deref(), Some("0_n"));
        assert_eq!(sort_text(format!("{module}{{ scope: | }}")).as_deref(), Some("2_n"));
    }

    #[test]
    fn the_variable_of_a_loop_hides_a_function() {
        let found = items("var v = [for concat in []: |]");
        assert!(found.iter().any(|item| item.label == "sys.concat"));
    }

    #[test]
    fn types_are_no_values_in_functions() {
        let types = |source: &str| items(source).iter().any(|it| it.kind == CompletionKind::TypeParameter);
        assert!(types("type t = int\nvar v = |"));
        assert!(!types("type t = int\nfunc f() int => |"));
    }

    #[test]
    fn modules_are_files_beside_this_one() {
        check("module m '|' = {}", &["mod.bicep", "br/public:", "ts/", "br:", "ts:"]);
    }

    #[test]
    fn decorators_fit_the_declaration() {
        check("@|\nparam p int", &["allowed", "description", "maxValue", "metadata", "minValue", "sys"]);
        check("@|\nvar v = 1", &["description", "export", "sys"]);
        let object = ["allowed", "description", "discriminator", "metadata", "sealed", "secure", "sys"];
        check("@|\nparam p object", &object);
    }

    #[test]
    fn a_name_that_a_declaration_hides_is_offered_behind_its_namespace() {
        let items = items("var concat = 1\nvar v = |");
        assert!(items.iter().any(|item| item.label == "sys.concat"));
        assert!(items.iter().any(|item| item.label == "concat" && item.kind == CompletionKind::Variable));
    }

    #[test]
    fn a_word_with_a_typing_error_finds_what_it_nearly_is() {
        let found = items("param storageName string\noutput o string = stroageNa|");
        let name = found.iter().find(|item| item.label == "storageName").expect("offered");
        assert_eq!(name.filter_text.as_deref(), Some("stroagena"));
    }

    #[test]
    fn types_are_built_in_and_declared_ones() {
        check_values(
            "type t = int\noutput o s|tring = ''",
            &["t", "any", "array", "bool", "int", "object", "resourceInput", "resourceOutput", "string"],
        );
    }
}
