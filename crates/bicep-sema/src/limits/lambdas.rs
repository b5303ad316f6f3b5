//! Lambdas stand only in arguments, and their variables cannot reach what the engine needs before it starts.

use bicep_syntax::ast::{Argument, Expr, Index, Lambda, Name};
use bicep_syntax::{Node, SyntaxKind};
use bicep_types::ty::FunctionFlags;

use super::Limits;
use crate::messages::limits as messages;
use crate::symbol::SymbolKind;

pub(super) fn check(ctx: &mut Limits<'_>) {
    let lambdas: Vec<Lambda<'_>> =
        ctx.tree().nodes_of(&[SyntaxKind::Lambda]).filter_map(Lambda::cast).collect();
    if lambdas.is_empty() {
        return;
    }
    for lambda in &lambdas {
        let outside = lambda.syntax().ancestors().find(|node| node.kind() != SyntaxKind::Paren);
        if outside.is_none_or(|node| node.kind() != SyntaxKind::Argument) {
            ctx.report(messages::lambda_outside_argument(lambda.range()));
        }
    }
    // A node inside several lambdas is looked at once.
    let is_in_lambda = |node: Node<'_>| {
        node.ancestors()
            .zip(std::iter::once(node).chain(node.ancestors()))
            .any(|(outer, inner)| Lambda::cast(outer).is_some_and(|lambda| lambda.body().syntax() == inner))
    };
    let kinds = [SyntaxKind::Call, SyntaxKind::MethodCall, SyntaxKind::Index];
    for node in ctx.tree().nodes_of(&kinds).filter(|node| is_in_lambda(*node)) {
        match node.kind() {
            SyntaxKind::Index => check_index(ctx, node),
            _ => check_call(ctx, node),
        }
    }
}

/// `reference()` and `list*()` are resolved before anything is evaluated.
fn check_call(ctx: &mut Limits<'_>, node: Node<'_>) {
    if !ctx.function_flags(node).contains(FunctionFlags::REQUIRES_INLINING) {
        return;
    }
    let arguments = node.children().filter_map(Argument::cast);
    let variables: Vec<String> = arguments.flat_map(|it| lambda_variables(ctx, it.syntax())).collect();
    if !variables.is_empty() {
        let name = node.children().filter_map(Name::cast).next_back().map_or("", Name::display);
        ctx.report(messages::lambda_variable_in_call(node.range(), name, &variables));
    }
}

/// Which of several resources is meant must be known before anything is evaluated.
fn check_index(ctx: &mut Limits<'_>, node: Node<'_>) {
    let Some(index) = Index::cast(node) else { return };
    let is_declared = ctx
        .symbol(index.base().syntax())
        .is_some_and(|symbol| matches!(symbol.kind, SymbolKind::Resource | SymbolKind::Module));
    let variables = lambda_variables(ctx, index.index().syntax());
    if is_declared && !variables.is_empty() {
        ctx.report(messages::lambda_variable_in_index(index.index().range(), &variables));
    }
}

/// The names of the lambda variables used in a node.
fn lambda_variables(ctx: &Limits<'_>, node: Node<'_>) -> Vec<String> {
    let mut names = Vec::new();
    for access in node.descendants().filter(|node| matches!(Expr::of(*node), Expr::VarAccess(_))) {
        let symbol = ctx.symbol(access).filter(|symbol| symbol.kind == SymbolKind::LambdaVar);
        if let Some(name) = symbol.and_then(|symbol| symbol.name.as_deref())
            && !names.iter().any(|known| known == name)
        {
            names.push(name.to_owned());
        }
    }
    names
}
