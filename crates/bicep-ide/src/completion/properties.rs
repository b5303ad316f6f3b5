//! The names of properties: those that an object literal may still get, and those that can be read behind a dot.

use std::borrow::Cow;
use std::collections::BTreeSet;

use bicep_sema::namespace::{Namespace, RESOURCE_DERIVED};
use bicep_syntax::ast::{Expr, MethodCall, Object, PropertyAccess};
use bicep_syntax::{Node, SyntaxKind};
use bicep_types::ty::{
    FunctionName, Kind, ObjectType, Overload, Property, PropertyFlags, Type, collapse, escape_property_name,
    escape_string,
};

use super::context::{CompletionPlace, PlaceKind};
use super::item::{CompletionItem, CompletionKind, FollowUp, Priority};
use super::symbols::{function, function_documentation};
use super::{decorators, snippets};
use crate::FileContext;
use crate::declared::{declared_type, type_by_position, unwrapped};
use crate::markdown::paragraph;

pub(super) fn offer(context: &FileContext<'_>, place: &CompletionPlace<'_>, items: &mut Vec<CompletionItem>) {
    match place.kind {
        PlaceKind::PropertyName { object, is_new } => {
            names(context, place, object, items);
            if let Some(resource) = snippets::resource_of_body(object).filter(|_| is_new) {
                nested(context, place, resource, items);
            }
        }
        PlaceKind::Member(access) => members(context, place, access, items),
        PlaceKind::TypeMember(access) => type_members(context, place, access, items),
        PlaceKind::Index(access) => indexes(context, place, access, items),
        PlaceKind::TypeIndex(access) => type_indexes(context, place, access, items),
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
    let Some(ty) = type_by_position(context, literal.syntax()) else { return };
    let others = literal
        .properties()
        .filter(|it| place.replaced.is_empty() || it.key().range() != place.replaced || has_value(*it));
    let keys = others.filter_map(bicep_syntax::ast::Property::key_text);
    let given: BTreeSet<String> = keys.map(Cow::into_owned).collect();
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
        let text = format!("{}{colon}", escape_property_name(&name));
        let item = described(place, &name, &property).inserting(text);
        items.push(match property.is_required() {
            true => item.priority(Priority::High).preselected(),
            false => item,
        });
    }
}

/// Whether a property is more than a name that is being typed.
fn has_value(property: bicep_syntax::ast::Property<'_>) -> bool {
    property.syntax().token(SyntaxKind::Colon).is_some()
}

fn settable(ty: &Type) -> Vec<(String, Property)> {
    let named = |object: &ObjectType| -> Vec<(String, Property)> {
        let writable = object
            .properties
            .iter()
            .filter(|(_, it)| !it.flags.intersects(PropertyFlags::READ_ONLY | PropertyFlags::FALLBACK));
        writable.map(|(name, property)| (name.to_string(), property.clone())).collect()
    };
    let ty = unwrapped(&ty.remove_null());
    let ty = collapse(&ty).unwrap_or(ty);
    match ty.kind() {
        Kind::Object(object) => named(object),
        Kind::Discriminated(tagged) => {
            vec![(tagged.discriminator.to_string(), tagged.discriminator_property())]
        }
        _ => Vec::new(),
    }
}

fn described(place: &CompletionPlace<'_>, name: &str, property: &Property) -> CompletionItem {
    let detail = if property.is_required() { format!("{name} (Required)") } else { name.to_owned() };
    let remarks = [
        (PropertyFlags::READ_ONLY, "Read-only property"),
        (PropertyFlags::WRITE_ONLY, "Write-only property"),
        (PropertyFlags::CONSTANT, "Requires a compile-time constant value"),
    ];
    let mut text = format!("Type: `{}`  \n", property.ty);
    for (_, remark) in remarks.iter().filter(|(flag, _)| property.flags.contains(*flag)) {
        text.push_str(&paragraph(Some(remark)));
    }
    text.push_str(&paragraph(property.description.as_deref()));
    CompletionItem::new(CompletionKind::Property, name, place.replaced).detail(detail).documented(Some(text))
}

/// Resources in the body of a resource.
fn nested(
    context: &FileContext<'_>,
    place: &CompletionPlace<'_>,
    resource: Node<'_>,
    items: &mut Vec<CompletionItem>,
) {
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
    let declared = context.model.declared_type_of(resource);
    let parent = declared.and_then(|ty| ty.item().unwrap_or(ty).as_resource()).map(|it| &it.reference);
    for (snippet, text) in parent.map(snippets::children_of).unwrap_or_default() {
        let item = CompletionItem::new(CompletionKind::Snippet, snippet.prefix, place.replaced);
        items.push(item.detail(snippet.description).snippet(text).preselected());
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
    let ty = collapse(&ty).unwrap_or(ty);
    let object = match ty.kind() {
        Kind::Object(object) => object,
        Kind::Namespace(namespace) => &namespace.members,
        Kind::Discriminated(tagged) => {
            let name = tagged.discriminator.as_str();
            items.push(readable(place, access, name, &tagged.discriminator_property()));
            return;
        }
        _ => return,
    };
    for (name, property) in &object.properties {
        if !property.flags.intersects(PropertyFlags::WRITE_ONLY | PropertyFlags::FALLBACK) {
            items.push(readable(place, access, name, property));
        }
    }
    let mut seen = BTreeSet::new();
    for method in &object.methods {
        if let FunctionName::Exact(name) = &method.name
            && seen.insert(name.clone())
        {
            let overloads = object.methods.iter().filter(|it| it.name == method.name);
            items.push(of_function(place, name, overloads));
        }
    }
}

/// One item for all ways to call a function.
fn of_function<'o>(
    place: &CompletionPlace<'_>,
    name: &str,
    overloads: impl Iterator<Item = &'o Overload> + Clone,
) -> CompletionItem {
    let takes = |it: &Overload| !it.parameters.is_empty() || it.variadic.is_some();
    // What resources list takes at least a version, though types do not say so.
    let has_parameters = overloads.clone().any(takes) || name.starts_with("list");
    let mut item = function(place, name, has_parameters).documented(function_documentation(name, overloads));
    item.follow_up = has_parameters.then_some(FollowUp::ParameterHints);
    item
}

/// The properties of a type that is not a value. `*` stands for all that are not named.
fn type_members(
    context: &FileContext<'_>,
    place: &CompletionPlace<'_>,
    access: Node<'_>,
    items: &mut Vec<CompletionItem>,
) {
    let Some(base) = access.children().next() else { return };
    if let Some(symbol) = context.model.bindings().symbol(base)
        && context.model.symbol(symbol).kind == bicep_sema::SymbolKind::WildcardImport
    {
        return exported_types(context, place, access, symbol, items);
    }
    if let Some(index) = context.model.namespace_of(base) {
        let namespace = context.model.namespaces().get(index);
        items.extend(namespace.into_iter().flat_map(|it| namespace_types(place, it)));
        return;
    }
    let Some(ty) = context.model.declared_type_of(base).map(|ty| unwrapped(&ty.remove_null())) else {
        return;
    };
    let Some(object) = ty.as_object() else { return };
    let named = object.properties.iter().filter(|(_, it)| !it.flags.contains(PropertyFlags::FALLBACK));
    items.extend(named.map(|(name, property)| readable(place, access, name, property)));
    if object.has_explicit_additional() {
        let mut item = CompletionItem::new(CompletionKind::Property, "*", place.replaced);
        item.commit_characters = vec!["."];
        items.push(item.priority(Priority::Low));
    }
}

fn exported_types(
    context: &FileContext<'_>,
    place: &CompletionPlace<'_>,
    access: Node<'_>,
    symbol: bicep_sema::SymbolId,
    items: &mut Vec<CompletionItem>,
) {
    use bicep_sema::interface::ExportKind;
    let exports = crate::entity::imported_interface(context, symbol).into_iter().flat_map(|it| &it.exports);
    for export in exports {
        if let ExportKind::Type(ty) = &export.kind {
            let property = Property::new(ty.clone(), PropertyFlags::empty());
            items.push(readable(place, access, &export.name, &property));
        }
    }
}

/// The keys of an object, in quotes.
fn indexes(
    context: &FileContext<'_>,
    place: &CompletionPlace<'_>,
    access: Node<'_>,
    items: &mut Vec<CompletionItem>,
) {
    let base = access.children().next();
    let Some(ty) = base.and_then(|base| declared_type(context, base)) else { return };
    let ty = unwrapped(&unwrapped(&ty).remove_null());
    let ty = collapse(&ty).unwrap_or(ty);
    let mut add = |name: &str, property: &Property| {
        let item = described(place, name, property);
        let label = escape_string(name);
        let mut item = CompletionItem { label: label.clone(), ..item }.inserting(label);
        item = item.priority(Priority::High);
        items.push(item);
    };
    match ty.kind() {
        Kind::Object(object) => {
            let readable = PropertyFlags::WRITE_ONLY | PropertyFlags::FALLBACK;
            for (name, property) in object.properties.iter().filter(|(_, it)| !it.flags.intersects(readable))
            {
                add(name, property);
            }
        }
        Kind::Discriminated(tagged) => add(&tagged.discriminator, &tagged.discriminator_property()),
        _ => {}
    }
}

/// `*` stands for the items of an array type.
fn type_indexes(
    context: &FileContext<'_>,
    place: &CompletionPlace<'_>,
    access: Node<'_>,
    items: &mut Vec<CompletionItem>,
) {
    // What has no index yet is read as the type of an array of the type.
    let base = access.descendants().skip(1).find(|it| context.model.declared_type_of(*it).is_some());
    let ty =
        base.and_then(|base| context.model.declared_type_of(base)).map(|ty| unwrapped(&ty.remove_null()));
    let is_array = ty.is_some_and(|ty| matches!(ty.kind(), Kind::Array(_) | Kind::Tuple(_)));
    if is_array {
        let item = CompletionItem::new(CompletionKind::Property, "*", place.replaced);
        items.push(item.detail("Type of the items").priority(Priority::High));
    }
}

/// The parameters of the used file that have no value yet.
fn parameters(context: &FileContext<'_>, place: &CompletionPlace<'_>, items: &mut Vec<CompletionItem>) {
    let root = context.tree().root();
    let Some(interface) = crate::hover::used_interface(context) else { return };
    let assigned = root.children().filter(|it| it.kind() == SyntaxKind::ParamAssignment);
    let others = assigned.filter(|it| !it.range().contains_inclusive(place.offset) || has_assigned(*it));
    let given: BTreeSet<&str> =
        others.filter_map(|it| crate::lookup::name_of(it).and_then(bicep_syntax::ast::Name::text)).collect();
    for parameter in interface.sorted_parameters() {
        let name = parameter.name.as_str();
        if given.contains(name) {
            continue;
        }
        let text = format!("Type: `{}`  \n", parameter.ty) + &paragraph(parameter.description.as_deref());
        let detail = if parameter.is_required { format!("{name} (Required)") } else { name.to_owned() };
        let item = CompletionItem::new(CompletionKind::Field, name, place.replaced).detail(detail);
        items.push(item.documented(Some(text)));
    }
}

fn has_assigned(statement: Node<'_>) -> bool {
    statement.token(SyntaxKind::Assign).is_some()
}

/// A property behind a dot. A name that is no identifier goes between brackets, in place of the dot.
fn readable(
    place: &CompletionPlace<'_>,
    access: Node<'_>,
    name: &str,
    property: &Property,
) -> CompletionItem {
    let mut item = described(place, name, property);
    item.commit_characters = vec!["."];
    let dot = access.tokens().find(|token| token.kind() == SyntaxKind::Dot);
    if let Some(dot) = dot.filter(|_| !base::spelling::is_identifier(name)) {
        let safe = access.tokens().find(|token| token.kind() == SyntaxKind::Question);
        let end = safe.map_or(dot.range().end(), |token| token.range().end().max(dot.range().end()));
        let mark = if safe.is_some() { "?" } else { "" };
        item.additional_edits =
            vec![base::Edit { range: base::TextRange::new(dot.range().start(), end), text: String::new() }];
        item = item.inserting(format!("[{mark}{}]", escape_string(name)));
    }
    item
}

fn namespace_members(
    context: &FileContext<'_>,
    place: &CompletionPlace<'_>,
    index: usize,
    items: &mut Vec<CompletionItem>,
) {
    let Some(namespace) = context.model.namespaces().get(index) else { return };
    let around = place.nodes.iter().rev().copied();
    let decorator = around.into_iter().find(|it| it.kind() == SyntaxKind::Decorator);
    if let Some(statement) = decorator.and_then(Node::parent) {
        return decorators::members(context, place, namespace, statement, items);
    }
    items.extend(namespace_types(place, namespace));
    let mut seen = BTreeSet::new();
    for overload in &namespace.functions {
        let FunctionName::Exact(name) = &overload.name else { continue };
        if seen.insert(name.clone()) {
            let overloads = namespace.functions.iter().filter(|it| it.name == overload.name);
            let overloads: Vec<&Overload> = overloads.map(|it| &**it).collect();
            items.push(of_function(place, name, overloads.into_iter()));
        }
    }
}

/// The types of a namespace, with those that take another one.
fn namespace_types(place: &CompletionPlace<'_>, namespace: &Namespace) -> Vec<CompletionItem> {
    let generic = RESOURCE_DERIVED.into_iter().filter(|_| namespace.extension == "sys");
    let names: BTreeSet<&str> =
        namespace.types.iter().map(|(name, _)| name.as_str()).chain(generic).collect();
    let item = |name: &str| {
        let mut item = CompletionItem::new(CompletionKind::Property, name, place.replaced).detail(name);
        item.commit_characters = vec!["."];
        item
    };
    names.into_iter().map(item).collect()
}
