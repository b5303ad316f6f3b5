//! Deployment stacks: a deployment that remembers what it has made, and what becomes of that when it is not in the template any
//! more.

use std::time::Duration;

use serde_json::{Map, Value as Json, json};

use super::Engine;
use super::deployments::returned;
use super::locks::Change;
use crate::clock;
use crate::error::ArmError;
use crate::messages;
use crate::request::DeploymentRequest;
use crate::scope::{DeploymentId, ResourceId, Scope, key};
use crate::state::State;
use crate::store::{NewResource, Page, Paging, ResourceWriter};

/// The type of stacks.
const STACK_TYPE: &str = "Microsoft.Resources/deploymentStacks";

/// The state of a stack whose deployment is not over.
const DEPLOYING: &str = "deploying";

/// How long whoever has deployed a stack has time to bring it to its end, in milliseconds. After that anybody does.
const GRACE: i64 = 3000;

/// How long a request waits for the end; after that the stack tells that it is on its way.
const PATIENCE: Duration = Duration::from_secs(200);

/// What becomes of what a stack does not manage any more.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UnmanageAction {
    /// Whether resources are removed.
    pub delete_resources: bool,
    /// Whether resource groups are.
    pub delete_groups: bool,
}

impl UnmanageAction {
    fn read(properties: &Json) -> Self {
        let is_delete = |what: &str| {
            let action = properties.pointer(&format!("/actionOnUnmanage/{what}")).and_then(Json::as_str);
            action.is_some_and(|action| action.eq_ignore_ascii_case("delete"))
        };
        Self { delete_resources: is_delete("resources"), delete_groups: is_delete("resourceGroups") }
    }
}

/// Settings of a stack that are one of a few words. A misspelt one would quietly detach, or deny nothing.
const CHOICES: [(&str, &str, &[&str]); 4] = [
    ("actionOnUnmanage", "resources", &["delete", "detach"]),
    ("actionOnUnmanage", "resourceGroups", &["delete", "detach"]),
    ("actionOnUnmanage", "managementGroups", &["delete", "detach"]),
    ("denySettings", "mode", &["none", "denyDelete", "denyWriteAndDelete"]),
];

fn check_choices(properties: &Map<String, Json>) -> Result<(), ArmError> {
    for (settings, name, choices) in CHOICES {
        let value = properties.get(settings).and_then(|settings| settings.get(name)).and_then(Json::as_str);
        let is_known = |value: &str| choices.iter().any(|choice| choice.eq_ignore_ascii_case(value));
        if let Some(value) = value.filter(|value| !is_known(value)) {
            return Err(messages::bad_stack_choice(&format!("{settings}.{name}"), value, choices));
        }
    }
    Ok(())
}

/// The resources that a stack does not manage any more, by what was done with them.
#[derive(Default)]
struct UnmanagedResources {
    detached: Vec<Json>,
    deleted: Vec<Json>,
    failed: Vec<Json>,
}

impl Engine {
    /// Deploys a stack and waits for its end, for a while. The second part of the answer says whether it is new.
    pub async fn put_stack(&self, scope: &Scope, name: &str, body: &Json) -> Result<(Json, bool), ArmError> {
        let id = stack_id(scope, name);
        self.inner.check_locks(&id, Change::Write).await?;
        let old = self.settled_stack(&id).await?;
        let mut request = self.stack_request(scope, name, body)?;
        request.stack = Some(id.clone());
        let deployment = request.id.clone();
        self.put(request).await?;
        let mut stack = stack_document(&id, body, &deployment, old.as_ref());
        self.keep_stack(&id, &stack).await?;
        // Whoever asks may hang up; the stack is brought to its end all the same.
        let (engine, is_new) = (self.clone(), old.is_none());
        let finishing = tokio::spawn(async move {
            let ended = engine.ended(&deployment).await?;
            engine.conclude_stack(&mut stack, &ended).await?;
            engine.keep_stack(&id, &stack).await?;
            Ok(stack)
        });
        match tokio::time::timeout(PATIENCE, finishing).await {
            Ok(ended) => Ok((ended.unwrap_or_else(|_| Err(messages::canceled()))?, is_new)),
            Err(_) => Ok((self.get_stack(scope, name).await?, is_new)),
        }
    }

    /// A stack.
    pub async fn get_stack(&self, scope: &Scope, name: &str) -> Result<Json, ArmError> {
        let id = stack_id(scope, name);
        self.settled_stack(&id).await?.ok_or_else(|| messages::stack_not_found(&id))
    }

    /// The stacks of a scope, not of those below it, ordered by name.
    pub async fn list_stacks(&self, scope: &str, paging: &Paging<'_>) -> Result<Page, ArmError> {
        let mut page = self.list_of_type(scope, STACK_TYPE, paging).await?;
        let here = key(scope);
        let is_here = |stack: &Json| {
            let id = stack["id"].as_str().and_then(ResourceId::parse);
            id.is_some_and(|id| key(&id.scope) == here)
        };
        page.items.retain(is_here);
        for stack in &mut page.items {
            if is_deploying(stack)
                && let Some(settled) = self.settled_stack(stack["id"].as_str().unwrap_or_default()).await?
            {
                *stack = settled;
            }
        }
        Ok(page)
    }

    /// A stack. One whose deployment has ended while nobody was there to bring the stack to its end is brought there now.
    async fn settled_stack(&self, id: &str) -> Result<Option<Json>, ArmError> {
        let Some(mut stack) = self.inner.documents.read(id).await? else { return Ok(None) };
        if !is_deploying(&stack) {
            return Ok(Some(stack));
        }
        let deployment = stack.pointer("/properties/deploymentId").and_then(Json::as_str).unwrap_or_default();
        let deployment =
            DeploymentId::parse(deployment).ok_or_else(|| messages::bad_resource_id(deployment))?;
        let ended = match self.inner.store.deployment(&deployment.key()).await? {
            // Whoever has begun it may be about to do it.
            Some(row) if !row.state.is_over() || clock::now() - row.updated < GRACE => {
                return Ok(Some(stack));
            }
            Some(row) => returned(&row),
            None => {
                let error = messages::deployment_not_found(&deployment).to_json();
                json!({ "properties": { "provisioningState": State::Failed, "error": error } })
            }
        };
        self.conclude_stack(&mut stack, &ended).await?;
        self.keep_stack(id, &stack).await?;
        Ok(Some(stack))
    }

    /// Checks a stack without deploying it.
    pub async fn validate_stack(&self, scope: &Scope, name: &str, body: &Json) -> Result<Json, ArmError> {
        let validated = self.validate(self.stack_request(scope, name, body)?).await?;
        let part =
            |name: &str| validated.pointer(&format!("/properties/{name}")).cloned().unwrap_or_default();
        let resources = part("validatedResources");
        Ok(json!({
            "id": stack_id(scope, name), "name": name, "type": STACK_TYPE,
            "properties": {
                "actionOnUnmanage": body.pointer("/properties/actionOnUnmanage"),
                "denySettings": body.pointer("/properties/denySettings"),
                "correlationId": part("correlationId"), "parameters": part("parameters"),
                "templateHash": part("templateHash"), "validatedResources": resources,
            },
        }))
    }

    /// The template of a stack.
    pub async fn export_stack(&self, scope: &Scope, name: &str) -> Result<Json, ArmError> {
        let stack = self.get_stack(scope, name).await?;
        let id = stack.pointer("/properties/deploymentId").and_then(Json::as_str).unwrap_or_default();
        let id = DeploymentId::parse(id).ok_or_else(|| messages::bad_resource_id(id))?;
        self.export_template(&id).await
    }

    /// Removes a stack, and with it what it manages if that is asked for. False if there was none.
    pub async fn delete_stack(
        &self,
        scope: &Scope,
        name: &str,
        action: UnmanageAction,
    ) -> Result<bool, ArmError> {
        let id = stack_id(scope, name);
        let Some(stack) = self.settled_stack(&id).await? else { return Ok(false) };
        self.inner.check_locks(&id, Change::Delete).await?;
        self.inner.put_deny_settings(&id, &Json::Null, &[]).await?;
        let unmanaged = self.unmanage(managed(&stack), action).await;
        if let Some(failed) = unmanaged.failed.first().and_then(|it| it.get("error")) {
            return Err(ArmError::from_json(failed).with_status(409));
        }
        Ok(self.inner.store.delete_resource(ResourceWriter::default(), &id, None).await?)
    }

    /// The deployment of a stack.
    fn stack_request(&self, scope: &Scope, name: &str, body: &Json) -> Result<DeploymentRequest, ArmError> {
        let properties = body.get("properties").and_then(Json::as_object);
        let properties = properties.ok_or_else(|| messages::bad_stack("it has no properties"))?;
        if properties.get("actionOnUnmanage").is_none() {
            return Err(messages::bad_stack(
                "it does not say what becomes of what it does not manage any more",
            ));
        }
        check_choices(properties)?;
        let target = match properties.get("deploymentScope").and_then(Json::as_str) {
            Some(id) => Scope::parse(id).ok_or_else(|| messages::bad_resource_id(id))?,
            None => scope.clone(),
        };
        let wanted = [
            "template",
            "templateLink",
            "parameters",
            "parametersLink",
            "externalInputs",
            "externalInputDefinitions",
        ];
        let mut sent = Map::new();
        sent.insert("mode".into(), json!("Incremental"));
        for (name, value) in properties.iter().filter(|(name, _)| wanted.contains(&name.as_str())) {
            sent.insert(name.clone(), value.clone());
        }
        let mut request = Map::new();
        if !matches!(target, Scope::ResourceGroup { .. })
            && let Some(location) = body.get("location")
        {
            request.insert("location".into(), location.clone());
        }
        request.insert("properties".into(), Json::Object(sent));
        let short: String = name.chars().take(44).collect();
        let id = DeploymentId::new(target, &format!("{short}-{:x}", clock::now()));
        DeploymentRequest::new(id, &Json::Object(request))
    }

    /// Waits for the end of a deployment.
    async fn ended(&self, id: &DeploymentId) -> Result<Json, ArmError> {
        loop {
            match self.get(id).await {
                Ok(document) if State::of_document(&document).is_some_and(State::is_over) => {
                    return Ok(document);
                }
                Err(error) if error.status == 404 => return Err(error),
                _ => tokio::time::sleep(Duration::from_millis(30)).await,
            }
        }
    }

    /// Puts the end of its deployment into a stack, and lets go of what it does not have any more.
    async fn conclude_stack(&self, stack: &mut Json, ended: &Json) -> Result<(), ArmError> {
        let part = |name: &str| ended.pointer(&format!("/properties/{name}")).cloned();
        let has_succeeded = State::of_document(ended) == Some(State::Succeeded);
        let made = part("outputResources").and_then(|list| list.as_array().cloned()).unwrap_or_default();
        let ids: Vec<String> = made.iter().filter_map(|it| it["id"].as_str().map(str::to_owned)).collect();
        let kept: Vec<String> = ids.iter().map(|id| key(id)).collect();
        let mut before = managed(stack);
        before.retain(|id| !kept.contains(&key(id)));
        let action = UnmanageAction::read(stack.get("properties").unwrap_or(&Json::Null));
        let id = stack["id"].as_str().unwrap_or_default().to_owned();
        if has_succeeded {
            // What is not managed any more must not be denied to this very stack.
            self.inner.put_deny_settings(&id, &Json::Null, &[]).await?;
        }
        // What a deployment that has failed did not come to may still be in the template.
        let (unmanaged, held) = match has_succeeded {
            true => (self.unmanage(before, action).await, Vec::new()),
            false => (UnmanagedResources::default(), before),
        };
        let deny = stack.pointer("/properties/denySettings").cloned().unwrap_or_default();
        let deny_status = deny.get("mode").and_then(Json::as_str).unwrap_or("none");
        let managed: Vec<String> = ids.into_iter().chain(held).collect();
        self.inner.put_deny_settings(&id, &deny, &managed).await?;
        let resources: Vec<Json> = managed
            .iter()
            .map(|id| json!({ "id": id, "status": "managed", "denyStatus": deny_status }))
            .collect();
        let is_whole = has_succeeded && unmanaged.failed.is_empty();
        let Some(properties) = stack.get_mut("properties").and_then(Json::as_object_mut) else {
            return Ok(());
        };
        properties.insert("provisioningState".into(), json!(if is_whole { "succeeded" } else { "failed" }));
        properties.insert("resources".into(), Json::Array(resources));
        properties.insert("detachedResources".into(), Json::Array(unmanaged.detached));
        properties.insert("deletedResources".into(), Json::Array(unmanaged.deleted));
        properties.insert("failedResources".into(), Json::Array(unmanaged.failed));
        for name in ["outputs", "parameters", "duration", "correlationId", "error"] {
            if let Some(value) = part(name) {
                properties.insert(name.into(), value);
            }
        }
        Ok(())
    }

    /// Lets go of resources, or removes them: what is below others first, groups last.
    async fn unmanage(&self, mut ids: Vec<String>, action: UnmanageAction) -> UnmanagedResources {
        let is_group = |id: &str| matches!(Scope::parse(id), Some(Scope::ResourceGroup { .. }));
        ids.sort_by_key(|id| (is_group(id), std::cmp::Reverse(id.len())));
        let mut unmanaged = UnmanagedResources::default();
        for id in ids {
            let entry = json!({ "id": id });
            let group = Scope::parse(&id);
            let removed = match &group {
                Some(Scope::ResourceGroup { subscription, group }) if action.delete_groups => {
                    self.delete_group(subscription, group).await
                }
                None if action.delete_resources => self.delete_resource(&id).await.map(drop),
                _ => {
                    unmanaged.detached.push(entry);
                    continue;
                }
            };
            match removed {
                Ok(()) => unmanaged.deleted.push(entry),
                Err(error) if error.status == 404 => unmanaged.deleted.push(entry),
                Err(error) => unmanaged.failed.push(json!({ "id": id, "error": error.to_json() })),
            }
        }
        unmanaged
    }

    async fn keep_stack(&self, id: &str, stack: &Json) -> Result<(), ArmError> {
        let new = NewResource { id, resource_type: STACK_TYPE };
        let change = |_: Option<&_>| Ok::<_, ArmError>((stack.to_string(), ()));
        self.inner.store.change_resource(ResourceWriter::default(), new, change, |()| None).await
    }
}

fn stack_id(scope: &Scope, name: &str) -> String {
    format!("{}/providers/{STACK_TYPE}/{name}", scope.id())
}

/// The ids of what a stack manages.
fn managed(stack: &Json) -> Vec<String> {
    let resources = stack.pointer("/properties/resources").and_then(Json::as_array).into_iter().flatten();
    resources.filter_map(|resource| resource["id"].as_str().map(str::to_owned)).collect()
}

/// Whether the deployment of a stack was not over when the stack was written.
fn is_deploying(stack: &Json) -> bool {
    stack.pointer("/properties/provisioningState").and_then(Json::as_str) == Some(DEPLOYING)
}

/// A stack that is being deployed. It still manages what it has managed so far.
fn stack_document(id: &str, body: &Json, deployment: &DeploymentId, old: Option<&Json>) -> Json {
    let properties = body.get("properties").cloned().unwrap_or_default();
    let mut kept = Map::new();
    kept.insert("provisioningState".into(), json!(DEPLOYING));
    for part in
        ["actionOnUnmanage", "denySettings", "deploymentScope", "description", "bypassStackOutOfSyncError"]
    {
        if let Some(value) = properties.get(part).filter(|value| !value.is_null()) {
            kept.insert(part.into(), value.clone());
        }
    }
    kept.insert("deploymentId".into(), json!(deployment.to_string()));
    if let Some(resources) = old.and_then(|old| old.pointer("/properties/resources")) {
        kept.insert("resources".into(), resources.clone());
    }
    let mut document = Map::new();
    document.insert("id".into(), json!(id));
    document.insert("name".into(), json!(id.rsplit('/').next()));
    document.insert("type".into(), json!(STACK_TYPE));
    for part in ["location", "tags"] {
        if let Some(value) = body.get(part).filter(|value| !value.is_null()) {
            document.insert(part.into(), value.clone());
        }
    }
    document.insert("properties".into(), Json::Object(kept));
    Json::Object(document)
}
