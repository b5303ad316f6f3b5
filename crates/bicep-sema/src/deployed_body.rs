//! Statements that deploy something, looked at alike: resources and modules.

use bicep_syntax::Node;
use bicep_syntax::ast::{Expr, Module, Object, Property, Resource};

/// The value of a resource or module: its body, inside its loop and its condition.
#[derive(Debug, Clone, Copy)]
pub struct DeployedBody<'t>(Expr<'t>);

impl<'t> DeployedBody<'t> {
    /// What a statement deploys.
    pub fn of(statement: Node<'t>) -> Option<Self> {
        let resource = Resource::cast(statement).map(Resource::value);
        resource.or_else(|| Module::cast(statement).map(Module::value)).map(Self)
    }

    /// Whether it is declared by a loop.
    pub fn is_collection(self) -> bool {
        matches!(self.0, Expr::For(_))
    }

    pub fn body(self) -> Option<Object<'t>> {
        self.0.body_object()
    }

    /// A property of its body.
    pub fn property(self, name: &str) -> Option<Property<'t>> {
        self.body()?.property(name)
    }
}
