//! Function calls: built-in functions, functions of the file, of imports, of namespaces and of resources.

use bicep_sema::namespace::{Emission, emission};
use bicep_sema::{Binding, SymbolId, SymbolKind};
use bicep_syntax::Node;
use bicep_syntax::ast::{self, Expr};

use super::Translator;
use crate::code::Code;
use crate::value::{ById, Reference, Value};

/// The namespace in templates of the functions that a file declares.
pub(crate) const LOCAL_NAMESPACE: &str = "__bicep";

impl<'p> Translator<'_, 'p> {
    pub(super) fn call(&self, call: ast::Call<'p>) -> Value {
        let node = call.syntax();
        if let Some(code) = self.kept_elsewhere(node) {
            return Value::Code(code);
        }
        let arguments = || call.arguments().map(|argument| self.code(argument.value()));
        if let Some(symbol) = self.cx.model.bindings().symbol(node) {
            let name = qualified(&self.cx.emitted_name(symbol));
            return Value::Code(Code::call(name, arguments()));
        }
        let name = call.name().and_then(ast::Name::text).unwrap_or_default();
        match self.folded(Expr::Call(call), name, call.arguments()) {
            Some(value) => value,
            None => Value::Code(Code::call(name, arguments())),
        }
    }

    /// A call whose result the template keeps in a variable, or gets as an external input.
    fn kept_elsewhere(&self, call: Node<'p>) -> Option<Code> {
        if let Some(name) = self.cx.constants.name(call.id()) {
            return Some(Code::call("variables", [Code::Text(self.cx.constant_name(name))]));
        }
        Some(Code::call("externalInputs", [Code::text(self.cx.external_key(call)?)]))
    }

    /// Functions that the compiler computes, and those that leave no trace.
    fn folded(
        &self,
        call: Expr<'p>,
        name: &str,
        mut arguments: impl Iterator<Item = ast::Argument<'p>>,
    ) -> Option<Value> {
        match emission(name) {
            Emission::Argument => arguments.next().map(|argument| self.value(argument.value())),
            // Functions that stand for a scope are calls without a value of their own: the model has a constant for them.
            Emission::Constant | Emission::Call | Emission::ExternalInput => self.cx.constant(call.syntax()),
        }
    }

    pub(super) fn method_call(&self, call: ast::MethodCall<'p>) -> Value {
        let node = call.syntax();
        if let Some(code) = self.kept_elsewhere(node) {
            return Value::Code(code);
        }
        let name = call.name().and_then(ast::Name::text).unwrap_or_default();
        let arguments = || call.arguments().map(|argument| self.code(argument.value()));
        match self.method_base(call.base()) {
            MethodBase::Import(symbol) => {
                let name = qualified(&self.cx.imported_member(symbol, name));
                Value::Code(Code::call(name, arguments()))
            }
            MethodBase::This => Value::Code(self.this_method(name, node)),
            MethodBase::Resource(reference) => Value::Code(self.resource_method(&reference, call)),
            MethodBase::ById(resource) => {
                let mut arguments: Vec<Code> = arguments().collect();
                if arguments.is_empty() {
                    arguments.push(self.property_by_id(&resource, "apiVersion", false));
                }
                Value::Code(Code::call(name, std::iter::once(resource.id).chain(arguments)))
            }
            MethodBase::Namespace => match self.folded(Expr::MethodCall(call), name, call.arguments()) {
                Some(value) => value,
                None => Value::Code(Code::call(name, arguments())),
            },
        }
    }

    /// The argument of a call that stands for nothing else: `any(…)`.
    pub(crate) fn passed_through(&self, expr: Expr<'p>) -> Option<Expr<'p>> {
        let bindings = self.cx.model.bindings();
        let (name, mut arguments) = match expr {
            Expr::Call(call) if bindings.symbol(call.syntax()).is_none() => {
                (call.name(), call.arguments().collect::<Vec<_>>())
            }
            Expr::MethodCall(call)
                if matches!(bindings.get(call.base().syntax()), Some(Binding::Namespace(_))) =>
            {
                (call.name(), call.arguments().collect())
            }
            _ => return None,
        };
        let is_argument = emission(name.and_then(ast::Name::text)?) == Emission::Argument;
        if is_argument && arguments.len() == 1 { Some(arguments.pop()?.value()) } else { None }
    }

    fn method_base(&self, base: Expr<'p>) -> MethodBase {
        let mut inner = base;
        loop {
            inner = match inner {
                Expr::Paren(paren) => paren.value(),
                Expr::NonNull(assertion) => assertion.base(),
                _ => break,
            };
        }
        match self.cx.model.bindings().get(inner.syntax()) {
            Some(Binding::Symbol(symbol)) => match self.cx.model.symbol(symbol).kind {
                SymbolKind::WildcardImport => return MethodBase::Import(symbol),
                SymbolKind::This => return MethodBase::This,
                SymbolKind::Extension => return MethodBase::Namespace,
                // A variable that holds a resource is looked through.
                SymbolKind::Var => return self.method_base(self.cx.variable_value(symbol)),
                _ => {}
            },
            Some(Binding::Namespace(_)) => return MethodBase::Namespace,
            _ => {}
        }
        match self.value(inner) {
            Value::Resource(reference) => MethodBase::Resource(reference),
            Value::ById(resource) => MethodBase::ById(*resource),
            _ => MethodBase::Namespace,
        }
    }

    /// `this.exists()`, `this.existingResource()`
    fn this_method(&self, name: &str, node: Node<'p>) -> Code {
        let full = Code::call("target", [Code::text("full")]);
        if name == "exists" {
            return Code::call("not", [Code::call("empty", [full])]);
        }
        let around = node.ancestors().find_map(ast::Resource::cast);
        let symbol = around.and_then(|resource| self.cx.model.declared(resource.syntax().id()));
        let resource = symbol.and_then(|symbol| self.cx.resources.get(symbol));
        // Resources of extensions have no other parts than their properties.
        if resource.is_some_and(|resource| !resource.is_azure) { Code::call("target", []) } else { full }
    }

    /// `resource.listKeys()`, or any method of a resource of an extension.
    fn resource_method(&self, reference: &Reference, call: ast::MethodCall<'p>) -> Code {
        let name = call.name().and_then(ast::Name::text).unwrap_or_default();
        let mut arguments: Vec<Code> = call.arguments().map(|argument| self.code(argument.value())).collect();
        let Some(resource) = self.cx.resources.get(reference.symbol) else { return Code::null() };
        if !resource.is_azure {
            let target = self.symbolic_reference(reference);
            let arguments = Code::call("createArray", arguments);
            return Code::call("invokeResourceMethod", [target, Code::text(name), arguments]);
        }
        let target = if self.cx.mode.is_symbolic {
            self.symbolic_reference(reference)
        } else {
            self.at_reference(reference).resource_property(reference, "id", false)
        };
        if arguments.is_empty() {
            arguments.push(super::references::version_of(resource));
        }
        Code::call(name, std::iter::once(target).chain(arguments))
    }

    /// The id of the vault and the call of `vault.getSecret(…)`.
    pub(crate) fn secret(&self, expr: Expr<'p>) -> Option<(Code, ast::MethodCall<'p>)> {
        let Expr::MethodCall(call) = expr else { return None };
        if !call.name().and_then(ast::Name::text)?.eq_ignore_ascii_case("getSecret") {
            return None;
        }
        match self.method_base(call.base()) {
            MethodBase::Resource(reference) => Some((self.property_code(&reference, "id"), call)),
            MethodBase::ById(resource) => Some((resource.id, call)),
            _ => None,
        }
    }
}

/// What a method is called on.
enum MethodBase {
    Import(SymbolId),
    This,
    Resource(Reference),
    ById(ById),
    Namespace,
}

/// The name of a function with its namespace.
pub(crate) fn qualified(name: &str) -> String {
    if name.contains('.') { name.to_owned() } else { format!("{LOCAL_NAMESPACE}.{name}") }
}
