//! Types, variables and functions taken from templates in JSON: read, renamed and written again.

use arm::expression::{Accessor, Expr, ExprKind, Text, classify, parse};
use bicep_sema::imports::{Imported, TemplateSymbol};
use bicep_sema::{FileId, Unit};
use bicep_types::ty::{Type, union};
use json::{Kind, Node};
use smol_str::SmolStr;

use crate::code::{Call, Code};
use crate::constant::fraction;
use crate::context::Context;
use crate::declarations::{IMPORTED_FROM, imported_from, plain};
use crate::decorators::merge_metadata;
use crate::imported::Variable;
use crate::translate::{Translator, qualified};
use crate::tree::{Object, Tree};
use crate::types::literal_value;
use crate::value::{Key, Loop, Member, Members, Value, merge};
use crate::write;

/// What a declaration of a template refers to.
pub(crate) fn references(root: &Node, symbol: &TemplateSymbol) -> Vec<TemplateSymbol> {
    let mut found = Vec::new();
    match symbol {
        TemplateSymbol::Type(pointer) => {
            if let Some(schema) = type_at(root, pointer) {
                schema_references(schema, &mut found);
            }
        }
        TemplateSymbol::Variable(name) => match variable_at(root, name) {
            Some(Declaration::Value(value)) => value_references(value, &mut found),
            Some(Declaration::Copy { count, input }) => {
                value_references(count, &mut found);
                value_references(input, &mut found);
            }
            None => {}
        },
        TemplateSymbol::Function(name) => {
            if let Some(function) = function_at(root, name) {
                let parameters = function.get("parameters").and_then(Node::as_array).unwrap_or_default();
                parameters.iter().for_each(|parameter| schema_references(parameter, &mut found));
                if let Some(output) = function.get("output") {
                    output.get("value").into_iter().for_each(|value| value_references(value, &mut found));
                    schema_references(output, &mut found);
                }
            }
        }
    }
    found
}

/// An imported type.
pub(crate) fn definition(
    cx: &Context<'_>,
    file: FileId,
    symbol: &TemplateSymbol,
    imported: &Imported,
) -> Option<Object> {
    let TemplateSymbol::Type(pointer) = symbol else { return None };
    let reader = RenamingReader { cx, file, copy: None };
    let mut members = reader.schema(type_at(root_of(cx, file)?, pointer)?);
    merge_metadata(&mut members, IMPORTED_FROM, imported_from(imported, true));
    Some(plain(&Translator::new(cx), members))
}

/// An imported variable.
pub(crate) fn variable(
    cx: &Context<'_>,
    file: FileId,
    symbol: &TemplateSymbol,
    imported: &Imported,
) -> Option<Variable> {
    let TemplateSymbol::Variable(name) = symbol else { return None };
    let translator = Translator::new(cx);
    match variable_at(root_of(cx, file)?, name)? {
        Declaration::Value(value) => {
            let reader = RenamingReader { cx, file, copy: None };
            Some(Variable::Value(write::value(&translator, reader.value(value))))
        }
        Declaration::Copy { count, input } => {
            let reader = RenamingReader { cx, file, copy: Some((name, &imported.name)) };
            let count = translator.to_code(reader.value(count));
            let source = Value::Code(Code::call("range", [Code::Int(0), count]));
            let each = Loop { source, body: reader.value(input) };
            Some(Variable::Loop(write::copy(&translator, Some(&imported.name), each)))
        }
    }
}

/// An imported function.
pub(crate) fn function(
    cx: &Context<'_>,
    file: FileId,
    symbol: &TemplateSymbol,
    imported: &Imported,
) -> Option<Object> {
    let TemplateSymbol::Function(name) = symbol else { return None };
    let function = function_at(root_of(cx, file)?, name)?;
    let (reader, translator) = (RenamingReader { cx, file, copy: None }, Translator::new(cx));
    let parameters = function.get("parameters").and_then(Node::as_array).unwrap_or_default();
    let parameter = |node: &Node| {
        let mut members = reader.bare_schema(node);
        merge(&mut members, "name", text_of(node.get("name")));
        plain(&translator, members).into()
    };
    let mut object = Object::new();
    object.put("parameters", parameters.iter().map(parameter).collect::<Tree>());
    if let Some(output) = function.get("output") {
        let mut members = reader.bare_schema(output);
        merge(&mut members, "value", output.get("value").map_or(Value::Null, |value| reader.value(value)));
        object.put("output", plain(&translator, members));
    }
    let description = function.pointer("/metadata/description").filter(|it| it.as_str().is_some());
    let mut metadata: Members =
        description.map(|it| Member::new("description", text_of(Some(it)))).into_iter().collect();
    metadata.push(Member::new(IMPORTED_FROM, imported_from(imported, false)));
    object.put("metadata", plain(&translator, metadata));
    Some(object)
}

/// How a variable is declared.
enum Declaration<'n> {
    Value(&'n Node),
    Copy { count: &'n Node, input: &'n Node },
}

fn root_of<'p>(cx: &Context<'p>, file: FileId) -> Option<&'p Node> {
    match cx.program.unit(file) {
        Unit::Template(template) => template.parsed.root.as_ref(),
        Unit::Bicep(_) => None,
    }
}

fn type_at<'n>(root: &'n Node, pointer: &str) -> Option<&'n Node> {
    root.pointer(pointer.strip_prefix('#')?)
}

fn variable_at<'n>(root: &'n Node, name: &str) -> Option<Declaration<'n>> {
    let variables = root.get("variables")?;
    if let Some(value) = variables.get_ignore_case(name).filter(|_| !name.eq_ignore_ascii_case("copy")) {
        return Some(Declaration::Value(value));
    }
    let copies = variables.get_ignore_case("copy")?.as_array()?;
    let is_it = |copy: &&Node| {
        copy.get("name").and_then(Node::as_str).is_some_and(|own| own.eq_ignore_ascii_case(name))
    };
    let copy = copies.iter().find(is_it)?;
    Some(Declaration::Copy { count: copy.get("count")?, input: copy.get("input")? })
}

fn function_at<'n>(root: &'n Node, name: &str) -> Option<&'n Node> {
    let (namespace, name) = name.split_once('.')?;
    let namespaces = root.get("functions")?.as_array()?;
    let is_it = |it: &&Node| {
        it.get("namespace").and_then(Node::as_str).is_some_and(|own| own.eq_ignore_ascii_case(namespace))
    };
    namespaces.iter().filter(is_it).find_map(|it| it.get("members")?.get_ignore_case(name))
}

/// The checks by functions that a schema asks for.
fn constraints(schema: &Node) -> &[Node] {
    match schema.get("userDefinedConstraint") {
        Some(several) if several.as_array().is_some() => several.as_array().unwrap_or_default(),
        Some(one) => std::slice::from_ref(one),
        None => &[],
    }
}

/// The function that makes a check, with its namespace.
fn validator(constraint: &Node) -> Option<SmolStr> {
    let part = |name: &str| constraint.get(name).and_then(Node::as_str);
    Some(format!("{}.{}", part("namespace")?, part("name")?).into())
}

/// The types and validators that a schema refers to.
fn schema_references(schema: &Node, found: &mut Vec<TemplateSymbol>) {
    base::recurse(|| {
        if let Some(pointer) = schema.get("$ref").and_then(Node::as_str) {
            found.push(TemplateSymbol::Type(pointer.into()));
        }
        for constraint in constraints(schema) {
            found.extend(validator(constraint).map(TemplateSymbol::Function));
        }
        let nested = ["additionalProperties", "items"].into_iter().filter_map(|name| schema.get(name));
        nested.for_each(|inner| schema_references(inner, found));
        let mapping = schema.pointer("/discriminator/mapping");
        for members in [schema.get("properties"), mapping].into_iter().flatten().filter_map(Node::as_object) {
            members.iter().for_each(|member| schema_references(&member.value, found));
        }
        let items = schema.get("prefixItems").and_then(Node::as_array).unwrap_or_default();
        items.iter().for_each(|item| schema_references(item, found));
    });
}

/// The variables and functions that expressions in a value refer to.
fn value_references(value: &Node, found: &mut Vec<TemplateSymbol>) {
    base::recurse(|| match &value.value {
        Kind::String(text) => text_references(text, found),
        Kind::Array(items) => items.iter().for_each(|item| value_references(item, found)),
        Kind::Object(object) => {
            for member in object {
                text_references(&member.key, found);
                value_references(&member.value, found);
            }
        }
        Kind::Null | Kind::Bool(_) | Kind::Number(_) => {}
    });
}

fn text_references(text: &str, found: &mut Vec<TemplateSymbol>) {
    let Text::Expression(expression) = classify(text) else { return };
    let Ok(expression) = parse(expression) else { return };
    expression.walk(&mut |part| {
        let ExprKind::Call(call) = part.kind() else { return };
        if call.name.contains('.') {
            found.push(TemplateSymbol::Function(call.name.clone()));
        }
        if let Some(name) = argument_of(&call.name, "variables", &call.args) {
            found.push(TemplateSymbol::Variable(name.into()));
        }
    });
}

/// The first argument of a call of this function, if it is a text.
fn argument_of<'e>(name: &str, wanted: &str, args: &'e [Expr]) -> Option<&'e str> {
    match args.first().map(Expr::kind) {
        Some(ExprKind::String(text)) if name.eq_ignore_ascii_case(wanted) => Some(text),
        _ => None,
    }
}

fn text_of(node: Option<&Node>) -> Value {
    Value::text(node.and_then(Node::as_str).unwrap_or_default())
}

/// Reads parts of a template for another one, in which they have other names.
struct RenamingReader<'c, 'p> {
    cx: &'c Context<'p>,
    file: FileId,
    /// The name of the loop around, before and after.
    copy: Option<(&'c str, &'c str)>,
}

impl RenamingReader<'_, '_> {
    fn new_name(&self, symbol: &TemplateSymbol) -> Option<String> {
        self.cx.imports().template(self.file, symbol).map(|imported| imported.name.clone())
    }

    /// A schema with everything that decorators say.
    fn schema(&self, node: &Node) -> Members {
        let mut members = self.bare_schema(node);
        let ty = node.get("type").and_then(Node::as_str).unwrap_or_default();
        if ["securestring", "secureobject"].contains(&ty.to_ascii_lowercase().as_str())
            && let Some(member) = members.iter_mut().find(|member| member.key.is("type"))
        {
            let is_text = ty.eq_ignore_ascii_case("securestring");
            member.value = Value::text(if is_text { "securestring" } else { "secureObject" });
        }
        if node.get("additionalProperties").and_then(Node::as_bool) == Some(false) {
            merge(&mut members, "additionalProperties", Value::Bool(false));
        }
        if let Some(metadata) = node.get("metadata").and_then(Node::as_object) {
            let kept = metadata.iter().filter(|it| !["description", "__bicep_export!"].contains(&&*it.key));
            let kept: Members =
                kept.map(|it| Member::new(it.key.as_str(), self.literal(&it.value))).collect();
            if !kept.is_empty() {
                merge(&mut members, "metadata", Value::Object(kept));
            }
        }
        for name in ["minLength", "maxLength", "minValue", "maxValue"] {
            if let Some(limit) = node.get(name) {
                merge(&mut members, name, self.literal(limit));
            }
        }
        let mut constraints: Vec<Value> =
            constraints(node).iter().filter_map(|it| self.constraint(it)).collect();
        if constraints.len() > 1 {
            merge(&mut members, "userDefinedConstraint", Value::Array(constraints));
        } else if let Some(constraint) = constraints.pop() {
            merge(&mut members, "userDefinedConstraint", constraint);
        }
        if let Some(description) = node.pointer("/metadata/description").filter(|it| it.as_str().is_some()) {
            merge_metadata(&mut members, "description", text_of(Some(description)));
        }
        members
    }

    /// A check by a function, under the function's new name.
    fn constraint(&self, node: &Node) -> Option<Value> {
        let renamed = qualified(&self.new_name(&TemplateSymbol::Function(validator(node)?))?);
        let (namespace, name) = renamed.split_once('.')?;
        let extra = node.get("additionalArguments").map(|it| ("additionalArguments", self.value(it)));
        let named = [("namespace", Value::text(namespace)), ("name", Value::text(name))];
        Some(Value::object(named.into_iter().chain(extra)))
    }

    /// A schema without what decorators say.
    fn bare_schema(&self, node: &Node) -> Members {
        base::recurse(|| {
            let mut members = self.required_schema(node);
            if let Some(is_nullable) = node.get("nullable").and_then(Node::as_bool) {
                merge(&mut members, "nullable", Value::Bool(is_nullable));
            }
            members
        })
    }

    fn required_schema(&self, node: &Node) -> Members {
        let ty = node.get("type").and_then(Node::as_str).unwrap_or_default();
        if let Some(values) = node.get("allowedValues").and_then(Node::as_array) {
            let allowed = union(values.iter().map(literal_type));
            let values = if allowed.members().is_empty() {
                vec![literal_value(&allowed)]
            } else {
                allowed.members().iter().map(literal_value).collect()
            };
            let ty = (!ty.is_empty()).then(|| Member::new("type", Value::text(base_name(ty))));
            return ty.into_iter().chain([Member::new("allowedValues", Value::Array(values))]).collect();
        }
        if let Some(pointer) = node.get("$ref").and_then(Node::as_str) {
            let name = self.new_name(&TemplateSymbol::Type(pointer.into())).unwrap_or_default();
            let pointer = format!("#/definitions/{}", json::path::escape_fragment(&name));
            return vec![Member::new("$ref", Value::Text(pointer))];
        }
        let mut members = Members::new();
        if !ty.is_empty() {
            members.push(Member::new("type", Value::text(base_name(ty))));
        }
        match base_name(ty).as_str() {
            "array" => self.array_parts(node, &mut members),
            "object" => self.object_parts(node, &mut members),
            _ => {}
        }
        members
    }

    fn array_parts(&self, node: &Node, members: &mut Members) {
        if let Some(items) = node.get("prefixItems").and_then(Node::as_array) {
            let items = items.iter().map(|item| Value::Object(self.schema(item))).collect();
            members.push(Member::new("prefixItems", Value::Array(items)));
            members.push(Member::new("items", Value::Bool(false)));
        } else if let Some(item) = node.get("items").filter(|item| item.as_object().is_some()) {
            members.push(Member::new("items", Value::Object(self.bare_schema(item))));
        }
    }

    fn object_parts(&self, node: &Node, members: &mut Members) {
        let all = |object: &json::Object| {
            object
                .iter()
                .map(|it| Member::new(it.key.as_str(), Value::Object(self.schema(&it.value))))
                .collect()
        };
        if let Some(discriminator) = node.get("discriminator") {
            let mapping = discriminator.get("mapping").and_then(Node::as_object);
            let mut mapping: Members = mapping.map(all).unwrap_or_default();
            mapping.sort_by_key(|member| match &member.key {
                Key::Name(name) => name.to_ascii_uppercase(),
                Key::Computed(_) => String::new(),
            });
            let parts = [
                ("propertyName", text_of(discriminator.get("propertyName"))),
                ("mapping", Value::Object(mapping)),
            ];
            members.push(Member::new("discriminator", Value::object(parts)));
            return;
        }
        let (properties, additional) = (node.get("properties"), node.get("additionalProperties"));
        if properties.is_none() && additional.is_none() {
            return;
        }
        let properties = properties.and_then(Node::as_object).map(all).unwrap_or_default();
        members.push(Member::new("properties", Value::Object(properties)));
        if let Some(additional) = additional.filter(|it| it.as_object().is_some()) {
            members.push(Member::new("additionalProperties", Value::Object(self.schema(additional))));
        }
    }

    /// A value in which expressions are only text.
    fn literal(&self, node: &Node) -> Value {
        match &node.value {
            Kind::String(text) => Value::text(text.as_str()),
            _ => self.value(node),
        }
    }

    fn value(&self, node: &Node) -> Value {
        base::recurse(|| match &node.value {
            Kind::Null => Value::Null,
            Kind::Bool(value) => Value::Bool(*value),
            Kind::Number(number) => match number.as_i64() {
                Some(value) => Value::Int(value),
                None => Value::Code(fraction(number)),
            },
            Kind::String(text) => self.text(text),
            Kind::Array(items) => Value::Array(items.iter().map(|item| self.value(item)).collect()),
            Kind::Object(object) => {
                let member = |it: &json::Member| {
                    let key = match self.text(&it.key) {
                        Value::Text(name) => Key::Name(name),
                        Value::Code(code) => Key::Computed(code),
                        _ => Key::Name(it.key.clone()),
                    };
                    Member { key, value: self.value(&it.value), range: None }
                };
                Value::Object(object.iter().map(member).collect())
            }
        })
    }

    fn text(&self, text: &str) -> Value {
        match classify(text) {
            Text::Literal(text) => Value::text(text),
            Text::Expression(expression) => match parse(expression) {
                Ok(expression) => match self.code(&expression) {
                    Code::Text(text) => Value::Text(text),
                    Code::Int(value) => Value::Int(value),
                    code => Value::Code(code),
                },
                Err(_) => Value::text(text),
            },
        }
    }

    fn code(&self, expr: &Expr) -> Code {
        match expr.kind() {
            ExprKind::String(text) => Code::text(&**text),
            ExprKind::Int(value) => Code::int(*value),
            ExprKind::Float(text) => Code::call("json", [Code::text(text.as_str())]),
            ExprKind::Call(call) => self.call(&call.name, &call.args),
            ExprKind::Access { base, path } => path.iter().fold(self.code(base), |code, step| match step {
                Accessor::Property(name) => code.member(name),
                Accessor::Index(index) => code.at(self.code(index)),
            }),
            ExprKind::Known(_) => Code::null(),
        }
    }

    /// A call, with the new names of what it refers to.
    fn call(&self, name: &SmolStr, args: &[Expr]) -> Code {
        if let Some(renamed) = self.new_name(&TemplateSymbol::Function(name.clone())) {
            return Code::call(qualified(&renamed), args.iter().map(|arg| self.code(arg)));
        }
        if let Some(variable) = argument_of(name, "variables", args)
            && let Some(renamed) = self.new_name(&TemplateSymbol::Variable(variable.into()))
        {
            return Code::call("variables", [Code::Text(renamed)]);
        }
        if let (Some(own), Some((before, after))) = (argument_of(name, "copyIndex", args), self.copy)
            && own.eq_ignore_ascii_case(before)
        {
            let index = Code::call("copyIndex", [Code::text(after)]);
            return match args.get(1) {
                Some(start) => Code::call("add", [index, self.code(start)]),
                None => index,
            };
        }
        let args = args.iter().map(|arg| self.code(arg)).collect();
        Code::Call(Call { name: name.to_string(), args, path: Vec::new() })
    }
}

/// The name of a type without what makes it secure.
fn base_name(ty: &str) -> String {
    match ty.to_ascii_lowercase().as_str() {
        "securestring" => "string".to_owned(),
        "secureobject" => "object".to_owned(),
        other => other.to_owned(),
    }
}

/// The type of one allowed value.
fn literal_type(node: &Node) -> Type {
    match &node.value {
        Kind::Bool(value) => Type::bool_literal(*value),
        Kind::Number(number) => Type::int_literal(number.as_i64().unwrap_or_default()),
        Kind::String(text) => Type::string_literal(text.as_str()),
        Kind::Array(items) => Type::tuple(items.iter().map(literal_type)),
        Kind::Object(object) => {
            let properties = object.iter().fold(bicep_types::ty::ObjectType::structural(), |all, member| {
                let required = bicep_types::ty::PropertyFlags::REQUIRED;
                all.with_property(member.key.as_str(), literal_type(&member.value), required)
            });
            Type::new(bicep_types::Kind::Object(properties))
        }
        Kind::Null => Type::null(),
    }
}
