//! Directives that silence diagnostics: their names and the codes that they may name.

use std::collections::{BTreeMap, BTreeSet};

use base::Diagnostic;
use base::suppression::unless_compiler_error;
use bicep_syntax::{Directive, DirectiveKind, Token, directives};

use super::CompletionSources;
use super::context::{CompletionPlace, PlaceKind};
use super::item::{CompletionItem, CompletionKind};
use crate::FileContext;

const NAMES: [(&str, &str); 3] = [
    ("disable-next-line", "Disable diagnostics of the next line"),
    ("disable-diagnostics", "Disable diagnostics from here on"),
    ("restore-diagnostics", "Enable diagnostics again from here on"),
];

pub(super) fn offer(
    context: &FileContext<'_>,
    place: &CompletionPlace<'_>,
    sources: &dyn CompletionSources,
    items: &mut Vec<CompletionItem>,
) {
    match place.kind {
        PlaceKind::DirectiveName => items.extend(NAMES.map(|(name, detail)| {
            CompletionItem::new(CompletionKind::Keyword, name, place.replaced).detail(detail)
        })),
        PlaceKind::DirectiveCode(token) => {
            for (code, message) in codes(context, token, sources) {
                let item = CompletionItem::new(CompletionKind::EnumMember, code, place.replaced);
                items.push(item.detail(message));
            }
        }
        _ => {}
    }
}

/// The codes that a directive may still name, with what they are about.
fn codes(
    context: &FileContext<'_>,
    token: Token<'_>,
    sources: &dyn CompletionSources,
) -> BTreeMap<String, String> {
    let all: Vec<Directive<'_>> = directives(context.tree()).collect();
    let Some(own) = all.iter().find(|it| it.range == token.range()) else { return BTreeMap::new() };
    let lines = context.bicep.source.lines();
    let line = lines.line(own.range.start());
    let is_new = |code: &str| !own.codes.iter().any(|(named, _)| *named == code);
    match own.kind {
        DirectiveKind::Restore => {
            let mut disabled = BTreeSet::new();
            for before in all.iter().filter(|it| it.range.start() < own.range.start()) {
                let codes = before.codes.iter().map(|(code, _)| *code);
                match before.kind {
                    DirectiveKind::Disable => disabled.extend(codes),
                    DirectiveKind::Restore => codes.for_each(|code| {
                        disabled.remove(code);
                    }),
                    DirectiveKind::DisableNextLine => {}
                }
            }
            let names = disabled.into_iter().filter(|code| is_new(code));
            names.map(|code| (code.to_owned(), String::new())).collect()
        }
        kind => {
            let is_meant = |it: &Diagnostic| {
                let (start, end) = (lines.line(it.range.start()), lines.line(it.range.end()));
                match kind {
                    DirectiveKind::DisableNextLine => start <= line + 1 && line < end,
                    _ => start > line,
                }
            };
            let found =
                sources.diagnostics().into_iter().filter(|it| unless_compiler_error(it) && is_meant(it));
            found.filter(|it| is_new(&it.code)).map(|it| (it.code.to_string(), it.message)).collect()
        }
    }
}
