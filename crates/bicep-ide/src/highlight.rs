//! The uses of what stands somewhere, marked as read or written: a file and an offset come in, ranges go out.

use base::{TextRange, TextSize};
use bicep_syntax::SyntaxKind;

use crate::FileContext;
use crate::entity::entity_at;
use crate::lookup::{is_named_declaration, name_range};
use crate::references::same_entity;

/// A use of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Highlight {
    pub range: TextRange,
    /// Whether this is where it gets its value.
    pub is_write: bool,
}

/// The uses of what stands at an offset; `None` where nothing has a name.
pub fn highlights(context: &FileContext<'_>, offset: TextSize) -> Option<Vec<Highlight>> {
    let named = entity_at(context, offset)?;
    let nodes = same_entity(context, &named).into_iter();
    let highlights = nodes.map(|node| Highlight {
        range: name_range(node),
        is_write: is_named_declaration(node) || node.kind() == SyntaxKind::Property,
    });
    Some(highlights.collect())
}
