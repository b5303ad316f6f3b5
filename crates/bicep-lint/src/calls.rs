//! Calls, and which built-in function they mean.

use base::TextRange;
use bicep_sema::{Binding, Model};
use bicep_syntax::Node;
use bicep_syntax::ast::{Argument, Call, Expr, MethodCall, Name};

/// A call of a function: `f(…)` or `a.f(…)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnyCall<'t> {
    /// `f(…)`
    Function(Call<'t>),
    /// `a.f(…)`
    Method(MethodCall<'t>),
}

impl<'t> AnyCall<'t> {
    /// The call that a node is.
    pub fn cast(node: Node<'t>) -> Option<Self> {
        match Expr::of(node) {
            Expr::Call(call) => Some(Self::Function(call)),
            Expr::MethodCall(call) => Some(Self::Method(call)),
            _ => None,
        }
    }

    /// The node.
    pub fn syntax(self) -> Node<'t> {
        match self {
            Self::Function(call) => call.syntax(),
            Self::Method(call) => call.syntax(),
        }
    }

    pub fn range(self) -> TextRange {
        self.syntax().range()
    }

    /// The name of the function.
    pub fn name(self) -> Option<&'t str> {
        match self {
            Self::Function(call) => call.name(),
            Self::Method(call) => call.name(),
        }
        .and_then(Name::text)
    }

    pub fn arguments(self) -> Vec<Expr<'t>> {
        self.syntax().children().filter_map(Argument::cast).map(Argument::value).collect()
    }
}

/// The call that a node is, if it calls a function of this namespace: `sys` or `az`.
pub fn built_in<'t>(model: &Model, node: Node<'t>, namespace: &str) -> Option<AnyCall<'t>> {
    let call = AnyCall::cast(node)?;
    let index = match call {
        AnyCall::Function(_) => match model.bindings().get(node)? {
            Binding::Function(index) => index,
            _ => return None,
        },
        AnyCall::Method(method) => model.namespace_of(method.base().syntax())?,
    };
    let found = model.namespaces().get(index).filter(|found| found.extension == namespace)?;
    found.has_function(call.name()?, true).then_some(call)
}

/// The calls in and under a node to the function of this name and namespace.
pub fn calls_of<'t>(model: &Model, node: Node<'t>, namespace: &str, name: &str) -> Vec<AnyCall<'t>> {
    let is_named = |inner: &Node<'t>| AnyCall::cast(*inner).is_some_and(|call| call.name() == Some(name));
    node.descendants().filter(is_named).filter_map(|inner| built_in(model, inner, namespace)).collect()
}

/// The calls in and under a node to `reference` and the functions whose names start with `list`.
pub fn runtime_calls<'t>(model: &Model, node: Node<'t>) -> Vec<AnyCall<'t>> {
    let is_runtime = |name: &str| name == "reference" || name.starts_with("list");
    let calls = node.descendants().filter_map(|inner| built_in(model, inner, "az"));
    calls.filter(|call| call.name().is_some_and(is_runtime)).collect()
}
