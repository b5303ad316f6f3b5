//! Nodes to documents: what stands next to what, and where a line may break.

mod list;
mod trivia;

use bicep_syntax::{Element, Node, NodeId, SyntaxKind, SyntaxKind::*, Token};

use crate::doc::{Doc, EmptyLines, Frame, Mark};

/// Words that the body of a lambda may begin with only on the line of the arrow.
const NOT_BELOW_ARROW: [&str; 9] =
    ["assert", "import", "metadata", "module", "output", "param", "resource", "type", "var"];

/// Turns nodes into a document.
pub(crate) struct Layout<'t> {
    pub(crate) doc: Doc<'t>,
    /// The array or object at the end of the call that is being laid out.
    tail: Option<NodeId>,
    /// Something stands where it cannot be laid out without changing what it means.
    is_stuck: bool,
    /// Whether what could not be parsed is laid out, too.
    is_broken: bool,
}

impl<'t> Layout<'t> {
    pub(crate) fn new(newline_width: usize) -> Self {
        Self { doc: Doc::new(newline_width), tail: None, is_stuck: false, is_broken: false }
    }

    /// Forgets the document, to begin another.
    pub(crate) fn clear(&mut self) {
        self.doc.clear();
        self.tail = None;
        self.is_stuck = false;
        self.is_broken = false;
    }

    /// Lays out a statement or a decorator. Says whether that went well; if not, the document is of no use.
    pub(crate) fn statement(&mut self, node: Node<'t>) -> bool {
        self.clear();
        self.node(node);
        !self.is_stuck
    }

    /// Lays out a decorator or a statement with mistakes in it, the way the reference does: an argument that goes on over the
    /// statements below it gets commas between all of its words.
    pub(crate) fn broken(&mut self, node: Node<'t>) -> bool {
        self.clear();
        self.is_broken = true;
        self.node(node);
        !self.is_stuck
    }

    fn node(&mut self, node: Node<'t>) {
        let kind = node.kind();
        if kind.is_atom() || kind == VarAccess {
            // Most nodes are just a name or a literal.
            return node.elements().for_each(|element| self.element(element));
        }
        // The depth of a tree is bounded, but not by what fits on any stack.
        base::recurse(|| self.node_here(node));
    }

    fn node_here(&mut self, node: Node<'t>) {
        match node.kind() {
            Str | StringType => self.string(node),
            Skipped => self.skipped(node, &[Element::Node(node)]),
            Paren if self.is_broken => self.broken_paren(node),
            Array | Object | ObjectType | TupleType | ImportList | VarBlock | TypedVarBlock | For => {
                self.list_node(node);
            }
            Call | MethodCall => self.call(node),
            GenericType | MemberGenericType => self.generic(node),
            Ternary => self.ternary(node),
            UnionType => self.union(node),
            Lambda => self.lambda(node),
            TypedLambda => self.typed_lambda(node),
            _ => self.declaration(node),
        }
    }

    fn element(&mut self, element: Element<'t>) {
        match element {
            Element::Node(node) => self.node(node),
            Element::Token(token) => self.token(token),
        }
    }

    /// Any node whose parts stand on one line, with its decorators above it.
    fn declaration(&mut self, node: Node<'t>) {
        let mut elements = node.elements().peekable();
        if elements.peek().is_some_and(|element| element.kind() == Decorator) {
            let mut empty_lines = EmptyLines::default();
            while let Some(element) =
                elements.next_if(|element| matches!(element.kind(), Decorator | NewLine))
            {
                self.decorator_or_line_end(element, node.kind() == TupleTypeItem, &mut empty_lines);
            }
            (0..empty_lines.take()).for_each(|_| self.doc.hard_line());
        }
        let mut position = 0;
        while let Some(element) = elements.next() {
            if position > 0 && is_spaced(node.kind(), element.kind(), position) {
                self.doc.space();
            }
            position += 1;
            if element.kind() == AsClause && node.kind() == Extension && node.child(WithClause).is_none() {
                // The place of the configuration that is not there has its own space, as in the reference.
                self.doc.space();
            }
            if element.kind() != NewLine {
                self.element(element);
                continue;
            }
            let mut line_ends: Vec<_> = element.token().into_iter().collect();
            line_ends.extend(std::iter::from_fn(|| elements.next_if(|next| next.kind() == NewLine)?.token()));
            match elements.next() {
                Some(body) if body.kind() == If => self.body_below(&line_ends, body),
                _ => self.is_stuck = true,
            }
        }
    }

    /// Parts of a node that could not be parsed, with their comments, in a statement that is laid out all the same.
    fn skipped(&mut self, node: Node<'t>, elements: &[Element<'t>]) {
        self.is_stuck |= !self.is_broken;
        let first = elements.iter().find_map(|element| match element {
            Element::Node(node) => node.first_token(),
            Element::Token(token) => Some(*token),
        });
        let last = elements.iter().rev().find_map(|element| match element {
            Element::Node(node) => node.last_token(),
            Element::Token(token) => Some(*token),
        });
        let Some((first, last)) = first.zip(last) else { return self.doc.text("") };
        let start = first.leading_trivia().next().unwrap_or(first).range().start();
        let end = last.trailing_trivia().last().unwrap_or(last).range().end();
        let text = node.tree().text().get(usize::from(start)..usize::from(end)).unwrap_or_default();
        self.doc.text(text.trim());
    }

    /// `(…)` with any number of expressions in it. Unless it is just one, they are text.
    fn broken_paren(&mut self, node: Node<'t>) {
        let elements: Vec<_> = node.elements().collect();
        match elements.as_slice() {
            [open, only @ Element::Node(_), close] => {
                self.element(*open);
                self.element(*only);
                self.element(*close);
            }
            [open, inside @ .., close] => {
                self.element(*open);
                self.skipped(node, inside);
                self.element(*close);
            }
            _ => self.is_stuck = true,
        }
    }

    fn decorator_or_line_end(
        &mut self,
        element: Element<'t>,
        is_in_tuple: bool,
        empty_lines: &mut EmptyLines,
    ) {
        match element {
            Element::Node(node) => {
                (0..empty_lines.take()).for_each(|_| self.doc.hard_line());
                self.node(node);
                if is_in_tuple {
                    // A tuple that fits goes on one line, decorators or not. The reference does so, although it
                    // cannot read that again.
                    return self.doc.line(", ");
                }
            }
            Element::Token(token) if token.has_comment_before() => {
                (0..empty_lines.take()).for_each(|_| self.doc.hard_line());
                self.comments(token);
                empty_lines.add_behind_decorator(token.text());
            }
            Element::Token(token) => return empty_lines.add_behind_decorator(token.text()),
        }
        self.doc.hard_line();
    }

    /// Something that may begin on the next line. The line breaks vanish unless there are comments on them.
    fn body_below(&mut self, line_ends: &[Token<'t>], body: Element<'t>) {
        if line_ends.iter().any(|token| token.has_comment_before()) {
            self.rows_below(line_ends, body);
        } else {
            self.element(body);
        }
    }

    fn rows_below(&mut self, line_ends: &[Token<'t>], body: Element<'t>) {
        let tail = self.tail.take();
        let group = self.rows(true, |layout, rows| {
            line_ends.iter().for_each(|token| layout.comment_row(rows, *token));
            layout.row(rows);
            layout.element(body);
        });
        if tail.is_some() && tail == body.node().map(Node::id) {
            self.end_call_with(group);
        }
        self.tail = tail;
    }

    /// `condition ? a : b`: the question mark and the colon begin the lines.
    fn ternary(&mut self, node: Node<'t>) {
        self.rows(false, |layout, rows| {
            let mut position = 0;
            for element in node.elements() {
                if let Some(line_end) = element.token().filter(|token| token.kind() == NewLine) {
                    layout.comment_row(rows, line_end);
                    continue;
                }
                match position {
                    0 => {
                        layout.row(rows);
                        layout.element(element);
                    }
                    // The question mark, and the colon or what stands in its place.
                    1 | 3 => {
                        layout.row(rows);
                        layout.element(element);
                        layout.doc.space();
                    }
                    _ => {
                        layout.doc.open(Frame::Indent);
                        layout.element(element);
                        layout.doc.close();
                    }
                }
                position += 1;
            }
        });
    }

    /// `a | b`: each member on a line of its own with a bar before it, or all on one line.
    fn union(&mut self, node: Node<'t>) {
        let begins_below = may_begin_below(node);
        let mut elements = node.elements().peekable();
        // Between a line end and a bar there is no place for a line of comments, so they stay where they are.
        while let Some(line_end) = elements.next_if(|element| element.kind() == NewLine) {
            if let Some(token) = line_end.token().filter(|token| token.has_comment_before()) {
                self.comments(token);
                self.doc.end_line();
            }
        }
        if !begins_below && node.children().nth(1).is_none() {
            // The bar goes, and with it the union.
            return elements.for_each(|element| match element {
                Element::Token(bar) => self.comments(bar),
                Element::Node(member) => self.node(member),
            });
        }
        self.rows(begins_below, |layout, rows| {
            let mut bar = None;
            for element in elements {
                let Element::Node(member) = element else {
                    bar = element.token();
                    continue;
                };
                let is_first = rows.is_first;
                layout.row(rows);
                if let Some(bar) = bar.filter(|bar| bar.has_comment_before()) {
                    layout.comments(bar);
                    layout.doc.space();
                }
                match is_first {
                    true if begins_below => layout.doc.text_if_broken("| "),
                    true => {}
                    false => layout.doc.text("| "),
                }
                layout.node(member);
            }
        });
    }

    /// `x => body`
    fn lambda(&mut self, node: Node<'t>) {
        let (head, body) = split_lambda(node);
        let line_ends: Vec<_> = node.tokens().filter(|token| token.kind() == NewLine).collect();
        for element in head {
            self.element(element);
            self.doc.space();
        }
        let Some(body) = body else { return };
        if stays_on_line(body) {
            self.body_below(&line_ends, body);
        } else {
            self.rows_below(&line_ends, body);
        }
    }

    /// `(x type) type => body` of a function: the arrow stays on the first line.
    fn typed_lambda(&mut self, node: Node<'t>) {
        let (mut head, body) = split_lambda(node);
        let Some(body) = body else { return };
        let line_ends: Vec<_> = node.tokens().filter(|token| token.kind() == NewLine).collect();
        let is_plain = stays_on_line(body) && !line_ends.iter().any(|token| token.has_comment_before());
        let arrow = if is_plain { None } else { head.pop() };
        for element in head {
            self.element(element);
            self.doc.space();
        }
        let Some(arrow) = arrow else { return self.element(body) };
        self.rows(false, |layout, rows| {
            layout.row(rows);
            layout.element(arrow);
            line_ends.iter().for_each(|token| layout.comment_row(rows, *token));
            layout.row(rows);
            layout.element(body);
        });
    }

    /// Rows one below the other and further in than what is around them; on one line if they fit. The first row may
    /// begin below, too.
    fn rows(&mut self, begins_below: bool, content: impl FnOnce(&mut Self, &mut Rows)) -> Mark {
        let group = self.doc.open_group();
        self.doc.open(Frame::Indent);
        if begins_below {
            self.doc.line("");
        }
        content(self, &mut Rows { is_first: true });
        self.doc.close();
        self.doc.close_group(group);
        group
    }

    fn row(&mut self, rows: &mut Rows) {
        if !std::mem::take(&mut rows.is_first) {
            self.doc.line(" ");
        }
    }

    /// A row for the comments before a line end, if there are any.
    fn comment_row(&mut self, rows: &mut Rows, token: Token<'t>) {
        if !token.has_comment_before() {
            return;
        }
        self.row(rows);
        self.doc.force_break();
        self.comments(token);
    }
}

struct Rows {
    is_first: bool,
}

/// The parts of a lambda before its body, without line ends, and the body.
fn split_lambda(node: Node<'_>) -> (Vec<Element<'_>>, Option<Element<'_>>) {
    let mut elements: Vec<_> = node.elements().filter(|element| element.kind() != NewLine).collect();
    let body = elements.pop();
    (elements, body)
}

/// Whether the body of a lambda stays next to the arrow: arrays and objects, and what would be read as the next
/// statement if it began a line.
fn stays_on_line(body: Element<'_>) -> bool {
    match body {
        Element::Node(node) if matches!(node.kind(), Object | Array) => true,
        Element::Node(node) => {
            node.first_token().is_some_and(|first| NOT_BELOW_ARROW.contains(&first.text()))
        }
        Element::Token(_) => false,
    }
}

/// Whether a union may begin on the next line. In a tuple its first bar would go on with the item before; the type of a
/// variable must begin on its line.
fn may_begin_below(union: Node<'_>) -> bool {
    let Some(parent) = union.parent() else { return true };
    match parent.kind() {
        TupleTypeItem => parent.parent().and_then(|tuple| tuple.child(TupleTypeItem)) == Some(parent),
        Var => false,
        _ => true,
    }
}

/// Whether a space stands before a part of a node that is not the first one.
fn is_spaced(node: SyntaxKind, right: SyntaxKind, position: usize) -> bool {
    match node {
        // The colon, or what stands in its place.
        Property | ObjectTypeProperty | ObjectTypeAdditional => position != 1,
        Func => right != TypedLambda,
        Binary | If | AsClause | WithClause | FromClause | ParamDefault | TypedLocalVar | ImportItem
        | WildcardImport | TargetScope | Metadata | Param | ParamAssignment | Var | TypeDeclaration
        | Resource | Module | Test | Output | Assert | Import | Extension | ExtensionConfig | Using
        | Extends => true,
        _ => false,
    }
}
