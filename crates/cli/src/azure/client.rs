//! The calls that a parameter file's deployment takes, against the resource manager of a cloud.

use std::time::Duration;

use base::World as _;
use config::Cloud;
use registry::Azure;
use serde_json::{Map, Value as Json, json};

use super::ParameterFileDeployment;
use super::settings::StackSettings;
use super::view::{DeploymentView, OperationView, RunResult, error_text, is_terminal, state_of};
use crate::deployment::target::remote::{Call, Remote};
use crate::failure::Failure;
use crate::session::Session;

/// The version of the API for stacks.
const STACKS_VERSION: &str = "2024-03-01";
/// How long to wait between two looks, at first and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// A resource manager, with what is deployed to it.
pub(crate) struct Client<'d> {
    remote: Remote,
    deployment: &'d ParameterFileDeployment,
}

impl<'d> Client<'d> {
    /// Signs in to the cloud of a deployment.
    pub(crate) async fn connect(
        deployment: &'d ParameterFileDeployment,
        session: &Session,
    ) -> Result<Self, Failure> {
        let cloud = &deployment.cloud;
        let mut remote = Remote::new(&cloud.resource_manager_endpoint, None, session)?;
        if session.world.variable("SINEW_TOKEN").is_none_or(|token| token.is_empty()) && !is_loopback(cloud) {
            let token = Azure::of(cloud, &session.world).token().await;
            remote = remote.with_token(token.map_err(|error| Failure::artifact(&error))?);
        }
        Ok(Self { remote, deployment })
    }

    /// Deploys, and follows the deployment to its end; `look` sees it on the way.
    pub(crate) async fn deploy(&self, look: impl Fn(&RunResult)) -> RunResult {
        let id = match self.start().await {
            Ok(id) => id,
            Err(error) => return RunResult::failed(error),
        };
        let mut pause = FIRST_PAUSE;
        loop {
            let result = match self.view(&id).await {
                Ok(view) => RunResult { deployment: Some(view), error: None },
                Err(error) => return RunResult::failed(error),
            };
            if result.deployment.as_ref().is_some_and(|view| is_terminal(&view.state)) {
                return result;
            }
            look(&result);
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Starts a deployment or a stack. Gives the id of the deployment.
    async fn start(&self) -> Result<String, String> {
        let settings = &self.deployment.settings;
        settings.check()?;
        let Some(stack) = &settings.stack else {
            let id = settings.deployment_id();
            let call = Call::put(&id, self.deployment_body());
            self.remote.send(call).await.map_err(|error| error_text(&error))?;
            return Ok(id);
        };
        let id = settings.stack_id();
        let call = Call::put(&id, self.stack_body(stack)).version(STACKS_VERSION);
        let mut document = self.remote.send(call).await.map_err(|error| error_text(&error))?;
        let mut pause = FIRST_PAUSE;
        loop {
            if let Some(deployment) = document.pointer("/properties/deploymentId").and_then(Json::as_str) {
                return Ok(deployment.to_owned());
            }
            if is_terminal(&state_of(&document)) {
                let error = document.pointer("/properties/error").unwrap_or(&Json::Null);
                return Err(error_text(&deploy::ArmError::from_json(error)));
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
            let call = Call::get(&id).version(STACKS_VERSION);
            document = self.remote.send(call).await.map_err(|error| error_text(&error))?;
        }
    }

    async fn view(&self, id: &str) -> Result<DeploymentView, String> {
        let deployment = self.remote.send(Call::get(id)).await.map_err(|error| error_text(&error))?;
        let mut operations = Vec::new();
        let mut after: Option<String> = None;
        loop {
            let page = self.remote.page(&format!("{id}/operations"), after.as_deref()).await;
            let page = page.map_err(|error| error_text(&error))?;
            operations.extend(page.items.iter().filter_map(|operation| OperationView::read(operation, "")));
            match page.next {
                Some(next) => after = Some(next),
                None => return Ok(DeploymentView::read(&deployment, operations)),
            }
        }
    }

    /// What a deployment would change.
    pub(crate) async fn what_if(&self) -> Result<Vec<Json>, String> {
        let settings = &self.deployment.settings;
        settings.check()?;
        let path = format!("{}/whatIf", settings.deployment_id());
        let call = Call::post(&path, self.deployment_body());
        let answer = self.remote.send(call).await.map_err(|error| error_text(&error))?;
        if let Some(error) = answer.get("error").filter(|error| error.is_object()) {
            return Err(error_text(&deploy::ArmError::from_json(error)));
        }
        let changes = answer.pointer("/properties/changes").and_then(Json::as_array);
        Ok(changes.cloned().unwrap_or_default())
    }

    /// Removes a stack, with what its settings say.
    pub(crate) async fn teardown(&self) -> Result<(), String> {
        let settings = &self.deployment.settings;
        let Some(stack) = &settings.stack else {
            return Err(
                "Only stacks can be torn down: the parameter file has to say `mode: 'stack'`.".to_owned()
            );
        };
        settings.check()?;
        let id = settings.stack_id();
        let call = Call::delete(&id).version(STACKS_VERSION).query(stack.unmanage_actions());
        self.remote.send(call).await.map(drop).map_err(|error| error_text(&error))
    }

    fn deployment_body(&self) -> Json {
        let mut properties = Map::new();
        properties.insert("mode".to_owned(), "Incremental".into());
        properties.insert("template".to_owned(), self.deployment.template.clone());
        properties.insert("parameters".to_owned(), self.deployment.parameters.clone());
        if let Some(configs) = &self.deployment.extension_configs {
            properties.insert("extensionConfigs".to_owned(), configs.clone());
        }
        self.body(&properties)
    }

    fn stack_body(&self, stack: &StackSettings) -> Json {
        let mut properties = Map::new();
        let given = [
            ("description", &stack.description),
            ("actionOnUnmanage", &stack.action_on_unmanage),
            ("denySettings", &stack.deny_settings),
        ];
        for (name, value) in given {
            properties.extend(value.clone().map(|value| (name.to_owned(), value)));
        }
        properties.insert("template".to_owned(), self.deployment.template.clone());
        properties.insert("parameters".to_owned(), self.deployment.parameters.clone());
        self.body(&properties)
    }

    fn body(&self, properties: &Map<String, Json>) -> Json {
        let mut body = json!({ "properties": properties });
        if let (Some(location), Some(members)) = (&self.deployment.settings.location, body.as_object_mut()) {
            members.insert("location".to_owned(), json!(location));
        }
        body
    }
}

/// Whether the cloud is a server on this machine, which needs no sign-in of Azure.
fn is_loopback(cloud: &Cloud) -> bool {
    let host = cloud.resource_manager_endpoint.split("://").nth(1).unwrap_or_default();
    ["127.0.0.1", "localhost", "[::1]"]
        .iter()
        .any(|own| host.strip_prefix(own).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/'])))
}
