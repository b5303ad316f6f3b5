//! Hints between the words: a file and a range come in; names of parameters before arguments and types of variables go out.

use base::{TextRange, TextSize};
use bicep_sema::SymbolKind;
use bicep_syntax::ast::{self, Expr};
use bicep_syntax::{Node, SyntaxKind};

use crate::FileContext;
use crate::entity::{Entity, entity_of};
use crate::hover::{called_overload, symbol_type};

/// A hint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlayHint {
    /// Where it is shown.
    pub offset: TextSize,
    /// What it says.
    pub label: String,
    /// Whether it names a parameter; else it shows a type.
    pub is_parameter: bool,
}

/// Longer types say more than a hint should.
const MAX_TYPE: usize = 40;

/// The hints within a range.
pub fn inlay_hints(context: &FileContext<'_>, range: TextRange) -> Vec<InlayHint> {
    let mut hints = Vec::new();
    for node in context.tree().nodes().filter(|node| node.range().intersect(range).is_some()) {
        match node.kind() {
            SyntaxKind::Call | SyntaxKind::MethodCall => parameter_names(context, node, &mut hints),
            SyntaxKind::Var => hints.extend(variable_type(context, node)),
            _ => {}
        }
    }
    hints.retain(|hint| range.contains_inclusive(hint.offset));
    hints.sort_by_key(|hint| hint.offset);
    hints
}

/// The names of parameters before arguments that do not say themselves what they are.
fn parameter_names(context: &FileContext<'_>, call: Node<'_>, hints: &mut Vec<InlayHint>) {
    let overload = match entity_of(context, call) {
        Some(Entity::Symbol(symbol)) => called_overload(context, symbol),
        Some(Entity::ImportedFunction(overload)) => Some(overload),
        _ => context.model.overload(call).cloned(),
    };
    let Some(overload) = overload.filter(|overload| overload.parameters.len() > 1) else { return };
    let arguments = call.children().filter_map(ast::Argument::cast);
    for (argument, parameter) in arguments.zip(&overload.parameters) {
        let value = argument.value();
        let is_literal =
            matches!(value, Expr::Str(_) | Expr::IntLiteral(_) | Expr::BoolLiteral(_) | Expr::NullLiteral(_));
        if is_literal {
            let label = format!("{}:", parameter.name);
            hints.push(InlayHint { offset: value.range().start(), label, is_parameter: true });
        }
    }
}

/// The type of a variable whose value does not show it.
fn variable_type(context: &FileContext<'_>, node: Node<'_>) -> Option<InlayHint> {
    let statement = ast::Var::cast(node).filter(|statement| statement.ty().is_none())?;
    let is_plain = matches!(
        statement.value().without_parens(),
        Expr::Str(_) | Expr::IntLiteral(_) | Expr::BoolLiteral(_) | Expr::Object(_) | Expr::Array(_)
    );
    let symbol = context.model.declared(node.id()).filter(|_| !is_plain)?;
    (context.model.symbol(symbol).kind == SymbolKind::Var).then_some(())?;
    let ty = symbol_type(context, symbol).filter(|ty| !ty.is_error() && !ty.is_any())?;
    let label = format!(": {ty}");
    let name = statement.name()?;
    (label.len() <= MAX_TYPE).then_some(InlayHint { offset: name.range().end(), label, is_parameter: false })
}
