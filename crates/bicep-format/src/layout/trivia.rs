//! Tokens with their comments and directives.

use bicep_syntax::{Node, SyntaxKind::*, Token};

use super::Layout;

/// The words that begin directives.
const DIRECTIVES: [&str; 3] = ["#disable-next-line", "#disable-diagnostics", "#restore-diagnostics"];

impl<'t> Layout<'t> {
    /// A token with the comments that belong to it.
    pub(super) fn token(&mut self, token: Token<'t>) {
        if token.has_comment_before() {
            self.comments_before(token);
        }
        self.text_of(token);
        if token.has_comment_behind() {
            self.comments_behind(token);
        }
    }

    /// A token without its comments.
    pub(super) fn text_of(&mut self, token: Token<'t>) {
        if token.kind().is_plain_word() {
            self.doc.plain(token.text());
        } else {
            self.doc.text(token.text());
        }
    }

    /// A string as it is, holes included, but for the white space at the start of a hole. The strings in a hole stay
    /// as they are.
    pub(super) fn string(&mut self, node: Node<'t>) {
        if let Some(whole) = node.token(StringComplete) {
            return self.token(whole);
        }
        if let Some(first) = node.tokens().next() {
            self.comments_before(first);
        }
        let mut rest = node.text();
        for piece in node.tokens().filter(|token| matches!(token.kind(), StringLeft | StringMiddle)) {
            let length = usize::from(piece.range().end() - node.range().start());
            let printed = node.text().len() - rest.len();
            let (text, hole) = rest.split_at_checked(length.saturating_sub(printed)).unwrap_or((rest, ""));
            self.doc.text(text);
            rest = hole.trim_start_matches([' ', '\t']);
        }
        self.doc.text(rest);
        if let Some(last) = node.tokens().next_back() {
            self.comments_behind(last);
        }
    }

    /// The comments and directives before a token, with spaces between them.
    pub(crate) fn comments(&mut self, token: Token<'t>) {
        for (index, comment) in leading_comments(token).enumerate() {
            if index > 0 {
                self.doc.space();
            }
            self.comment(comment);
        }
    }

    pub(super) fn comment(&mut self, comment: Token<'t>) {
        let text = comment.text();
        match comment.kind() {
            LineComment => self.doc.text_to_line_end(text),
            Directive => self.directive(text),
            // One that does not end has the line ends before the end of the file in it.
            _ => self.doc.text(text.trim_end_matches(['\r', '\n'])),
        }
    }

    fn directive(&mut self, text: &'t str) {
        let (keyword, codes) = split_directive(text).unwrap_or((text, ""));
        self.doc.text(keyword);
        // Without codes the space stays.
        self.doc.text(" ");
        for (index, code) in codes.split([' ', '\t']).filter(|code| !code.is_empty()).enumerate() {
            if index > 0 {
                self.doc.text(" ");
            }
            self.doc.text(code);
        }
        self.doc.end_line();
    }

    fn comments_before(&mut self, token: Token<'t>) {
        let is_first = self.doc.is_empty();
        for comment in leading_comments(token) {
            // A directive is one only at the start of a line.
            self.is_stuck |= comment.kind() == Directive && !is_first;
            self.comment(comment);
            self.doc.space();
        }
    }

    pub(super) fn comments_behind(&mut self, token: Token<'t>) {
        for comment in token.trailing_trivia().filter(|trivia| trivia.kind().is_comment()) {
            if comment.kind() == LineComment {
                self.doc.free_space();
            } else {
                self.doc.space();
            }
            self.comment(comment);
        }
    }
}

/// The comments and directives before a token that belong to it.
pub(super) fn leading_comments(token: Token<'_>) -> impl Iterator<Item = Token<'_>> {
    let with_comments = Some(token).filter(|token| token.has_comment_before());
    let trivia = with_comments.into_iter().flat_map(Token::leading_trivia);
    trivia.filter(|trivia| trivia.kind() != Whitespace)
}

/// The keyword of a directive and the rest of it.
fn split_directive(text: &str) -> Option<(&str, &str)> {
    let keyword = DIRECTIVES.iter().find(|keyword| text.starts_with(**keyword))?;
    text.split_at_checked(keyword.len())
}
