//! What a function of the table sees of its call, and how it reads its arguments.

use std::sync::Arc;

use base::{Budget, TextRange};

use super::{Evaluator, Lambda, Scope};
use crate::error::Error;
use crate::expression::{Call, Expr, ExprKind};
use crate::messages;
use crate::value::{Kind, Object, Origin, Unknown, Value, cost};

/// One call of a built-in function.
pub(crate) struct Invocation<'a> {
    pub evaluator: Evaluator<'a>,
    pub scope: &'a Scope,
    pub call: &'a Call,
    pub range: TextRange,
}

impl<'a> Invocation<'a> {
    /// The name as written.
    pub(crate) fn name(&self) -> &'a str {
        &self.call.name
    }

    pub(crate) fn budget(&self) -> &'a Budget {
        self.evaluator.budget()
    }

    /// Counts bytes that the function is about to produce.
    pub(crate) fn allocate(&self, bytes: usize) -> Result<(), Error> {
        Ok(self.budget().allocate(bytes)?)
    }

    /// Counts a text that the function is about to produce.
    pub(crate) fn allocate_text(&self, bytes: usize) -> Result<(), Error> {
        self.allocate(cost::text(bytes))
    }

    /// Counts items that the function is about to copy.
    pub(crate) fn allocate_items(&self, count: usize) -> Result<(), Error> {
        self.allocate(cost::array(count))
    }

    /// A new text.
    pub(crate) fn text(&self, text: String) -> Result<Value, Error> {
        self.allocate_text(text.len())?;
        Ok(Value::string(text))
    }

    /// A new list.
    pub(crate) fn list(&self, items: Vec<Value>) -> Result<Value, Error> {
        self.allocate_items(items.len())?;
        Ok(Value::array(items))
    }

    /// A new object.
    pub(crate) fn object(&self, object: Object) -> Result<Value, Error> {
        self.allocate(cost::object(object.len()))?;
        Ok(Value::from(object))
    }

    /// The value of an argument that a lazy function decides to look at.
    pub(crate) fn evaluate(&self, arg: &Expr) -> Result<Value, Error> {
        self.evaluator.expression(arg, self.scope)
    }

    /// The value of an argument that may turn out not to be needed: an error in it waits until it is.
    pub(crate) fn speculate(&self, arg: &Expr) -> Result<Value, Error> {
        match self.evaluate(arg) {
            Err(error) if !error.is_overrun() => {
                let message = Expr::string(error.message());
                let failure = Expr::call("fail", vec![message]);
                Ok(Value::unknown(Unknown::new(failure, Origin::Service("fail".into()))))
            }
            other => other,
        }
    }

    /// The result when arguments leave it open: this call with what is known put in.
    pub(crate) fn residual(&self, args: &[Value]) -> Result<Value, Error> {
        self.residual_as(self.name(), args)
    }

    /// The same under another name or with other arguments.
    pub(crate) fn residual_as(&self, name: &str, args: &[Value]) -> Result<Value, Error> {
        let closed = args.iter().map(|arg| self.close(arg)).collect::<Result<Vec<_>, Error>>()?;
        let call = self.rebuild(name, closed.iter().map(Expr::of_value).collect());
        let unknown = Value::unknown(Unknown::of_parts(call, closed.iter()));
        let secure = args.iter().any(Value::is_secure);
        self.evaluator.check_size(if secure { unknown.into_secure() } else { unknown })
    }

    /// The result when nothing but the outside could give it.
    pub(crate) fn unknown(&self, args: &[Value], origin: Origin) -> Value {
        Value::unknown(Unknown::new(
            self.rebuild(self.name(), args.iter().map(Expr::of_value).collect()),
            origin,
        ))
    }

    fn rebuild(&self, name: &str, args: Vec<Expr>) -> Expr {
        if name == self.name() {
            let call = Call { name: self.call.name.clone(), function: self.call.function, args };
            return Expr::new(ExprKind::Call(call), self.range);
        }
        Expr::call(name, args)
    }

    /// A lambda whose body no longer needs the names around it. Other values are closed already.
    fn close(&self, value: &Value) -> Result<Value, Error> {
        let Kind::Lambda(lambda) = value.kind() else { return Ok(value.clone()) };
        let open = lambda.parameters.iter().map(|name| {
            let variable = Expr::call("lambdaVariables", vec![Expr::string(name.as_str())]);
            Value::unknown(Unknown::new(variable, Origin::Lambda(name.clone())))
        });
        let body = match self.apply(lambda, open.collect()) {
            Ok(body) => Expr::of_value(&body),
            Err(error) if error.is_overrun() => return Err(error),
            // It may be an error only for an unknown; then it shows when the value is there.
            Err(_) => lambda.body.clone(),
        };
        let closed = Lambda { parameters: lambda.parameters.clone(), body, scope: lambda.scope.clone() };
        Ok(Value::new(Kind::Lambda(Arc::new(closed))))
    }

    /// Calls a lambda. Arguments beyond those it names are dropped.
    pub(crate) fn apply(&self, lambda: &Lambda, args: Vec<Value>) -> Result<Value, Error> {
        let mut scope = lambda.scope.clone();
        for (name, value) in lambda.parameters.iter().zip(args) {
            scope = scope.with_local(name.clone(), value);
        }
        self.evaluator.expression(&lambda.body, &scope)
    }

    /// The argument at a position. The arity is checked before a function runs, so it is there.
    pub(crate) fn arg<'v>(&self, args: &'v [Value], index: usize) -> Result<&'v Value, Error> {
        args.get(index).ok_or_else(|| messages::argument_count(self.name(), index + 1, args.len()))
    }

    pub(crate) fn string<'v>(&self, args: &'v [Value], index: usize) -> Result<&'v str, Error> {
        let arg = self.arg(args, index)?;
        arg.as_str().ok_or_else(|| self.mismatch(index, "String", arg))
    }

    pub(crate) fn int(&self, args: &[Value], index: usize) -> Result<i64, Error> {
        let arg = self.arg(args, index)?;
        arg.as_int().ok_or_else(|| self.mismatch(index, "Integer", arg))
    }

    pub(crate) fn bool(&self, args: &[Value], index: usize) -> Result<bool, Error> {
        let arg = self.arg(args, index)?;
        arg.as_bool().ok_or_else(|| self.mismatch(index, "Boolean", arg))
    }

    pub(crate) fn array<'v>(&self, args: &'v [Value], index: usize) -> Result<&'v [Value], Error> {
        let arg = self.arg(args, index)?;
        arg.as_array().ok_or_else(|| self.mismatch(index, "Array", arg))
    }

    pub(crate) fn members<'v>(&self, args: &'v [Value], index: usize) -> Result<&'v Object, Error> {
        let arg = self.arg(args, index)?;
        arg.as_object().ok_or_else(|| self.mismatch(index, "Object", arg))
    }

    pub(crate) fn lambda<'v>(&self, args: &'v [Value], index: usize) -> Result<&'v Lambda, Error> {
        let arg = self.arg(args, index)?;
        match arg.kind() {
            Kind::Lambda(lambda) => Ok(lambda),
            _ => Err(self.mismatch(index, "Lambda", arg)),
        }
    }

    /// The argument is of a kind that the function does not take.
    pub(crate) fn mismatch(&self, index: usize, expected: &str, actual: &Value) -> Error {
        messages::argument_type(self.name(), index, expected, actual.type_name())
    }

    /// The argument is of the right kind, but the function cannot use it.
    pub(crate) fn invalid(&self, why: impl Into<String>) -> Error {
        messages::invalid_argument(self.name(), &why.into())
    }
}
