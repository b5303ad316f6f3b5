//! Templates as trees.

use std::sync::Arc;

use super::error::Position;

/// A template that was understood.
#[derive(Debug)]
pub(crate) struct Template {
    /// Its name, for messages.
    pub(crate) name: Arc<str>,
    pub(crate) body: Arc<Block>,
}

/// Statements in order.
pub(crate) type Block = Vec<Statement>;

/// A statement with its place.
#[derive(Debug)]
pub(crate) struct Statement {
    pub(crate) position: Position,
    pub(crate) kind: StatementKind,
}

#[derive(Debug)]
pub(crate) enum StatementKind {
    /// Text that is printed as it is.
    Text(String),
    /// What further lines of printed values are indented with, until the code ends.
    Indent(String),
    /// A value that is printed.
    Print(Expression),
    /// `target = value`; with an operator `target = target operator value`.
    Assign {
        target: Expression,
        operator: Option<Operator>,
        value: Expression,
    },
    If {
        condition: Expression,
        then: Block,
        otherwise: Block,
    },
    For(Box<For>),
    While {
        condition: Expression,
        body: Arc<Block>,
    },
    Case {
        subject: Expression,
        arms: Vec<CaseArm>,
        otherwise: Block,
    },
    Function(Arc<Function>),
    Return(Option<Expression>),
    Break,
    Continue,
    Capture {
        target: Expression,
        body: Block,
    },
    With {
        subject: Expression,
        body: Block,
    },
    /// The members of an object become variables.
    Import(Expression),
}

#[derive(Debug)]
pub(crate) struct For {
    pub(crate) variable: String,
    pub(crate) list: Expression,
    pub(crate) offset: Option<Expression>,
    pub(crate) limit: Option<Expression>,
    pub(crate) is_reversed: bool,
    pub(crate) body: Block,
    /// What is done when there is nothing to loop over.
    pub(crate) otherwise: Block,
}

#[derive(Debug)]
pub(crate) struct CaseArm {
    pub(crate) values: Vec<Expression>,
    pub(crate) body: Block,
}

/// A function of the template.
#[derive(Debug)]
pub struct Function {
    pub(crate) name: String,
    /// Its parameters; none for a function that uses `$0`, `$1` and so on only.
    pub(crate) parameters: Vec<FunctionParameter>,
    pub(crate) body: Block,
    /// The template it stands in, for messages.
    pub(crate) template: Arc<str>,
}

#[derive(Debug)]
pub(crate) struct FunctionParameter {
    pub(crate) name: String,
    pub(crate) default: Option<Expression>,
    /// Whether it takes all further arguments, as a list.
    pub(crate) is_rest: bool,
}

/// An expression with its place.
#[derive(Debug)]
pub(crate) struct Expression {
    pub(crate) position: Position,
    pub(crate) kind: ExpressionKind,
}

#[derive(Debug)]
pub(crate) enum ExpressionKind {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(Arc<str>),
    /// The printed values one after the other: an interpolated text.
    Joined(Vec<Expression>),
    List(Vec<Expression>),
    Object(Vec<(String, Expression)>),
    /// In parentheses: a value, not a function that takes what follows as arguments.
    Group(Box<Expression>),
    Variable(String),
    Member {
        base: Box<Expression>,
        name: String,
        is_optional: bool,
    },
    Index {
        base: Box<Expression>,
        index: Box<Expression>,
    },
    /// A call with arguments; pipes are calls whose first argument stands before them.
    Call {
        function: Box<Expression>,
        arguments: Vec<Argument>,
    },
    /// `@name`: the function itself.
    Alias(Box<Expression>),
    Not(Box<Expression>),
    Negate(Box<Expression>),
    Binary {
        operator: Operator,
        left: Box<Expression>,
        right: Box<Expression>,
    },
    Conditional {
        condition: Box<Expression>,
        then: Box<Expression>,
        otherwise: Box<Expression>,
    },
    AnonymousFunction(Arc<Function>),
}

#[derive(Debug)]
pub(crate) struct Argument {
    /// The name before the colon, where one is given.
    pub(crate) name: Option<String>,
    pub(crate) value: Expression,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Coalesce,
    NotCoalesce,
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Range,
    RangeExclusive,
    Add,
    Subtract,
    Multiply,
    Divide,
    DivideWhole,
    Remainder,
}
