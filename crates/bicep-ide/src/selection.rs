//! How a selection grows: a file and an offset come in; the ranges around it go out, the smallest first.

use base::{TextRange, TextSize};

use crate::FileContext;
use crate::lookup::Path;

/// The ranges around an offset, each within the next.
pub fn selection_ranges(context: &FileContext<'_>, offset: TextSize) -> Vec<TextRange> {
    let path = Path::at(context.tree(), offset);
    let token = path.token.map(bicep_syntax::Token::range);
    let nodes = path.nodes.iter().rev().map(|node| node.range());
    let whole = TextRange::up_to(TextSize::of(context.text()));
    let mut ranges: Vec<TextRange> = Vec::new();
    for range in token.into_iter().chain(nodes).chain([whole]) {
        let grows = ranges.last().is_none_or(|last| range.contains_range(*last) && range != *last);
        if grows && range.contains_inclusive(offset) {
            ranges.push(range);
        }
    }
    ranges
}
