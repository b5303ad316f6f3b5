//! How a parameter file asks to be deployed: `using … with { … }`, evaluated.

use arm::Secrets;
use bicep_types::ty::Scopes;
use camino::Utf8Path;
use serde_json::{Value as Json, json};

use crate::failure::Failure;

/// How a parameter file asks to be deployed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DeploymentSettings {
    /// The name of the deployment or stack.
    pub(crate) name: String,
    /// The id of the scope.
    pub(crate) scope: String,
    /// Whether Azure deploys to scopes of this kind from a parameter file; the tenant is none.
    is_supported: bool,
    pub(crate) location: Option<String>,
    /// What becomes of what is not managed any more; none for a plain deployment.
    pub(crate) stack: Option<StackSettings>,
}

/// How a stack is kept.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StackSettings {
    pub(crate) description: Option<Json>,
    pub(crate) action_on_unmanage: Option<Json>,
    pub(crate) deny_settings: Option<Json>,
}

/// The name of what has none.
const DEFAULT_NAME: &str = "main";

impl DeploymentSettings {
    /// Reads the evaluated configuration of `using`.
    pub(crate) fn read(config: Option<&arm::Value>, scope: Scopes, path: &Utf8Path) -> Result<Self, Failure> {
        let config = config.map(|config| config.to_json(Secrets::Shown)).unwrap_or_default();
        let text = |name: &str| config.get(name).and_then(Json::as_str).map(ToOwned::to_owned);
        let id = text("scope").ok_or_else(|| Failure::deployment_without_scope(path))?;
        let stack = (text("mode").as_deref() == Some("stack")).then(|| StackSettings::read(&config));
        Ok(Self {
            name: text("name").unwrap_or_else(|| DEFAULT_NAME.to_owned()),
            scope: format!("/{}", id.trim_matches('/')),
            is_supported: scope != Scopes::TENANT,
            location: text("location"),
            stack,
        })
    }

    /// Refuses scopes that parameter files cannot be deployed to.
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.is_supported {
            Ok(())
        } else {
            Err("The target scope \"tenant\" is not supported.".to_owned())
        }
    }

    /// The id of the deployment.
    pub(crate) fn deployment_id(&self) -> String {
        format!("{}/providers/Microsoft.Resources/deployments/{}", self.scope, self.name)
    }

    /// The id of the stack.
    pub(crate) fn stack_id(&self) -> String {
        format!("{}/providers/Microsoft.Resources/deploymentStacks/{}", self.scope, self.name)
    }
}

impl StackSettings {
    fn read(config: &Json) -> Self {
        let given = |name: &str| config.get(name).filter(|value| !value.is_null()).cloned();
        let deny_settings = given("denySettings").map(|mut settings| {
            if let Some(members) = settings.as_object_mut() {
                members.entry("applyToChildScopes").or_insert_with(|| json!(false));
            }
            settings
        });
        Self {
            description: given("description"),
            action_on_unmanage: given("actionOnUnmanage"),
            deny_settings,
        }
    }

    /// What becomes of resources, groups and management groups, as the query of a deletion says it.
    pub(crate) fn unmanage_actions(&self) -> Vec<(&'static str, String)> {
        let actions = [
            ("unmanageAction.Resources", "resources"),
            ("unmanageAction.ResourceGroups", "resourceGroups"),
            ("unmanageAction.ManagementGroups", "managementGroups"),
        ];
        let action = |(query, name): (&'static str, &str)| {
            let action = self.action_on_unmanage.as_ref()?.get(name)?.as_str()?;
            Some((query, action.to_owned()))
        };
        actions.into_iter().filter_map(action).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(config: &Json) -> DeploymentSettings {
        let value = arm::Value::from(config);
        DeploymentSettings::read(Some(&value), Scopes::RESOURCE_GROUP, "a.bicepparam".into()).unwrap()
    }

    #[test]
    fn a_deployment_has_a_name_and_a_scope() {
        let settings = read(&json!({ "mode": "deployment", "scope": "/subscriptions/s/resourceGroups/g" }));
        let id = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Resources/deployments/main";
        assert_eq!((settings.deployment_id().as_str(), &settings.stack), (id, &None));
    }

    #[test]
    fn a_stack_says_what_becomes_of_the_rest() {
        let settings = read(&json!({
            "mode": "stack", "name": "n", "scope": "/subscriptions/s", "description": "mine", "location": "we",
            "actionOnUnmanage": { "resources": "delete" }, "denySettings": { "mode": "denyDelete" },
        }));
        let stack = settings.stack.unwrap();
        assert_eq!(stack.unmanage_actions(), [("unmanageAction.Resources", "delete".to_owned())]);
        assert_eq!(stack.deny_settings, Some(json!({ "mode": "denyDelete", "applyToChildScopes": false })));
        assert_eq!(settings.location.as_deref(), Some("we"));
    }
}
