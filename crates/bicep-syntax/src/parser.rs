//! Tokens to tree.
//!
//! Grammar functions record what they see in a [`Builder`]. Where a function cannot go on it returns
//! [`Expected`], and the nearest [`Parser::recover`] around it turns everything since then into one
//! [`SyntaxKind::Skipped`] node up to a token where the caller can go on. What was recorded in between is forgotten,
//! diagnostics included: one mistake, one message.

mod expressions;
mod imports;
mod lists;
mod statements;
mod strings;
mod types;

use std::sync::Arc;

use base::{Diagnostic, TextRange, TextSize};

use crate::lexer::{GrammarToken, Lexed, lex};
use crate::messages::{self, Message};
use crate::tree::{Builder, Started};
use crate::{Dialect, Parse, SyntaxKind, SyntaxKind::*};

/// Deeper nesting is an error. The layers above recurse over the tree and rely on it being bounded.
const MAX_DEPTH: u32 = 512;

/// Longer chains of operators or accesses are an error, for the same reason: each link is a node around the others.
const MAX_HEIGHT: u32 = 4096;

/// Parses a whole file.
pub(crate) fn parse_file(text: &Arc<str>, dialect: Dialect) -> Parse {
    let Lexed { tokens, grammar, directives, diagnostics: lexer_diagnostics } = lex(text);
    let mut parser = Parser {
        text,
        tokens: &grammar,
        at: 0,
        builder: Builder::new(Arc::clone(text), tokens, directives, grammar.len()),
        diagnostics: Vec::new(),
        lexer_diagnostics: &lexer_diagnostics,
        depth: 0,
        height: 0,
    };
    parser.file(dialect);
    let Parser { builder, mut diagnostics, .. } = parser;
    let misparsed = diagnostics.iter().map(|diagnostic| diagnostic.range).collect();
    diagnostics.extend(lexer_diagnostics.iter().cloned());
    diagnostics.sort_by_key(|diagnostic| (diagnostic.range.start(), diagnostic.range.len()));
    Parse { tree: builder.build(), diagnostics, misparsed }
}

/// The grammar cannot go on: something else was expected.
struct Expected(Box<Diagnostic>);

type Parsed<T> = Result<T, Expected>;

/// A finished node: what the grammar needs to know about it afterwards.
#[derive(Clone, Copy)]
struct CompletedNode {
    /// Its number in the builder.
    number: u32,
    kind: SyntaxKind,
    /// Nothing was there: what is missing has been reported, what follows from it need not be.
    is_missing: bool,
}

impl CompletedNode {
    /// What stands for a part that is not a node of its own.
    const fn no_node(kind: SyntaxKind) -> Self {
        Self { number: u32::MAX, kind, is_missing: false }
    }

    fn is_skipped(self) -> bool {
        self.kind == Skipped
    }

    /// Whether a mistake in the next part would only repeat that this one is missing.
    fn quiet(self) -> Quiet {
        Quiet(self.is_missing)
    }
}

/// Whether to keep silent about a mistake.
#[derive(Clone, Copy)]
struct Quiet(bool);

const ALOUD: Quiet = Quiet(false);

/// What an expression may contain at its place.
#[derive(Clone, Copy)]
struct Allowed {
    /// Arrays and objects.
    literals: bool,
    /// Resource declarations inside objects.
    resources: bool,
}

impl Allowed {
    const SIMPLE: Self = Self { literals: false, resources: false };
    const LITERALS: Self = Self { literals: true, resources: false };
    const RESOURCES: Self = Self { literals: true, resources: true };
}

struct Parser<'t> {
    text: &'t str,
    tokens: &'t [GrammarToken],
    at: usize,
    builder: Builder,
    diagnostics: Vec<Diagnostic>,
    lexer_diagnostics: &'t [Diagnostic],
    depth: u32,
    /// No node that the innermost nested part has finished is higher than this.
    height: u32,
}

impl<'t> Parser<'t> {
    // Looking.

    fn current(&self) -> GrammarToken {
        self.ahead(0)
    }

    /// The token so many further on; the end of the file from there on.
    fn ahead(&self, count: usize) -> GrammarToken {
        self.tokens.get(self.at + count).copied().unwrap_or(GrammarToken::END)
    }

    /// The first token from there on that is not a line end.
    fn ahead_over_lines(&self, count: usize) -> GrammarToken {
        let mut count = count;
        while self.ahead(count).kind == NewLine {
            count += 1;
        }
        self.ahead(count)
    }

    fn kind(&self) -> SyntaxKind {
        self.tokens.get(self.at).map_or(EndOfFile, |token| token.kind)
    }

    fn check(&self, kind: SyntaxKind) -> bool {
        self.kind() == kind
    }

    fn check_any(&self, kinds: &[SyntaxKind]) -> bool {
        kinds.contains(&self.kind())
    }

    fn is_at_end(&self) -> bool {
        self.check(EndOfFile)
    }

    fn range_of(&self, token: GrammarToken) -> TextRange {
        self.builder.token_range(token.index)
    }

    /// Where the current token starts.
    fn here(&self) -> TextSize {
        self.range_of(self.current()).start()
    }

    fn text_of(&self, token: GrammarToken) -> &'t str {
        let range = self.range_of(token);
        self.text.get(usize::from(range.start())..usize::from(range.end())).unwrap_or_default()
    }

    fn is_keyword(&self, token: GrammarToken, keyword: &str) -> bool {
        token.kind == Identifier && self.text_of(token) == keyword
    }

    fn check_keyword(&self, keyword: &str) -> bool {
        self.is_keyword(self.current(), keyword)
    }

    // Recording.

    fn bump(&mut self) {
        if let Some(token) = self.tokens.get(self.at) {
            self.builder.token(token.index);
            self.at += 1;
        }
    }

    fn bump_lines(&mut self) {
        while self.check(NewLine) {
            self.bump();
        }
    }

    fn start(&self) -> Started {
        self.builder.start()
    }

    fn finish(&mut self, started: Started, kind: SyntaxKind) -> CompletedNode {
        let number = self.builder.finish(started, kind, self.current().index);
        CompletedNode { number, kind, is_missing: false }
    }

    /// Makes a finished node one of another kind.
    fn rename(&mut self, done: CompletedNode, to: SyntaxKind) {
        self.builder.rename(done.number, to);
    }

    /// Starts a node around the one that was finished last.
    fn start_around(&self, inner: CompletedNode) -> Started {
        debug_assert_eq!(
            Some(inner.number),
            self.builder.last_number(),
            "only the last node can get one around it"
        );
        self.builder.start_around_last()
    }

    /// Finishes a node around another: one more link of a chain.
    fn finish_around(&mut self, started: Started, kind: SyntaxKind) -> Parsed<CompletedNode> {
        self.height += 1;
        if self.height > MAX_HEIGHT {
            return Err(self.expected_here(&messages::CHAIN_TOO_LONG));
        }
        Ok(self.finish(started, kind))
    }

    /// A node around the current token alone.
    fn single(&mut self, kind: SyntaxKind) -> CompletedNode {
        let number = self.builder.single(kind, self.current().index);
        self.at += 1;
        CompletedNode { number, kind, is_missing: false }
    }

    /// An empty node where something is missing, reported or not.
    fn missing(&mut self, message: Option<&Message>) -> CompletedNode {
        if let Some(message) = message {
            self.diagnostics.push(message.at(TextRange::empty(self.here())));
        }
        let node = self.start();
        CompletedNode { is_missing: true, ..self.finish(node, Skipped) }
    }

    // Expecting.

    fn expected_here(&self, message: &Message) -> Expected {
        self.expected_at(self.current(), message)
    }

    /// The mistake is that this token stands where something else should. At the end of a line the range is empty.
    fn expected_at(&self, token: GrammarToken, message: &Message) -> Expected {
        let whole = self.range_of(token);
        let range = if token.kind == NewLine { TextRange::empty(whole.start()) } else { whole };
        Expected(Box::new(message.at(range)))
    }

    fn expect(&mut self, kind: SyntaxKind) -> Parsed<()> {
        if self.check(kind) {
            self.bump();
            return Ok(());
        }
        Err(self.expected_here(&messages::expected_character(kind.text().unwrap_or_default())))
    }

    fn expect_keyword(&mut self, keyword: &str) -> Parsed<()> {
        self.expect_keyword_or(keyword, &messages::expected_keyword(keyword))
    }

    fn expect_keyword_or(&mut self, keyword: &str, message: &Message) -> Parsed<()> {
        if self.check_keyword(keyword) {
            self.bump();
            return Ok(());
        }
        Err(self.expected_here(message))
    }

    // Recovering.

    /// Runs a part of the grammar. If it cannot go on, all it has seen and everything up to one of these tokens is
    /// skipped.
    fn recover(
        &mut self,
        quiet: Quiet,
        until: &[SyntaxKind],
        part: impl FnOnce(&mut Self) -> Parsed<CompletedNode>,
    ) -> CompletedNode {
        let (at, progress, diagnostics) = (self.at, self.builder.progress(), self.diagnostics.len());
        let height = self.height;
        match part(self) {
            Ok(done) => done,
            Err(Expected(diagnostic)) => {
                self.builder.rewind(progress);
                self.diagnostics.truncate(diagnostics);
                self.height = height;
                if !quiet.0 {
                    self.diagnostics.push(*diagnostic);
                }
                self.skip_from(at, until)
            }
        }
    }

    /// The same for a single token that is not a node of its own.
    fn recover_token(
        &mut self,
        quiet: Quiet,
        until: &[SyntaxKind],
        part: impl FnOnce(&mut Self) -> Parsed<()>,
    ) -> CompletedNode {
        self.recover(quiet, until, |p| {
            part(p)?;
            Ok(CompletedNode::no_node(EndOfFile))
        })
    }

    /// One skipped node for everything from a token on up to one of these.
    fn skip_from(&mut self, from: usize, until: &[SyntaxKind]) -> CompletedNode {
        let node = self.start();
        let seen = self.tokens.get(from..self.at).unwrap_or_default();
        seen.iter().for_each(|token| self.builder.token(token.index));
        while !self.is_at_end() && !self.check_any(until) {
            self.bump();
        }
        // The token at the end of a string that is not closed is empty, too.
        let start =
            self.tokens.get(from).map_or(TextSize::of(self.text), |token| self.range_of(*token).start());
        let is_missing = self.at == from || self.previous_end() <= start;
        CompletedNode { is_missing, ..self.finish(node, Skipped) }
    }

    /// Runs a part one level deeper, unless that is too deep.
    fn nested(&mut self, part: impl FnOnce(&mut Self) -> Parsed<CompletedNode>) -> Parsed<CompletedNode> {
        if self.depth >= MAX_DEPTH {
            return Err(self.expected_here(&messages::NESTED_TOO_DEEPLY));
        }
        self.depth += 1;
        let outside = std::mem::take(&mut self.height);
        let result = base::recurse(|| part(self));
        self.height = outside.max(self.height + 1);
        self.depth -= 1;
        result
    }

    /// The end of the last token that was recorded.
    fn previous_end(&self) -> TextSize {
        self.at
            .checked_sub(1)
            .and_then(|at| self.tokens.get(at))
            .map_or(TextSize::new(0), |token| self.range_of(*token).end())
    }

    // Names.

    fn name(&mut self, message: &Message) -> Parsed<CompletedNode> {
        if !self.check(Identifier) {
            return Err(self.expected_here(message));
        }
        Ok(self.single(Name))
    }

    /// A name, or an empty place for it.
    fn name_or_missing(&mut self, message: &Message) -> CompletedNode {
        if self.check(Identifier) {
            return self.single(Name);
        }
        let node = self.start();
        self.missing(Some(message));
        CompletedNode { is_missing: true, ..self.finish(node, Name) }
    }

    /// A name; if it is not there, what stands in its place is skipped.
    fn name_with_recovery(&mut self, message: &Message, until: &[SyntaxKind]) -> CompletedNode {
        let name = self.recover(ALOUD, until, |p| p.name(message));
        if !name.is_skipped() {
            return name;
        }
        let node = self.start_around(name);
        CompletedNode { is_missing: name.is_missing, ..self.finish(node, Name) }
    }

    /// Whether the lexer or the grammar has complained since then about something from that offset on.
    fn has_mistakes_since(&self, diagnostics: usize, offset: TextSize) -> bool {
        let here = TextRange::new(offset, self.here().max(offset));
        self.diagnostics.len() > diagnostics
            || self.lexer_diagnostics.iter().any(|diagnostic| here.contains_range(diagnostic.range))
    }
}
