//! The keywords and snippets that start statements.

use bicep_syntax::{Dialect, SyntaxKind};
use config::Feature;

use super::context::{CompletionPlace, PlaceKind};
use super::item::{CompletionItem, CompletionKind, Priority};
use super::snippets::{self, Snippet};
use super::types::search_words;
use crate::FileContext;

/// Keyword, description, feature that it needs.
const BICEP: &[(&str, &str, Option<Feature>)] = &[
    ("metadata", "Metadata keyword", None),
    ("param", "Parameter keyword", None),
    ("var", "Variable keyword", None),
    ("resource", "Resource keyword", None),
    ("output", "Output keyword", None),
    ("module", "Module keyword", None),
    ("targetScope", "Target Scope keyword", None),
    ("type", "Type keyword", None),
    ("import", "Import keyword", None),
    ("extension", "Extension keyword", None),
    ("test", "Test keyword", Some(Feature::TestFramework)),
    ("assert", "Assert keyword", Some(Feature::Assertions)),
];

const PARAMS: &[(&str, &str, Option<Feature>)] = &[
    ("using", "Using keyword", None),
    ("extension", "Extension keyword", None),
    ("import", "Import keyword", None),
    ("param", "Parameter assignment keyword", None),
    ("extends", "Extends keyword", None),
];

pub(super) fn offer(context: &FileContext<'_>, place: &CompletionPlace<'_>, items: &mut Vec<CompletionItem>) {
    // Nothing in a parameter file is decorated.
    let is_stray = context.bicep.dialect == Dialect::Params && matches!(place.kind, PlaceKind::Decorator(_));
    if place.kind != PlaceKind::Statement && !is_stray {
        return;
    }
    let keywords = match context.bicep.dialect {
        Dialect::Bicep => BICEP,
        Dialect::Params => PARAMS,
    };
    let has_using = context.tree().root().child(SyntaxKind::Using).is_some();
    for (keyword, detail, feature) in keywords {
        let is_there = feature.is_none_or(|feature| context.bicep.config.has(feature));
        if !is_there || (*keyword == "using" && has_using) {
            continue;
        }
        let item = CompletionItem::new(CompletionKind::Keyword, *keyword, place.replaced).detail(*detail);
        items.push(if *keyword == "resource" { item.priority(Priority::High) } else { item });
    }
    if context.bicep.dialect == Dialect::Bicep {
        items.extend(snippets::declarations().map(|it| snippet(place, &it)));
    }
}

fn snippet(place: &CompletionPlace<'_>, snippet: &Snippet) -> CompletionItem {
    let item = CompletionItem::new(CompletionKind::Snippet, snippet.prefix, place.replaced);
    let types: Vec<&str> = snippet.types().collect();
    let words = search_words(&types);
    let mut item = item.detail(snippet.description).snippet(snippet.text);
    if !types.is_empty() {
        item.filter_text =
            Some([snippet.prefix, snippet.description, &types.join(" "), &words].join(" ").trim().to_owned());
    }
    if snippet.prefix.starts_with("resource-") { item.priority(Priority::High) } else { item }
}
