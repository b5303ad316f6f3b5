//! What the deploy commands of clients ask before they start: the scope, the template, the parameters.

use bicep_types::ty::Scopes;
use camino::Utf8Path;
use serde_json::{Map, Value, json};

use super::build::{errors, no_path};
use super::{Request, argument, path_of};
use crate::rpc::Answer;

/// `getDeploymentScope`
pub(super) fn scope(request: &Request) -> Answer {
    let path = argument(request, 0).pointer("/textDocument/uri").and_then(path_of).ok_or_else(no_path)?;
    if let Some(message) = errors(request, &path) {
        return Ok(json!({ "scope": "notSpecified", "template": null, "errorMessage": message }));
    }
    let compilation = request.snapshot.compilation(&path);
    let target = compilation.model().map(bicep_sema::Model::target_scope);
    let scope = match target {
        Some(Scopes::TENANT) => "tenant",
        Some(Scopes::MANAGEMENT_GROUP) => "managementGroup",
        Some(Scopes::SUBSCRIPTION) => "subscription",
        _ => "resourceGroup",
    };
    let template = request.snapshot.template(&path).map(|emitted| json::to_pretty(&emitted.template));
    Ok(json!({ "scope": scope, "template": template, "errorMessage": null }))
}

/// `bicep/getDeploymentData`
pub(super) fn data(request: &Request) -> Answer {
    let Some(document) = &request.document else {
        return Ok(json!({ "localDeployEnabled": false, "errorMessage": "The file is not open." }));
    };
    if let Some(message) = errors(request, &document.path) {
        return Ok(json!({ "localDeployEnabled": false, "errorMessage": message }));
    }
    let compilation = request.snapshot.compilation(&document.path);
    let target = compilation.model().map(bicep_sema::Model::target_scope);
    let parameters = request.snapshot.parameters(&document.path);
    let used = parameters.as_ref().and_then(|parameters| parameters.template);
    let template = match (&parameters, used, compilation.entry()) {
        (Some(_), Some(file), _) | (None, _, Some(file)) => Some(compilation.template(file)),
        _ => None,
    };
    Ok(json!({
        "localDeployEnabled": target == Some(Scopes::LOCAL),
        "templateJson": template.map(|emitted| json::to_pretty(&emitted.template)),
        "parametersJson": parameters.map(|parameters| json::to_pretty(&parameters.document())),
        "errorMessage": null,
    }))
}

/// `getDeploymentParameters`: the parameters that have to be asked for, beside those of a parameters file.
pub(super) fn parameters(request: &Request) -> Answer {
    let path = path_of(argument(request, 0)).ok_or_else(no_path)?;
    let file = path_of(argument(request, 1));
    let name = file.as_deref().and_then(Utf8Path::file_name).map(str::to_owned);
    let default_name = || format!("{}.parameters.json", path.file_stem().unwrap_or("main"));
    let answer = |parameters: Vec<Value>, error: Option<String>| {
        json!({
            "deploymentParameters": parameters,
            "parametersFileName": name.clone().unwrap_or_else(default_name),
            "errorMessage": error,
        })
    };
    let given = match file.as_deref().map(|file| given_values(request, file)) {
        Some(Err(message)) => return Ok(answer(Vec::new(), Some(message))),
        Some(Ok(given)) => given,
        None => Map::new(),
    };
    let sent: Value =
        argument(request, 2).as_str().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    let template = current_template(request, &path).unwrap_or_else(|| sent.clone());
    let mut found = Vec::new();
    let mut unsupported = Vec::new();
    let declared = template.get("parameters").and_then(Value::as_object);
    for (name, parameter) in declared.into_iter().flatten() {
        if given.contains_key(name) {
            continue;
        }
        let ty = parameter.get("type").and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase();
        // Who has sent a template has its expressions on the screen.
        let shown = sent.pointer(&format!("/parameters/{name}/defaultValue"));
        let default = parameter.get("defaultValue").map(|own| shown.unwrap_or(own));
        let kind = match ty.as_str() {
            "array" | "object" | "secureobject" => {
                // Structured values are only taken from files.
                if default.is_none() {
                    unsupported.push(name.clone());
                }
                continue;
            }
            "int" => "int",
            "bool" => "bool",
            _ => "string",
        };
        found.push(asked(name, default, kind, ty == "securestring"));
    }
    if unsupported.is_empty() {
        return Ok(answer(found, None));
    }
    let message = format!(
        "Values of type array or object must be given in a parameters file: {}.",
        unsupported.join(", ")
    );
    Ok(answer(Vec::new(), Some(message)))
}

/// The template of a file as it is now; none when the file has errors.
fn current_template(request: &Request, path: &Utf8Path) -> Option<Value> {
    let emitted = request.snapshot.is_sound(path).then(|| request.snapshot.template(path))??;
    Some(emitted.template.clone())
}

fn asked(name: &str, default: Option<&Value>, kind: &str, is_secure: bool) -> Value {
    let text = default.map(|value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    });
    let is_expression = text.as_deref().is_some_and(|text| text.starts_with('[') && !text.starts_with("[["));
    let shown = match text {
        Some(text) if is_expression => text.trim_start_matches('[').trim_end_matches(']').to_owned(),
        Some(text) => text,
        None => String::new(),
    };
    json!({
        "name": name,
        "value": if default.is_some() { Value::String(shown) } else { Value::Null },
        "isMissingParam": default.is_none(),
        "isExpression": is_expression,
        "isSecure": is_secure,
        "parameterType": kind,
    })
}

/// The values of a parameters file, with or without the frame around them.
fn given_values(request: &Request, file: &Utf8Path) -> Result<Map<String, Value>, String> {
    let text = request.source(file).ok_or_else(|| format!("{file} cannot be read."))?;
    let value: Value =
        serde_json::from_str(text.text()).map_err(|error| format!("{file} is not JSON: {error}."))?;
    let values = if value.get("$schema").is_some() {
        value.get("parameters").cloned().unwrap_or_default()
    } else {
        value
    };
    match values {
        Value::Object(values) => Ok(values),
        _ => Ok(Map::new()),
    }
}
