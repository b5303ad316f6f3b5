//! The declared types of expressions: what is known about `a.b.c` from declarations alone, before values are looked at. A node
//! comes in, a type goes out. Completion and hover show these rather than the types of the values.

mod by_position;

use std::borrow::Cow;
use std::sync::Arc;

use bicep_sema::expected::Expected;
use bicep_sema::{Binding, SymbolKind};
use bicep_syntax::ast::{self, Expr, Object};
use bicep_syntax::{Node, SyntaxKind};
use bicep_types::ty::{FunctionName, Kind, Overload, Property, Type, assignable, union};

use crate::FileContext;
use crate::entity::{Entity, entity_of};

pub(crate) use by_position::type_by_position;

/// A declared type, with the object literal that gives the value, where one does.
#[derive(Debug, Clone)]
pub(crate) struct Declared<'a> {
    pub(crate) ty: Type,
    pub(crate) literal: Option<Node<'a>>,
}

impl<'a> Declared<'a> {
    fn plain(ty: Type) -> Self {
        Self { ty, literal: None }
    }

    fn with_type(self, ty: Type) -> Self {
        Self { ty, ..self }
    }
}

/// What is expected where an expression stands: what the places around it say, also where a call fits no way to call the
/// function, or where a value of a parameter file or the result of a function is written.
pub(crate) fn expected_type(context: &FileContext<'_>, node: Node<'_>) -> Option<Type> {
    let node = context.tree().node(node.id());
    // A key that is only known when deployed says nothing about the value.
    let property = node.parent().and_then(ast::Property::cast);
    let is_computed = property.is_some_and(|it| it.key_text().is_none());
    let known = if is_computed { None } else { Expected::new(context.model).of(node) };
    known.or_else(|| base::recurse(|| expected_outside(context, node)))
}

fn expected_outside<'a>(context: &FileContext<'a>, node: Node<'a>) -> Option<Type> {
    use SyntaxKind as K;
    let parent = node.parent()?;
    let expected = match parent.kind() {
        K::Argument => {
            let call = parent.parent()?;
            let mut arguments = call.children().filter(|it| it.kind() == K::Argument);
            argument_type(context, call, arguments.position(|it| it == parent)?)?
        }
        K::ArrayItem | K::Paren => expected_type(context, parent)?,
        K::Ternary if ast::Ternary::cast(parent)?.condition().syntax() != node => {
            expected_type(context, parent)?
        }
        K::Array => expected_type(context, parent)?.remove_null().item()?.remove_null(),
        K::Spread => expected_type(context, parent.parent()?)?,
        K::TypedLambda => match context.model.declared_type_of(parent)?.kind() {
            Kind::Lambda(signature) => signature.result.clone(),
            _ => return None,
        },
        K::ParamAssignment => assigned_type(context, parent)?.remove_null(),
        K::Property => {
            let property = ast::Property::cast(parent)?;
            let object = expected_type(context, parent.parent()?)?;
            let key = property.key_text().map(Cow::into_owned).or_else(|| computed_key(context, property));
            match key {
                Some(key) => named_property(&object, &key, true)?.1.ty.remove_null(),
                None => only_property_type(&object)?,
            }
        }
        _ => return None,
    };
    Some(match Object::cast(node) {
        Some(object) => bicep_sema::expected::narrowed(&expected, object),
        None => expected,
    })
}

/// What the used file declares for a parameter that is given a value.
fn assigned_type(context: &FileContext<'_>, assignment: Node<'_>) -> Option<Type> {
    let name = crate::lookup::name_of(assignment)?.text()?;
    Some(crate::hover::used_interface(context)?.parameter(name)?.ty.clone())
}

/// What any property of an object is, if all are the same.
fn only_property_type(ty: &Type) -> Option<Type> {
    let ty = unwrapped(ty);
    let object = ty.as_object()?;
    let additional = object.additional.as_deref().filter(|_| object.has_explicit_additional());
    let mut types = object.properties.values().chain(additional).map(|it| it.ty.remove_null());
    let first = types.next()?;
    types.all(|ty| ty == first).then_some(first)
}

/// The key `'${name}'`, if the value of the name is known.
fn computed_key<'a>(context: &FileContext<'a>, property: ast::Property<'a>) -> Option<String> {
    let key = ast::Str::cast(property.key())?;
    key.segment_values().iter().all(String::is_empty).then_some(())?;
    let mut holes = key.holes();
    let only = holes.next().filter(|_| holes.next().is_none())?;
    let ty = declared_type(context, only.syntax()).unwrap_or_else(|| context.type_of(only.syntax()));
    ty.as_string_literal().map(ToString::to_string)
}

/// What any way to call a function takes as an argument.
pub(crate) fn argument_type(context: &FileContext<'_>, call: Node<'_>, index: usize) -> Option<Type> {
    let overloads = called_overloads(context, call)?;
    let types: Vec<Type> = overloads.iter().filter_map(|it| it.argument_type(index).cloned()).collect();
    match types.as_slice() {
        [] => None,
        [only] => Some(only.remove_null()),
        _ => Some(union(types).remove_null()),
    }
}

/// The ways to call a function. Those of any name of a sort, as `list*`, say little, so that they count only alone.
fn called_overloads(context: &FileContext<'_>, call: Node<'_>) -> Option<Vec<Arc<Overload>>> {
    let overloads = match entity_of(context, call)? {
        Entity::Function(overloads) => overloads,
        Entity::ImportedFunction(overload) => vec![overload],
        Entity::Symbol(symbol) => vec![crate::hover::called_overload(context, symbol)?],
        _ => return None,
    };
    let is_exact = |it: &Arc<Overload>| matches!(it.name, FunctionName::Exact(_));
    Some(if overloads.iter().any(is_exact) {
        overloads.into_iter().filter(is_exact).collect()
    } else {
        overloads
    })
}

/// What `with` of an extension takes.
pub(crate) fn configuration_type(context: &FileContext<'_>, clause: Node<'_>) -> Option<Type> {
    expected_type(context, clause.children().next()?)
}

/// The declared type of an expression.
pub(crate) fn declared_type(context: &FileContext<'_>, node: Node<'_>) -> Option<Type> {
    declared(context, node).map(|found| found.ty)
}

/// The declared type of an expression, with the literal behind it.
pub(crate) fn declared<'a>(context: &FileContext<'a>, node: Node<'_>) -> Option<Declared<'a>> {
    // The caller's node is of the same tree; by its number it lives as long as the context.
    let node = context.tree().node(node.id());
    base::recurse(|| find(context, node))
}

fn find<'a>(context: &FileContext<'a>, node: Node<'a>) -> Option<Declared<'a>> {
    let model = context.model;
    match node.kind() {
        SyntaxKind::VarAccess => of_variable(context, node),
        SyntaxKind::PropertyAccess | SyntaxKind::Index => of_access(context, node),
        SyntaxKind::ResourceAccess => {
            let symbol = model.bindings().symbol(node)?;
            of_body(context, model.symbol(symbol).declaration)
        }
        SyntaxKind::Call | SyntaxKind::MethodCall => Some(Declared::plain(context.type_of(node))),
        SyntaxKind::TypedLambda => model.declared_type_of(node).cloned().map(Declared::plain),
        SyntaxKind::NonNull => {
            let base = declared(context, ast::NonNull::cast(node)?.base().syntax())?;
            Some(Declared::plain(base.ty.remove_null()))
        }
        SyntaxKind::Object
        | SyntaxKind::Array
        | SyntaxKind::For
        | SyntaxKind::If
        | SyntaxKind::Str
        | SyntaxKind::Property
        | SyntaxKind::ArrayItem
        | SyntaxKind::Argument => {
            Some(Declared { ty: type_by_position(context, node)?, literal: Some(node) })
        }
        _ => None,
    }
}

fn of_variable<'a>(context: &FileContext<'a>, node: Node<'a>) -> Option<Declared<'a>> {
    let model = context.model;
    let symbol = match model.bindings().get(node)? {
        Binding::Symbol(symbol) => symbol,
        Binding::Namespace(_) => return Some(Declared::plain(context.type_of(node))),
        _ => return None,
    };
    let declaration = model.symbol(symbol).declaration;
    if model.cycle(symbol).is_some() {
        return None;
    }
    match model.symbol(symbol).kind {
        SymbolKind::Resource | SymbolKind::Module => of_body(context, declaration),
        SymbolKind::Var => {
            let statement = ast::Var::cast(context.tree().node(declaration))?;
            let ty = match statement.ty() {
                Some(_) => model.declared_type(symbol).cloned(),
                None => Some(context.type_of(statement.value().syntax())),
            };
            ty.map(Declared::plain)
        }
        SymbolKind::ImportItem | SymbolKind::WildcardImport | SymbolKind::BrokenImport | SymbolKind::This => {
            Some(Declared::plain(context.type_of(node)))
        }
        kind if kind.is_local_variable() => {
            let local = context.tree().node(declaration);
            Some(Declared::plain(
                model.declared_type(symbol).cloned().unwrap_or_else(|| context.type_of(local)),
            ))
        }
        _ => model.declared_type(symbol).cloned().map(Declared::plain),
    }
}

/// What a resource or a module is by its body: narrowed to the kind of object that the body says it is.
fn of_body<'a>(context: &FileContext<'a>, declaration: bicep_syntax::NodeId) -> Option<Declared<'a>> {
    let statement = context.tree().node(declaration);
    let value = match statement.kind() {
        SyntaxKind::Resource => ast::Resource::cast(statement)?.value(),
        SyntaxKind::Module => ast::Module::cast(statement)?.value(),
        _ => return None,
    };
    let ty = match value {
        Expr::For(_) | Expr::If(_) => type_by_position(context, value.syntax())?,
        _ => type_by_position(context, value.syntax())
            .or_else(|| context.model.declared_type_of(statement).cloned())?,
    };
    let literal = match value {
        Expr::For(each) => Some(each.syntax()),
        _ => value.body_object().map(Object::syntax),
    };
    Some(Declared { ty, literal })
}

/// The type of a chain of accesses. Behind a safe access nothing on the way is null, but the whole may be.
fn of_access<'a>(context: &FileContext<'a>, node: Node<'a>) -> Option<Declared<'a>> {
    let mut chain = Vec::new();
    let mut inner = node;
    while let Some(base) = base_of(inner) {
        chain.push(inner);
        inner = base;
    }
    let mut found = declared(context, inner)?;
    let (mut may_be_null, mut is_after_safe) = (false, false);
    for step in chain.into_iter().rev() {
        let is_safe = is_safe(step);
        if is_after_safe || is_safe {
            if found.ty.is_null() {
                return Some(found);
            }
            if let Some(bare) = found.ty.without_null() {
                may_be_null = true;
                found = found.with_type(bare);
            }
        }
        found = match step.kind() {
            SyntaxKind::Index => item(context, &found, ast::Index::cast(step)?)?,
            _ => {
                let name = ast::PropertyAccess::cast(step)?.name()?.text()?;
                property_of(context, &found, name)?
            }
        };
        is_after_safe = is_safe;
    }
    if may_be_null {
        let ty = union([found.ty.clone(), Type::null()]);
        found = found.with_type(ty);
    }
    Some(found)
}

fn base_of(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        SyntaxKind::PropertyAccess => Some(ast::PropertyAccess::cast(node)?.base().syntax()),
        SyntaxKind::Index => Some(ast::Index::cast(node)?.base().syntax()),
        _ => None,
    }
}

fn is_safe(node: Node<'_>) -> bool {
    ast::PropertyAccess::cast(node).is_some_and(ast::PropertyAccess::is_safe)
        || ast::Index::cast(node).is_some_and(ast::Index::is_safe)
}

/// The type of a property. Where a literal gives the value, its value says which kind of object it is.
fn property_of<'a>(context: &FileContext<'a>, base: &Declared<'a>, name: &str) -> Option<Declared<'a>> {
    let literal = base.literal.and_then(Object::cast);
    let given = literal.and_then(|object| object.property(name));
    if let Some(value) = given.map(|property| property.value().syntax())
        && let Some(found) = declared(context, value)
    {
        return Some(found);
    }
    let ty = match unwrapped(&base.ty).kind() {
        Kind::Object(object) => object.property(name)?.ty.clone(),
        Kind::Namespace(namespace) => namespace.members.property(name)?.ty.clone(),
        Kind::Discriminated(tagged) if tagged.discriminator == name => tagged.discriminator_type(),
        _ => return None,
    };
    Some(Declared::plain(ty))
}

fn item<'a>(context: &FileContext<'a>, base: &Declared<'a>, access: ast::Index<'a>) -> Option<Declared<'a>> {
    let index = &context.type_of(access.index().syntax());
    let body = base.literal.and_then(ast::For::cast).and_then(|each| each.body().body_object());
    let literal = body.map(Object::syntax);
    let ty = match (base.ty.kind(), index.kind()) {
        (Kind::Tuple(tuple), Kind::IntLiteral(at)) => {
            let at = usize::try_from(*at).ok()?;
            let at = if access.is_from_end() { tuple.items.len().checked_sub(at)? } else { at };
            tuple.items.get(at)?.clone()
        }
        (Kind::Tuple(tuple), _) if assignable(index, &Type::int()) => tuple.item().clone(),
        (Kind::Array(array), _) if assignable(index, &Type::int()) => array.item.clone(),
        (Kind::Object(_), Kind::StringLiteral(name)) if matches!(access.index(), Expr::Str(_)) => {
            return property_of(context, base, name);
        }
        _ => return None,
    };
    Some(Declared { ty, literal })
}

/// What the properties of a value are looked up in: the body of a resource or a module, the type that a type's name stands for.
pub(crate) fn unwrapped(ty: &Type) -> Type {
    match ty.kind() {
        Kind::Resource(resource) => resource.body.clone(),
        Kind::Module(module) | Kind::Test(module) => module.body.clone(),
        Kind::TypeOf(inner) => inner.clone(),
        _ => ty.clone(),
    }
}

/// The property of a type by its name; what stands for all others has the name `*`.
pub(crate) fn named_property(base: &Type, name: &str, with_additional: bool) -> Option<(String, Property)> {
    let base = unwrapped(base);
    let own = match base.kind() {
        Kind::Object(object) => object.properties.get(name).cloned(),
        Kind::Namespace(namespace) => namespace.members.properties.get(name).cloned(),
        Kind::Discriminated(tagged) if tagged.discriminator == name => Some(tagged.discriminator_property()),
        _ => None,
    };
    match own {
        Some(property) => Some((name.to_owned(), property)),
        None if with_additional => additional_property(&base),
        None => None,
    }
}

/// What stands for all properties without a name of their own.
pub(crate) fn additional_property(base: &Type) -> Option<(String, Property)> {
    let base = unwrapped(base);
    let object = base.as_object().filter(|object| object.has_explicit_additional())?;
    Some(("*".to_owned(), object.additional.as_deref()?.clone()))
}
