//! Calls, and which built-in function they mean.

use base::TextRange;
use bicep_sema::{Binding, Model};
use bicep_syntax::ast::{Argument, Call, Expr, MethodCall, Name};
use bicep_syntax::{Node, SyntaxKind, Tree};

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

/// The calls of a file to the functions of a namespace whose names fulfil a condition. Names are compared first:
/// most calls are of something else, and what a call means takes longer to find out.
pub fn calls_of<'t>(
    model: &Model,
    tree: &'t Tree,
    namespace: &str,
    is_meant: impl Fn(&str) -> bool,
) -> Vec<AnyCall<'t>> {
    let calls = tree.nodes_of(&[SyntaxKind::Call, SyntaxKind::MethodCall]);
    let is_named = |node: &Node<'t>| AnyCall::cast(*node).and_then(AnyCall::name).is_some_and(&is_meant);
    calls.filter(is_named).filter_map(|call| built_in(model, call, namespace)).collect()
}

/// The calls of a file to `reference` and the functions whose names start with `list`.
pub fn runtime_calls<'t>(model: &Model, tree: &'t Tree) -> Vec<AnyCall<'t>> {
    calls_of(model, tree, "az", |name| name == "reference" || name.starts_with("list"))
}
