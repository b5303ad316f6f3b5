//! What a rule sees and how it reports.

use std::ops::Deref;

use base::{Check, Diagnostic, Fix, Severity, TextRange};
use bicep_sema::resource::Resources;
use bicep_sema::{BicepFile, Binding, FileId, Model, Program, Symbol, SymbolId, SymbolKind};
use bicep_syntax::{Node, SyntaxKind, Tree, ast};
use bicep_types::Catalogue;

use crate::calls::AnyCall;
use crate::{Options, Rule};

/// A file with its model.
#[derive(Clone)]
pub struct View<'p, 'w> {
    /// The whole program.
    pub program: &'p Program<'w>,
    /// The file.
    pub bicep: &'p BicepFile,
    pub model: &'p Model,
    pub resources: &'p Resources,
    /// What is known beyond the program.
    pub options: &'p Options,
}

impl<'p, 'w> View<'p, 'w> {
    /// The view of a Bicep file.
    pub fn new(program: &'p Program<'w>, file: FileId, options: &'p Options) -> Option<Self> {
        let (bicep, model) = (program.bicep(file)?, program.model(file)?);
        Some(Self { program, bicep, model, resources: model.resources(), options })
    }

    /// The view of another file of the program.
    pub fn other(&self, file: FileId) -> Option<Self> {
        Self::new(self.program, file, self.options)
    }

    /// The tree of the file.
    pub fn tree(&self) -> &'p Tree {
        self.bicep.tree()
    }

    /// The symbols of a kind with their names, as messages show them where they are missing.
    pub fn symbols(
        &self,
        kind: SymbolKind,
    ) -> impl Iterator<Item = (SymbolId, &'p Symbol, &'p str)> + use<'p> {
        let (tree, model) = (self.tree(), self.model);
        let symbols = model.symbols().filter(move |(_, symbol)| symbol.kind == kind);
        symbols.map(move |(id, symbol)| {
            let written = || tree.node(symbol.declaration).children().find_map(ast::Name::cast);
            let name = symbol.name.as_deref();
            (id, symbol, name.unwrap_or_else(|| written().map_or("", ast::Name::display)))
        })
    }

    /// The node that declares a symbol.
    pub fn declaration(&self, symbol: &Symbol) -> Node<'p> {
        self.tree().node(symbol.declaration)
    }

    /// The symbol that a node refers to.
    pub fn referenced(&self, node: Node<'_>) -> Option<(SymbolId, &'p Symbol)> {
        let id = self.model.bindings().symbol(node)?;
        Some((id, self.model.symbol(id)))
    }

    /// The decorator of the language with this name on a declaration.
    pub fn decorator<'t>(&self, declaration: Node<'t>, name: &str) -> Option<AnyCall<'t>> {
        AnyCall::cast(self.model.decorator(declaration, name)?.expression().syntax())
    }

    /// Whether a decorator `@secure(…)` is written before a declaration. The rules about secure parameters look at the
    /// name alone: one with its namespace does not count, one with wrong arguments does.
    pub fn is_marked_secure(&self, declaration: Node<'_>) -> bool {
        declaration.children().filter_map(ast::Decorator::cast).any(|decorator| {
            let call = ast::Call::cast(decorator.expression().syntax());
            call.and_then(ast::Call::name).and_then(ast::Name::text) == Some("secure")
        })
    }

    /// Whether a declaration is exported. `@export` without its parentheses is a mistake, but says so, too.
    pub fn is_exported(&self, declaration: Node<'_>) -> bool {
        let is_bare = |decorator: ast::Decorator<'_>| {
            let expression = decorator.expression().syntax();
            expression.kind() == SyntaxKind::VarAccess
                && expression.text() == "export"
                && !matches!(self.model.bindings().get(expression), Some(Binding::Symbol(_)))
        };
        self.decorator(declaration, "export").is_some()
            || declaration.children().filter_map(ast::Decorator::cast).any(is_bare)
    }

    /// The known resource types of Azure.
    pub fn catalogue(&self) -> Option<&'p Catalogue> {
        let azure = self.model.namespaces().all.iter().find(|namespace| namespace.extension == "az")?;
        azure.resources.as_ref()?.0.catalogue()
    }

    /// Whether text inside the range could not be parsed.
    pub fn has_syntax_error(&self, range: TextRange) -> bool {
        self.bicep.parse.has_misparsed_in(range)
    }
}

/// The file that a rule looks at, and where its findings go.
pub struct Context<'p, 'w> {
    pub(crate) view: View<'p, 'w>,
    pub(crate) rule: &'p Rule,
    pub(crate) severity: Severity,
    pub(crate) findings: &'p mut Vec<Diagnostic>,
}

impl<'p, 'w> Deref for Context<'p, 'w> {
    type Target = View<'p, 'w>;

    fn deref(&self) -> &View<'p, 'w> {
        &self.view
    }
}

impl<'p> Context<'p, '_> {
    /// Reports a finding.
    pub fn report(&mut self, range: TextRange, message: impl Into<String>) {
        self.report_with(range, message, Vec::new());
    }

    /// Reports a finding with ways out of it.
    pub fn report_with(
        &mut self,
        range: TextRange,
        message: impl Into<String>,
        fixes: impl IntoIterator<Item = Fix>,
    ) {
        let link = format!("https://aka.ms/bicep/linter-diagnostics#{}", self.rule.code);
        let mut diagnostic =
            Check::Linter.diagnostic(self.rule.code, self.severity, range, message).with_link(link);
        diagnostic.fixes = fixes.into_iter().collect();
        self.findings.push(diagnostic);
    }

    /// An option of the rule, as the configuration has it.
    pub fn option(&self, name: &str) -> Option<&'p serde_json::Value> {
        self.view.bicep.config.rule_option(self.rule.code, name)
    }
}
