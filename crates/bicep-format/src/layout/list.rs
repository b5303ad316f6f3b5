//! Lists between brackets: each item on its own line, or all on one line.

use bicep_syntax::{Element, Node, NodeId, SyntaxKind::*, Token};

use super::Layout;
use super::trivia::leading_comments;
use crate::doc::{EmptyLines, Frame, Mark};

/// How a list looks.
#[derive(Debug, Clone, Copy)]
struct Style {
    /// What separates items on one line.
    separator: &'static str,
    /// What stands behind the opening and before the closing bracket on one line.
    padding: &'static str,
    commas: Commas,
    /// Lines must break.
    is_broken: bool,
    /// Whether a single item stays next to the brackets.
    hugs_single: bool,
    /// Whether the items are parts of one.
    is_joined: bool,
    /// Whether it stays on one line however long it is.
    is_flat: bool,
}

/// Where commas stand.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Commas {
    /// Between items on one line; line ends take their place.
    InFlatLists,
    /// Behind every item but the last.
    Always,
}

impl Style {
    const ARRAY: Self = Self {
        separator: ", ",
        padding: "",
        commas: Commas::InFlatLists,
        is_broken: false,
        hugs_single: false,
        is_joined: false,
        is_flat: false,
    };
    const OBJECT: Self = Self { padding: " ", ..Self::ARRAY };
    const NAMES: Self = Self { separator: " ", commas: Commas::Always, ..Self::ARRAY };
    const ARGUMENTS: Self = Self { hugs_single: true, ..Self::NAMES };
    const LOOP: Self = Self { separator: "", is_joined: true, ..Self::ARRAY };

    fn of(node: Node<'_>) -> Self {
        let has = |kinds: &[_]| node.children().any(|child| kinds.contains(&child.kind()));
        let begins_below = node.elements().nth(1).is_some_and(|element| element.kind() == NewLine);
        match node.kind() {
            Array => Self { is_broken: begins_below && has(&[ArrayItem]), ..Self::ARRAY },
            Object => Self { is_broken: begins_below && has(&[Property]), ..Self::OBJECT },
            ImportList => Self { is_broken: begins_below && has(&[ImportItem]), ..Self::OBJECT },
            ObjectType => {
                let is_broken = begins_below && has(&[ObjectTypeProperty, ObjectTypeAdditional]);
                Self { is_broken, ..Self::OBJECT }
            }
            For => Self::LOOP,
            VarBlock => {
                let is_flat = node.parent().is_some_and(|parent| parent.kind() == For);
                Self { is_flat, ..Self::NAMES }
            }
            TypedVarBlock => Self::NAMES,
            _ => Self::ARRAY,
        }
    }
}

/// A list while its items go by.
struct List {
    style: Style,
    group: Mark,
    /// The frame and the line break before the first item.
    inside: Option<(Mark, Mark)>,
    items: usize,
    /// Since the last item.
    empty_lines: EmptyLines,
    /// How many parts of the item, if the next one belongs to it, too.
    parts: usize,
    is_broken: bool,
    /// The last argument: behind those before it stands a comma.
    last_argument: Option<NodeId>,
}

impl<'t> Layout<'t> {
    /// A node that is a list from its first to its last token.
    pub(super) fn list_node(&mut self, node: Node<'t>) {
        let (group, is_empty) = self.list(Style::of(node), node, 0);
        if self.tail == Some(node.id()) && (is_empty || self.doc.has_breaks_since(group)) {
            self.end_call_with(group);
        }
    }

    /// Makes what a group holds the end of the call around it.
    pub(super) fn end_call_with(&mut self, group: Mark) {
        if !self.doc.must_end_line() {
            self.doc.end_call_with(group);
        }
    }

    /// `f(…)`, `a.f(…)`
    ///
    /// An array or an object that ends a call may be broken while the rest of the call stays on one line.
    pub(super) fn call(&mut self, node: Node<'t>) {
        let mut count = 0;
        for element in node.elements().take_while(|element| element.kind() != LeftParen) {
            self.element(element);
            count += 1;
        }
        let mut arguments = node.children().filter(|child| child.kind() == Argument);
        let tail = arguments.next_back().filter(|_| arguments.next().is_some()).and_then(literal_at_end);
        let outer = std::mem::replace(&mut self.tail, tail.map(Node::id));
        self.list(Style::ARGUMENTS, node, count);
        self.tail = outer;
    }

    /// `name<…>`, `a.name<…>`
    pub(super) fn generic(&mut self, node: Node<'t>) {
        let mut count = 0;
        for element in node.elements().take_while(|element| element.kind() != Less) {
            self.element(element);
            count += 1;
        }
        let begins_below = node.elements().nth(count + 1).is_some_and(|element| element.kind() == NewLine);
        let is_broken = begins_below && node.child(TypeArgument).is_some();
        self.list(Style { is_broken, is_flat: true, ..Style::NAMES }, node, count);
    }

    /// A list from its opening bracket, which stands behind so many elements, to its closing one. Gives back its
    /// group and whether it is empty.
    fn list(&mut self, style: Style, node: Node<'t>, open_at: usize) -> (Mark, bool) {
        let mut elements = node.elements().skip(open_at);
        let open = elements.next().and_then(Element::token);
        let close = elements.next_back();
        let group = self.doc.open_group();
        let (Some(open), Some(close)) = (open, close) else {
            self.is_stuck = true;
            return (group, true);
        };
        // Commas of their own are only put into what could not be parsed.
        let last_argument = match self.is_broken {
            true => node.children().rev().find(|it| is_argument(*it)),
            false => None,
        };
        self.token(open);
        let is_broken = style.is_broken;
        let mut list = List {
            style,
            group,
            inside: None,
            items: 0,
            empty_lines: EmptyLines::default(),
            parts: 0,
            is_broken,
            last_argument: last_argument.map(Node::id),
        };
        elements.for_each(|element| self.list_element(&mut list, element));
        self.end_list(&mut list, close);
        (group, list.items == 0)
    }

    fn list_element(&mut self, list: &mut List, element: Element<'t>) {
        match element {
            Element::Token(token) if token.kind() == NewLine => {
                if token.has_comment_before() {
                    self.begin_item(list);
                    self.comments(token);
                    list.is_broken = true;
                }
                list.empty_lines.add(token.text());
                list.parts = 0;
            }
            Element::Token(token) if token.kind() == Comma => self.comma(list, token),
            Element::Node(node) if node.kind() == MissingDeclaration => {
                node.elements().for_each(|element| self.list_element(list, element));
                list.is_broken = true;
            }
            element => {
                if list.parts == 0 {
                    self.begin_item(list);
                } else if list.parts != COLON_OF_LOOP {
                    self.doc.space();
                }
                list.parts += usize::from(list.style.is_joined);
                self.element(element);
                let needs_comma = self.is_broken
                    && list.style.commas == Commas::Always
                    && element
                        .node()
                        .is_some_and(|it| is_argument(it) && list.last_argument != Some(it.id()));
                if needs_comma {
                    self.doc.text(",");
                }
            }
        }
    }

    fn comma(&mut self, list: &List, token: Token<'t>) {
        // A comma cannot be put behind a comment that ends its line, and one in a list that has none when it is
        // broken cannot carry comments.
        self.is_stuck |= token.has_comment_before() || self.doc.must_end_line();
        if !self.is_broken && list.style.commas == Commas::Always && !ends_list(token) {
            self.doc.text(",");
        }
    }

    fn begin_item(&mut self, list: &mut List) {
        if list.items == 0 {
            let frame = self.doc.open(Frame::Indent);
            list.inside = Some((frame, self.doc.mark()));
            self.doc.line(list.style.padding);
        } else {
            self.doc.line(list.style.separator);
            (0..list.empty_lines.take()).for_each(|_| self.doc.hard_line());
        }
        list.items += 1;
        list.empty_lines.take();
    }

    fn end_list(&mut self, list: &mut List, close: Element<'t>) {
        for comment in close.token().into_iter().flat_map(leading_comments) {
            list.empty_lines.take();
            self.begin_item(list);
            self.comment(comment);
            list.is_broken = true;
        }
        let hugs = list.style.hugs_single && list.items == 1 && !self.doc.must_end_line();
        if let Some((frame, line)) = list.inside {
            if hugs {
                self.doc.remove(frame);
                self.doc.remove(line);
            } else {
                if list.is_broken {
                    self.doc.force_break();
                }
                self.doc.close();
                self.doc.line(list.style.padding);
            }
        }
        match close {
            Element::Token(close) => {
                self.text_of(close);
                self.comments_behind(close);
            }
            Element::Node(close) => self.node(close),
        }
        match hugs {
            true => self.doc.close_without_group(list.group),
            false if list.style.is_flat => self.doc.close_flat_group(list.group),
            false => self.doc.close_group(list.group),
        }
    }
}

/// Where the colon stands among the parts of a loop, or what stands in its place.
const COLON_OF_LOOP: usize = 4;

fn is_argument(node: Node<'_>) -> bool {
    matches!(node.kind(), Argument | LocalVar | TypedLocalVar | TypeArgument)
}

/// Whether nothing but line ends stands between a comma and the closing bracket.
fn ends_list(comma: Token<'_>) -> bool {
    std::iter::successors(comma.next(), |token| token.next())
        .find(|token| token.kind() != NewLine)
        .is_some_and(|token| matches!(token.kind(), RightParen | Greater))
}

/// The array or object that ends an argument: itself, or the body of a lambda.
fn literal_at_end(argument: Node<'_>) -> Option<Node<'_>> {
    let value = argument.children().next()?;
    let literal = match value.kind() {
        Lambda => value.children().next_back()?,
        _ => value,
    };
    matches!(literal.kind(), Array | Object).then_some(literal)
}
