//! What a rule sees and how it reports.

use base::{Diagnostic, Fix, Severity, TextRange};
use bicep_sema::{BicepFile, Model, Program, Symbol, SymbolId, SymbolKind};
use bicep_syntax::ast::{Call, Decorator, Expr, Name};
use bicep_syntax::{Node, SyntaxKind, Token, Tree};

use crate::Rule;

/// A file with its model, and where findings go.
pub struct Context<'p, 'w> {
    /// The whole program.
    pub program: &'p Program<'w>,
    /// The file.
    pub bicep: &'p BicepFile,
    /// Its model.
    pub model: &'p Model,
    rule: &'p Rule,
    severity: Severity,
    findings: &'p mut Vec<Diagnostic>,
}

impl<'p, 'w> Context<'p, 'w> {
    #[expect(clippy::too_many_arguments, reason = "a context is what bundles these for everybody else")]
    pub(crate) fn new(
        program: &'p Program<'w>,
        bicep: &'p BicepFile,
        model: &'p Model,
        rule: &'p Rule,
        severity: Severity,
        findings: &'p mut Vec<Diagnostic>,
    ) -> Self {
        Self { program, bicep, model, rule, severity, findings }
    }

    /// The tree of the file.
    pub fn tree(&self) -> &'p Tree {
        self.bicep.tree()
    }

    /// Reports a finding.
    pub fn report(&mut self, range: TextRange, message: impl Into<String>) {
        self.report_with(range, message, Vec::new());
    }

    /// Reports a finding with ways out of it.
    pub fn report_with(&mut self, range: TextRange, message: impl Into<String>, fixes: Vec<Fix>) {
        let link = format!("https://aka.ms/bicep/linter-diagnostics#{}", self.rule.code);
        let mut diagnostic = Diagnostic::new(self.rule.code, self.severity, range, message).with_link(link);
        diagnostic.fixes = fixes;
        self.findings.push(diagnostic);
    }

    /// The symbols of a kind that have a name, with their names.
    pub fn symbols(&self, kind: SymbolKind) -> impl Iterator<Item = (SymbolId, &'p Symbol, &'p str)> {
        let symbols = self.model.symbols().filter(move |(_, symbol)| symbol.kind == kind);
        symbols.filter_map(|(id, symbol)| Some((id, symbol, symbol.name.as_deref()?)))
    }

    /// The node that declares a symbol.
    pub fn declaration(&self, symbol: &Symbol) -> Node<'p> {
        self.tree().node(symbol.declaration)
    }

    /// The decorator of a name in the namespace of the language, on a declaration.
    pub fn decorator(&self, declaration: Node<'p>, name: &str) -> Option<Call<'p>> {
        let call = |decorator: Decorator<'p>| match decorator.expression() {
            Expr::Call(call) => Some(call),
            _ => None,
        };
        let is_named = |call: &Call<'p>| call.name().and_then(Name::text) == Some(name);
        declaration.children().filter_map(Decorator::cast).filter_map(call).find(is_named)
    }
}

/// The range to delete when a whole statement goes: its lines, with the comments at their ends.
pub fn lines_of(statement: Node<'_>) -> TextRange {
    let (Some(first), Some(last)) = (statement.first_token(), statement.last_token()) else {
        return statement.range();
    };
    let start = first.leading_trivia().next().unwrap_or(first).range().start();
    let end = last.trailing_trivia().last().unwrap_or(last).range().end();
    let line_end = last.next().filter(|token| token.kind() == SyntaxKind::NewLine).map(Token::range);
    TextRange::new(start, line_end.map_or(end, TextRange::end).max(start))
}
