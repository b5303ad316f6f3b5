//! Resource groups.

use serde_json::{Map, Value as Json, json};

use super::Engine;
use crate::clock;
use crate::error::ArmError;
use crate::messages;
use crate::scope::{GROUP_TYPE, Scope};
use crate::store::NewResource;

impl Engine {
    /// Makes a resource group, or changes its tags.
    pub async fn put_group(&self, subscription: &str, name: &str, body: &Json) -> Result<Json, ArmError> {
        check_name(name)?;
        let location = body.get("location").and_then(Json::as_str).filter(|location| !location.is_empty());
        let location = location.ok_or_else(|| messages::bad_group("it needs a location"))?;
        let id = group_id(subscription, name);
        let old = self.inner.documents.read(&id).await?;
        if let Some(known) = old.as_ref().and_then(|old| old["location"].as_str())
            && !same_location(known, location)
        {
            return Err(messages::group_location(name, known, location));
        }
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
        self.write_group(&id, Json::Object(members)).await
    }

    /// Changes the tags of a resource group.
    pub async fn patch_group(&self, subscription: &str, name: &str, body: &Json) -> Result<Json, ArmError> {
        let mut group = self.get_group(subscription, name).await?;
        if let (Some(members), Some(body)) = (group.as_object_mut(), body.as_object()) {
            for part in ["managedBy", "tags"] {
                if let Some(value) = body.get(part) {
                    members.insert(part.into(), value.clone());
                }
            }
        }
        let id = group_id(subscription, name);
        self.write_group(&id, group).await
    }

    /// A resource group.
    pub async fn get_group(&self, subscription: &str, name: &str) -> Result<Json, ArmError> {
        let group = self.inner.documents.read(&group_id(subscription, name)).await?;
        group.ok_or_else(|| messages::group_not_found(name))
    }

    /// The resource groups of a subscription.
    pub async fn list_groups(&self, subscription: &str) -> Result<Vec<Json>, ArmError> {
        let scope = Scope::Subscription { id: subscription.into() };
        let rows = self.inner.store.resources_below(&scope.key()).await;
        let rows = rows.map_err(|error| messages::store_failed(&error))?;
        let groups =
            rows.iter().filter(|row| matches!(Scope::parse(&row.id), Some(Scope::ResourceGroup { .. })));
        Ok(groups.filter_map(|row| crate::stored::object(&row.document)).collect())
    }

    /// Removes a resource group, its resources and its deployments.
    pub async fn delete_group(&self, subscription: &str, name: &str) -> Result<(), ArmError> {
        self.get_group(subscription, name).await?;
        let scope = Scope::ResourceGroup { subscription: subscription.into(), group: name.into() };
        let store = &self.inner.store;
        store.delete_group(&scope.key()).await.map_err(|error| messages::store_failed(&error))
    }

    async fn write_group(&self, id: &str, group: Json) -> Result<Json, ArmError> {
        let text = group.to_string();
        let new = NewResource { id, resource_type: GROUP_TYPE, document: &text, now: clock::now() };
        self.inner.store.put_resource(None, new).await.map_err(|error| messages::store_failed(&error))?;
        Ok(group)
    }
}

fn group_id(subscription: &str, name: &str) -> String {
    Scope::ResourceGroup { subscription: subscription.into(), group: name.into() }.id()
}

/// `West Europe` and `westeurope` are the same place.
fn same_location(a: &str, b: &str) -> bool {
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
