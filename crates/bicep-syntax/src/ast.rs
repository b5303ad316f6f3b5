//! Typed views over the tree. A view is a [`Node`] whose kind is known; making one costs nothing.
//!
//! Views are total: where something is missing or could not be read, the part is [`Expr::Skipped`],
//! [`TypeExpr::Skipped`] or a [`Name`] without text.

mod expressions;
mod statements;
mod types;

use crate::kind::nodes;
use crate::tree::{Element, Node, Token};
use crate::{SyntaxKind, Tree};

macro_rules! views {
    (viewed { $($(#[$viewed_doc:meta])* $viewed:ident,)* }
     unviewed { $($(#[$unviewed_doc:meta])* $unviewed:ident,)* }
     $(
        $(#[$group_doc:meta])* $group:ident { $($(#[$node_doc:meta])* $node:ident,)* }
        with { $($(#[$part_doc:meta])* $part:ident,)* }
     )*) => {
        $(view! { $(#[$viewed_doc])* $viewed })*
        $(
            view_enum! { $(#[$group_doc])* $group { $($(#[$node_doc])* $node,)* } }
            $(view! { $(#[$node_doc])* $node })*
            $(view! { $(#[$part_doc])* $part })*
        )*
    };
}

/// Declares the view of one kind of node.
macro_rules! view {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $name<'t>(Node<'t>);

        impl<'t> $name<'t> {
            /// The view of a node, if it is of this kind.
            #[inline]
            pub fn cast(node: Node<'t>) -> Option<Self> {
                (node.kind() == SyntaxKind::$name).then_some(Self(node))
            }

            /// The node.
            #[inline]
            pub fn syntax(self) -> Node<'t> {
                self.0
            }

            #[inline]
            pub fn range(self) -> base::TextRange {
                self.0.range()
            }
        }
    };
}

/// Declares an enum over views: one variant for each, and one for what could not be read.
macro_rules! view_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name<'t> {
            $($(#[$variant_doc])* $variant($variant<'t>),)*
            /// Something missing, or text that could not be understood.
            Skipped(Node<'t>),
        }

        impl<'t> $name<'t> {
            /// The view of any node; one that is nothing of this sort counts as skipped.
            #[inline]
            pub fn of(node: Node<'t>) -> Self {
                match node.kind() {
                    $(SyntaxKind::$variant => Self::$variant($variant(node)),)*
                    _ => Self::Skipped(node),
                }
            }

            /// The view of a node, if it is of this sort.
            #[inline]
            pub fn cast(node: Node<'t>) -> Option<Self> {
                match Self::of(node) {
                    Self::Skipped(_) => None,
                    view => Some(view),
                }
            }

            /// The node.
            #[inline]
            pub fn syntax(self) -> Node<'t> {
                match self {
                    $(Self::$variant(view) => view.0,)*
                    Self::Skipped(node) => node,
                }
            }

            #[inline]
            pub fn range(self) -> base::TextRange {
                self.syntax().range()
            }
        }
    };
}

nodes! { views }

impl Tree {
    /// The view of the whole file.
    pub fn file(&self) -> File<'_> {
        File(self.root())
    }
}

impl<'t> File<'t> {
    /// Its statements, without text that could not be understood.
    pub fn statements(self) -> impl Iterator<Item = Statement<'t>> {
        self.0.children().filter_map(Statement::cast)
    }
}

impl<'t> Name<'t> {
    /// The name, if there is one.
    #[inline]
    pub fn text(self) -> Option<&'t str> {
        // Nothing else is in it.
        self.token().map(|_| self.0.text())
    }

    /// Its token, if there is one.
    #[inline]
    pub fn token(self) -> Option<Token<'t>> {
        // It has nothing else in it.
        self.0.elements().next()?.token().filter(|token| token.kind() == SyntaxKind::Identifier)
    }

    /// The name, or what stands in its place as messages show it.
    pub fn display(self) -> &'t str {
        match self.text() {
            Some(text) => text,
            None if self.range().is_empty() => "<missing>",
            None => "<error>",
        }
    }
}

impl<'t> Decorator<'t> {
    /// What stands behind the `@`: a call, or something else where a mistake was made.
    pub fn expression(self) -> Expr<'t> {
        expr_at(self.0, 1)
    }
}

/// The parts of a node by position, without line ends. A part that could not be read is in its place as a skipped
/// node, so positions hold in broken files too.
fn parts(node: Node<'_>) -> impl Iterator<Item = Element<'_>> {
    node.elements().filter(|element| element.token().is_none_or(|token| token.kind() != SyntaxKind::NewLine))
}

/// The part at a position, if it is a node.
#[inline]
fn node_at(node: Node<'_>, position: usize) -> Option<Node<'_>> {
    // No node begins with a line end.
    match position {
        0 => node.elements().next().and_then(Element::node),
        _ => parts(node).nth(position).and_then(Element::node),
    }
}

/// The part at a position as an expression. Where there is none, the node itself counts as skipped.
fn expr_at(node: Node<'_>, position: usize) -> Expr<'_> {
    node_at(node, position).map_or(Expr::Skipped(node), Expr::of)
}

fn type_at(node: Node<'_>, position: usize) -> TypeExpr<'_> {
    node_at(node, position).map_or(TypeExpr::Skipped(node), TypeExpr::of)
}

/// The decorators of a declaration, in order.
fn decorators(node: Node<'_>) -> impl DoubleEndedIterator<Item = Decorator<'_>> {
    node.children().filter_map(Decorator::cast)
}

fn name_of(node: Node<'_>) -> Option<Name<'_>> {
    node.children().find_map(Name::cast)
}
