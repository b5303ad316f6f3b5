//! From tokens to statements.

use std::sync::Arc;

use super::ast::{
    Argument, Block, CaseArm, Expression, ExpressionKind, For, Function, FunctionParameter, Operator,
    Statement, StatementKind, Template,
};
use super::error::{Error, Position};
use super::lexer::{Piece, Token, TokenKind, code_tokens, tokens};

/// How deep code may be nested.
const MAX_DEPTH: usize = 100;

/// Words of the language that are not there.
const UNSUPPORTED: [&str; 3] = ["tablerow", "wrap", "readonly"];
/// Words that end a block.
const CLOSING: [&str; 3] = ["end", "else", "when"];

/// Understands a template.
pub(super) fn parse(name: &str, source: &str) -> Result<Template, Error> {
    let name: Arc<str> = name.into();
    let mut parser = Parser::new(Arc::clone(&name), tokens(&name, source)?);
    let body = parser.block()?;
    match parser.kind() {
        TokenKind::End => Ok(Template { name, body: Arc::new(body) }),
        TokenKind::Word(word) => Err(parser.error(format!("`{word}` ends nothing"))),
        _ => Err(parser.error("a statement is expected")),
    }
}

struct Parser {
    template: Arc<str>,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

/// The word that opened a block, for the message that its end is missing.
struct BlockStart {
    position: Position,
    word: String,
}

impl Parser {
    fn new(template: Arc<str>, tokens: Vec<Token>) -> Self {
        Self { template, tokens, at: 0, depth: 0 }
    }

    fn token(&self) -> &Token {
        // The last token is the end, and nobody goes beyond it.
        #[expect(
            clippy::indexing_slicing,
            reason = "there is always a token, and the position stays in bounds"
        )]
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn kind(&self) -> &TokenKind {
        &self.token().kind
    }

    fn position(&self) -> Position {
        self.token().position
    }

    fn next(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len().saturating_sub(1));
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.kind(), TokenKind::Sign(found) if *found == sign)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.kind(), TokenKind::Word(found) if found == word)
    }

    fn eat_sign(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        if found {
            self.next();
        }
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.next();
        }
        found
    }

    fn expect_sign(&mut self, sign: &str) -> Result<(), Error> {
        if self.eat_sign(sign) { Ok(()) } else { Err(self.error(format!("`{sign}` is expected"))) }
    }

    fn word(&mut self, what: &str) -> Result<String, Error> {
        match self.kind().clone() {
            TokenKind::Word(word) => {
                self.next();
                Ok(word)
            }
            _ => Err(self.error(format!("{what} is expected"))),
        }
    }

    fn skip_newlines(&mut self) {
        while matches!(self.kind(), TokenKind::Newline) {
            self.next();
        }
    }

    fn error(&self, message: impl Into<String>) -> Error {
        Error::new(&self.template, self.position(), message)
    }

    /// Goes one level deeper, within bounds.
    fn deeper<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if self.depth >= MAX_DEPTH {
            return Err(self.error("the code is nested too deeply"));
        }
        self.depth += 1;
        let result = work(self);
        self.depth -= 1;
        result
    }

    /// Statements up to a word that closes, or the end.
    fn block(&mut self) -> Result<Block, Error> {
        self.deeper(|parser| {
            let mut block = Vec::new();
            loop {
                let position = parser.position();
                let kind = match parser.kind().clone() {
                    TokenKind::End => return Ok(block),
                    TokenKind::Word(word) if CLOSING.contains(&word.as_str()) => return Ok(block),
                    TokenKind::Newline => {
                        parser.next();
                        continue;
                    }
                    TokenKind::Exit => {
                        parser.next();
                        StatementKind::Indent(String::new())
                    }
                    TokenKind::Enter(indent) => {
                        parser.next();
                        StatementKind::Indent(indent)
                    }
                    TokenKind::Text(text) => {
                        parser.next();
                        StatementKind::Text(text)
                    }
                    _ => parser.statement()?,
                };
                block.push(Statement { position, kind });
            }
        })
    }

    fn statement(&mut self) -> Result<StatementKind, Error> {
        let TokenKind::Word(word) = self.kind().clone() else { return self.expression_statement() };
        if UNSUPPORTED.contains(&word.as_str()) {
            return Err(self.error(format!("`{word}` is not supported")));
        }
        match word.as_str() {
            "if" => self.if_statement(),
            "for" if !self.is_member_next() => self.for_statement(),
            "while" if !self.is_member_next() => {
                let start = self.begin();
                let condition = self.expression()?;
                let body = Arc::new(self.block()?);
                self.end(&start)?;
                Ok(StatementKind::While { condition, body })
            }
            "case" => self.case_statement(),
            "func" => self.function_statement(),
            "ret" => {
                self.next();
                let is_bare = matches!(self.kind(), TokenKind::Newline | TokenKind::Exit | TokenKind::End);
                Ok(StatementKind::Return(if is_bare { None } else { Some(self.expression()?) }))
            }
            "break" | "continue" => {
                self.next();
                Ok(if word == "break" { StatementKind::Break } else { StatementKind::Continue })
            }
            "capture" => {
                let start = self.begin();
                let target = self.postfix()?;
                let body = self.block()?;
                self.end(&start)?;
                Ok(StatementKind::Capture { target, body })
            }
            "with" => {
                let start = self.begin();
                let subject = self.expression()?;
                let body = self.block()?;
                self.end(&start)?;
                Ok(StatementKind::With { subject, body })
            }
            "import" => {
                self.next();
                Ok(StatementKind::Import(self.expression()?))
            }
            _ => self.expression_statement(),
        }
    }

    /// Whether `.` follows: `for.index` is a variable.
    fn is_member_next(&self) -> bool {
        matches!(self.tokens.get(self.at + 1).map(|token| &token.kind), Some(TokenKind::Sign(".")))
    }

    /// Passes the word that opens a block.
    fn begin(&mut self) -> BlockStart {
        let position = self.position();
        let word = match self.kind() {
            TokenKind::Word(word) => word.clone(),
            _ => String::new(),
        };
        self.next();
        BlockStart { position, word }
    }

    fn end(&mut self, start: &BlockStart) -> Result<(), Error> {
        if self.eat_word("end") {
            return Ok(());
        }
        Err(Error::new(&self.template, start.position, format!("`{}` has no `end`", start.word)))
    }

    fn if_statement(&mut self) -> Result<StatementKind, Error> {
        let start = self.begin();
        let condition = self.expression()?;
        let then = self.block()?;
        let mut otherwise = Vec::new();
        if self.eat_word("else") {
            if self.is_word("if") {
                let position = self.position();
                // The inner statement takes the `end`.
                let kind = self.deeper(Self::if_statement)?;
                return Ok(StatementKind::If {
                    condition,
                    then,
                    otherwise: vec![Statement { position, kind }],
                });
            }
            otherwise = self.block()?;
        }
        self.end(&start)?;
        Ok(StatementKind::If { condition, then, otherwise })
    }

    fn for_statement(&mut self) -> Result<StatementKind, Error> {
        let start = self.begin();
        let variable = self.word("a variable")?;
        if !self.eat_word("in") {
            return Err(self.error("`in` is expected"));
        }
        let list = self.expression()?;
        let (mut offset, mut limit, mut is_reversed) = (None, None, false);
        loop {
            if self.eat_word("reversed") {
                is_reversed = true;
            } else if self.is_word("offset") || self.is_word("limit") {
                let is_offset = self.is_word("offset");
                self.next();
                self.expect_sign(":")?;
                let value = Some(self.postfix()?);
                if is_offset { offset = value } else { limit = value }
            } else {
                break;
            }
        }
        let body = self.block()?;
        let otherwise = if self.eat_word("else") { self.block()? } else { Vec::new() };
        self.end(&start)?;
        Ok(StatementKind::For(Box::new(For { variable, list, offset, limit, is_reversed, body, otherwise })))
    }

    fn case_statement(&mut self) -> Result<StatementKind, Error> {
        let start = self.begin();
        let subject = self.expression()?;
        // What stands before the first `when` belongs to no arm.
        self.block()?;
        let mut arms = Vec::new();
        while self.eat_word("when") {
            let mut values = vec![self.binary(OR + 1)?];
            while self.eat_sign(",") || self.eat_sign("||") {
                values.push(self.binary(OR + 1)?);
            }
            arms.push(CaseArm { values, body: self.block()? });
        }
        let otherwise = if self.eat_word("else") { self.block()? } else { Vec::new() };
        self.end(&start)?;
        Ok(StatementKind::Case { subject, arms, otherwise })
    }

    fn function_statement(&mut self) -> Result<StatementKind, Error> {
        let start = self.begin();
        let name = self.word("the name of a function")?;
        let function = self.function(name)?;
        self.end(&start)?;
        Ok(StatementKind::Function(Arc::new(function)))
    }

    /// Parameters and body of a function.
    fn function(&mut self, name: String) -> Result<Function, Error> {
        let mut parameters = Vec::new();
        if self.eat_sign("(") {
            while !self.eat_sign(")") {
                let name = self.word("a parameter")?;
                let is_rest = self.eat_sign("...");
                let default = if self.eat_sign("=") { Some(self.expression()?) } else { None };
                parameters.push(FunctionParameter { name, default, is_rest });
                if !self.eat_sign(",") && !self.is_sign(")") {
                    return Err(self.error("`,` or `)` is expected"));
                }
            }
        }
        let body = self.block()?;
        Ok(Function { name, parameters, body, template: Arc::clone(&self.template) })
    }

    fn expression_statement(&mut self) -> Result<StatementKind, Error> {
        let target = self.expression()?;
        let operator = match self.kind() {
            TokenKind::Sign("=") => Some(None),
            TokenKind::Sign("+=") => Some(Some(Operator::Add)),
            TokenKind::Sign("-=") => Some(Some(Operator::Subtract)),
            TokenKind::Sign("*=") => Some(Some(Operator::Multiply)),
            TokenKind::Sign("/=") => Some(Some(Operator::Divide)),
            TokenKind::Sign("//=") => Some(Some(Operator::DivideWhole)),
            TokenKind::Sign("%=") => Some(Some(Operator::Remainder)),
            _ => None,
        };
        if let Some(operator) = operator {
            self.next();
            self.skip_newlines();
            let value = self.expression()?;
            return Ok(StatementKind::Assign { target, operator, value });
        }
        match self.kind() {
            TokenKind::Newline | TokenKind::Exit | TokenKind::End => Ok(StatementKind::Print(target)),
            TokenKind::Word(word) if CLOSING.contains(&word.as_str()) => Ok(StatementKind::Print(target)),
            _ => Err(self.error("an operator or the end of the statement is expected")),
        }
    }

    /// An expression with its pipes.
    fn expression(&mut self) -> Result<Expression, Error> {
        self.deeper(|parser| {
            let first = parser.conditional()?;
            parser.pipes(first)
        })
    }

    fn pipes(&mut self, mut value: Expression) -> Result<Expression, Error> {
        loop {
            let before = self.at;
            self.skip_newlines();
            if !self.is_sign("|") {
                self.at = before;
                return Ok(value);
            }
            self.next();
            self.skip_newlines();
            let position = self.position();
            let function = self.path()?;
            let mut arguments = vec![Argument { name: None, value }];
            arguments.extend(self.arguments()?);
            let kind = ExpressionKind::Call { function: Box::new(function), arguments };
            value = Expression { position, kind };
        }
    }

    fn conditional(&mut self) -> Result<Expression, Error> {
        let condition = self.binary(0)?;
        if !self.eat_sign("?") {
            return Ok(condition);
        }
        let position = condition.position;
        let then = self.deeper(Self::conditional)?;
        self.expect_sign(":")?;
        let otherwise = self.deeper(Self::conditional)?;
        let kind = ExpressionKind::Conditional {
            condition: Box::new(condition),
            then: Box::new(then),
            otherwise: Box::new(otherwise),
        };
        Ok(Expression { position, kind })
    }

    /// Binary operators from a precedence on.
    fn binary(&mut self, least: usize) -> Result<Expression, Error> {
        let mut left = self.unary()?;
        while let Some((operator, precedence)) =
            self.operator().filter(|(_, precedence)| *precedence >= least)
        {
            self.next();
            self.skip_newlines();
            let right = self.deeper(|parser| parser.binary(precedence + 1))?;
            let position = left.position;
            let kind = ExpressionKind::Binary { operator, left: Box::new(left), right: Box::new(right) };
            left = Expression { position, kind };
        }
        Ok(left)
    }

    fn operator(&self) -> Option<(Operator, usize)> {
        let TokenKind::Sign(sign) = self.kind() else { return None };
        OPERATORS
            .iter()
            .find(|(known, ..)| known == sign)
            .map(|(_, operator, precedence)| (*operator, *precedence))
    }

    fn unary(&mut self) -> Result<Expression, Error> {
        let position = self.position();
        let TokenKind::Sign(sign) = *self.kind() else { return self.call() };
        let wrap: fn(Box<Expression>) -> ExpressionKind = match sign {
            "!" => ExpressionKind::Not,
            "-" => ExpressionKind::Negate,
            "@" => ExpressionKind::Alias,
            "+" => {
                self.next();
                return self.deeper(Self::unary);
            }
            _ => return self.call(),
        };
        self.next();
        let inner = self.deeper(Self::unary)?;
        Ok(Expression { position, kind: wrap(Box::new(inner)) })
    }

    /// A value, or a function with its arguments behind it.
    fn call(&mut self) -> Result<Expression, Error> {
        let position = self.position();
        let function = self.postfix()?;
        if !is_path(&function) {
            return Ok(function);
        }
        let arguments = self.arguments()?;
        if arguments.is_empty() {
            return Ok(function);
        }
        let kind = ExpressionKind::Call { function: Box::new(function), arguments };
        Ok(Expression { position, kind })
    }

    /// Arguments behind a function, set apart by blanks.
    fn arguments(&mut self) -> Result<Vec<Argument>, Error> {
        let mut arguments = Vec::new();
        while self.token().is_spaced && self.starts_argument() {
            let name = match (self.kind(), self.tokens.get(self.at + 1).map(|token| &token.kind)) {
                (TokenKind::Word(word), Some(TokenKind::Sign(":"))) => Some(word.clone()),
                _ => None,
            };
            if name.is_some() {
                self.next();
                self.next();
            }
            let value = self.argument()?;
            arguments.push(Argument { name, value });
        }
        Ok(arguments)
    }

    fn argument(&mut self) -> Result<Expression, Error> {
        let position = self.position();
        for (sign, wrap) in [
            ("!", ExpressionKind::Not as fn(Box<Expression>) -> ExpressionKind),
            ("-", ExpressionKind::Negate),
            ("@", ExpressionKind::Alias),
        ] {
            if self.eat_sign(sign) {
                let inner = self.postfix()?;
                return Ok(Expression { position, kind: wrap(Box::new(inner)) });
            }
        }
        self.postfix()
    }

    fn starts_argument(&self) -> bool {
        let follows_directly = || self.tokens.get(self.at + 1).is_some_and(|token| !token.is_spaced);
        match self.kind() {
            TokenKind::Word(word) => {
                let is_option =
                    matches!(word.as_str(), "reversed" | "offset" | "limit") && self.is_loop_option();
                !CLOSING.contains(&word.as_str()) && word != "in" && !is_option
            }
            TokenKind::Int(_) | TokenKind::Float(_) | TokenKind::String(_) | TokenKind::Interpolated(_) => {
                true
            }
            // `f -1` is a call, `a - 1` is not.
            TokenKind::Sign("-" | "!") => follows_directly(),
            TokenKind::Sign(sign) => matches!(*sign, "(" | "[" | "{" | "@"),
            _ => false,
        }
    }

    /// `reversed`, or `limit:` and `offset:`.
    fn is_loop_option(&self) -> bool {
        self.is_word("reversed")
            || matches!(self.tokens.get(self.at + 1).map(|token| &token.kind), Some(TokenKind::Sign(":")))
    }

    /// A name with its members: what a pipe leads to.
    fn path(&mut self) -> Result<Expression, Error> {
        let position = self.position();
        let name = self.word("a function")?;
        let variable = Expression { position, kind: ExpressionKind::Variable(name) };
        self.members(variable)
    }

    fn postfix(&mut self) -> Result<Expression, Error> {
        let value = self.primary()?;
        self.members(value)
    }

    /// `.name`, `?.name`, `[index]` and `(arguments)` directly behind a value.
    fn members(&mut self, mut value: Expression) -> Result<Expression, Error> {
        loop {
            let is_optional = self.is_sign("?.");
            if self.eat_sign(".") || self.eat_sign("?.") {
                let position = self.position();
                let name = self.word("a member")?;
                let kind = ExpressionKind::Member { base: Box::new(value), name, is_optional };
                value = Expression { position, kind };
            } else if self.is_sign("[") && !self.token().is_spaced {
                let position = self.position();
                self.next();
                let index = self.expression()?;
                self.expect_sign("]")?;
                let kind = ExpressionKind::Index { base: Box::new(value), index: Box::new(index) };
                value = Expression { position, kind };
            } else if self.is_sign("(") && !self.token().is_spaced && is_path(&value) {
                self.next();
                let mut arguments = Vec::new();
                while !self.eat_sign(")") {
                    arguments.push(Argument { name: None, value: self.expression()? });
                    if !self.eat_sign(",") && !self.is_sign(")") {
                        return Err(self.error("`,` or `)` is expected"));
                    }
                }
                let position = value.position;
                let kind = ExpressionKind::Call { function: Box::new(value), arguments };
                value = Expression { position, kind };
            } else {
                return Ok(value);
            }
        }
    }

    fn primary(&mut self) -> Result<Expression, Error> {
        let position = self.position();
        let kind = match self.kind().clone() {
            TokenKind::Int(number) => ExpressionKind::Int(number),
            TokenKind::Float(number) => ExpressionKind::Float(number),
            TokenKind::String(text) => ExpressionKind::Text(text.into()),
            TokenKind::Interpolated(pieces) => ExpressionKind::Joined(self.joined(pieces, position)?),
            TokenKind::Word(word) => match word.as_str() {
                "null" => ExpressionKind::Null,
                "true" | "false" => ExpressionKind::Bool(word == "true"),
                "do" => {
                    let start = self.begin();
                    let function = self.function(String::new())?;
                    self.end(&start)?;
                    let kind = ExpressionKind::AnonymousFunction(Arc::new(function));
                    return Ok(Expression { position, kind });
                }
                _ => ExpressionKind::Variable(word),
            },
            TokenKind::Sign("(") => {
                self.next();
                self.skip_newlines();
                let inner = self.expression()?;
                self.skip_newlines();
                self.expect_sign(")")?;
                return Ok(Expression { position, kind: ExpressionKind::Group(Box::new(inner)) });
            }
            TokenKind::Sign("[") => return self.list(),
            TokenKind::Sign("{") => return self.object(),
            _ => return Err(self.error("a value is expected")),
        };
        self.next();
        Ok(Expression { position, kind })
    }

    fn joined(&self, pieces: Vec<Piece>, position: Position) -> Result<Vec<Expression>, Error> {
        let mut parts = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Text(text) => {
                    parts.push(Expression { position, kind: ExpressionKind::Text(text.into()) });
                }
                Piece::Code(code) => {
                    let tokens = code_tokens(&self.template, &code)
                        .map_err(|error| Error::new(&self.template, position, error.message))?;
                    let mut parser =
                        Self { depth: self.depth, ..Self::new(Arc::clone(&self.template), tokens) };
                    let part = parser.expression();
                    parts.push(part.map_err(|error| Error::new(&self.template, position, error.message))?);
                }
            }
        }
        Ok(parts)
    }

    fn list(&mut self) -> Result<Expression, Error> {
        let position = self.position();
        self.next();
        let mut items = Vec::new();
        loop {
            self.skip_newlines();
            if self.eat_sign("]") {
                return Ok(Expression { position, kind: ExpressionKind::List(items) });
            }
            items.push(self.expression()?);
            self.skip_newlines();
            if !self.eat_sign(",") && !self.is_sign("]") {
                return Err(self.error("`,` or `]` is expected"));
            }
        }
    }

    fn object(&mut self) -> Result<Expression, Error> {
        let position = self.position();
        self.next();
        let mut members = Vec::new();
        loop {
            self.skip_newlines();
            if self.eat_sign("}") {
                return Ok(Expression { position, kind: ExpressionKind::Object(members) });
            }
            let (TokenKind::String(name) | TokenKind::Word(name)) = self.kind().clone() else {
                return Err(self.error("the name of a member is expected"));
            };
            self.next();
            self.expect_sign(":")?;
            members.push((name, self.expression()?));
            self.skip_newlines();
            if !self.eat_sign(",") && !self.is_sign("}") {
                return Err(self.error("`,` or `}` is expected"));
            }
        }
    }
}

/// The precedence of `||`.
const OR: usize = 1;

/// The binary operators; higher ones bind closer.
const OPERATORS: [(&str, Operator, usize); 18] = [
    ("??", Operator::Coalesce, 0),
    ("?!", Operator::NotCoalesce, 0),
    ("||", Operator::Or, OR),
    ("&&", Operator::And, 2),
    ("==", Operator::Equal, 3),
    ("!=", Operator::NotEqual, 3),
    ("<", Operator::Less, 4),
    ("<=", Operator::LessOrEqual, 4),
    (">", Operator::Greater, 4),
    (">=", Operator::GreaterOrEqual, 4),
    ("..", Operator::Range, 5),
    ("..<", Operator::RangeExclusive, 5),
    ("+", Operator::Add, 6),
    ("-", Operator::Subtract, 6),
    ("*", Operator::Multiply, 7),
    ("/", Operator::Divide, 7),
    ("//", Operator::DivideWhole, 7),
    ("%", Operator::Remainder, 7),
];

fn is_path(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Variable(_) => true,
        ExpressionKind::Member { base, .. } | ExpressionKind::Index { base, .. } => is_path(base),
        _ => false,
    }
}
