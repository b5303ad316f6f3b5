//! What is stored of a request, so that a deployment that was interrupted can be planned again.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::error::ArmError;
use crate::messages;

/// What is stored of a request: everything but secrets and the template.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Job {
    pub location: Option<String>,
    pub tags: Option<Json>,
    pub mode: Mode,
    #[serde(rename = "onErrorDeployment")]
    pub on_error: Option<OnError>,
    #[serde(rename = "debugSetting")]
    pub debug: Option<Json>,
    /// The time that `utcNow()` gives, in seconds.
    pub now: i64,
    /// What `newGuid()` is made from.
    pub seed: String,
    /// Configurations of extensions that came with the request, `{alias: {name: {}}}`: they are not kept.
    pub configs: Map<String, Json>,
    /// Supplied parameters, `{name: {value}}`; those without a value are secure and were not kept.
    pub parameters: Map<String, Json>,
    /// The deployment whose failure is the reason for this one.
    pub rollback_of: Option<String>,
    /// The stack that it belongs to.
    pub stack: Option<String>,
}

impl Job {
    /// The job as it is stored.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads a stored job.
    pub fn read(text: &str) -> Result<Self, ArmError> {
        serde_json::from_value(crate::stored::json(text)).map_err(|error| messages::damaged_job(&error))
    }
}

/// What becomes of resources that the template does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) enum Mode {
    /// They stay.
    #[default]
    Incremental,
    /// They are removed.
    Complete,
}

/// What is deployed when a deployment fails.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub(crate) enum OnError {
    /// The last one that succeeded.
    LastSuccessful,
    /// The one of this name.
    #[serde(rename = "SpecificDeployment", rename_all = "camelCase")]
    Specific { deployment_name: String },
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn jobs_are_read_as_they_were_written() {
        let stored = json!({
            "location": "westeurope", "tags": { "a": "b" }, "mode": "Complete",
            "onErrorDeployment": { "type": "SpecificDeployment", "deploymentName": "before" },
            "debugSetting": null, "now": 7, "seed": "s", "configs": {},
            "parameters": { "p": { "value": 1 }, "secret": {} }, "rollbackOf": null, "stack": null,
        });
        let job = Job::read(&stored.to_string()).unwrap();
        assert_eq!(job.mode, Mode::Complete);
        assert_eq!(job.on_error, Some(OnError::Specific { deployment_name: "before".into() }));
        assert_eq!(serde_json::from_str::<Json>(&job.to_text()).unwrap(), stored);
        assert_eq!(Job::read("{}").map(|job| job.mode), Ok(Mode::Incremental));
        assert!(Job::read(r#"{ "mode": "Other" }"#).is_err());
    }
}
