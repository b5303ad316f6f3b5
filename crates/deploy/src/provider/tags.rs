//! Tags as a resource of their own: `{scope}/providers/Microsoft.Resources/tags/default`. What has tags keeps them in its own
//! document; a subscription, which has none, keeps them as this resource.

use serde_json::{Map, Value as Json, json};

use super::documents::Documents;
use crate::error::ArmError;
use crate::messages;
use crate::scope::{ResourceId, Scope, key};
use crate::store::{NewResource, OperationRecord, ResourceRow, ResourceWriter};

/// The type of tags.
pub(super) const TAGS_TYPE: &str = "Microsoft.Resources/tags";

/// How many tags there may be, and how long their names and values.
const MOST: usize = 50;
const NAME: usize = 512;
const VALUE: usize = 256;

/// The tags of something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TagsId {
    /// The id of what has the tags.
    owner: String,
}

impl TagsId {
    /// The id, if it is one of tags.
    pub fn parse(id: &str) -> Option<Self> {
        let parts = ResourceId::parse(id)?;
        let is_tags = parts.resource_type.eq_ignore_ascii_case(TAGS_TYPE)
            && parts.names.first().is_some_and(|name| name.eq_ignore_ascii_case("default"));
        is_tags.then_some(Self { owner: parts.scope })
    }

    fn id(&self) -> String {
        format!("{}/providers/{TAGS_TYPE}/default", self.owner)
    }

    /// Whether the tags are kept in the document of their owner.
    fn is_inside(&self) -> bool {
        ResourceId::parse(&self.owner).is_some()
            && !matches!(Scope::parse(&self.owner), Some(Scope::ManagementGroup { .. }))
    }

    fn document(&self, tags: &Map<String, Json>) -> Json {
        json!({ "id": self.id(), "name": "default", "type": TAGS_TYPE, "properties": { "tags": tags } })
    }
}

/// How tags change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TagChange {
    /// To these alone.
    Replace(Map<String, Json>),
    /// These are added, or get new values.
    Merge(Map<String, Json>),
    /// These are removed.
    Delete(Map<String, Json>),
}

impl TagChange {
    /// Reads `{operation, properties: {tags}}`.
    pub fn read(body: &Json) -> Result<Self, ArmError> {
        let tags = body.pointer("/properties/tags");
        check_tags(tags)?;
        let tags = tags.and_then(Json::as_object).cloned().unwrap_or_default();
        let operation = body.get("operation").and_then(Json::as_str).unwrap_or_default();
        match operation.to_ascii_lowercase().as_str() {
            "replace" => Ok(Self::Replace(tags)),
            "merge" => Ok(Self::Merge(tags)),
            "delete" => Ok(Self::Delete(tags)),
            _ => Err(messages::bad_tags("'operation' must be 'Replace', 'Merge' or 'Delete'")),
        }
    }

    /// The tags afterwards. Their names are the same in any letter case.
    fn apply(self, mut tags: Map<String, Json>) -> Map<String, Json> {
        match self {
            Self::Replace(new) => new,
            Self::Merge(new) => {
                tags.retain(|name, _| !new.keys().any(|added| added.eq_ignore_ascii_case(name)));
                tags.extend(new);
                tags
            }
            Self::Delete(gone) => {
                tags.retain(|name, _| !gone.keys().any(|removed| removed.eq_ignore_ascii_case(name)));
                tags
            }
        }
    }
}

impl Documents {
    /// The tags of something, as a resource. Nothing if that is not there.
    pub(super) async fn tags(&self, id: &TagsId) -> Result<Option<Json>, ArmError> {
        if !id.is_inside() {
            let kept = self.stored(&id.id()).await?;
            return Ok(Some(kept.unwrap_or_else(|| id.document(&Map::new()))));
        }
        let owner = self.stored(&id.owner).await?;
        Ok(owner.map(|owner| id.document(&tags_of(&owner))))
    }

    /// Changes the tags of something. Gives them as a resource.
    pub async fn change_tags(
        &self,
        writer: ResourceWriter<'_>,
        id: &TagsId,
        change: TagChange,
        record: impl FnOnce(&Json) -> Option<OperationRecord>,
    ) -> Result<Json, ArmError> {
        let own = id.id();
        let parts = ResourceId::parse(&id.owner).filter(|_| id.is_inside());
        let new = match &parts {
            Some(parts) => NewResource { id: &id.owner, resource_type: &parts.resource_type },
            None => NewResource { id: &own, resource_type: TAGS_TYPE },
        };
        let write = |old: Option<&ResourceRow>| {
            let old = old.map(|old| crate::stored::json(&old.document));
            if parts.is_none() {
                let tags = old.as_ref().and_then(|old| old.pointer("/properties/tags")?.as_object().cloned());
                let document = id.document(&checked(change.apply(tags.unwrap_or_default()))?);
                return Ok((document.to_string(), document));
            }
            let Some(Json::Object(mut owner)) = old else {
                return Err(messages::resource_not_found(&id.owner));
            };
            let tags = checked(change.apply(tags_of(&Json::Object(owner.clone()))))?;
            owner.insert("tags".into(), Json::Object(tags.clone()));
            Ok((Json::Object(owner).to_string(), id.document(&tags)))
        };
        self.store.change_resource(writer, new, write, record).await
    }
}

fn tags_of(document: &Json) -> Map<String, Json> {
    document.get("tags").and_then(Json::as_object).cloned().unwrap_or_default()
}

fn checked(tags: Map<String, Json>) -> Result<Map<String, Json>, ArmError> {
    if tags.len() > MOST {
        return Err(messages::bad_tags("there may be 50 at most"));
    }
    Ok(tags)
}

/// Tags are texts by name.
pub(crate) fn check_tags(tags: Option<&Json>) -> Result<(), ArmError> {
    let Some(tags) = tags.filter(|tags| !tags.is_null()) else { return Ok(()) };
    let Some(tags) = tags.as_object() else { return Err(messages::bad_tags("an object is expected")) };
    for (name, value) in tags {
        let fits = |text: &str, most: usize| text.encode_utf16().count() <= most;
        if !fits(name, NAME) || name.contains(['<', '>', '%', '&', '\\', '?', '/']) {
            return Err(messages::bad_tags("a name has 512 characters at most, and none of '<>%&\\?/'"));
        }
        if !value.is_null() && !value.as_str().is_some_and(|value| fits(value, VALUE)) {
            return Err(messages::bad_tags("a value is a text of 256 characters at most"));
        }
    }
    checked(tags.clone()).map(drop)
}

/// Whether a resource is the tags of something, which lists of resources do not name.
pub(crate) fn is_tags(id: &str) -> bool {
    TagsId::parse(&key(id)).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes() {
        let check = |operation: &str, tags: Json, expected: Json| {
            let change = TagChange::read(&json!({ "operation": operation, "properties": { "tags": tags } }));
            let old = json!({ "Kept": "1", "other": "2" }).as_object().cloned().unwrap_or_default();
            assert_eq!(change.map(|change| Json::Object(change.apply(old))), Ok(expected), "{operation}");
        };
        check("Merge", json!({ "kept": "3" }), json!({ "other": "2", "kept": "3" }));
        check("delete", json!({ "OTHER": "" }), json!({ "Kept": "1" }));
        check("Replace", json!({}), json!({}));
        for bad in
            [json!({ "operation": "Add" }), json!({ "operation": "Merge", "properties": { "tags": [1] } })]
        {
            assert_eq!(
                TagChange::read(&bad).map_err(|error| error.code),
                Err("InvalidTag".to_owned()),
                "{bad}"
            );
        }
    }
}
