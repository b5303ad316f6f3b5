//! Collections of resources and modules used as a whole: only where the template can write out all of them.

use std::borrow::Cow;

use bicep_syntax::ast::{self, Expr};
use bicep_syntax::{Node, SyntaxKind};
use bicep_types::ty::FunctionFlags;
use rustc_hash::FxHashMap;

use super::Limits;
use crate::messages::limits as messages;
use crate::runtime::LONGEST_PATH;
use crate::symbol::{SymbolId, SymbolKind};

pub(super) fn check(ctx: &mut Limits<'_>) {
    let mut finder = Finder { ctx, uses: FxHashMap::default(), found: Vec::new() };
    for node in ctx.tree().nodes_of(&[SyntaxKind::VarAccess, SyntaxKind::ResourceAccess]) {
        finder.access(node);
    }
    let found = finder.found;
    ctx.diagnostics.extend(found);
}

/// What is around a name.
#[derive(Debug, Clone, Copy, Default)]
struct Enclosing {
    is_in_loop: bool,
    is_in_variable: bool,
    is_in_output: bool,
    /// Inside of `properties` of a resource or `params` of a module.
    is_in_properties: bool,
    /// Inside of `dependsOn` of a resource or a module.
    is_in_depends_on: bool,
}

/// How a variable that is written out uses collections as a whole, itself or through others.
#[derive(Debug, Clone, Default)]
struct Uses {
    /// The ways to such uses.
    anywhere: Vec<Vec<String>>,
    /// The ways to such uses in a loop.
    in_loop: Vec<Vec<String>>,
}

/// How many uses behind one variable are reported.
const MOST: usize = 16;

struct Finder<'v, 'a> {
    ctx: &'v Limits<'a>,
    uses: FxHashMap<SymbolId, Uses>,
    found: Vec<base::Diagnostic>,
}

impl<'a> Finder<'_, 'a> {
    /// What is around a node; none where its value does not matter.
    fn enclosing(&self, node: Node<'a>) -> Option<Enclosing> {
        let mut enclosing = Enclosing::default();
        for outer in node.ancestors() {
            match outer.kind() {
                SyntaxKind::For => enclosing.is_in_loop = true,
                SyntaxKind::Var => enclosing.is_in_variable = true,
                SyntaxKind::Output => enclosing.is_in_output = true,
                SyntaxKind::Property => match top_property(outer).as_deref() {
                    Some("dependsOn") => enclosing.is_in_depends_on = true,
                    Some("properties" | "params") => enclosing.is_in_properties = true,
                    _ => {}
                },
                SyntaxKind::Call | SyntaxKind::MethodCall if self.ignores_arguments(outer) => return None,
                _ => {}
            }
        }
        Some(enclosing)
    }

    fn ignores_arguments(&self, node: Node<'a>) -> bool {
        self.ctx.function_flags(node).contains(FunctionFlags::ARGUMENT_VALUE_INDEPENDENT)
    }

    fn access(&mut self, node: Node<'a>) {
        let is_collection = self.is_whole_collection(node);
        let variable = if is_collection { None } else { self.inlined_variable(node) };
        // Most names are neither, which is known sooner than what is around them.
        if !is_collection && variable.is_none() {
            return;
        }
        let Some(enclosing) = self.enclosing(node).filter(|it| !it.is_in_depends_on) else { return };
        let is_written_out = !enclosing.is_in_loop && (enclosing.is_in_properties || enclosing.is_in_output);
        let is_taken_over = enclosing.is_in_variable && !enclosing.is_in_loop;
        if is_collection && !is_written_out && !is_taken_over {
            self.found.push(messages::collection_as_value(node.range(), &[]));
        }
        if let Some(variable) = variable.filter(|_| !is_taken_over) {
            let uses = self.uses_of(variable);
            let paths = if is_written_out { uses.in_loop } else { uses.anywhere };
            // As in the reference, each report also names what was reported before it.
            let mut path: Vec<String> = Vec::new();
            for next in paths {
                if path.is_empty() {
                    path = next;
                } else {
                    path.extend(next.into_iter().next_back());
                }
                self.found.push(messages::collection_as_value(node.range(), &path));
            }
        }
    }

    /// Whether a node names a collection and takes nothing out of it.
    fn is_whole_collection(&self, node: Node<'a>) -> bool {
        let is_accessed = || {
            let user = node.ancestors().find(|it| it.kind() != SyntaxKind::Paren);
            user.is_some_and(|user| matches!(Expr::of(user), Expr::PropertyAccess(_) | Expr::Index(_)))
        };
        self.ctx.is_collection(node) && !is_accessed()
    }

    fn inlined_variable(&self, node: Node<'a>) -> Option<SymbolId> {
        let symbol = self.ctx.model.bindings().symbol(node)?;
        let is_variable = self.ctx.model.symbol(symbol).kind == SymbolKind::Var;
        (is_variable && self.ctx.model.inlined().contains(symbol)).then_some(symbol)
    }

    fn uses_of(&mut self, variable: SymbolId) -> Uses {
        if let Some(known) = self.uses.get(&variable) {
            return known.clone();
        }
        self.uses.insert(variable, Uses::default());
        let mut uses = Uses::default();
        let declaration = self.ctx.tree().node(self.ctx.model.symbol(variable).declaration);
        self.collect(declaration, false, &mut uses);
        for paths in [&mut uses.anywhere, &mut uses.in_loop] {
            paths.truncate(MOST);
            for path in paths {
                path.insert(0, self.ctx.name(variable).to_owned());
                path.truncate(LONGEST_PATH);
            }
        }
        self.uses.insert(variable, uses.clone());
        uses
    }

    fn collect(&mut self, node: Node<'a>, is_in_loop: bool, uses: &mut Uses) {
        if matches!(node.kind(), SyntaxKind::Call | SyntaxKind::MethodCall) && self.ignores_arguments(node) {
            return;
        }
        let is_in_loop = is_in_loop || node.kind() == SyntaxKind::For;
        if self.is_whole_collection(node) {
            let name = self.ctx.symbol(node).and_then(|it| it.name.as_deref()).unwrap_or_default();
            let path = vec![name.to_owned()];
            if is_in_loop {
                uses.in_loop.push(path.clone());
            }
            uses.anywhere.push(path);
        } else if let Some(variable) = self.inlined_variable(node) {
            let further = self.uses_of(variable);
            let in_loop = if is_in_loop { further.anywhere.clone() } else { further.in_loop };
            uses.in_loop.extend(in_loop);
            uses.anywhere.extend(further.anywhere);
        }
        for child in node.understood_children() {
            base::recurse(|| self.collect(child, is_in_loop, uses));
        }
    }
}

/// The name of a property, if it is one of a resource or a module itself, and the only one of its name.
fn top_property(node: Node<'_>) -> Option<Cow<'_, str>> {
    let property = ast::Property::cast(node)?;
    let body = node.parent()?;
    ast::Object::cast(body)?.property(&property.key_text()?)?;
    let declaration = body.ancestors().find(|it| !matches!(it.kind(), SyntaxKind::If | SyntaxKind::For))?;
    let other = match declaration.kind() {
        SyntaxKind::Resource => "params",
        SyntaxKind::Module => "properties",
        _ => return None,
    };
    property.key_text().filter(|key| key != other)
}
