//! What the places around an expression expect of it: a model comes in; the declared types of object literals and of the
//! values of properties go out.

use std::sync::{Mutex, MutexGuard, PoisonError};

use bicep_syntax::ast::{self, Expr, Object, Property};
use bicep_syntax::{Node, SyntaxKind};
use bicep_types::ty::{self, Kind, PropertyFlags, Type};

use crate::model::Model;
use crate::node_map::NodeMap;

/// Expected types, found from the outside in. What one check finds out, later ones of the same file know.
pub struct Expected<'a> {
    model: &'a Model,
    known: NodeMap<Option<Type>>,
}

/// What has been found, by node, while nobody looks for more.
pub(crate) type Known = Mutex<NodeMap<Option<Type>>>;

impl Drop for Expected<'_> {
    fn drop(&mut self) {
        *lock(self.model.expected()) = std::mem::take(&mut self.known);
    }
}

fn lock(known: &Known) -> MutexGuard<'_, NodeMap<Option<Type>>> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Expected<'a> {
    /// For a file.
    pub fn new(model: &'a Model) -> Self {
        Self { model, known: std::mem::take(&mut *lock(model.expected())) }
    }

    /// What is expected where an expression stands.
    pub fn of(&mut self, node: Node<'a>) -> Option<Type> {
        if let Some(known) = self.known.get(&node.id()) {
            return known.clone();
        }
        let found = base::recurse(|| self.find(node));
        self.known.insert(node.id(), found.clone());
        found
    }

    /// Says what is expected of a value, for whoever knows more: the name of its property may be a misspelled one.
    pub fn assume(&mut self, value: Node<'a>, ty: Type) {
        self.known.insert(value.id(), Some(ty));
    }

    /// Reads the declared property that a property of an object literal sets, if the object's type names it.
    pub fn declared<R>(
        &mut self,
        property: Property<'a>,
        read: impl FnOnce(&ty::Property) -> R,
    ) -> Option<R> {
        let object = property.syntax().parent().and_then(Object::cast)?;
        let key = property.key_text()?;
        match self.of(object.syntax())?.kind() {
            Kind::Object(ty) => ty.properties.get(&*key).map(read),
            Kind::Discriminated(ty) if ty.discriminator == *key => Some(read(&ty.discriminator_property())),
            _ => None,
        }
    }

    fn find(&mut self, node: Node<'a>) -> Option<Type> {
        let parent = node.parent()?;
        let expected = match parent.kind() {
            SyntaxKind::Resource | SyntaxKind::Module => body(self.model.declared_type_of(parent)?),
            SyntaxKind::If | SyntaxKind::Paren | SyntaxKind::ArrayItem => self.of(parent),
            SyntaxKind::Ternary if ast::Ternary::cast(parent)?.condition().syntax() != node => {
                self.of(parent)
            }
            SyntaxKind::For if ast::For::cast(parent)?.body().syntax() == node => {
                self.of(parent)?.item().cloned()
            }
            SyntaxKind::Array => self.of(parent)?.item().map(Type::remove_null),
            SyntaxKind::Property => self.property_value(Property::cast(parent)?),
            SyntaxKind::Argument => self.argument(parent).map(|ty| ty.remove_null()),
            SyntaxKind::Output | SyntaxKind::Var | SyntaxKind::ParamAssignment => {
                self.model.declared_type_of(parent).map(Type::remove_null)
            }
            SyntaxKind::ParamDefault => self.model.declared_type_of(parent.parent()?).cloned(),
            SyntaxKind::WithClause => self.configuration(parent),
            _ => None,
        }?;
        Some(match Object::cast(node) {
            Some(object) => narrowed(&expected, object),
            None => expected,
        })
    }

    /// What is expected as the value of a property; beside the named ones, whatever else the object takes.
    pub fn property_value(&mut self, property: Property<'a>) -> Option<Type> {
        if let Some(named) = self.declared(property, |declared| declared.ty.remove_null()) {
            return Some(named);
        }
        let object = property.syntax().parent()?;
        let expected = self.of(object)?;
        let additional = expected.as_object()?.additional.as_ref()?;
        let is_declared = !additional.flags.contains(PropertyFlags::FALLBACK);
        is_declared.then(|| additional.ty.remove_null())
    }

    fn argument(&self, argument: Node<'a>) -> Option<Type> {
        let call = argument.parent()?;
        let overload = self.model.overload(call)?;
        // All arguments behind the named ones are alike.
        let named = overload.parameters.len();
        let mut arguments = call.children().filter(|it| it.kind() == SyntaxKind::Argument).take(named);
        overload.argument_type(arguments.position(|it| it == argument).unwrap_or(named)).cloned()
    }

    fn configuration(&self, clause: Node<'a>) -> Option<Type> {
        let statement = clause.parent()?;
        if statement.kind() == SyntaxKind::Using {
            return Some(crate::check::deployment_config());
        }
        let ty = self.model.type_of(statement).or_else(|| self.model.declared_type_of(statement))?;
        match ty.kind() {
            Kind::Namespace(namespace) => namespace.configuration.clone(),
            Kind::Object(_) => Some(ty.clone()),
            _ => None,
        }
    }
}

/// What the body of a resource or a module is; behind a loop, an array of it.
fn body(declared: &Type) -> Option<Type> {
    match declared.kind() {
        Kind::Resource(resource) => Some(resource.body.clone()),
        Kind::Module(module) => Some(module.body.clone()),
        Kind::Array(array) => body(&array.item).map(Type::array_of),
        _ => None,
    }
}

/// The one of several kinds of objects that an object literal says it is.
pub fn narrowed(expected: &Type, object: Object<'_>) -> Type {
    let Kind::Discriminated(kinds) = expected.kind() else { return expected.clone() };
    let value = match object.property(&kinds.discriminator).map(Property::value) {
        Some(Expr::Str(text)) if !text.is_interpolated() => text.value(),
        _ => None,
    };
    let member = value.and_then(|value| kinds.members.get(value.as_str()));
    member.unwrap_or(expected).clone()
}
