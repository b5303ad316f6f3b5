//! `bicep/importKubernetesManifest`: a manifest as a Bicep file beside it.

use bicep_ide::kubernetes::manifest_to_bicep;
use serde_json::{Value, json};

use super::build::no_path;
use super::write::write;
use super::{Request, path_of};
use crate::rpc::Answer;

pub(super) fn import(request: &Request) -> Answer {
    let path = request.params.get("manifestFilePath").and_then(path_of).ok_or_else(no_path)?;
    let target = path.with_extension("bicep");
    let text = request.source(&path).map(|file| file.text().to_string());
    let done = text
        .ok_or_else(|| format!("{path} cannot be read."))
        .and_then(|text| manifest_to_bicep(&text).map_err(|error| format!("{path}: {error}")))
        .and_then(|bicep| write(&target, &bicep));
    match done {
        Ok(()) => Ok(json!({ "bicepFilePath": target.as_str() })),
        Err(message) => {
            request.client.show_error(&message);
            Ok(json!({ "bicepFilePath": Value::Null }))
        }
    }
}
