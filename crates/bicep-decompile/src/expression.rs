//! Expressions of the template → expressions of Bicep: operators instead of functions, symbols instead of `parameters`,
//! `variables`, `resourceId` and `reference`, interpolation instead of `concat` and `format`.

use arm::expression::{Accessor, Expr, ExprKind};

use crate::failure::{Failure, Result};
use crate::messages;
use crate::names::{NameKind, lowercase};
use crate::strings;
use crate::syntax::{self, Interpolated, Key, Property, Syntax};
use crate::template::{Converter, function_name};
use crate::tree;

impl Converter<'_> {
    pub(crate) fn expression(&mut self, expr: &Expr) -> Result<Syntax> {
        base::recurse(|| match expr.kind() {
            ExprKind::String(text) => Ok(Syntax::text(text)),
            ExprKind::Int(value) => Ok(Syntax::Other(value.to_string())),
            ExprKind::Float(text) => Ok(syntax::call("json", &[Syntax::text(text)])),
            ExprKind::Call(call) => self.call(expr, &call.name, &call.args, &[]),
            ExprKind::Access { base, path } => match base.kind() {
                ExprKind::Call(call) => self.call(base, &call.name, &call.args, path),
                _ => {
                    let base = self.expression(base)?;
                    self.accesses(base, path)
                }
            },
            ExprKind::Known(_) => Err(Failure::new(messages::NO_VALUE)),
        })
    }

    /// A call, and what is taken out of its result.
    fn call(&mut self, expr: &Expr, name: &str, args: &[Expr], path: &[Accessor]) -> Result<Syntax> {
        let lower = lowercase(name);
        let replaced = match &*lower {
            "parameters" => Some(self.named(expr, args, NameKind::Parameter)?),
            "variables" => Some(self.named(expr, args, NameKind::Variable)?),
            "reference" => {
                if let Some((target, rest)) = self.symbolic_reference(args, path)? {
                    return self.accesses(target, rest);
                }
                if let Some((output, rest)) = self.module_output(args, path)? {
                    return self.accesses(output, rest);
                }
                match args {
                    [target] => {
                        self.referable(target)?.map(|symbol| Syntax::Other(format!("{symbol}.properties")))
                    }
                    _ => None,
                }
            }
            "resourceid" => self.referable(expr)?.map(|symbol| Syntax::Other(format!("{symbol}.id"))),
            // Without a text among its arguments it may be about arrays.
            "concat" if !joins_text(args) => None,
            "format" | "concat" => match strings::flatten(expr) {
                Ok(flat) => Some(self.flat_text(&flat)?),
                Err(failure) if self.options.is_exact => return Err(failure),
                // A format that is not known stays a call.
                Err(_) => None,
            },
            lower => self.replaced(Called { name, lower }, args, path)?,
        };
        let base = match replaced {
            Some(base) => base,
            None => {
                let arguments = self.all(args)?;
                if let Some((space, member)) = name.split_once('.').filter(|(_, it)| !it.contains('.'))
                    && let Some(known) = self.names.lookup(NameKind::Function, &function_name(space, member))
                {
                    // The reference loses what is taken out of the result.
                    let path = if self.options.is_exact { &[] } else { path };
                    return self.accesses(syntax::call(&known, &arguments), path);
                }
                let name = well_known(name);
                let space = if self.names.hides(name) { namespace_of(name) } else { "" };
                syntax::qualified_call(space, name, &arguments)
            }
        };
        self.accesses(base, path)
    }

    /// The symbol of the resource that an expression means.
    pub(crate) fn resource_symbol(&self, expr: &Expr) -> Result<Option<String>> {
        match strings::resource_id(expr)? {
            Some(id) => self.names.resource(Some(&id.ty), &id.name),
            // It is common to refer to another resource by its name only.
            None => self.names.resource(None, expr),
        }
    }

    /// The same without what cannot be referred to: modules have no id, and nothing can need itself.
    fn referable(&self, expr: &Expr) -> Result<Option<String>> {
        if self.is_plain {
            return Ok(None);
        }
        let symbol = self.resource_symbol(expr)?;
        let is_module = |name: &str| self.symbol(name).is_some_and(|symbol| symbol.is_module);
        Ok(symbol.filter(|name| {
            self.options.is_exact || !is_module(name) && self.current.as_deref() != Some(name.as_str())
        }))
    }

    /// `reference(deployment).outputs.name.value` is an output of a module, which the reference does not know.
    fn module_output<'p>(
        &self,
        args: &[Expr],
        path: &'p [Accessor],
    ) -> Result<Option<(Syntax, &'p [Accessor])>> {
        let is = |step: &Accessor, word: &str| matches!(step, Accessor::Property(name) if name.eq_ignore_ascii_case(word));
        let (Some(target), [outputs, Accessor::Property(name), value, rest @ ..]) = (args.first(), path)
        else {
            return Ok(None);
        };
        if self.options.is_exact || self.is_plain || !is(outputs, "outputs") || !is(value, "value") {
            return Ok(None);
        }
        let symbol = self.resource_symbol(target)?;
        let module =
            symbol.filter(|symbol| self.symbol(symbol).is_some_and(|it| it.is_module && !it.is_loop));
        let output = |module| Syntax::Other(format!("{module}.outputs.{name}"));
        Ok(module.filter(|module| self.current.as_ref() != Some(module)).map(|module| (output(module), rest)))
    }

    fn all(&mut self, args: &[Expr]) -> Result<Vec<Syntax>> {
        args.iter().map(|arg| self.expression(arg)).collect()
    }

    /// `parameters('x')` and `variables('x')`.
    fn named(&mut self, expr: &Expr, args: &[Expr], kind: NameKind) -> Result<Syntax> {
        let name = match args {
            [only] => match only.kind() {
                ExprKind::String(name) => Some(name),
                _ => None,
            },
            _ => None,
        };
        let name = match (name, args) {
            (Some(name), _) => name,
            (None, [name]) if !self.options.is_exact => return self.named_by_value(name, kind),
            _ => return Err(Failure::new(messages::name_not_constant(expr))),
        };
        if let Some(symbol) = self.names.lookup(kind, name) {
            return Ok(Syntax::Other(symbol));
        }
        let what = if kind == NameKind::Parameter { "parameter" } else { "variable" };
        if !self.options.allow_missing && self.options.is_exact {
            return Err(Failure::new(messages::not_found(what, name)));
        }
        if !self.options.allow_missing {
            return Ok(Syntax::Other(format!(
                "any(null /*TODO: the template has no {what} {}*/)",
                quoted_name(name)
            )));
        }
        let declared = self.names.declare(kind, name);
        let taken = || Failure::new(messages::no_unique_name("missing parameter or variable", name));
        declared.map(Syntax::Other).ok_or_else(taken)
    }

    /// `variables(concat('size', …))`: one of the variables that may be meant, chosen by its name.
    fn named_by_value(&mut self, name: &Expr, kind: NameKind) -> Result<Syntax> {
        let section = if kind == NameKind::Parameter { "parameters" } else { "variables" };
        let flat = strings::flatten(name).unwrap_or_else(|_| name.clone());
        let parts = strings::call_of(&flat, "concat").unwrap_or_default();
        let edge = |part: Option<&Expr>| part.and_then(strings::literal).unwrap_or_default().to_lowercase();
        let (start, end) = (edge(parts.first()), edge(parts.last()));
        let members = tree::find(self.template, section).and_then(|it| it.value.as_object());
        let mut candidates = Vec::new();
        for member in members.into_iter().flat_map(|members| members.iter()) {
            let lower = member.key.to_lowercase();
            let symbol = self.names.lookup(kind, &member.key).filter(|it| *it != self.declared);
            if let Some(symbol) = symbol.filter(|_| lower.starts_with(&start) && lower.ends_with(&end)) {
                let mut property = Property::new(&member.key, Syntax::Other(symbol));
                property.is_quoted = true;
                candidates.push(property);
            }
        }
        let name = self.expression(name)?;
        Ok(Syntax::Other(format!("{}[{}]", Syntax::Object(candidates).print(), name.print())))
    }

    /// Something that puts texts together, as one text.
    pub(crate) fn interpolated(&mut self, expr: &Expr) -> Result<Syntax> {
        let flat = match strings::flatten(expr) {
            Err(failure) if self.options.is_exact => return Err(failure),
            Err(_) => return self.expression(expr),
            Ok(flat) => flat,
        };
        self.flat_text(&flat)
    }

    fn flat_text(&mut self, flat: &Expr) -> Result<Syntax> {
        let Some(parts) = strings::call_of(flat, "concat") else { return self.expression(flat) };
        if parts.is_empty() {
            return Ok(Syntax::text(""));
        }
        let mut text = Interpolated { segments: vec![String::new()], holes: Vec::new() };
        for part in parts {
            match strings::literal(part) {
                Some(literal) => {
                    if let Some(last) = text.segments.last_mut() {
                        last.push_str(&literal);
                    }
                }
                None => {
                    text.holes.push(self.expression(part)?);
                    text.segments.push(String::new());
                }
            }
        }
        Ok(Syntax::Text(text))
    }

    fn accesses(&mut self, mut base: Syntax, path: &[Accessor]) -> Result<Syntax> {
        for step in path {
            let property = match step {
                Accessor::Property(name) => Syntax::Literal(name.clone()),
                Accessor::Index(index) => self.expression(index)?,
            };
            base = access(base, &property, Access::default());
        }
        Ok(base)
    }

    /// The functions that Bicep has other forms for.
    fn replaced(
        &mut self,
        Called { name, lower }: Called<'_>,
        args: &[Expr],
        path: &[Accessor],
    ) -> Result<Option<Syntax>> {
        if let Some(operator) = binary_operator(lower) {
            return self.binary(name, operator, args, path).map(Some);
        }
        let no_path = |kind: &str| match path.is_empty() {
            false if self.options.is_exact => Err(Failure::new(messages::no_properties(kind, name))),
            _ => Ok(()),
        };
        Ok(Some(match lower {
            "true" | "false" | "null" => {
                if !args.is_empty() {
                    return Err(Failure::new(messages::arguments(0, "function", name)));
                }
                no_path("function")?;
                Syntax::Other(lower.to_owned())
            }
            "not" => {
                let [arg] = args else {
                    return Err(Failure::new(messages::arguments(1, "unary function", name)));
                };
                no_path("unary function")?;
                if let Some(sides) = strings::call_of(arg, "equals") {
                    return self.binary("notEquals", "!=", sides, &[]).map(Some);
                }
                Syntax::Parenthesized(format!("(!{})", self.expression(arg)?.into_text()))
            }
            "if" => {
                let [condition, yes, no] = args else {
                    return Err(Failure::new(messages::arguments(3, "ternary function", name)));
                };
                no_path("ternary function")?;
                let mut text = String::from("(");
                for (part, behind) in [(condition, '?'), (yes, ':'), (no, ')')] {
                    self.expression(part)?.write(&mut text);
                    text.push(behind);
                }
                Syntax::Parenthesized(text)
            }
            "createarray" => Syntax::Array(self.all(args)?),
            "createobject" => self.object_of(args)?,
            "lambda" => self.lambda(name, args)?,
            "lambdavariables" => match args {
                [only] if matches!(only.kind(), ExprKind::String(_)) => {
                    Syntax::Other(strings::literal(only).unwrap_or_default().into_owned())
                }
                _ => {
                    return Err(Failure::new(format!(
                        "Expected exactly 1 parameter of type String for function {name}"
                    )));
                }
            },
            "tryget" => self.safe_access(name, args, path, false)?,
            "indexfromend" => {
                let [base, index] = args else {
                    return Err(Failure::new(format!("Expected exactly 2 parameters for function {name}")));
                };
                let (base, index) = (self.expression(base)?, self.expression(index)?);
                access(base, &index, Access { from_end: true, ..Access::default() })
            }
            "tryindexfromend" => self.safe_access(name, args, path, true)?,
            _ => return Ok(None),
        }))
    }

    fn binary(&mut self, name: &str, operator: &str, args: &[Expr], path: &[Accessor]) -> Result<Syntax> {
        let [left, right, more @ ..] = args else {
            let message = match operator {
                "&&" | "||" | "??" => messages::minimum_of_arguments(2, name),
                _ => messages::arguments(2, "binary function", name),
            };
            return Err(Failure::new(message));
        };
        if !more.is_empty() && !matches!(operator, "&&" | "||" | "??") {
            return Err(Failure::new(messages::arguments(2, "binary function", name)));
        }
        if !path.is_empty() && self.options.is_exact {
            return Err(Failure::new(messages::no_properties("binary function", name)));
        }
        let mut operator = operator;
        let (mut left, mut right) = (left, right);
        if let ("==" | "!=", Some(one), Some(other)) = (operator, lowered(left), lowered(right)) {
            operator = if operator == "==" { "=~" } else { "!~" };
            (left, right) = (one, other);
        }
        let mut text = String::from("(");
        self.expression(left)?.write(&mut text);
        for arg in std::iter::once(right).chain(more) {
            text.push_str(operator);
            self.expression(arg)?.write(&mut text);
        }
        text.push(')');
        Ok(Syntax::Parenthesized(text))
    }

    fn object_of(&mut self, args: &[Expr]) -> Result<Syntax> {
        let mut values = self.all(args)?.into_iter();
        let mut properties = Vec::with_capacity(args.len() / 2);
        while let Some(key) = values.next() {
            let value = values.next().ok_or_else(|| Failure::new(messages::OUT_OF_BOUNDS))?;
            let key = match key.literal() {
                Some(name) => Key::Name(name.into()),
                None => Key::Computed(Interpolated::of(key)),
            };
            properties.push(Property { key, is_quoted: !self.options.is_exact, value });
        }
        Ok(Syntax::Object(properties))
    }

    fn lambda(&mut self, name: &str, args: &[Expr]) -> Result<Syntax> {
        let Some((body, parameters)) = args.split_last() else {
            return Err(Failure::new(format!("Expected at least 1 argument for function {name}")));
        };
        let mut names = Vec::new();
        for (index, parameter) in parameters.iter().enumerate() {
            match parameter.kind() {
                ExprKind::String(text) => names.push(text.to_string()),
                _ => return Err(Failure::new(messages::lambda_argument(index, name))),
            }
        }
        let body = self.expression(body)?.print();
        Ok(Syntax::Other(match names.as_slice() {
            [only] => format!("{only}=>{body}"),
            names => format!("({})=>{body}", names.join(",")),
        }))
    }

    /// `tryGet(a, 'b', 'c')` and `tryIndexFromEnd(a, 1, 'c')`.
    fn safe_access(
        &mut self,
        name: &str,
        args: &[Expr],
        path: &[Accessor],
        from_end: bool,
    ) -> Result<Syntax> {
        let [base, first, more @ ..] = args else {
            return Err(Failure::new(messages::at_least_arguments(2, name)));
        };
        let (base, first) = (self.expression(base)?, self.expression(first)?);
        let mut chain = access(base, &first, Access { is_safe: true, from_end });
        for step in more {
            let step = self.expression(step)?;
            let (property, from_end) = unwrapped(&step);
            chain = access(chain, property, Access { is_safe: false, from_end });
        }
        // What is taken out of the result is not part of the chain that ends at a null.
        Ok(if path.is_empty() { chain } else { Syntax::Parenthesized(format!("({})", chain.print())) })
    }
}

/// The name of a function that is called.
#[derive(Debug, Clone, Copy)]
struct Called<'a> {
    /// As it is written.
    name: &'a str,
    lower: &'a str,
}

/// A name as it can stand in a comment.
fn quoted_name(name: &str) -> String {
    format!("'{}'", name.replace("*/", "*").replace(['\r', '\n'], " "))
}

/// How a part of a value is taken.
#[derive(Debug, Clone, Copy, Default)]
struct Access {
    is_safe: bool,
    from_end: bool,
}

fn access(base: Syntax, property: &Syntax, how: Access) -> Syntax {
    let safe = if how.is_safe { "?" } else { "" };
    let mut text = base.into_text();
    match property.literal().filter(|name| base::spelling::is_identifier(name)) {
        Some(name) => text.extend([".", safe, name]),
        None => {
            text.extend(["[", safe, if how.from_end { "^" } else { "" }]);
            property.write(&mut text);
            text.push(']');
        }
    }
    Syntax::Other(text)
}

/// A step that says itself whether it counts from the end: `{value: 1, fromEnd: true}`.
fn unwrapped(step: &Syntax) -> (&Syntax, bool) {
    let Syntax::Object(properties) = step else { return (step, false) };
    let find = |name: &str| {
        let is_it = |it: &&Property| it.name().is_some_and(|it| it.eq_ignore_ascii_case(name));
        properties.iter().find(is_it).map(|it| &it.value)
    };
    match find("value") {
        Some(value) => {
            (value, find("fromEnd").is_some_and(|it| matches!(it, Syntax::Other(text) if text == "true")))
        }
        None => (step, false),
    }
}

/// Whether a call of `concat` puts texts together, and not arrays.
fn joins_text(args: &[Expr]) -> bool {
    args.iter().any(|arg| match arg.kind() {
        ExprKind::String(_) => true,
        ExprKind::Call(call) if call.name.eq_ignore_ascii_case("format") => true,
        ExprKind::Call(call) if call.name.eq_ignore_ascii_case("concat") => joins_text(&call.args),
        _ => false,
    })
}

/// `toLower(x)`; the reference looks at the exact name here.
fn lowered(expr: &Expr) -> Option<&Expr> {
    match expr.kind() {
        ExprKind::Call(call) if call.name == "toLower" => call.args.first(),
        _ => None,
    }
}

/// The operator for a function, by its name in lower case.
fn binary_operator(name: &str) -> Option<&'static str> {
    Some(match name {
        "add" => "+",
        "sub" => "-",
        "mul" => "*",
        "div" => "/",
        "mod" => "%",
        "less" => "<",
        "lessorequals" => "<=",
        "greater" => ">",
        "greaterorequals" => ">=",
        "equals" => "==",
        "and" => "&&",
        "or" => "||",
        "coalesce" => "??",
        "notequals" => "!=",
        _ => return None,
    })
}

/// The functions whose case is put right. Case does not count in templates.
const WELL_KNOWN: &[&str] = &[
    "any",
    "concat",
    "format",
    "base64",
    "padLeft",
    "replace",
    "toLower",
    "toUpper",
    "length",
    "split",
    "add",
    "sub",
    "mul",
    "div",
    "mod",
    "string",
    "int",
    "uniqueString",
    "guid",
    "trim",
    "uri",
    "substring",
    "take",
    "skip",
    "empty",
    "contains",
    "intersection",
    "union",
    "first",
    "last",
    "indexOf",
    "lastIndexOf",
    "startsWith",
    "endsWith",
    "min",
    "max",
    "range",
    "base64ToString",
    "base64ToJson",
    "uriComponentToString",
    "uriComponent",
    "dataUriToString",
    "dataUri",
    "array",
    "createArray",
    "coalesce",
    "bool",
    "less",
    "lessOrEquals",
    "greater",
    "greaterOrEquals",
    "equals",
    "json",
    "not",
    "and",
    "or",
    "if",
    "dateTimeAdd",
    "dateTimeToEpoch",
    "dateTimeFromEpoch",
    "utcNow",
    "newGuid",
    "subscription",
    "resourceGroup",
    "deployment",
    "deployer",
    "environment",
    "managementGroupResourceId",
    "resourceId",
    "subscriptionResourceId",
    "tenantResourceId",
    "extensionResourceId",
    "providers",
    "pickZones",
    "reference",
    "items",
];

/// The namespace of a function, with its dot.
fn namespace_of(name: &str) -> &'static str {
    const OF_AZURE: [&str; 14] = [
        "deployer",
        "deployment",
        "environment",
        "extensionResourceId",
        "managementGroup",
        "managementGroupResourceId",
        "pickZones",
        "providers",
        "reference",
        "resourceGroup",
        "resourceId",
        "subscription",
        "subscriptionResourceId",
        "tenantResourceId",
    ];
    if OF_AZURE.contains(&name) || name.starts_with("list") { "az." } else { "sys." }
}

fn well_known(name: &str) -> &str {
    WELL_KNOWN.iter().find(|known| known.eq_ignore_ascii_case(name)).copied().unwrap_or(name)
}
