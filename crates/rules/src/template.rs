//! Is this file a template at all? Directories hold all kinds of JSON.

use json::Node;

/// What may stand before `$schema`, and after it.
const BEFORE_SCHEMA: &[&str] = &[
    "contentVersion",
    "apiProfile",
    "languageVersion",
    "metadata",
    "definitions",
    "parameters",
    "variables",
    "functions",
    "extensions",
    "imports",
    "resources",
    "outputs",
    "asserts",
];

/// Whether a JSON document says of itself that it is a deployment template.
pub fn is_template(root: &Node) -> bool {
    let Some(object) = root.as_object() else { return false };
    for member in object {
        if json::eq_ignore_case(&member.key, "$schema") {
            return member.value.as_str().is_some_and(is_template_schema);
        }
        if !BEFORE_SCHEMA.iter().any(|name| json::eq_ignore_case(name, &member.key)) {
            return false;
        }
    }
    false
}

/// `https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#` and its kin.
fn is_template_schema(schema: &str) -> bool {
    let schema = schema.trim().to_ascii_lowercase();
    let Some(rest) = schema.strip_prefix("https://").or_else(|| schema.strip_prefix("http://")) else {
        return false;
    };
    let Some(rest) = rest.strip_prefix("schema.management.azure.com/schemas/") else { return false };
    let Some((version, name)) = rest.split_once('/') else { return false };
    let is_date = version.len() == 10 && version.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    let name = name.strip_suffix('#').unwrap_or(name);
    let Some(scope) = name.strip_suffix("deploymenttemplate.json") else { return false };
    is_date && matches!(scope, "" | "subscription" | "tenant" | "managementgroup")
}
