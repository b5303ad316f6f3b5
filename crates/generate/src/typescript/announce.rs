//! Scripts that say where they are: a call of one function before every statement, and around every call. Text comes in,
//! text goes out; no line moves.

use oxc_allocator::Allocator;
use oxc_ast::AstKind;
use oxc_ast::ast::{ArrowFunctionBody, ChainElement, Declaration, ExportDefaultDeclarationKind, Expression};
use oxc_parser::Parser;
use oxc_semantic::{AstNode, AstNodes, NodeId, SemanticBuilder};
use oxc_span::{GetSpan, SourceType, Span};

use super::edits::Edits;
use super::{Announced, Position};

/// Adds calls of `function` to a script: `function(N)` before statements and calls, `function(N, value)` behind calls, which
/// gives back the value. The numbers count on from `first`. Nothing if the script cannot be parsed: the engine says why.
pub(crate) fn announce(path: &str, text: &str, function: &str, first: usize) -> Option<Announced> {
    let allocator = Allocator::default();
    let is_typescript = [".ts", ".mts", ".cts"].iter().any(|suffix| path.ends_with(suffix));
    let parsed = [SourceType::mjs(), SourceType::cjs()]
        .into_iter()
        .map(|kind| Parser::new(&allocator, text, kind.with_typescript(is_typescript)).parse())
        .find(|parsed| parsed.diagnostics.is_empty())?;
    let semantic = SemanticBuilder::new().with_build_nodes(true).build(&parsed.program).semantic;
    let nodes = semantic.nodes();
    let is_call = |kind: &AstKind<'_>| matches!(kind, AstKind::CallExpression(_) | AstKind::NewExpression(_));
    let mut calls: Vec<u32> =
        nodes.iter().map(AstNode::kind).filter(is_call).map(|kind| kind.span().start).collect();
    calls.sort_unstable();
    let mut announcer = Announcer {
        text,
        nodes,
        calls,
        function,
        first,
        offsets: Vec::new(),
        opening: Vec::new(),
        closing: Vec::new(),
    };
    for node in nodes.iter() {
        announcer.visit(node.id());
    }
    Some(announcer.finish())
}

struct Announcer<'t, 'n, 'a> {
    text: &'t str,
    nodes: &'n AstNodes<'a>,
    function: &'t str,
    first: usize,
    /// What the announcements say.
    offsets: Vec<u32>,
    /// Where calls start, in ascending order.
    calls: Vec<u32>,
    /// What is inserted before nodes, the outer ones first.
    opening: Vec<(u32, String)>,
    /// What is inserted behind nodes, the outer ones first.
    closing: Vec<(u32, &'static str)>,
}

/// Where a statement stands.
enum Standing {
    /// In a list of statements.
    Listed,
    /// Alone, as the body of a loop or a branch.
    Alone,
    Elsewhere,
}

impl Announcer<'_, '_, '_> {
    fn visit(&mut self, id: NodeId) {
        let kind = self.nodes.kind(id);
        let span = kind.span();
        match kind {
            AstKind::CallExpression(_) | AstKind::NewExpression(_) if self.is_wrappable(id) => {
                self.wrap_call(id, span);
            }
            AstKind::ChainExpression(chain)
                if !matches!(chain.expression, ChainElement::CallExpression(_)) => {}
            AstKind::ChainExpression(_) | AstKind::AwaitExpression(_) | AstKind::YieldExpression(_)
                if self.is_wrappable(id) =>
            {
                let back = self.announcement(self.around(id));
                self.enclose(span, format!("{back}, "), ")");
            }
            AstKind::ArrowFunctionExpression(arrow) => {
                let body = arrow.body.span();
                // Small functions are called very often, and those that call nothing are done at once.
                let first = self.calls.partition_point(|start| *start < body.start);
                let calls = self.calls.get(first).is_some_and(|start| *start < body.end);
                if calls && !matches!(arrow.body, ArrowFunctionBody::FunctionBody(_)) {
                    let start = self.announcement(body.start);
                    self.enclose(body, format!("({start}), "), ")");
                }
            }
            _ if is_announced(kind) => match standing(kind, self.nodes.parent_kind(id)) {
                Standing::Listed => {
                    let call = self.announcement(span.start);
                    self.opening.push((span.start, format!("{call}); ")));
                }
                Standing::Alone => {
                    let call = self.announcement(span.start);
                    self.enclose(span, format!("{{ {call}); "), "}");
                }
                Standing::Elsewhere => {}
            },
            _ => {}
        }
    }

    /// `f(x)` becomes `at(outer, (at(own), f(x)))`.
    fn wrap_call(&mut self, id: NodeId, span: Span) {
        let back = self.announcement(self.around(id));
        let own = self.announcement(position_of_call(self.nodes.kind(id)));
        self.enclose(span, format!("{back}, ({own}), "), "))");
    }

    /// A call of the function that announces an offset, without its closing bracket.
    fn announcement(&mut self, offset: u32) -> String {
        let number = self.first + self.offsets.len();
        self.offsets.push(offset);
        format!("{}({number}", self.function)
    }

    fn enclose(&mut self, span: Span, before: String, after: &'static str) {
        self.opening.push((span.start, before));
        self.closing.push((span.end, after));
    }

    /// Where a script is when an expression has its value: at the call that it is part of, or at the statement.
    fn around(&self, id: NodeId) -> u32 {
        let mut child = self.nodes.kind(id).span();
        for kind in self.nodes.ancestor_kinds(id) {
            match kind {
                AstKind::CallExpression(_) | AstKind::NewExpression(_) => return position_of_call(kind),
                // The body of a function, or the initial value of a parameter.
                AstKind::ArrowFunctionExpression(_) | AstKind::Function(_) | AstKind::Program(_) => break,
                _ if is_announced(kind) => return kind.span().start,
                _ => child = kind.span(),
            }
        }
        child.start
    }

    /// Whether an expression can be an argument of a call without another meaning.
    fn is_wrappable(&self, id: NodeId) -> bool {
        let mut child = self.nodes.kind(id).span();
        for (depth, kind) in self.nodes.ancestor_kinds(id).enumerate() {
            match kind {
                // `new new X()()` would call another function.
                AstKind::NewExpression(new) if depth == 0 && new.callee.span() == child => return false,
                // A part of an optional chain ends with it.
                AstKind::ChainExpression(_) | AstKind::Decorator(_) | AstKind::TSEnumMember(_) => {
                    return false;
                }
                AstKind::CallExpression(call) if call.callee.span() == child => {}
                AstKind::StaticMemberExpression(_)
                | AstKind::PrivateFieldExpression(_)
                | AstKind::TSNonNullExpression(_) => {}
                AstKind::ComputedMemberExpression(member) if member.object.span() == child => {}
                _ => return true,
            }
            child = kind.span();
        }
        true
    }

    fn finish(self) -> Announced {
        let mut edits = Edits::default();
        for (at, text) in self.closing.into_iter().rev() {
            edits.insert(at as usize, text.to_owned());
        }
        for (at, text) in self.opening {
            edits.insert(at as usize, text);
        }
        Announced { text: edits.apply(self.text), positions: positions_of(self.text, &self.offsets) }
    }
}

/// The positions of offsets, in one walk through the text.
fn positions_of(text: &str, offsets: &[u32]) -> Vec<Position> {
    let mut order: Vec<usize> = (0..offsets.len()).collect();
    order.sort_by_key(|index| offsets.get(*index));
    let mut positions = vec![Position { line: 1, column: 1 }; offsets.len()];
    let (mut at, mut from) = (Position { line: 1, column: 1 }, 0);
    for index in order {
        let (Some(offset), Some(position)) = (offsets.get(index), positions.get_mut(index)) else { continue };
        for character in text.get(from..*offset as usize).unwrap_or_default().chars() {
            at = match character {
                '\n' => Position { line: at.line + 1, column: 1 },
                _ => Position { column: at.column + 1, ..at },
            };
        }
        from = *offset as usize;
        *position = at;
    }
    positions
}

/// Whether a statement does something itself. Functions and types do not.
fn is_announced(kind: AstKind<'_>) -> bool {
    match kind {
        AstKind::ExpressionStatement(_)
        | AstKind::ReturnStatement(_)
        | AstKind::IfStatement(_)
        | AstKind::DoWhileStatement(_)
        | AstKind::WhileStatement(_)
        | AstKind::ForStatement(_)
        | AstKind::ForInStatement(_)
        | AstKind::ForOfStatement(_)
        | AstKind::SwitchStatement(_)
        | AstKind::LabeledStatement(_)
        | AstKind::ThrowStatement(_)
        | AstKind::TryStatement(_) => true,
        AstKind::VariableDeclaration(variables) => !variables.declare,
        AstKind::ExportDeclaration(export) => {
            matches!(&export.declaration, Declaration::VariableDeclaration(variables) if !variables.declare)
        }
        AstKind::ExportDefaultDeclaration(export) => !matches!(
            export.declaration,
            ExportDefaultDeclarationKind::FunctionDeclaration(_)
                | ExportDefaultDeclarationKind::ClassDeclaration(_)
                | ExportDefaultDeclarationKind::TSInterfaceDeclaration(_)
        ),
        _ => false,
    }
}

fn standing(statement: AstKind<'_>, parent: AstKind<'_>) -> Standing {
    match parent {
        AstKind::Program(_)
        | AstKind::FunctionBody(_)
        | AstKind::BlockStatement(_)
        | AstKind::StaticBlock(_)
        | AstKind::SwitchCase(_) => Standing::Listed,
        AstKind::IfStatement(_)
        | AstKind::DoWhileStatement(_)
        | AstKind::WhileStatement(_)
        | AstKind::WithStatement(_) => Standing::Alone,
        AstKind::ForStatement(_) | AstKind::ForInStatement(_) | AstKind::ForOfStatement(_)
            if !matches!(statement, AstKind::VariableDeclaration(_)) =>
        {
            Standing::Alone
        }
        _ => Standing::Elsewhere,
    }
}

/// The place of a call: the last name of what is called.
fn position_of_call(kind: AstKind<'_>) -> u32 {
    match kind {
        AstKind::CallExpression(call) => match &call.callee {
            Expression::StaticMemberExpression(member) => member.property.span.start,
            callee => callee.span().start,
        },
        kind => kind.span().start,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn announced(text: &str) -> String {
        announce("a.ts", text, "$", 0).unwrap().text
    }

    #[test]
    fn statements_and_calls_are_announced() {
        for (text, expected) in [
            ("const a = 1\na + 1", "$(0); const a = 1\n$(1); a + 1"),
            ("f(g())", "$(0); $(1, ($(2), f($(3, ($(4), g())))))"),
            (
                "if (a) b(); else c()",
                "$(0); if (a) { $(1); $(2, ($(3), b()));} else { $(4); $(5, ($(6), c()))}",
            ),
            ("for (let i = 0;;) a", "$(0); for (let i = 0;;) { $(1); a}"),
            ("x: for (;;) break x;", "$(0); x: for (;;) break x;"),
            ("const f = (x) => x * 2", "$(0); const f = (x) => x * 2"),
            ("const f = (x) => x + g()", "$(0); const f = (x) => ($(1), x + $(2, ($(3), g())))"),
            ("a?.b().c()", "$(0); $(1, a?.b().c())"),
            ("a?.b(c())", "$(0); $(1, a?.b($(2, ($(3), c()))))"),
            ("new new X()()", "$(0); $(1, ($(2), new new X()()))"),
            (
                "function f(): void;\nfunction f() { 'use strict'; return 1 }",
                "function f(): void;\nfunction f() { 'use strict'; $(0); return 1 }",
            ),
            (
                "interface A {}\ndeclare const a: number;\nexport const b = 1;",
                "interface A {}\ndeclare const a: number;\n$(0); export const b = 1;",
            ),
            ("@d(1) class A { x = f() }", "@d(1) class A { x = $(0, ($(1), f())) }"),
        ] {
            assert_eq!(announced(text), expected);
        }
    }

    #[test]
    fn positions_are_those_of_names() {
        let announced = announce("a.js", "a;\n  text\n    .indexOf(b)", "$", 7).unwrap();
        let places: Vec<_> = announced.positions.iter().map(|place| (place.line, place.column)).collect();
        assert_eq!(places, [(1, 1), (2, 3), (2, 3), (3, 6)]);
        assert!(announced.text.starts_with("$(7); a;"));
    }

    #[test]
    fn what_cannot_be_parsed_is_left_alone() {
        assert!(announce("a.js", "const = 1", "$", 0).is_none());
    }
}
