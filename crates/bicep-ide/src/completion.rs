//! What can be typed somewhere: a file and an offset come in, items go out.
//!
//! `context` says what is being written at the offset, from the tree alone; each of the other modules offers one sort of items for
//! the contexts that want it; `item` builds them.

mod context;
mod declarations;
mod decorators;
mod item;
mod properties;
mod snippets;
mod symbols;
mod types;
mod values;

use base::TextSize;

use crate::FileContext;

pub use item::{CompletionItem, CompletionKind, FollowUp, Priority};

/// The items for an offset, in no particular order: their sort texts order them.
pub fn completions(context: &FileContext<'_>, offset: TextSize) -> Vec<CompletionItem> {
    let place = context::completion_place(context, offset);
    let mut items = Vec::new();
    declarations::offer(context, &place, &mut items);
    decorators::offer(context, &place, &mut items);
    properties::offer(context, &place, &mut items);
    types::offer(context, &place, &mut items);
    values::offer(context, &place, &mut items);
    symbols::offer(context, &place, &mut items);
    items
}
