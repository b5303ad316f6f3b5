//! Resources of extensions: what they would be is asked of their programs.

use arm::Value;
use arm::difference::Comparison;
use serde_json::{Map, Value as Json, json};

use super::delta::delta;
use super::{Format, Item};
use crate::engine::Inner;
use crate::error::ArmError;
use crate::messages;
use crate::plan::Plan;
use crate::provider::extension::Extension;
use crate::provider::{ProviderError, Resource, ResourceRequest, ResourceTarget};
use crate::run::extensible::{self, LOCAL};
use crate::secrets::{marked, without};

/// The change of a resource of an extension. What cannot be said is `Unsupported`, with the reason.
pub(super) async fn change(
    inner: &Inner,
    plan: &Plan,
    (item, alias): (&Item<'_>, &str),
    format: Format,
) -> Result<Json, ArmError> {
    let mut entry = Map::new();
    if let Some(symbol) = crate::run::symbol_of(item.planned) {
        entry.insert("symbolicName".into(), json!(symbol));
    }
    entry.insert("extension".into(), extensible::shown(&plan.template, alias));
    let parts = extensible::parts(item.planned, plan.configs.get(alias));
    let target = extensible::target(&parts);
    entry.insert("resourceType".into(), json!(target.resource_type));
    if let Some(version) = &target.api_version {
        entry.insert("apiVersion".into(), json!(version));
    }
    let compared = match asked(plan, (item, alias), &parts) {
        Ok(properties) => compared(inner, plan, (alias, target), properties).await?,
        Err(reason) => Err(reason),
    };
    match compared {
        Ok(compared) => entry.extend(compared.told(format)),
        Err(reason) => {
            entry.insert("changeType".into(), json!("Unsupported"));
            entry.insert("unsupportedReason".into(), json!(reason));
        }
    }
    Ok(Json::Object(entry))
}

/// The properties that are asked for, or why nobody can be asked.
fn asked(plan: &Plan, (item, alias): (&Item<'_>, &str), parts: &Value) -> Result<Value, String> {
    if extensible::name_of(&plan.template, alias) == LOCAL {
        return Err(messages::preview_of_module());
    }
    if item.inside {
        return Err(messages::preview_inside());
    }
    let mut gaps = Vec::new();
    parts.gaps("", &mut gaps);
    match gaps.first() {
        Some(gap) => Err(messages::preview_of_unknown(&gap.path)),
        None => Ok(parts.get("properties").cloned().unwrap_or(Value::NULL)),
    }
}

/// A resource as it is and as it would be, without secrets.
struct Compared {
    before: Option<Json>,
    after: Json,
    identifiers: Option<Json>,
}

async fn compared(
    inner: &Inner,
    plan: &Plan,
    (alias, target): (&str, ResourceTarget),
    properties: Value,
) -> Result<Result<Compared, String>, ArmError> {
    let name = extensible::name_of(&plan.template, alias);
    let extension = inner.options.extensions.find(name).ok_or_else(|| messages::no_extension(name))?;
    let request = ResourceRequest { target, body: properties, patch: false, fence: None };
    let timeout = inner.options.provider_timeout;
    let Ok(looked) = tokio::time::timeout(timeout, look(extension, &request)).await else {
        return Err(messages::timed_out(&request.target.resource_type, timeout.as_secs()));
    };
    let (before, after) = match looked {
        Ok(Some(both)) => both,
        Ok(None) => return Ok(Err(messages::no_preview(name))),
        Err(error) => {
            let mut hidden = plan.hidden.clone();
            hidden.add(&request.body);
            return Err(hidden.error(error.error));
        }
    };
    let told = |json: &Json| without(&marked(&Value::from(json), &request.body));
    Ok(Ok(Compared {
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

impl Compared {
    /// The members of a change.
    fn told(self, format: Format) -> Vec<(String, Json)> {
        let differences = self.before.as_ref().map(|before| delta(before, &self.after, &Told(&self.after)));
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
struct Told<'t>(&'t Json);

impl Comparison for Told<'_> {
    fn is_lenient(&self) -> bool {
        true
    }

    fn is_read_only(&self, path: &str) -> bool {
        path.split('.').try_fold(self.0, |json, part| json.get(part)).is_none()
    }
}
