//! Calls whose result the compiler knows and a template keeps in a variable of its own: `loadJsonContent` and the like.

use bicep_syntax::ast::{self, Expr};
use bicep_syntax::{Node, NodeId, SyntaxKind, Tree};
use bicep_types::ty::FunctionFlags;

use crate::bind::Binding;
use crate::model::Model;

/// Those calls of a file with the names of their variables, in the order of the text. Calls in the bodies of functions
/// are not among them: there variables cannot be used.
pub fn hoisted_calls(tree: &Tree, model: &Model) -> Vec<(NodeId, String)> {
    let mut calls = Vec::new();
    let mut open = vec![tree.root()];
    while let Some(node) = open.pop() {
        if node.kind() == SyntaxKind::Func {
            continue;
        }
        if is_hoisted(node, model) {
            calls.push((node.id(), format!("$fxv#{}", calls.len())));
        }
        open.extend(node.children().rev());
    }
    calls
}

fn is_hoisted(node: Node<'_>, model: &Model) -> bool {
    let flags = function_flags(node, model);
    let is_whole_variable = node.parent().is_some_and(|parent| parent.kind() == SyntaxKind::Var);
    flags.contains(FunctionFlags::INTERMEDIATE_VARIABLE_ALWAYS)
        || flags.contains(FunctionFlags::INTERMEDIATE_VARIABLE_ON_INDIRECT_ASSIGNMENT) && !is_whole_variable
}

/// The flags of the built-in function that a node calls, all overloads together; none where it calls something else.
pub fn function_flags(node: Node<'_>, model: &Model) -> FunctionFlags {
    let call = match Expr::of(node) {
        Expr::Call(_) => return model.bindings().function_flags(node),
        Expr::MethodCall(call) => call,
        _ => return FunctionFlags::empty(),
    };
    match (model.bindings().get(call.base().syntax()), call.name().and_then(ast::Name::text)) {
        (Some(Binding::Namespace(namespace)), Some(name)) => {
            model.namespaces().function_flags(namespace, name, false)
        }
        _ => FunctionFlags::empty(),
    }
}
