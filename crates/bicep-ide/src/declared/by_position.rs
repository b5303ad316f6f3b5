//! What a place declares for the value that stands there: an object, an array, a text, a loop, a condition, or a part of one
//! (property, item, argument) comes in, a type goes out.
//!
//! Only some places hand their type on. In brackets of an item, or in a choice within a choice, a value has no declared type,
//! so that its own type is the one that is shown and extracted.

use std::borrow::Cow;

use bicep_sema::expected::{Expected, narrowed};
use bicep_syntax::ast::{self, Object};
use bicep_syntax::{Node, SyntaxKind};
use bicep_types::ty::{Kind, ObjectType, PropertyFlags, Type, union};

use super::{called_overloads, computed_key};
use crate::FileContext;

/// The type that is declared for a value by where it stands.
pub(crate) fn type_by_position<'a>(context: &FileContext<'a>, node: Node<'_>) -> Option<Type> {
    // The caller's node is of the same tree; by its number it lives as long as the context.
    let node: Node<'a> = context.tree().node(node.id());
    base::recurse(|| match node.kind() {
        SyntaxKind::Property => of_property(context, ast::Property::cast(node)?),
        SyntaxKind::ArrayItem => bare(context, node.parent()?)?.item().cloned(),
        SyntaxKind::Argument => of_argument(context, node),
        SyntaxKind::Str => of_text(context, node),
        SyntaxKind::Array => of_array(context, node),
        SyntaxKind::Object => of_object(context, node),
        SyntaxKind::For => of_loop(context, node),
        SyntaxKind::If => of_condition(context, node),
        _ => None,
    })
}

/// The same without `null`, which nothing that is written down is.
fn bare(context: &FileContext<'_>, node: Node<'_>) -> Option<Type> {
    type_by_position(context, node).map(|ty| ty.remove_null())
}

fn of_property(context: &FileContext<'_>, property: ast::Property<'_>) -> Option<Type> {
    let object = bare(context, property.syntax().parent()?)?;
    let key = property.key_text().map(Cow::into_owned).or_else(|| computed_key(context, property));
    match (key, object.kind()) {
        (Some(key), Kind::Object(object)) => object.property(&key).map(|it| it.ty.clone()),
        (Some(key), Kind::Resource(resource)) => Some(resource.body.as_object()?.property(&key)?.ty.clone()),
        (Some(key), Kind::Discriminated(kinds)) if kinds.discriminator == key => {
            Some(kinds.discriminator_type())
        }
        (None, Kind::Object(object)) if object.properties.is_empty() => {
            Some(object.additional.as_deref()?.ty.clone())
        }
        _ => None,
    }
}

/// What any way to call a function takes as an argument; nothing fits where it takes none.
fn of_argument(context: &FileContext<'_>, argument: Node<'_>) -> Option<Type> {
    let call = argument.parent()?;
    let mut arguments = call.children().filter(|it| it.kind() == SyntaxKind::Argument);
    let index = arguments.position(|it| it == argument)?;
    let overloads = called_overloads(context, call)?;
    Some(union(overloads.iter().filter_map(|it| it.argument_type(index).cloned())))
}

/// A key is told what its property is as well.
fn of_text(context: &FileContext<'_>, text: Node<'_>) -> Option<Type> {
    let holds = |it: &Node<'_>| {
        matches!(it.kind(), SyntaxKind::Property | SyntaxKind::ArrayItem | SyntaxKind::Argument)
    };
    bare(context, text.parent().filter(holds)?)
}

fn of_array(context: &FileContext<'_>, array: Node<'_>) -> Option<Type> {
    let holder = holder(array)?;
    match holder.kind() {
        SyntaxKind::Property | SyntaxKind::Argument => bare(context, holder),
        SyntaxKind::Spread => spread_into(context, holder).filter(|ty| ty.item().is_some()),
        _ => of_statement(context, holder, array).map(|ty| ty.remove_null()),
    }
}

fn of_object(context: &FileContext<'_>, object: Node<'_>) -> Option<Type> {
    let holder = holder(object)?;
    let ty = match holder.kind() {
        SyntaxKind::Resource | SyntaxKind::Module => body(context.model.declared_type_of(holder)?)?,
        SyntaxKind::If => return of_condition(context, holder),
        SyntaxKind::For => return of_loop(context, holder)?.item().cloned(),
        SyntaxKind::Property | SyntaxKind::ArrayItem | SyntaxKind::Argument => bare(context, holder)?,
        SyntaxKind::WithClause => return Expected::new(context.model).of(object),
        SyntaxKind::Spread => return spread_into(context, holder)?.as_object().map(without_required),
        SyntaxKind::TypedLambda => match context.model.declared_type_of(holder)?.kind() {
            Kind::Lambda(signature) => return Some(signature.result.clone()),
            _ => return None,
        },
        _ => of_statement(context, holder, object)?,
    };
    Some(narrowed(&ty, Object::cast(object)?))
}

/// What a statement says about its value. In brackets, it is not the value any more, but that of a parameter still is.
fn of_statement(context: &FileContext<'_>, statement: Node<'_>, value: Node<'_>) -> Option<Type> {
    match statement.kind() {
        SyntaxKind::Output | SyntaxKind::Var if value.parent() == Some(statement) => {
            context.model.declared_type_of(statement).map(Type::remove_null)
        }
        SyntaxKind::ParamDefault => context.model.declared_type_of(statement.parent()?).cloned(),
        SyntaxKind::ParamAssignment => super::assigned_type(context, statement),
        _ => None,
    }
}

fn of_loop(context: &FileContext<'_>, each: Node<'_>) -> Option<Type> {
    let parent = each.parent()?;
    let ty = match parent.kind() {
        // The type of a variable is found from its value, not the other way round.
        SyntaxKind::Var => Type::array(),
        SyntaxKind::Resource | SyntaxKind::Module => {
            let declared = context.model.declared_type_of(parent).filter(|ty| !ty.is_error());
            // A list of what is wrong is a list.
            declared.cloned().unwrap_or_else(|| Type::array_of(Type::error()))
        }
        SyntaxKind::Output => context.model.declared_type_of(parent)?.clone(),
        SyntaxKind::ParamAssignment => super::assigned_type(context, parent)?,
        _ => type_by_position(context, parent)?,
    };
    let item = ty.item()?;
    match ast::For::cast(each)?.body().body_object() {
        Some(object) => Some(Type::array_of(narrowed(&body(item).unwrap_or_else(|| item.clone()), object))),
        None => Some(ty),
    }
}

fn of_condition(context: &FileContext<'_>, condition: Node<'_>) -> Option<Type> {
    let object = ast::If::cast(condition)?.body()?;
    let parent = condition.parent()?;
    match parent.kind() {
        SyntaxKind::For => of_loop(context, parent)?.item().cloned(),
        _ => Some(narrowed(&body(context.model.declared_type_of(parent)?)?, object)),
    }
}

/// What an object or an array that is spread is spread into.
fn spread_into(context: &FileContext<'_>, spread: Node<'_>) -> Option<Type> {
    type_by_position(context, holder(spread)?)
}

/// Whatever is spread need not be complete.
fn without_required(object: &ObjectType) -> Type {
    let mut object = object.clone();
    for property in object.properties.values_mut() {
        property.flags.remove(PropertyFlags::REQUIRED);
    }
    Type::new(Kind::Object(object))
}

/// What holds a value, seen through brackets and a choice of which the value itself is one side.
fn holder<'a>(value: Node<'a>) -> Option<Node<'a>> {
    value.ancestors().find(|node| match node.kind() {
        SyntaxKind::Paren => false,
        SyntaxKind::Ternary => !ast::Ternary::cast(*node)
            .is_some_and(|it| it.condition().syntax() != value && value.parent() == Some(*node)),
        _ => true,
    })
}

/// The body of a resource or a module.
fn body(ty: &Type) -> Option<Type> {
    match ty.kind() {
        Kind::Resource(resource) => Some(resource.body.clone()),
        Kind::Module(module) => Some(module.body.clone()),
        _ => None,
    }
}
