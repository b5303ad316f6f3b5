//! The names of properties: those that an object literal may still get, and those that can be read behind a dot.

use std::collections::BTreeSet;

use bicep_sema::expected::Expected;
use bicep_syntax::ast::{Expr, MethodCall, Object, PropertyAccess};
use bicep_syntax::{Node, SyntaxKind};
use bicep_types::ty::{FunctionName, Kind, ObjectType, Property, PropertyFlags, Type};

use super::context::{CompletionPlace, PlaceKind};
use super::item::{CompletionItem, CompletionKind, FollowUp, Priority};
use super::symbols::function;
use crate::FileContext;
use crate::declared::{declared_type, unwrapped};

pub(super) fn offer(context: &FileContext<'_>, place: &CompletionPlace<'_>, items: &mut Vec<CompletionItem>) {
    match place.kind {
        PlaceKind::PropertyName { object, is_new } => {
            names(context, place, object, items);
            if is_new && is_resource_body(object) {
                nested(place, items);
            }
        }
        PlaceKind::Member(access) => members(context, place, access, items),
        PlaceKind::TypeMember(access) => type_members(context, place, access, items),
        PlaceKind::ParameterName => parameters(context, place, items),
        _ => {}
    }
}

/// The properties of the declared type that the literal does not have yet.
fn names(
    context: &FileContext<'_>,
    place: &CompletionPlace<'_>,
    object: Node<'_>,
    items: &mut Vec<CompletionItem>,
) {
    let Some(literal) = Object::cast(context.tree().node(object.id())) else { return };
    let Some(ty) = Expected::new(context.model).of(literal.syntax()) else { return };
    let given: BTreeSet<String> =
        literal.properties().filter_map(bicep_syntax::ast::Property::key_text).collect();
    let following = context
        .tree()
        .tokens()
        .find(|token| token.range().start() >= place.replaced.end() && !token.kind().is_trivia());
    let has_colon = following.is_some_and(|token| token.kind() == SyntaxKind::Colon);
    let colon = if has_colon { "" } else { ":" };
    for (name, property) in settable(&ty) {
        if given.contains(&name) {
            continue;
        }
        let text = format!("{}{colon}", bicep_types::ty::escape_property_name(&name));
        let item = described(place, &name, &property).inserting(text);
        items.push(match property.is_required() {
            true => item.priority(Priority::High).preselected(),
            false => item,
        });
    }
}

fn settable(ty: &Type) -> Vec<(String, Property)> {
    let named = |object: &ObjectType| -> Vec<(String, Property)> {
        let writable = object
            .properties
            .iter()
            .filter(|(_, it)| !it.flags.intersects(PropertyFlags::READ_ONLY | PropertyFlags::FALLBACK));
        writable.map(|(name, property)| (name.to_string(), property.clone())).collect()
    };
    match unwrapped(ty).kind() {
        Kind::Object(object) => named(object),
        Kind::Discriminated(tagged) => {
            vec![(tagged.discriminator.to_string(), tagged.discriminator_property())]
        }
        _ => Vec::new(),
    }
}

fn described(place: &CompletionPlace<'_>, name: &str, property: &Property) -> CompletionItem {
    let detail = if property.is_required() { format!("{name} (Required)") } else { name.to_owned() };
    let mut text = format!("Type: `{}`  \n", property.ty);
    if let Some(description) = &property.description {
        text.push_str(description);
        text.push_str("  \n");
    }
    CompletionItem::new(CompletionKind::Property, name, place.replaced).detail(detail).documented(Some(text))
}

fn is_resource_body(object: Node<'_>) -> bool {
    let mut around = object.ancestors().skip_while(|node| *node == object);
    let holder =
        around.find(|node| !matches!(node.kind(), SyntaxKind::If | SyntaxKind::For | SyntaxKind::Paren));
    holder.is_some_and(|node| node.kind() == SyntaxKind::Resource)
}

/// Resources in the body of a resource.
fn nested(place: &CompletionPlace<'_>, items: &mut Vec<CompletionItem>) {
    let keyword = CompletionItem::new(CompletionKind::Keyword, "resource", place.replaced);
    items.push(keyword.detail("Resource keyword"));
    let snippets = [
        (
            "resource-with-defaults",
            "Nested resource with defaults",
            "resource ${1:child} '${2:type}' = {\n  name: $3\n  properties: {\n    $0\n  }\n}",
        ),
        (
            "resource-without-defaults",
            "Nested resource without defaults",
            "resource ${1:child} '${2:type}' = {\n  name: $3\n  $0\n}",
        ),
    ];
    for (label, detail, text) in snippets {
        let item = CompletionItem::new(CompletionKind::Snippet, label, place.replaced);
        items.push(item.detail(detail).snippet(text).preselected());
    }
}

/// What stands before the dot has these properties and methods.
fn members(
    context: &FileContext<'_>,
    place: &CompletionPlace<'_>,
    access: Node<'_>,
    items: &mut Vec<CompletionItem>,
) {
    let base: Option<Expr<'_>> = PropertyAccess::cast(access)
        .map(PropertyAccess::base)
        .or_else(|| MethodCall::cast(access).map(MethodCall::base));
    let Some(base) = base.map(Expr::syntax) else { return };
    if let Some(index) = context.model.namespace_of(base) {
        namespace_members(context, place, index, items);
        return;
    }
    let ty = declared_type(context, base).unwrap_or_else(|| context.type_of(base));
    let ty = unwrapped(&unwrapped(&ty).remove_null());
    let object = match ty.kind() {
        Kind::Object(object) => object,
        Kind::Namespace(namespace) => &namespace.members,
        Kind::Discriminated(tagged) => {
            let name = tagged.discriminator.as_str();
            items.push(readable(place, name, &tagged.discriminator_property()));
            return;
        }
        _ => return,
    };
    for (name, property) in &object.properties {
        if !property.flags.intersects(PropertyFlags::WRITE_ONLY | PropertyFlags::FALLBACK) {
            items.push(readable(place, name, property));
        }
    }
    let mut seen = BTreeSet::new();
    for method in &object.methods {
        if let FunctionName::Exact(name) = &method.name
            && seen.insert(name.clone())
        {
            items.push(function(place, name, !method.parameters.is_empty() || method.variadic.is_some()));
        }
    }
}

/// The properties of a type that is not a value.
fn type_members(
    context: &FileContext<'_>,
    place: &CompletionPlace<'_>,
    access: Node<'_>,
    items: &mut Vec<CompletionItem>,
) {
    let base = access.children().next().and_then(|base| context.model.declared_type_of(base));
    let Some(ty) = base.map(|ty| unwrapped(&ty.remove_null())) else { return };
    let Some(object) = ty.as_object() else { return };
    let named = object.properties.iter().filter(|(_, it)| !it.flags.contains(PropertyFlags::FALLBACK));
    items.extend(named.map(|(name, property)| readable(place, name, property)));
}

/// The parameters of the used file that have no value yet.
fn parameters(context: &FileContext<'_>, place: &CompletionPlace<'_>, items: &mut Vec<CompletionItem>) {
    let root = context.tree().root();
    let using = root.child(SyntaxKind::Using).and_then(|using| context.bicep.reference(using));
    let Some(target) = using.and_then(|target| target.as_ref().ok()) else { return };
    let Some(interface) = context.program.interface(target.file) else { return };
    let assigned = root.children().filter(|it| it.kind() == SyntaxKind::ParamAssignment);
    let given: BTreeSet<&str> = assigned
        .filter_map(|it| crate::lookup::name_of(it).and_then(bicep_syntax::ast::Name::text))
        .collect();
    for parameter in interface.sorted_parameters() {
        let name = parameter.name.as_str();
        if !given.contains(name) {
            items.push(CompletionItem::new(CompletionKind::Field, name, place.replaced).detail(name));
        }
    }
}

fn readable(place: &CompletionPlace<'_>, name: &str, property: &Property) -> CompletionItem {
    let mut item = described(place, name, property);
    item.commit_characters = vec!["."];
    item
}

fn namespace_members(
    context: &FileContext<'_>,
    place: &CompletionPlace<'_>,
    index: usize,
    items: &mut Vec<CompletionItem>,
) {
    let Some(namespace) = context.model.namespaces().get(index) else { return };
    let is_decorator = place.nodes.iter().rev().nth(1).is_some_and(|it| it.kind() == SyntaxKind::Decorator)
        || place
            .nodes
            .last()
            .is_some_and(|it| it.parent().is_some_and(|it| it.kind() == SyntaxKind::Decorator));
    let overloads = if is_decorator { &namespace.decorators } else { &namespace.functions };
    let mut seen = BTreeSet::new();
    for overload in overloads {
        if let FunctionName::Exact(name) = &overload.name
            && seen.insert(name.clone())
        {
            let takes = !overload.parameters.is_empty() || overload.variadic.is_some();
            let mut item = function(place, name, takes);
            item.follow_up = takes.then_some(FollowUp::ParameterHints);
            items.push(item);
        }
    }
}
