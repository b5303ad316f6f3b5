//! The built-in provider: resources are documents in the store.

use base::Verdict;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value as Json, json};

use super::assigned::{assign, inline_children, remove_inline_child};
use super::tags::{TAGS_TYPE, TagChange, TagsId, check_tags};
use super::{Provider, ProviderError, Resource, ResourceRequest, ResourceTarget, Types, built_in_roles};
use crate::engine::locks::{LOCK_TYPE, check_level};
use crate::error::ArmError;
use crate::messages;
use crate::scope::ResourceId;
use crate::store::{NewResource, OperationRecord, ResourceRow, ResourceStep, ResourceWriter, Store};
use crate::vault::SECRET_TYPE;

/// Keeps resources of all types.
pub(crate) struct Documents {
    pub(super) store: Store,
    types: Types,
}

/// The largest resource.
const MAX_RESOURCE: usize = 1 << 20;

impl Documents {
    pub fn new(store: Store, types: Types) -> Self {
        Self { store, types }
    }

    /// Writes a resource of a deployment together with its operation, in one round trip. One that is expected to be new is not
    /// read before. None when that is not enough: then nothing was written, and [`Self::write`] does it or says why not.
    pub async fn write_step(
        &self,
        request: &ResourceRequest,
        expects_new: bool,
        record: impl Fn(&Resource) -> OperationRecord,
    ) -> Result<Option<Resource>, ArmError> {
        let (parts, id) = self.checked(request).await?;
        let Some(fence) = request.fence.as_ref().filter(|_| !request.patch && !is_special(&parts)) else {
            return Ok(None);
        };
        let old = if expects_new { None } else { self.store.resource(id).await? };
        let (document, resource) = self.changed(request, &parts, old.as_ref())?;
        let step = ResourceStep {
            resource: NewResource { id, resource_type: &parts.resource_type },
            document: &document,
            old: old.as_ref().map(|old| old.document.as_str()),
            record: &record(&resource),
            now: crate::clock::now(),
        };
        let is_written = self.store.put_resource_step(fence, &step).await?;
        Ok(is_written.then_some(resource))
    }

    /// Writes a resource; what `record` makes of it is recorded in the same transaction.
    pub async fn write(
        &self,
        request: &ResourceRequest,
        record: impl Fn(&Resource) -> Option<OperationRecord>,
    ) -> Result<Resource, ArmError> {
        let (parts, id) = self.checked(request).await?;
        let writer = ResourceWriter { fence: request.fence.as_ref() };
        if let Some(tags) = TagsId::parse(id) {
            let asked = crate::secrets::without(&request.body);
            check_tags(asked.pointer("/properties/tags"))?;
            let wanted = asked.pointer("/properties/tags").and_then(Json::as_object).cloned();
            let change = TagChange::Replace(wanted.unwrap_or_default());
            let resource = |document| Resource { document, identifiers: None, created: false };
            let record = |document: &Json| record(&resource(document.clone()));
            return Ok(resource(self.change_tags(writer, &tags, change, record).await?));
        }
        if parts.resource_type.eq_ignore_ascii_case(SECRET_TYPE) {
            let value = request.body.get("properties").and_then(|properties| properties.get("value"));
            if let Some(value) = value.and_then(arm::Value::as_str) {
                self.store.put_secret(&crate::scope::key(id), value).await?;
            }
        }
        let new = NewResource { id, resource_type: &parts.resource_type };
        let change = |old: Option<&ResourceRow>| self.changed(request, &parts, old);
        self.store.change_resource(writer, new, change, record).await
    }

    /// The parts of the id of a resource that may be written as asked for, and the id.
    async fn checked<'r>(&self, request: &'r ResourceRequest) -> Result<(ResourceId, &'r str), ArmError> {
        let id = request.target.id.as_deref().unwrap_or_default();
        let parts = ResourceId::parse(id).ok_or_else(|| messages::bad_resource_id(id))?;
        self.check_parents(id, &parts).await?;
        let target = &request.target;
        let verdict = self.types.check(&target.resource_type, target.api_version.as_deref(), &request.body);
        // Resources without a type are taken as they are, as are the members that a patch does not name.
        if let Verdict::Fail(errors) = verdict
            && !request.patch
        {
            return Err(messages::invalid_resource(id, errors));
        }
        if parts.resource_type.eq_ignore_ascii_case(LOCK_TYPE) {
            check_level(&request.body, request.patch)?;
        }
        Ok((parts, id))
    }

    /// The text of the document that replaces an old one, and the resource.
    fn changed(
        &self,
        request: &ResourceRequest,
        parts: &ResourceId,
        old: Option<&ResourceRow>,
    ) -> Result<(String, Resource), ArmError> {
        let known = old.and_then(|old| crate::stored::object(&old.document));
        let document = self.document(request, parts, known.as_ref());
        let text = document.to_string();
        if text.len() > MAX_RESOURCE {
            let id = request.target.id.as_deref().unwrap_or_default();
            return Err(messages::resource_too_large(id, MAX_RESOURCE));
        }
        Ok((text, Resource { document, identifiers: None, created: known.is_none() }))
    }

    /// The document of a resource, if it is there.
    pub async fn read(&self, id: &str) -> Result<Option<Json>, ArmError> {
        match TagsId::parse(id) {
            Some(tags) => self.tags(&tags).await,
            None => self.stored(id).await,
        }
    }

    /// What is stored at an id or inside of its parent, or what is there from the beginning.
    pub(super) async fn stored(&self, id: &str) -> Result<Option<Json>, ArmError> {
        if let Some(row) = self.store.resource(id).await? {
            return Ok(crate::stored::object(&row.document));
        }
        if let Some(role) = built_in_roles::find(id) {
            return Ok(Some(role));
        }
        let Some((parent, of, name)) = child_parts(id) else { return Ok(None) };
        let mut children = inline_children(&self.stored_row(parent).await?, of).into_iter();
        Ok(children.find(|child| child["name"].as_str().is_some_and(|its| its.eq_ignore_ascii_case(name))))
    }

    /// Takes a resource out of the document of its parent, if it stands there.
    async fn delete_inline(&self, id: &str) -> Result<bool, ArmError> {
        let Some((parent, of, name)) = child_parts(id) else { return Ok(false) };
        let stored = self.stored_row(parent).await?;
        let Some(parts) = ResourceId::parse(parent).filter(|_| !inline_children(&stored, of).is_empty())
        else {
            return Ok(false);
        };
        let new = NewResource { id: parent, resource_type: &parts.resource_type };
        let change = |old: Option<&ResourceRow>| {
            let mut document = old.and_then(|old| crate::stored::object(&old.document)).unwrap_or_default();
            let removed = remove_inline_child(&mut document, of, name);
            Ok::<_, ArmError>((document.to_string(), removed))
        };
        self.store.change_resource(ResourceWriter::default(), new, change, |_| None).await
    }

    /// The document of a row; null if there is none.
    async fn stored_row(&self, id: &str) -> Result<Json, ArmError> {
        let row = self.store.resource(id).await?;
        Ok(row.and_then(|row| crate::stored::object(&row.document)).unwrap_or_default())
    }

    /// The document to be kept: what is asked for, without secrets, with what the provider adds.
    fn document(&self, request: &ResourceRequest, parts: &ResourceId, old: Option<&Json>) -> Json {
        let id = request.target.id.as_deref().unwrap_or_default();
        let mut members = Map::new();
        members.insert("id".into(), json!(id));
        members.insert("name".into(), json!(parts.names.last()));
        members.insert("type".into(), json!(parts.resource_type));
        if let Some(version) = &request.target.api_version {
            members.insert("apiVersion".into(), json!(version));
        }
        let asked = crate::secrets::without(&request.body);
        let asked = match (old, request.patch) {
            (Some(old), true) => merged(old, &asked),
            _ => asked,
        };
        if let Json::Object(asked) = asked {
            members.extend(asked.into_iter().filter(|(name, _)| !OWN.contains(&name.as_str())));
        }
        let properties = members.entry("properties").or_insert_with(|| json!({}));
        if properties.is_null() {
            *properties = json!({});
        }
        if let Json::Object(properties) = properties {
            if parts.resource_type.eq_ignore_ascii_case(SECRET_TYPE) {
                properties.shift_remove("value");
            }
            properties.insert("provisioningState".into(), json!("Succeeded"));
        }
        members.insert("etag".into(), json!(format!("\"{}\"", uuid::Uuid::new_v4())));
        assign(id, &mut members);
        self.types.complete(&request.target, &mut members);
        Json::Object(members)
    }

    /// A resource needs its parent. Its group is looked for when it is written.
    async fn check_parents(&self, id: &str, parts: &ResourceId) -> Result<(), ArmError> {
        let mut parent = id;
        for _ in 1..parts.names.len() {
            parent = parent.rsplitn(3, '/').last().unwrap_or_default();
            if self.read(parent).await?.is_some() {
                return Ok(());
            }
            if !is_implied(parent) {
                return Err(messages::parent_not_found(id, parent));
            }
        }
        Ok(())
    }
}

impl Provider for Documents {
    fn put<'p>(&'p self, request: &'p ResourceRequest) -> BoxFuture<'p, Result<Resource, ProviderError>> {
        async move { Ok(self.write(request, |_| None).await?) }.boxed()
    }

    fn get<'p>(
        &'p self,
        target: &'p ResourceTarget,
    ) -> BoxFuture<'p, Result<Option<Resource>, ProviderError>> {
        async move {
            let document = self.read(target.id.as_deref().unwrap_or_default()).await?;
            Ok(document.map(|document| Resource { document, identifiers: None, created: false }))
        }
        .boxed()
    }

    fn delete<'p>(&'p self, target: &'p ResourceTarget) -> BoxFuture<'p, Result<bool, ProviderError>> {
        async move {
            let id = target.id.as_deref().unwrap_or_default();
            if let Some(tags) = TagsId::parse(id) {
                self.change_tags(ResourceWriter::default(), &tags, TagChange::Replace(Map::new()), |_| None)
                    .await?;
                return Ok(true);
            }
            let was_there = self
                .store
                .delete_resource(ResourceWriter::default(), id, None)
                .await
                .map_err(ArmError::from)?;
            Ok(self.delete_inline(id).await? || was_there)
        }
        .boxed()
    }
}

/// The id of the parent of a child, the child's last type and its last name.
fn child_parts(id: &str) -> Option<(&str, &str, &str)> {
    let mut ends = id.trim_end_matches('/').rsplitn(3, '/');
    let (name, of, parent) = (ends.next()?, ends.next()?, ends.next()?);
    ResourceId::parse(parent)?;
    Some((parent, of, name))
}

/// Whether more than the document of a resource is written: tags are kept by their owner, secrets in a table of their own.
fn is_special(parts: &ResourceId) -> bool {
    parts.resource_type.eq_ignore_ascii_case(TAGS_TYPE)
        || parts.resource_type.eq_ignore_ascii_case(SECRET_TYPE)
}

/// Whether a resource comes with its parent: `default` services and the like are there without being made.
fn is_implied(id: &str) -> bool {
    let name = id.rsplit('/').next().unwrap_or_default();
    ["default", "current", "web", "$default"].iter().any(|implied| name.eq_ignore_ascii_case(implied))
}

/// Members that the provider decides on.
const OWN: &[&str] = &["id", "name", "type", "apiVersion", "etag"];

/// A document with the members of another put over it.
fn merged(old: &Json, new: &Json) -> Json {
    let (Json::Object(old), Json::Object(new)) = (old, new) else { return new.clone() };
    let mut result = old.clone();
    for (name, value) in new {
        let value = result.get(name).map_or_else(|| value.clone(), |old| merged(old, value));
        result.insert(name.clone(), value);
    }
    Json::Object(result)
}
