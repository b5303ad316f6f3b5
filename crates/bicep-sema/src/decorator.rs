//! The decorators of the language: a declaration and a name come in; its decorator of that name goes out. Functions of
//! the user that are used as decorators are not among them.

use bicep_syntax::Node;
use bicep_syntax::ast::{Argument, Decorator, Expr, Name};

use crate::bind::{Binding, Bindings};
use crate::namespace::Namespaces;

/// The arguments of a decorator.
pub fn arguments(decorator: Decorator<'_>) -> impl Iterator<Item = Expr<'_>> {
    decorator.expression().syntax().children().filter_map(Argument::cast).map(Argument::value)
}

/// What names mean where decorators are looked up.
#[derive(Clone, Copy)]
pub(crate) struct Names<'a> {
    pub(crate) bindings: &'a Bindings,
    pub(crate) namespaces: &'a Namespaces,
}

impl Names<'_> {
    /// The first decorator of a name on a declaration.
    pub(crate) fn decorator<'t>(self, holder: Node<'t>, name: &str) -> Option<Decorator<'t>> {
        let mut decorators = holder.children().filter_map(Decorator::cast);
        decorators.find(|decorator| self.name_of(*decorator) == Some(name))
    }

    /// The name of a decorator of the language: `@name(…)` or `@sys.name(…)`.
    pub(crate) fn name_of(self, decorator: Decorator<'_>) -> Option<&str> {
        let (name, binding) = match decorator.expression() {
            Expr::Call(call) => (call.name()?, self.bindings.get(call.syntax())?),
            Expr::MethodCall(call) => (call.name()?, self.bindings.get(call.base().syntax())?),
            _ => return None,
        };
        let (Binding::Function(index) | Binding::Namespace(index)) = binding else { return None };
        Name::text(name).filter(|_| self.namespaces.get(index).is_some_and(|it| it.extension == "sys"))
    }
}
