//! Where an expression may give away a secret.

use base::{SmolStr, TextRange};
use bicep_syntax::ast::{Expr, Name};
use bicep_syntax::{Node, SyntaxKind};
use bicep_types::ty::Property;
use bicep_types::{Kind, Type};

use crate::View;
use crate::calls::{AnyCall, built_in};
use crate::expression_type::type_of;
use crate::resources::resource_named;

/// A place at which a secret may come out.
#[derive(Debug, Clone)]
pub struct PossibleSecret {
    pub range: TextRange,
    /// What it is, as a clause: `the secure value "p.key"`.
    pub what: String,
}

/// The secrets in and under a node: values of secure types, and what functions named `list…` return.
pub fn possible_secrets(view: &View<'_, '_>, node: Node<'_>) -> Vec<PossibleSecret> {
    let mut secrets = Vec::new();
    // Each node with whether something behind it picks a part of its value.
    let mut open = vec![(node, false)];
    while let Some((node, is_picked_from)) = open.pop() {
        let found = secure_value(view, node, is_picked_from).into_iter().chain(list_call(view, node));
        secrets.extend(found);
        let is_access = matches!(node.kind(), SyntaxKind::PropertyAccess | SyntaxKind::Index);
        let children: Vec<_> = node.understood_children().collect();
        open.extend(children.into_iter().rev().map(|child| (child, is_picked_from || is_access)));
    }
    secrets
}

/// The secure parts of a value. If only a part of it is used, its other parts do not matter.
fn secure_value(view: &View<'_, '_>, node: Node<'_>, is_picked_from: bool) -> Vec<PossibleSecret> {
    let range = match Expr::of(node) {
        Expr::VarAccess(access) => access.name().map(Name::range),
        Expr::PropertyAccess(access) => access.name().map(Name::range),
        Expr::Index(access) => Some(access.index().range()),
        _ => None,
    };
    let Some(range) = range else { return Vec::new() };
    let ty = type_of(view, Expr::of(node));
    let paths = if is_picked_from { own_paths(&ty) } else { secure_paths(&ty) };
    let secret =
        |path: String| PossibleSecret { range, what: format!("the secure value \"{}{path}\"", node.text()) };
    paths.into_iter().map(secret).collect()
}

/// As [`secure_paths`], without those to parts of the value.
fn own_paths(ty: &Type) -> Vec<String> {
    let alternatives = if let Kind::Union(members) = ty.kind() { members.as_slice() } else { &[] };
    let own = std::iter::once(ty).chain(alternatives);
    own.filter(|it| it.is_secure()).map(|_| String::new()).collect()
}

/// The paths to the secrets in a value; a namespace holds those of its configuration.
fn secure_paths(ty: &Type) -> Vec<String> {
    let Kind::Namespace(namespace) = ty.kind() else { return ty.secure_paths() };
    let members = namespace.members.sorted().into_iter();
    let of_member = |(name, member): (&SmolStr, &Property)| {
        member.ty.secure_paths().into_iter().map(|path| format!(".{name}{path}")).collect::<Vec<_>>()
    };
    members.flat_map(of_member).collect()
}

/// A call to a function whose name starts with `list`, of the namespace of Azure or of a resource.
fn list_call(view: &View<'_, '_>, node: Node<'_>) -> Option<PossibleSecret> {
    let call = AnyCall::cast(node)?;
    let name = call.name().filter(|name| starts_with_list(name))?;
    let is_of_resource = match call {
        AnyCall::Method(method) => resource_named(view, method.base()).is_some(),
        AnyCall::Function(_) => false,
    };
    let counts = is_of_resource || built_in(view.model, node, "az").is_some();
    counts.then(|| PossibleSecret { range: call.range(), what: format!("the result of {name}()") })
}

fn starts_with_list(name: &str) -> bool {
    name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("list"))
}
