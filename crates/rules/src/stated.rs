//! What a template says about its own resources, for expressions that refer to them: `reference(…).sku` is known as far
//! as the template writes a `sku`. What it does not write is left unknown: the service may fill it in.

use std::collections::BTreeMap;

use arm::expression::{Accessor, Expr, ExprKind};
use arm::template::{Term, TermKind};
use arm::{ResourceQuery, State, Value};

use crate::document::Placed;
use crate::reparent::Identity;

/// The resources of a template by name, each as it would be asked for.
#[derive(Debug, Default)]
pub(crate) struct Stated {
    /// None where a name is not unique.
    resources: BTreeMap<String, Option<Value>>,
}

impl Stated {
    pub(crate) fn of(placed: &[Placed], identities: &[Identity]) -> Self {
        let mut stated = Self::default();
        for (placed, identity) in placed.iter().zip(identities) {
            // The outputs of deployments are worked out elsewhere.
            let is_deployment = identity
                .full_type
                .as_deref()
                .is_some_and(|full_type| full_type.eq_ignore_ascii_case("Microsoft.Resources/deployments"));
            let names = [identity.symbol.as_ref().map(ToString::to_string), key(identity)];
            for name in names.into_iter().flatten().filter(|_| !is_deployment) {
                let body = || Some(placed.body.clone());
                stated.resources.entry(name).and_modify(|it| *it = None).or_insert_with(body);
            }
        }
        stated
    }
}

impl State for Stated {
    fn resource(&self, query: &ResourceQuery<'_>) -> Option<Value> {
        let id = query.id.to_ascii_lowercase();
        let by_id = || self.resources.get(id.rsplit_once("/providers/")?.1);
        let found = query.symbol.and_then(|symbol| self.resources.get(symbol)).or_else(by_id)?.as_ref()?;
        if query.full { Some(found.clone()) } else { found.get("properties").cloned() }
    }
}

/// `namespace/type/name/type/name`, in small letters: what stands behind the last `providers` of an id.
fn key(identity: &Identity) -> Option<String> {
    let (full_type, name) = (identity.full_type.as_ref()?, identity.full_name.as_ref()?);
    let mut types = full_type.split('/');
    let mut key = types.next()?.to_owned();
    for (kind, name) in types.zip(name.split('/')) {
        key.extend(["/", kind, "/", name]);
    }
    Some(key.to_ascii_lowercase())
}

/// Whether a term has an expression that asks a resource for a part of it.
pub(crate) fn refers(term: &Term) -> bool {
    match &term.kind {
        TermKind::Expression(expression, _) => is_partial(expression),
        TermKind::Array(items) => items.iter().any(refers),
        TermKind::Object(parts) => parts.iter().any(|part| refers(&part.value)),
        TermKind::Literal(_) | TermKind::Broken(_) | TermKind::Loop(_) => false,
    }
}

/// Whether all resources that an expression refers to are asked for one part. A function that takes all of a resource
/// would see less than there will be.
fn is_partial(expression: &Expr) -> bool {
    let is_reference = |expression: &Expr| match expression.kind() {
        ExprKind::Call(call) => call.name.eq_ignore_ascii_case("reference"),
        _ => false,
    };
    let (mut all, mut partial) = (0_usize, 0_usize);
    expression.walk(&mut |part| {
        all += usize::from(is_reference(part));
        if let ExprKind::Access { base, path } = part.kind() {
            let is_named = matches!(path.first(), Some(Accessor::Property(_)));
            partial += usize::from(is_named && is_reference(base));
        }
    });
    all > 0 && all == partial
}
