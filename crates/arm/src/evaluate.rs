//! Expressions to values.
//!
//! An [`Evaluator`] takes an [`Expr`] and a [`Scope`] and gives a [`Value`]. What the expression refers to comes from an
//! [`Environment`]; how much work it may do is said by a [`Budget`]. What the environment does not know becomes an
//! *unknown* part of the result, with the expression that would give it. Everything around it is still evaluated.

mod access;
mod environment;
mod invocation;
mod scope;

use base::{Budget, Verdict};

pub(crate) use self::access::{part, try_part};
pub use self::environment::{ContextObject, Environment, ListCall, Nothing, ReferenceCall};
pub(crate) use self::invocation::Invocation;
pub use self::scope::{ExpressionSite, Lambda, Scope};
use crate::error::Error;
use crate::expression::{Accessor, Call, Expr, ExprKind};
use crate::functions::{Function, Implementation};
use crate::messages;
use crate::value::{Kind, Unknown, Value};

/// Evaluates expressions against one environment within one budget.
#[derive(Clone, Copy)]
pub struct Evaluator<'e> {
    environment: &'e dyn Environment,
    budget: &'e Budget,
}

impl<'e> Evaluator<'e> {
    /// An evaluator over this environment.
    pub fn new(environment: &'e dyn Environment, budget: &'e Budget) -> Self {
        Self { environment, budget }
    }

    /// What expressions refer to.
    pub fn environment(&self) -> &'e dyn Environment {
        self.environment
    }

    /// What is left of the limits.
    pub fn budget(&self) -> &'e Budget {
        self.budget
    }

    /// The value of an expression, as far as it is known.
    pub fn expression(&self, expression: &Expr, scope: &Scope) -> Result<Value, Error> {
        self.budget.step()?;
        match expression.kind() {
            ExprKind::String(text) => Ok(Value::new(Kind::String(text.clone()))),
            ExprKind::Int(value) => Ok(Value::int(*value)),
            ExprKind::Float(text) => Ok(Value::new(Kind::Float(text.parse().unwrap_or_default()))),
            ExprKind::Known(value) => self.resume(value),
            ExprKind::Call(call) => self
                .deeper(|| self.call(expression, call, scope))
                .map_err(|error| error.in_expression(expression.range())),
            ExprKind::Access { base, path } => self
                .deeper(|| self.access(base, path, scope))
                .map_err(|error| error.in_expression(expression.range())),
        }
    }

    /// Evaluates what is unknown in a value once more: what the environment knows by now is put in.
    pub fn resume(&self, value: &Value) -> Result<Value, Error> {
        if !value.has_unknown() {
            return Ok(value.clone());
        }
        let resumed = match value.kind() {
            Kind::Unknown(unknown) => self.deeper(|| self.expression(&unknown.expression, &Scope::free()))?,
            Kind::Array(items) => {
                let items = items.iter().map(|item| self.deeper(|| self.resume(item)));
                Value::array(items.collect::<Result<_, _>>()?)
            }
            Kind::Object(object) => {
                let members = object.iter().map(|(key, member)| {
                    self.deeper(|| self.resume(member)).map(|member| (key.clone(), member))
                });
                Value::from(members.collect::<Result<crate::value::Object, _>>()?)
            }
            _ => value.clone(),
        };
        Ok(if value.is_secure() { resumed.into_secure() } else { resumed })
    }

    /// Runs one level deeper, on a larger stack when the current one runs out.
    pub(crate) fn deeper<T>(&self, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        self.budget.nested(|| base::recurse(work))
    }

    fn access(&self, base: &Expr, path: &[Accessor], scope: &Scope) -> Result<Value, Error> {
        let mut value = self.expression(base, scope)?;
        for accessor in path {
            let key = match accessor {
                Accessor::Property(name) => Value::string(name.as_str()),
                Accessor::Index(index) => self.expression(index, scope)?,
            };
            value = part(&value, &key)?;
        }
        Ok(value)
    }

    fn call(&self, expression: &Expr, call: &Call, scope: &Scope) -> Result<Value, Error> {
        let Some(function) = call.function else { return self.user_call(call, scope) };
        check_use(function, call, scope)?;
        let invocation = Invocation { evaluator: *self, scope, call, range: expression.range() };
        let value = match function.run {
            Implementation::Lazy(run) => run(&invocation, &call.args)?,
            Implementation::Open(run) => run(&invocation, &self.arguments(call, scope)?)?,
            Implementation::Shape(run) => {
                let args = self.arguments(call, scope)?;
                if args.iter().any(Value::is_unknown) {
                    return invocation.residual(&args);
                }
                let secure = args.iter().any(Value::is_secure);
                mark(run(&invocation, &args)?, secure)
            }
            Implementation::Whole(run) => {
                let args = self.arguments(call, scope)?;
                if args.iter().any(Value::has_unknown) {
                    return invocation.residual(&args);
                }
                let secure = args.iter().any(Value::has_secure);
                mark(run(&invocation, &args)?, secure)
            }
        };
        self.check_size(value)
    }

    fn arguments(&self, call: &Call, scope: &Scope) -> Result<Vec<Value>, Error> {
        call.args.iter().map(|arg| self.expression(arg, scope)).collect()
    }

    fn user_call(&self, call: &Call, scope: &Scope) -> Result<Value, Error> {
        let Some((namespace, name)) = call.name.rsplit_once('.') else {
            return Err(messages::unknown_function(&call.name));
        };
        let args = self.arguments(call, scope)?;
        self.user_function(namespace, name, &args)
    }

    /// Calls a function that the template defines.
    pub fn user_function(&self, namespace: &str, name: &str, args: &[Value]) -> Result<Value, Error> {
        let Some(function) = self.environment.user_function(namespace, name) else {
            return Err(messages::unknown_function(&format!("{namespace}.{name}")));
        };
        let full = format!("{namespace}.{name}");
        if function.parameters.len() != args.len() {
            return Err(messages::argument_count(&full, function.parameters.len(), args.len()));
        }
        let mut is_checked = true;
        for (parameter, value) in function.parameters.iter().zip(args) {
            is_checked &= self.settle(self.environment.check_argument(&full, parameter, value))?;
        }
        let names = function.parameters.iter().map(|parameter| parameter.name.clone());
        let scope = Scope::of_function(names.zip(args.iter().cloned()).collect());
        let value = self.deeper(|| self.term(&function.output, &scope))?;
        is_checked &= self.deeper(|| self.settle(self.environment.check_result(&full, function, &value)))?;
        if !is_checked && args.iter().any(Value::has_unknown) {
            // The call stays as it is, so that its checks are made when the arguments are known.
            let call = Expr::call(&full, args.iter().map(Expr::of_value).collect());
            let secure = value.is_secure() || args.iter().any(Value::has_secure);
            return self.check_size(mark(Value::unknown(Unknown::of_parts(call, args)), secure));
        }
        self.check_size(value)
    }

    /// Whether a check was made. What is undetermined is left to the environment to report.
    fn settle(&self, verdict: Verdict<Error>) -> Result<bool, Error> {
        match verdict {
            Verdict::Pass => Ok(true),
            Verdict::Fail(errors) => errors.into_iter().next().map_or(Ok(true), Err),
            Verdict::Undetermined(open) => {
                self.environment.note_unchecked(open);
                Ok(false)
            }
        }
    }

    /// Refuses values that are nested too deeply or would be too large when written out.
    pub(crate) fn check_size(&self, value: Value) -> Result<Value, Error> {
        let limits = self.budget.limits();
        let marks = value.marks();
        if u32::from(marks.depth) > limits.depth {
            return Err(base::Overrun::Depth(limits.depth).into());
        }
        if marks.size > limits.memory {
            return Err(base::Overrun::Memory(limits.memory).into());
        }
        Ok(value)
    }
}

fn mark(value: Value, secure: bool) -> Value {
    if secure { value.into_secure() } else { value }
}

fn check_use(function: &Function, call: &Call, scope: &Scope) -> Result<(), Error> {
    if !function.places.contains(scope.place()) {
        return Err(messages::function_not_expected_here(&call.name));
    }
    if !function.arity.accepts(call.args.len()) {
        return Err(messages::argument_count_of(&call.name, &function.arity.to_string(), call.args.len()));
    }
    Ok(())
}

/// A part of a value that is not known: the expression gets one step longer.
pub(crate) fn unknown_part(value: &Value, unknown: &Unknown, key: &Value) -> Value {
    let accessor = match key.as_str() {
        Some(name) if base::spelling::is_identifier(name) => Accessor::Property(name.into()),
        _ => Accessor::Index(Expr::of_value(key)),
    };
    Value::unknown(Unknown::of_parts(unknown.expression.access(accessor), [value, key]))
}
