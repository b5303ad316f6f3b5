//! Bicep text in; a lossless tree with typed views and the lexer's and parser's diagnostics out.
//!
//! [`parse`] is total: it gives a tree for every text, and the tokens of the tree joined are the text again. Nothing
//! here knows what names mean.

pub mod ast;
mod directive;
mod keywords;
mod kind;
mod lexer;
mod messages;
mod parser;
mod string_value;
mod tree;

use std::sync::Arc;

use base::{Diagnostic, TextRange};

pub use directive::{Directive, DirectiveKind, directives, suppressions};
pub use kind::SyntaxKind;
pub use tree::{Element, Node, NodeId, Token, Tree};

/// Which statements a file may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// `.bicep`
    Bicep,
    /// `.bicepparam`
    Params,
}

impl Dialect {
    /// The dialect of a file by its name.
    pub fn of_path(path: &str) -> Self {
        if path.ends_with(".bicepparam") { Self::Params } else { Self::Bicep }
    }
}

/// What [`parse`] gives.
#[derive(Debug, Clone)]
pub struct Parse {
    pub tree: Tree,
    /// The diagnostics of lexer and parser, in reading order.
    pub diagnostics: Vec<Diagnostic>,
    /// Where those of the parser are.
    misparsed: Vec<TextRange>,
}

impl Parse {
    /// Whether the parser reported anything. What only the lexer reports (a string that does not end, an unknown escape
    /// sequence) does not count: the tokens around it are where they should be.
    pub fn has_misparsed(&self) -> bool {
        !self.misparsed.is_empty()
    }

    /// The same for a part of the text.
    pub fn has_misparsed_in(&self, range: TextRange) -> bool {
        self.misparsed.iter().any(|misparsed| range.contains_range(*misparsed))
    }
}

/// Parses a text. It never fails; mistakes are in [`Parse::diagnostics`] and as [`SyntaxKind::Skipped`] in the tree.
pub fn parse(text: impl Into<Arc<str>>, dialect: Dialect) -> Parse {
    parser::parse_file(&text.into(), dialect)
}
