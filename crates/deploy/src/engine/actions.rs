//! What can be asked of resources besides reading and writing them: keys, names, another group.

use arm::Secrets;
use serde_json::{Value as Json, json};

use super::Engine;
use super::locks::Change;
use crate::error::ArmError;
use crate::messages;
use crate::provider::inline_children;
use crate::scope::{DEFAULT_SUBSCRIPTION, ResourceId, Scope, key};
use crate::store::{Page, Paging, ResourceRow};

/// The subscriptions that are there from the beginning: the one that servers list, and the one that commands use when none is
/// named.
const FIRST_SUBSCRIPTIONS: [&str; 2] = ["00000000-0000-0000-0000-000000000001", DEFAULT_SUBSCRIPTION];

impl Engine {
    /// The answer of an action of the `list` family: keys and connection strings are made up, the same for the same
    /// resource.
    pub async fn list_action(&self, id: &str, action: &str) -> Result<Json, ArmError> {
        self.get_resource(id, "").await?;
        Ok(crate::run::mock::list(action, id).to_json(Secrets::Shown))
    }

    /// Whether nobody in a subscription has a name: `{name, type}` comes in.
    pub async fn check_name(&self, subscription: &str, body: &Json) -> Result<Json, ArmError> {
        let text = |name: &str| body.get(name).and_then(Json::as_str).unwrap_or_default();
        let scope = Scope::Subscription { id: subscription.into() };
        let rows = self.inner.store.resources_of_type(&scope.key(), text("type")).await?;
        let taken = rows.iter().filter_map(|row| ResourceId::parse(&row.id));
        let is_taken = taken.into_iter().any(|id| id.name().eq_ignore_ascii_case(text("name")));
        Ok(match is_taken {
            false => json!({ "nameAvailable": true }),
            true => json!({
                "nameAvailable": false, "reason": "AlreadyExists",
                "message": format!("The name '{}' is already taken.", text("name")),
            }),
        })
    }

    /// Moves resources with all below them to another group: `{resources: [id], targetResourceGroup}`. Without `is_real` it
    /// is only checked.
    pub async fn move_resources(&self, from: &Scope, body: &Json, is_real: bool) -> Result<(), ArmError> {
        let target = body.get("targetResourceGroup").and_then(Json::as_str).unwrap_or_default();
        let Some(to @ Scope::ResourceGroup { .. }) = Scope::parse(target) else {
            return Err(messages::bad_move("'targetResourceGroup' must be the id of a group"));
        };
        let Scope::ResourceGroup { subscription, group } = &to else { return Ok(()) };
        self.get_group(subscription, group).await?;
        let ids = body.get("resources").and_then(Json::as_array).into_iter().flatten();
        let ids: Vec<&str> = ids.filter_map(Json::as_str).collect();
        let mut moves = Vec::new();
        for id in ids {
            let (prefix, wanted) = (from.id(), key(id));
            if !wanted.starts_with(&format!("{}/", from.key())) {
                return Err(messages::bad_move(&format!("'{id}' is not in the group '{prefix}'")));
            }
            self.get_resource(id, "").await?;
            self.inner.check_locks(id, Change::Delete).await?;
            self.inner.check_locks(&to.id(), Change::Write).await?;
            for row in self.inner.store.resources_of_group(&from.key()).await? {
                let row_key = key(&row.id);
                if row_key != wanted && !row_key.starts_with(&format!("{wanted}/")) {
                    continue;
                }
                let Some(rest) = row.id.get(prefix.len()..) else { continue };
                let new = format!("{}{rest}", to.id());
                if self.inner.store.resource(&new).await?.is_some() {
                    return Err(messages::bad_move(&format!("'{new}' is there already")).with_status(409));
                }
                let mut document = crate::stored::json(&row.document);
                if let Some(members) = document.as_object_mut() {
                    members.insert("id".into(), json!(new));
                }
                moves.push((row.id, new, document.to_string()));
            }
        }
        if is_real {
            self.inner.store.move_resources(&moves).await?;
        }
        Ok(())
    }

    /// The resources of a type at a scope and below it, ordered by id.
    pub async fn list_of_type(
        &self,
        scope: &str,
        resource_type: &str,
        paging: &Paging<'_>,
    ) -> Result<Page, ArmError> {
        let item = |row: &ResourceRow| {
            let mut document = crate::stored::object(&row.document)?;
            document.as_object_mut()?.shift_remove("apiVersion");
            Some(document)
        };
        let found = self.inner.store.resources_page(&key(scope), Some(resource_type), paging, item).await?;
        match Scope::parse(scope) {
            Some(scope) => self.checked_page(&scope, found).await,
            None => self.with_inline_children(scope, resource_type, found).await,
        }
    }

    /// The last page of the children of a resource, with those that stand in the resource itself.
    async fn with_inline_children(
        &self,
        parent: &str,
        resource_type: &str,
        mut found: Page,
    ) -> Result<Page, ArmError> {
        let Some(parent) = self.inner.documents.read(parent).await?.filter(|_| found.next.is_none()) else {
            return Ok(found);
        };
        let of = resource_type.rsplit('/').next().unwrap_or_default();
        for child in inline_children(&parent, of) {
            let id_of = |item: &Json| item.get("id").and_then(Json::as_str).map(key);
            let id = id_of(&child);
            if !found.items.iter().any(|item| id_of(item) == id) {
                found.items.push(child);
            }
        }
        Ok(found)
    }

    /// A list of what is at a scope. An empty one may be empty because the group or the subscription is not there.
    pub(super) async fn checked_page(&self, scope: &Scope, found: Page) -> Result<Page, ArmError> {
        if found.items.is_empty() {
            match scope {
                Scope::ResourceGroup { subscription, group } => {
                    self.get_group(subscription, group).await?;
                }
                Scope::Subscription { id } => self.check_subscription(id).await?,
                _ => {}
            }
        }
        Ok(found)
    }

    /// Refuses a subscription that nothing is in, unless it is one of those that are there from the beginning.
    pub async fn check_subscription(&self, id: &str) -> Result<(), ArmError> {
        if FIRST_SUBSCRIPTIONS.contains(&id) {
            return Ok(());
        }
        let (scope, paging) = (Scope::Subscription { id: id.into() }, Paging { top: Some(1), after: None });
        let item = |_: &ResourceRow| Some(Json::Null);
        let resources = self.inner.store.resources_page(&scope.key(), None, &paging, item).await?;
        let deployments = self.inner.store.deployments(&scope.key(), None, &paging, |_| Json::Null).await?;
        match resources.items.is_empty() && deployments.items.is_empty() {
            true => Err(messages::subscription_not_found(id)),
            false => Ok(()),
        }
    }
}
