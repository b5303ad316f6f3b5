//! Tools about resource types and packages: names come in; types, schemas and lists go out.

use std::sync::Arc;

use base::Artifact;
use bicep_sema::MissingTypes;
use bicep_types::ResourceTypes;
use bicep_types::catalogue::Corrupt;
use bicep_types::json_schema::{SchemaOptions, resource_schema};
use config::provider::{Builtin, ProviderSource};
use config::reference::{self, ArtifactKind, Reference};
use serde_json::{Value, json};

use super::Mcp;
use crate::cancel::CancelToken;
use crate::jsonrpc::failed;
use crate::restore;
use crate::rpc::{Answer, RpcError};

pub(super) fn list_azure(mcp: &Mcp, arguments: &Value, _: &CancelToken) -> Answer {
    let namespace = text(arguments, "providerNamespace")?;
    let start = format!("{}/", namespace.to_lowercase());
    list(&*azure(mcp)?, |name| name.to_lowercase().starts_with(&start))
}

pub(super) fn list_extension(mcp: &Mcp, arguments: &Value, _: &CancelToken) -> Answer {
    list(&*extension(mcp, text(arguments, "extensionReference")?)?, |_| true)
}

/// The types of a catalogue with all their versions.
fn list(types: &ResourceTypes, is_wanted: impl Fn(&str) -> bool) -> Answer {
    let catalogue = types.catalogue().ok_or_else(not_installed)?;
    let mut found = Vec::new();
    for entry in catalogue.types().map_err(damaged)? {
        if !is_wanted(&entry.name) {
            continue;
        }
        let defined = entry.versions.iter().filter(|version| version.is_defined());
        found.extend(defined.map(|version| match version.version {
            "" => version.name.to_string(),
            number => format!("{}@{number}", version.name),
        }));
    }
    Ok(json!({ "resourceTypes": found }))
}

pub(super) fn azure_schema(mcp: &Mcp, arguments: &Value, _: &CancelToken) -> Answer {
    schema(&*azure(mcp)?, arguments)
}

pub(super) fn extension_schema(mcp: &Mcp, arguments: &Value, _: &CancelToken) -> Answer {
    schema(&*extension(mcp, text(arguments, "extensionReference")?)?, arguments)
}

fn schema(types: &ResourceTypes, arguments: &Value) -> Answer {
    let (name, version) = (text(arguments, "resourceType")?, text(arguments, "apiVersion")?);
    let flag = |name: &str| arguments.get(name).and_then(Value::as_bool).unwrap_or(false);
    let options = SchemaOptions {
        exclude_descriptions: flag("excludeDescriptions"),
        exclude_read_only: flag("excludeReadOnlyProperties"),
    };
    let catalogue = types.catalogue().ok_or_else(not_installed)?;
    let found = catalogue.find(name, version).map_err(damaged)?;
    let schema = match &found {
        Some(found) => resource_schema(catalogue, found, options).map_err(damaged)?,
        None => None,
    };
    let Some(schema) = schema else {
        let known = types.versions(name);
        let newest: Vec<&str> = known.iter().rev().take(5).map(|version| version.as_str()).collect();
        return Err(failed(match newest.is_empty() {
            true => format!("There is no resource type {name}."),
            false => format!("{name} has no version {version}; the newest are {}.", newest.join(", ")),
        }));
    };
    Ok(json!({ "schema": json::to_pretty(&schema) }))
}

fn text<'a>(arguments: &'a Value, name: &str) -> Result<&'a str, RpcError> {
    let text = arguments.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    text.ok_or_else(|| RpcError::invalid_params(format!("The argument \"{name}\" is missing.")))
}

fn azure(mcp: &Mcp) -> Result<Arc<ResourceTypes>, RpcError> {
    mcp.types.types(&ProviderSource::Builtin(Builtin::Az)).map_err(missing)
}

/// The types of an extension: a package in a registry (`br:…`), which is fetched if it is not there, or in a file.
fn extension(mcp: &Mcp, written: &str) -> Result<Arc<ResourceTypes>, RpcError> {
    let source = match extension_reference(mcp, written)? {
        Reference::Oci(reference) => ProviderSource::Package(reference),
        Reference::Local(path) => ProviderSource::File(path.as_path().to_owned()),
        Reference::TemplateSpec(_) | Reference::Mock(_) => {
            return Err(failed(format!("\"{written}\" does not name an extension.")));
        }
    };
    if let ProviderSource::Package(reference) = &source
        && mcp.world.artifact(&reference.to_string()) == Artifact::Missing
    {
        restore::restore_extension(reference, &*mcp.world).map_err(failed)?;
    }
    mcp.types.types(&source).map_err(missing)
}

fn extension_reference(mcp: &Mcp, written: &str) -> Result<Reference, RpcError> {
    let config = config::built_in(&*mcp.world);
    let found = reference::parse(written, ArtifactKind::Extension, &config);
    found.map_err(|error| failed(format!("\"{written}\" is not a reference: {}", error.message)))
}

fn missing(error: MissingTypes) -> RpcError {
    failed(match error {
        MissingTypes::NotRestored => "The types are not there: they could not be fetched.".to_owned(),
        MissingTypes::Unreadable(reason) | MissingTypes::Malformed(reason) => {
            format!("The types cannot be read: {reason}")
        }
    })
}

fn not_installed() -> RpcError {
    failed("The types of Azure's resources are not installed: run `sinew types install`.")
}

fn damaged(error: Corrupt) -> RpcError {
    failed(format!("The catalogue of types is damaged: {error}"))
}

/// Extensions that are published for everybody.
const WELL_KNOWN: &[(&str, &str, &str)] = &[
    (
        "MicrosoftGraph (v1.0)",
        "Resources of Microsoft Entra ID through the stable version of Microsoft Graph: applications, groups, users.",
        "br:mcr.microsoft.com/bicep/extensions/microsoftgraph/v1.0",
    ),
    (
        "MicrosoftGraph (beta)",
        "The same through the beta version of Microsoft Graph.",
        "br:mcr.microsoft.com/bicep/extensions/microsoftgraph/beta",
    ),
];

pub(super) fn well_known_extensions(mcp: &Mcp, _: &Value, token: &CancelToken) -> Answer {
    let mut extensions = Vec::new();
    for (name, description, reference) in WELL_KNOWN {
        token.check()?;
        let (tags, error) = match tags(mcp, reference) {
            Ok(tags) => (tags, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        extensions.push(json!({
            "name": name,
            "description": description,
            "ociReference": reference,
            "availableTags": tags,
            "error": error,
        }));
    }
    Ok(json!({ "extensions": extensions }))
}

/// The tags of an extension in its registry.
fn tags(mcp: &Mcp, reference: &str) -> Result<Vec<String>, String> {
    // A reference has a tag; which one does not matter here.
    match extension_reference(mcp, &format!("{reference}:latest")) {
        Ok(Reference::Oci(reference)) => restore::tags(&reference, &*mcp.world),
        Ok(_) => Err("The reference does not lead to a registry.".to_owned()),
        Err(error) => Err(error.message),
    }
}

/// Names a file with the modules of registries; `public` is the list of those in the public one.
const MODULE_CATALOG: &str = "SINEW_MODULE_CATALOG";

pub(super) fn public_modules(mcp: &Mcp, _: &Value, _: &CancelToken) -> Answer {
    let Some(path) = mcp.world.variable(MODULE_CATALOG) else {
        return Err(failed(format!(
            "The index of public modules is not there: set {MODULE_CATALOG} to a file with it."
        )));
    };
    let unreadable = |reason: String| failed(format!("{path} cannot be used: {reason}"));
    let source =
        mcp.world.read_source(path.as_str().into()).map_err(|error| unreadable(error.to_string()))?;
    let catalog: Value =
        serde_json::from_str(source.text()).map_err(|error| unreadable(error.to_string()))?;
    let modules = catalog.get("public").and_then(Value::as_array).into_iter().flatten().map(|module| {
        let member = |name: &str| module.get(name).cloned().unwrap_or(Value::Null);
        let versions = module.get("versions").and_then(Value::as_array).into_iter().flatten();
        let versions = versions.filter_map(|it| it.as_str().or_else(|| it.get("version")?.as_str()));
        json!({
            "modulePath": member("name"),
            "description": member("description"),
            "versions": versions.collect::<Vec<_>>(),
            "documentationUri": member("documentationUri"),
        })
    });
    Ok(json!({ "modules": modules.collect::<Vec<_>>() }))
}
