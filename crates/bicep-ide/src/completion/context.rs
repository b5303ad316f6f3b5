//! What is being written at an offset: a file and an offset come in, the sort of place goes out.
//!
//! The word or string that the offset touches decides; elsewhere the token before it, if there is room for something behind it.

use base::{TextRange, TextSize};
use bicep_syntax::ast;
use bicep_syntax::{Dialect, Node, SyntaxKind, Token};

use super::follower::Follower;
use crate::FileContext;
use crate::lookup::{enclosing, is_named_declaration};

/// An offset with what is known about it from the tree.
#[derive(Debug)]
pub(super) struct CompletionPlace<'a> {
    /// What is being written.
    pub(super) kind: PlaceKind<'a>,
    /// The offset that was asked about.
    pub(super) offset: TextSize,
    /// What an item replaces: the word or the string at the offset, else nothing.
    pub(super) replaced: TextRange,
    /// The text that the offset is in or at.
    pub(super) text: Option<Token<'a>>,
    /// The sign behind the offset, and behind the word at it.
    pub(super) next: Option<SyntaxKind>,
    /// The nodes around the offset, from the outside in.
    pub(super) nodes: Vec<Node<'a>>,
}

/// What is being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlaceKind<'a> {
    Statement,
    /// What follows the `#` of a directive.
    DirectiveName,
    /// The codes of this directive.
    DirectiveCode(Token<'a>),
    /// The name of a decorator of this statement.
    Decorator(Node<'a>),
    /// The name of a property of this object; on a line of its own, other things may stand there too.
    PropertyName {
        object: Node<'a>,
        is_new: bool,
    },
    /// What follows the dot of this access.
    Member(Node<'a>),
    /// What follows the dot of this access to a type.
    TypeMember(Node<'a>),
    /// What stands between the brackets of this access.
    Index(Node<'a>),
    /// What stands between the brackets of this access to a type.
    TypeIndex(Node<'a>),
    /// What follows the `::` of this access.
    NestedResource(Node<'a>),
    /// The scope that the file is deployed to.
    Scope,
    /// The name of a parameter in a parameter file.
    ParameterName,
    /// The name of an extension in a parameter file.
    ExtensionName,
    Value(ValueSlot<'a>),
    /// The body of this resource, module or test.
    Body(Node<'a>),
    /// The body of a loop of this resource or module.
    LoopBody(Node<'a>),
    /// The configuration of this extension.
    Configuration(Node<'a>),
    Type,
    /// A member of a union, which is a literal if its other members are.
    UnionMember(Node<'a>),
    /// What names a file: of a module or test, of `using`, `extends` or `from`. The string, where one is written.
    FilePath(Node<'a>, Option<Node<'a>>),
    /// What names the type of a resource: the string, where one is written, and the resource that it is nested in.
    ResourceType(Option<Node<'a>>, Option<Node<'a>>),
    /// What an import takes from a file: the list or everything.
    ImportForm,
    /// The name of an extension.
    ExtensionSpecification,
    /// A name in the list of this import.
    ImportItem(Node<'a>),
    /// Only these words can follow.
    Follower(&'static [Follower]),
    /// Nothing that could be offered: a comment, a declared name, the inside of a text.
    Nothing,
}

/// Where a value stands, which says what is expected of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueSlot<'a> {
    /// Where this node stands now.
    Node(Node<'a>),
    /// Among the items of this array.
    Item(Node<'a>),
    /// An argument of this call, by its position.
    Argument(Node<'a>, usize),
    /// Anything may stand there.
    Free,
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
            is_named_declaration(**node)
                && !matches!(node.kind(), SyntaxKind::LocalVar | SyntaxKind::TypedLocalVar)
        };
        self.nodes.iter().rev().find(is_declaration).copied()
    }
}

/// What is being written at an offset.
pub(super) fn completion_place<'a>(context: &FileContext<'a>, offset: TextSize) -> CompletionPlace<'a> {
    let tokens = Surroundings::new(context, offset);
    let touched = tokens.touched();
    let around = match touched {
        Some(token) => enclosing(context.tree(), token.range().start()),
        None => enclosing(context.tree(), offset),
    };
    let mut place = CompletionPlace {
        kind: PlaceKind::Nothing,
        offset,
        replaced: TextRange::empty(offset),
        text: touched.filter(|token| token.kind() == SyntaxKind::StringComplete),
        next: None,
        nodes: around,
    };
    let is_behind = |token: &Token<'_>| touched != Some(*token) && token.range().start() >= offset;
    let mut behind_tokens = context.tree().tokens().filter(|token| !token.kind().is_trivia());
    place.next = behind_tokens.find(is_behind).map(Token::kind);
    if let Some(text) = trivia(context, offset) {
        place.kind = directive(text, &mut place);
        return place;
    }
    place.kind = match touched {
        Some(token) if is_word(token) => {
            place.replaced = token.range();
            word(context, &mut place, token)
        }
        Some(token) if token.kind() == SyntaxKind::StringComplete => {
            let kind = match string(&place, token) {
                PlaceKind::Nothing => unfinished_path(context, &place, token),
                kind => kind,
            };
            let is_reference = token.text().starts_with("'br:") || token.text().starts_with("'br/");
            if kind != PlaceKind::Nothing || is_reference {
                place.replaced = token.range();
                kind
            } else if tokens.left == Some(token) && token.range().end() == offset {
                behind(context, &mut place, &tokens)
            } else {
                kind
            }
        }
        Some(token) if token.kind() == SyntaxKind::Integer => PlaceKind::Nothing,
        Some(token) if token.text() == "#" && !starts_line(context, token.range().start()) => {
            PlaceKind::Nothing
        }
        Some(token) if token.text() == "#" => {
            place.replaced = TextRange::empty(offset);
            PlaceKind::DirectiveName
        }
        _ => behind(context, &mut place, &tokens),
    };
    if place.kind == PlaceKind::Nothing
        && let Some(nodes) = leftover(context, touched.or(tokens.left))
    {
        place.nodes = nodes;
        place.kind = PlaceKind::Value(ValueSlot::Free);
    }
    place
}

/// The nodes around a token in an expression that has no place in it: a part that could not be read, the `in` of a loop, the
/// keyword or the name of a nested resource. The reference takes all of them for values.
fn leftover<'a>(context: &FileContext<'a>, token: Option<Token<'a>>) -> Option<Vec<Node<'a>>> {
    use SyntaxKind as K;
    let token = token.filter(|it| is_word(*it) || is_operator(it.kind()))?;
    let nodes = enclosing(context.tree(), token.range().start());
    let inner = nodes.iter().rposition(|node| node.kind() != K::Name)?;
    let (outer, inner) = (nodes.get(..inner)?, nodes.get(inner)?);
    let is_leftover = match inner.kind() {
        K::Skipped => true,
        K::For => token.text() == "in",
        K::Resource => ast::Resource::cast(*inner)?
            .path()
            .is_none_or(|path| token.range().end() <= path.syntax().range().start()),
        _ => false,
    };
    // A body that does not end before the file does is none: conditions and loops stay without one.
    let is_body = |kind: K| matches!(kind, K::If | K::For | K::Skipped);
    let is_expression = |node: &Node<'_>| ast::Expr::cast(*node).is_some() && !is_body(node.kind());
    (is_leftover && outer.iter().any(is_expression)).then_some(nodes)
}

/// The tokens on both sides of an offset.
struct Surroundings<'a> {
    offset: TextSize,
    /// The last token that starts before the offset.
    left: Option<Token<'a>>,
    /// The first one that does not.
    right: Option<Token<'a>>,
}

impl<'a> Surroundings<'a> {
    fn new(context: &FileContext<'a>, offset: TextSize) -> Self {
        let mut found = Self { offset, left: None, right: None };
        for token in context.tree().tokens().filter(|token| !token.kind().is_trivia()) {
            if token.range().start() >= offset {
                found.right = Some(token);
                break;
            }
            found.left = Some(token);
        }
        found
    }

    /// The token that the offset is in or at: what is on the left wins over what is on the right.
    fn touched(&self) -> Option<Token<'a>> {
        let is_text = |token: &Token<'a>| {
            is_word(*token) || matches!(token.kind(), SyntaxKind::StringComplete | SyntaxKind::Integer)
        };
        let left = self
            .left
            .filter(|token| token.range().end() >= self.offset && token.kind() != SyntaxKind::NewLine);
        let right = self.right.filter(|token| token.range().start() == self.offset);
        left.or(right.filter(is_text))
    }

    /// Whether the offset is on a line of its own: lines without anything are part of one line end.
    fn is_on_empty_line(&self) -> bool {
        self.left
            .is_some_and(|token| token.kind() == SyntaxKind::NewLine && token.range().end() > self.offset)
    }

    fn is_at_left(&self) -> bool {
        self.left.is_some_and(|token| token.range().end() >= self.offset)
    }

    /// Whether nothing stands behind the offset where something is missing.
    fn has_room(&self) -> bool {
        use SyntaxKind as K;
        self.right.is_none_or(|token| {
            matches!(
                token.kind(),
                K::NewLine
                    | K::EndOfFile
                    | K::RightParen
                    | K::RightSquare
                    | K::RightBrace
                    | K::Comma
                    | K::StringMiddle
                    | K::StringRight
                    | K::Colon
                    | K::Assign
                    | K::Arrow
                    | K::Greater
                    | K::Pipe
            )
        })
    }

    /// Whether another line, property, item or argument may be put where the offset is.
    fn can_insert(&self) -> bool {
        use SyntaxKind as K;
        // What stands on several lines takes more on a line of its own, what stands on one line between its signs.
        let is_line = self.left.is_none_or(|token| token.kind() == K::NewLine);
        self.is_on_empty_line()
            || self.right.is_none_or(|token| match token.kind() {
                K::NewLine => is_line,
                K::EndOfFile | K::Comma => true,
                K::RightParen | K::RightSquare | K::RightBrace => !is_line,
                _ => false,
            })
    }
}

fn is_word(token: Token<'_>) -> bool {
    use SyntaxKind as K;
    matches!(token.kind(), K::Identifier | K::True | K::False | K::Null)
}

/// The comment or directive that an offset is in.
fn trivia<'a>(context: &FileContext<'a>, offset: TextSize) -> Option<Token<'a>> {
    let is_text = |kind: SyntaxKind| kind.is_comment() || kind == SyntaxKind::Directive;
    let mut texts = context.tree().tokens().filter(|token| is_text(token.kind()));
    texts.find(|text| {
        let range = text.range();
        match text.kind() {
            SyntaxKind::BlockComment => range.start() < offset && offset < range.end(),
            SyntaxKind::LineComment => range.start() < offset && offset <= range.end(),
            // Blanks behind a directive are not part of it, but what is written there will be.
            _ => {
                let between = TextRange::new(range.end().min(offset), offset);
                let is_behind = || !context.bicep.source.slice(between).contains('\n');
                range.start() < offset && (offset <= range.end() || is_behind())
            }
        }
    })
}

/// What is being written in a comment or a directive.
fn directive<'a>(token: Token<'a>, place: &mut CompletionPlace<'a>) -> PlaceKind<'a> {
    if token.kind() != SyntaxKind::Directive {
        return PlaceKind::Nothing;
    }
    let start = token.range().start();
    let before = usize::from(place.offset - start).min(token.text().len());
    let written = token.text().get(..before).unwrap_or_default();
    let word = written.rfind([' ', '\t']).map_or(1, |at| at + 1);
    let is_on_blank = place.offset > token.range().end();
    let word_start = if is_on_blank { place.offset } else { start + TextSize::new(word as u32) };
    let rest = token.text().get(word..).unwrap_or_default();
    let length = rest.find([' ', '\t']).unwrap_or(rest.len());
    let word_end = if is_on_blank { place.offset } else { word_start + TextSize::new(length as u32) };
    place.replaced = TextRange::new(word_start, word_end.max(word_start));
    match word {
        1 if !is_on_blank => PlaceKind::Nothing,
        _ if !place.replaced.is_empty() => PlaceKind::Nothing,
        _ => PlaceKind::DirectiveCode(token),
    }
}

/// The offset is in, before or behind a word.
fn word<'a>(context: &FileContext<'a>, place: &mut CompletionPlace<'a>, token: Token<'a>) -> PlaceKind<'a> {
    use SyntaxKind as K;
    let mut nodes = place.nodes.iter().rev().copied();
    let Some(inner) = nodes.find(|node| node.kind() != K::Name) else { return PlaceKind::Nothing };
    match inner.kind() {
        K::VarAccess if inner.parent().is_some_and(|it| it.kind() == K::Decorator) => {
            decorated(inner).map_or(PlaceKind::Nothing, PlaceKind::Decorator)
        }
        K::VarAccess => match inner.parent().filter(|it| it.kind() == K::Index) {
            Some(index) if index.children().next() != Some(inner) => PlaceKind::Index(index),
            _ => value_at(inner),
        },
        // What is expected there says nothing about the name of a function.
        K::Call if inner.first_token() == Some(token) => PlaceKind::Value(ValueSlot::Free),
        K::TypeVar => match nodes.next() {
            _ if place.nodes.iter().any(|node| node.kind() == K::NullableType) => PlaceKind::Nothing,
            Some(argument) if argument.kind() == K::TypeArgument => {
                argument.parent().map_or(PlaceKind::Nothing, type_argument)
            }
            Some(member) if member.kind() == K::UnionTypeMember => PlaceKind::UnionMember(member),
            _ => PlaceKind::Type,
        },
        K::MethodCall if inner.parent().is_some_and(|it| it.kind() == K::Decorator) => value_at(inner),
        K::PropertyAccess | K::MethodCall => PlaceKind::Member(inner),
        K::TypePropertyAccess => PlaceKind::TypeMember(inner),
        K::ResourceAccess => PlaceKind::NestedResource(inner),
        K::ParamAssignment if inner.first_token() != Some(token) => PlaceKind::ParameterName,
        K::ExtensionConfig if inner.first_token() != Some(token) => PlaceKind::ExtensionName,
        K::ImportItem => inner.parent().map_or(PlaceKind::Nothing, PlaceKind::ImportItem),
        K::Property if inner.first_token() == Some(token) => match inner.parent() {
            Some(object) => PlaceKind::PropertyName {
                object,
                is_new: inner.children().count() < 2 || is_unfinished(inner),
            },
            None => PlaceKind::Nothing,
        },
        K::File | K::Skipped if starts_line(context, token.range().start()) => {
            match nodes.find(|node| node.kind() == K::Object) {
                Some(object) => PlaceKind::PropertyName { object, is_new: true },
                None => PlaceKind::Statement,
            }
        }
        kind if is_incomplete_declaration(inner, kind, token) => PlaceKind::Statement,
        K::Skipped if inner.parent().is_some_and(|it| it.kind() == K::File) => PlaceKind::Statement,
        K::Skipped | K::NoneLiteral | K::Extension => {
            let before = previous_token(context, token.range().start());
            let Some(before) = before else { return PlaceKind::Nothing };
            let nodes = enclosing(context.tree(), before.range().start());
            let kind = after(context, before, &nodes, token.range().start());
            if matches!(kind, PlaceKind::Value(_) | PlaceKind::PropertyName { .. }) {
                return PlaceKind::Nothing;
            }
            place.nodes = nodes;
            kind
        }
        _ => PlaceKind::Nothing,
    }
}

/// Whether a statement has nothing but the keyword that the offset is at: it may become another one.
fn is_incomplete_declaration(node: Node<'_>, kind: SyntaxKind, token: Token<'_>) -> bool {
    let is_statement = node.parent().is_some_and(|it| it.kind() == SyntaxKind::File);
    kind != SyntaxKind::Skipped
        && is_statement
        && node.first_token() == Some(token)
        && node.last_token() == Some(token)
}

/// Whether nothing stands behind the name of a property.
fn is_unfinished(property: Node<'_>) -> bool {
    property.token(SyntaxKind::Colon).is_none()
}

fn value_at(node: Node<'_>) -> PlaceKind<'_> {
    PlaceKind::Value(ValueSlot::Node(node))
}

/// What a decorator stands before.
fn decorated(inside: Node<'_>) -> Option<Node<'_>> {
    inside.ancestors().find(|node| node.kind() == SyntaxKind::Decorator)?.parent()
}

fn previous_token<'a>(context: &FileContext<'a>, offset: TextSize) -> Option<Token<'a>> {
    let tokens = context.tree().tokens().filter(|token| !token.kind().is_trivia());
    tokens.take_while(|token| token.range().end() <= offset).last()
}

/// The offset is in or at a text.
fn string<'a>(place: &CompletionPlace<'a>, token: Token<'a>) -> PlaceKind<'a> {
    use SyntaxKind as K;
    let is_inside = token.range().start() < place.offset && place.offset < token.range().end()
        || !(token.text().len() > 1 && token.text().ends_with('\''));
    let mut nodes = place.nodes.iter().rev().copied();
    let Some(text) = nodes.next() else { return PlaceKind::Nothing };
    let Some(holder) = nodes.next() else { return PlaceKind::Nothing };
    match holder.kind() {
        K::Resource if is_path_of(holder, text) => PlaceKind::ResourceType(Some(text), nested_in(holder)),
        K::TypeArgument | K::ResourceType => PlaceKind::ResourceType(Some(text), None),
        K::Module | K::Test if is_path_of(holder, text) => PlaceKind::FilePath(holder, Some(text)),
        K::Using | K::Extends | K::FromClause => PlaceKind::FilePath(holder, Some(text)),
        K::Index if is_inside => PlaceKind::Index(holder),
        K::Property if is_inside && holder.first_token() != text.first_token() => value_at(text),
        K::Argument | K::ArrayItem | K::ParamAssignment if is_inside => value_at(text),
        _ => PlaceKind::Nothing,
    }
}

fn is_path_of(statement: Node<'_>, text: Node<'_>) -> bool {
    statement.children().find(|it| matches!(it.kind(), SyntaxKind::Str | SyntaxKind::Skipped)) == Some(text)
}

/// The resource that a resource is nested in.
fn nested_in(resource: Node<'_>) -> Option<Node<'_>> {
    ast::Resource::cast(resource)?.parent_resource().map(ast::Resource::syntax)
}

/// The offset is behind a sign or a blank, or at the start of a line.
fn behind<'a>(
    context: &FileContext<'a>,
    place: &mut CompletionPlace<'a>,
    tokens: &Surroundings<'a>,
) -> PlaceKind<'a> {
    use SyntaxKind as K;
    let Some(token) = tokens.left.filter(|token| token.kind() != K::NewLine) else {
        return line(place, tokens);
    };
    let is_text = matches!(token.kind(), K::StringLeft | K::StringMiddle);
    if is_text && token.range().end() > place.offset {
        return PlaceKind::Nothing;
    }
    let owners = enclosing(context.tree(), token.range().start());
    let mut kind = after(context, token, &owners, place.offset);
    if kind == PlaceKind::Nothing
        && let Some(path) = unquoted_path(context, place, &owners)
    {
        kind = path;
    }
    let is_list = matches!(token.kind(), K::LeftBrace | K::Comma | K::LeftSquare)
        && matches!(
            kind,
            PlaceKind::PropertyName { .. } | PlaceKind::Value(ValueSlot::Item(_)) | PlaceKind::ImportItem(_)
        );
    let fits = match kind {
        _ if is_list => tokens.can_insert(),
        PlaceKind::Follower(_) => tokens.right.is_none_or(|token| {
            matches!(token.kind(), K::NewLine | K::EndOfFile | K::Assign | K::LeftBrace | K::Identifier)
        }),
        PlaceKind::Member(_)
        | PlaceKind::TypeMember(_)
        | PlaceKind::NestedResource(_)
        | PlaceKind::Decorator(_) => true,
        PlaceKind::Configuration(_) => tokens.right.is_none_or(|token| token.kind() != K::LeftBrace),
        PlaceKind::Value(_)
            if matches!(owners.last().map(|it| it.kind()), Some(K::Binary | K::Unary | K::Ternary)) =>
        {
            tokens.has_room()
        }
        _ => tokens.is_at_left() || tokens.has_room(),
    };
    if !fits {
        return PlaceKind::Nothing;
    }
    place.nodes = owners;
    // What is missing has a scope of its own, too: the body of a function knows the arguments.
    if let PlaceKind::Value(ValueSlot::Node(node)) = kind
        && node.parent().is_some_and(|parent| place.nodes.last() == Some(&parent))
    {
        place.nodes.push(node);
    }
    kind
}

/// A string without an end is no path for the parser, but will be one.
fn unfinished_path<'a>(
    context: &FileContext<'a>,
    place: &CompletionPlace<'a>,
    token: Token<'a>,
) -> PlaceKind<'a> {
    let skipped = place.nodes.last().filter(|node| node.kind() == SyntaxKind::Skipped);
    let before = previous_token(context, token.range().start());
    let (Some(skipped), Some(before)) = (skipped, before) else { return PlaceKind::Nothing };
    let is_keyword = matches!(before.text(), "using" | "extends" | "from");
    match is_keyword && place.offset > token.range().start() {
        true => PlaceKind::FilePath(before_owner(context, before).unwrap_or(*skipped), Some(*skipped)),
        false => PlaceKind::Nothing,
    }
}

fn before_owner<'a>(context: &FileContext<'a>, token: Token<'a>) -> Option<Node<'a>> {
    enclosing(context.tree(), token.range().start()).into_iter().next_back()
}

/// Signs where a path in quotes is expected are the start of one.
fn unquoted_path<'a>(
    context: &FileContext<'a>,
    place: &mut CompletionPlace<'a>,
    owners: &[Node<'a>],
) -> Option<PlaceKind<'a>> {
    let skipped = owners.last().filter(|node| node.kind() == SyntaxKind::Skipped)?;
    let before = previous_token(context, skipped.range().start())?;
    let nodes = enclosing(context.tree(), before.range().start());
    let kind = after(context, before, &nodes, place.offset);
    matches!(kind, PlaceKind::FilePath(..)).then_some(())?;
    place.replaced = skipped.range();
    Some(kind)
}

/// What can stand behind a token.
fn after<'a>(
    context: &FileContext<'a>,
    token: Token<'a>,
    owners: &[Node<'a>],
    offset: TextSize,
) -> PlaceKind<'a> {
    use SyntaxKind as K;
    let Some(owner) = owners.iter().rev().find(|node| node.kind() != K::Name).copied() else {
        return PlaceKind::Nothing;
    };
    let last = |kind: K| owner.children().rfind(|it| it.kind() != kind);
    let slot = |node: Option<Node<'a>>| PlaceKind::Value(node.map_or(ValueSlot::Free, ValueSlot::Node));
    match (token.kind(), owner.kind()) {
        (K::LeftBrace | K::Comma, K::Object) => PlaceKind::PropertyName { object: owner, is_new: true },
        (K::LeftBrace | K::Comma, K::ImportList) => PlaceKind::ImportItem(owner),
        (K::LeftSquare | K::Comma, K::Array) => PlaceKind::Value(ValueSlot::Item(owner)),
        (K::LeftSquare | K::Question | K::Hat, K::Index) => PlaceKind::Index(owner),
        (K::LeftSquare, K::TypeIndex | K::TypeItemsAccess | K::ArrayType) => PlaceKind::TypeIndex(owner),
        (K::Dot, K::MethodCall) if owner.parent().is_some_and(|it| it.kind() == K::Decorator) => {
            PlaceKind::Value(ValueSlot::Free)
        }
        (K::Dot | K::Question, K::PropertyAccess | K::MethodCall) => PlaceKind::Member(owner),
        (K::DoubleColon, K::ResourceAccess) => PlaceKind::NestedResource(owner),
        (K::Dot, K::TypePropertyAccess | K::TypeAdditionalAccess) => PlaceKind::TypeMember(owner),
        (K::At, K::Decorator) => owner.parent().map_or(PlaceKind::Nothing, PlaceKind::Decorator),
        (K::LeftParen | K::Comma, K::Call | K::MethodCall) => argument(owner, offset),
        (K::LeftParen, K::Paren) if is_condition(owner) => PlaceKind::Value(ValueSlot::Free),
        (K::LeftParen, K::Paren) => slot(owner.children().next().or(Some(owner))),
        (K::Colon, K::Property) => slot(ast::Property::cast(owner).map(|it| it.value().syntax())),
        (K::Question | K::Colon, K::Ternary) => branch(owner, token),
        (K::Colon, K::For) => loop_body(owner),
        (K::Colon, K::ObjectTypeProperty | K::ObjectTypeAdditional)
        | (K::Assign, K::TypeDeclaration)
        | (K::RightParen, K::TypedVarBlock | K::TypedLambda)
        | (K::Pipe, K::Skipped) => PlaceKind::Type,
        // What could not be read among the items of a list may become one.
        (K::LeftParen | K::Question | K::Colon | K::Comma, K::Skipped)
            if owner.parent().is_some_and(|it| it.kind() == K::Array) =>
        {
            PlaceKind::Value(owner.parent().map_or(ValueSlot::Free, ValueSlot::Item))
        }
        (K::Assign, K::ParamDefault | K::Param | K::ParamAssignment | K::Var | K::Output | K::Assert) => {
            slot(last(K::Decorator))
        }
        (K::Assign, K::TargetScope) => PlaceKind::Scope,
        (K::Assign, K::Resource | K::Module | K::Test) => PlaceKind::Body(owner),
        (K::Arrow, K::Lambda | K::TypedLambda) => slot(owner.children().last()),
        (K::Less | K::Comma, K::GenericType | K::MemberGenericType) => type_argument(owner),
        (K::Pipe, K::UnionType) => PlaceKind::UnionMember(owner),
        (K::Ellipsis, K::Spread) => slot(owner.children().next()),
        (K::StringLeft | K::StringMiddle, K::Str) => PlaceKind::Value(ValueSlot::Free),
        (K::Star, _) => PlaceKind::Follower(&[Follower::As]),
        (K::RightBrace, K::ImportList) => PlaceKind::Follower(&[Follower::From]),
        (_, K::Binary | K::Unary) if is_operator(token.kind()) => PlaceKind::Value(ValueSlot::Free),
        _ => behind_word(context, token, owners, owner),
    }
}

fn is_operator(kind: SyntaxKind) -> bool {
    use SyntaxKind as K;
    !matches!(kind, K::Identifier | K::StringComplete | K::StringRight | K::Integer | K::NewLine)
}

fn is_condition(paren: Node<'_>) -> bool {
    paren.parent().is_some_and(|it| it.kind() == SyntaxKind::If)
}

fn branch<'a>(ternary: Node<'a>, token: Token<'a>) -> PlaceKind<'a> {
    let view = ast::Ternary::cast(ternary);
    let node = view.map(|view| match token.kind() {
        SyntaxKind::Question => view.if_true().syntax(),
        _ => view.if_false().syntax(),
    });
    PlaceKind::Value(node.map_or(ValueSlot::Free, ValueSlot::Node))
}

fn argument<'a>(call: Node<'a>, offset: TextSize) -> PlaceKind<'a> {
    let commas = call.tokens().filter(|it| it.kind() == SyntaxKind::Comma && it.range().end() <= offset);
    PlaceKind::Value(ValueSlot::Argument(call, commas.count()))
}

fn loop_body(each: Node<'_>) -> PlaceKind<'_> {
    let statement = each.parent().filter(|it| matches!(it.kind(), SyntaxKind::Resource | SyntaxKind::Module));
    match (statement, ast::For::cast(each)) {
        (Some(statement), _) => PlaceKind::LoopBody(statement),
        (None, Some(view)) => PlaceKind::Value(ValueSlot::Node(view.body().syntax())),
        (None, None) => PlaceKind::Nothing,
    }
}

/// The argument of a type: a resource type where it wants one.
fn type_argument(generic: Node<'_>) -> PlaceKind<'_> {
    let name = generic.children().filter_map(ast::Name::cast).next_back().and_then(ast::Name::text);
    match name {
        Some("resourceInput" | "resourceOutput" | "resource") => PlaceKind::ResourceType(None, None),
        _ => PlaceKind::Type,
    }
}

/// What can stand behind a word, a text or the end of a type.
fn behind_word<'a>(
    context: &FileContext<'a>,
    token: Token<'a>,
    owners: &[Node<'a>],
    owner: Node<'a>,
) -> PlaceKind<'a> {
    use SyntaxKind as K;
    let is_name = owners.last().is_some_and(|node| node.kind() == K::Name);
    let is_assigned = |node: Node<'_>| node.token(K::Assign).is_some();
    match owner.kind() {
        K::For if token.text() == "in" => PlaceKind::Value(ValueSlot::Free),
        K::Param if is_name && context.bicep.dialect == Dialect::Bicep => PlaceKind::Type,
        K::Var | K::Output | K::TypedLocalVar if is_name => PlaceKind::Type,
        K::Resource if is_name => PlaceKind::ResourceType(None, nested_in(owner)),
        K::Module | K::Test if is_name => PlaceKind::FilePath(owner, None),
        K::Resource if token.text() == "existing" && !is_assigned(owner) => {
            PlaceKind::Follower(&[Follower::Assign])
        }
        K::Using | K::Extends if !is_name && token.kind() == K::Identifier => {
            PlaceKind::FilePath(owner, None)
        }
        K::Import if token.text() == "import" => PlaceKind::ImportForm,
        K::FromClause | K::Import | K::Skipped if token.text() == "from" => PlaceKind::FilePath(owner, None),
        K::WildcardImport | K::AsClause if is_name => PlaceKind::Follower(&[Follower::From]),
        K::ParamAssignment if !is_name => PlaceKind::ParameterName,
        K::Param if !is_name && context.bicep.dialect == Dialect::Params => PlaceKind::ParameterName,
        K::ExtensionConfig if !is_name => PlaceKind::ExtensionName,
        K::ExtensionConfig => PlaceKind::Follower(&[Follower::With]),
        K::WithClause if token.text() == "with" => PlaceKind::Configuration(owner),
        K::Extension if token.text() == "extension" => PlaceKind::ExtensionSpecification,
        K::Extension if is_name => PlaceKind::Follower(&[Follower::With, Follower::As]),
        K::Str => behind_path(owner, context.bicep.config.has(config::Feature::DeployCommands)),
        K::Object if token.kind() == K::RightBrace => match owner.parent().and_then(Node::parent) {
            Some(extension) if extension.kind() == K::Extension => PlaceKind::Follower(&[Follower::As]),
            _ => PlaceKind::Nothing,
        },
        _ => behind_type(token, owners),
    }
}

/// What follows the path or the type of a declaration.
fn behind_path(text: Node<'_>, takes_with: bool) -> PlaceKind<'_> {
    use SyntaxKind as K;
    let Some(statement) = text.parent() else { return PlaceKind::Nothing };
    let is_assigned = statement.token(K::Assign).is_some();
    match statement.kind() {
        K::Resource if !is_path_of(statement, text) => PlaceKind::Nothing,
        K::Resource if is_assigned => PlaceKind::Follower(&[Follower::Existing]),
        K::Resource => PlaceKind::Follower(&[Follower::Existing, Follower::Assign]),
        K::Module | K::Test if !is_assigned && is_path_of(statement, text) => {
            PlaceKind::Follower(&[Follower::Assign])
        }
        K::Using if takes_with && statement.child(K::WithClause).is_none() => {
            PlaceKind::Follower(&[Follower::With])
        }
        K::Extension => PlaceKind::Follower(&[Follower::With, Follower::As]),
        _ => PlaceKind::Nothing,
    }
}

/// The type of an output is followed by its value.
fn behind_type<'a>(token: Token<'a>, owners: &[Node<'a>]) -> PlaceKind<'a> {
    use SyntaxKind as K;
    let output = owners.iter().rev().find(|node| node.kind() == K::Output);
    let Some(output) = output.and_then(|node| ast::Output::cast(*node)) else { return PlaceKind::Nothing };
    let ty = output.ty().syntax();
    let is_end = ty.kind() != K::Skipped && ty.last_token() == Some(token);
    match is_end && output.syntax().token(K::Assign).is_none() {
        true => PlaceKind::Follower(&[Follower::Assign]),
        false => PlaceKind::Nothing,
    }
}

/// The offset is on a line with nothing before it.
fn line<'a>(place: &CompletionPlace<'a>, tokens: &Surroundings<'a>) -> PlaceKind<'a> {
    use SyntaxKind as K;
    if !tokens.can_insert() {
        return PlaceKind::Nothing;
    }
    match place.nodes.last().copied() {
        Some(node) if node.kind() == K::File => PlaceKind::Statement,
        Some(node) if node.kind() == K::Object => PlaceKind::PropertyName { object: node, is_new: true },
        Some(node) if node.kind() == K::Array => PlaceKind::Value(ValueSlot::Item(node)),
        Some(node) if node.kind() == K::ImportList => PlaceKind::ImportItem(node),
        Some(node) if matches!(node.kind(), K::Call | K::MethodCall) => argument(node, place.offset),
        Some(node) if node.kind() == K::Paren && !is_condition(node) => {
            PlaceKind::Value(node.children().next().map_or(ValueSlot::Free, ValueSlot::Node))
        }
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
