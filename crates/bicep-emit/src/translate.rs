//! Expressions of the source language → values and expressions of the template language.
//!
//! A [`Translator`] knows the file and what variables of loops stand for at the place where the result will be. The
//! same name expression translates to `copyIndex()` in its own loop and to the index at hand elsewhere.

mod access;
mod calls;
mod conditions;
mod identity;
mod references;

use std::rc::Rc;

use bicep_sema::{SymbolId, SymbolKind};
use bicep_syntax::ast::{self, Expr};
use bicep_syntax::{Node, SyntaxKind};
use bicep_types::ty::{Kind, Type};

use crate::code::{Code, format_string};
use crate::context::Context;
use crate::locals::Locals;
use crate::value::{ById, Indexed, Key, Loop, Member, Members, Reference, Value};
pub(crate) use calls::{LOCAL_NAMESPACE, qualified};
pub(crate) use conditions::condition_of;
pub(crate) use identity::DEPLOYMENT_TYPE;
pub(crate) use references::DEPLOYMENT_API;

/// Translates expressions of one file for one place.
#[derive(Clone)]
pub(crate) struct Translator<'c, 'p> {
    pub(crate) cx: &'c Context<'p>,
    pub(crate) locals: Locals,
}

impl<'c, 'p> Translator<'c, 'p> {
    pub(crate) fn new(cx: &'c Context<'p>) -> Self {
        Self { cx, locals: Locals::default() }
    }

    /// The same file, but with these meanings of local variables.
    pub(crate) fn with(&self, locals: Locals) -> Self {
        Self { cx: self.cx, locals }
    }

    /// Translates an expression into an expression.
    pub(crate) fn code(&self, expr: Expr<'p>) -> Code {
        self.to_code(self.value(expr))
    }

    /// Translates an expression.
    pub(crate) fn value(&self, expr: Expr<'p>) -> Value {
        if !self.cx.spend(1) {
            return Value::Null;
        }
        base::recurse(|| self.value_of(expr))
    }

    fn value_of(&self, expr: Expr<'p>) -> Value {
        match expr {
            Expr::BoolLiteral(literal) => Value::Bool(literal.value()),
            Expr::IntLiteral(literal) => Value::Int(i64::try_from(literal.value()).unwrap_or(i64::MAX)),
            Expr::NullLiteral(_) | Expr::Skipped(_) => Value::Null,
            Expr::Str(text) => self.string(text),
            Expr::Array(array) => self.array(array),
            Expr::Object(object) => self.object(object),
            Expr::Paren(paren) => self.value(paren.value()),
            Expr::NonNull(assertion) => self.value(assertion.base()),
            Expr::Ternary(ternary) => Value::Code(Code::call(
                "if",
                [ternary.condition(), ternary.if_true(), ternary.if_false()].map(|part| self.code(part)),
            )),
            Expr::Binary(binary) => Value::Code(self.binary(binary)),
            Expr::Unary(unary) => self.unary(unary),
            Expr::Index(access) => self.index(access),
            Expr::PropertyAccess(access) => self.property_access(access),
            Expr::ResourceAccess(_) => self.resource_access(expr),
            Expr::VarAccess(access) => self.variable(access),
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(call) => self.method_call(call),
            Expr::Lambda(lambda) => Value::Code(self.lambda(lambda)),
            Expr::For(each) => Value::Loop(Box::new(Loop {
                source: self.value(each.source()),
                body: self.value(each.body()),
            })),
            Expr::If(condition) => condition.body().map_or(Value::Null, |body| self.object(body)),
        }
    }

    /// A value as an expression: literals become the calls that make them.
    pub(crate) fn to_code(&self, value: Value) -> Code {
        match value {
            Value::Null => Code::null(),
            Value::Bool(value) => Code::bool(value),
            Value::Int(value) => Code::int(value),
            Value::Text(text) => Code::Text(text),
            Value::Array(items) => {
                Code::call("createArray", items.into_iter().map(|item| self.to_code(item)))
            }
            Value::Item(_, item) => self.to_code(*item),
            Value::Object(members) => {
                let parts = members.into_iter().flat_map(|member| {
                    let key = match member.key {
                        Key::Name(name) => Code::Text(name),
                        Key::Computed(code) => code,
                    };
                    [key, self.to_code(member.value)]
                });
                Code::call("createObject", parts)
            }
            // A loop in such a place has been reported.
            Value::Loop(each) => self.to_code(each.source),
            Value::Code(code) => code,
            Value::Resource(reference) => self.resource_reference(&reference, true),
            Value::Module(reference) => self.module_reference(&reference),
            Value::ById(resource) if resource.is_output => resource.id,
            Value::ById(resource) => self.reference_by_id(&resource, true),
        }
    }

    fn string(&self, text: ast::Str<'p>) -> Value {
        match text.value() {
            Some(text) => Value::Text(text),
            None => {
                let format = Code::Text(format_string(&text.segment_values()));
                let holes = text.holes().map(|hole| self.code(hole));
                Value::Code(Code::call("format", std::iter::once(format).chain(holes)))
            }
        }
    }

    fn array(&self, array: ast::Array<'p>) -> Value {
        let mut chunks = Chunks::default();
        for item in array.items() {
            match (ast::ArrayItem::cast(item), ast::Spread::cast(item)) {
                (Some(item), _) => {
                    let value = Box::new(self.value(item.value()));
                    chunks.add(Value::Item(item.value().syntax().range(), value));
                }
                (_, Some(spread)) => chunks.spread(self.value(spread.value()), Value::Array),
                _ => {}
            }
        }
        chunks.finish(Value::Array, |chunks| self.call_with("flatten", chunks))
    }

    /// An object; where it spreads others, a call that merges them.
    pub(crate) fn object(&self, object: ast::Object<'p>) -> Value {
        let mut chunks = Chunks::default();
        for child in object.syntax().children() {
            match (ast::Property::cast(child), ast::Spread::cast(child)) {
                (Some(property), _) => chunks.add(self.member(property)),
                (_, Some(spread)) => chunks.spread(self.value(spread.value()), Value::Object),
                _ => {}
            }
        }
        chunks.finish(Value::Object, |chunks| self.call_with("shallowMerge", chunks))
    }

    fn call_with(&self, function: &str, items: Vec<Value>) -> Value {
        Value::Code(Code::call(function, [self.to_code(Value::Array(items))]))
    }

    /// The properties of an object that are not among `omitted`.
    pub(crate) fn members(&self, object: ast::Object<'p>, omitted: &[&str]) -> Members {
        object
            .properties()
            .filter(|property| !property.key_text().is_some_and(|key| omitted.contains(&&*key)))
            .map(|property| self.member(property))
            .collect()
    }

    fn member(&self, property: ast::Property<'p>) -> Member {
        let key = match property.key_text() {
            Some(name) => Key::Name(name.into_owned()),
            None => match ast::Str::cast(property.key()).map(|key| self.string(key)) {
                Some(key) => Key::Computed(self.to_code(key)),
                None => Key::Name(String::new()),
            },
        };
        Member { key, value: self.value(property.value()), range: Some(property.range()) }
    }

    fn binary(&self, binary: ast::Binary<'p>) -> Code {
        let (left, right) = (self.code(binary.left()), self.code(binary.right()));
        let lower = |side: Code| Code::call("toLower", [side]);
        let not = |code: Code| Code::call("not", [code]);
        let function = match binary.operator().map(bicep_syntax::Token::kind) {
            Some(SyntaxKind::NotEqual) => return not(Code::call("equals", [left, right])),
            Some(SyntaxKind::EqualIgnoreCase) => return Code::call("equals", [lower(left), lower(right)]),
            Some(SyntaxKind::NotEqualIgnoreCase) => {
                return not(Code::call("equals", [lower(left), lower(right)]));
            }
            Some(SyntaxKind::OrOr) => "or",
            Some(SyntaxKind::AndAnd) => "and",
            Some(SyntaxKind::EqualEqual) => "equals",
            Some(SyntaxKind::Less) => "less",
            Some(SyntaxKind::LessOrEqual) => "lessOrEquals",
            Some(SyntaxKind::Greater) => "greater",
            Some(SyntaxKind::GreaterOrEqual) => "greaterOrEquals",
            Some(SyntaxKind::Plus) => "add",
            Some(SyntaxKind::Minus) => "sub",
            Some(SyntaxKind::Star) => "mul",
            Some(SyntaxKind::Slash) => "div",
            Some(SyntaxKind::Percent) => "mod",
            // The parser knows no other operators.
            _ => "coalesce",
        };
        Code::call(function, [left, right])
    }

    fn unary(&self, unary: ast::Unary<'p>) -> Value {
        let is_minus = unary.operator().is_some_and(|operator| operator.kind() == SyntaxKind::Minus);
        match unary.operand() {
            Expr::IntLiteral(literal) if is_minus => {
                let negative = 0_i64.checked_sub_unsigned(literal.value());
                Value::Int(negative.unwrap_or(i64::MIN))
            }
            operand if is_minus => Value::Code(Code::call("sub", [Code::Int(0), self.code(operand)])),
            operand => Value::Code(Code::call("not", [self.code(operand)])),
        }
    }

    fn lambda(&self, lambda: ast::Lambda<'p>) -> Code {
        let names = lambda
            .variables()
            .map(|variable| Code::text(variable.name().and_then(ast::Name::text).unwrap_or_default()));
        Code::call("lambda", names.chain([self.code(lambda.body())]))
    }

    fn resource_access(&self, expr: Expr<'p>) -> Value {
        match self.cx.resources.of_expr(expr, self.cx.model) {
            Some(resource) => Value::Resource(Reference { symbol: resource.symbol, index: None }),
            None => Value::Null,
        }
    }

    fn variable(&self, access: ast::VarAccess<'p>) -> Value {
        let node = access.syntax();
        if let Some(resource) = self.cx.resources.of_expr(Expr::VarAccess(access), self.cx.model) {
            return Value::Resource(Reference { symbol: resource.symbol, index: None });
        }
        let Some(id) = self.cx.model.bindings().symbol(node) else { return self.inherited(access) };
        let symbol = self.cx.model.symbol(id);
        let name = || Code::text(symbol.name.as_deref().unwrap_or_default());
        match symbol.kind {
            SymbolKind::Param | SymbolKind::FuncParam => {
                let parameter = Code::call("parameters", [name()]);
                self.handed_in(id, parameter)
            }
            SymbolKind::ParamAssignment => Value::Code(Code::call("parameters", [name()])),
            SymbolKind::Var if self.cx.is_inlined(id) => self.value(self.cx.variable_value(id)),
            SymbolKind::Var | SymbolKind::ImportItem => {
                Value::Code(Code::call("variables", [Code::Text(self.cx.emitted_name(id))]))
            }
            SymbolKind::Module => Value::Module(Reference { symbol: id, index: None }),
            SymbolKind::Extension => Value::Code(Code::call("extensions", [name()])),
            SymbolKind::LambdaVar => Value::Code(Code::call("lambdaVariables", [name()])),
            SymbolKind::LoopItem | SymbolKind::LoopIndex => Value::Code(self.loop_variable(id)),
            _ => Value::Null,
        }
    }

    /// What a variable stands for where a template cannot have it and its value is written instead.
    pub(crate) fn inlined_variable(&self, access: ast::VarAccess<'p>) -> Option<Expr<'p>> {
        let id = self.cx.model.bindings().symbol(access.syntax())?;
        let is_inlined = self.cx.model.symbol(id).kind == SymbolKind::Var && self.cx.is_inlined(id);
        is_inlined.then(|| self.cx.variable_value(id))
    }

    /// A name that a parameter file does not declare itself: a parameter of the file that it extends, or `base`.
    fn inherited(&self, access: ast::VarAccess<'p>) -> Value {
        match access.name().and_then(ast::Name::text) {
            Some(name) if self.cx.is_params() => Value::Code(Code::call("parameters", [Code::text(name)])),
            _ => Value::Null,
        }
    }

    /// A parameter: a resource where its type is one.
    fn handed_in(&self, symbol: SymbolId, parameter: Code) -> Value {
        match self.cx.model.declared_type(symbol).map(Type::kind) {
            Some(Kind::Resource(ty)) => Value::ById(Box::new(ById::new(parameter, ty.reference.clone()))),
            _ => Value::Code(parameter),
        }
    }

    /// A variable of a loop: what it stands for here, or the loop's position.
    fn loop_variable(&self, id: SymbolId) -> Code {
        if let Some(code) = self.locals.get(id) {
            return if self.cx.spend(code.size()) { code.clone() } else { Code::null() };
        }
        let symbol = self.cx.model.symbol(id);
        let declaration = self.cx.tree().node(symbol.declaration);
        let each = declaration.ancestors().find_map(ast::For::cast);
        let Some(each) = each else { return Code::null() };
        let index = match self.cx.copy_name(each.syntax()) {
            Some(name) => Code::call("copyIndex", [Code::Text(name)]),
            None => Code::call("copyIndex", []),
        };
        if symbol.kind == SymbolKind::LoopIndex { index } else { self.code(each.source()).at(index) }
    }

    /// What the variables of a loop stand for when the loop is at this index.
    pub(crate) fn locals_at(&self, declaration: Node<'p>, index: &Code) -> Locals {
        let value = declaration.children().next_back().and_then(ast::For::cast);
        let Some(each) = value else { return self.locals.clone() };
        let mut locals = self.locals.clone();
        let declared = |variable: ast::LocalVar<'p>| self.cx.model.declared(variable.syntax().id());
        if let Some(item) = each.item().and_then(declared) {
            locals = locals.with(item, self.code(each.source()).at(index.clone()));
        }
        if let Some(position) = each.index().and_then(declared) {
            locals = locals.with(position, index.clone());
        }
        locals
    }

    /// A reference to one of a collection. As in the reference, variables of its loop that its name does not use keep their
    /// meaning, even in its scope and its condition.
    pub(crate) fn indexed(&self, symbol: SymbolId, index: Expr<'p>) -> Reference {
        let index = self.code(index);
        let declaration = self.cx.declaration(symbol);
        let mut locals = self.locals_at(declaration, &index);
        if let Some(used) = self.used_in_name(symbol) {
            for variable in self.loop_variables(declaration) {
                if !used.contains(&variable) {
                    locals = locals.without(variable);
                }
            }
        }
        Reference { symbol, index: Some(Rc::new(Indexed { index, locals })) }
    }

    /// The symbols that the name of a resource or module uses, those of its ancestors' names included. None for other things.
    fn used_in_name(&self, symbol: SymbolId) -> Option<Vec<SymbolId>> {
        if self.cx.model.symbol(symbol).kind == SymbolKind::Module {
            let name = self.cx.module_property(symbol, "name");
            return Some(name.map(|name| self.symbols_in(name.syntax())).unwrap_or_default());
        }
        let resource = self.cx.resources.get(symbol)?;
        if !resource.is_azure {
            return Some(Vec::new());
        }
        let name_of = |resource| {
            let name = self.cx.resource_property(resource, "name");
            name.map(|name| self.symbols_in(name.syntax())).unwrap_or_default()
        };
        // From the oldest ancestor to the resource: what a name takes from a loop, it takes from the index into that loop.
        let mut used: Vec<SymbolId> = Vec::new();
        for (ancestor, link) in self.cx.resources.ancestors(resource) {
            used.extend(name_of(ancestor));
            let variables = self.loop_variables(self.cx.declaration(ancestor.symbol));
            if let Some(index) = link.index
                && used.iter().any(|it| variables.contains(it))
            {
                used.retain(|it| !variables.contains(it));
                used.extend(self.symbols_in(self.cx.tree().node(index)));
            }
        }
        used.extend(name_of(resource));
        Some(used)
    }

    fn symbols_in(&self, node: Node<'p>) -> Vec<SymbolId> {
        node.descendants().filter_map(|node| self.cx.model.bindings().symbol(node)).collect()
    }

    fn loop_variables(&self, declaration: Node<'p>) -> Vec<SymbolId> {
        let each = declaration.children().next_back().and_then(ast::For::cast);
        let variables = each.into_iter().flat_map(ast::For::variables);
        variables.filter_map(|variable| self.cx.model.declared(variable.syntax().id())).collect()
    }
}

/// Items of an array or members of an object, cut at what is spread between them.
struct Chunks<T> {
    open: Vec<T>,
    done: Vec<Value>,
    has_spread: bool,
}

impl<T> Default for Chunks<T> {
    fn default() -> Self {
        Self { open: Vec::new(), done: Vec::new(), has_spread: false }
    }
}

impl<T> Chunks<T> {
    fn add(&mut self, item: T) {
        self.open.push(item);
    }

    fn spread(&mut self, value: Value, make: fn(Vec<T>) -> Value) {
        self.close(make);
        self.done.push(value);
        self.has_spread = true;
    }

    fn close(&mut self, make: fn(Vec<T>) -> Value) {
        if !self.open.is_empty() {
            self.done.push(make(std::mem::take(&mut self.open)));
        }
    }

    fn finish(mut self, make: fn(Vec<T>) -> Value, join: impl FnOnce(Vec<Value>) -> Value) -> Value {
        if !self.has_spread {
            return make(self.open);
        }
        self.close(make);
        join(self.done)
    }
}
