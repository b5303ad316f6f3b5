//! Hints between the words: a file and a range come in; names of parameters before arguments, values of constants and types of
//! variables go out.

use base::{TextRange, TextSize};
use bicep_sema::SymbolKind;
use bicep_syntax::ast::{self, Expr};
use bicep_syntax::{Node, SyntaxKind};
use bicep_types::ty::Kind;

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
    /// What it shows.
    pub kind: HintKind,
}

/// What a hint shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HintKind {
    /// The name of a parameter.
    Parameter,
    /// A type.
    Type,
    /// The value of a constant.
    Value,
}

/// Longer types and values say more than a hint should.
const MAX_TYPE: usize = 40;

/// The hints within a range.
pub fn inlay_hints(context: &FileContext<'_>, range: TextRange) -> Vec<InlayHint> {
    let mut hints = Vec::new();
    for node in context.tree().nodes().filter(|node| node.range().intersect(range).is_some()) {
        match node.kind() {
            SyntaxKind::Call | SyntaxKind::MethodCall => parameter_names(context, node, &mut hints),
            SyntaxKind::Var => {
                hints.extend(constant_value(context, node).or_else(|| variable_type(context, node)));
            }
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
            hints.push(InlayHint { offset: value.range().start(), label, kind: HintKind::Parameter });
        }
    }
}

/// The value of a variable that is known before anything is deployed, where it is not written there as it is.
fn constant_value(context: &FileContext<'_>, node: Node<'_>) -> Option<InlayHint> {
    let statement = ast::Var::cast(node)?;
    let value = statement.value();
    let is_written = match value.without_parens() {
        Expr::Str(text) => !text.is_interpolated(),
        Expr::IntLiteral(_) | Expr::BoolLiteral(_) | Expr::NullLiteral(_) => true,
        _ => false,
    };
    let ty = Some(context.type_of(value.syntax())).filter(|_| !is_written)?;
    let is_known = matches!(ty.kind(), Kind::StringLiteral(_) | Kind::IntLiteral(_) | Kind::BoolLiteral(_));
    let label = format!("= {ty}");
    let offset = value.range().end();
    (is_known && label.chars().count() <= MAX_TYPE).then_some(InlayHint {
        offset,
        label,
        kind: HintKind::Value,
    })
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
    (label.len() <= MAX_TYPE).then_some(InlayHint { offset: name.range().end(), label, kind: HintKind::Type })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ask;

    fn hints(source: &str) -> Vec<(u32, String)> {
        let all = ask(source, &[], |context, _| {
            inlay_hints(context, TextRange::up_to(base::TextLen::text_len(context.text())))
        });
        all.into_iter().map(|hint| (u32::from(hint.offset), hint.label)).collect()
    }

    #[test]
    fn constants_show_their_values_where_these_are_not_written() {
        let found = hints("|var a = 'x'\nvar b = '${a}-y'\nvar c = 1");
        assert_eq!(found, [(28, "= 'x-y'".to_owned())]);
    }

    #[test]
    fn arguments_show_the_names_of_parameters() {
        let found = hints("|func f(first int, second int) int => first\noutput o int = f(1, 2)");
        let labels: Vec<&str> = found.iter().map(|(_, label)| label.as_str()).collect();
        assert_eq!(labels, ["first:", "second:"]);
    }
}
