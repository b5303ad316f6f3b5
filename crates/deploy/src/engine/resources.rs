//! Resources by id and in lists.

use serde_json::{Value as Json, json};

use super::Engine;
use crate::error::ArmError;
use crate::messages;
use crate::provider::{Provider, ResourceRequest, ResourceTarget};
use crate::scope::{ResourceId, Scope};

/// Which resources of a list.
#[derive(Debug, Clone, Default)]
pub struct ResourceFilter {
    /// Only those of this type.
    pub resource_type: Option<String>,
    /// Only those of this name.
    pub name: Option<String>,
    /// Only those of this group.
    pub group: Option<String>,
}

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
        self.get_resource(id, api_version).await?;
        Ok(self.write_resource(id, api_version, body, true).await?.0)
    }

    /// A resource by its id.
    pub async fn get_resource(&self, id: &str, _api_version: &str) -> Result<Json, ArmError> {
        let document = self.inner.documents.read(id).await?;
        document.map(shown).ok_or_else(|| messages::resource_not_found(id))
    }

    /// Removes a resource and everything below it. Says whether it was there.
    pub async fn delete_resource(&self, id: &str) -> Result<bool, ArmError> {
        let target = target(id, None)?;
        self.inner.documents.delete(&target).await.map_err(|error| error.error)
    }

    /// The resources of a group or subscription, ordered by id.
    pub async fn list_resources(
        &self,
        scope: &Scope,
        filter: &ResourceFilter,
    ) -> Result<Vec<Json>, ArmError> {
        let store = &self.inner.store;
        let rows = match scope {
            Scope::ResourceGroup { subscription, group } => {
                self.get_group(subscription, group).await?;
                store.resources_of_group(&scope.key()).await
            }
            _ => store.resources_below(&scope.key()).await,
        };
        let rows = rows.map_err(|error| messages::store_failed(&error))?;
        let mut list = Vec::new();
        for row in rows {
            let Some(parts) = ResourceId::parse(&row.id) else { continue };
            let Json::Object(mut document) = crate::stored::json(&row.document) else { continue };
            if Scope::parse(&row.id).is_some() || !fits(&row.id, &parts, filter) {
                continue;
            }
            // Lists tell what a resource is, not how it is set up.
            document.retain(|name, _| !matches!(name.as_str(), "properties" | "etag" | "apiVersion"));
            document.insert("createdTime".into(), json!(crate::clock::timestamp(row.created)));
            document.insert("changedTime".into(), json!(crate::clock::timestamp(row.updated)));
            document.insert("provisioningState".into(), json!("Succeeded"));
            list.push(Json::Object(document));
        }
        Ok(list)
    }

    /// All resources and groups as they are stored, ordered by id.
    pub async fn export_resources(&self) -> Result<Vec<Json>, ArmError> {
        let rows =
            self.inner.store.resources_below("").await.map_err(|error| messages::store_failed(&error))?;
        Ok(rows.iter().filter_map(|row| crate::stored::object(&row.document)).collect())
    }

    /// What namespaces and types are there: those of stored resources.
    pub async fn providers(&self, namespace: Option<&str>) -> Result<Vec<Json>, ArmError> {
        let types = self.inner.store.types().await.map_err(|error| messages::store_failed(&error))?;
        let mut providers: Vec<(String, Vec<Json>)> = Vec::new();
        for of in ["Microsoft.Resources/deployments", "Microsoft.Resources/resourceGroups"]
            .into_iter()
            .chain(types.iter().map(String::as_str))
        {
            let Some((space, short)) = of.split_once('/') else { continue };
            let entry = json!({ "resourceType": short, "locations": [], "apiVersions": [] });
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
        let request = ResourceRequest { target, body: arm::Value::from(body), patch, fence: None };
        let resource = Provider::put(&self.inner.documents, &request).await.map_err(|error| error.error)?;
        Ok((shown(resource.document), resource.created))
    }
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

fn fits(id: &str, parts: &ResourceId, filter: &ResourceFilter) -> bool {
    let is = |wanted: &Option<String>, actual: &str| {
        wanted.as_ref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(actual))
    };
    let group = crate::scope::group_key(id).unwrap_or_default();
    let group = group.rsplit('/').next().unwrap_or_default();
    is(&filter.resource_type, &parts.resource_type)
        && is(&filter.name, &parts.name())
        && is(&filter.group, group)
}
