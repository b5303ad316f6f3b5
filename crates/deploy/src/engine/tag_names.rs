//! The names and values of tags in a subscription: those that something has, and those that somebody has set down beforehand.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::Engine;
use crate::error::ArmError;
use crate::messages;
use crate::provider::check_tags;
use crate::scope::{ResourceId, Scope};
use crate::store::{NewResource, Paging, ResourceRow, ResourceWriter};

/// The type under which names that were set down are kept. Lists of resources do not name them.
pub(super) const TAG_NAME_TYPE: &str = "Microsoft.Resources/tagNames";

/// How often each value of each name is used.
type TagUsage = BTreeMap<String, BTreeMap<String, u64>>;

/// What a write of a name or value gave.
#[derive(Debug, Clone, PartialEq)]
pub struct TagEntry {
    /// As the API returns it.
    pub document: Json,
    /// Whether it is new.
    pub is_new: bool,
}

impl Engine {
    /// The names and values of the tags in a subscription, with how often they are used.
    pub async fn tag_names(&self, subscription: &str) -> Result<Vec<Json>, ArmError> {
        let scope = Scope::Subscription { id: subscription.into() };
        let mut uses = self.tag_uses(&scope).await?;
        for row in self.inner.store.resources_of_type(&scope.key(), TAG_NAME_TYPE).await? {
            let Some(id) = ResourceId::parse(&row.id) else { continue };
            let known = uses.keys().find(|name| name.eq_ignore_ascii_case(&id.name())).cloned();
            let values = uses.entry(known.unwrap_or_else(|| id.name())).or_default();
            for value in values_of(&crate::stored::json(&row.document)) {
                values.entry(value).or_default();
            }
        }
        Ok(uses.iter().map(|(name, values)| name_document(&scope, name, values)).collect())
    }

    /// Sets a name of tags down.
    pub async fn put_tag_name(&self, subscription: &str, name: &str) -> Result<TagEntry, ArmError> {
        let scope = Scope::Subscription { id: subscription.into() };
        check_tags(Some(&json!({ name: "" })))?;
        let is_new = self.change_values(&scope, name, |_| Ok(())).await?;
        let uses = self.tag_uses(&scope).await?;
        let values = uses.get(name).cloned().unwrap_or_default();
        Ok(TagEntry { document: name_document(&scope, name, &values), is_new })
    }

    /// Sets a value of a name down that was set down before.
    pub async fn put_tag_value(
        &self,
        subscription: &str,
        name: &str,
        value: &str,
    ) -> Result<TagEntry, ArmError> {
        let scope = Scope::Subscription { id: subscription.into() };
        check_tags(Some(&json!({ name: value })))?;
        let mut is_new = false;
        self.check_tag_name(&scope, name).await?;
        self.change_values(&scope, name, |values| {
            is_new = !values.iter().any(|known| known == value);
            if is_new {
                values.push(value.to_owned());
            }
            Ok(())
        })
        .await?;
        let uses = self.tag_uses(&scope).await?.get(name).and_then(|values| values.get(value)).copied();
        Ok(TagEntry { document: value_document(&scope, name, value, uses.unwrap_or_default()), is_new })
    }

    /// Forgets a name. False if it was not set down.
    pub async fn delete_tag_name(&self, subscription: &str, name: &str) -> Result<bool, ArmError> {
        let scope = Scope::Subscription { id: subscription.into() };
        if self.tag_uses(&scope).await?.keys().any(|used| used.eq_ignore_ascii_case(name)) {
            return Err(messages::tag_in_use(name));
        }
        let Some(row) = self.inner.store.resource(&name_id(&scope, name)).await? else { return Ok(false) };
        if !values_of(&crate::stored::json(&row.document)).is_empty() {
            return Err(messages::tag_has_values(name));
        }
        Ok(self.inner.store.delete_resource(ResourceWriter::default(), &row.id, None).await?)
    }

    /// Forgets a value of a name. False if it was not set down.
    pub async fn delete_tag_value(
        &self,
        subscription: &str,
        name: &str,
        value: &str,
    ) -> Result<bool, ArmError> {
        let scope = Scope::Subscription { id: subscription.into() };
        if self.tag_uses(&scope).await?.get(name).is_some_and(|values| values.contains_key(value)) {
            return Err(messages::tag_in_use(&format!("{name}: {value}")));
        }
        if self.inner.store.resource(&name_id(&scope, name)).await?.is_none() {
            return Ok(false);
        }
        let mut was_there = false;
        self.change_values(&scope, name, |values| {
            let before = values.len();
            values.retain(|known| known != value);
            was_there = values.len() < before;
            Ok(())
        })
        .await?;
        Ok(was_there)
    }

    async fn check_tag_name(&self, scope: &Scope, name: &str) -> Result<(), ArmError> {
        let found = self.inner.store.resource(&name_id(scope, name)).await?;
        found.map(drop).ok_or_else(|| messages::tag_name_not_found(name))
    }

    /// Changes the values that were set down for a name. Says whether the name is new.
    async fn change_values(
        &self,
        scope: &Scope,
        name: &str,
        change: impl FnOnce(&mut Vec<String>) -> Result<(), ArmError>,
    ) -> Result<bool, ArmError> {
        let id = name_id(scope, name);
        let write = |old: Option<&ResourceRow>| {
            let mut values =
                old.map(|old| values_of(&crate::stored::json(&old.document))).unwrap_or_default();
            change(&mut values)?;
            let document = json!({
                "id": id, "name": name, "type": TAG_NAME_TYPE, "properties": { "values": values },
            });
            Ok::<_, ArmError>((document.to_string(), old.is_none()))
        };
        let new = NewResource { id: &id, resource_type: TAG_NAME_TYPE };
        self.inner.store.change_resource(ResourceWriter::default(), new, write, |_| None).await
    }

    /// The tags of all that is in a subscription.
    async fn tag_uses(&self, scope: &Scope) -> Result<TagUsage, ArmError> {
        let mut uses = TagUsage::new();
        let mut after: Option<String> = None;
        loop {
            let paging = Paging { top: None, after: after.as_deref() };
            let item = |row: &ResourceRow| crate::stored::object(&row.document)?.get("tags").cloned();
            let page = self.inner.store.resources_page(&scope.key(), None, &paging, item).await?;
            for (name, value) in page.items.iter().filter_map(Json::as_object).flatten() {
                let value = value.as_str().unwrap_or_default().to_owned();
                *uses.entry(name.clone()).or_default().entry(value).or_default() += 1;
            }
            match page.next {
                Some(next) => after = Some(next),
                None => return Ok(uses),
            }
        }
    }
}

fn name_id(scope: &Scope, name: &str) -> String {
    format!("{}/providers/{TAG_NAME_TYPE}/{name}", scope.id())
}

/// The values that were set down.
fn values_of(document: &Json) -> Vec<String> {
    let values = document.pointer("/properties/values").and_then(Json::as_array).into_iter().flatten();
    values.filter_map(|value| value.as_str().map(str::to_owned)).collect()
}

fn count(value: u64) -> Json {
    json!({ "type": "Total", "value": value })
}

fn name_document(scope: &Scope, name: &str, values: &BTreeMap<String, u64>) -> Json {
    let entries = values.iter().map(|(value, uses)| value_document(scope, name, value, *uses));
    json!({
        "id": format!("{}/tagNames/{name}", scope.id()), "tagName": name,
        "count": count(values.values().sum()), "values": entries.collect::<Vec<_>>(),
    })
}

fn value_document(scope: &Scope, name: &str, value: &str, uses: u64) -> Json {
    let id = format!("{}/tagNames/{name}/tagValues/{value}", scope.id());
    json!({ "id": id, "tagValue": value, "count": count(uses) })
}
