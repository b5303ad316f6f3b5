//! `a.b`, `a[b]` and their safe forms.

use bicep_sema::SymbolKind;
use bicep_syntax::ast::{self, Expr};
use bicep_types::ty::{ResourceReference, Type};

use super::Translator;
use crate::code::Code;
use crate::value::{ById, Reference, Value};

/// How a step is taken.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    /// `?`: nothing where there is nothing.
    pub(super) is_safe: bool,
    /// `^`: counted from the end.
    is_from_end: bool,
    /// Whether it continues another step, so that it is not taken either when that one found nothing.
    is_chained: bool,
}

const SAFE_FUNCTIONS: [&str; 2] = ["tryGet", "tryIndexFromEnd"];

impl<'p> Translator<'_, 'p> {
    pub(super) fn index(&self, access: ast::Index<'p>) -> Value {
        let base = access.base();
        if let Some(reference) = self.collection_item(base, access.index()) {
            return reference;
        }
        let manner = Manner {
            is_safe: access.is_safe(),
            is_from_end: access.is_from_end(),
            is_chained: self.is_step(base),
        };
        let index = self.value(access.index());
        if let Value::Text(name) = &index
            && let Some(code) = self.inherited_member(base, name)
        {
            return Value::Code(code);
        }
        let base = self.value(base);
        match index {
            Value::Text(name) => self.property_of(base, &name, manner),
            index => Value::Code(step(self.to_code(base), self.to_code(index), manner)),
        }
    }

    /// One of a collection of resources or modules.
    fn collection_item(&self, base: Expr<'p>, index: Expr<'p>) -> Option<Value> {
        if !matches!(base, Expr::VarAccess(_) | Expr::ResourceAccess(_)) {
            return None;
        }
        if let Some(resource) = self.cx.resources.of_expr(base, self.cx.model) {
            return resource.is_collection.then(|| Value::Resource(self.indexed(resource.symbol, index)));
        }
        let symbol = self.cx.model.bindings().symbol(base.syntax())?;
        let module = self.cx.module(symbol)?;
        module.is_collection.then(|| Value::Module(self.indexed(symbol, index)))
    }

    pub(super) fn property_access(&self, access: ast::PropertyAccess<'p>) -> Value {
        let name = access.name().and_then(ast::Name::text).unwrap_or_default();
        let base = access.base();
        let manner = Manner { is_safe: access.is_safe(), is_from_end: false, is_chained: self.is_step(base) };
        if let Expr::PropertyAccess(outputs) = base
            && outputs.name().and_then(ast::Name::text) == Some("outputs")
            && self.cx.is_module_expr(outputs.base())
        {
            let output = self.module_output(outputs, name, manner);
            let ty = self.cx.model.type_of(access.syntax()).map(Type::remove_null);
            let Some(ty) = ty.as_ref().and_then(Type::as_resource) else { return Value::Code(output) };
            let ty = ty.reference.clone();
            let resource = match access.is_safe() {
                true => self.possible_output(outputs, name, ty),
                false => ById::new(output, ty),
            };
            return Value::ById(Box::new(ById { is_output: true, ..resource }));
        }
        if let Some(code) = self.imported_variable(base, name) {
            return Value::Code(code);
        }
        if let Some(code) = self.inherited_member(base, name) {
            return Value::Code(code);
        }
        self.property_of(self.value(base), name, manner)
    }

    /// `base.name`: one parameter of the file that a parameter file extends, without asking for the others.
    fn inherited_member(&self, base: Expr<'p>, name: &str) -> Option<Code> {
        let Expr::VarAccess(access) = base else { return None };
        let is_base = access.name().and_then(ast::Name::text) == Some("base")
            && self.cx.is_params()
            && self.cx.model.bindings().symbol(access.syntax()).is_none();
        is_base.then(|| Code::call("parameters", [Code::Text(format!("base.{name}"))]))
    }

    /// `namespace.variable` of a wildcard import.
    fn imported_variable(&self, base: Expr<'p>, name: &str) -> Option<Code> {
        let Expr::VarAccess(access) = base else { return None };
        let symbol = self.cx.model.bindings().symbol(access.syntax())?;
        if self.cx.model.symbol(symbol).kind != SymbolKind::WildcardImport {
            return None;
        }
        Some(Code::call("variables", [Code::Text(self.cx.imported_member(symbol, name))]))
    }

    fn property_of(&self, base: Value, name: &str, manner: Manner) -> Value {
        Value::Code(match base {
            Value::Resource(reference) => {
                self.at_reference(&reference).resource_property(&reference, name, manner.is_safe)
            }
            Value::Module(reference) => {
                self.at_reference(&reference).module_property(&reference, name, manner.is_safe, None)
            }
            Value::ById(resource) => self.property_by_id(&resource, name, manner.is_safe),
            base => step(self.to_code(base), Code::text(name), manner),
        })
    }

    /// A property of a resource.
    pub(crate) fn property_code(&self, reference: &Reference, name: &str) -> Code {
        self.at_reference(reference).resource_property(reference, name, false)
    }

    /// The id of a resource, by which it is handed on.
    pub(crate) fn id_of(&self, value: Value) -> Value {
        match value {
            Value::Resource(reference) => Value::Code(self.property_code(&reference, "id")),
            Value::ById(resource) => Value::Code(resource.id),
            value => value,
        }
    }

    /// A translator for what belongs to one of a collection: its name, its condition.
    pub(super) fn at_reference(&self, reference: &Reference) -> Self {
        match &reference.index {
            Some(indexed) => self.with(indexed.locals.clone()),
            None => self.clone(),
        }
    }

    /// The resource of `module.outputs.?name`: nothing where there is no such output.
    fn possible_output(&self, outputs: ast::PropertyAccess<'p>, name: &str, ty: ResourceReference) -> ById {
        let all = self.to_code(self.property_access(outputs));
        let is_there = Code::call("contains", [all.clone(), Code::text(name)]);
        let there = ById::new(all.clone().member(name).member("value"), ty);
        ById {
            id: Code::call("tryGet", [all, Code::text(name), Code::text("value")]),
            name: Code::call("if", [is_there, there.name.clone(), Code::null()]),
            ..there
        }
    }

    /// `module.outputs.name`
    fn module_output(&self, outputs: ast::PropertyAccess<'p>, name: &str, manner: Manner) -> Code {
        let mut tail = vec![Code::text(name)];
        let base = match self.value(outputs.base()) {
            Value::Module(reference) => {
                let is_secure = self.cx.has_secure_output(reference.symbol, name);
                if !is_secure {
                    tail.push(Code::text("value"));
                }
                let at = self.at_reference(&reference);
                at.module_property(&reference, "outputs", outputs.is_safe(), Some(is_secure))
            }
            other => {
                tail.push(Code::text("value"));
                let manner = Manner {
                    is_safe: outputs.is_safe(),
                    is_from_end: false,
                    is_chained: self.is_step(outputs.base()),
                };
                step(self.to_code(other), Code::text("outputs"), manner)
            }
        };
        if manner.is_safe {
            return tail.into_iter().fold(base, |code, step| Code::call("tryGet", [code, step]));
        }
        if let Some(call) = base.as_call_of(&SAFE_FUNCTIONS) {
            return Code::call(&call.name, call.args.iter().cloned().chain(tail));
        }
        if let Code::Call(call) = &base
            && call.name == "if"
            && matches!(call.args.last(), Some(Code::Call(last)) if last.name == "null")
        {
            return Code::call("tryGet", std::iter::once(base).chain(tail));
        }
        tail.into_iter().fold(base, Code::at)
    }

    /// Whether an expression ends in a step, through what leaves no trace in the template.
    fn is_step(&self, expr: Expr<'p>) -> bool {
        match expr {
            Expr::Index(_) | Expr::PropertyAccess(_) => true,
            Expr::NonNull(assertion) => self.is_step(assertion.base()),
            _ => self.passed_through(expr).is_some_and(|argument| self.is_step(argument)),
        }
    }
}

/// Takes a step into a value.
fn step(base: Code, accessor: Code, manner: Manner) -> Code {
    if manner.is_safe {
        let function = if manner.is_from_end { "tryIndexFromEnd" } else { "tryGet" };
        return Code::call(function, [base, accessor]);
    }
    if manner.is_chained
        && let Some(call) = base.as_call_of(&SAFE_FUNCTIONS)
    {
        let last = if manner.is_from_end {
            let parts = [Code::text("value"), accessor, Code::text("fromEnd"), Code::bool(true)];
            Code::call("createObject", parts)
        } else {
            accessor
        };
        return Code::call(&call.name, call.args.iter().cloned().chain([last]));
    }
    if manner.is_from_end { Code::call("indexFromEnd", [base, accessor]) } else { base.at(accessor) }
}
