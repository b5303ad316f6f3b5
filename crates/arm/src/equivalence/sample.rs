//! Sample values for parameters that have none, and a sample place of deployment.

use std::sync::Arc;

use smol_str::SmolStr;

use crate::context::Context;
use crate::parameters::{Inputs, Supplied};
use crate::template::{Items, Primitive, Template, TypeNode};
use crate::value::Value;

/// What sample values are like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Samples {
    /// Lists have items.
    Filled,
    /// Lists and objects are as small as they may be.
    Empty,
    /// There are none: the parameters stay unknown.
    Unknown,
}

/// How deeply types are followed.
const DEEPEST: usize = 8;

/// Where both templates are deployed.
pub(super) fn place() -> Context {
    Context {
        tenant_id: Some("00000000-0000-0000-0000-000000000002".into()),
        management_group: Some("management".into()),
        subscription_id: Some("00000000-0000-0000-0000-000000000001".into()),
        subscription_name: Some("subscription".into()),
        resource_group: Some("group".into()),
        location: Some("westeurope".into()),
        tags: None,
        deployment_name: Some("deployment".into()),
        environment: Some(Context::azure_cloud()),
        deployer: None,
        default_subscription: None,
        now: Some(1_700_000_000),
        guid_seed: Some(Arc::from("sample")),
    }
}

/// The values that are supplied, and samples for required parameters without one.
pub(super) fn sample_inputs(template: &Template, supplied: &Inputs, samples: Samples) -> Inputs {
    let mut values = Vec::new();
    for (name, parameter) in template.parameters.iter() {
        if let Some(known) = supplied.parameters.get(name) {
            values.push((name.clone(), known.clone()));
        } else if parameter.default.is_none() && samples != Samples::Unknown {
            let value = Sampler { template, samples }.value(name, &parameter.schema, 0);
            values.push((name.clone(), Supplied::Value(value, None)));
        }
    }
    Inputs { parameters: values.into_iter().collect(), external: supplied.external.clone() }
}

struct Sampler<'t> {
    template: &'t Template,
    samples: Samples,
}

impl Sampler<'_> {
    fn value(&self, name: &str, schema: &TypeNode, depth: usize) -> Value {
        if let Some(first) = schema.allowed.as_ref().and_then(|allowed| allowed.first()) {
            let is_list = schema.primitive == Some(Primitive::Array) && first.as_array().is_none();
            return if is_list { Value::array(vec![first.clone()]) } else { first.clone() };
        }
        if depth > DEEPEST {
            return Value::NULL;
        }
        if let Some(target) = schema.reference.as_deref().and_then(|it| it.strip_prefix("#/definitions/"))
            && let Some(target) = self.template.definitions.get(target)
        {
            return self.value(name, target, depth + 1);
        }
        match schema.primitive {
            Some(Primitive::Int) => {
                let low = schema.min_value.unwrap_or(1);
                Value::int(schema.max_value.map_or(low, |high| low.min(high)))
            }
            Some(Primitive::Bool) => Value::bool(true),
            Some(Primitive::Array) => self.list(name, schema, depth),
            Some(Primitive::Object) => self.object(schema, depth),
            Some(Primitive::String) | None => Value::string(text(name, schema)),
        }
    }

    fn list(&self, name: &str, schema: &TypeNode, depth: usize) -> Value {
        let least = usize::try_from(schema.min_length.unwrap_or(0)).unwrap_or(0).min(100);
        let wanted = if self.samples == Samples::Filled { least.max(2) } else { least };
        let most = schema.max_length.and_then(|most| usize::try_from(most).ok());
        let item = |at: usize| match &schema.items {
            Some(Items::Of(item)) => self.value(&format!("{name}{at}"), item, depth + 1),
            _ => Value::from(format!("{name}{at}").as_str()),
        };
        Value::array((0..most.map_or(wanted, |most| wanted.min(most))).map(item).collect())
    }

    fn object(&self, schema: &TypeNode, depth: usize) -> Value {
        let members = schema.properties.iter().flat_map(crate::template::Names::iter);
        let required = members.filter(|(_, member)| member.nullable != Some(true));
        let value =
            |(name, member): (&SmolStr, &TypeNode)| (name.clone(), self.value(name, member, depth + 1));
        Value::object(required.map(value))
    }
}

/// A text that is not that of another parameter.
fn text(name: &str, schema: &TypeNode) -> String {
    let size = |length: Option<i64>| length.and_then(|length| usize::try_from(length).ok());
    let mut text = name.to_lowercase();
    while text.len() < size(schema.min_length).unwrap_or(0).min(1000) {
        text.push('x');
    }
    match size(schema.max_length) {
        Some(most) => text.chars().take(most).collect(),
        None => text,
    }
}
