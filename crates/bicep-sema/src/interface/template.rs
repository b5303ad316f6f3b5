//! The interface of a template in JSON: the schema of its parameters, outputs and definitions as types.

use std::sync::Arc;

use base::{Severity, SmolStr};
use bicep_types::ResourceTypes;
use bicep_types::resources::Declaration;
use bicep_types::ty::{
    ArrayType, DiscriminatedType, IntRange, Kind, LengthRange, ObjectName, ObjectType, Overload, Property,
    PropertyFlags, ResourceReference, Scopes, StringShape, Type, TypeFlags, object_name, tuple_name, union,
};
use config::provider::{Builtin, ProviderSource};
use serde_json::{Map, Value};

use super::{Export, ExportKind, ExtensionInfo, Interface, OutputInfo, ParameterInfo};
use crate::program::{Program, TemplateFile};

/// Reads the interface of a template.
pub(super) fn interface(file: &TemplateFile, program: &Program<'_>) -> Interface {
    let has_syntax_errors = file.parsed.diagnostics.iter().any(|it| it.severity == Severity::Error);
    let is_complete = file.parsed.root.as_ref().is_some_and(|root| {
        ["$schema", "contentVersion", "resources"].iter().all(|required| root.get(required).is_some())
    });
    let root = file.parsed.root.as_ref().map(declarations).unwrap_or_default();
    let target = target_scope(&root);
    let az = program.resource_types(&ProviderSource::Builtin(Builtin::Az)).ok();
    let schema = Schema { root: Arc::new(root), az };
    let parameters =
        members(&schema.root, "parameters").map(|(name, it)| schema.parameter(name, it)).collect();
    let outputs = members(&schema.root, "outputs").map(|(name, it)| schema.output(name, it)).collect();
    let extensions = members(&schema.root, "extensions").map(|(name, it)| extension(name, it)).collect();
    let mut interface = Interface {
        target: target.unwrap_or(Scopes::RESOURCE_GROUP),
        parameters,
        outputs,
        exports: schema.exports(),
        extensions,
        assignments: Vec::new(),
        has_errors: has_syntax_errors || target.is_none() || !is_complete || has_wrong_types(&schema.root),
        is_template: true,
        is_params: false,
        has_extension_configs: false,
        derived_types: Vec::new(),
        positions: super::Positions::default(),
    };
    for part in ["parameters", "outputs"] {
        derived_types(schema.root.get(part), &mut interface.derived_types);
    }
    interface.has_errors |= interface.parameters.iter().any(|it| it.ty.is_error())
        || interface.outputs.iter().any(|it| it.ty.is_error());
    interface
}

/// The template without its resources: declarations cannot refer to them, and they are most of it.
fn declarations(root: &json::Node) -> Value {
    let json::Kind::Object(object) = &root.value else { return root.to_value() };
    let members = object.iter().filter(|member| member.key != "resources");
    members.map(|member| (member.key.clone(), member.value.to_value())).collect::<Map<_, _>>().into()
}

/// Whether something is declared with a `type` that templates do not have.
fn has_wrong_types(root: &Value) -> bool {
    let declared = |part: &'static str| members(root, part).map(|(_, node)| node);
    ["parameters", "outputs", "definitions"].into_iter().flat_map(declared).any(has_wrong_type)
}

fn has_wrong_type(node: &Value) -> bool {
    const TYPES: [&str; 7] = ["string", "securestring", "int", "bool", "array", "object", "secureobject"];
    let is_wrong = match node.get("type") {
        None | Some(Value::Null) => false,
        Some(Value::String(name)) => !TYPES.iter().any(|known| known.eq_ignore_ascii_case(name)),
        Some(_) => true,
    };
    let parts = ["items", "additionalProperties"].into_iter().filter_map(|part| node.get(part));
    let listed = node.get("prefixItems").and_then(Value::as_array).into_iter().flatten();
    is_wrong || members(node, "properties").map(|(_, it)| it).chain(parts).chain(listed).any(has_wrong_type)
}

/// The scope that the `$schema` of a template says.
fn target_scope(root: &Value) -> Option<Scopes> {
    let schema = root.get("$schema")?.as_str()?;
    let path = schema.split_once("://")?.1.split_once('/')?.1;
    let path = path.split(['#', '?']).next()?;
    Some(match path {
        "schemas/2019-08-01/tenantDeploymentTemplate.json" => Scopes::TENANT,
        "schemas/2019-08-01/managementGroupDeploymentTemplate.json" => Scopes::MANAGEMENT_GROUP,
        "schemas/2018-05-01/subscriptionDeploymentTemplate.json" => Scopes::SUBSCRIPTION,
        "schemas/2014-04-01-preview/deploymentTemplate.json"
        | "schemas/2015-01-01/deploymentTemplate.json"
        | "schemas/2019-04-01/deploymentTemplate.json" => Scopes::RESOURCE_GROUP,
        _ => return None,
    })
}

/// The resource types that types are taken from.
fn derived_types(node: Option<&Value>, found: &mut Vec<SmolStr>) {
    match node {
        Some(Value::Object(members)) => {
            if let Some(derived) = members.get("__bicep_resource_derived_type!") {
                let source = derived.as_str().or_else(|| derived.get("source")?.as_str());
                found.push(SmolStr::new(source.unwrap_or_default()));
            }
            members.values().for_each(|member| derived_types(Some(member), found));
        }
        Some(Value::Array(items)) => items.iter().for_each(|item| derived_types(Some(item), found)),
        _ => {}
    }
}

fn members<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = (&'v String, &'v Value)> {
    value.get(name).and_then(Value::as_object).into_iter().flatten()
}

fn extension(alias: &str, value: &Value) -> ExtensionInfo {
    let text = |name: &str| SmolStr::new(value.get(name).and_then(Value::as_str).unwrap_or_default());
    ExtensionInfo {
        alias: alias.into(),
        name: text("name"),
        version: text("version"),
        configuration: None,
        is_required: false,
    }
}

/// A template whose schema is read; kept alive by the types that are read later.
#[derive(Clone)]
struct Schema {
    root: Arc<Value>,
    az: Option<Arc<ResourceTypes>>,
}

impl Schema {
    fn parameter(&self, name: &str, node: &Value) -> ParameterInfo {
        let ty = self.declared(node, TypeFlags::ALLOW_LOOSE_ASSIGNMENT);
        let is_nullable = self.resolved(node).get("nullable").and_then(Value::as_bool) == Some(true);
        let is_required = node.get("defaultValue").is_none() && !ty.is_nullable() && !is_nullable;
        ParameterInfo {
            name: name.into(),
            is_secure: ty.is_secure(),
            ty,
            is_required,
            description: description(&self.resolved(node)),
        }
    }

    fn output(&self, name: &str, node: &Value) -> OutputInfo {
        let ty = self.declared(node, TypeFlags::empty());
        let is_secure = !ty.secure_paths().is_empty();
        OutputInfo { name: name.into(), ty, is_secure, description: description(node) }
    }

    /// A type, or a resource type where metadata say so.
    fn declared(&self, node: &Value, flags: TypeFlags) -> Type {
        let resolved = self.resolved(node);
        let resource = resolved.get("metadata").and_then(|it| it.get("resourceType")).and_then(Value::as_str);
        match resource.filter(|_| is_kind(&resolved, "string")) {
            Some(resource) => match ResourceReference::parse(resource) {
                Some(reference) => Type::new(Kind::UnresolvedResource(reference)),
                None => Type::error(),
            },
            None => self.ty(node, flags, MAX_REFERENCES),
        }
    }

    fn exports(&self) -> Vec<Export> {
        let mut exports = Vec::new();
        for (name, node) in members(&self.root, "definitions").filter(|(_, node)| is_exported(node)) {
            let kind = ExportKind::Type(self.ty(node, TypeFlags::empty(), MAX_REFERENCES));
            push(&mut exports, Export { name: name.into(), kind, description: description(node) });
        }
        let namespaces = self.root.get("functions").and_then(Value::as_array);
        for namespace in namespaces.into_iter().flatten() {
            let Some(prefix) = namespace.get("namespace").and_then(Value::as_str) else { continue };
            let prefix = if prefix == "__bicep" { String::new() } else { format!("{prefix}.") };
            for (name, node) in members(namespace, "members").filter(|(_, node)| is_exported(node)) {
                let name = SmolStr::new(format!("{prefix}{name}"));
                let kind = ExportKind::Function(Arc::new(self.function(&name, node)));
                push(&mut exports, Export { name, kind, description: description(node) });
            }
        }
        let metadata = self.root.get("metadata").and_then(|it| it.get("__bicep_exported_variables!"));
        for variable in metadata.and_then(Value::as_array).into_iter().flatten() {
            let Some(name) = variable.get("name").and_then(Value::as_str) else { continue };
            let Some(ty) = self.variable(name) else { continue };
            let description = variable.get("description").and_then(Value::as_str).map(SmolStr::from);
            push(&mut exports, Export { name: name.into(), kind: ExportKind::Variable(ty), description });
        }
        exports
    }

    fn function(&self, name: &str, node: &Value) -> Overload {
        let output = node.get("output").map(|it| self.ty(it, TypeFlags::empty(), MAX_REFERENCES));
        let mut overload = Overload::new(name, output.unwrap_or_else(Type::any));
        let parameters = node.get("parameters").and_then(Value::as_array);
        for parameter in parameters.into_iter().flatten() {
            let name = parameter.get("name").and_then(Value::as_str).unwrap_or_default();
            overload = overload.required(name, self.ty(parameter, TypeFlags::empty(), MAX_REFERENCES), "");
        }
        overload
    }

    /// The type of a variable whose value is plain JSON; of one that is computed, nothing is known.
    fn variable(&self, name: &str) -> Option<Type> {
        let value = members(&self.root, "variables").find(|(it, _)| *it == name);
        if let Some((_, value)) = value {
            return Some(if has_expression(value) { Type::any() } else { value_type(value) });
        }
        let copies = self.root.get("variables")?.get("copy")?.as_array()?;
        copies.iter().any(|copy| copy.get("name").and_then(Value::as_str) == Some(name)).then(Type::array)
    }

    /// A node with its references followed: what the node itself says counts more.
    fn resolved(&self, node: &Value) -> Value {
        let mut merged = node.clone();
        for _ in 0..MAX_REFERENCES {
            let Some(target) = merged.get("$ref").and_then(Value::as_str).and_then(|it| self.lookup(it))
            else {
                break;
            };
            let mut next = target.clone();
            if let (Some(next), Some(own)) = (next.as_object_mut(), merged.as_object()) {
                for (name, value) in own.iter().filter(|(name, _)| *name != "$ref") {
                    next.insert(name.clone(), value.clone());
                }
            }
            merged = next;
        }
        merged
    }

    fn lookup(&self, reference: &str) -> Option<&Value> {
        self.root.pointer(reference.strip_prefix('#')?)
    }

    fn ty(&self, node: &Value, flags: TypeFlags, budget: usize) -> Type {
        let resolved = self.resolved(node);
        if resolved.get("$ref").is_some() || budget == 0 {
            return Type::error();
        }
        let ty = match self.resource_derived(&resolved) {
            Some(derived) => derived,
            None => self.plain(&resolved, flags, budget - 1),
        };
        match resolved.get("nullable").and_then(Value::as_bool) {
            Some(true) => ty.make_nullable(),
            _ => ty,
        }
    }

    fn plain(&self, node: &Value, flags: TypeFlags, budget: usize) -> Type {
        let kind = node.get("type").and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase();
        let number = |name: &str| node.get(name).and_then(Value::as_i64);
        let secure = flags | TypeFlags::SECURE;
        match kind.as_str() {
            "string" | "securestring" => {
                let flags = if kind == "string" { flags } else { secure };
                let shape = StringShape {
                    min_length: number("minLength"),
                    max_length: number("maxLength"),
                    pattern: None,
                };
                literals(node, Value::is_string).unwrap_or_else(|| Type::string_shaped(shape, flags))
            }
            "int" => {
                let range = IntRange { min: number("minValue"), max: number("maxValue") };
                literals(node, Value::is_i64).unwrap_or_else(|| Type::int_between(range, flags))
            }
            "bool" => literals(node, Value::is_boolean).unwrap_or_else(|| Type::bool().with_flags(flags)),
            "array" => self.array(node, budget),
            "object" => self.object(node, flags, budget),
            "secureobject" => self.object(node, secure, budget),
            _ => Type::any(),
        }
    }

    fn array(&self, node: &Value, budget: usize) -> Type {
        let number = |name: &str| node.get(name).and_then(Value::as_i64);
        let length = LengthRange { min: number("minLength"), max: number("maxLength") };
        if let Some(allowed) = node.get("allowedValues").and_then(Value::as_array) {
            if allowed.iter().any(Value::is_array) {
                return literals(node, Value::is_array).unwrap_or_else(Type::error);
            }
            let item = union(allowed.iter().map(value_literal));
            return Type::new(Kind::Array(ArrayType { item, length }));
        }
        if let Some(items) = node.get("prefixItems").and_then(Value::as_array) {
            let parts: Vec<Type> = items.iter().map(|item| self.part(item, budget)).collect();
            let name = tuple_name(items.iter().zip(&parts).map(|(node, ty)| part_name(node, ty)));
            return Type::tuple(parts).called(name);
        }
        match node.get("items").filter(|items| items.is_object()) {
            Some(items) => {
                let item = self.part(items, budget);
                let name = referenced_name(items).map(|name| format!("{name}[]"));
                let ty = Type::new(Kind::Array(ArrayType { item, length }));
                match name {
                    Some(name) => ty.called(name),
                    None => ty,
                }
            }
            None => Type::array_between(Type::any(), length, TypeFlags::empty()),
        }
    }

    /// A part of a type; what is referred to by name is read when somebody looks into it.
    fn part(&self, node: &Value, budget: usize) -> Type {
        if referenced_name(node).is_none() {
            return self.ty(node, TypeFlags::empty(), budget);
        }
        let (schema, node) = (self.clone(), node.clone());
        Type::defer(move || schema.ty(&node, TypeFlags::empty(), MAX_REFERENCES))
    }

    fn object(&self, node: &Value, flags: TypeFlags, budget: usize) -> Type {
        if node.get("allowedValues").is_some() {
            return literals(node, Value::is_object).unwrap_or_else(Type::error);
        }
        if let Some(discriminator) = node.get("discriminator") {
            return self.tagged(node, discriminator, flags, budget).unwrap_or_else(Type::error);
        }
        let empty = Map::new();
        let properties = node.get("properties").and_then(Value::as_object);
        let additional = node.get("additionalProperties");
        if properties.is_none() && additional.is_none() {
            return Type::object().with_flags(flags - TypeFlags::ALLOW_LOOSE_ASSIGNMENT);
        }
        let properties = properties.unwrap_or(&empty);
        let object = self.members(properties, &required(node), additional, budget);
        named_object(object, properties, additional, flags - TypeFlags::ALLOW_LOOSE_ASSIGNMENT)
    }

    fn tagged(&self, node: &Value, discriminator: &Value, flags: TypeFlags, budget: usize) -> Option<Type> {
        let name = discriminator.get("propertyName")?.as_str()?;
        let mut variants = Vec::new();
        for (key, variant) in members(discriminator, "mapping") {
            let variant = self.resolved(variant);
            if is_derived(&variant) {
                variants.push(self.derived_alternative(&variant, name, key));
                continue;
            }
            let mut properties =
                node.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
            properties
                .extend(variant.get("properties").and_then(Value::as_object).cloned().unwrap_or_default());
            let mut needed = required(node);
            needed.extend(required(&variant));
            let additional = variant.get("additionalProperties").or_else(|| node.get("additionalProperties"));
            let object = self.members(&properties, &needed, additional, budget);
            variants.push(named_object(object, &properties, additional, TypeFlags::empty()));
        }
        let label = union(variants.iter().cloned()).to_string();
        let tagged = DiscriminatedType::new(label, name, variants)?;
        Some(Type::with(Kind::Discriminated(tagged), flags - TypeFlags::ALLOW_LOOSE_ASSIGNMENT))
    }

    /// An alternative that is a part of a resource type. If that is not known, only the property that tells it apart is.
    fn derived_alternative(&self, variant: &Value, name: &str, key: &str) -> Type {
        let derived = self.resource_derived(variant);
        derived.filter(|ty| matches!(ty.kind(), Kind::Object(_))).unwrap_or_else(|| {
            let open = ObjectType { name: ObjectName::Structural, ..ObjectType::structural() };
            let literal = Type::string_literal(key);
            open.with_property(name, literal, PropertyFlags::REQUIRED).into()
        })
    }

    fn members(
        &self,
        properties: &Map<String, Value>,
        required: &[String],
        additional: Option<&Value>,
        budget: usize,
    ) -> ObjectType {
        let mut object = ObjectType { name: ObjectName::Structural, ..ObjectType::structural() };
        let all_required = self.has_nullable_types();
        for (name, node) in properties {
            let is_nullable = node.get("nullable").and_then(Value::as_bool) == Some(true);
            let is_required = (all_required || required.contains(name)) && !(all_required && is_nullable);
            let flags = if is_required { PropertyFlags::REQUIRED } else { PropertyFlags::empty() };
            let mut property = Property::new(self.part(node, budget), flags);
            property.description = description(node);
            object.properties.insert(name.into(), property);
        }
        match additional {
            None => object,
            Some(Value::Bool(false)) => ObjectType { additional: None, ..object },
            Some(schema @ Value::Object(_)) => {
                object.with_additional(Property::new(self.part(schema, budget), PropertyFlags::empty()))
            }
            Some(_) => object.with_additional(Property::new(Type::any(), PropertyFlags::empty())),
        }
    }

    /// From language version 2.0 on, a property is optional by being nullable.
    fn has_nullable_types(&self) -> bool {
        let version = self.root.get("languageVersion").and_then(Value::as_str).unwrap_or_default();
        version.split('.').next().and_then(|major| major.parse::<u32>().ok()).is_some_and(|major| major >= 2)
    }

    /// A type that is taken from a resource type.
    fn resource_derived(&self, node: &Value) -> Option<Type> {
        let derived = node.get("metadata")?.get("__bicep_resource_derived_type!")?;
        let (source, is_output) = match derived {
            Value::String(source) => (source.as_str(), None),
            derived => {
                let output = derived.get("output").and_then(Value::as_bool).unwrap_or(false);
                (derived.get("source")?.as_str()?, Some(output))
            }
        };
        let (identifier, pointer) = source.split_once('#').unwrap_or((source, ""));
        let reference = ResourceReference::parse(identifier)?;
        let resource = self.az.as_ref()?.resource_type(&reference, Declaration::empty())?;
        let Kind::Resource(resource) = resource.kind() else { return None };
        let found = follow(&resource.body, pointer)?;
        Some(match is_output {
            Some(true) => found.without_property_flags(PropertyFlags::READ_ONLY),
            Some(false) => found.without_property_flags(PropertyFlags::WRITE_ONLY),
            None => found,
        })
    }
}

fn is_derived(node: &Value) -> bool {
    node.get("metadata").is_some_and(|metadata| metadata.get("__bicep_resource_derived_type!").is_some())
}

/// The name of the definition that a node refers to.
fn referenced_name(node: &Value) -> Option<String> {
    Some(node.get("$ref")?.as_str()?.replace("#/definitions/", ""))
}

/// How a part of a type is called: what is referred to is not looked into.
fn part_name(node: &Value, ty: &Type) -> String {
    referenced_name(node).unwrap_or_else(|| ty.to_string())
}

/// An object type under the names of the definitions that its parts refer to.
fn named_object(
    object: ObjectType,
    properties: &Map<String, Value>,
    additional: Option<&Value>,
    flags: TypeFlags,
) -> Type {
    let named = properties.iter().filter_map(|(name, node)| {
        let ty = &object.properties.get(name.as_str())?.ty;
        Some((Some(SmolStr::from(name.as_str())), part_name(node, ty)))
    });
    let schema = additional.filter(|schema| schema.is_object());
    let others =
        schema.zip(object.additional.as_ref()).map(|(node, property)| (None, part_name(node, &property.ty)));
    let name = object_name(named.chain(others));
    Type::with(Kind::Object(object), flags).called(name)
}

/// References that may follow each other, and nesting that is read at once.
const MAX_REFERENCES: usize = 64;

/// The part of a type that a pointer leads to.
fn follow(start: &Type, pointer: &str) -> Option<Type> {
    let mut current = start.clone();
    let mut segments = pointer.split('/').filter(|segment| !segment.is_empty());
    while let Some(segment) = segments.next() {
        current = match (segment.to_ascii_lowercase().as_str(), current.kind()) {
            ("properties", Kind::Object(object)) => {
                let name = json::path::unescape_fragment(segments.next()?);
                let exact = object.properties.get(name.as_str());
                let found = exact.or_else(|| {
                    let mut all = object.properties.iter();
                    all.find(|(it, _)| it.eq_ignore_ascii_case(&name)).map(|(_, property)| property)
                });
                found?.ty.clone()
            }
            ("additionalproperties", Kind::Object(object)) => object.additional.as_ref()?.ty.clone(),
            ("discriminator", Kind::Discriminated(tagged)) => {
                segments.next()?;
                tagged.members.get(segments.next()?)?.clone()
            }
            ("prefixitems", Kind::Tuple(tuple)) => {
                tuple.items.get(segments.next()?.parse::<usize>().ok()?)?.clone()
            }
            ("items", _) => current.item()?.clone(),
            _ => return None,
        };
    }
    Some(current)
}

fn push(exports: &mut Vec<Export>, export: Export) {
    match exports.iter_mut().find(|known| known.name == export.name) {
        Some(known) => known.kind = ExportKind::Ambiguous,
        None => exports.push(export),
    }
}

fn is_kind(node: &Value, kind: &str) -> bool {
    node.get("type").and_then(Value::as_str).is_some_and(|it| it.eq_ignore_ascii_case(kind))
}

fn is_exported(node: &Value) -> bool {
    node.get("metadata").and_then(|it| it.get("__bicep_export!")) == Some(&Value::Bool(true))
}

fn description(node: &Value) -> Option<SmolStr> {
    node.get("metadata")?.get("description")?.as_str().map(SmolStr::from)
}

fn required(node: &Value) -> Vec<String> {
    let names = node.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The union of the allowed values; `error` if one is of another kind.
fn literals(node: &Value, is_right: fn(&Value) -> bool) -> Option<Type> {
    let allowed = node.get("allowedValues")?.as_array()?;
    let present = allowed.iter().filter(|value| !value.is_null());
    if !present.clone().all(is_right) {
        return Some(Type::error());
    }
    Some(union(present.map(value_literal)))
}

/// A value as a literal type.
fn value_literal(value: &Value) -> Type {
    match value {
        Value::Null => Type::null(),
        Value::Bool(value) => Type::bool_literal(*value),
        Value::Number(number) => number.as_i64().map_or_else(Type::error, Type::int_literal),
        Value::String(text) => Type::string_literal(text.as_str()),
        Value::Array(items) => Type::tuple(items.iter().map(value_literal)),
        Value::Object(members) => {
            let mut object = ObjectType { name: ObjectName::Structural, ..ObjectType::named("") };
            for (name, value) in members {
                object = object.with_property(
                    name.as_str(),
                    value_literal(value),
                    PropertyFlags::REQUIRED | PropertyFlags::DISALLOW_ANY,
                );
            }
            object.into()
        }
    }
}

/// The type of a variable with a known value.
fn value_type(value: &Value) -> Type {
    match value {
        Value::Array(items) => Type::array_of(union(items.iter().map(value_type))),
        Value::Object(members) => {
            let flags = PropertyFlags::READ_ONLY | PropertyFlags::READABLE_AT_DEPLOY_TIME;
            let object = members.iter().fold(ObjectType::named("object"), |object, (name, value)| {
                object.with_property(name.as_str(), value_type(value), flags)
            });
            object.into()
        }
        Value::Number(number) => number.as_i64().map_or_else(Type::any, Type::int_literal),
        value => value_literal(value),
    }
}

/// Whether a value is computed when the template is deployed.
fn has_expression(value: &Value) -> bool {
    match value {
        Value::String(text) => text.starts_with('[') && !text.starts_with("[["),
        Value::Array(items) => items.iter().any(has_expression),
        Value::Object(members) => members.values().any(has_expression),
        _ => false,
    }
}
