//! A string with line ends in it, written over several lines.

use base::Edit;
use bicep_syntax::Node;
use bicep_syntax::ast::Str;

use super::{ActionKind, CodeAction, newline};
use crate::FileContext;

pub(super) fn offer(context: &FileContext<'_>, nodes: &[Node<'_>], actions: &mut Vec<CodeAction>) {
    let strings = nodes.iter().filter_map(|node| Str::cast(*node)).filter(|text| !text.is_multi_line());
    for text in strings {
        // What ends a multi-line string cannot stand in one.
        let value = text.value().filter(|value| value.contains(newline(context)) && !value.contains("'''"));
        actions.extend(value.map(|value| CodeAction {
            title: "Convert to multi-line string".to_owned(),
            kind: ActionKind::Refactor,
            edits: vec![Edit { range: text.range(), text: format!("'''{value}'''") }],
            is_preferred: false,
            command: None,
            new_file: None,
        }));
    }
}
