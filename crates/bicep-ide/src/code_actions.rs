//! What can be done about a selection: a file, its diagnostics and a range come in; actions with all their edits go out.
//!
//! Fixes of diagnostics come first, then ways to silence them, then refactorings, each sort in a file of its own.

mod declare;
mod decorators;
mod extract;
mod multi_line;
mod source;
mod suppress;
pub mod type_text;

use base::{Diagnostic, Edit, LineCol, TextRange};
use bicep_syntax::Node;
use camino::Utf8PathBuf;

use crate::FileContext;
use crate::lookup::Path;

pub use declare::missing_declarations;
pub use source::{fix_all, organize_imports};

/// Something that can be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeAction {
    /// What it does, in the imperative.
    pub title: String,
    /// What sort of thing it is.
    pub kind: ActionKind,
    /// Edits of the file.
    pub edits: Vec<Edit>,
    /// Whether it is the obvious one.
    pub is_preferred: bool,
    /// What the editor does next.
    pub command: Option<ActionCommand>,
    /// A file that it creates.
    pub new_file: Option<NewFile>,
}

/// A file that an action creates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFile {
    /// Where.
    pub path: Utf8PathBuf,
    pub text: String,
}

/// What sort of thing an action is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionKind {
    /// A way out of a diagnostic.
    QuickFix,
    /// Another form of the same.
    Refactor,
    /// Something gets a name of its own.
    RefactorExtract,
    /// All fixes of a file.
    SourceFixAll,
    /// The imports of a file.
    SourceOrganizeImports,
    /// None of these.
    Other,
}

/// What the editor does after an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ActionCommand {
    /// Renames what has been extracted; it stands there after the edits.
    Rename(LineCol),
    /// Opens the configuration at the level of a rule.
    EditRule(String),
}

/// The actions for a range.
pub fn code_actions(
    context: &FileContext<'_>,
    diagnostics: &[Diagnostic],
    range: TextRange,
) -> Vec<CodeAction> {
    let concerned: Vec<&Diagnostic> = diagnostics.iter().filter(|it| concerns(it.range, range)).collect();
    let mut actions: Vec<CodeAction> = concerned.iter().flat_map(|it| fixes(it)).collect();
    suppress::offer(context, &concerned, &mut actions);
    let nodes = spanning(context, range);
    decorators::offer(context, &nodes, &mut actions);
    extract::offer(context, &nodes, &mut actions);
    multi_line::offer(context, &nodes, &mut actions);
    actions
}

/// The ways to silence what others than the compiler say about a range.
pub fn suppressions(
    context: &FileContext<'_>,
    diagnostics: &[Diagnostic],
    range: TextRange,
) -> Vec<CodeAction> {
    let concerned: Vec<&Diagnostic> = diagnostics.iter().filter(|it| concerns(it.range, range)).collect();
    let mut actions = Vec::new();
    suppress::offer(context, &concerned, &mut actions);
    actions
}

/// Whether a diagnostic is about a range: it holds one of its ends, or lies in it.
fn concerns(diagnostic: TextRange, range: TextRange) -> bool {
    diagnostic.contains_inclusive(range.start())
        || diagnostic.contains_inclusive(range.end())
        || range.contains_range(diagnostic)
}

/// Whether fixes can be applied without asking. Only the user can know that a value is not null.
fn is_safe_fix(diagnostic: &Diagnostic) -> bool {
    diagnostic.code != "BCP321"
}

fn fixes(diagnostic: &Diagnostic) -> impl Iterator<Item = CodeAction> {
    let is_preferred = is_safe_fix(diagnostic);
    diagnostic.fixes.iter().map(move |fix| CodeAction {
        title: fix.title.clone(),
        kind: ActionKind::QuickFix,
        edits: fix.edits.clone(),
        is_preferred,
        command: None,
        new_file: None,
    })
}

/// The nodes around both ends of a range, from the outside in.
fn spanning<'a>(context: &FileContext<'a>, range: TextRange) -> Vec<Node<'a>> {
    let start = Path::at(context.tree(), range.start());
    let end = Path::at(context.tree(), range.end());
    let pairs = start.nodes.iter().zip(&end.nodes);
    pairs.take_while(|(a, b)| a == b).map(|(node, _)| *node).collect()
}

/// The line end that the configuration asks for.
fn newline(context: &FileContext<'_>) -> &'static str {
    match context.bicep.config.formatting.newline_kind {
        config::NewlineKind::Lf => "\n",
        config::NewlineKind::CrLf => "\r\n",
        config::NewlineKind::Cr => "\r",
    }
}
