//! What stands at an offset: a file and an offset come in; the node and what it names go out. Every feature that is about a name
//! asks here, so that hover, definition, references and rename agree.

use std::sync::Arc;

use base::TextSize;
use bicep_sema::interface::ExportKind;
use bicep_sema::{Binding, Interface, SymbolId, SymbolKind};
use bicep_syntax::ast;
use bicep_syntax::{Node, SyntaxKind};
use bicep_types::ty::{Kind, Overload, Property};

use crate::FileContext;
use crate::declared::{additional_property, declared_type, named_property, type_by_position, unwrapped};
use crate::lookup::innermost;

/// What a node names.
#[derive(Debug, Clone)]
pub(crate) enum Entity {
    /// Something the file declares or imports.
    Symbol(SymbolId),
    /// An implicit namespace, by its position.
    Namespace(usize),
    /// A function or a decorator of a namespace: all ways to call it.
    Function(Vec<Arc<Overload>>),
    /// A type of a namespace, by the namespace's position.
    Type(usize),
    /// A function that a wildcard import offers.
    ImportedFunction(Arc<Overload>),
    /// A property of a type.
    Property(String, Box<Property>),
    /// A name that means nothing.
    Unknown,
}

/// A node with what it names.
#[derive(Debug, Clone)]
pub(crate) struct Named<'a> {
    pub(crate) node: Node<'a>,
    pub(crate) entity: Entity,
}

/// What stands at an offset.
pub(crate) fn entity_at<'a>(context: &FileContext<'a>, offset: TextSize) -> Option<Named<'a>> {
    let node = innermost(context.tree(), offset, can_name)?;
    Some(Named { node, entity: entity_of(context, node)? })
}

/// Names and keys are looked at through the node around them.
fn can_name(node: Node<'_>) -> bool {
    match node.kind() {
        SyntaxKind::Name | SyntaxKind::AsClause => false,
        SyntaxKind::Str => {
            let holder = node.parent().filter(|parent| {
                matches!(parent.kind(), SyntaxKind::Property | SyntaxKind::ObjectTypeProperty)
            });
            !holder.is_some_and(|holder| {
                holder.children().find(|it| it.kind() != SyntaxKind::Decorator) == Some(node)
            })
        }
        _ => true,
    }
}

/// What a node names.
pub(crate) fn entity_of(context: &FileContext<'_>, node: Node<'_>) -> Option<Entity> {
    let model = context.model;
    if let Some(symbol) = model.declared(node.id()) {
        return Some(Entity::Symbol(symbol));
    }
    match node.kind() {
        SyntaxKind::VarAccess
        | SyntaxKind::Call
        | SyntaxKind::TypeVar
        | SyntaxKind::GenericType
        | SyntaxKind::ResourceAccess => bound(context, node),
        SyntaxKind::MethodCall => method(context, node),
        _ => match property(context, node) {
            Some((name, property)) => Some(Entity::Property(name, Box::new(property))),
            None => this_of(context, node).map(Entity::Symbol),
        },
    }
}

/// The body of a resource stands for `this`, which is declared by it.
fn this_of(context: &FileContext<'_>, node: Node<'_>) -> Option<SymbolId> {
    let scope = context.model.scope_of(node.id())?;
    let is_this = |id: &&SymbolId| context.model.symbol(**id).kind == SymbolKind::This;
    scope.symbols.iter().find(is_this).copied()
}

fn bound(context: &FileContext<'_>, node: Node<'_>) -> Option<Entity> {
    Some(match context.model.bindings().get(node)? {
        Binding::Symbol(symbol) => Entity::Symbol(symbol),
        Binding::Namespace(index) => Entity::Namespace(index),
        Binding::Type(index) => Entity::Type(index),
        Binding::Nothing => Entity::Unknown,
        Binding::Function(index) => {
            let name = crate::lookup::name_of(node)?.text()?;
            let namespace = context.model.namespaces().get(index)?;
            Entity::Function(namespace.overloads(name, is_decorating(node)).cloned().collect())
        }
    })
}

/// Whether a call decorates something: it stands in a decorator, but not as an argument there.
fn is_decorating(call: Node<'_>) -> bool {
    let is_end = |it: &Node<'_>| matches!(it.kind(), SyntaxKind::Decorator | SyntaxKind::Argument);
    call.ancestors().find(is_end).is_some_and(|it| it.kind() == SyntaxKind::Decorator)
}

/// The function that is called on something: of a namespace, of an import, of the type of a value.
fn method(context: &FileContext<'_>, node: Node<'_>) -> Option<Entity> {
    let call = ast::MethodCall::cast(node)?;
    let name = call.name()?.text()?;
    let base = call.base().syntax();
    if let Some(symbol) = context.model.bindings().symbol(base)
        && context.model.symbol(symbol).kind == SymbolKind::WildcardImport
    {
        let export = imported_interface(context, symbol)?.export(name)?;
        return match &export.kind {
            ExportKind::Function(overload) => Some(Entity::ImportedFunction(Arc::clone(overload))),
            _ => None,
        };
    }
    if let Some(index) = context.model.namespace_of(base) {
        let namespace = context.model.namespaces().get(index)?;
        let overloads: Vec<_> = namespace.overloads(name, is_decorating(node)).cloned().collect();
        return (!overloads.is_empty()).then_some(Entity::Function(overloads));
    }
    let ty = unwrapped(&declared_type(context, base)?);
    let Kind::Object(object) = ty.kind() else { return None };
    let methods = object.methods.iter().filter(|overload| overload.name.matches(name));
    let overloads: Vec<_> = methods.map(|overload| Arc::new(overload.clone())).collect();
    (!overloads.is_empty()).then_some(Entity::Function(overloads))
}

/// The property of a type that a node reads, sets or declares.
fn property(context: &FileContext<'_>, node: Node<'_>) -> Option<(String, Property)> {
    let model = context.model;
    match node.kind() {
        SyntaxKind::PropertyAccess => {
            let access = ast::PropertyAccess::cast(node)?;
            let base = declared_type(context, access.base().syntax())?;
            named_property(&base, access.name()?.text()?, true)
        }
        SyntaxKind::Property => {
            let property = ast::Property::cast(context.tree().node(node.id()))?;
            let object = property.syntax().parent()?;
            let base = type_by_position(context, object)?;
            named_property(&base, &property.key_text()?, true)
        }
        SyntaxKind::TypePropertyAccess | SyntaxKind::MemberGenericType => {
            let name = node.children().filter_map(ast::Name::cast).next_back()?.text()?;
            let base = model.declared_type_of(node.children().next()?)?;
            named_property(base, name, node.kind() == SyntaxKind::MemberGenericType)
        }
        SyntaxKind::TypeAdditionalAccess => {
            additional_property(model.declared_type_of(node.children().next()?)?)
        }
        SyntaxKind::ObjectTypeProperty => {
            let key = ast::ObjectTypeProperty::cast(node)?.key_text()?;
            named_property(model.declared_type_of(node.parent()?)?, &key, false)
        }
        SyntaxKind::ObjectTypeAdditional => additional_property(model.declared_type_of(node.parent()?)?),
        _ => None,
    }
}

/// What the file behind an import offers.
pub(crate) fn imported_interface<'a>(context: &FileContext<'a>, symbol: SymbolId) -> Option<&'a Interface> {
    let declaration = context.tree().node(context.model.symbol(symbol).declaration);
    let import = declaration.ancestors().find(|node| node.kind() == SyntaxKind::Import)?;
    let target = context.bicep.reference(import)?.as_ref().ok()?;
    context.program.interface(target.file)
}
