//! What is left wrong after all passes and can be put right without changing what is deployed: a value of the wrong type is wrapped in
//! `any`, a name gets the declared spelling, a property that cannot be written becomes a comment. Not where the result has to be that of
//! the reference.

use std::collections::BTreeSet;

use base::{Diagnostic, Severity, TextRange};
use bicep_sema::{Model, Program};
use bicep_syntax::ast::{Expr, Property};
use bicep_syntax::{Node, SyntaxKind, Tree};
use camino::Utf8Path;

use crate::Draft;
use crate::rewrite::Edit;

/// Adds declarations that refer to each other in a circle to `plain`: the name of the file and the declared name. Says whether there are
/// new ones.
pub(crate) fn find_cycles(
    drafts: &[Draft],
    program: &Program<'_>,
    plain: &mut BTreeSet<(String, String)>,
) -> bool {
    let mut found = BTreeSet::new();
    for_each_error(drafts, program, |draft, tree, diagnostic| {
        if !matches!(diagnostic.code.as_str(), "BCP079" | "BCP080") {
            return;
        }
        let statement =
            tree.file().statements().find(|it| it.syntax().range().contains_range(diagnostic.range));
        let name =
            statement.and_then(|it| Some((it.keyword()?.text().to_owned(), it.name()?.text()?.to_owned())));
        if let (Some((keyword, name)), Some(file)) = (name, draft.path.file_name()) {
            found.insert((keyword == "var", file.to_owned(), name));
        }
    });
    // A variable that does not name the resource breaks the circle, and the resources keep their symbols.
    let has_variables = found.iter().any(|(is_variable, ..)| *is_variable);
    let chosen = found.into_iter().filter(|(is_variable, ..)| *is_variable || !has_variables);
    let before = plain.len();
    plain.extend(chosen.map(|(_, file, name)| (file, name)));
    plain.len() > before
}

/// The changes that repair files, file by file.
pub(crate) fn edits(drafts: &[Draft], program: &Program<'_>) -> Vec<Vec<Edit>> {
    let mut all: Vec<(&Utf8Path, Edit)> = Vec::new();
    for_each_error(drafts, program, |draft, tree, diagnostic| {
        for edit in edits_of(tree, diagnostic) {
            let is_free = |(path, other): &(&Utf8Path, Edit)| {
                *path != draft.path || other.range.intersect(edit.range).is_none()
            };
            if all.iter().all(is_free) {
                all.push((&draft.path, edit));
            }
        }
    });
    let of_draft = |draft: &Draft| {
        all.iter().filter(|(path, _)| *path == draft.path).map(|(_, edit)| edit.clone()).collect()
    };
    drafts.iter().map(of_draft).collect()
}

fn for_each_error<'f>(
    drafts: &'f [Draft],
    program: &Program<'_>,
    mut visit: impl FnMut(&'f Draft, &Tree, &Diagnostic),
) {
    for draft in drafts {
        let Some(id) = program.file_at(&draft.path) else { continue };
        let Some(bicep) = program.bicep(id) else { continue };
        let is_error = |it: &&Diagnostic| it.severity == Severity::Error;
        let of_model = program.model(id).into_iter().flat_map(Model::diagnostics);
        let mut all = bicep.parse.diagnostics.iter().chain(of_model);
        if !all.any(|it| is_error(&it)) {
            continue;
        }
        for diagnostic in program.report(id).diagnostics.iter().filter(is_error) {
            visit(draft, bicep.tree(), diagnostic);
        }
    }
}

fn edits_of(tree: &Tree, diagnostic: &Diagnostic) -> Vec<Edit> {
    match diagnostic.code.as_str() {
        // The diagnostic knows the right name.
        "BCP052" | "BCP053" | "BCP083" | "BCP089" | "BCP265" | "BCP082" => {
            let fix = diagnostic.fixes.first().into_iter().flat_map(|fix| &fix.edits);
            fix.map(|edit| Edit { range: edit.range, text: edit.text.clone() }).collect()
        }
        "BCP033" | "BCP034" | "BCP036" | "BCP070" | "BCP035" | "BCP078" | "BCP333" | "BCP332" | "BCP327"
        | "BCP328" => wrapped(tree, diagnostic.range).into_iter().collect(),
        "BCP073" => removed(tree, diagnostic.range).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// `any(…)` around the value that a diagnostic is about.
fn wrapped(tree: &Tree, range: TextRange) -> Option<Edit> {
    let node = smallest(tree, range)?;
    let value = std::iter::once(node).chain(node.ancestors()).find_map(|node| {
        let property = Property::cast(node);
        // At the name of a property its value is meant.
        match property.filter(|property| property.key().range() == range) {
            Some(property) => Some(property.value().syntax()),
            None => Expr::cast(node).map(|_| node).filter(|node| node.range() == range),
        }
    })?;
    let key = value.parent().and_then(Property::cast).and_then(Property::key_text);
    // What resources belong to and wait for is not a value.
    if matches!(key.as_deref(), Some("scope" | "parent" | "dependsOn")) || value.text().starts_with("any(") {
        return None;
    }
    let is_value = matches!(
        value.parent()?.kind(),
        SyntaxKind::Property | SyntaxKind::ArrayItem | SyntaxKind::Argument | SyntaxKind::ParamDefault
    );
    is_value.then(|| Edit { range: value.range(), text: format!("any({})", value.text()) })
}

/// A comment in the place of a property.
fn removed(tree: &Tree, range: TextRange) -> Option<Edit> {
    let node = smallest(tree, range)?;
    let property = std::iter::once(node).chain(node.ancestors()).find_map(Property::cast)?;
    if property.key().range() != range {
        return None;
    }
    // The layout comes later and indents the comments, but does not look into them.
    let text = spaced(tree, property.range());
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    Some(Edit {
        range: property.range(),
        text: format!("// TODO: cannot be written: {}", lines.join("\n// ")),
    })
}

/// The text of a range with a space behind each comma.
fn spaced(tree: &Tree, range: TextRange) -> String {
    let mut text = String::new();
    for token in tree.tokens().filter(|token| range.contains_range(token.range())) {
        match token.kind() {
            SyntaxKind::Comma => text.push_str(", "),
            SyntaxKind::Whitespace if text.ends_with(", ") => {}
            _ => text.push_str(token.text()),
        }
    }
    text
}

fn smallest(tree: &Tree, range: TextRange) -> Option<Node<'_>> {
    tree.nodes().filter(|node| node.range().contains_range(range)).min_by_key(|node| node.range().len())
}
