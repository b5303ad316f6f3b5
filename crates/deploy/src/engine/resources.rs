//! Resources by id and in lists.

use serde_json::{Value as Json, json};

use super::Engine;
use super::ResourceFilter;
use super::locks::Change;
use super::tag_names::TAG_NAME_TYPE;
use crate::error::ArmError;
use crate::messages;
use crate::provider::{
    Provider, ResourceRequest, ResourceTarget, TagChange, TagsId, embed, embedded_types, is_tags,
};
use crate::scope::{ResourceId, Scope, key};
use crate::store::{Page, Paging, ResourceRow, ResourceWriter};

const TEMPLATE_SPEC_VERSION: &str = "Microsoft.Resources/templateSpecs/versions";

/// Types that are there without a catalogue.
const OWN_TYPES: [&str; 7] = [
    "Microsoft.Resources/deployments",
    "Microsoft.Resources/resourceGroups",
    STACK_TYPE,
    "Microsoft.Resources/templateSpecs",
    TEMPLATE_SPEC_VERSION,
    "Microsoft.Authorization/locks",
    "Microsoft.Authorization/roleAssignments",
];

/// Namespaces whose resources extend others.
const EXTENDING: [&str; 2] = ["Microsoft.Authorization", "Microsoft.PolicyInsights"];

const STACK_TYPE: &str = "Microsoft.Resources/deploymentStacks";

/// The version of types that no catalogue knows.
const ANY_VERSION: &str = "2024-03-01";

impl Engine {
    /// Makes a resource, or changes it. The second part of the answer says whether it was made.
    pub async fn put_resource(
        &self,
        id: &str,
        api_version: &str,
        body: &Json,
    ) -> Result<(Json, bool), ArmError> {
        self.write_resource(id, api_version, body, false).await
    }

    /// Changes the members of a resource that are named.
    pub async fn patch_resource(&self, id: &str, api_version: &str, body: &Json) -> Result<Json, ArmError> {
        if let Some(tags) = TagsId::parse(id) {
            self.inner.check_locks(id, Change::Write).await?;
            return self
                .inner
                .documents
                .change_tags(ResourceWriter::default(), &tags, TagChange::read(body)?, |_| None)
                .await;
        }
        self.get_resource(id, api_version).await?;
        Ok(self.write_resource(id, api_version, body, true).await?.0)
    }

    /// A resource by its id.
    pub async fn get_resource(&self, id: &str, _api_version: &str) -> Result<Json, ArmError> {
        let document = self.inner.documents.read(id).await?;
        let mut document = document.map(shown).ok_or_else(|| messages::resource_not_found(id))?;
        let of = ResourceId::parse(id).map(|parts| parts.resource_type).unwrap_or_default();
        for list in embedded_types(&of) {
            embed(&mut document, list, None);
            for row in self.inner.store.resources_of_type(&key(id), &format!("{of}/{list}")).await? {
                embed(&mut document, list, crate::stored::object(&row.document));
            }
        }
        Ok(document)
    }

    /// A template spec with what is known of its versions.
    pub async fn get_template_spec(&self, id: &str) -> Result<Json, ArmError> {
        let mut spec = self.get_resource(id, "").await?;
        let rows = self.inner.store.resources_of_type(&key(id), TEMPLATE_SPEC_VERSION).await?;
        let version = |row: &ResourceRow| {
            let document = crate::stored::object(&row.document)?;
            let about = json!({
                "description": document.pointer("/properties/description"),
                "timeCreated": crate::clock::timestamp(row.created),
                "timeModified": crate::clock::timestamp(row.updated),
            });
            Some((document.get("name")?.as_str()?.to_owned(), about))
        };
        if let Some(properties) = spec.get_mut("properties").and_then(Json::as_object_mut) {
            properties.insert("versions".into(), Json::Object(rows.iter().filter_map(version).collect()));
        }
        Ok(spec)
    }

    /// Removes a resource and everything below it. Says whether it was there.
    pub async fn delete_resource(&self, id: &str) -> Result<bool, ArmError> {
        let target = target(id, None)?;
        self.inner.check_locks(id, Change::Delete).await?;
        self.inner.documents.delete(&target).await.map_err(|error| error.error)
    }

    /// The resources of a group or subscription, ordered by id.
    pub async fn list_resources(
        &self,
        scope: &Scope,
        filter: &ResourceFilter,
        paging: &Paging<'_>,
    ) -> Result<Page, ArmError> {
        let item = |row: &ResourceRow| {
            let document = crate::stored::object(&row.document)?;
            let is_wanted = self.is_tracked(&row.id, &document) && filter.fits(&row.id, &document);
            is_wanted.then(|| listed(row, document))?
        };
        let scope_key = scope.key();
        let found = self.inner.store.resources_page(&scope_key, filter.resource_type(), paging, item).await?;
        self.checked_page(scope, found).await
    }

    /// Everything that is stored below a scope or a resource, ordered by id: also children and extensions, which lists of the
    /// API leave out.
    pub async fn list_below(&self, id: &str, paging: &Paging<'_>) -> Result<Page, ArmError> {
        let item = |row: &ResourceRow| {
            let is_shown = Scope::parse(&row.id).is_none() && !is_tags(&row.id) && !is_internal(&row.id);
            is_shown.then(|| listed(row, crate::stored::object(&row.document)?))?
        };
        Ok(self.inner.store.resources_page(&key(id), None, paging, item).await?)
    }

    /// Whether the resource manager itself keeps track of a resource, so that it is in the lists of a group or subscription: it
    /// lies in a group, extends nothing, and has a region. A child without a region is known to its provider alone. Of a type
    /// that no catalogue has, the region is not asked for.
    fn is_tracked(&self, id: &str, document: &Json) -> bool {
        let Some(parts) = ResourceId::parse(id).filter(|_| !is_tags(id) && !is_internal(id)) else {
            return false;
        };
        let namespace = parts.resource_type.split('/').next().unwrap_or_default();
        let is_extending = EXTENDING.iter().any(|known| known.eq_ignore_ascii_case(namespace));
        let is_in_group = matches!(Scope::parse(&parts.scope), Some(Scope::ResourceGroup { .. }));
        if is_extending || !is_in_group || parts.resource_type.eq_ignore_ascii_case(STACK_TYPE) {
            return false;
        }
        let has_region = document["location"].as_str().is_some_and(|region| !region.is_empty());
        let is_known = || !self.inner.options.types.versions(&parts.resource_type).is_empty();
        has_region || parts.names.len() == 1 && !is_known()
    }

    /// All resources and groups as they are stored, ordered by id.
    pub async fn export_resources(&self) -> Result<Vec<Json>, ArmError> {
        let mut all = Vec::new();
        let mut next: Option<String> = None;
        loop {
            let paging = Paging { top: None, after: next.as_deref() };
            let item = |row: &ResourceRow| crate::stored::object(&row.document);
            let page = self.inner.store.resources_page("", None, &paging, item).await;
            let page = page?;
            all.extend(page.items);
            match page.next {
                Some(after) => next = Some(after),
                None => return Ok(all),
            }
        }
    }

    /// What namespaces and types are there: those of stored resources.
    pub async fn providers(&self, namespace: Option<&str>) -> Result<Vec<Json>, ArmError> {
        let types = self.inner.store.types().await?;
        let mut providers: Vec<(String, Vec<Json>)> = Vec::new();
        let known = self.inner.options.types.names(namespace);
        for of in OWN_TYPES
            .into_iter()
            .chain(known.iter().map(String::as_str))
            .chain(types.iter().map(String::as_str))
        {
            let Some((space, short)) = of.split_once('/') else { continue };
            if namespace.is_some_and(|wanted| !wanted.eq_ignore_ascii_case(space)) {
                continue;
            }
            let versions = self.inner.options.types.versions(of);
            // All dates are taken; without the catalogue one has to do.
            let versions = if versions.is_empty() { vec![ANY_VERSION.to_owned()] } else { versions };
            let entry = json!({
                "resourceType": short, "locations": [], "apiVersions": versions,
                "defaultApiVersion": versions.iter().find(|version| !version.contains("preview")),
                "capabilities": "None",
            });
            match providers.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(space)) {
                Some((_, list)) => {
                    let known = |old: &Json| {
                        old["resourceType"].as_str().is_some_and(|old| old.eq_ignore_ascii_case(short))
                    };
                    if !list.iter().any(known) {
                        list.push(entry);
                    }
                }
                None => providers.push((space.to_owned(), vec![entry])),
            }
        }
        if let Some(wanted) = namespace {
            providers.retain(|(known, _)| known.eq_ignore_ascii_case(wanted));
            if providers.is_empty() {
                providers.push((wanted.to_owned(), Vec::new()));
            }
        }
        Ok(providers
            .into_iter()
            .map(|(namespace, types)| {
                json!({
                    "id": format!("/providers/{namespace}"), "namespace": namespace,
                    "registrationState": "Registered", "resourceTypes": types,
                })
            })
            .collect())
    }

    async fn write_resource(
        &self,
        id: &str,
        api_version: &str,
        body: &Json,
        patch: bool,
    ) -> Result<(Json, bool), ArmError> {
        let target = target(id, Some(api_version))?;
        self.inner.check_locks(id, Change::Write).await?;
        let request = ResourceRequest { target, body: arm::Value::from(body), patch, fence: None };
        let resource = Provider::put(&self.inner.documents, &request).await.map_err(|error| error.error)?;
        Ok((shown(resource.document), resource.created))
    }
}

/// A resource as lists tell it: what it is, not how it is set up. Its name has those of its parents before it.
fn listed(row: &ResourceRow, document: Json) -> Option<Json> {
    let Json::Object(mut document) = document else { return None };
    document.retain(|name, _| !matches!(name.as_str(), "properties" | "etag" | "apiVersion"));
    document.insert("name".into(), json!(ResourceId::parse(&row.id)?.name()));
    document.insert("createdTime".into(), json!(crate::clock::timestamp(row.created)));
    document.insert("changedTime".into(), json!(crate::clock::timestamp(row.updated)));
    document.insert("provisioningState".into(), json!("Succeeded"));
    Some(Json::Object(document))
}

/// Whether a resource is only how this server keeps something else.
fn is_internal(id: &str) -> bool {
    ResourceId::parse(id).is_some_and(|parts| parts.resource_type.eq_ignore_ascii_case(TAG_NAME_TYPE))
}

fn target(id: &str, api_version: Option<&str>) -> Result<ResourceTarget, ArmError> {
    let parts = ResourceId::parse(id).ok_or_else(|| messages::bad_resource_id(id))?;
    Ok(ResourceTarget {
        id: Some(id.trim_end_matches('/').to_owned()),
        resource_type: parts.resource_type,
        api_version: api_version.map(str::to_owned),
        identifiers: None,
        config: None,
    })
}

/// A document as it is returned: the version is that of the request, not of the resource.
fn shown(mut document: Json) -> Json {
    if let Some(members) = document.as_object_mut() {
        members.shift_remove("apiVersion");
    }
    document
}
