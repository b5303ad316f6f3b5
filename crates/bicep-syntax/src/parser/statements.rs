//! Files and the statements in them.

use base::TextRange;

use super::{ALOUD, Allowed, CompletedNode, Expected, Parsed, Parser, Quiet};
use crate::SyntaxKind::{self, *};
use crate::messages::{self, Message};
use crate::{Dialect, keywords};

impl Parser<'_> {
    pub(super) fn file(&mut self, dialect: Dialect) {
        let file = self.start();
        while !self.is_at_end() {
            let statement = self.statement(dialect, None);
            // A line end is a statement of its own here; skipped text ends before its line end; decorators without a
            // declaration have their line end in them.
            if statement.is_some_and(|done| !matches!(done.kind, Skipped | MissingDeclaration)) {
                self.statement_end();
            }
        }
        self.bump();
        self.finish(file, File);
    }

    /// A declaration ends with its line or with the file.
    fn statement_end(&mut self) {
        if !self.is_at_end() {
            self.line_end();
        }
    }

    /// A line end. What stands before it is skipped together with it.
    fn line_end(&mut self) {
        if self.check(NewLine) {
            self.bump();
            return;
        }
        let Expected(diagnostic) = self.expected_here(&messages::EXPECTED_LINE_END);
        self.diagnostics.push(*diagnostic);
        let node = self.start();
        while !self.is_at_end() {
            let is_last = self.check(NewLine);
            self.bump();
            if is_last {
                break;
            }
        }
        self.finish(node, Skipped);
    }

    /// One statement with its decorators, or one line end (which is no node: `None`).
    ///
    /// Inside a resource body only `resource` is a statement; `only` says so.
    pub(super) fn statement(&mut self, dialect: Dialect, only: Option<&str>) -> Option<CompletedNode> {
        if self.check(NewLine) {
            self.bump();
            return None;
        }
        let done = self.recover(ALOUD, &[NewLine], |p| {
            let node = p.start();
            let has_decorators = p.decorators();
            let token = p.current();
            let keyword = if token.kind == Identifier { p.text_of(token) } else { "" };
            let kind = if only.is_none_or(|only| only == keyword) {
                p.statement_body(dialect, keyword)
            } else {
                None
            };
            match kind {
                Some(kind) => Ok(p.finish(node, kind?)),
                None if has_decorators && dialect == Dialect::Bicep => Ok(p.finish(node, MissingDeclaration)),
                None => Err(p.expected_here(dialect_message(dialect))),
            }
        });
        Some(done)
    }

    /// The part of a statement behind its decorators, by its keyword. `None`: not a keyword that begins a statement.
    fn statement_body(&mut self, dialect: Dialect, keyword: &str) -> Option<Parsed<SyntaxKind>> {
        match dialect {
            Dialect::Bicep => self.bicep_statement(keyword),
            Dialect::Params => self.params_statement(keyword),
        }
    }

    fn bicep_statement(&mut self, keyword: &str) -> Option<Parsed<SyntaxKind>> {
        Some(match keyword {
            keywords::TARGET_SCOPE => self.target_scope(),
            keywords::METADATA => self.assigned_name(Metadata, &messages::EXPECTED_METADATA_NAME),
            keywords::TYPE => self.type_declaration(),
            keywords::PARAM => self.param(),
            keywords::VAR => self.var(),
            keywords::FUNC => self.func(),
            keywords::RESOURCE => self.resource(),
            keywords::OUTPUT => self.output(),
            keywords::MODULE => self.module(),
            keywords::TEST => self.test(),
            keywords::IMPORT => self.import_or_extension(),
            keywords::EXTENSION => self.extension(),
            keywords::PROVIDER if self.is_provider() => self.extension(),
            keywords::ASSERT => self.assigned_name(Assert, &messages::EXPECTED_ASSERT_NAME),
            _ => return None,
        })
    }

    fn params_statement(&mut self, keyword: &str) -> Option<Parsed<SyntaxKind>> {
        Some(match keyword {
            keywords::USING => self.using(),
            keywords::EXTENDS => self.extends(),
            keywords::PARAM => self.param_assignment(),
            keywords::VAR => self.var(),
            keywords::IMPORT => self.import(),
            keywords::EXTENSION_CONFIG => self.extension_config(),
            keywords::EXTENSION => self.extension(),
            keywords::PROVIDER if self.is_provider() => self.extension(),
            keywords::TYPE => self.type_declaration(),
            _ => return None,
        })
    }

    /// Whether `provider` begins a statement. The word is no keyword of the reference, and a frequent name of properties.
    fn is_provider(&self) -> bool {
        matches!(self.ahead(1).kind, Identifier | StringComplete | StringLeft)
    }

    /// `@decorator` lines. Says whether there were any.
    pub(super) fn decorators(&mut self) -> bool {
        let mut any = false;
        while self.check(At) {
            any = true;
            let node = self.start();
            self.bump();
            self.recover(ALOUD, &[NewLine], Self::decorator_expression);
            self.finish(node, Decorator);
            self.line_end();
            self.bump_lines();
        }
        any
    }

    /// `name(…)`, `namespace.name(…)`.
    fn decorator_expression(&mut self) -> Parsed<CompletedNode> {
        let name = self.name(&messages::EXPECTED_DECORATOR_NAME)?;
        let node = self.start_around(name);
        let mut current = if self.check(LeftParen) {
            self.call_arguments(Allowed::LITERALS)?;
            self.finish(node, Call)
        } else {
            self.finish(node, VarAccess)
        };
        while self.check(Dot) {
            let node = self.start_around(current);
            self.bump();
            self.name_or_missing(&messages::EXPECTED_MEMBER_NAME);
            let kind = if self.check(LeftParen) {
                self.call_arguments(Allowed::LITERALS)?;
                MethodCall
            } else {
                PropertyAccess
            };
            current = self.finish_around(node, kind)?;
        }
        Ok(current)
    }

    fn target_scope(&mut self) -> Parsed<SyntaxKind> {
        self.bump();
        self.recover_token(ALOUD, &[NewLine], |p| p.expect(Assign));
        self.recover(ALOUD, &[NewLine], |p| p.expression(Allowed::LITERALS));
        Ok(TargetScope)
    }

    /// `keyword name = value`.
    fn assigned_name(&mut self, kind: SyntaxKind, message: &Message) -> Parsed<SyntaxKind> {
        self.bump();
        let name = self.name_with_recovery(message, &[Assign, NewLine]);
        self.assigned_value(name);
        Ok(kind)
    }

    /// `= value` after something.
    fn assigned_value(&mut self, before: CompletedNode) {
        let assign = self.recover_token(before.quiet(), &[NewLine], |p| p.expect(Assign));
        self.recover(assign.quiet(), &[NewLine], |p| p.expression(Allowed::LITERALS));
    }

    fn param_assignment(&mut self) -> Parsed<SyntaxKind> {
        self.bump();
        let name = self.name_with_recovery(&messages::EXPECTED_PARAM_NAME, &[Identifier, NewLine]);
        self.assigned_value(name);
        Ok(ParamAssignment)
    }

    fn param(&mut self) -> Parsed<SyntaxKind> {
        self.bump();
        let name = self.name_with_recovery(&messages::EXPECTED_PARAM_NAME, &[Identifier, NewLine]);
        let ty =
            self.recover(name.quiet(), &[Assign, LeftBrace, NewLine], |p| p.type_or_resource_type(false));
        if !self.check_any(&[NewLine, EndOfFile]) {
            self.recover(ty.quiet(), &[NewLine], Self::param_default);
        }
        Ok(Param)
    }

    fn param_default(&mut self) -> Parsed<CompletedNode> {
        if !self.check(Assign) {
            return Err(self.expected_here(&messages::EXPECTED_PARAM_CONTINUATION));
        }
        let node = self.start();
        self.bump();
        self.recover(ALOUD, &[NewLine], |p| p.expression(Allowed::LITERALS));
        Ok(self.finish(node, ParamDefault))
    }

    fn var(&mut self) -> Parsed<SyntaxKind> {
        self.bump();
        let name = self.name_with_recovery(&messages::EXPECTED_VAR_NAME, &[Identifier, NewLine]);
        let mut before = name;
        if !self.check_any(&[EndOfFile, NewLine, Assign]) {
            before = self.recover(name.quiet(), &[Assign, NewLine], |p| p.type_or_resource_type(false));
        }
        self.assigned_value(before);
        Ok(Var)
    }

    fn type_declaration(&mut self) -> Parsed<SyntaxKind> {
        self.bump();
        let name = self.name_with_recovery(&messages::EXPECTED_TYPE_NAME, &[Assign, NewLine]);
        self.recover_token(name.quiet(), &[NewLine], |p| p.expect(Assign));
        self.recover(name.quiet(), &[Assign, LeftBrace, NewLine], |p| p.type_or_resource_type(false));
        Ok(TypeDeclaration)
    }

    fn func(&mut self) -> Parsed<SyntaxKind> {
        self.bump();
        let name = self.name_with_recovery(&messages::EXPECTED_VAR_NAME, &[Assign, NewLine]);
        self.recover(name.quiet(), &[NewLine], Self::typed_lambda);
        Ok(Func)
    }

    fn output(&mut self) -> Parsed<SyntaxKind> {
        self.bump();
        let name = self.name_with_recovery(&messages::EXPECTED_OUTPUT_NAME, &[Identifier, NewLine]);
        let ty = self.recover(name.quiet(), &[Assign, NewLine], |p| p.type_or_resource_type(true));
        self.assigned_value(ty);
        Ok(Output)
    }

    fn resource(&mut self) -> Parsed<SyntaxKind> {
        self.bump();
        let ty = self.name_and_path(&messages::EXPECTED_RESOURCE_NAME, &messages::EXPECTED_RESOURCE_TYPE);
        if self.check_keyword(keywords::EXISTING) {
            self.bump();
        }
        let assign = self.recover_token(ty.quiet(), &[LeftBrace, NewLine], |p| p.expect(Assign));
        if !assign.is_skipped() {
            self.bump_lines_before_if();
        }
        self.recover(assign.quiet(), &[NewLine], |p| p.body(Allowed::RESOURCES));
        Ok(Resource)
    }

    fn module(&mut self) -> Parsed<SyntaxKind> {
        self.bump();
        let path = self.name_and_path(&messages::EXPECTED_MODULE_NAME, &messages::EXPECTED_MODULE_PATH);
        let assign = self.recover_token(path.quiet(), &[LeftBrace, NewLine], |p| p.expect(Assign));
        self.bump_lines_before_if();
        self.recover(assign.quiet(), &[NewLine], |p| p.body(Allowed::LITERALS));
        Ok(Module)
    }

    fn test(&mut self) -> Parsed<SyntaxKind> {
        self.bump();
        let path = self.name_and_path(&messages::EXPECTED_TEST_NAME, &messages::EXPECTED_TEST_PATH);
        let assign = self.recover_token(path.quiet(), &[LeftBrace, NewLine], |p| p.expect(Assign));
        self.recover(assign.quiet(), &[NewLine], |p| p.object(Allowed::LITERALS));
        Ok(Test)
    }

    /// `name 'string'`; gives back how the string went.
    fn name_and_path(&mut self, name: &Message, path: &Message) -> CompletedNode {
        let name = self.name_with_recovery(name, &[StringComplete, StringLeft, NewLine]);
        self.recover(name.quiet(), &[Assign, NewLine], |p| p.string_or(path))
    }

    fn bump_lines_before_if(&mut self) {
        if self.is_keyword(self.ahead_over_lines(0), keywords::IF) {
            self.bump_lines();
        }
    }

    /// The body of a resource or a module: an object, a condition or a loop.
    fn body(&mut self, allowed: Allowed) -> Parsed<CompletedNode> {
        match self.kind() {
            Identifier if self.check_keyword(keywords::IF) => self.if_condition(allowed, false),
            LeftBrace => self.object(allowed),
            LeftSquare => self.for_loop(allowed, true),
            _ => Err(self.expected_here(&messages::EXPECTED_BODY)),
        }
    }

    /// `if (condition) { … }`.
    pub(super) fn if_condition(&mut self, allowed: Allowed, is_in_loop: bool) -> Parsed<CompletedNode> {
        let node = self.start();
        self.expect_keyword(keywords::IF)?;
        // Inside a loop the closing bracket must not be lost to recovery.
        let (before_body, after_body): (&[_], &[_]) = if is_in_loop {
            (&[RightSquare, LeftBrace, NewLine], &[RightSquare, NewLine])
        } else {
            (&[LeftBrace, NewLine], &[NewLine])
        };
        let mut is_closed = false;
        let condition = self.recover(ALOUD, before_body, |p| {
            let paren = p.paren(Allowed { resources: false, ..allowed })?;
            is_closed = paren.is_closed;
            Ok(paren.done)
        });
        let quiet = Quiet(condition.is_missing || !is_closed);
        self.recover(quiet, after_body, |p| p.object(allowed));
        Ok(self.finish(node, If))
    }

    /// `[for x in xs: …]`.
    pub(super) fn for_loop(&mut self, allowed: Allowed, is_declaration: bool) -> Parsed<CompletedNode> {
        self.nested(|p| {
            let node = p.start();
            p.expect(LeftSquare)?;
            p.bump_lines();
            p.expect_keyword(keywords::FOR)?;
            let (diagnostics, offset) = (p.diagnostics.len(), p.here());
            p.loop_variables()?;
            let has_mistakes = Quiet(p.has_mistakes_since(diagnostics, offset));
            let ends = &[RightSquare, NewLine];
            let keyword = p.recover_token(has_mistakes, ends, |p| p.expect_keyword(keywords::IN));
            let source = p.recover(keyword.quiet(), &[Colon, RightSquare, NewLine], |p| {
                p.expression(Allowed::LITERALS)
            });
            let colon = p.recover_token(source.quiet(), ends, |p| p.expect(Colon));
            let body = p.recover(colon.quiet(), ends, |p| p.loop_body(allowed, is_declaration));
            if !body.is_skipped() {
                p.bump_lines();
            }
            p.recover_token(body.quiet(), ends, |p| p.expect(RightSquare));
            Ok(p.finish(node, For))
        })
    }

    fn loop_body(&mut self, allowed: Allowed, is_declaration: bool) -> Parsed<CompletedNode> {
        if !is_declaration {
            return self.expression(Allowed { literals: true, ..allowed });
        }
        match self.kind() {
            LeftBrace => self.object(allowed),
            Identifier if self.check_keyword(keywords::IF) => self.if_condition(allowed, true),
            _ => Err(self.expected_here(&messages::EXPECTED_LOOP_BODY)),
        }
    }

    fn loop_variables(&mut self) -> Parsed<()> {
        match self.kind() {
            Identifier => {
                let node = self.start();
                self.single(Name);
                self.finish(node, LocalVar);
            }
            LeftParen => self.loop_variable_block()?,
            _ => {
                self.missing(Some(&messages::EXPECTED_LOOP_VARIABLES));
            }
        }
        Ok(())
    }

    /// `(item, index)`: exactly two names.
    fn loop_variable_block(&mut self) -> Parsed<()> {
        let (diagnostics, start) = (self.diagnostics.len(), self.here());
        let list = self.paren_list(false, |p| p.expression(Allowed::SIMPLE))?;
        let count = list.items.iter().filter(|item| item.kind == VarAccess).count();
        let block = self.variable_block(list);
        if count != 2 && !self.has_mistakes_since(diagnostics, start) {
            let range = TextRange::new(start, self.previous_end().max(start));
            self.diagnostics.push(messages::two_loop_variables(count).at(range));
            let node = self.start_around(block);
            self.finish(node, Skipped);
        }
        Ok(())
    }

    fn using(&mut self) -> Parsed<SyntaxKind> {
        self.bump();
        let mut path = CompletedNode::no_node(Using);
        match self.kind() {
            Identifier => {
                let node = self.start();
                self.expect_keyword(keywords::NONE)?;
                self.finish(node, NoneLiteral);
            }
            StringComplete => {
                self.string_or(&messages::EXPECTED_FILE_PATH)?;
            }
            _ => path = self.missing(Some(&messages::EXPECTED_IMPORTS)),
        }
        if !self.check_any(&[EndOfFile, NewLine]) {
            self.recover(path.quiet(), &[NewLine], |p| p.with_clause(&messages::EXPECTED_WITH_OR_LINE_END));
        }
        Ok(Using)
    }

    fn extends(&mut self) -> Parsed<SyntaxKind> {
        self.bump();
        self.recover(ALOUD, &[NewLine], |p| p.string_or(&messages::EXPECTED_EXTENDS_PATH));
        Ok(Extends)
    }
}

fn dialect_message(dialect: Dialect) -> &'static Message {
    match dialect {
        Dialect::Bicep => &messages::EXPECTED_STATEMENT,
        Dialect::Params => &messages::EXPECTED_PARAMS_STATEMENT,
    }
}

impl Parser<'_> {
    /// A declaration inside a resource body: decorators and a resource.
    pub(super) fn nested_resource(&mut self) -> CompletedNode {
        match self.statement(Dialect::Bicep, Some(keywords::RESOURCE)) {
            Some(done) => done,
            None => self.missing(None),
        }
    }
}
