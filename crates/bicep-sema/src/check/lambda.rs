//! Functions given as arguments: what their variables are follows from the other arguments of the call.

use bicep_syntax::ast;
use bicep_types::ty::{IntRange, Kind, LambdaType, Overload, PropertyFlags, Type, TypeFlags, union};

use super::Checker;
use super::call::CallSite;

impl<'a> Checker<'a> {
    pub(super) fn lambda(&mut self, lambda: ast::Lambda<'a>) -> Type {
        let arguments: Vec<Type> =
            lambda.variables().map(|variable| self.type_of(variable.syntax())).collect();
        let result = self.within_lambda(|this| this.expr(lambda.body()));
        LambdaType { arguments, optional: Vec::new(), result }.into()
    }

    /// The variable of a lambda at a position: what the function that it is given to says.
    pub(super) fn lambda_variable(&mut self, lambda: ast::Lambda<'a>, position: usize) -> Type {
        let expected = self.expected_lambda(lambda);
        let lambda = expected.as_ref().and_then(|ty| match ty.kind() {
            Kind::Lambda(lambda) => lambda.all_arguments().nth(position).cloned(),
            _ => None,
        });
        lambda.unwrap_or_else(Type::any)
    }

    fn expected_lambda(&mut self, lambda: ast::Lambda<'a>) -> Option<Type> {
        let argument = lambda.syntax().parent().and_then(ast::Argument::cast)?;
        let node = argument.syntax().parent()?;
        let name = node.children().filter_map(ast::Name::cast).next_back()?;
        let site = CallSite { node, name: name.text()?, name_range: name.range() };
        let index = site.arguments().position(|it| it.syntax() == argument.syntax())?;
        let candidates = match ast::MethodCall::cast(node) {
            None => self.candidates(node, site.name)?,
            Some(call) => {
                let namespace = self.namespace_of(call.base().syntax())?;
                let is_decorator = site.decorated().is_some();
                super::call::Candidates {
                    overloads: namespace.overloads(site.name, is_decorator).cloned().collect(),
                    extension: namespace.extension.clone(),
                }
            }
        };
        let mut types = Vec::new();
        for overload in &candidates.overloads {
            types.extend(self.parameter_type(site, overload, &candidates.extension, index));
        }
        Some(union(types))
    }

    /// What an argument has to be, given the other arguments.
    pub(super) fn parameter_type(
        &mut self,
        site: CallSite<'a>,
        overload: &Overload,
        extension: &str,
        index: usize,
    ) -> Option<Type> {
        let general = overload.argument_type(index)?;
        if extension != "sys" {
            return Some(general.clone());
        }
        let derived = self.derived_parameter(site, index);
        Some(derived.unwrap_or_else(|| general.clone()))
    }

    fn derived_parameter(&mut self, site: CallSite<'a>, index: usize) -> Option<Type> {
        let lambda = |arguments: Vec<Type>, optional: Vec<Type>, result: Type| {
            Some(LambdaType { arguments, optional, result }.into())
        };
        match (site.name, index) {
            ("filter", 1) => lambda(vec![self.item_of(site)?], vec![Type::int()], Type::bool()),
            ("map", 1) => lambda(vec![self.item_of(site)?], vec![Type::int()], Type::any()),
            ("sort", 1) => {
                let item = self.item_of(site)?;
                lambda(vec![item.clone(), item], vec![], Type::bool())
            }
            ("toObject" | "groupBy", 1) => lambda(vec![self.item_of(site)?], vec![], Type::string()),
            ("toObject" | "groupBy", 2) => lambda(vec![self.item_of(site)?], vec![], Type::any()),
            ("mapValues", 1) => {
                let object = self.argument_type(site, 0)?;
                let (_, values) = readable_parts(object.as_object()?);
                lambda(vec![union(values)], vec![], Type::any())
            }
            ("reduce", 2) => self.reducer(site),
            ("validate", 0) => {
                let attached = self.declared_type_of(site.decorated()?);
                lambda(vec![attached], vec![], Type::bool())
            }
            ("substring", 1) => {
                let max = longest(&self.argument_type(site, 0)?);
                Some(Type::int_between(IntRange { min: Some(0), max }, TypeFlags::empty()))
            }
            ("substring", 2) => {
                let max = longest(&self.argument_type(site, 0)?);
                let start = self.argument_type(site, 1)?;
                let start = match start.kind() {
                    Kind::IntLiteral(value) => Some(*value),
                    Kind::Int(range) => range.min,
                    _ => None,
                };
                let max = max.map(|max| start.filter(|at| max >= *at).map_or(max, |at| max - at));
                Some(Type::int_between(IntRange { min: Some(0), max }, TypeFlags::empty()))
            }
            _ => None,
        }
    }

    fn reducer(&mut self, site: CallSite<'a>) -> Option<Type> {
        let array = self.argument_type(site, 0)?;
        let item = match array.kind() {
            Kind::Any => Type::any(),
            _ => array.item()?.clone(),
        };
        let seed = self.argument_type(site, 1)?;
        if item.is_error() || seed.is_error() {
            return None;
        }
        let accumulated = seed.template_type().unwrap_or_else(Type::any);
        let length = match array.kind() {
            Kind::Array(array) => array.length.max,
            Kind::Tuple(tuple) => i64::try_from(tuple.items.len()).ok(),
            _ => None,
        };
        let first = if length.is_some_and(|length| length <= 1) { seed } else { accumulated.clone() };
        let index = Type::int_between(IntRange { min: Some(0), max: length }, TypeFlags::empty());
        let lambda = LambdaType { arguments: vec![first, item], optional: vec![index], result: accumulated };
        Some(lambda.into())
    }

    fn argument_type(&mut self, site: CallSite<'a>, index: usize) -> Option<Type> {
        Some(self.type_of(site.argument(index)?.syntax()))
    }

    fn item_of(&mut self, site: CallSite<'a>) -> Option<Type> {
        self.argument_type(site, 0)?.item().cloned()
    }
}

fn longest(text: &Type) -> Option<i64> {
    match text.kind() {
        Kind::StringLiteral(text) => Some(super::expression::utf16_len(text)),
        Kind::String(shape) => shape.max_length,
        _ => None,
    }
}

/// The names and values that can be read from an object.
pub(super) fn readable_parts(object: &bicep_types::ty::ObjectType) -> (Vec<Type>, Vec<Type>) {
    let readable = object.properties.iter().filter(|(_, it)| !it.flags.contains(PropertyFlags::WRITE_ONLY));
    let (mut keys, mut values): (Vec<Type>, Vec<Type>) =
        readable.map(|(name, it)| (Type::string_literal(name.clone()), it.ty.clone())).unzip();
    if let Some(additional) = &object.additional {
        keys.push(Type::string());
        values.push(additional.ty.clone());
    }
    (keys, values)
}
