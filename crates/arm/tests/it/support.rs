//! Templates from text, expanded somewhere.

use arm::expand::{Deployment, Expansion, Policy, Setup, Speculation};
use arm::parameters::Inputs;
use arm::{Context, Error, NoState, State, Template};
use base::{Budget, Limits};
use json::Node;

/// A resource group in a subscription.
pub fn here() -> Context {
    Context {
        subscription_id: Some("S".into()),
        resource_group: Some("G".into()),
        deployment_name: Some("main".into()),
        ..Context::default()
    }
}

pub fn node(text: &str) -> Node {
    let parsed = json::parse(text, json::Options::lenient());
    assert!(parsed.diagnostics.is_empty(), "{text}: {:?}", parsed.diagnostics);
    parsed.root.unwrap()
}

/// A template for a resource group with these sections; `language` is `1` or `2.0`.
pub fn document(language: &str, sections: &str) -> String {
    let version =
        if language == "1" { String::new() } else { format!("\"languageVersion\": \"{language}\",") };
    let resources = if sections.contains("\"resources\"") { "" } else { ", \"resources\": []" };
    format!(
        "{{ \"$schema\": \"https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#\",
           {version} \"contentVersion\": \"1.0.0.0\", {sections}{resources} }}"
    )
}

pub fn template(text: &str) -> Template {
    let (template, errors) = Template::read(&node(text));
    assert!(errors.is_empty(), "{errors:#?}");
    template
}

/// Expands a template with the inputs of a parameter file.
pub fn expand(template: &Template, inputs: &str) -> Expansion {
    expand_with(template, inputs, &NoState)
}

pub fn expand_with(template: &Template, inputs: &str, state: &dyn State) -> Expansion {
    let (inputs, errors) = Inputs::read(&node(inputs));
    assert!(errors.is_empty(), "{errors:#?}");
    let setup = Setup {
        template,
        inputs: &inputs,
        context: &here(),
        state,
        budget: &Budget::new(Limits::default()),
        policy: Policy { speculation: Speculation::Outputs, ..Policy::default() },
    };
    Deployment::new(setup).expand()
}

/// `reason at path: message` for each error.
pub fn told(errors: &[Error]) -> String {
    let lines = errors.iter().map(|error| format!("{} at {}: {error}\n", error.reason(), error.path()));
    lines.collect()
}
