//! The namespace `az`: functions that know about Azure. Which of them a file has depends on its target scope.

use std::sync::{Arc, LazyLock};

use bicep_types::ty::{FunctionFlags, ObjectType, Overload, Property, PropertyFlags, Scopes, Type};

use super::notation::{Declared, Row, declared};
use super::overloads::Table;
use super::{Audience, notation};

const NONE: FunctionFlags = FunctionFlags::empty();
const PURE: FunctionFlags = FunctionFlags::PURE;
const RUNTIME: FunctionFlags = FunctionFlags::REQUIRES_INLINING;
const ANYWHERE: Scopes =
    Scopes::TENANT.union(Scopes::MANAGEMENT_GROUP).union(Scopes::SUBSCRIPTION).union(Scopes::RESOURCE_GROUP);
const BELOW_MANAGEMENT_GROUP: Scopes = Scopes::SUBSCRIPTION.union(Scopes::RESOURCE_GROUP);
use Audience::{At, Azure};

#[rustfmt::skip]
const ROWS: &[Row] = &[
    (Azure, "environment(): Environment", NONE, "The Azure cloud that is deployed to."),
    (Azure, "resourceId(resourceType: string, ...1 resourceName: string): string", NONE, "The id of a resource."),
    (Azure, "resourceId(subscriptionId: string, resourceType: string, ...1 resourceName: string): string", NONE, "The id of a resource in a subscription."),
    (Azure, "resourceId(resourceGroupName: string, resourceType: string, ...1 resourceName: string): string", NONE, "The id of a resource in a resource group."),
    (Azure, "resourceId(subscriptionId: string, resourceGroupName: string, resourceType: string, ...1 resourceName: string): string", NONE, "The id of a resource in a resource group of a subscription."),
    (Azure, "subscriptionResourceId(resourceType: string, ...1 resourceName: string): string", NONE, "The id of a resource of the subscription."),
    (Azure, "subscriptionResourceId(subscriptionId: string, resourceType: string, ...1 resourceName: string): string", NONE, "The id of a resource of a subscription."),
    (Azure, "tenantResourceId(resourceType: string, ...1 resourceName: string): string", PURE, "The id of a resource of the tenant."),
    (Azure, "extensionResourceId(resourceId: string, resourceType: string, ...1 resourceName: string): string", PURE, "The id of a resource that hangs below another."),
    (Azure, "managementGroupResourceId(resourceType: string, ...1 resourceName: string): string", NONE, "The id of a resource of the management group."),
    (Azure, "managementGroupResourceId(managementGroupId: string, resourceType: string, ...1 resourceName: string): string", NONE, "The id of a resource of a management group."),
    (Azure, "roleDefinitions(roleName: string): RoleDefinition", NONE, "The role of a name."),
    (Azure, "providers(providerNamespace: string): Provider", NONE, "What a resource provider offers. Deprecated."),
    (Azure, "providers(providerNamespace: string, resourceType: string): ProviderResource", NONE, "What a resource provider says about a resource type. Deprecated."),
    (Azure, "toLogicalZone(subscriptionId: string, location: string, physicalZone: string): string", RUNTIME, "The logical zone of a physical one."),
    (Azure, "toLogicalZones(subscriptionId: string, location: string, physicalZones: array): string[]", RUNTIME, "The logical zones of physical ones."),
    (Azure, "toPhysicalZone(subscriptionId: string, location: string, logicalZone: string): string", RUNTIME, "The physical zone of a logical one."),
    (Azure, "toPhysicalZones(subscriptionId: string, location: string, logicalZones: array): string[]", RUNTIME, "The physical zones of logical ones."),
    (Azure, "pickZones(providerNamespace: string, resourceType: string, location: string, numberOfZones?: int, offset?: int): array", NONE, "Zones of a region in which a resource type is offered."),
    (Azure, "reference(resourceNameOrIdentifier: string, apiVersion?: string, full?: string): object", RUNTIME, "The state of a resource."),
    (Azure, "list*(resourceNameOrIdentifier: string, apiVersion: string, functionValues?: object): any", RUNTIME, "The answer of a list operation of a resource."),
    (Audience::Params, "getSecret(subscriptionId: string, resourceGroupName: string, keyVaultName: string, secretName: string, secretVersion?: string): SecureString", FunctionFlags::DIRECT_ASSIGNMENT, "A secret of a key vault, read when the deployment starts."),
    (At(ANYWHERE), "tenant(): Tenant", NONE, "The tenant that is deployed to."),
    (At(Scopes::MANAGEMENT_GROUP), "managementGroup(): ManagementGroup", NONE, "The management group that is deployed to."),
    (At(ANYWHERE), "managementGroup(name: string): NamedManagementGroup", NONE, "A management group by name."),
    (At(BELOW_MANAGEMENT_GROUP), "subscription(): Subscription", NONE, "The subscription that is deployed to."),
    (At(ANYWHERE.union(Scopes::LOCAL)), "subscription(subscriptionId: string): NamedSubscription", NONE, "A subscription by id."),
    (At(Scopes::RESOURCE_GROUP), "resourceGroup(): ResourceGroup", NONE, "The resource group that is deployed to."),
    (At(BELOW_MANAGEMENT_GROUP), "resourceGroup(resourceGroupName: string): NamedResourceGroup", NONE, "A resource group by name."),
    (At(ANYWHERE.union(Scopes::LOCAL)), "resourceGroup(subscriptionId: string, resourceGroupName: string): NamedResourceGroup", NONE, "A resource group of a subscription by name."),
    (At(ANYWHERE), "deployment(): Deployment", NONE, "The running deployment."),
    (At(ANYWHERE), "deployer(): Deployer", NONE, "Who runs the deployment."),
];

/// All functions with who sees them.
pub(super) fn functions() -> &'static [Declared] {
    static FUNCTIONS: LazyLock<Vec<Declared>> = LazyLock::new(|| declared(ROWS, named));
    &FUNCTIONS
}

/// The same, to be found by name.
pub(super) fn table() -> &'static Arc<Table> {
    static TABLE: LazyLock<Arc<Table>> = LazyLock::new(|| Table::of(functions()));
    &TABLE
}

/// The functions of `this` in the body of a resource. What they give depends on the resource.
pub(super) fn this_functions() -> &'static [Arc<Overload>] {
    static FUNCTIONS: LazyLock<Vec<Arc<Overload>>> = LazyLock::new(|| {
        let rows = [
            ("exists(): bool", "Whether the resource was there before the deployment."),
            (
                "existingResource(): object|null",
                "The resource as it was before the deployment, if it was there.",
            ),
        ];
        let overload = |(signature, description)| {
            Arc::new(notation::overload(signature, named).described(description).flagged(RUNTIME))
        };
        rows.into_iter().map(overload).collect()
    });
    &FUNCTIONS
}

fn named(name: &str) -> Option<Type> {
    Some(match name {
        "SecureString" => Type::secure_string(),
        "Environment" => environment(),
        "RoleDefinition" => strings("roleDefinition", &["id", "roleDefinitionId"]).into(),
        "Provider" => provider(),
        "ProviderResource" => provider_resource(),
        "Tenant" => {
            scope(Scopes::TENANT, strings("tenant", &["tenantId", "country", "countryCode", "displayName"]))
        }
        "ManagementGroup" => scope(Scopes::MANAGEMENT_GROUP, management_group()),
        "Subscription" => scope(
            Scopes::SUBSCRIPTION,
            strings("subscription", &["id", "subscriptionId", "tenantId", "displayName"]),
        ),
        "ResourceGroup" => scope(Scopes::RESOURCE_GROUP, resource_group()),
        "NamedManagementGroup" => scope(Scopes::MANAGEMENT_GROUP, ObjectType::named("managementGroup")),
        "NamedSubscription" => scope(Scopes::SUBSCRIPTION, ObjectType::named("subscription")),
        "NamedResourceGroup" => scope(Scopes::RESOURCE_GROUP, ObjectType::named("resourceGroup")),
        "Deployment" => ObjectType::open("deployment").into(),
        "Deployer" => strings("deployer", &["objectId", "tenantId", "userPrincipalName"]).into(),
        _ => return None,
    })
}

/// The result of `deployment()` in a file that declares this metadata.
pub(crate) fn deployment(metadata: impl IntoIterator<Item = (base::SmolStr, Type)>, target: Scopes) -> Type {
    let mut declared = ObjectType::named("metadataProperties");
    for (name, ty) in metadata {
        declared = declared.with_property(name, ty, PropertyFlags::empty());
    }
    let mut template = strings("templateProperties", &["contentVersion"]);
    if !declared.properties.is_empty() {
        template = template.with_property("metadata", declared.into(), PropertyFlags::empty());
    }
    let properties = ObjectType::named("properties")
        .with_property("template", template.into(), PropertyFlags::empty())
        .with_property(
            "templateLink",
            strings("templateLinkProperties", &["id", "uri"]).into(),
            PropertyFlags::empty(),
        );
    let mut deployment = strings("deployment", &["name"]).with_property(
        "properties",
        properties.into(),
        PropertyFlags::empty(),
    );
    if target != Scopes::RESOURCE_GROUP {
        deployment = deployment.with_property("location", Type::string(), PropertyFlags::empty());
    }
    deployment.into()
}

fn scope(scopes: Scopes, mut object: ObjectType) -> Type {
    object.scope = Some(scopes);
    object.into()
}

fn strings(name: &str, properties: &[&str]) -> ObjectType {
    properties.iter().fold(ObjectType::named(name), |object, property| {
        object.with_property(*property, Type::string(), PropertyFlags::empty())
    })
}

fn management_group() -> ObjectType {
    let none = PropertyFlags::empty();
    let parent = strings("summaryProperties", &["id", "name", "type"]);
    let details = strings("detailsProperties", &["version", "updatedTime", "updatedBy"]).with_property(
        "parent",
        parent.into(),
        none,
    );
    let properties =
        strings("properties", &["tenantId", "displayName"]).with_property("details", details.into(), none);
    strings("managementGroup", &["id", "name", "type"]).with_property("properties", properties.into(), none)
}

fn resource_group() -> ObjectType {
    let none = PropertyFlags::empty();
    let tags = ObjectType::named("Tags").with_additional(Property::new(Type::string(), none));
    strings("resourceGroup", &["id", "name", "type", "location", "managedBy"])
        .with_property("tags", tags.into(), none)
        .with_property("properties", strings("properties", &["provisioningState"]).into(), none)
}

fn provider_resource() -> Type {
    let none = PropertyFlags::empty();
    strings("ProviderResource", &["resourceType"])
        .with_property("locations", Type::string_array(), none)
        .with_property("apiVersions", Type::string_array(), none)
        .into()
}

fn provider() -> Type {
    strings("Provider", &["namespace"])
        .with_property("resourceTypes", Type::array_of(provider_resource()), PropertyFlags::empty())
        .into()
}

fn environment() -> Type {
    let none = PropertyFlags::empty();
    let authentication = strings(
        "authenticationProperties",
        &["identityProvider", "loginEndpoint", "tenant"],
    )
    .with_property("audiences", Type::string_array(), none);
    let suffixes = strings(
        "suffixesProperties",
        &[
            "acrLoginServer",
            "azureDatalakeAnalyticsCatalogAndJob",
            "azureDatalakeStoreFileSystem",
            "azureFrontDoorEndpointSuffix",
            "keyvaultDns",
            "sqlServerHostname",
            "storage",
        ],
    );
    let names = [
        "activeDirectoryDataLake",
        "batch",
        "gallery",
        "graph",
        "graphAudience",
        "media",
        "name",
        "portal",
        "resourceManager",
        "sqlManagement",
        "vmImageAliasDoc",
    ];
    strings("environment", &names)
        .with_property("authentication", authentication.into(), none)
        .with_property("suffixes", suffixes.into(), none)
        .into()
}
