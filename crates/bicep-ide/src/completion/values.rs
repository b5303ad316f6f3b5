//! Values that the expected type names: literals, `true` and `false`, empty arrays and objects, bodies.

use std::collections::BTreeSet;

use bicep_sema::expected::Expected;
use bicep_syntax::{Node, SyntaxKind};
use bicep_types::ty::{Kind, Type, escape_string, union};

use super::context::{CompletionPlace, PlaceKind};
use super::item::{CompletionItem, CompletionKind, Priority};
use crate::FileContext;
use crate::entity::{Entity, entity_of};

pub(super) fn offer(context: &FileContext<'_>, place: &CompletionPlace<'_>, items: &mut Vec<CompletionItem>) {
    match place.kind {
        PlaceKind::Value(value) => {
            let text = "${1:condition} ? ${2:whenTrue} : ${3:whenFalse}";
            items.push(snippet(place, "if-else", text).priority(Priority::High));
            let holder = value.and_then(Node::parent).map(Node::kind);
            if place.replaced.is_empty() && holder == Some(SyntaxKind::Var) {
                loops(place, items);
            }
            if let Some(ty) = value.and_then(|value| expected(context, value)) {
                of_type(place, &ty, items);
            }
        }
        PlaceKind::Scope => {
            let scopes = ["managementGroup", "resourceGroup", "subscription", "tenant"];
            items.extend(scopes.map(|scope| literal(place, format!("'{scope}'"))));
        }
        PlaceKind::Body(statement) => body(context, place, statement, items),
        _ => {}
    }
}

/// What is expected of a value; of an argument, what any way to call the function takes there.
fn expected(context: &FileContext<'_>, value: Node<'_>) -> Option<Type> {
    if let Some(argument) = value.parent().filter(|it| it.kind() == SyntaxKind::Argument)
        && let Some(call) = argument.parent()
        && let Some(Entity::Function(overloads)) = entity_of(context, call)
    {
        let mut arguments = call.children().filter(|it| it.kind() == SyntaxKind::Argument);
        let index = arguments.position(|it| it == argument)?;
        return Some(union(overloads.iter().filter_map(|it| it.argument_type(index).cloned())));
    }
    Expected::new(context.model).of(context.tree().node(value.id()))
}

fn snippet(place: &CompletionPlace<'_>, label: &str, text: &str) -> CompletionItem {
    CompletionItem::new(CompletionKind::Snippet, label, place.replaced).detail(label).snippet(text)
}

fn of_type(place: &CompletionPlace<'_>, ty: &Type, items: &mut Vec<CompletionItem>) {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for member in ty.members() {
        let offered: Vec<CompletionItem> = match member.kind() {
            Kind::StringLiteral(text) => vec![literal(place, escape_string(text))],
            Kind::IntLiteral(value) => vec![literal(place, value.to_string())],
            Kind::Bool => [true, false].into_iter().map(|it| boolean(place, it)).collect(),
            Kind::BoolLiteral(value) => vec![boolean(place, *value)],
            Kind::Array(_) | Kind::Tuple(_) => {
                vec![
                    CompletionItem::new(CompletionKind::Value, "[]", place.replaced)
                        .detail("[]")
                        .snippet("[\n  $0\n]")
                        .priority(Priority::High),
                ]
            }
            Kind::Object(_) | Kind::Discriminated(_) => {
                vec![
                    CompletionItem::new(CompletionKind::Value, "{}", place.replaced)
                        .detail("{}")
                        .snippet("{\n  $0\n}"),
                ]
            }
            _ => Vec::new(),
        };
        items.extend(offered.into_iter().filter(|item| seen.insert(item.label.clone())));
    }
}

fn loops(place: &CompletionPlace<'_>, items: &mut Vec<CompletionItem>) {
    let snippets = [
        ("for", "[for ${1:item} in ${2:list}: $0]"),
        ("for-indexed", "[for (${1:item}, ${2:index}) in ${3:list}: $0]"),
    ];
    items.extend(snippets.map(|(label, text)| snippet(place, label, text).priority(Priority::High)));
}

fn literal(place: &CompletionPlace<'_>, label: String) -> CompletionItem {
    let detail = label.clone();
    CompletionItem::new(CompletionKind::EnumMember, label, place.replaced).detail(detail).preselected()
}

fn boolean(place: &CompletionPlace<'_>, value: bool) -> CompletionItem {
    let label = value.to_string();
    let item = CompletionItem::new(CompletionKind::Keyword, label.as_str(), place.replaced).detail(label);
    item.priority(Priority::High).preselected()
}

/// What may follow `=` of a resource or a module.
fn body(
    context: &FileContext<'_>,
    place: &CompletionPlace<'_>,
    statement: Node<'_>,
    items: &mut Vec<CompletionItem>,
) {
    let snippets = [
        ("{}", "{\n  $0\n}"),
        ("if", "if (${1:condition}) {\n  $0\n}"),
        ("for", "[for ${1:item} in ${2:list}: {\n  $0\n}]"),
        ("for-indexed", "[for (${1:item}, ${2:index}) in ${3:list}: {\n  $0\n}]"),
        ("for-filtered", "[for (${1:item}, ${2:index}) in ${3:list}: if (${4:condition}) {\n  $0\n}]"),
    ];
    items.extend(
        snippets.into_iter().map(|(label, text)| snippet(place, label, text).priority(Priority::High)),
    );
    let declared = context.model.declared_type_of(statement).map(crate::declared::unwrapped);
    let Some(Kind::Object(object)) = declared.as_ref().map(Type::kind) else { return };
    let required: Vec<String> = object
        .properties
        .iter()
        .filter(|(_, property)| property.is_required())
        .enumerate()
        .map(|(index, (name, _))| {
            format!("  {}: ${}\n", bicep_types::ty::escape_property_name(name), index + 1)
        })
        .collect();
    if !required.is_empty() {
        let text = format!("{{\n{}}}$0", required.concat());
        items.push(snippet(place, "required-properties", &text).detail("Required properties"));
    }
}
