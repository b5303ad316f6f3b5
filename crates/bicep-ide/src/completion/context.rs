//! What is being written at an offset: a file and an offset come in, the sort of place goes out.
//!
//! The token that the offset touches decides, or, behind a blank, the token before it.

use base::{TextRange, TextSize};
use bicep_syntax::ast;
use bicep_syntax::{Node, SyntaxKind, Token};

use crate::FileContext;
use crate::lookup::enclosing;

/// An offset with what is known about it from the tree.
#[derive(Debug)]
pub(super) struct CompletionPlace<'a> {
    /// What is being written.
    pub(super) kind: PlaceKind<'a>,
    /// What an item replaces: the word or the string at the offset, else nothing.
    pub(super) replaced: TextRange,
    /// The nodes around the offset, from the outside in.
    pub(super) nodes: Vec<Node<'a>>,
}

/// What is being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlaceKind<'a> {
    /// A statement.
    Statement,
    /// The name of a decorator of this statement.
    Decorator(Node<'a>),
    /// The name of a property of this object; on a line of its own, other things may stand there too.
    PropertyName { object: Node<'a>, is_new: bool },
    /// What follows the dot of this access.
    Member(Node<'a>),
    /// What follows the dot of this access to a type.
    TypeMember(Node<'a>),
    /// What follows the `::` of this access.
    NestedResource(Node<'a>),
    /// The scope that the file is deployed to.
    Scope,
    /// The name of a parameter in a parameter file.
    ParameterName,
    /// A value; the node is what stands there now.
    Value(Option<Node<'a>>),
    /// The body of this resource or module.
    Body(Node<'a>),
    /// A type.
    Type,
    /// The string that names the file of a module.
    FilePath(Node<'a>),
    /// The string that names the type of a resource.
    ResourceType(Node<'a>),
    /// Nothing that could be offered: a comment, a declared name, the inside of a text.
    Nothing,
}

impl<'a> CompletionPlace<'a> {
    /// Whether a declaration is the innermost one around the offset. Properties of types stand for themselves.
    pub(super) fn is_inside(&self, declaration: bicep_syntax::NodeId) -> bool {
        let is_property = |node: &Node<'_>| node.kind() == SyntaxKind::ObjectTypeProperty;
        !self.nodes.iter().any(is_property) && self.declaration().is_some_and(|node| node.id() == declaration)
    }

    /// The innermost declaration around the offset.
    fn declaration(&self) -> Option<Node<'a>> {
        let is_declaration = |node: &&Node<'_>| {
            crate::lookup::is_named_declaration(**node)
                && !matches!(node.kind(), SyntaxKind::LocalVar | SyntaxKind::TypedLocalVar)
        };
        self.nodes.iter().rev().find(is_declaration).copied()
    }
}

/// What is being written at an offset.
pub(super) fn completion_place<'a>(context: &FileContext<'a>, offset: TextSize) -> CompletionPlace<'a> {
    let before = context.tree().tokens().filter(|token| !token.kind().is_trivia());
    let before = before.take_while(|token| token.range().start() < offset).last();
    let touched = before.filter(|token| token.range().end() >= offset && token.kind() != SyntaxKind::NewLine);
    let around = match touched {
        Some(token) => enclosing(context.tree(), token.range().start()),
        None => enclosing(context.tree(), offset),
    };
    let mut place =
        CompletionPlace { kind: PlaceKind::Nothing, replaced: TextRange::empty(offset), nodes: around };
    if is_in_trivia(context, offset) {
        return place;
    }
    place.kind = match touched {
        Some(token) if is_word(token) => {
            place.replaced = token.range();
            word(context, &place, token)
        }
        Some(token) if token.kind() == SyntaxKind::StringComplete => {
            place.replaced = token.range();
            if offset < token.range().end() { string(&place) } else { PlaceKind::Nothing }
        }
        Some(token) => symbol(&place, token),
        None => blank(context, &mut place, before),
    };
    place
}

fn is_word(token: Token<'_>) -> bool {
    use SyntaxKind as K;
    matches!(token.kind(), K::Identifier | K::True | K::False | K::Null)
}

/// The offset is in or behind a word.
fn word<'a>(context: &FileContext<'a>, place: &CompletionPlace<'a>, token: Token<'a>) -> PlaceKind<'a> {
    use SyntaxKind as K;
    let mut nodes = place.nodes.iter().rev().copied();
    let Some(inner) = nodes.find(|node| node.kind() != K::Name) else { return PlaceKind::Nothing };
    match inner.kind() {
        K::VarAccess => PlaceKind::Value(Some(inner)),
        K::Call if inner.first_token() == Some(token) => PlaceKind::Value(Some(inner)),
        K::TypeVar if place.nodes.iter().any(|node| node.kind() == K::NullableType) => PlaceKind::Nothing,
        K::TypeVar => PlaceKind::Type,
        K::MethodCall if inner.parent().is_some_and(|it| it.kind() == K::Decorator) => {
            PlaceKind::Value(Some(inner))
        }
        K::PropertyAccess | K::MethodCall => PlaceKind::Member(inner),
        K::TypePropertyAccess => PlaceKind::TypeMember(inner),
        K::ResourceAccess => PlaceKind::NestedResource(inner),
        K::ParamAssignment if inner.first_token() != Some(token) => PlaceKind::ParameterName,
        K::Property if inner.first_token() == Some(token) => match inner.parent() {
            Some(object) => PlaceKind::PropertyName { object, is_new: false },
            None => PlaceKind::Nothing,
        },
        K::File | K::Skipped if starts_line(context, token.range().start()) => {
            match nodes.find(|node| node.kind() == K::Object) {
                Some(object) => PlaceKind::PropertyName { object, is_new: true },
                None => PlaceKind::Statement,
            }
        }
        _ => PlaceKind::Nothing,
    }
}

/// The offset is in a text.
fn string<'a>(place: &CompletionPlace<'a>) -> PlaceKind<'a> {
    use SyntaxKind as K;
    let mut nodes = place.nodes.iter().rev().copied();
    let Some(text) = nodes.next() else { return PlaceKind::Nothing };
    let Some(holder) = nodes.next() else { return PlaceKind::Nothing };
    match holder.kind() {
        K::Resource | K::TypeArgument => PlaceKind::ResourceType(text),
        K::Module | K::Using => PlaceKind::FilePath(text),
        K::Property if holder.first_token() != text.first_token() => PlaceKind::Value(Some(text)),
        K::Argument | K::ArrayItem => PlaceKind::Value(Some(text)),
        _ => PlaceKind::Nothing,
    }
}

/// The offset is directly behind a sign.
fn symbol<'a>(place: &CompletionPlace<'a>, token: Token<'a>) -> PlaceKind<'a> {
    use SyntaxKind as K;
    let inner = place.nodes.last().copied();
    match (token.kind(), inner.map(Node::kind)) {
        (K::Dot | K::Question, Some(K::PropertyAccess | K::MethodCall)) => {
            inner.map_or(PlaceKind::Nothing, PlaceKind::Member)
        }
        (K::DoubleColon, Some(K::ResourceAccess)) => {
            inner.map_or(PlaceKind::Nothing, PlaceKind::NestedResource)
        }
        (K::Dot, Some(K::TypePropertyAccess)) => inner.map_or(PlaceKind::Nothing, PlaceKind::TypeMember),
        (K::At, Some(K::Decorator)) => {
            inner.and_then(Node::parent).map_or(PlaceKind::Nothing, PlaceKind::Decorator)
        }
        (K::LeftParen | K::Comma, Some(K::Call | K::MethodCall)) => {
            let behind = |node: &Node<'_>| node.range().start() >= token.range().end();
            let argument = inner
                .and_then(|call| call.children().find(|it| it.kind() == K::Argument && behind(it)))
                .and_then(|argument| argument.children().next());
            PlaceKind::Value(argument)
        }
        _ => PlaceKind::Nothing,
    }
}

/// The offset is behind a blank, or at the start of a line.
fn blank<'a>(
    context: &FileContext<'a>,
    place: &mut CompletionPlace<'a>,
    before: Option<Token<'a>>,
) -> PlaceKind<'a> {
    use SyntaxKind as K;
    let Some(token) = before.filter(|token| token.kind() != K::NewLine) else { return line(place) };
    let owners = enclosing(context.tree(), token.range().start());
    let Some(owner) = owners.last().copied() else { return PlaceKind::Nothing };
    let kind = match (token.kind(), owner.kind()) {
        (K::LeftBrace, K::Object) => return line(place),
        (K::Colon, K::Property) => PlaceKind::Value(ast::Property::cast(owner).map(|it| value_of(it))),
        (K::Colon | K::Question, K::Ternary) => PlaceKind::Value(None),
        (K::Colon, K::ObjectTypeProperty) | (K::Assign, K::TypeDeclaration) => PlaceKind::Type,
        (K::Assign, K::ParamDefault | K::Param | K::ParamAssignment | K::Var | K::Output) => {
            PlaceKind::Value(owner.children().last())
        }
        (K::Assign, K::TargetScope) => PlaceKind::Scope,
        (K::Assign, K::Resource | K::Module) => PlaceKind::Body(owner),
        _ => PlaceKind::Nothing,
    };
    place.nodes = owners;
    kind
}

fn value_of(property: ast::Property<'_>) -> Node<'_> {
    use bicep_syntax::ast::Expr;
    let value: Expr<'_> = property.value();
    value.syntax()
}

fn line<'a>(place: &CompletionPlace<'a>) -> PlaceKind<'a> {
    use SyntaxKind as K;
    match place.nodes.last().copied() {
        Some(node) if node.kind() == K::File => PlaceKind::Statement,
        Some(node) if node.kind() == K::Object => PlaceKind::PropertyName { object: node, is_new: true },
        Some(node) if node.kind() == K::Array => PlaceKind::Value(None),
        // Between decorators and what they decorate.
        Some(node) if node.parent().is_some_and(|it| it.kind() == K::File) => PlaceKind::Statement,
        _ => PlaceKind::Nothing,
    }
}

/// Whether nothing but blanks stands before an offset on its line.
fn starts_line(context: &FileContext<'_>, offset: TextSize) -> bool {
    let lines = context.bicep.source.lines();
    let start = lines.line_start(lines.line(offset));
    context.bicep.source.slice(TextRange::new(start, offset.max(start))).trim().is_empty()
}

fn is_in_trivia(context: &FileContext<'_>, offset: TextSize) -> bool {
    let is_text = |kind: SyntaxKind| kind.is_comment() || kind == SyntaxKind::Directive;
    let mut texts = context.tree().tokens().filter(|token| is_text(token.kind()));
    texts.any(|text| {
        let range = text.range();
        let is_line = text.kind() != SyntaxKind::BlockComment;
        range.start() < offset && (offset < range.end() || (is_line && offset == range.end()))
    })
}
