//! What is being written at an offset: the path of nodes to it comes in, the sort of place goes out.

use base::{TextRange, TextSize};
use bicep_syntax::{Node, SyntaxKind, Token};

use crate::FileContext;
use crate::lookup::Path;

/// An offset with what is known about it from the tree.
#[derive(Debug)]
pub(super) struct CompletionPlace<'a> {
    /// What is being written.
    pub(super) kind: PlaceKind,
    /// What an item replaces: the token at the offset if it is a word, else nothing.
    pub(super) replaced: TextRange,
    /// The nodes around the offset.
    pub(super) path: Path<'a>,
}

/// What is being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlaceKind {
    /// A statement.
    Statement,
    /// A value.
    Expression,
    /// Nothing that could be offered: a comment, a declared name, the inside of a string.
    Nothing,
}

/// What is being written at an offset.
pub(super) fn completion_place<'a>(context: &FileContext<'a>, offset: TextSize) -> CompletionPlace<'a> {
    let path = Path::at(context.tree(), offset);
    CompletionPlace { kind: kind(context, &path, offset), replaced: replaced(&path, offset), path }
}

fn replaced(path: &Path<'_>, offset: TextSize) -> TextRange {
    let word = path.token.filter(|token| {
        matches!(
            token.kind(),
            SyntaxKind::Identifier | SyntaxKind::True | SyntaxKind::False | SyntaxKind::Null
        )
    });
    word.map_or(TextRange::empty(offset), Token::range)
}

fn kind(context: &FileContext<'_>, path: &Path<'_>, offset: TextSize) -> PlaceKind {
    if is_in_comment(context, offset) {
        return PlaceKind::Nothing;
    }
    let inner = path.nodes.iter().rev().copied().find(|node| node.kind() != SyntaxKind::Name);
    match inner.map(Node::kind) {
        Some(SyntaxKind::File | SyntaxKind::Skipped) if starts_line(context, path, offset) => {
            PlaceKind::Statement
        }
        Some(SyntaxKind::VarAccess) => PlaceKind::Expression,
        _ => PlaceKind::Nothing,
    }
}

/// Whether nothing but the word at the offset stands before it on its line.
fn starts_line(context: &FileContext<'_>, path: &Path<'_>, offset: TextSize) -> bool {
    let lines = context.bicep.source.lines();
    let start = lines.line_start(lines.line(offset));
    let word = replaced(path, offset).start();
    context.bicep.source.slice(TextRange::new(start, word.max(start))).trim().is_empty()
}

fn is_in_comment(context: &FileContext<'_>, offset: TextSize) -> bool {
    let mut comments = context.tree().tokens().filter(|token| token.kind().is_comment());
    comments.any(|comment| {
        let range = comment.range();
        let is_line = comment.kind() == SyntaxKind::LineComment;
        range.start() < offset && (offset < range.end() || (is_line && offset == range.end()))
    })
}
