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
        decorators.find(|decorator| {
            // Most have another name, which is known sooner than whose they are.
            called(*decorator)
                .is_some_and(|(called, callee)| called.text() == Some(name) && self.is_of_language(callee))
        })
    }

    /// The name of a decorator of the language: `@name(…)` or `@sys.name(…)`.
    pub(crate) fn name_of(self, decorator: Decorator<'_>) -> Option<&str> {
        let (name, callee) = called(decorator)?;
        name.text().filter(|_| self.is_of_language(callee))
    }

    fn is_of_language(self, callee: Node<'_>) -> bool {
        let Some(Binding::Function(index) | Binding::Namespace(index)) = self.bindings.get(callee) else {
            return false;
        };
        self.namespaces.get(index).is_some_and(|it| it.extension == "sys")
    }
}

/// The name by which a decorator is called, and the node whose meaning says whose it is.
fn called(decorator: Decorator<'_>) -> Option<(Name<'_>, Node<'_>)> {
    match decorator.expression() {
        Expr::Call(call) => Some((call.name()?, call.syntax())),
        Expr::MethodCall(call) => Some((call.name()?, call.base().syntax())),
        _ => None,
    }
}
