//! What a parameter gets that waits for external inputs, in the form that Azure reads: the expression as it was written. Names
//! are replaced by what they stand for, because a parameters file has no variables, and functions of the user by their
//! results. Nothing else is evaluated, as in the reference.

use arm::Error;
use arm::evaluate::{Environment, Scope};
use arm::expression::{Accessor, Expr as TemplateExpr, ExprKind};
use arm::template::{Term, TermKind};
use base::TextRange;
use bicep_sema::SymbolId;
use bicep_syntax::ast::{self, Expr, Statement};

use super::parameter_file::ParameterFile;
use crate::messages;
use crate::translate::Translator;
use crate::value::Value;

impl<'p> ParameterFile<'p> {
    /// Whether an assignment asks for an external input, perhaps through others.
    pub(super) fn asks_outside(&self, assignment: ast::ParamAssignment<'p>) -> bool {
        let symbol = self.cx.model.declared(assignment.syntax().id());
        symbol.is_some_and(|symbol| self.cx.model.inlined().contains(symbol))
    }

    /// An expression as it was written. `None` for a loop, which is no expression, and for what would be too long: its value is
    /// written instead.
    pub(super) fn written(&self, expr: Expr<'p>) -> Result<Option<TemplateExpr>, Error> {
        let translator = Translator::new(&self.cx);
        let value = match translator.value(expr) {
            Value::Loop(_) => return Ok(None),
            value => translator.to_code(value).to_expr(),
        };
        let written = self.without_names(&value)?;
        // Each name that is replaced may double it. Where that became too much, parts are missing.
        Ok((!self.cx.is_cut()).then_some(written))
    }

    fn without_names(&self, expr: &TemplateExpr) -> Result<TemplateExpr, Error> {
        base::recurse(|| match expr.kind() {
            ExprKind::Access { base, path } => {
                let mut whole = as_base(self.without_names(base)?);
                for step in path {
                    whole = whole.access(match step {
                        Accessor::Index(index) => Accessor::Index(self.without_names(index)?),
                        Accessor::Property(name) => Accessor::Property(name.clone()),
                    });
                }
                Ok(whole)
            }
            ExprKind::Call(call) => match (call.name.as_str(), call.args.as_slice()) {
                ("variables", [name]) => self.variable_as_written(name.as_str().unwrap_or_default()),
                ("parameters", [name]) => self.parameter_as_written(name.as_str().unwrap_or_default()),
                (name, args) => {
                    let args: Result<Vec<_>, Error> =
                        args.iter().map(|arg| self.without_names(arg)).collect();
                    let whole = TemplateExpr::call(name, args?);
                    if name.contains('.') { self.result_of(whole) } else { Ok(whole) }
                }
            },
            _ => Ok(expr.clone()),
        })
    }

    fn variable_as_written(&self, name: &str) -> Result<TemplateExpr, Error> {
        let declared = self.cx.tree().file().statements().find_map(|statement| match statement {
            Statement::Var(variable) if variable.name().and_then(ast::Name::text) == Some(name) => {
                Some(variable)
            }
            _ => None,
        });
        let inlined = declared.and_then(|variable| {
            let symbol = self.cx.model.declared(variable.syntax().id())?;
            self.cx.model.inlined().contains(symbol).then_some((symbol, variable))
        });
        let Some((symbol, variable)) = inlined else {
            return Ok(TemplateExpr::of_value(&Environment::variable(self, name)?));
        };
        self.refuse_cycle(symbol, name)?;
        match self.written(variable.value())? {
            Some(written) => Ok(written),
            None => Ok(TemplateExpr::of_value(&Environment::variable(self, name)?)),
        }
    }

    fn parameter_as_written(&self, name: &str) -> Result<TemplateExpr, Error> {
        let value = || Ok(TemplateExpr::of_value(&Environment::parameter(self, name)?));
        let assigned = match (name.strip_prefix("base."), &self.parent) {
            (Some(inherited), Some(parent)) => parent.assignment(inherited),
            _ => self.assignment(name),
        };
        let Some((assignment, owner)) =
            assigned.filter(|(assignment, owner)| owner.asks_outside(*assignment))
        else {
            return value();
        };
        if let Some(symbol) = owner.cx.model.declared(assignment.syntax().id()) {
            owner.refuse_cycle(symbol, name)?;
        }
        match owner.written(assignment.value())? {
            Some(written) => Ok(written),
            None => value(),
        }
    }

    fn refuse_cycle(&self, symbol: SymbolId, name: &str) -> Result<(), Error> {
        match self.cx.model.cycle(symbol) {
            Some(_) => Err(Error::refused(messages::needs_itself(name))),
            None => Ok(()),
        }
    }

    fn result_of(&self, call: TemplateExpr) -> Result<TemplateExpr, Error> {
        let term = Term { range: TextRange::default(), kind: TermKind::Expression(call, 0) };
        Ok(TemplateExpr::of_value(&self.evaluator().term(&term, &Scope::free())?))
    }
}

/// Steps can only be taken from a call.
fn as_base(expr: TemplateExpr) -> TemplateExpr {
    let wrap = match expr.kind() {
        ExprKind::String(_) => "string",
        ExprKind::Int(_) => "int",
        ExprKind::Known(value) if value.as_str().is_some() => "string",
        ExprKind::Known(value) if value.as_int().is_some() => "int",
        _ => return expr,
    };
    TemplateExpr::call(wrap, vec![expr])
}
