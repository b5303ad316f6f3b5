//! Decorators that a declaration may have and has not.

use base::{Edit, TextRange};
use bicep_sema::namespace::attachable;
use bicep_syntax::ast::{Decorator, Expr, Statement};
use bicep_syntax::{Node, SyntaxKind};
use bicep_types::ty::{FunctionFlags, Kind, Overload, ParameterFlags, Type, assignable};

use super::{ActionKind, CodeAction, newline};
use crate::FileContext;
use crate::lookup::own_start;

pub(super) fn offer(context: &FileContext<'_>, nodes: &[Node<'_>], actions: &mut Vec<CodeAction>) {
    let Some(node) = nodes.iter().copied().find(|node| is_decorable(*node)) else { return };
    let Some(target) = target_type(context, node).filter(|ty| !is_error(node, ty)) else { return };
    let wanted = wanted_flags(node.kind());
    for namespace in &context.model.namespaces().all {
        for decorator in &namespace.decorators {
            let name = decorator.name.to_string();
            let is_there = node.children().filter_map(Decorator::cast).any(|it| is_named(it, &name));
            let fits = decorator.flags.contains(wanted) && can_attach(&name, &target);
            if !is_there && fits {
                let text = format!("@{name}({}){}", empty_argument(decorator), newline(context));
                actions.push(CodeAction {
                    title: format!("Add @{name}"),
                    kind: ActionKind::Refactor,
                    edits: vec![Edit { range: TextRange::empty(own_start(node)), text }],
                    is_preferred: false,
                    command: None,
                    new_file: None,
                });
            }
        }
    }
}

fn is_decorable(node: Node<'_>) -> bool {
    Statement::cast(node).is_some()
        || matches!(
            node.kind(),
            SyntaxKind::ObjectTypeProperty | SyntaxKind::ObjectTypeAdditional | SyntaxKind::TupleTypeItem
        )
}

/// What a decorator is attached to: the type of what is declared.
fn target_type(context: &FileContext<'_>, node: Node<'_>) -> Option<Type> {
    match node.kind() {
        SyntaxKind::ObjectTypeProperty => context.model.declared_type_of(node).cloned(),
        SyntaxKind::TypeDeclaration => {
            let ty = context.model.type_of(node)?;
            Some(match ty.kind() {
                Kind::TypeOf(inner) => inner.clone(),
                _ => ty.clone(),
            })
        }
        _ => {
            let symbol = context.model.declared(node.id())?;
            crate::hover::symbol_type(context, symbol)
        }
    }
}

/// Nothing is attached to what has no type, which a loop of resources or modules has only if they have one.
fn is_error(node: Node<'_>, ty: &Type) -> bool {
    let is_deployed = matches!(node.kind(), SyntaxKind::Resource | SyntaxKind::Module);
    ty.is_error() || (is_deployed && ty.item().is_some_and(Type::is_error))
}

fn can_attach(name: &str, target: &Type) -> bool {
    attachable(name).is_none_or(|allowed| assignable(target, &allowed))
}

fn is_named(decorator: Decorator<'_>, name: &str) -> bool {
    match decorator.expression() {
        Expr::Call(call) => call.name().and_then(bicep_syntax::ast::Name::text) == Some(name),
        _ => false,
    }
}

fn wanted_flags(kind: SyntaxKind) -> FunctionFlags {
    match kind {
        SyntaxKind::Param => FunctionFlags::PARAMETER_DECORATOR,
        SyntaxKind::Var => FunctionFlags::VARIABLE_DECORATOR,
        SyntaxKind::Resource => FunctionFlags::RESOURCE_DECORATOR,
        SyntaxKind::Module => FunctionFlags::MODULE_DECORATOR,
        SyntaxKind::Output => FunctionFlags::OUTPUT_DECORATOR,
        SyntaxKind::Extension => FunctionFlags::EXTENSION_DECORATOR,
        SyntaxKind::Metadata => FunctionFlags::METADATA_DECORATOR,
        SyntaxKind::TypeDeclaration | SyntaxKind::ObjectTypeProperty => FunctionFlags::TYPE_DECORATOR,
        _ => FunctionFlags::ANY_DECORATOR,
    }
}

/// An empty value for the one argument that a decorator needs, where its type has one.
fn empty_argument(decorator: &Overload) -> &'static str {
    match decorator.parameters.as_slice() {
        [only] if only.flags.contains(ParameterFlags::REQUIRED) => match only.ty.kind() {
            Kind::Array(_) => "[]",
            Kind::String(_) => "''",
            _ => "",
        },
        _ => "",
    }
}
