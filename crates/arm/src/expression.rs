//! The expression language of templates: `[concat(parameters('a'), 'b').c[0]]`.
//!
//! Text goes in, an [`Expr`] with positions comes out of [`parse`]; [`Expr`] prints itself back in the form in which
//! the Bicep compiler writes it. There are no operators: everything is a call, a literal or an access.

mod lexer;
mod parser;
mod print;

use std::sync::Arc;

use base::TextRange;
use smol_str::SmolStr;

pub(crate) use self::parser::check_limits;
pub use self::parser::parse;
use crate::functions::{self, Function};
use crate::value::{Marks, Value};

/// An expression. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct Expr(Arc<Node>);

#[derive(Debug)]
struct Node {
    kind: ExprKind,
    range: TextRange,
    marks: Marks,
}

/// What an expression is.
#[derive(Debug)]
pub enum ExprKind {
    /// A text in single quotes.
    String(Arc<str>),
    /// A whole number.
    Int(i64),
    /// A number with a fraction, as written.
    Float(SmolStr),
    /// A function called with arguments.
    Call(Call),
    /// Parts of a value: `.name` and `[index]`, one after the other.
    Access {
        /// The value; never itself an access.
        base: Expr,
        /// The steps into it; at least one.
        path: Vec<Accessor>,
    },
    /// A value put into an expression by evaluation. The parser does not make it; it prints as the calls that give it.
    Known(Value),
}

/// A function called with arguments.
#[derive(Debug)]
pub struct Call {
    /// The name as written; with a namespace and a dot for user-defined functions.
    pub name: SmolStr,
    /// The built-in function of that name.
    pub(crate) function: Option<&'static Function>,
    /// The arguments.
    pub args: Vec<Expr>,
}

/// One step into a value.
#[derive(Debug, Clone)]
pub enum Accessor {
    /// `.name`
    Property(SmolStr),
    /// `[index]`
    Index(Expr),
}

impl Expr {
    pub(crate) fn new(kind: ExprKind, range: TextRange) -> Self {
        let marks = measure(&kind);
        Self(Arc::new(Node { kind, range, marks }))
    }

    /// The text that it is, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self.kind() {
            ExprKind::String(text) => Some(text),
            ExprKind::Known(value) => value.as_str(),
            _ => None,
        }
    }

    /// A call without a position.
    pub fn call(name: &str, args: Vec<Self>) -> Self {
        let call = Call { name: name.into(), function: functions::find(name), args };
        Self::new(ExprKind::Call(call), TextRange::default())
    }

    /// A whole number without a position.
    pub fn int(value: i64) -> Self {
        Self::new(ExprKind::Int(value), TextRange::default())
    }

    /// A text without a position.
    pub fn string(text: impl Into<Arc<str>>) -> Self {
        Self::new(ExprKind::String(text.into()), TextRange::default())
    }

    /// What gives this value: its own expression if it is unknown.
    pub fn of_value(value: &Value) -> Self {
        match value.as_unknown() {
            Some(unknown) => unknown.expression.clone(),
            None => Self::new(ExprKind::Known(value.clone()), TextRange::default()),
        }
    }

    /// A part of what this expression gives.
    #[must_use]
    pub fn access(&self, accessor: Accessor) -> Self {
        let (base, mut path) = match self.kind() {
            ExprKind::Access { base, path } => (base.clone(), path.clone()),
            _ => (self.clone(), Vec::with_capacity(1)),
        };
        path.push(accessor);
        Self::new(ExprKind::Access { base, path }, self.range())
    }

    /// A part of what this expression gives, several steps into it.
    #[must_use]
    pub fn access_all(self, steps: Vec<Accessor>) -> Self {
        match steps.is_empty() {
            true => self,
            false => Self::new(ExprKind::Access { base: self, path: steps }, TextRange::default()),
        }
    }

    pub fn kind(&self) -> &ExprKind {
        &self.0.kind
    }

    /// Where it stands, counted from the opening bracket of the expression.
    pub fn range(&self) -> TextRange {
        self.0.range
    }

    /// How deeply it is nested.
    pub fn depth(&self) -> u16 {
        self.0.marks.depth
    }

    pub(crate) fn marks(&self) -> Marks {
        self.0.marks
    }

    /// Calls `visit` with this expression and every part of it, outermost first.
    pub fn walk(&self, visit: &mut impl FnMut(&Self)) {
        visit(self);
        match self.kind() {
            ExprKind::Call(call) => call.args.iter().for_each(|arg| arg.walk(visit)),
            ExprKind::Access { base, path } => {
                base.walk(visit);
                for accessor in path {
                    if let Accessor::Index(index) = accessor {
                        index.walk(visit);
                    }
                }
            }
            ExprKind::String(_) | ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Known(_) => {}
        }
    }
}

/// Depth and size of an expression from those of its parts.
fn measure(kind: &ExprKind) -> Marks {
    let mut marks = Marks { size: 8, ..Marks::default() };
    let mut add = |inner: Marks| {
        marks.depth = marks.depth.max(inner.depth);
        marks.size = marks.size.saturating_add(inner.size);
    };
    match kind {
        ExprKind::Call(call) => call.args.iter().for_each(|arg| add(arg.marks())),
        ExprKind::Access { base, path } => {
            add(base.marks());
            for accessor in path {
                match accessor {
                    Accessor::Property(name) => add(Marks { size: name.len() as u64, ..Marks::default() }),
                    Accessor::Index(index) => add(index.marks()),
                }
            }
        }
        ExprKind::Known(value) => add(value.marks()),
        ExprKind::String(text) => add(Marks { size: text.len() as u64, ..Marks::default() }),
        ExprKind::Int(_) | ExprKind::Float(_) => {}
    }
    marks.depth = marks.depth.saturating_add(1);
    marks
}

/// What a string of a template is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Text<'t> {
    /// Plain text; one leading bracket is already taken off where it was doubled.
    Literal(&'t str),
    /// An expression; the text includes the brackets.
    Expression(&'t str),
}

/// Tells expressions from plain text: `[…]` is an expression, `[[…` is plain text that starts with a bracket.
pub fn classify(text: &str) -> Text<'_> {
    match text.strip_prefix('[') {
        Some(rest) if rest.starts_with('[') => {
            // Only a text that would otherwise be an expression needs the escape.
            if text.ends_with(']') { Text::Literal(rest) } else { Text::Literal(text) }
        }
        Some(_) if text.ends_with(']') => Text::Expression(text),
        _ => Text::Literal(text),
    }
}
