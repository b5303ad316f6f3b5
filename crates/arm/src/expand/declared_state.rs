//! What a template writes about its own resources, for expressions that refer to them: `reference(…).sku` is known as far
//! as the template writes a `sku`.

use std::rc::Rc;

use smol_str::SmolStr;

use super::head::{Head, Index};
use super::{Deployment, Speculation};
use crate::evaluate::ExpressionSite;
use crate::expression::{Accessor, Expr, ExprKind};
use crate::template::{Term, TermKind};
use crate::value::Value;

impl Deployment<'_> {
    /// The properties of a resource of this template, or all of it, if references are answered that way now.
    pub(super) fn written(&self, head: &Rc<Head>, index: &Index, full: bool) -> Option<Value> {
        if !self.collected.answers.get() || index.is_repeated(head) {
            return None;
        }
        let known = self.collected.written.borrow().get(&head.key).cloned();
        let whole = match known {
            Some(whole) => whole,
            None => {
                let whole = self.write(head)?;
                self.collected.written.borrow_mut().insert(head.key, whole.clone());
                whole
            }
        };
        if full { Some(whole) } else { whole.get("properties").cloned() }
    }

    /// Evaluates a resource on its own. What it refers to itself stays unknown, so there are no cycles. Errors are told
    /// when the resource is planned.
    fn write(&self, head: &Rc<Head>) -> Option<Value> {
        let resource = self.setup.template.resources.get(head.resource)?;
        // What is only read is written elsewhere, and outputs of deployments are worked out otherwise.
        if resource.existing || resource.deployment.is_some() {
            return None;
        }
        let (answers, noted) = (self.collected.answers.take(), self.noted.take());
        let scope = head.names.at(ExpressionSite::ResourceBody);
        let own = head.own.iter().map(|(name, value)| (SmolStr::new_static(name), value.clone()));
        let body = resource.body.iter();
        let body = body.map(|(name, term)| (name.clone(), self.lenient(term, &scope, Speculation::Outputs)));
        let members: Vec<(SmolStr, Value)> = self.silently(|| own.chain(body).collect());
        self.collected.answers.set(answers);
        self.noted.replace(noted);
        Some(Value::object(members))
    }
}

/// Whether a term has an expression that asks a resource for a part of it.
pub(super) fn refers(term: &Term) -> bool {
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
