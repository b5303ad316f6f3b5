//! A small language for tests: an engine, a group, deployments of templates.

use deploy::{ArmError, DeploymentId, DeploymentRequest, Engine, Options, Scope};
use serde_json::{Value as Json, json};

pub const SUBSCRIPTION: &str = "00000000-0000-0000-0000-00000000000a";
pub const GROUP: &str = "rg";

/// An engine with a group, and what is asked of it.
pub struct Bench {
    pub engine: Engine,
}

impl Bench {
    pub async fn new() -> Self {
        Self::with(Options::default()).await
    }

    pub async fn with(options: Options) -> Self {
        let engine = Engine::open(options).await.unwrap();
        engine
            .put_group(SUBSCRIPTION, GROUP, &json!({ "location": "westeurope", "tags": { "a": "b" } }))
            .await
            .unwrap();
        Self { engine }
    }

    /// Starts a deployment to the group.
    pub async fn put(&self, name: &str, properties: Json) -> Result<Json, ArmError> {
        let request = DeploymentRequest::new(id(name), &json!({ "properties": properties }))?;
        Ok(self.engine.put(request).await?.deployment)
    }

    /// Makes a deployment to the group and waits for its end.
    pub async fn deploy(&self, name: &str, properties: Json) -> Result<Json, ArmError> {
        self.put(name, properties).await?;
        Ok(self.end(&id(name)).await)
    }

    /// Waits for the end of a deployment.
    pub async fn end(&self, id: &DeploymentId) -> Json {
        for _ in 0..3000 {
            let deployment = self.engine.get(id).await.unwrap();
            let state = deployment["properties"]["provisioningState"].as_str().unwrap_or_default();
            if matches!(state, "Succeeded" | "Failed" | "Canceled") {
                return deployment;
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        panic!("deployment '{id}' does not end");
    }

    /// What a template with these parts gives as outputs, or its error.
    pub async fn outputs(&self, name: &str, properties: Json) -> Json {
        match self.deploy(name, properties).await {
            Err(error) => error.to_json(),
            Ok(deployment) => match &deployment["properties"]["error"] {
                Json::Null => deployment["properties"]["outputs"].clone(),
                error => error.clone(),
            },
        }
    }

    pub async fn resource(&self, resource_type: &str, name: &str) -> Result<Json, ArmError> {
        self.engine.get_resource(&resource_id(resource_type, name), "2024-01-01").await
    }
}

pub fn scope() -> Scope {
    Scope::ResourceGroup { subscription: SUBSCRIPTION.into(), group: GROUP.into() }
}

pub fn id(name: &str) -> DeploymentId {
    DeploymentId::new(scope(), name)
}

pub fn resource_id(resource_type: &str, name: &str) -> String {
    format!("{}/providers/{resource_type}/{name}", scope().id())
}

/// A classic template for a group with these members besides the required ones.
pub fn template(members: Json) -> Json {
    let mut template = json!({
        "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "contentVersion": "1.0.0.0",
        "resources": [],
    });
    let all = template.as_object_mut().unwrap();
    for (name, value) in members.as_object().unwrap() {
        all.insert(name.clone(), value.clone());
    }
    template
}

/// A template with symbolic names.
pub fn symbolic(members: Json) -> Json {
    let mut template = template(members);
    template["languageVersion"] = json!("2.0");
    template
}

/// A resource of a made-up type.
pub fn thing(name: &str, properties: Json) -> Json {
    json!({ "type": "Test.Things/things", "apiVersion": "2024-01-01", "name": name, "properties": properties })
}
