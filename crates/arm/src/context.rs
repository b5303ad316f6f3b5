//! Where a deployment goes: what is known of tenant, subscription, group and the like.

use std::sync::Arc;

use smol_str::SmolStr;

use crate::evaluate::ContextObject;
use crate::expression::{Accessor, Expr};
use crate::template::TargetScope;
use crate::value::{Origin, Unknown, Value};

/// The place of a deployment. What is not given stays unknown in expressions that ask for it.
#[derive(Debug, Clone, Default)]
pub struct Context {
    /// The tenant's id.
    pub tenant_id: Option<SmolStr>,
    /// The management group's name.
    pub management_group: Option<SmolStr>,
    /// The subscription's id.
    pub subscription_id: Option<SmolStr>,
    /// The subscription of ids that name none, in a deployment above subscriptions.
    pub default_subscription: Option<SmolStr>,
    /// The subscription's name for people.
    pub subscription_name: Option<SmolStr>,
    /// The resource group's name.
    pub resource_group: Option<SmolStr>,
    /// The region of the resource group, or of the deployment itself at the other scopes.
    pub location: Option<SmolStr>,
    /// The tags of the resource group.
    pub tags: Option<Value>,
    /// The deployment's name.
    pub deployment_name: Option<SmolStr>,
    /// Endpoints and suffixes of the cloud: see [`Context::azure_cloud`].
    pub environment: Option<Value>,
    /// Who deploys.
    pub deployer: Option<Value>,
    /// The time, in seconds since 1970.
    pub now: Option<i64>,
    /// What new identifiers are made from; the same seed gives the same identifiers.
    pub guid_seed: Option<Arc<str>>,
}

impl Context {
    /// What `resourceGroup()`, `subscription()` and the like give in a template of this scope. The object has all its
    /// members; those that are not given are unknown. Nothing, when even the name of the thing is not given.
    pub fn subject(
        &self,
        subject: ContextObject,
        scope: TargetScope,
        content_version: Option<&str>,
    ) -> Option<Value> {
        match subject {
            ContextObject::Tenant => self.tenant(),
            ContextObject::ManagementGroup => self.management_group(),
            ContextObject::Subscription => self.subscription(),
            ContextObject::ResourceGroup => self.resource_group(),
            ContextObject::Deployment => self.deployment(scope, content_version),
            ContextObject::Environment => self.environment.clone(),
            ContextObject::Deployer => self.deployer.clone(),
        }
    }

    /// The id of the scope itself, if it is known: the tenant's is empty.
    pub fn scope_id(&self, scope: TargetScope) -> Option<String> {
        match scope {
            TargetScope::Tenant => Some(String::new()),
            TargetScope::ManagementGroup => {
                let group = self.management_group.as_ref()?;
                Some(format!("/providers/Microsoft.Management/managementGroups/{group}"))
            }
            TargetScope::Subscription => Some(format!("/subscriptions/{}", self.subscription_id.as_ref()?)),
            TargetScope::ResourceGroup => Some(format!(
                "/subscriptions/{}/resourceGroups/{}",
                self.subscription_id.as_ref()?,
                self.resource_group.as_ref()?
            )),
        }
    }

    /// Endpoints and suffixes of the public cloud.
    pub fn azure_cloud() -> Value {
        let texts = |pairs: &[(&str, &str)]| {
            Value::object(pairs.iter().map(|(name, text)| (SmolStr::new(name), Value::from(*text))))
        };
        let login = "https://login.microsoftonline.com/";
        let audiences = ["https://management.core.windows.net/", "https://management.azure.com/"];
        let authentication = [
            ("loginEndpoint", Value::from(login)),
            ("audiences", Value::array(audiences.map(Value::from).to_vec())),
            ("tenant", Value::from("common")),
            ("identityProvider", Value::from("AAD")),
        ];
        let suffixes = texts(&[
            ("acrLoginServer", ".azurecr.io"),
            ("azureDatalakeAnalyticsCatalogAndJob", "azuredatalakeanalytics.net"),
            ("azureDatalakeStoreFileSystem", "azuredatalakestore.net"),
            ("azureFrontDoorEndpointSuffix", "azurefd.net"),
            ("keyvaultDns", ".vault.azure.net"),
            ("sqlServerHostname", ".database.windows.net"),
            ("storage", "core.windows.net"),
        ]);
        let endpoints = [
            ("gallery", "https://gallery.azure.com/"),
            ("graph", "https://graph.windows.net/"),
            ("portal", "https://portal.azure.com"),
            ("graphAudience", "https://graph.windows.net/"),
            ("activeDirectoryDataLake", "https://datalake.azure.net/"),
            ("batch", "https://batch.core.windows.net/"),
            ("media", "https://rest.media.azure.net"),
            ("sqlManagement", "https://management.core.windows.net:8443/"),
            (
                "vmImageAliasDoc",
                "https://raw.githubusercontent.com/Azure/azure-rest-api-specs/master/arm-compute/quickstart-templates/aliases.json",
            ),
            ("resourceManager", "https://management.azure.com/"),
        ];
        let mut members: Vec<(&str, Value)> = vec![("name", Value::from("AzureCloud"))];
        members.extend(endpoints.map(|(name, text)| (name, Value::from(text))));
        members.push(("authentication", Value::object(authentication)));
        members.push(("suffixes", suffixes));
        Value::object(members)
    }

    fn tenant(&self) -> Option<Value> {
        let id = self.tenant_id.as_ref()?;
        Some(Value::object([
            ("countryCode", open(ContextObject::Tenant, "countryCode")),
            ("displayName", open(ContextObject::Tenant, "displayName")),
            ("id", Value::string(format!("/tenants/{id}"))),
            ("tenantId", text(id)),
        ]))
    }

    fn management_group(&self) -> Option<Value> {
        let name = self.management_group.as_ref()?;
        Some(Value::object([
            ("id", Value::string(format!("/providers/Microsoft.Management/managementGroups/{name}"))),
            ("name", text(name)),
            ("type", Value::from("Microsoft.Management/managementGroups")),
            ("properties", open(ContextObject::ManagementGroup, "properties")),
        ]))
    }

    fn subscription(&self) -> Option<Value> {
        let id = self.subscription_id.as_ref()?;
        let tenant = self.tenant_id.as_ref().map_or_else(|| open(ContextObject::Tenant, "tenantId"), text);
        let name = self.subscription_name.as_ref();
        Some(Value::object([
            ("id", Value::string(format!("/subscriptions/{id}"))),
            ("subscriptionId", text(id)),
            ("tenantId", tenant),
            ("displayName", name.map_or_else(|| open(ContextObject::Subscription, "displayName"), text)),
        ]))
    }

    fn resource_group(&self) -> Option<Value> {
        let name = self.resource_group.as_ref()?;
        let id = self.scope_id(TargetScope::ResourceGroup).map(Value::from);
        let part = |part: &str| open(ContextObject::ResourceGroup, part);
        Some(Value::object([
            ("id", id.unwrap_or_else(|| part("id"))),
            ("name", text(name)),
            ("type", Value::from("Microsoft.Resources/resourceGroups")),
            ("location", self.location.as_ref().map_or_else(|| part("location"), text)),
            ("tags", self.tags.clone().unwrap_or_else(|| part("tags"))),
            ("managedBy", part("managedBy")),
            ("properties", part("properties")),
        ]))
    }

    fn deployment(&self, scope: TargetScope, content_version: Option<&str>) -> Option<Value> {
        let group = scope == TargetScope::ResourceGroup;
        if self.deployment_name.is_none() && (group || self.location.is_none()) {
            return None;
        }
        let part = |part: &str| open(ContextObject::Deployment, part);
        let version = content_version.map_or(Value::NULL, Value::from);
        let template = Value::object([("contentVersion", version)]);
        let mut properties = vec![("template", template)];
        properties.extend(["templateLink", "templateHash", "parameters", "mode", "provisioningState"].map(
            |name| (name, crate::evaluate::part(&part("properties"), &Value::from(name)).unwrap_or_default()),
        ));
        let mut members = vec![
            ("name", self.deployment_name.as_ref().map_or_else(|| part("name"), text)),
            ("properties", Value::object(properties)),
        ];
        if !group {
            members.push(("location", self.location.as_ref().map_or_else(|| part("location"), text)));
        }
        Some(Value::object(members))
    }
}

fn text(text: &SmolStr) -> Value {
    Value::string(text.as_str())
}

/// A part that is not given.
fn open(subject: ContextObject, part: &str) -> Value {
    let expression = Expr::call(subject.function(), vec![]).access(Accessor::Property(part.into()));
    Value::unknown(Unknown::new(
        expression,
        Origin::Context(format!("{}().{part}", subject.function()).into()),
    ))
}
