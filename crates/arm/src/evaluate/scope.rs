//! What an expression sees besides its environment: lambda variables, function arguments, loop indexes, and where it
//! stands.

use std::sync::Arc;

use smol_str::SmolStr;

use crate::expression::Expr;
use crate::value::{Origin, Unknown, Value};

/// Where an expression stands. Some functions are allowed only in some places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum ExpressionSite {
    /// No template around it, or an expression that evaluation left over.
    #[default]
    Free = 1,
    /// The default value of a parameter.
    ParameterDefault = 1 << 1,
    /// The `expression` of a supplied parameter.
    ParameterExpression = 1 << 2,
    Variable = 1 << 3,
    /// What must be known before anything runs: name, type, condition, scope, loop counts, dependencies.
    ResourceHead = 1 << 4,
    /// The rest of a resource.
    ResourceBody = 1 << 5,
    /// An output or an assertion.
    Output = 1 << 6,
    /// The body of a user-defined function.
    Function = 1 << 7,
}

/// The names an expression can use. Cloning is cheap.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    place: ExpressionSite,
    locals: Option<Arc<Local>>,
    arguments: Option<Arguments>,
    loops: Option<Arc<Loop>>,
}

/// Arguments of a user-defined function.
pub(crate) type Arguments = Arc<[(SmolStr, Value)]>;

#[derive(Debug)]
struct Local {
    name: SmolStr,
    value: Value,
    outer: Option<Arc<Local>>,
}

#[derive(Debug)]
struct Loop {
    name: SmolStr,
    index: Value,
    of_resource: bool,
    outer: Option<Arc<Loop>>,
}

/// A function value: `lambda('x', …)` with the names it was made among.
#[derive(Debug)]
pub struct Lambda {
    /// Names of its variables.
    pub parameters: Vec<SmolStr>,
    /// What it gives.
    pub body: Expr,
    pub(crate) scope: Scope,
}

impl Scope {
    /// A scope without names for an expression in this place.
    pub fn new(place: ExpressionSite) -> Self {
        Self { place, ..Self::default() }
    }

    /// A scope without names where every function is allowed.
    pub fn free() -> Self {
        Self::default()
    }

    pub(crate) fn of_function(arguments: Vec<(SmolStr, Value)>) -> Self {
        Self { place: ExpressionSite::Function, arguments: Some(arguments.into()), ..Self::default() }
    }

    /// Where the expression stands.
    pub fn place(&self) -> ExpressionSite {
        self.place
    }

    /// The same names in another place.
    #[must_use]
    pub fn at(&self, place: ExpressionSite) -> Self {
        Self { place, ..self.clone() }
    }

    /// With one more lambda variable.
    #[must_use]
    pub fn with_local(&self, name: SmolStr, value: Value) -> Self {
        let local = Local { name, value, outer: self.locals.clone() };
        Self { locals: Some(Arc::new(local)), ..self.clone() }
    }

    /// Inside one more loop over a property, a variable or an output.
    #[must_use]
    pub fn with_loop(&self, name: SmolStr, index: Value) -> Self {
        self.inside(Loop { name, index, of_resource: false, outer: self.loops.clone() })
    }

    /// Inside the loop of a resource: the one that `copyIndex()` without a name means.
    #[must_use]
    pub fn with_resource_loop(&self, name: SmolStr, index: usize) -> Self {
        self.inside(Loop { name, index: Value::count(index), of_resource: true, outer: self.loops.clone() })
    }

    /// Inside the loop of a resource, in a turn whose number is not known.
    #[must_use]
    pub(crate) fn with_open_turn(&self, name: SmolStr) -> Self {
        let call = Expr::call("copyIndex", vec![Expr::string(name.as_str())]);
        let index = Value::unknown(Unknown::new(call, Origin::Lambda(name.clone())));
        self.inside(Loop { name, index, of_resource: true, outer: self.loops.clone() })
    }

    fn inside(&self, inner: Loop) -> Self {
        Self { loops: Some(Arc::new(inner)), ..self.clone() }
    }

    /// A lambda variable.
    pub(crate) fn local(&self, name: &str) -> Option<&Value> {
        let mut next = self.locals.as_deref();
        while let Some(local) = next {
            if json::eq_ignore_case(&local.name, name) {
                return Some(&local.value);
            }
            next = local.outer.as_deref();
        }
        None
    }

    /// An argument of the function around, if there is a function around.
    pub(crate) fn argument(&self, name: &str) -> Option<Option<&Value>> {
        let arguments = self.arguments.as_ref()?;
        Some(arguments.iter().find(|(key, _)| json::eq_ignore_case(key, name)).map(|(_, value)| value))
    }

    /// The index of the loop of this name. Without a name: of the resource's loop, else of the innermost one.
    pub(crate) fn loop_index(&self, name: Option<&str>) -> Option<&Value> {
        let loops = || std::iter::successors(self.loops.as_deref(), |inner| inner.outer.as_deref());
        let found = match name {
            Some(name) => loops().find(|known| json::eq_ignore_case(&known.name, name)),
            None => loops().find(|known| known.of_resource).or_else(|| loops().next()),
        };
        found.map(|found| &found.index)
    }
}
