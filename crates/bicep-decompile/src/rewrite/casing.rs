//! The spelling of the resource types: names of properties and values that differ from the declared ones only in case take the
//! declared spelling.

use base::SmolStr;
use bicep_sema::Model;
use bicep_sema::expected::Expected;
use bicep_syntax::ast::{self, Expr, Object, PropertyAccess, Str};
use bicep_syntax::{Node, SyntaxKind, Tree};
use bicep_types::ty::{Kind, Type, assignable};

use super::Edit;
use super::parents::Child;
use crate::syntax::quoted;

/// The changes of a file.
pub(super) fn edits(tree: &Tree, model: &Model) -> Vec<Edit> {
    let mut fixer = Fixer { tree, model, expected: Expected::new(model), edits: Vec::new() };
    for node in tree.nodes() {
        match node.kind() {
            SyntaxKind::Object => fixer.keys(node),
            SyntaxKind::PropertyAccess => fixer.access(node),
            SyntaxKind::Str => fixer.value(node),
            _ => continue,
        };
    }
    fixer.edits
}

/// The changes of the names in bodies of resources of which no more is known than the types that they declare. A resource that gets a
/// parent gets another type by that, so that the members of its body are left for later.
pub(super) fn edits_of_keys(tree: &Tree, model: &Model, children: &[Child<'_>]) -> Vec<Edit> {
    let mut fixer = Fixer { tree, model, expected: Expected::new(model), edits: Vec::new() };
    for node in tree.nodes_of(&[SyntaxKind::Object]) {
        if children.iter().all(|child| child.body.syntax() != node) {
            fixer.keys(node);
        }
    }
    fixer.edits
}

struct Fixer<'a> {
    tree: &'a Tree,
    model: &'a Model,
    expected: Expected<'a>,
    edits: Vec<Edit>,
}

impl<'a> Fixer<'a> {
    fn keys(&mut self, node: Node<'a>) -> Option<()> {
        let expected = self.expected.of(node)?;
        for property in Object::cast(node)?.properties() {
            let Some(key) = property.key_text() else { continue };
            if let Some(name) = spelling(&expected, &key) {
                if let Some(declared) = expected.as_object().and_then(|object| object.property(&name)) {
                    self.expected.assume(property.value().syntax(), declared.ty.remove_null());
                }
                let is_plain = name.starts_with(|c: char| c.is_ascii_alphabetic())
                    && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
                let text = if is_plain { name } else { quoted(&name) };
                self.edits.push(Edit { range: property.key().range(), text });
            }
        }
        Some(())
    }

    fn access(&mut self, node: Node<'a>) -> Option<()> {
        let access = PropertyAccess::cast(node)?;
        let name = access.name()?;
        let base = self.type_of(access.base())?;
        let text = spelling(&base, name.text()?)?;
        self.edits.push(Edit { range: name.syntax().range(), text });
        Some(())
    }

    /// What the base of an access is; resources and modules count as their bodies.
    fn type_of(&mut self, base: Expr<'a>) -> Option<Type> {
        let Some(ty) = self.model.type_of(base.syntax()) else { return self.unchecked(base) };
        if !matches!(ty.kind(), Kind::Resource(_) | Kind::Module(_)) {
            return Some(ty.clone());
        }
        let symbol = self.model.bindings().symbol(base.syntax());
        let body = symbol.and_then(|symbol| {
            let declaration = self.tree.node(self.model.symbol(symbol).declaration);
            bicep_sema::deployed_body::DeployedBody::of(declaration)?.body()
        });
        match (body, ty.kind()) {
            (Some(body), _) => self.expected.of(body.syntax()),
            (None, Kind::Resource(resource)) => Some(resource.body.clone()),
            (None, Kind::Module(module)) => Some(module.body.clone()),
            (None, _) => None,
        }
    }

    /// The same where nothing has been checked, as in the body of a resource whose type cannot be read.
    fn unchecked(&mut self, base: Expr<'a>) -> Option<Type> {
        base::recurse(|| match base {
            Expr::VarAccess(access) => {
                let symbol = self.model.bindings().symbol(access.syntax())?;
                let declaration = self.tree.node(self.model.symbol(symbol).declaration);
                match ast::Var::cast(declaration) {
                    Some(variable) => self.model.type_of(variable.value().syntax()).cloned(),
                    None => self.model.declared_type(symbol).cloned(),
                }
            }
            Expr::PropertyAccess(access) => {
                let outer = self.type_of(access.base())?;
                Some(outer.as_object()?.property(access.name()?.text()?)?.ty.clone())
            }
            _ => None,
        })
    }

    fn value(&mut self, node: Node<'a>) -> Option<()> {
        let is_typed =
            |kind| matches!(kind, SyntaxKind::Property | SyntaxKind::ArrayItem | SyntaxKind::Argument);
        // The reference does not look through conditions.
        node.parent().filter(|parent| is_typed(parent.kind()))?;
        let expected = self.expected.of(node)?;
        let actual = self.model.type_of(node)?;
        actual.as_string_literal()?;
        if assignable(actual, &expected) {
            return None;
        }
        let candidates: Vec<&Type> = match expected.kind() {
            Kind::Union(_) => expected.members().iter().collect(),
            _ => vec![&expected],
        };
        let literals: Option<Vec<_>> = candidates.into_iter().map(Type::as_string_literal).collect();
        let text = Str::cast(node)?.plain_value()?;
        let found = literals?.into_iter().find(|it| it.to_lowercase() == text.to_lowercase())?;
        self.edits.push(Edit { range: node.range(), text: quoted(found) });
        Some(())
    }
}

/// The declared name of a property that is written in another case.
fn spelling(ty: &Type, name: &str) -> Option<String> {
    let Kind::Object(object) = ty.kind() else { return None };
    if object.properties.contains_key(name) {
        return None;
    }
    let is_alike = |it: &&SmolStr| match it.is_ascii() && name.is_ascii() {
        true => it.eq_ignore_ascii_case(name),
        false => it.to_lowercase() == name.to_lowercase(),
    };
    object.properties.keys().filter(is_alike).min().map(ToString::to_string)
}
