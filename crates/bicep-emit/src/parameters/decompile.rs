//! A parameters file in JSON → a parameter file in the language. The text is right, but not laid out.

use arm::parameters::Inputs;
use base::Diagnostic;
use json::{Member, Node};
use serde_json::Value as Json;

use crate::literal::{literal, quoted};
use crate::messages;

/// The text of a parameter file for the template at this path, where one is given, and what could not be taken over.
pub fn decompile_parameters(document: &Node, template: Option<&str>) -> (String, Vec<Diagnostic>) {
    let mut text = match template {
        Some(template) => format!("using {}\n\n", quoted(template)),
        None => "using '' /*TODO: Provide a path to a bicep template*/\n\n".to_owned(),
    };
    let mut diagnostics = Vec::new();
    let parameters = document.get_ignore_case("parameters").and_then(Node::as_object);
    if !Inputs::is_parameters_file(document) {
        diagnostics.push(messages::no_parameters(document.range));
    }
    let (inputs, _) = Inputs::read(document);
    for parameter in parameters.into_iter().flatten() {
        match value(parameter, &inputs) {
            Ok(value) => {
                if let Some(metadata) = parameter.value.get_ignore_case("metadata") {
                    text.push_str(&comment(&metadata.to_value()));
                }
                text.push_str(&format!("param {} = {value}\n\n", parameter.key));
            }
            Err(diagnostic) => diagnostics.push(diagnostic),
        }
    }
    (text, diagnostics)
}

/// What has no place in the language stays as a comment.
fn comment(metadata: &Json) -> String {
    let metadata = json::to_pretty(metadata).replace("*/", "* /");
    format!("/*\nMetadata of parameters has no place in this file:\n{metadata}\n*/\n")
}

fn value(parameter: &Member, inputs: &Inputs) -> Result<String, Diagnostic> {
    let name = parameter.key.as_str();
    if !base::spelling::is_identifier(name) {
        return Err(messages::not_a_name(parameter.value.range, name));
    }
    if let Some(reference) = parameter.value.get_ignore_case("reference") {
        return secret(reference).ok_or_else(|| messages::bad_secret(reference.range, name));
    }
    if let Some(expression) = parameter.value.get_ignore_case("expression") {
        let input = expression.as_str().and_then(|text| external_input(text, inputs));
        return input.ok_or_else(|| messages::expression_kept(expression.range, name));
    }
    match parameter.value.get_ignore_case("value") {
        Some(value) => Ok(literal(&value.to_value())),
        None => Err(messages::no_value_given(parameter.value.range, name)),
    }
}

/// A secret of a vault whose id is written out.
fn secret(reference: &Node) -> Option<String> {
    let id = reference.get_ignore_case("keyVault")?.get_ignore_case("id")?.as_str()?;
    let parts: Vec<&str> = id.trim_start_matches('/').split('/').collect();
    let [subscriptions, subscription, groups, group, providers, provider, kind, vault] = parts.as_slice()
    else {
        return None;
    };
    let expected = ["subscriptions", "resourceGroups", "providers", "Microsoft.KeyVault", "vaults"];
    let found = [subscriptions, groups, providers, provider, kind];
    if !expected.iter().zip(found).all(|(one, other)| one.eq_ignore_ascii_case(other)) {
        return None;
    }
    let text =
        |name: &str| reference.get_ignore_case(name).and_then(Node::as_str).filter(|it| !it.is_empty());
    let arguments =
        [Some(*subscription), Some(*group), Some(*vault), Some(text("secretName")?), text("secretVersion")];
    let arguments: Vec<String> = arguments.into_iter().flatten().map(quoted).collect();
    Some(format!("az.getSecret({})", arguments.join(", ")))
}

/// `[externalInputs('key')]` as the call that it was made from.
fn external_input(expression: &str, inputs: &Inputs) -> Option<String> {
    let key = expression.strip_prefix("[externalInputs('")?.strip_suffix("')]")?;
    let input = inputs.external.get(key).filter(|input| !input.kind.is_empty())?;
    let kind = quoted(&input.kind);
    match input.config.to_json(arm::Secrets::Shown) {
        Json::Null => Some(format!("externalInput({kind})")),
        config => Some(format!("externalInput({kind}, {})", literal(&config))),
    }
}
