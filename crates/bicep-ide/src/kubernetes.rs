//! Kubernetes manifests as Bicep: the text of a manifest comes in, the text of a Bicep file goes out.

use bicep_types::ty::{escape_property_name, escape_string};
use serde_json::{Map, Value};

const HEADER: &str = "@secure()\nparam kubeConfig string\n\nextension kubernetes with {\n  namespace: 'default'\n  kubeConfig: \
                      kubeConfig\n}\n";

/// The Bicep file for a manifest of one or more documents. The error says what is wrong with the manifest.
pub fn manifest_to_bicep(text: &str) -> Result<String, String> {
    let documents = bicep_sema::yaml::documents(text).ok_or("The manifest is not valid YAML.")?;
    let mut bicep = HEADER.to_owned();
    let mut count = 0;
    for document in documents.iter().filter(|it| !it.is_null()) {
        bicep.push('\n');
        bicep.push_str(&resource(document)?);
        count += 1;
    }
    match count {
        0 => Err("The manifest has no resources.".to_owned()),
        _ => Ok(bicep),
    }
}

fn resource(document: &Value) -> Result<String, String> {
    let object = document.as_object().ok_or("A document of the manifest is not an object.")?;
    let text = |name: &str| object.get(name).and_then(Value::as_str);
    let kind = text("kind").ok_or("A document of the manifest has no `kind`.")?;
    let api_version = text("apiVersion").ok_or("A document of the manifest has no `apiVersion`.")?;
    let name = document.pointer("/metadata/name").and_then(Value::as_str);
    let name = name.ok_or("A document of the manifest has no `metadata.name`.")?;
    let (group, version) = api_version.split_once('/').unwrap_or(("core", api_version));
    let symbol = format!("{}{}_{}", camel_case(group), pascal_case(kind), camel_case(name));
    let ty = escape_string(&format!("{group}/{kind}@{version}"));
    let body: Map<String, Value> = object
        .iter()
        .filter(|(key, _)| !matches!(key.as_str(), "kind" | "apiVersion"))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let mut text = format!("resource {symbol} {ty} = ");
    write(&Value::Object(body), 0, &mut text);
    text.push('\n');
    Ok(text)
}

/// A value as a Bicep literal, on several lines.
fn write(value: &Value, depth: usize, text: &mut String) {
    let line = |text: &mut String, depth: usize| {
        text.push('\n');
        text.push_str(&"  ".repeat(depth));
    };
    match value {
        Value::Object(members) if !members.is_empty() => {
            text.push('{');
            for (key, member) in members {
                line(text, depth + 1);
                text.push_str(&escape_property_name(key));
                text.push_str(": ");
                write(member, depth + 1, text);
            }
            line(text, depth);
            text.push('}');
        }
        Value::Array(items) if !items.is_empty() => {
            text.push('[');
            for item in items {
                line(text, depth + 1);
                write(item, depth + 1, text);
            }
            line(text, depth);
            text.push(']');
        }
        Value::Object(_) => text.push_str("{}"),
        Value::Array(_) => text.push_str("[]"),
        Value::String(string) => text.push_str(&escape_string(string)),
        // The language has no literals for fractions.
        Value::Number(number) if number.as_i64().is_none() => text.push_str(&format!("json('{number}')")),
        other => text.push_str(&other.to_string()),
    }
}

/// The words of a name in one: `azure-vote-back` becomes `azureVoteBack`.
fn camel_case(name: &str) -> String {
    let pascal = pascal_case(name);
    let mut letters = pascal.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

fn pascal_case(name: &str) -> String {
    let words = name.split(|it: char| !it.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters
            .next()
            .map(|first| first.to_uppercase().chain(letters).collect::<String>())
            .unwrap_or_default()
    };
    words.map(capital).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_document_becomes_a_resource() {
        let manifest = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: my-app\nspec:\n  replicas: 2\n---\n\
                        apiVersion: v1\nkind: Service\nmetadata:\n  name: x\n";
        let bicep = manifest_to_bicep(manifest).expect("valid");
        let expected = "resource appsDeployment_myApp 'apps/Deployment@v1' = {\n  metadata: {\n    name: 'my-app'\n  }\n  \
                        spec: {\n    replicas: 2\n  }\n}\n\nresource coreService_x 'core/Service@v1' = {\n  metadata: {\n    \
                        name: 'x'\n  }\n}\n";
        assert!(bicep.ends_with(expected), "{bicep}");
    }

    #[test]
    fn what_is_no_manifest_is_refused() {
        assert!(manifest_to_bicep("NOT A MANIFEST").is_err());
        assert!(manifest_to_bicep("").is_err());
        assert!(manifest_to_bicep("kind: [").is_err());
    }
}
