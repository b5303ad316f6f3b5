//! The tools of the reference as clients list them: names, words, and the schemas of arguments and answers.

use serde_json::{Value, json};

use crate::Tool;

/// The tools of the reference.
pub(super) fn tools() -> Vec<Tool> {
    let mut all = file_tools();
    all.extend(type_tools());
    all
}

/// Tools about files.
fn file_tools() -> Vec<Tool> {
    vec![
        tool(
            [
                "build_bicep",
                "Build a Bicep file",
                "Compiles a .bicep file. Gives the ARM template, or null with the diagnostics that say why.",
            ],
            file("The absolute path of the .bicep file"),
            built(&["template"]),
        ),
        tool(
            [
                "build_bicepparam",
                "Build a parameter file",
                "Compiles a .bicepparam file. Gives the parameters and the ARM template they are for, and diagnostics.",
            ],
            file("The absolute path of the .bicepparam file"),
            built(&["parameters", "template"]),
        ),
        tool(
            [
                "decompile_arm_parameters_file",
                "Decompile a parameters file",
                "Turns an ARM parameters file in JSON into a .bicepparam file. Nothing is written: the text comes back by URI.",
            ],
            file("The absolute path of the JSON file"),
            files_to_save(),
        ),
        tool(
            [
                "decompile_arm_template_file",
                "Decompile an ARM template",
                "Turns an ARM template in JSON into Bicep files. Nothing is written: the texts come back by URI.",
            ],
            file("The absolute path of the JSON file"),
            files_to_save(),
        ),
        tool(
            [
                "format_bicep_file",
                "Format a Bicep file",
                "Gives a .bicep or .bicepparam file in the standard layout, as bicepconfig.json asks for it. Nothing is written.",
            ],
            file("The absolute path of the file"),
            one("content", "The formatted text"),
        ),
        tool(
            [
                "get_bicep_best_practices",
                "Best practices for Bicep",
                "Gives rules for writing Bicep. Read them before you write or review Bicep.",
            ],
            none(),
            one("content", "Markdown"),
        ),
        tool(
            [
                "get_deployment_snapshot",
                "Predict a deployment",
                "Says which resources and outputs a .bicepparam file would deploy, without deploying. What only a deployment can know stays an expression.",
            ],
            snapshot_arguments(),
            snapshot(),
        ),
        tool(
            [
                "get_file_references",
                "Files that a file is made of",
                "Lists the files that a .bicep or .bicepparam file refers to, directly or not: modules, loaded files, bicepconfig.json.",
            ],
            file("The absolute path of the file"),
            file_uris(),
        ),
    ]
}

/// Tools about resource types, extensions and modules.
fn type_tools() -> Vec<Tool> {
    vec![
        tool(
            [
                "get_azure_resource_type_schema",
                "Schema of an Azure resource type",
                "Gives the JSON Schema of an Azure resource type in one API version: properties, types, rules, what is required or read-only.",
            ],
            schema_arguments(&[]),
            one("schema", "The JSON Schema, as text"),
        ),
        tool(
            [
                "get_extension_resource_type_schema",
                "Schema of an extension's resource type",
                "Gives the JSON Schema of a resource type of an extension in one version.",
            ],
            schema_arguments(&["extensionReference"]),
            one("schema", "The JSON Schema, as text"),
        ),
        tool(
            [
                "list_avm_metadata",
                "List public modules",
                "Lists the Azure Verified Modules of the public registry with their versions.",
            ],
            none(),
            modules(),
        ),
        tool(
            [
                "list_azure_resource_types",
                "List Azure resource types",
                "Lists the resource types of a provider with their API versions, as TYPE@VERSION.",
            ],
            object(
                &[("providerNamespace", text("The namespace of the provider, such as Microsoft.Storage"))],
                &["providerNamespace"],
            ),
            resource_types(),
        ),
        tool(
            [
                "list_extension_resource_types",
                "List an extension's resource types",
                "Lists the resource types of an extension, as TYPE@VERSION.",
            ],
            object(&[("extensionReference", reference())], &["extensionReference"]),
            resource_types(),
        ),
        tool(
            [
                "list_well_known_extensions",
                "List well-known extensions",
                "Lists extensions that are published for everybody, with their references and tags.",
            ],
            none(),
            extensions(),
        ),
    ]
}

fn tool([name, title, description]: [&'static str; 3], input_schema: Value, output_schema: Value) -> Tool {
    Tool { name, title, description, input_schema, output_schema }
}

fn object(properties: &[(&str, Value)], required: &[&str]) -> Value {
    let properties: serde_json::Map<String, Value> =
        properties.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    json!({ "type": "object", "properties": properties, "required": required })
}

fn none() -> Value {
    json!({ "type": "object", "properties": {} })
}

fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

fn file(description: &str) -> Value {
    object(&[("filePath", text(description))], &["filePath"])
}

fn one(name: &str, description: &str) -> Value {
    object(&[(name, text(description))], &[name])
}

fn reference() -> Value {
    text(
        "The reference of the extension, such as br:mcr.microsoft.com/bicep/extensions/microsoftgraph/v1.0:1.0.0",
    )
}

/// What compiling gives: whether it went well, texts with these names, diagnostics.
fn built(texts: &[&str]) -> Value {
    let diagnostic = object(
        &[
            ("fileUri", json!({ "type": "string", "format": "uri", "description": "The file" })),
            ("code", text("The code, which explain_code explains")),
            ("level", text("Error, Warning or Info")),
            ("message", text("What is wrong")),
            (
                "documentationUri",
                json!({ "type": ["string", "null"], "format": "uri", "description": "A page about the code" }),
            ),
            (
                "position",
                json!({ "type": "integer", "description": "Where, in UTF-16 units from the start of the file" }),
            ),
            ("length", json!({ "type": "integer", "description": "How many UTF-16 units" })),
        ],
        &["fileUri", "code", "level", "message", "documentationUri", "position", "length"],
    );
    let success = json!({ "type": "boolean", "description": "Whether there are no errors" });
    let mut properties = vec![("success", success)];
    for name in texts {
        properties.push((name, json!({ "type": ["string", "null"], "description": "JSON, as text" })));
    }
    properties.push(("diagnostics", json!({ "type": "array", "items": diagnostic })));
    let required: Vec<&str> = properties.iter().map(|(name, _)| *name).collect();
    object(&properties, &required)
}

fn files_to_save() -> Value {
    object(
        &[
            ("entrypointUri", json!({ "type": "string", "format": "uri", "description": "The main file" })),
            (
                "filesToSave",
                json!({ "type": "object", "description": "Texts by URI", "additionalProperties": { "type": "string" } }),
            ),
        ],
        &["entrypointUri", "filesToSave"],
    )
}

fn schema_arguments(before: &[&str]) -> Value {
    let mut properties: Vec<(&str, Value)> = before.iter().map(|name| (*name, reference())).collect();
    let flag = |description: &str| json!({ "type": "boolean", "default": false, "description": description });
    properties.extend([
        ("resourceType", text("The resource type, such as Microsoft.Storage/storageAccounts")),
        ("apiVersion", text("The version, such as 2024-01-01")),
        ("excludeDescriptions", flag("Whether descriptions of properties are left out")),
        ("excludeReadOnlyProperties", flag("Whether properties that cannot be given are left out")),
    ]);
    let required: Vec<&str> = before.iter().copied().chain(["resourceType", "apiVersion"]).collect();
    object(&properties, &required)
}

fn snapshot_arguments() -> Value {
    let optional = |description: &str| json!({ "type": ["string", "null"], "default": null, "description": description });
    object(
        &[
            ("filePath", text("The absolute path of the .bicepparam file")),
            ("tenantId", optional("The tenant")),
            ("managementGroupId", optional("The management group")),
            ("subscriptionId", optional("The subscription")),
            ("resourceGroup", optional("The resource group")),
            ("location", optional("The region of the deployment")),
            ("deploymentName", optional("The name of the deployment")),
        ],
        &["filePath"],
    )
}

fn snapshot() -> Value {
    object(
        &[
            ("predictedResources", json!({ "type": "array", "items": {} })),
            ("diagnostics", json!({ "type": "array", "items": { "type": "string" } })),
            ("outputs", json!({ "type": "object" })),
        ],
        &["predictedResources", "diagnostics", "outputs"],
    )
}

fn file_uris() -> Value {
    let uris = json!({ "type": "array", "items": { "type": "string", "format": "uri" } });
    object(&[("fileUris", uris)], &["fileUris"])
}

fn resource_types() -> Value {
    let names = json!({ "type": "array", "items": { "type": "string" } });
    object(&[("resourceTypes", names)], &["resourceTypes"])
}

fn modules() -> Value {
    let optional = || json!({ "type": ["string", "null"] });
    let module = object(
        &[
            ("modulePath", json!({ "type": "string" })),
            ("description", optional()),
            ("versions", json!({ "type": "array", "items": { "type": "string" } })),
            ("documentationUri", optional()),
        ],
        &["modulePath", "description", "versions", "documentationUri"],
    );
    object(&[("modules", json!({ "type": "array", "items": module }))], &["modules"])
}

fn extensions() -> Value {
    let text = || json!({ "type": "string" });
    let extension = object(
        &[
            ("name", text()),
            ("description", text()),
            ("ociReference", text()),
            ("availableTags", json!({ "type": "array", "items": { "type": "string" } })),
            ("error", json!({ "type": ["string", "null"], "default": null })),
        ],
        &["name", "description", "ociReference", "availableTags"],
    );
    object(&[("extensions", json!({ "type": "array", "items": extension }))], &["extensions"])
}
