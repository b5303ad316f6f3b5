//! Ways to silence a diagnostic: for its line, or by the level of its rule.

use std::collections::BTreeSet;

use base::suppression::unless_compiler_error;
use base::{Diagnostic, Edit, TextRange};
use bicep_syntax::{Directive, DirectiveKind, directives};

use super::{ActionCommand, ActionKind, CodeAction};
use crate::FileContext;

pub(super) fn offer(context: &FileContext<'_>, diagnostics: &[&Diagnostic], actions: &mut Vec<CodeAction>) {
    let mut seen = BTreeSet::new();
    for diagnostic in diagnostics.iter().filter(|it| unless_compiler_error(it)) {
        if seen.insert(diagnostic.code.as_str()) {
            actions.push(disable(context, diagnostic));
        }
    }
    for diagnostic in diagnostics.iter().filter(|it| is_rule(&it.code)) {
        actions.push(CodeAction {
            title: format!("Edit {} in bicepconfig.json", diagnostic.code),
            kind: ActionKind::Other,
            edits: Vec::new(),
            is_preferred: false,
            command: Some(ActionCommand::EditRule(diagnostic.code.to_string())),
            new_file: None,
        });
    }
}

fn is_rule(code: &str) -> bool {
    bicep_lint::RULES.iter().any(|rule| rule.code == code)
}

/// A directive on the line above, or one more code on the one that is there.
fn disable(context: &FileContext<'_>, diagnostic: &Diagnostic) -> CodeAction {
    let lines = context.bicep.source.lines();
    let line = lines.line(diagnostic.range.start());
    let is_above = |directive: &Directive<'_>| {
        directive.kind == DirectiveKind::DisableNextLine && lines.line(directive.range.start()) + 1 == line
    };
    let code = &diagnostic.code;
    let edit = match directives(context.tree()).find(is_above) {
        Some(directive) => {
            let end = directive.codes.last().map_or(directive.range.end(), |(_, range)| range.end());
            Edit { range: TextRange::empty(end), text: format!(" {code}") }
        }
        None => Edit {
            range: TextRange::empty(lines.line_start(line)),
            text: format!("#disable-next-line {code}\n"),
        },
    };
    CodeAction {
        title: format!("Disable {code} for this line"),
        kind: ActionKind::Other,
        edits: vec![edit],
        is_preferred: false,
        command: None,
        new_file: None,
    }
}
