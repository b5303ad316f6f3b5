//! Resource groups.

use std::time::Duration;

use serde_json::{Map, Value as Json, json};

use super::deployments::stop;
use super::locks::Change;
use super::{Engine, ResourceFilter};
use crate::error::ArmError;
use crate::messages;
use crate::provider::check_tags;
use crate::scope::{GROUP_TYPE, Scope};
use crate::store::{NewResource, Page, Paging, ResourceRow, ResourceWriter};

/// How long deployments have to stop when their group is removed: so many times so long.
const STOP_ATTEMPTS: u32 = 40;
const STOP_PAUSE: Duration = Duration::from_millis(50);

impl Engine {
    /// Makes a resource group, or changes its tags. The second part of the answer says whether it was made.
    pub async fn put_group(
        &self,
        subscription: &str,
        name: &str,
        body: &Json,
    ) -> Result<(Json, bool), ArmError> {
        check_name(name)?;
        let location = body.get("location").and_then(Json::as_str).filter(|location| !location.is_empty());
        let location = location.ok_or_else(|| messages::bad_group("it needs a location"))?;
        check_tags(body.get("tags"))?;
        let id = group_id(subscription, name);
        self.inner.check_locks(&id, Change::Write).await?;
        let mut members = Map::new();
        members.insert("id".into(), json!(id));
        members.insert("name".into(), json!(name));
        members.insert("type".into(), json!(GROUP_TYPE));
        members.insert("location".into(), json!(location));
        for part in ["managedBy", "tags"] {
            if let Some(value) = body.get(part).filter(|value| !value.is_null()) {
                members.insert(part.into(), value.clone());
            }
        }
        members.insert("properties".into(), json!({ "provisioningState": "Succeeded" }));
        let group = Json::Object(members);
        let new = NewResource { id: &id, resource_type: GROUP_TYPE };
        self.inner
            .store
            .change_resource(
                ResourceWriter::default(),
                new,
                |old| {
                    let known = old.map(|old| crate::stored::json(&old.document));
                    match known.as_ref().and_then(|known| known["location"].as_str()) {
                        Some(known) if !same_location(known, location) => {
                            Err(messages::group_location(name, known, location))
                        }
                        _ => Ok((group.to_string(), (group, old.is_none()))),
                    }
                },
                |_| None,
            )
            .await
    }

    /// Changes the tags of a resource group.
    pub async fn patch_group(&self, subscription: &str, name: &str, body: &Json) -> Result<Json, ArmError> {
        check_tags(body.get("tags"))?;
        let id = group_id(subscription, name);
        self.inner.check_locks(&id, Change::Write).await?;
        let new = NewResource { id: &id, resource_type: GROUP_TYPE };
        let change = |old: Option<&ResourceRow>| {
            let old = old.ok_or_else(|| messages::group_not_found(name))?;
            let mut group = crate::stored::json(&old.document);
            for part in ["managedBy", "tags"] {
                if let (Some(members), Some(value)) = (group.as_object_mut(), body.get(part)) {
                    members.insert(part.into(), value.clone());
                }
            }
            Ok((group.to_string(), group))
        };
        self.inner.store.change_resource(ResourceWriter::default(), new, change, |_| None).await
    }

    /// A resource group.
    pub async fn get_group(&self, subscription: &str, name: &str) -> Result<Json, ArmError> {
        let group = self.inner.documents.read(&group_id(subscription, name)).await?;
        group.ok_or_else(|| messages::group_not_found(name))
    }

    /// The resource groups of a subscription, ordered by name.
    pub async fn list_groups(
        &self,
        subscription: &str,
        filter: &ResourceFilter,
        paging: &Paging<'_>,
    ) -> Result<Page, ArmError> {
        let scope = Scope::Subscription { id: subscription.into() };
        let item = |row: &ResourceRow| {
            let document = crate::stored::object(&row.document)?;
            filter.fits(&row.id, &document).then_some(document)
        };
        let found = self.inner.store.resources_page(&scope.key(), Some(GROUP_TYPE), paging, item).await?;
        self.checked_page(&scope, found).await
    }

    /// Removes a resource group, its resources and its deployments.
    pub async fn delete_group(&self, subscription: &str, name: &str) -> Result<(), ArmError> {
        self.get_group(subscription, name).await?;
        self.inner.check_locks(&group_id(subscription, name), Change::Delete).await?;
        let scope = Scope::ResourceGroup { subscription: subscription.into(), group: name.into() };
        let (store, scope) = (&self.inner.store, scope.key());
        let mut attempts = 0;
        // What still runs there is stopped. Whoever does not stop soon loses its lease with the group.
        loop {
            let active = store.active_of_scope(&scope).await?;
            if active.is_empty() || attempts == STOP_ATTEMPTS {
                break;
            }
            for key in active.iter().filter(|_| attempts == 0) {
                if let Some(root) = store.request_cancel(key).await? {
                    stop(&self.inner, &root).await?;
                }
            }
            tokio::time::sleep(STOP_PAUSE).await;
            attempts += 1;
        }
        Ok(store.delete_group(&scope).await?)
    }
}

fn group_id(subscription: &str, name: &str) -> String {
    Scope::ResourceGroup { subscription: subscription.into(), group: name.into() }.id()
}

/// `West Europe` and `westeurope` are the same place.
pub(super) fn same_location(a: &str, b: &str) -> bool {
    let plain = |text: &str| text.replace(' ', "").to_lowercase();
    plain(a) == plain(b)
}

fn check_name(name: &str) -> Result<(), ArmError> {
    let good = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '(' | ')');
    if name.is_empty() || name.chars().count() > 90 || !name.chars().all(good) || name.ends_with('.') {
        return Err(messages::bad_group(
            "its name may have 90 letters, digits and '-_.()', and no dot at the end",
        ));
    }
    Ok(())
}
