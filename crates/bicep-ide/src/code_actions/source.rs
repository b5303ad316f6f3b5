//! Actions on a whole file: all fixes at once, and imports in order.

use base::{Diagnostic, Edit, TextRange};
use bicep_syntax::ast::{self, Import};

use super::{ActionKind, CodeAction, newline};
use crate::FileContext;

/// Every fix that can be applied together: the first one of each diagnostic, unless it overlaps one before it.
pub fn fix_all(diagnostics: &[Diagnostic]) -> Option<CodeAction> {
    let mut edits: Vec<Edit> = Vec::new();
    let mut fixable: Vec<&Diagnostic> = diagnostics.iter().filter(|it| super::is_safe_fix(it)).collect();
    fixable.sort_by_key(|it| it.range.start());
    for fix in fixable.iter().filter_map(|it| it.fixes.first()) {
        let overlaps = |one: &Edit| edits.iter().any(|other| touches(one.range, other.range));
        if !fix.edits.iter().any(overlaps) {
            edits.extend(fix.edits.iter().cloned());
        }
    }
    edits.sort_by_key(|edit| (edit.range.start(), edit.range.end()));
    (!edits.is_empty()).then(|| action("Fix all in file", ActionKind::SourceFixAll, edits))
}

fn touches(one: TextRange, other: TextRange) -> bool {
    one.start() <= other.end() && other.start() <= one.end()
}

fn action(title: &str, kind: ActionKind, edits: Vec<Edit>) -> CodeAction {
    CodeAction { title: title.to_owned(), kind, edits, is_preferred: false, command: None, new_file: None }
}

/// Imports ordered by path, and the names in each by name. Those with comments or decorators stay as they are.
pub fn organize_imports(context: &FileContext<'_>) -> Option<CodeAction> {
    let mut edits = Vec::new();
    let mut run: Vec<Import<'_>> = Vec::new();
    for statement in context.tree().root().children() {
        match Import::cast(statement).filter(|it| is_plain(context, *it)) {
            Some(import) => run.push(import),
            None => edits.extend(ordered(context, &std::mem::take(&mut run))),
        }
    }
    edits.extend(ordered(context, &run));
    (!edits.is_empty()).then(|| action("Organize imports", ActionKind::SourceOrganizeImports, edits))
}

fn is_plain(context: &FileContext<'_>, import: Import<'_>) -> bool {
    let text = context.bicep.source.slice(import.range());
    import.decorators().next().is_none()
        && !text.contains("//")
        && !text.contains("/*")
        && import.path().is_some()
}

/// The edit that puts imports that follow each other in order; `None` when they are.
fn ordered(context: &FileContext<'_>, run: &[Import<'_>]) -> Option<Edit> {
    let range = TextRange::new(run.first()?.range().start(), run.last()?.range().end());
    let mut texts: Vec<(String, String)> = run
        .iter()
        .map(|import| {
            (import.path().and_then(ast::Str::value).unwrap_or_default(), sorted_names(context, *import))
        })
        .collect();
    texts.sort_by_key(|(path, _)| path.to_lowercase());
    let text = texts.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(newline(context));
    let current = context.bicep.source.slice(range);
    let is_comment_between = current.contains("//") || current.contains("/*");
    (text != current && !is_comment_between).then_some(Edit { range, text })
}

fn sorted_names(context: &FileContext<'_>, import: Import<'_>) -> String {
    let whole = context.bicep.source.slice(import.range());
    let Some(list) = import.list() else { return whole.to_owned() };
    let old = context.bicep.source.slice(list.range());
    let mut items: Vec<&str> = list.items().map(|it| context.bicep.source.slice(it.range())).collect();
    items.sort_by_key(|item| item.to_lowercase());
    let line_end = newline(context);
    let new = match old.contains('\n') {
        true => format!(
            "{{{line_end}{}}}",
            items.iter().map(|it| format!("  {it}{line_end}")).collect::<String>()
        ),
        false => format!("{{ {} }}", items.join(", ")),
    };
    whole.replacen(old, if items.is_empty() { old } else { &new }, 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ask;

    #[test]
    fn imports_are_ordered_by_path_and_name() {
        let source = "import { b, a as z } from 'y.bicep'\nimport * as all from 'x.bicep'\nvar v = 1|";
        let action = ask(source, &[], |context, _| organize_imports(context)).expect("an action");
        let text = action.edits.first().map(|edit| edit.text.as_str());
        assert_eq!(text, Some("import * as all from 'x.bicep'\nimport { a as z, b } from 'y.bicep'"));
    }

    #[test]
    fn what_is_in_order_stays() {
        assert!(
            ask("import { a, b } from 'x.bicep'|", &[], |context, _| organize_imports(context)).is_none()
        );
    }
}
