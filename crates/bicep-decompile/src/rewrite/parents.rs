//! `parent:` instead of the parent's name in front of the child's: a child whose name begins with the name of another resource of
//! the parent type gets that resource as its parent. Not for loops.

use base::{SmolStr, TextRange};
use bicep_sema::resource::Resource;
use bicep_sema::{Binding, Model, SymbolId};
use bicep_syntax::ast::{self, Expr, Name, Object, Property, Str};
use bicep_syntax::{Node, Tree};

use super::Edit;
use crate::syntax::quoted_parts;

/// A resource that gets a parent.
pub(super) struct Child<'t> {
    pub(super) body: Object<'t>,
    pub(super) parent: SymbolId,
    /// What the parent is called.
    parent_name: SmolStr,
    pub(super) name: Property<'t>,
    pub(super) rest: NameRest<'t>,
}

/// What stays of the name of a child.
pub(super) struct NameRest<'t> {
    text: String,
    /// The expressions in it.
    pub(super) holes: Vec<Expr<'t>>,
}

/// The resources of a file that get parents.
pub(super) fn children<'t>(tree: &'t Tree, model: &Model) -> Vec<Child<'t>> {
    let mut children = Vec::new();
    for resource in model.resources().iter().filter(|it| it.reference.segment_count() >= 3) {
        let Some(body) = body_of(tree, resource) else { continue };
        let Some(name) = body.property("name") else { continue };
        let Expr::Str(child) = name.value() else { continue };
        let parents = model.resources().iter().filter(|it| it.reference.is_parent_of(&resource.reference));
        let found = parents.into_iter().find_map(|parent| {
            let parent_name = body_of(tree, parent)?.property("name")?.value();
            let rest = rest_of_name(model, child, parent_name)?;
            let parent_name = model.symbol(parent.symbol).name.clone()?;
            Some(Child { body, parent: parent.symbol, parent_name, name, rest })
        });
        children.extend(found);
    }
    children
}

impl Child<'_> {
    /// The changes that give it the parent.
    pub(super) fn edits(self) -> Vec<Edit> {
        let Some(first) = self.body.properties().next() else { return Vec::new() };
        let start = first.range().start();
        let parent = Edit { range: TextRange::empty(start), text: format!("parent: {}\n", self.parent_name) };
        vec![Edit { range: self.name.value().range(), text: self.rest.text }, parent]
    }
}

/// The body of a resource that is not declared by a loop.
fn body_of<'t>(tree: &'t Tree, resource: &Resource) -> Option<Object<'t>> {
    if resource.is_collection {
        return None;
    }
    ast::Resource::cast(tree.node(resource.declaration))?.body()
}

/// The name of a child without that of its parent.
fn rest_of_name<'t>(model: &Model, child: Str<'t>, parent: Expr<'t>) -> Option<NameRest<'t>> {
    let segments = child.segment_values();
    let holes: Vec<Expr<'t>> = child.holes().collect();
    match parent {
        Expr::VarAccess(parent) => {
            let Expr::VarAccess(first) = *holes.first()? else { return None };
            let bindings = model.bindings();
            if bindings.symbol(parent.syntax())? != bindings.symbol(first.syntax())? {
                return None;
            }
            let mut rest = vec![segments.get(1)?.strip_prefix('/')?.to_owned()];
            rest.extend(segments.iter().skip(2).cloned());
            let holes = holes.get(1..)?.to_vec();
            Some(NameRest { text: quoted_parts(&rest, &texts(&holes)), holes })
        }
        Expr::Str(parent) => {
            let start = parent.segment_values();
            let shared = start.len().checked_sub(1)?;
            let parent_holes: Vec<Expr<'_>> = parent.holes().collect();
            if start.len() > segments.len() || parent_holes.len() > holes.len() {
                return None;
            }
            let is_same = |(one, other): (&Expr<'_>, &Expr<'_>)| {
                let meaning = meaning(model, one.syntax());
                meaning.is_some() && meaning == self::meaning(model, other.syntax())
            };
            if !parent_holes.iter().zip(&holes).all(is_same) || start.get(..shared) != segments.get(..shared)
            {
                return None;
            }
            let rest = segments.get(shared)?.strip_prefix(start.get(shared)?.as_str())?;
            let mut rest = vec![rest.strip_prefix('/')?.to_owned()];
            rest.extend(segments.iter().skip(shared + 1).cloned());
            let holes = holes.get(shared..)?.to_vec();
            let text = match (rest.as_slice(), texts(&holes).as_slice()) {
                ([before, behind], [only]) if before.is_empty() && behind.is_empty() => (*only).to_owned(),
                (_, texts) => quoted_parts(&rest, texts),
            };
            Some(NameRest { text, holes })
        }
        _ => None,
    }
}

fn texts<'t>(holes: &[Expr<'t>]) -> Vec<&'t str> {
    holes.iter().map(|hole| hole.syntax().text()).collect()
}

/// What a hole refers to. Calls of one function count as the same, as they do for the reference.
#[derive(Debug, PartialEq, Eq)]
enum Meaning<'t> {
    Symbol(SymbolId),
    Function(usize, &'t str),
}

fn meaning<'t>(model: &Model, node: Node<'t>) -> Option<Meaning<'t>> {
    match model.bindings().get(node)? {
        Binding::Symbol(symbol) => Some(Meaning::Symbol(symbol)),
        Binding::Function(namespace) => {
            let name = ast::Call::cast(node)?.name().and_then(Name::text)?;
            Some(Meaning::Function(namespace, name))
        }
        _ => None,
    }
}
