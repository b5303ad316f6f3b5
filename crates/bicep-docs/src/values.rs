//! What is known about a module, as the values that templates see.

use std::collections::BTreeMap;

use crate::model::{
    Discriminator, Function, Module, ModuleReference, Output, Parameter, ResourceTypeUse, UsageExample, fence,
};
use crate::template::{Object, Value};

/// The variables of a template: `module` and `custom`.
pub(crate) fn globals(module: &Module, custom: &BTreeMap<String, String>) -> Object {
    let custom = Value::object(custom.iter().map(|(name, value)| (name.as_str(), Value::text(value))));
    let values = Value::object([
        ("name", Value::text(&module.name)),
        ("description", Value::optional(module.description.as_deref())),
        ("path", Value::text(&module.path)),
        ("targetScope", Value::text(module.target_scope)),
        ("custom", custom.clone()),
        ("resourceTypes", list(&module.resource_types, resource_type)),
        ("parameters", list(&module.parameters, parameter)),
        ("exportedTypes", list(&module.exported_types, exported)),
        ("exportedVariables", list(&module.exported_variables, exported)),
        ("exportedFunctions", list(&module.exported_functions, function)),
        ("outputs", list(&module.outputs, output)),
        ("references", list(&module.references, reference)),
        ("usageExamples", list(&module.usage_examples, usage_example)),
    ]);
    Object::from_iter([("module".to_owned(), values), ("custom".to_owned(), custom)])
}

fn list<T>(items: &[T], value: impl Fn(&T) -> Value) -> Value {
    Value::list(items.iter().map(value))
}

fn resource_type(resource: &ResourceTypeUse) -> Value {
    Value::object([("type", Value::text(&resource.name)), ("existing", Value::Bool(resource.is_existing))])
}

fn parameter(parameter: &Parameter) -> Value {
    let own = [
        ("required", Value::Bool(parameter.is_required)),
        ("defaultValue", Value::optional(parameter.default_value.as_deref())),
        ("defaultValueFence", Value::optional(parameter.default_value_fence().as_deref())),
    ];
    Value::object(shared(parameter).into_iter().chain(own))
}

fn exported(parameter: &Parameter) -> Value {
    Value::object(shared(parameter))
}

/// What parameters and exports have in common.
fn shared(parameter: &Parameter) -> Vec<(&'static str, Value)> {
    let details = &parameter.details;
    let number = |number: Option<i64>| number.map_or(Value::Null, Value::Int);
    vec![
        ("name", Value::text(&parameter.name)),
        ("type", Value::text(&parameter.type_name)),
        ("secure", Value::Bool(parameter.is_secure)),
        ("description", Value::optional(parameter.description.as_deref())),
        ("allowedValues", list(&details.allowed_values, |value| Value::text(value))),
        ("minValue", number(details.min_value)),
        ("maxValue", number(details.max_value)),
        ("minLength", number(details.min_length)),
        ("maxLength", number(details.max_length)),
        ("pattern", Value::optional(details.pattern.as_deref())),
        ("truncated", Value::Bool(details.is_truncated)),
        ("properties", list(&details.properties, self::parameter)),
        ("discriminator", details.discriminator.as_ref().map_or(Value::Null, discriminator)),
    ]
}

fn discriminator(discriminator: &Discriminator) -> Value {
    let cases = list(&discriminator.cases, |case| {
        Value::object([
            ("value", Value::text(&case.value)),
            ("properties", list(&case.properties, parameter)),
        ])
    });
    Value::object([("propertyName", Value::text(&discriminator.property_name)), ("cases", cases)])
}

fn function(function: &Function) -> Value {
    let parameters = list(&function.parameters, |parameter| {
        Value::object([
            ("name", Value::text(&parameter.name)),
            ("type", Value::text(&parameter.type_name)),
            ("description", Value::optional(parameter.description.as_deref())),
        ])
    });
    Value::object([
        ("name", Value::text(&function.name)),
        ("parameters", parameters),
        ("returnType", Value::text(&function.return_type)),
        ("description", Value::optional(function.description.as_deref())),
    ])
}

fn output(output: &Output) -> Value {
    Value::object([
        ("name", Value::text(&output.name)),
        ("type", Value::text(&output.type_name)),
        ("secure", Value::Bool(output.is_secure)),
        ("description", Value::optional(output.description.as_deref())),
    ])
}

fn reference(reference: &ModuleReference) -> Value {
    Value::object([
        ("symbolicName", Value::text(&reference.symbolic_name)),
        ("path", Value::optional(reference.path.as_deref())),
        ("description", Value::optional(reference.description.as_deref())),
    ])
}

fn usage_example(example: &UsageExample) -> Value {
    Value::object([
        ("name", Value::text(&example.name)),
        ("path", Value::text(&example.path)),
        ("description", Value::optional(example.description.as_deref())),
        ("contents", Value::text(&example.contents)),
        ("fence", Value::text(&fence(&example.contents))),
    ])
}
