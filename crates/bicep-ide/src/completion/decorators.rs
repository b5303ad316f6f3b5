//! Decorators that fit the declaration behind them.

use std::collections::BTreeSet;
use std::sync::Arc;

use bicep_sema::namespace::Namespace;
use bicep_syntax::{Dialect, Node, SyntaxKind};
use bicep_types::ty::{FunctionFlags, Kind, Overload};

use super::context::{CompletionPlace, PlaceKind};
use super::item::{CompletionItem, CompletionKind, FollowUp, Priority};
use super::symbols::{function, function_documentation, hiding_declaration};
use crate::FileContext;

pub(super) fn offer(context: &FileContext<'_>, place: &CompletionPlace<'_>, items: &mut Vec<CompletionItem>) {
    let PlaceKind::Decorator(statement) = place.kind else { return };
    if context.bicep.dialect == Dialect::Params {
        return;
    }
    let ty = context.model.declared_type_of(statement);
    if statement.kind() == SyntaxKind::Module && ty.is_none_or(bicep_types::ty::Type::is_error) {
        return;
    }
    let mut seen = BTreeSet::new();
    for namespace in &context.model.namespaces().all {
        for decorator in fitting(context, namespace, statement) {
            let name = decorator.name.to_string();
            if !seen.insert(name.clone()) {
                continue;
            }
            let takes = !decorator.parameters.is_empty() || decorator.variadic.is_some();
            let documentation = function_documentation(&name, std::iter::once(&**decorator));
            let label = if hiding_declaration(context, &name).is_some() {
                format!("{}.{name}", namespace.name)
            } else {
                name
            };
            items.push(function(place, &label, takes).documented(documentation));
        }
        if fitting(context, namespace, statement).next().is_some() {
            let name = namespace.name.as_str();
            let item = CompletionItem::new(CompletionKind::Folder, name, place.replaced).detail(name);
            items.push(item.priority(Priority::Low).inserting(format!("{name}.")).then(FollowUp::Suggest));
        }
    }
}

/// The decorators of a namespace that a statement can have.
fn fitting<'n>(
    context: &FileContext<'_>,
    namespace: &'n Namespace,
    statement: Node<'_>,
) -> impl Iterator<Item = &'n Arc<Overload>> {
    let wanted = flag(statement.kind());
    let fits = move |it: &&Arc<Overload>| {
        it.flags.intersects(wanted) && fits_type(context, statement, &it.name.to_string())
    };
    namespace.decorators.iter().filter(fits).collect::<Vec<_>>().into_iter()
}

/// The decorators behind the name of a namespace.
pub(super) fn members(
    context: &FileContext<'_>,
    place: &CompletionPlace<'_>,
    namespace: &Namespace,
    statement: Node<'_>,
    items: &mut Vec<CompletionItem>,
) {
    let mut seen = BTreeSet::new();
    for decorator in fitting(context, namespace, statement) {
        let name = decorator.name.to_string();
        if seen.insert(name.clone()) {
            let takes = !decorator.parameters.is_empty() || decorator.variadic.is_some();
            let documentation = function_documentation(&name, std::iter::once(&**decorator));
            items.push(function(place, &name, takes).documented(documentation));
        }
    }
}

fn flag(statement: SyntaxKind) -> FunctionFlags {
    match statement {
        SyntaxKind::Resource => FunctionFlags::RESOURCE_DECORATOR,
        SyntaxKind::Module => FunctionFlags::MODULE_DECORATOR,
        SyntaxKind::Metadata => FunctionFlags::METADATA_DECORATOR,
        SyntaxKind::Var => FunctionFlags::VARIABLE_DECORATOR,
        SyntaxKind::Func => FunctionFlags::FUNCTION_DECORATOR,
        SyntaxKind::Output => FunctionFlags::OUTPUT_DECORATOR,
        SyntaxKind::Extension => FunctionFlags::EXTENSION_DECORATOR,
        SyntaxKind::Param => FunctionFlags::PARAMETER_DECORATOR,
        SyntaxKind::TypeDeclaration | SyntaxKind::ObjectTypeProperty => FunctionFlags::TYPE_DECORATOR,
        _ => FunctionFlags::ANY_DECORATOR,
    }
}

/// Some decorators are for values of certain types only.
fn fits_type(context: &FileContext<'_>, statement: Node<'_>, name: &str) -> bool {
    if statement.kind() == SyntaxKind::MissingDeclaration {
        return true;
    }
    let declared = context.model.declared_type_of(statement);
    let kind = declared.map(|ty| match ty.kind() {
        Kind::TypeOf(inner) => inner.kind(),
        kind => kind,
    });
    if matches!(kind, None | Some(Kind::Error(_) | Kind::Any))
        && matches!(statement.kind(), SyntaxKind::Param | SyntaxKind::Output)
    {
        return true;
    }
    match name {
        "minLength" | "maxLength" => {
            matches!(kind, Some(Kind::String(_) | Kind::StringLiteral(_) | Kind::Array(_) | Kind::Tuple(_)))
        }
        "minValue" | "maxValue" => matches!(kind, Some(Kind::Int(_) | Kind::IntLiteral(_))),
        "secure" => matches!(kind, Some(Kind::String(_) | Kind::StringLiteral(_) | Kind::Object(_))),
        "sealed" => matches!(kind, Some(Kind::Object(_) | Kind::Discriminated(_))),
        "discriminator" => match kind {
            Some(Kind::Union(members)) => members.iter().all(|it| it.as_object().is_some()),
            kind => matches!(kind, Some(Kind::Discriminated(_) | Kind::Object(_))),
        },
        _ => true,
    }
}
