//! What can be done about a selection: a file, its diagnostics and a range come in; actions with all their edits go out.
//!
//! Fixes of diagnostics come first, then ways to silence them, then refactorings, each sort in a file of its own.

mod declare;
mod decorators;
mod extract;
mod multi_line;
mod source;
mod suppress;
pub mod type_text;

use base::{Diagnostic, Edit, LineCol, TextRange, TextSize};
use bicep_syntax::{Node, SyntaxKind};
use camino::Utf8PathBuf;

use crate::FileContext;
use crate::lookup::{Path, own_start};

pub use declare::missing_declarations;
pub use source::{fix_all, organize_imports};

/// Something that can be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeAction {
    /// What it does, in the imperative.
    pub title: String,
    /// What sort of thing it is.
    pub kind: ActionKind,
    /// Edits of the file.
    pub edits: Vec<Edit>,
    /// Whether it is the obvious one.
    pub is_preferred: bool,
    /// What the editor does next.
    pub command: Option<ActionCommand>,
    /// A file that it creates.
    pub new_file: Option<NewFile>,
}

/// A file that an action creates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFile {
    /// Where.
    pub path: Utf8PathBuf,
    pub text: String,
}

/// What sort of thing an action is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionKind {
    /// A way out of a diagnostic.
    QuickFix,
    /// Another form of the same.
    Refactor,
    /// Something gets a name of its own.
    RefactorExtract,
    /// All fixes of a file.
    SourceFixAll,
    /// The imports of a file.
    SourceOrganizeImports,
    /// None of these.
    Other,
}

/// What the editor does after an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ActionCommand {
    /// Renames what has been extracted; it stands there after the edits.
    Rename(LineCol),
    /// Opens the configuration at the level of a rule.
    EditRule(String),
}

/// The actions for a range.
pub fn code_actions(
    context: &FileContext<'_>,
    diagnostics: &[Diagnostic],
    range: TextRange,
) -> Vec<CodeAction> {
    let concerned: Vec<&Diagnostic> = diagnostics.iter().filter(|it| concerns(it.range, range)).collect();
    let mut actions: Vec<CodeAction> = concerned.iter().flat_map(|it| fixes(context, it)).collect();
    suppress::offer(context, &concerned, &mut actions);
    let nodes = spanning(context, range);
    decorators::offer(context, &nodes, &mut actions);
    extract::offer(context, &nodes, &mut actions);
    multi_line::offer(context, &nodes, &mut actions);
    actions
}

/// The ways to silence what others than the compiler say about a range.
pub fn suppressions(
    context: &FileContext<'_>,
    diagnostics: &[Diagnostic],
    range: TextRange,
) -> Vec<CodeAction> {
    let concerned: Vec<&Diagnostic> = diagnostics.iter().filter(|it| concerns(it.range, range)).collect();
    let mut actions = Vec::new();
    suppress::offer(context, &concerned, &mut actions);
    actions
}

/// Whether a diagnostic is about a range: it holds one of its ends, or lies in it.
fn concerns(diagnostic: TextRange, range: TextRange) -> bool {
    diagnostic.contains_inclusive(range.start())
        || diagnostic.contains_inclusive(range.end())
        || range.contains_range(diagnostic)
}

/// Whether fixes can be applied without asking. Only the user can know that a value is not null.
fn is_safe_fix(diagnostic: &Diagnostic) -> bool {
    diagnostic.code != "BCP321"
}

fn fixes(context: &FileContext<'_>, diagnostic: &Diagnostic) -> impl Iterator<Item = CodeAction> {
    let is_preferred = is_safe_fix(diagnostic);
    let is_joined = JOINED_FIXES.contains(&diagnostic.code.as_str());
    diagnostic.fixes.iter().map(move |fix| CodeAction {
        title: fix.title.clone(),
        kind: ActionKind::QuickFix,
        edits: joined(context, &fix.edits)
            .filter(|_| is_joined)
            .map_or_else(|| fix.edits.clone(), |it| vec![it]),
        is_preferred,
        command: None,
        new_file: None,
    })
}

/// Rules whose fixes the reference makes as one edit of the whole object or array, with the same result.
const JOINED_FIXES: [&str; 3] = ["no-module-name", "no-unnecessary-dependson", "use-parent-property"];

/// Edits of an object or an array as one.
fn joined(context: &FileContext<'_>, edits: &[Edit]) -> Option<Edit> {
    let all = edits.iter().map(|edit| edit.range).reduce(TextRange::cover)?;
    let is_list = |node: &&Node<'_>| matches!(node.kind(), SyntaxKind::Object | SyntaxKind::Array);
    let nodes = spanning(context, all);
    let range =
        nodes.iter().rev().filter(is_list).map(|node| node.range()).find(|it| it.contains_range(all))?;
    let mut text = context.bicep.source.slice(range).to_owned();
    for edit in edits.iter().rev() {
        let offset = |at: TextSize| usize::from(at - range.start());
        text.replace_range(offset(edit.range.start())..offset(edit.range.end()), &edit.text);
    }
    Some(Edit { range, text })
}

/// The nodes around both ends of a range, from the outside in.
fn spanning<'a>(context: &FileContext<'a>, range: TextRange) -> Vec<Node<'a>> {
    let start = Path::at(context.tree(), range.start());
    let end = Path::at(context.tree(), range.end());
    let pairs = start.nodes.iter().zip(&end.nodes);
    let is_in = |node: Node<'_>| range.start() >= own_start(node);
    pairs.take_while(|(a, b)| a == b && is_in(**a)).map(|(node, _)| *node).collect()
}

/// The line end that the configuration asks for.
fn newline(context: &FileContext<'_>) -> &'static str {
    match context.bicep.config.formatting.newline_kind {
        config::NewlineKind::Lf => "\n",
        config::NewlineKind::CrLf => "\r\n",
        config::NewlineKind::Cr => "\r",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ask, ask_in};

    /// The text after the action with a title.
    fn check(source: &str, title: &str, diagnostics: &[Diagnostic], expected: &str) {
        let edited = ask(source, &[], |context, offset| {
            let found = code_actions(context, diagnostics, TextRange::empty(offset));
            let action = found.iter().find(|it| it.title == title).expect("offered");
            let mut edits = action.edits.clone();
            edits.sort_by_key(|edit| edit.range.start());
            let mut text = context.text().to_owned();
            for edit in edits.iter().rev() {
                let range = usize::from(edit.range.start())..usize::from(edit.range.end());
                text.replace_range(range, &edit.text);
            }
            (action.edits.len(), text)
        });
        assert_eq!(edited.1, expected);
        assert!(diagnostics.is_empty() || edited.0 == 1, "one edit");
    }

    const MODULE: &str = "param settings { name: string, size: int? }\n";

    fn actions(path: &str, source: &str) -> Vec<CodeAction> {
        ask_in(path, source, &[("/module.bicep", MODULE)], |context, offset| {
            code_actions(context, &[], TextRange::empty(offset))
        })
    }

    /// The titles with these words at their start, without them.
    fn check_titles(source: &str, start: &str, expected: &[&str]) {
        let found = actions("/main.bicep", source);
        let titles: Vec<&str> = found.iter().filter_map(|it| it.title.strip_prefix(start)).collect();
        assert_eq!(titles, expected, "{source}");
    }

    fn check_type(source: &str, expected: &str) {
        check_titles(source, "Extract parameter of type ", &[&format!("\"{expected}\"")]);
    }

    #[test]
    fn an_argument_is_of_all_types_that_the_function_takes_there() {
        check_type("var a = take('|x', 1)", "object /* array | string */");
        check_type("var a = empty({ b: 1 |})", "object /* array | object | string */");
        check_type("@description('a' '|b')\nparam p string", "never");
        check_type("@description('|a'\nparam p string = toLower('').b", "string");
    }

    #[test]
    fn a_place_says_what_a_value_is_only_where_it_stands_there_itself() {
        let call =
            |value: &str| format!("module m 'module.bicep' = {{\n  params: {{ settings: {value} }}\n}}");
        let settings = "\"{ name: string, size: int? }\"";
        let title = format!("Extract parameter of type {settings}");
        for value in ["{| }", "({| })", "1 == 2 ? {| } : {}"] {
            check_titles(&call(value), &title, &[""]);
        }
        check_titles(&call("1 == 2 ? {} : 1 == 2 ? {| } : {}"), &title, &[]);
        check_type(&call("{ '|name': 1 }"), "string");
        check_type(&call("{ ...{ name: [|] } }"), "string");
        check_type("param p string[][] = [['|a']]", "string");
        check_type("param p bool[] = ['|x']", "bool");
    }

    #[test]
    fn missing_properties_are_separated_as_the_others_are() {
        let add = |object: &str| {
            let source = format!("param |p {{ a: int, b: int }} = {object}\n");
            ask(&source, &[], |context, _| {
                let fixes = context.model.diagnostics().iter().flat_map(|it| &it.fixes);
                fixes.flat_map(|fix| &fix.edits).map(|edit| edit.text.clone()).next().expect("a fix")
            })
        };
        assert_eq!(add("{\n  a: 1\n}"), "{\n  a: 1\n  b:\n}");
        assert_eq!(add("{\n\n    a: 1 // one\n\n  }"), "{\n    a: 1 // one\n    b:\n  }");
        assert_eq!(add("{ a: 1 }"), "{ a: 1 , b:}");
        assert_eq!(add("{ }"), "{\n  a:\n  b:\n}");
        assert_eq!(add("{\n}"), "{\n  a:\n  b:\n}");
    }

    #[test]
    fn loops_are_not_extracted() {
        check_titles("var a = { b: [for c i|n []: c] }", "Extract", &[]);
    }

    #[test]
    fn types_of_sys_that_take_others_are_members() {
        let found = actions("/main.bicep", "@sy|s.description('')\nparam p string");
        let text = found.iter().flat_map(|it| &it.edits).find(|edit| edit.text.contains("any: object?"));
        let text = &text.expect("a parameter").text;
        assert!(
            text.contains("  resourceInput: object? /* resourceInput<ResourceTypeIdentifier> */\n"),
            "{text}"
        );
    }

    #[test]
    fn decorators_are_offered_for_lists_of_unknown_types() {
        check_titles(
            "output o| unknown[] = []",
            "Add @",
            &["description", "minLength", "maxLength", "metadata"],
        );
    }

    #[test]
    fn values_of_parameter_files_are_laid_out_as_in_other_files() {
        let source = "using 'module.bicep'\n\nparam settings = {\n  name: {| a: 1 }\n}\n";
        let found = actions("/main.bicepparam", source);
        let texts: Vec<&str> = found.iter().flat_map(|it| &it.edits).map(|edit| edit.text.as_str()).collect();
        assert!(texts.contains(&"var name = { a: 1 }\n\n"), "{texts:?}");
    }

    #[test]
    fn what_takes_no_decorators_starts_behind_them() {
        assert!(actions("/main.bicepparam", "using none\n@|\nparam a = 1\n").is_empty());
        let found = actions("/main.bicepparam", "using none\n@secure()\nparam a| = 1\n");
        let edit = found.iter().flat_map(|it| &it.edits).next().expect("an edit");
        assert_eq!(u32::from(edit.range.start()), 21);
    }

    #[test]
    fn a_broken_value_is_laid_out_where_it_goes() {
        check(
            "var a = {\n      b: {\n|        c: 1 2\n      }\n}\n",
            "Extract variable",
            &[],
            "var b = {\n  c: 1\n\n  2\n}\n\nvar a = {\n      b: b\n}\n",
        );
        check(
            "var a = concat('x' '|y')\n",
            "Extract variable",
            &[],
            "var newVariable = 'y'\n\nvar a = concat('x' newVariable)\n",
        );
    }

    #[test]
    fn a_nested_resource_is_words_where_it_goes() {
        check(
            "resource r 'A.b/c@2020-01-01' = {\n  name: 'r'\n\n  reso|urce s 'd' = {\n    name: 's'\n  }\n}\n",
            "Extract variable",
            &[],
            "var newVariable = {\n  name: 'r'\n\n  resources 'd' = {\n  name: 's'\n}\n}\n\nresource r 'A.b/c@2020-01-01' = newVariable\n",
        );
    }

    #[test]
    fn edits_of_an_object_may_be_made_as_one() {
        let source = "var a = {\n  name: '|x'\n}\n";
        let range = |from: u32, to: u32| TextRange::new(TextSize::new(from), TextSize::new(to));
        let edit = |range, text: &str| Edit { range, text: text.to_owned() };
        let edits = vec![edit(range(12, 12), "parent: p\n  "), edit(range(18, 21), "'y'")];
        let fix = base::Fix { title: "Use parent property".to_owned(), edits };
        let mut diagnostic = base::Check::Linter.warning("use-parent-property", range(18, 21), "");
        diagnostic.fixes.push(fix);
        let expected = "var a = {\n  parent: p\n  name: 'y'\n}\n";
        check(source, "Use parent property", &[diagnostic], expected);
    }
}
