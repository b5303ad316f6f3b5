//! Values that the expected type names: literals, `true` and `false`, empty arrays and objects, bodies.

use std::collections::BTreeSet;

use bicep_syntax::{Node, SyntaxKind};
use bicep_types::ty::{Kind, LambdaType, Type, assignable, escape_string};

use super::context::{CompletionPlace, PlaceKind, ValueSlot};
use super::item::{CompletionItem, CompletionKind, Priority};
use super::objects::{object_items, required_properties};
use super::{identity, snippets};
use crate::FileContext;
use crate::declared::{self, expected_type, type_by_position};

pub(super) fn offer(context: &FileContext<'_>, place: &CompletionPlace<'_>, items: &mut Vec<CompletionItem>) {
    match place.kind {
        PlaceKind::Value(slot) => value(context, place, slot, items),
        PlaceKind::Index(_) => items.push(if_else(place)),
        PlaceKind::Scope => {
            let scopes = ["managementGroup", "resourceGroup", "subscription", "tenant"];
            items.extend(scopes.map(|scope| literal(place, format!("'{scope}'"))));
        }
        PlaceKind::Body(statement) => {
            body(context, place, statement, items);
            items.extend(body_loops(place));
        }
        PlaceKind::LoopBody(statement) => body(context, place, statement, items),
        PlaceKind::Configuration(statement) => {
            let ty = declared::configuration_type(context, statement);
            if let Some(ty) = ty {
                items.extend(object_items(place, &ty));
            }
        }
        _ => {}
    }
}

fn value(
    context: &FileContext<'_>,
    place: &CompletionPlace<'_>,
    slot: ValueSlot<'_>,
    items: &mut Vec<CompletionItem>,
) {
    let ty = slot_type(context, slot);
    if let Some(property) = identity::identity_property(place) {
        identity::offer(place, property, items);
    }
    if let Some(ty) = &ty {
        let start = items.len();
        of_type(place, ty, items);
        // Only resources are of use there, though arrays of them are allowed.
        if super::symbols::resource_reference(place).is_some() {
            let mut index = 0;
            items.retain(|item| {
                index += 1;
                index <= start || item.label != "[]"
            });
        }
    }
    if let Some(item) = looped_items(place, slot, ty.as_ref()) {
        loops(place, &item, items);
    }
    items.push(if_else(place));
}

fn if_else(place: &CompletionPlace<'_>) -> CompletionItem {
    let text = "${1:condition} ? ${2:TrueValue} : ${3:FalseValue}";
    snippet(place, "if-else", text).priority(Priority::High)
}

/// What is expected of the value in a slot.
pub(super) fn slot_type(context: &FileContext<'_>, slot: ValueSlot<'_>) -> Option<Type> {
    match slot {
        ValueSlot::Node(node) => match node.parent().filter(|it| it.kind() == SyntaxKind::Argument) {
            Some(argument) => any_argument_type(context, argument).or_else(|| expected_type(context, node)),
            None => match node.parent().filter(|it| it.kind() == SyntaxKind::Property) {
                Some(property) => type_by_position(context, property).map(|ty| ty.remove_null()),
                None => expected_type(context, node),
            },
        },
        ValueSlot::Item(array) => type_by_position(context, array)?.item().map(Type::remove_null),
        ValueSlot::Argument(call, index) => declared::argument_type(context, call, index),
        ValueSlot::Free => None,
    }
}

/// What any way to call the function takes as an argument, whichever fits the arguments that are there.
fn any_argument_type(context: &FileContext<'_>, argument: Node<'_>) -> Option<Type> {
    let call = argument.parent()?;
    let mut arguments = call.children().filter(|it| it.kind() == SyntaxKind::Argument);
    declared::argument_type(context, call, arguments.position(|it| it == argument)?)
}

/// What loops that may stand somewhere give: items of the lists that are expected there.
fn looped_items(place: &CompletionPlace<'_>, slot: ValueSlot<'_>, ty: Option<&Type>) -> Option<Type> {
    use SyntaxKind as K;
    let ValueSlot::Node(node) = slot else { return None };
    let holder = node.parent()?;
    // A name is in the place of the whole value, anything else only of a part of it.
    let is_whole = match node.kind() {
        K::VarAccess => true,
        K::Paren => false,
        _ => place.replaced.is_empty(),
    };
    let item = || ty?.members().iter().find_map(Type::item).cloned();
    match holder.kind() {
        // A variable that says nothing about its value may be anything.
        K::Var if is_whole && ty.is_none() => Some(Type::any()),
        K::Var | K::Output if is_whole => item(),
        K::Property if is_loop_allowed(holder) => item(),
        _ => None,
    }
}

/// A loop in the value of a property must not stand in another one.
fn is_loop_allowed(property: Node<'_>) -> bool {
    use SyntaxKind as K;
    let is_statement = |kind: K| matches!(kind, K::Resource | K::Module);
    let in_statement = property.ancestors().any(|node| is_statement(node.kind()));
    let mut loops = property.ancestors().filter(|node| node.kind() == K::For);
    in_statement && loops.all(|each| each.parent().is_some_and(|it| is_statement(it.kind())))
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
            Kind::BoolLiteral(value) => vec![literal(place, value.to_string())],
            Kind::Array(_) | Kind::Tuple(_) => vec![empty_array(place)],
            Kind::Object(_) | Kind::Discriminated(_) => object_items(place, member),
            Kind::Lambda(lambda) => vec![lambda_form(place, lambda)],
            _ => Vec::new(),
        };
        items.extend(offered.into_iter().filter(|item| seen.insert(item.label.clone())));
    }
}

fn empty_array(place: &CompletionPlace<'_>) -> CompletionItem {
    let item = CompletionItem::new(CompletionKind::Value, "[]", place.replaced).detail("[]");
    item.snippet("[\n\t$0\n]").priority(Priority::High).preselected()
}

/// A function as an argument, with the arguments that it must take.
fn lambda_form(place: &CompletionPlace<'_>, lambda: &LambdaType) -> CompletionItem {
    let item = match lambda.arity().min {
        1 => snippet(place, "arg => ...", "${1:arg} => $0"),
        count => {
            let names = (1..=count).map(|it| format!("arg{it}")).collect::<Vec<_>>().join(", ");
            let stops = (1..=count).map(|it| format!("${{{it}:arg{it}}}")).collect::<Vec<_>>().join(", ");
            snippet(place, &format!("({names}) => ..."), &format!("({stops}) => $0"))
        }
    };
    item.priority(Priority::High)
}

/// Loops over a list, each of which gives an item of a type.
fn loops(place: &CompletionPlace<'_>, item: &Type, items: &mut Vec<CompletionItem>) {
    let body = match (assignable(item, &Type::object()), assignable(item, &Type::array())) {
        (true, false) => "{\n\t$0\n}",
        (false, true) => "[\n\t$0\n]",
        _ => "$0",
    };
    let snippets = [
        ("for", format!("[for ${{2:item}} in ${{1:list}}: {body}]")),
        ("for-indexed", format!("[for (${{2:item}}, ${{3:index}}) in ${{1:list}}: {body}]")),
    ];
    items.extend(snippets.map(|(label, text)| snippet(place, label, &text).priority(Priority::High)));
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

/// An object or a condition as the body of a resource, a module or a test. A type that is not known takes no object.
fn body(
    context: &FileContext<'_>,
    place: &CompletionPlace<'_>,
    statement: Node<'_>,
    items: &mut Vec<CompletionItem>,
) {
    let declared = context.model.declared_type_of(statement);
    let body = declared.map(|ty| declared::unwrapped(ty.item().unwrap_or(ty)));
    let is_module = statement.kind() != SyntaxKind::Resource;
    let is_known =
        body.as_ref().is_some_and(|ty| matches!(ty.kind(), Kind::Object(_) | Kind::Discriminated(_)));
    if is_known || is_module {
        items.push(super::objects::empty_object(place));
    }
    if let Some(template) = snippets::body_of(context, statement) {
        let item = CompletionItem::new(CompletionKind::Snippet, "snippet", place.replaced);
        items.push(item.detail(template.description).snippet(template.body).preselected());
    }
    if let Some(body) = body.filter(|_| is_known) {
        items.extend(required_properties(place, &body));
    }
    if statement.kind() != SyntaxKind::Test {
        items.push(snippet(place, "if", "if (${1:condition}) {\n\t$0\n}").priority(Priority::High));
    }
}

fn body_loops(place: &CompletionPlace<'_>) -> Vec<CompletionItem> {
    let is_test = matches!(place.kind, PlaceKind::Body(node) if node.kind() == SyntaxKind::Test);
    let snippets = [
        ("for", "[for ${2:item} in ${1:list}: {\n\t$0\n}]"),
        ("for-indexed", "[for (${2:item}, ${3:index}) in ${1:list}: {\n\t$0\n}]"),
        ("for-filtered", "[for (${2:item}, ${3:index}) in ${1:list}: if (${4:condition}) {\n\t$0\n}]"),
    ];
    let wanted = snippets.into_iter().filter(|_| !is_test);
    wanted.map(|(label, text)| snippet(place, label, text).priority(Priority::High)).collect()
}
