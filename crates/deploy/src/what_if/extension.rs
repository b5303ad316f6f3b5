//! Resources of extensions: what they would be is asked of their programs.

use arm::Value;
use arm::difference::Comparison;
use serde_json::{Map, Value as Json, json};

use super::delta::delta;
use super::{Format, PredictedResource, WhatIfContext};
use crate::error::ArmError;
use crate::messages;
use crate::provider::extension::Extension;
use crate::provider::{ProviderError, Resource, ResourceRequest, ResourceTarget};
use crate::run::extensible;
use crate::secrets::{clean_error, marked, without};

/// The change of a resource of an extension. What cannot be said is `Unsupported`, with the reason.
pub(super) async fn change(
    preview: &WhatIfContext<'_>,
    item: &PredictedResource<'_>,
    alias: &str,
) -> Result<Json, ArmError> {
    let config = item.level.config(alias, preview.inner.options.limits)?;
    let parts = extensible::parts(item.planned, config.as_ref());
    let mut gaps = Vec::new();
    parts.gaps("", &mut gaps);
    if let Some(gap) = gaps.first() {
        return Ok(unsupported(item, alias, &messages::preview_of_unknown(&gap.path)));
    }
    let name = item.level.extension(alias);
    let extension = preview.inner.options.extensions.find(name);
    let extension = extension.ok_or_else(|| messages::no_extension(name))?;
    let properties = parts.get("properties").cloned().unwrap_or(Value::NULL);
    let request =
        ResourceRequest { target: extensible::target(&parts), body: properties, patch: false, fence: None };
    match compared(preview, extension, &request).await? {
        Some(compared) => {
            let mut entry = head(item, alias);
            entry.extend(compared.told(preview.format));
            Ok(Json::Object(entry))
        }
        None => Ok(unsupported(item, alias, &messages::no_preview(name))),
    }
}

/// The change of a resource of which nothing can be said.
pub(super) fn unsupported(item: &PredictedResource<'_>, alias: &str, reason: &str) -> Json {
    let mut entry = head(item, alias);
    entry.insert("changeType".into(), json!("Unsupported"));
    entry.insert("unsupportedReason".into(), json!(reason));
    Json::Object(entry)
}

/// Which resource a change is about.
fn head(item: &PredictedResource<'_>, alias: &str) -> Map<String, Json> {
    let mut entry = Map::new();
    if let Some(symbol) = crate::run::symbol_of(item.planned) {
        entry.insert("symbolicName".into(), json!(symbol));
    }
    entry.insert("extension".into(), extensible::shown(item.level.functions.get(), alias));
    let target = extensible::target(&extensible::parts(item.planned, None));
    entry.insert("resourceType".into(), json!(target.resource_type));
    if let Some(version) = &target.api_version {
        entry.insert("apiVersion".into(), json!(version));
    }
    entry
}

/// A resource as it is and as it would be, without secrets.
struct ComparedResource {
    before: Option<Json>,
    after: Json,
    identifiers: Option<Json>,
}

/// Nothing if the extension cannot say.
async fn compared(
    preview: &WhatIfContext<'_>,
    extension: &Extension,
    request: &ResourceRequest,
) -> Result<Option<ComparedResource>, ArmError> {
    let timeout = preview.inner.options.provider_timeout;
    let Ok(looked) = tokio::time::timeout(timeout, look(extension, request)).await else {
        return Err(messages::timed_out(&request.target.resource_type, timeout.as_secs()));
    };
    let (before, after) = match looked {
        Ok(Some(both)) => both,
        Ok(None) => return Ok(None),
        Err(error) => {
            let mut hidden = preview.plan.hidden.clone();
            hidden.add(&request.body);
            return Err(clean_error(&hidden, error.error));
        }
    };
    let told = |json: &Json| without(&marked(&Value::from(json), &request.body));
    Ok(Some(ComparedResource {
        before: before.map(|before| told(&before.document)),
        after: told(&after.document),
        identifiers: after.identifiers.as_ref().map(told),
    }))
}

/// A resource as it is, if it is there, and as it would be. Nothing if the extension cannot say.
async fn look(
    extension: &Extension,
    request: &ResourceRequest,
) -> Result<Option<(Option<Resource>, Resource)>, ProviderError> {
    let Some(after) = extension.preview(request).await? else { return Ok(None) };
    let target = ResourceTarget { identifiers: after.identifiers.clone(), ..request.target.clone() };
    let before = extension.get(&target).await?;
    Ok(Some((before, after)))
}

impl ComparedResource {
    /// The members of a change.
    fn told(self, format: Format) -> Vec<(String, Json)> {
        let differences =
            self.before.as_ref().map(|before| delta(before, &self.after, &ReportedProperties(&self.after)));
        let kind = match (&differences, format) {
            (None, _) => "Create",
            (Some(_), Format::IdOnly) => "Deploy",
            (Some(none), _) if none.is_empty() => "NoChange",
            (Some(_), _) => "Modify",
        };
        let mut members =
            vec![("identifiers".to_owned(), json!(self.identifiers)), ("changeType".to_owned(), json!(kind))];
        if format == Format::Full {
            members.push(("before".to_owned(), json!(self.before)));
            members.push(("after".to_owned(), self.after));
            members.push(("delta".to_owned(), json!(differences)));
        }
        members
    }
}

/// What an extension does not tell of the resource to be, it alone decides on.
struct ReportedProperties<'t>(&'t Json);

impl Comparison for ReportedProperties<'_> {
    fn is_lenient(&self) -> bool {
        true
    }

    fn is_read_only(&self, path: &str) -> bool {
        path.split('.').try_fold(self.0, |json, part| json.get(part)).is_none()
    }
}
