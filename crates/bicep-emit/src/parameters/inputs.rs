//! The external inputs of a parameter file: found, told apart, and given keys.
//!
//! Two spellings are written. The first names inputs `0`, `1`, … in the order in which the parameters come to them; the
//! second, which Azure reads, names them after their kind and numbers parameters before variables.

use std::collections::{BTreeMap, BTreeSet};

use base::{TextRange, TextSize};
use bicep_sema::hoisted::function_flags;
use bicep_sema::{FileId, SymbolKind};
use bicep_syntax::ast::{self, Expr, Statement};
use bicep_syntax::{Node, NodeId, SyntaxKind};
use bicep_types::ty::FunctionFlags;
use serde_json::Value as Json;

use super::parameter_file::ParameterFile;

/// How external inputs are written into a parameters file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExternalInputForm {
    /// `externalInputs: { "0": { type, config } }`
    #[default]
    Seed,
    /// `externalInputDefinitions: { "sys_cli_0": { kind, config } }`, as Azure reads it.
    Azure,
}

/// A value that a tool has to supply before the deployment.
#[derive(Debug, Clone, PartialEq)]
pub struct ExternalInput {
    /// Its name in expressions.
    pub key: String,
    /// Which tool is asked, as `sys.envVar`.
    pub kind: String,
    /// What it is asked.
    pub config: Option<Json>,
    /// Whether its kind is written, but empty.
    pub is_nameless: bool,
    /// The file that asks first.
    pub file: FileId,
    /// Where it does.
    pub range: TextRange,
}

/// Finds the external inputs of a file and of what it inherits, and tells the contexts their keys.
pub(super) fn external_inputs(file: &ParameterFile<'_>, form: ExternalInputForm) -> Vec<ExternalInput> {
    let mut uses = uses(file);
    if form == ExternalInputForm::Azure {
        uses.sort_by_key(|it| (it.part, it.depth, it.range.start()));
    }
    let mut inputs: Vec<ExternalInput> = Vec::new();
    let mut known: BTreeMap<(String, Option<String>), usize> = BTreeMap::new();
    let mut keys: BTreeMap<usize, BTreeMap<NodeId, String>> = BTreeMap::new();
    for Use { depth, call, range, kind, config, is_nameless, .. } in uses {
        let Some(file) = file.chain().nth(depth).map(|file| file.cx.file) else { continue };
        let identity = (kind.clone(), config.as_ref().map(json::to_compact));
        let index = *known.entry(identity).or_insert_with(|| {
            let key = key(form, &kind, inputs.len());
            inputs.push(ExternalInput { key, kind, config, is_nameless, file, range });
            inputs.len() - 1
        });
        let key = inputs.get(index).map(|input| input.key.clone()).unwrap_or_default();
        keys.entry(depth).or_default().insert(call, key);
    }
    for (depth, file) in file.chain().enumerate() {
        // Keys are given once, right after loading.
        let _ = file.cx.external_keys.set(keys.remove(&depth).unwrap_or_default());
    }
    inputs
}

fn key(form: ExternalInputForm, kind: &str, index: usize) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    match form {
        ExternalInputForm::Seed => index.to_string(),
        ExternalInputForm::Azure => {
            let name: String = kind.chars().map(|c| if is_word(c) { c } else { '_' }).collect();
            format!("{name}_{index}")
        }
    }
}

/// A call that asks for an external input.
struct Use {
    part: CallSite,
    /// How often `extends` leads from the file to the one that it stands in.
    depth: usize,
    call: NodeId,
    range: TextRange,
    kind: String,
    config: Option<Json>,
    is_nameless: bool,
}

/// The part of a file that a call stands in, in the order in which Azure's keys are numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CallSite {
    Parameter,
    Variable,
    Using,
}

/// All uses: those that parameters reach in their order, then those of other variables of the file.
fn uses(file: &ParameterFile<'_>) -> Vec<Use> {
    let mut walk = Walk { file, seen: BTreeSet::new(), found: Vec::new() };
    for (name, _, _) in file.assignments() {
        walk.parameter(0, &name);
    }
    for statement in file.cx.tree().file().statements() {
        if let Statement::Var(variable) = statement {
            walk.declaration(0, CallSite::Variable, variable.syntax());
        }
    }
    for statement in file.cx.tree().file().statements() {
        if let Statement::Using(using) = statement
            && let Some(config) = using.with_clause().and_then(ast::WithClause::config)
        {
            walk.declaration(0, CallSite::Using, config.syntax());
        }
    }
    walk.found
}

struct Walk<'s, 'p> {
    file: &'s ParameterFile<'p>,
    /// Declarations that have been looked into, by file and start.
    seen: BTreeSet<(usize, TextSize)>,
    found: Vec<Use>,
}

impl<'s, 'p> Walk<'s, 'p> {
    fn at(&self, depth: usize) -> Option<&'s ParameterFile<'p>> {
        self.file.chain().nth(depth)
    }

    /// Looks into the assignment of a parameter, as it is seen from a file.
    fn parameter(&mut self, depth: usize, name: &str) {
        let Some(file) = self.at(depth) else { return };
        let Some((assignment, owner)) = file.assignment(name) else { return };
        let Some(depth) = self.file.chain().position(|other| std::ptr::eq(other, owner)) else { return };
        self.declaration(depth, CallSite::Parameter, assignment.syntax());
    }

    fn declaration(&mut self, depth: usize, part: CallSite, node: Node<'p>) {
        if self.seen.insert((depth, node.range().start())) {
            base::recurse(|| {
                node.descendants().for_each(|inner| self.node(depth, part, inner));
            });
        }
    }

    fn node(&mut self, depth: usize, part: CallSite, node: Node<'p>) {
        match node.kind() {
            SyntaxKind::Call | SyntaxKind::MethodCall => self.call(depth, part, node),
            SyntaxKind::VarAccess => self.name(depth, node),
            _ => {}
        }
    }

    fn call(&mut self, depth: usize, part: CallSite, call: Node<'p>) {
        let Some(file) = self.at(depth) else { return };
        if let Some((kind, config)) = asked(file, call) {
            let range = call.range();
            let is_nameless = kind.as_deref() == Some("");
            let kind = kind.unwrap_or_default();
            self.found.push(Use { part, depth, call: call.id(), range, kind, config, is_nameless });
        }
    }

    /// Follows a name to what gives its value.
    fn name(&mut self, depth: usize, node: Node<'p>) {
        let Some(file) = self.at(depth) else { return };
        let cx = &file.cx;
        if let Some(symbol) = cx.model.bindings().symbol(node) {
            let declaration = cx.declaration(symbol);
            match cx.model.symbol(symbol).kind {
                SymbolKind::Var => self.declaration(depth, CallSite::Variable, declaration),
                SymbolKind::ParamAssignment => self.declaration(depth, CallSite::Parameter, declaration),
                _ => {}
            }
            return;
        }
        let Some(name) = ast::VarAccess::cast(node).and_then(ast::VarAccess::name).and_then(ast::Name::text)
        else {
            return;
        };
        match base_member(node) {
            _ if name != "base" => self.parameter(depth, name),
            Some(member) => self.parameter(depth + 1, &member),
            None => {
                let all = self.at(depth + 1).map(ParameterFile::assignments).unwrap_or_default();
                all.into_iter().for_each(|(name, ..)| self.parameter(depth + 1, &name));
            }
        }
    }
}

/// The member that is taken of `base`, where it is written as a name.
pub(super) fn base_member(base: Node<'_>) -> Option<String> {
    match Expr::of(base.parent()?) {
        Expr::PropertyAccess(access) if access.base().syntax() == base => {
            access.name().and_then(ast::Name::text).map(str::to_owned)
        }
        Expr::Index(access) if access.base().syntax() == base => match access.index() {
            Expr::Str(text) => text.value(),
            _ => None,
        },
        _ => None,
    }
}

/// The kind and the configuration of the input that a call asks for. What is no constant has been reported and is left
/// out, so that nothing else is said about the call.
fn asked<'p>(file: &ParameterFile<'p>, call: Node<'p>) -> Option<(Option<String>, Option<Json>)> {
    if !function_flags(call, file.cx.model).contains(FunctionFlags::REQUIRES_EXTERNAL_INPUT) {
        return None;
    }
    let (name, arguments): (_, Vec<Expr<'p>>) = match Expr::of(call) {
        Expr::Call(call) => (call.name()?, call.arguments().map(ast::Argument::value).collect()),
        Expr::MethodCall(call) => (call.name()?, call.arguments().map(ast::Argument::value).collect()),
        _ => return None,
    };
    let mut values = arguments.into_iter().map(|argument| constant(file, argument));
    let first = values.next().flatten();
    match name.text()? {
        "readEnvVar" => Some((Some("sys.envVar".to_owned()), first)),
        "readCliArg" => Some((Some("sys.cliArg".to_owned()), first)),
        _ => {
            let kind = first.as_ref().and_then(Json::as_str).map(str::to_owned);
            Some((kind, values.next().flatten()))
        }
    }
}

/// The value of a constant. Anything else has been reported.
fn constant<'p>(file: &ParameterFile<'p>, expr: Expr<'p>) -> Option<Json> {
    let refers = |node: Node<'p>| {
        matches!(node.kind(), SyntaxKind::VarAccess | SyntaxKind::Call | SyntaxKind::MethodCall)
    };
    if expr.syntax().descendants().any(refers) {
        return None;
    }
    let value = file.evaluate("", expr).ok()?;
    Some(value.to_json(arm::Secrets::Shown))
}
