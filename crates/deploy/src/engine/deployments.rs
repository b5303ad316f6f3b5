//! Deployments: taken in, read, listed, cancelled, forgotten.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Value as Json, json};
use uuid::Uuid;

use super::locks::Change;
use super::work_poller;
use super::workers::{self, ClaimedDeployment, ReadyPlan, StartPermit};
use super::{Engine, Events, Inner, quota, rollback};
use crate::clock;
use crate::document::{self, DocumentSource};
use crate::error::ArmError;
use crate::links;
use crate::messages;
use crate::plan::{Plan, Surroundings, check_types, plan};
use crate::request::DeploymentRequest;
use crate::run;
use crate::scope::{DeploymentId, Scope, key, subscription_key};
use crate::state::State;
use crate::store::{AcceptedRow, Admission, DeploymentRow, Fence, ListedRow, NewDeployment, Page, Paging};
use crate::vault;
use crate::what_if::what_if;

/// A deployment that was taken in.
#[derive(Debug, Clone, PartialEq)]
pub struct Accepted {
    /// What GET returns now.
    pub deployment: Json,
    /// Whether the name is new.
    pub created: bool,
    /// Where its progress can be asked for.
    pub operation: OperationStatusId,
}

/// One run of a deployment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationStatusId(pub String);

impl Engine {
    /// Takes a deployment in: it is checked and planned before the answer, and runs after it.
    pub async fn put(&self, request: DeploymentRequest) -> Result<Accepted, ArmError> {
        // Whoever is refused anyway need not be planned first.
        let Admission { known, group, is_protected } = self.admission(&request.id).await?;
        if let Some(row) = known.as_ref().filter(|row| !row.state.is_over()) {
            return Err(active(row));
        }
        if is_protected {
            self.inner.check_locks(&request.id.to_string(), Change::Write).await?;
        }
        let group =
            workers::found_group(&request.id.scope, group.as_deref().and_then(crate::stored::object))?;
        let plan = self.plan_in(request, group).await?;
        if let Some(row) = &known {
            check_location(row, &plan)?;
        }
        // Whoever asks may hang up; what is recorded as accepted is begun all the same.
        let inner = Arc::clone(&self.inner);
        let accepting = tokio::spawn(async move { accept(&inner, plan).await });
        let mut accepted = accepting.await.unwrap_or_else(|_| Err(messages::canceled()))?;
        accepted.created = known.is_none();
        Ok(accepted)
    }

    /// Makes a deployment again as it was asked for.
    pub async fn redeploy(&self, id: &DeploymentId) -> Result<Accepted, ArmError> {
        self.inner.check_locks(&id.to_string(), Change::Write).await?;
        rollback::repeat(&self.inner, id).await
    }

    /// Checks and plans a deployment without running it.
    pub async fn validate(&self, request: DeploymentRequest) -> Result<Json, ArmError> {
        let plan = self.plan(request).await?;
        let run = Uuid::new_v4().to_string();
        let mut document = document_of(&plan, &run, clock::now());
        if let Some(properties) = document.get_mut("properties").and_then(Json::as_object_mut) {
            properties.insert("provisioningState".into(), json!(State::Succeeded));
            let resources = plan.expansion.resources.iter().filter(|planned| !planned.existing);
            let ids = resources.filter_map(|planned| planned.id.as_ref()?.as_str());
            properties.insert("validatedResources".into(), ids.map(|id| json!({ "id": id })).collect());
            properties.insert("diagnostics".into(), document::open_checks(&plan.expansion));
        }
        Ok(document)
    }

    /// What a deployment would change.
    pub async fn what_if(&self, request: DeploymentRequest) -> Result<Json, ArmError> {
        let format = request.what_if_format();
        let plan = self.plan(request).await?;
        what_if(&self.inner, plan, format).await
    }

    /// A deployment.
    pub async fn get(&self, id: &DeploymentId) -> Result<Json, ArmError> {
        Ok(returned(&self.row(id).await?))
    }

    /// Whether there is such a deployment.
    pub async fn exists(&self, id: &DeploymentId) -> Result<bool, ArmError> {
        let row = self.inner.store.deployment(&id.key()).await;
        Ok(row?.is_some())
    }

    /// The deployments of a scope, the newest first; of one state, if one is given.
    pub async fn list(
        &self,
        scope: &Scope,
        state: Option<State>,
        paging: &Paging<'_>,
    ) -> Result<Page, ArmError> {
        let found = self.inner.store.deployments(&scope.key(), state, paging, returned).await?;
        self.checked_page(scope, found).await
    }

    /// The newest deployments of all scopes.
    pub async fn list_all(&self, top: usize) -> Result<Vec<Json>, ArmError> {
        Ok(self.newest_rows(true, top).await?.iter().map(|listed| returned(&listed.row)).collect())
    }

    /// The newest deployments of all scopes, in brief: `{id, name, provisioningState, timestamp, duration, isNested}`.
    pub async fn newest(&self, top: usize) -> Result<Vec<Json>, ArmError> {
        Ok(self.newest_rows(false, top).await?.iter().map(brief).collect())
    }

    async fn newest_rows(&self, whole: bool, top: usize) -> Result<Vec<ListedRow>, ArmError> {
        let top = i64::try_from(top).unwrap_or(MAX_LISTED).min(MAX_LISTED);
        let rows = self.inner.store.all_deployments(whole, top).await;
        Ok(rows?)
    }

    /// Forgets a deployment; its resources stay. False if there was none.
    pub async fn delete(&self, id: &DeploymentId) -> Result<bool, ArmError> {
        let row = self.inner.store.deployment(&id.key()).await?;
        let Some(row) = row else { return Ok(false) };
        let removed = self.inner.store.delete_deployment(&id.key()).await;
        if !removed? {
            return Err(active(&row));
        }
        Ok(true)
    }

    /// Asks a deployment to stop; one that is part of another stops with it.
    pub async fn cancel(&self, id: &DeploymentId) -> Result<(), ArmError> {
        let row = self.row(id).await?;
        let (inner, store) = (&self.inner, &self.inner.store);
        let asked = store.request_cancel(&id.key()).await?;
        let Some(key) = asked else { return Err(messages::not_cancelable(&id.name, row.state)) };
        stop(inner, &key).await?;
        Ok(())
    }

    /// The template of a deployment.
    pub async fn export_template(&self, id: &DeploymentId) -> Result<Json, ArmError> {
        let row = self.inner.store.whole_deployment(&id.key()).await?;
        let row = row.ok_or_else(|| messages::deployment_not_found(id))?;
        let template: Json = crate::stored::json(&row.template);
        Ok(json!({ "template": template }))
    }

    /// The operations of a deployment in order.
    pub async fn operations(&self, id: &DeploymentId, paging: &Paging<'_>) -> Result<Page, ArmError> {
        self.operations_in(id, None, paging).await
    }

    /// The operations of a deployment in order; of one state, if one is given.
    pub async fn operations_in(
        &self,
        id: &DeploymentId,
        state: Option<State>,
        paging: &Paging<'_>,
    ) -> Result<Page, ArmError> {
        let row = self.row(id).await?;
        let found = {
            let fits =
                |document: &Json| state.is_none_or(|state| State::of_document(document) == Some(state));
            self.inner.store.operations_page(&row.key, paging, fits).await
        };
        Ok(found?)
    }

    /// One operation of a deployment.
    pub async fn operation(&self, id: &DeploymentId, operation: &str) -> Result<Json, ArmError> {
        let row = self.row(id).await?;
        let found = self.inner.store.operation(&row.key, operation).await;
        let found = found?;
        let document = found.and_then(|row| crate::stored::object(&row.document));
        document.ok_or_else(|| messages::operation_not_found(operation))
    }

    /// How far a run is: `{"status": …, "error"?: …}`.
    pub async fn operation_status(&self, id: &OperationStatusId) -> Result<Json, ArmError> {
        let status = self.inner.store.status(&id.0).await?;
        let Some((state, error)) = status else { return Err(messages::operation_not_found(&id.0)) };
        let mut body = json!({ "status": state });
        if let (Some(error), Some(members)) = (error, body.as_object_mut()) {
            members.insert("error".into(), crate::stored::json(&error));
        }
        Ok(body)
    }

    /// What happens to a deployment and to those inside it, from now on.
    pub fn events(&self, id: &DeploymentId) -> Events {
        Events { root: key(&id.to_string()), receiver: self.inner.events.subscribe() }
    }

    /// What happens to all deployments, from now on.
    pub fn all_events(&self) -> Events {
        Events { root: String::new(), receiver: self.inner.events.subscribe() }
    }

    async fn row(&self, id: &DeploymentId) -> Result<DeploymentRow, ArmError> {
        let row = self.inner.store.deployment(&id.key()).await?;
        row.ok_or_else(|| messages::deployment_not_found(id))
    }

    async fn admission(&self, id: &DeploymentId) -> Result<Admission, ArmError> {
        let (key, scope_key) = (id.key(), id.scope.key());
        let group = matches!(id.scope, Scope::ResourceGroup { .. }).then_some(scope_key.as_str());
        Ok(self.inner.store.admission(&key, group, &subscription_key(&key)).await?)
    }

    /// Plans a request in its surroundings.
    pub(super) async fn plan(&self, request: DeploymentRequest) -> Result<Plan, ArmError> {
        let group = workers::group_document(&self.inner, &request.id.scope).await?;
        self.plan_in(request, group).await
    }

    /// Plans a request in a resource group, or outside of any.
    async fn plan_in(&self, request: DeploymentRequest, group: Option<Json>) -> Result<Plan, ArmError> {
        let now = clock::now() / 1000;
        let seed = Uuid::new_v4().to_string();
        let request = links::resolve(&self.inner, request).await?;
        let mut surroundings = Surroundings::new(&self.inner.options, group, now, seed);
        surroundings.vault = vault::secrets(&self.inner, request.body.get_ignore_case("properties")).await?;
        let types = self.inner.options.types.clone();
        let planned = tokio::task::spawn_blocking(move || {
            let plan = plan(&request, &surroundings)?;
            check_types(&plan.id, &plan.expansion, &types)?;
            Ok(plan)
        });
        planned.await.unwrap_or_else(|_| Err(messages::canceled()))
    }
}

/// Accepts a plan. It runs in this process when a worker is free, or when only this process has its secrets.
pub(super) async fn accept(inner: &Arc<Inner>, plan: Plan) -> Result<Accepted, ArmError> {
    if plan.has_secrets && inner.options.workers == 0 {
        return Err(messages::secrets_for_others());
    }
    let turn = match Arc::clone(&inner.work.permits).try_acquire_owned() {
        Ok(permit) => Some(StartPermit::Now(permit)),
        Err(_) if plan.has_secrets => {
            let place = Arc::clone(&inner.work.waiting).try_acquire_owned();
            Some(StartPermit::Later(Some(place.map_err(|_| messages::too_many_waiting())?)))
        }
        Err(_) => None,
    };
    let own = turn.is_some();
    let now = clock::now();
    let run = Uuid::new_v4().to_string();
    let document = document_of(&plan, &run, now);
    let new = NewDeployment {
        key: plan.id.key(),
        id: plan.id.to_string(),
        scope_key: plan.id.scope.key(),
        name: plan.id.name.to_string(),
        // With room for it, it runs as soon as it is recorded.
        state: if matches!(turn, Some(StartPermit::Now(_))) { State::Running } else { State::Accepted },
        run: run.clone(),
        document: document.to_string(),
        job: plan.job.to_text(),
        template: plan.source.to_string(),
        owner: own.then(|| inner.work.owner.clone()),
        now,
    };
    let store = &inner.store;
    let accepted = store.accept(&new, &run::written_keys(&plan.expansion)).await?;
    let Some(AcceptedRow { epoch, has_resources }) = accepted else {
        let row = store.deployment(&new.key).await?;
        return Err(row.map_or_else(|| messages::nested_active(&new.name), |row| active(&row)));
    };
    inner.work.counters.accepted.fetch_add(1, Ordering::Relaxed);
    if let Some(turn) = turn {
        let row = DeploymentRow {
            key: new.key.clone(),
            id: new.id,
            state: new.state,
            run: new.run,
            document: new.document,
            job: String::new(),
            template: String::new(),
            cancel: false,
            created: now,
            updated: now,
        };
        let fence = Fence { key: new.key, epoch };
        let plan = Some(ReadyPlan { plan, writes_new: !has_resources });
        workers::spawn(inner, ClaimedDeployment { fence, row, plan, turn }).await;
    } else {
        inner.work.backlog.store(true, Ordering::Relaxed);
        inner.work.wake.notify_one();
        store.notify("").await?;
    }
    quota::forget_oldest(inner, &new.scope_key);
    Ok(Accepted { deployment: document, created: true, operation: OperationStatusId(run) })
}

/// Notifies the worker of a deployment that is to be cancelled. Without a worker, it ends here, without waiting for its
/// turn.
pub(super) async fn stop(inner: &Arc<Inner>, key: &str) -> Result<(), ArmError> {
    if inner.work.nudge(key) {
        return Ok(());
    }
    inner.store.notify(key).await?;
    // A claim must not be lost with the request.
    let (taking, key) = (Arc::clone(inner), key.to_owned());
    let taken =
        tokio::spawn(async move { work_poller::take(&taking, &key, None, StartPermit::Later(None)).await });
    taken.await.unwrap_or(Ok(()))?;
    Ok(())
}

fn document_of(plan: &Plan, run: &str, now: i64) -> Json {
    document::deployment(&DocumentSource {
        id: &plan.id,
        job: &plan.job,
        template: &plan.template,
        source: &plan.source,
        expansion: &plan.expansion,
        run,
        now,
    })
}

/// A deployment stays where it was first made.
fn check_location(row: &DeploymentRow, plan: &Plan) -> Result<(), ArmError> {
    let old: Json = crate::stored::json(&row.document);
    match (old.get("location").and_then(Json::as_str), plan.job.location.as_deref()) {
        (Some(old), Some(new)) if !old.eq_ignore_ascii_case(new) => {
            Err(messages::other_location(&plan.id.name, old, new))
        }
        _ => Ok(()),
    }
}

/// The error of whoever wants to replace a deployment that is not over.
fn active(row: &DeploymentRow) -> ArmError {
    let name = row.id.rsplit('/').next().unwrap_or_default();
    let until = row.created.saturating_add(7 * 24 * 3600 * 1000);
    messages::active(name, &clock::timestamp(row.created), &clock::timestamp(until))
}

/// How many deployments a list of all has at most.
const MAX_LISTED: i64 = 10_000;

/// A stored deployment as the API returns it.
pub(super) fn returned(row: &DeploymentRow) -> Json {
    let mut document: Json = crate::stored::json(&row.document);
    if let Some(properties) = document.get_mut("properties").and_then(Json::as_object_mut) {
        properties.insert("provisioningState".into(), json!(row.state));
        if !row.state.is_over() {
            let timestamp = clock::timestamp(row.updated);
            properties.insert("timestamp".into(), json!(timestamp));
        }
    }
    document
}

/// What lists of all deployments tell of one.
fn brief(ListedRow { row, is_nested }: &ListedRow) -> Json {
    json!({
        "id": row.id,
        "name": row.id.rsplit('/').next(),
        "provisioningState": row.state,
        "startTime": clock::timestamp(row.created),
        "timestamp": clock::timestamp(row.updated),
        "duration": clock::duration(row.updated - row.created),
        "isNested": is_nested,
    })
}
