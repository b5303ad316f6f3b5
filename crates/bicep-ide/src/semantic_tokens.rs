//! Colours by meaning: a file comes in; tokens in the order of the text go out, none over a line end.
//!
//! Which texts get a token follows the reference: comments belong to the token beside them, so those beside the pieces of strings
//! and the keys of objects have none and are left to the editor's grammar.

use base::{LineCol, TextRange, TextSize};
use bicep_sema::interface::ExportKind;
use bicep_sema::{Binding, SymbolKind};
use bicep_syntax::{Element, Node, SyntaxKind, Token};

use crate::FileContext;
use crate::entity::imported_interface;
use crate::lookup::name_of;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenType {
    Comment,
    Keyword,
    /// A text.
    String,
    Number,
    /// An operator or a separator.
    Operator,
    /// The name of a namespace.
    Namespace,
    /// The name of a type.
    Type,
    /// The key of an object.
    TypeParameter,
    /// The name of a function.
    Function,
    /// A property that is read.
    Property,
    /// A directive.
    Macro,
    /// The name of a value.
    Variable,
}

impl TokenType {
    /// What the language server protocol calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Comment => "comment",
            Self::Keyword => "keyword",
            Self::String => "string",
            Self::Number => "number",
            Self::Operator => "operator",
            Self::Namespace => "namespace",
            Self::Type => "type",
            Self::TypeParameter => "typeParameter",
            Self::Function => "function",
            Self::Property => "property",
            Self::Macro => "macro",
            Self::Variable => "variable",
        }
    }
}

/// A piece of one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SemanticToken {
    /// Where it starts.
    pub start: LineCol,
    /// How many UTF-16 code units it has.
    pub length: u32,
    pub kind: TokenType,
}

/// The tokens of a file.
pub fn semantic_tokens(context: &FileContext<'_>) -> Vec<SemanticToken> {
    let mut collector = Collector { context, found: Vec::new() };
    collector.visit(context.tree().root());
    collector.found.sort_by_key(|(range, _)| range.start());
    let mut tokens = Vec::with_capacity(collector.found.len());
    for (range, kind) in collector.found {
        split(context, range, kind, &mut tokens);
    }
    tokens
}

/// Cuts a range at line ends.
fn split(context: &FileContext<'_>, range: TextRange, kind: TokenType, tokens: &mut Vec<SemanticToken>) {
    let source = &context.bicep.source;
    let (mut start, end) = (source.position(range.start()), source.position(range.end()));
    while start.line < end.line {
        // The last character of the line is its line feed.
        let line_end = source.position(source.lines().line_start(start.line + 1) - TextSize::new(1));
        tokens.push(SemanticToken { start, length: line_end.col.saturating_sub(start.col), kind });
        start = LineCol { line: start.line + 1, col: 0 };
    }
    tokens.push(SemanticToken { start, length: end.col.saturating_sub(start.col), kind });
}

struct Collector<'c, 'a> {
    context: &'c FileContext<'a>,
    found: Vec<(TextRange, TokenType)>,
}

impl<'a> Collector<'_, 'a> {
    fn add(&mut self, range: TextRange, kind: TokenType) {
        self.found.push((range, kind));
    }

    fn add_token(&mut self, token: Option<Token<'a>>, kind: TokenType) {
        self.found.extend(token.map(|token| (token.range(), kind)));
    }

    fn add_name(&mut self, node: Node<'a>, kind: TokenType) {
        self.found.extend(name_of(node).map(|name| (name.range(), kind)));
    }

    /// The first own token that is a word.
    fn add_keyword(&mut self, node: Node<'a>) {
        self.add_token(node.token(SyntaxKind::Identifier), TokenType::Keyword);
    }

    fn visit(&mut self, node: Node<'a>) {
        base::recurse(|| self.visit_inside(node));
    }

    fn visit_inside(&mut self, node: Node<'a>) {
        use SyntaxKind as K;
        match node.kind() {
            K::Str | K::StringType => return self.string(node),
            K::Property | K::ObjectTypeProperty => return self.property(node),
            K::Extension | K::WithClause | K::ExtensionConfig => return self.clause(node),
            K::AsClause => {
                self.add_keyword(node);
                self.add_child_name(node, TokenType::Namespace);
                return;
            }
            K::Metadata
            | K::Param
            | K::ParamAssignment
            | K::Var
            | K::Module
            | K::Test
            | K::Output
            | K::Assert => {
                self.add_keyword(node);
                self.add_name(node, TokenType::Variable);
            }
            K::Resource => {
                self.add_keyword(node);
                self.add_name(node, TokenType::Variable);
                let existing =
                    bicep_syntax::ast::Resource::cast(node).and_then(bicep_syntax::ast::Resource::existing);
                self.add_token(existing, TokenType::Keyword);
            }
            K::TypeDeclaration => {
                self.add_keyword(node);
                self.add_name(node, TokenType::Type);
            }
            K::Func => {
                self.add_keyword(node);
                self.add_name(node, TokenType::Function);
            }
            K::TargetScope | K::Import | K::FromClause | K::Using | K::If => self.add_keyword(node),
            K::For => self.each(node),
            K::LocalVar => self.add_name(node, TokenType::Variable),
            K::ImportItem => self.import_item(node),
            K::WildcardImport => self.add_token(node.token(K::Star), TokenType::Variable),
            K::ResourceType => self.add_token(node.token(K::Identifier), TokenType::Type),
            K::BoolLiteral | K::BoolType | K::NullLiteral | K::NullType => {
                self.add_token(node.tokens().next(), TokenType::Keyword);
            }
            K::IntLiteral => self.add_token(node.tokens().next(), TokenType::Number),
            _ => self.expression(node),
        }
        self.children(node);
    }

    fn expression(&mut self, node: Node<'a>) {
        use SyntaxKind as K;
        let own = |kind| node.token(kind);
        match node.kind() {
            K::Binary | K::Unary => {
                self.add_token(node.tokens().next(), TokenType::Operator);
            }
            K::Ternary => {
                self.add_token(own(K::Question), TokenType::Operator);
                self.add_closing(node, K::Colon);
            }
            K::Call | K::MethodCall => {
                self.add_token(own(K::Dot), TokenType::Operator);
                self.add_name(node, TokenType::Function);
                self.add_token(own(K::LeftParen), TokenType::Operator);
                self.add_closing(node, K::RightParen);
            }
            K::PropertyAccess => {
                self.add_token(own(K::Dot), TokenType::Operator);
                self.add_name(node, TokenType::Property);
            }
            K::TypePropertyAccess => {
                self.add_token(own(K::Dot), TokenType::Operator);
                let kind = match crate::entity::entity_of(self.context, node) {
                    Some(_) => TokenType::Type,
                    None => TokenType::Variable,
                };
                self.add_child_name(node, kind);
            }
            K::Index => {
                self.add_token(own(K::LeftSquare), TokenType::Operator);
                self.add_closing(node, K::RightSquare);
            }
            K::ResourceAccess => self.add_name(node, TokenType::Property),
            K::VarAccess | K::TypeVar => {
                let kind = self.kind_of(node);
                self.add_name(node, kind);
            }
            _ => {}
        }
    }

    /// A token that must be there, or what stands in its place.
    fn add_closing(&mut self, node: Node<'a>, kind: SyntaxKind) {
        let missing = || node.children().rfind(|child| child.is_skipped()).map(Node::range);
        let range = node.token(kind).map(Token::range).or_else(missing);
        self.found.extend(range.map(|range| (range, TokenType::Operator)));
    }

    /// The last name among the children of a node.
    fn add_child_name(&mut self, node: Node<'a>, kind: TokenType) {
        let name = node.children().rfind(|child| child.kind() == SyntaxKind::Name);
        self.found.extend(name.map(|name| (name.range(), kind)));
    }

    fn children(&mut self, node: Node<'a>) {
        for element in node.elements() {
            match element {
                Element::Node(child) => self.visit(child),
                Element::Token(token) => self.token(token),
            }
        }
    }

    /// A comma, and the comments and directives that belong to a token.
    fn token(&mut self, token: Token<'a>) {
        if token.kind() == SyntaxKind::Comma {
            self.add(token.range(), TokenType::Operator);
        }
        let trivia = token.leading_trivia().chain(token.trailing_trivia());
        for piece in trivia {
            match piece.kind() {
                SyntaxKind::LineComment | SyntaxKind::BlockComment => {
                    self.add(piece.range(), TokenType::Comment);
                }
                SyntaxKind::Directive => self.add(piece.range(), TokenType::Macro),
                _ => {}
            }
        }
    }

    /// The key by itself, then what stands behind it; decorators of properties are left out.
    fn property(&mut self, node: Node<'a>) {
        let all: Vec<_> = node.elements().collect();
        let colon = all.iter().position(|it| it.kind() == SyntaxKind::Colon).unwrap_or(all.len());
        let head = all.get(..colon).unwrap_or_default();
        // What stands on lines before the key belongs to decorators.
        let key = head.iter().rposition(|it| it.kind() == SyntaxKind::NewLine).map_or_else(
            || head.iter().position(|it| it.kind() != SyntaxKind::Decorator).unwrap_or_default(),
            |line_end| line_end + 1,
        );
        let mut elements = all.into_iter().skip(key);
        match elements.next() {
            Some(Element::Node(key)) if key.kind() == SyntaxKind::Str => self.visit(key),
            Some(key) => self.add(key.range(), TokenType::TypeParameter),
            None => {}
        }
        for element in elements {
            match element {
                Element::Node(child) => self.visit(child),
                Element::Token(token) => self.token(token),
            }
        }
    }

    /// A keyword and the nodes behind it, without the tokens between them.
    fn clause(&mut self, node: Node<'a>) {
        self.add_keyword(node);
        let inner: Vec<_> = node.children().filter(|it| it.kind() != SyntaxKind::Decorator).collect();
        for child in inner {
            self.visit(child);
        }
    }

    fn each(&mut self, node: Node<'a>) {
        let words: Vec<_> = node.tokens().filter(|token| token.kind() == SyntaxKind::Identifier).collect();
        self.add_token(words.first().copied(), TokenType::Keyword);
        let keyword = words.iter().skip(1).find(|token| token.text() == "in");
        self.add_token(keyword.copied(), TokenType::Keyword);
    }

    fn import_item(&mut self, node: Node<'a>) {
        let original =
            bicep_syntax::ast::ImportItem::cast(node).and_then(bicep_syntax::ast::ImportItem::original);
        let Some(original) = original.filter(|name| name.kind() == SyntaxKind::Name) else { return };
        let kind = match self.context.model.declared(node.id()) {
            Some(symbol) if self.is_imported_type(symbol) => TokenType::Type,
            _ => TokenType::Variable,
        };
        self.add(original.range(), kind);
    }

    fn is_imported_type(&self, symbol: bicep_sema::SymbolId) -> bool {
        let node = self.context.tree().node(self.context.model.symbol(symbol).declaration);
        let name =
            bicep_syntax::ast::ImportItem::cast(node).and_then(bicep_syntax::ast::ImportItem::original_name);
        let interface = imported_interface(self.context, symbol);
        let export = interface.zip(name).and_then(|(interface, name)| interface.export(&name));
        export.is_some_and(|export| matches!(export.kind, ExportKind::Type(_)))
    }

    /// A name in an expression or a type: what it is depends on what it means.
    fn kind_of(&self, node: Node<'a>) -> TokenType {
        match self.context.model.bindings().get(node) {
            Some(Binding::Type(_)) => TokenType::Type,
            Some(Binding::Namespace(_)) => TokenType::Namespace,
            Some(Binding::Symbol(symbol)) => match self.context.model.symbol(symbol).kind {
                SymbolKind::Type => TokenType::Type,
                SymbolKind::Extension | SymbolKind::This => TokenType::Namespace,
                SymbolKind::WildcardImport if imported_interface(self.context, symbol).is_some() => {
                    TokenType::Namespace
                }
                SymbolKind::ImportItem if self.is_imported_type(symbol) => TokenType::Type,
                _ => TokenType::Variable,
            },
            _ => TokenType::Variable,
        }
    }

    fn string(&mut self, node: Node<'a>) {
        let prefix = node.tokens().next().map_or("", Token::text);
        let dollars = prefix.bytes().take_while(|byte| *byte == b'$').count();
        let is_multi_line = prefix.get(dollars..).is_some_and(|rest| rest.starts_with("'''"));
        let hole = format!("{}{{", "$".repeat(if is_multi_line { dollars } else { 1 }));
        for element in node.elements() {
            match element {
                Element::Node(child) => self.visit(child),
                Element::Token(token) => self.piece(token, &hole, !is_multi_line),
            }
        }
    }

    /// A piece of a string, without the marks of holes and, where they mean something, escape sequences.
    fn piece(&mut self, token: Token<'a>, hole: &str, has_escapes: bool) {
        use SyntaxKind as K;
        let (range, text) = (token.range(), token.text());
        let opens = matches!(token.kind(), K::StringLeft | K::StringMiddle) && text.ends_with(hole);
        let closes = matches!(token.kind(), K::StringMiddle | K::StringRight) && !text.is_empty();
        let start = if closes { 1 } else { 0 };
        let end = if opens { text.len() - hole.len() } else { text.len() };
        let at = |offset: usize| range.start() + TextSize::new(u32::try_from(offset).unwrap_or(u32::MAX));
        if closes {
            self.add(TextRange::new(at(0), at(1)), TokenType::Operator);
        }
        let mut from = start;
        let mut position = start;
        while position < end {
            let escape = text.get(position..end).filter(|_| has_escapes).map_or(0, escape_length);
            if escape == 0 {
                position +=
                    text.get(position..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
                continue;
            }
            if position > from {
                self.add(TextRange::new(at(from), at(position)), TokenType::String);
            }
            position += escape;
            from = position;
        }
        if end > from {
            self.add(TextRange::new(at(from), at(end)), TokenType::String);
        }
        if opens {
            self.add(TextRange::new(at(end), at(text.len())), TokenType::Operator);
        }
    }
}

/// The length of the escape sequence that a text starts with; zero if there is none.
fn escape_length(text: &str) -> usize {
    let Some(rest) = text.strip_prefix('\\') else { return 0 };
    if let Some(digits) = rest.strip_prefix("u{") {
        let count = digits.bytes().take_while(u8::is_ascii_hexdigit).count();
        let is_closed = count > 0 && digits.as_bytes().get(count) == Some(&b'}');
        return if is_closed { "\\u{}".len() + count } else { 0 };
    }
    match rest.bytes().next() {
        Some(b'$') if rest.starts_with("${") => 3,
        Some(b'n' | b'r' | b't' | b'\'' | b'\\' | b'$') => 2,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ask;

    #[test]
    fn what_has_members_is_a_namespace_if_its_file_is_there() {
        let exports = "@export()\ntype id = string\n";
        let kinds = |path: &str| {
            let source = format!("import * as all from '{path}'\nparam a |all.id\n");
            ask(&source, &[("/exports.bicep", exports)], |context, offset| {
                let at = context.bicep.source.position(offset);
                let found = semantic_tokens(context).into_iter().find(|token| token.start == at);
                found.map(|token| token.kind)
            })
        };
        assert_eq!(kinds("exports.bicep"), Some(TokenType::Namespace));
        assert_eq!(kinds("nothing.bicep"), Some(TokenType::Variable));
    }
}
