//! Snippets of declarations: their prefixes, what they are about, their texts.

/// Prefix, description and text of a declaration with placeholders.
pub(super) struct Snippet {
    pub(super) prefix: &'static str,
    pub(super) description: &'static str,
    pub(super) text: String,
}

/// The snippets of a Bicep file.
pub(super) fn declarations() -> impl Iterator<Item = Snippet> {
    let plain = DECLARATIONS.iter().map(|(prefix, description, text)| Snippet {
        prefix,
        description,
        text: (*text).to_owned(),
    });
    let resources = RESOURCES.iter().map(|(prefix, description, ty)| Snippet {
        prefix,
        description,
        text: format!("resource ${{1:{}}} '{ty}' = {{\n  name: ${{2:'name'}}\n  $0\n}}", name_of(ty)),
    });
    plain.chain(resources)
}

/// A name for a resource of a type: the last word of the type.
fn name_of(ty: &str) -> &str {
    let ty = ty.split_once('@').map_or(ty, |(ty, _)| ty);
    ty.rsplit('/').next().unwrap_or(ty)
}

const DECLARATIONS: &[(&str, &str, &str)] = &[
    ("func", "Function declaration", "func ${1:name}(${2:argument} ${3:string}) ${4:string} => $0"),
    (
        "module",
        "Module declaration",
        "module ${1:name} '${2:path}' = {\n  name: $3\n  params: {\n    $0\n  }\n}",
    ),
    ("output", "Output declaration", "output ${1:name} ${2:type} = $0"),
    ("param", "Parameter declaration", "param ${1:name} ${2:type}"),
    (
        "param-defaults",
        "Parameter declaration with default value",
        "param ${1:name} ${2:type} = ${3:default}",
    ),
    (
        "param-defaults-allowed-values",
        "Parameter declaration with default and allowed values",
        "@allowed([\n  $4\n])\nparam ${1:name} ${2:type} = ${3:default}",
    ),
    ("param-secure-string", "Secure string parameter", "@secure()\nparam ${1:name} string"),
    (
        "resource-child-defaults",
        "Child Resource with defaults",
        "resource ${1:name} '${2:Namespace/parent/child@version}' = {\n  name: $3\n  properties: {\n    $0\n  }\n}",
    ),
    (
        "resource-child-without-defaults",
        "Child Resource without defaults",
        "resource ${1:name} '${2:Namespace/parent/child@version}' = {\n  name: $3\n  $0\n}",
    ),
    (
        "resource-defaults",
        "Resource with defaults",
        "resource ${1:name} '${2:Namespace/type@version}' = {\n  name: $3\n  location: ${4:location}\n  properties: {\n    $0\n  }\n}",
    ),
    (
        "resource-without-defaults",
        "Resource without defaults",
        "resource ${1:name} '${2:Namespace/type@version}' = {\n  name: $3\n  $0\n}",
    ),
    ("var", "Variable declaration", "var ${1:name} = $0"),
];

/// Prefix, description, type and version of the resource.
const RESOURCES: &[(&str, &str, &str)] = &[
    (
        "res-aks-cluster",
        "Kubernetes Service Cluster",
        "Microsoft.ContainerService/managedClusters@2021-03-01",
    ),
    ("res-api-management-instance", "Api Management Instance", "Microsoft.ApiManagement/service@2020-12-01"),
    ("res-app-gateway", "Application Gateway", "Microsoft.Network/applicationGateways@2020-11-01"),
    (
        "res-app-gateway-waf",
        "Application Gateway with Web Application Firewall",
        "Microsoft.Network/applicationGateways@2020-11-01",
    ),
    ("res-app-insights", "Application Insights for Web Apps", "Microsoft.Insights/components@2020-02-02"),
    (
        "res-app-insights-auto-scale-settings",
        "Application Insights Auto Scale Settings",
        "Microsoft.Insights/autoscalesettings@2015-04-01",
    ),
    ("res-app-plan", "Application Service Plan (Server Farm)", "Microsoft.Web/serverfarms@2020-12-01"),
    (
        "res-app-security-group",
        "Application Security Group",
        "Microsoft.Network/applicationSecurityGroups@2020-11-01",
    ),
    ("res-automation-account", "Automation Account", "Microsoft.Automation/automationAccounts@2019-06-01"),
    (
        "res-automation-cert",
        "Automation Certificate",
        "Microsoft.Automation/automationAccounts/certificates@2019-06-01",
    ),
    (
        "res-automation-cred",
        "Automation Credential",
        "Microsoft.Automation/automationAccounts/credentials@2019-06-01",
    ),
    (
        "res-automation-job-schedule",
        "Automation Job Schedule",
        "Microsoft.Automation/automationAccounts/jobSchedules@2019-06-01",
    ),
    (
        "res-automation-module",
        "Automation Module",
        "Microsoft.Automation/automationAccounts/modules@2019-06-01",
    ),
    (
        "res-automation-runbook",
        "Automation Runbook",
        "Microsoft.Automation/automationAccounts/runbooks@2019-06-01",
    ),
    (
        "res-automation-schedule",
        "Automation Schedule",
        "Microsoft.Automation/automationAccounts/schedules@2019-06-01",
    ),
    (
        "res-automation-variable",
        "Automation Variable",
        "Microsoft.Automation/automationAccounts/variables@2019-06-01",
    ),
    ("res-availability-set", "Availability Set", "Microsoft.Compute/availabilitySets@2020-12-01"),
    ("res-container-group", "Container Group", "Microsoft.ContainerInstance/containerGroups@2021-03-01"),
    (
        "res-container-registry",
        "Container Registry",
        "Microsoft.ContainerRegistry/registries@2021-06-01-preview",
    ),
    ("res-cosmos-account", "Cosmos DB Database Account", "Microsoft.DocumentDB/databaseAccounts@2021-03-15"),
    (
        "res-cosmos-cassandra-keyspace",
        "Cosmos DB Cassandra Namespace",
        "Microsoft.DocumentDB/databaseAccounts/cassandraKeyspaces@2021-06-15",
    ),
    (
        "res-cosmos-cassandra-table",
        "Cosmos DB Cassandra Table",
        "Microsoft.DocumentDB/databaseAccounts/cassandraKeyspaces/tables@2021-06-15",
    ),
    (
        "res-cosmos-gremlin-database",
        "Cosmos DB Gremlin Database",
        "Microsoft.DocumentDB/databaseAccounts/gremlinDatabases@2021-06-15",
    ),
    (
        "res-cosmos-gremlin-graph",
        "Cosmos DB Gremlin Graph",
        "Microsoft.DocumentDB/databaseAccounts/gremlinDatabases/graphs@2021-06-15",
    ),
    (
        "res-cosmos-mongo-database",
        "Cosmos DB Mongo Database",
        "Microsoft.DocumentDB/databaseAccounts/mongodbDatabases@2021-06-15",
    ),
    (
        "res-cosmos-sql-container",
        "Cosmos DB SQL Container",
        "Microsoft.DocumentDB/databaseAccounts/sqlDatabases/containers@2021-06-15",
    ),
    (
        "res-cosmos-sql-database",
        "Cosmos DB SQL Database",
        "Microsoft.DocumentDB/databaseAccounts/sqlDatabases@2021-06-15",
    ),
    (
        "res-cosmos-tablestorage-table",
        "Cosmos Table Storage",
        "Microsoft.DocumentDB/databaseAccounts/tables@2021-06-15",
    ),
    ("res-data-lake", "Data Lake Store Account", "Microsoft.DataLakeStore/accounts@2016-11-01"),
    (
        "res-deployment-script-az-cli",
        "Deployment script AzureCLI",
        "Microsoft.Resources/deploymentScripts@2023-08-01",
    ),
    (
        "res-deployment-script-az-powershell",
        "Deployment script AzurePowerShell",
        "Microsoft.Resources/deploymentScripts@2023-08-01",
    ),
    ("res-dns-record", "DNS Record", "Microsoft.Network/dnsZones@2018-05-01"),
    ("res-dns-resolver", "", "Microsoft.Network/dnsResolvers@2022-07-01"),
    ("res-dns-zone", "DNS Zone", "Microsoft.Network/dnsZones@2018-05-01"),
    ("res-expressroute-circuit", "ExpressRoute Circuit", "Microsoft.Network/expressRouteCircuits@2020-11-01"),
    ("res-expressroute-gateway", "ExpressRoute Gateway", "Microsoft.Network/expressRouteGateways@2021-02-01"),
    (
        "res-firewall-classic-rules",
        "Azure Firewall using classic rules",
        "Microsoft.Network/azureFirewalls@2020-11-01",
    ),
    (
        "res-firewall-policy-standard",
        "Azure Firewall Policy Standard SKU",
        "Microsoft.Network/firewallPolicies@2021-05-01",
    ),
    ("res-firewall-standard", "Azure Firewall Standard SKU", "Microsoft.Network/azureFirewalls@2021-05-01"),
    (
        "res-firewall-standard-vwan",
        "Azure Firewall Standard SKU for Virtual WAN Hub",
        "Microsoft.Network/azureFirewalls@2021-05-01",
    ),
    ("res-function", "Azure Functions (v2)", "Microsoft.Web/sites@2020-12-01"),
    ("res-ip", "Public IP Address", "Microsoft.Network/publicIPAddresses@2019-11-01"),
    ("res-ip-prefix", "Public IP Prefix", "Microsoft.Network/publicIPPrefixes@2019-11-01"),
    ("res-keyvault", "KeyVault", "Microsoft.KeyVault/vaults@2019-09-01"),
    ("res-keyvault-secret", "Key Vault Secret", "Microsoft.KeyVault/vaults/secrets@2019-09-01"),
    ("res-loadbalancer-external", "External Load Balancer", "Microsoft.Network/loadBalancers@2020-11-01"),
    ("res-loadbalancer-internal", "Internal Load Balancer", "Microsoft.Network/loadBalancers@2020-11-01"),
    ("res-lock", "", "Microsoft.Authorization/locks@2017-04-01"),
    (
        "res-log-analytics-solution",
        "Log Analytics Solution",
        "Microsoft.OperationsManagement/solutions@2015-11-01-preview",
    ),
    (
        "res-log-analytics-workspace",
        "Log Analytics Workspace",
        "Microsoft.OperationalInsights/workspaces@2020-10-01",
    ),
    ("res-logic-app", "Logic App", "Microsoft.Logic/workflows@2019-05-01"),
    ("res-logic-app-connector", "Logic App Connector", "Microsoft.Web/connections@2016-06-01"),
    ("res-logic-app-from-file", "Logic App", "Microsoft.Logic/workflows@2019-05-01"),
    (
        "res-logic-app-integration",
        "Logic App Integration Account",
        "Microsoft.Logic/integrationAccounts@2019-05-01",
    ),
    (
        "res-managed-identity",
        "Managed Identity (User Assigned)",
        "Microsoft.ManagedIdentity/userAssignedIdentities@2018-11-30",
    ),
    ("res-mg", "Management Group(for tenant scope)", "Microsoft.Management/managementGroups@2021-04-01"),
    ("res-mysql", "MySQL Database", "Microsoft.DBforMySQL/servers@2017-12-01"),
    ("res-nic", "Network Interface", "Microsoft.Network/networkInterfaces@2020-11-01"),
    ("res-nsg", "Network Security Group", "Microsoft.Network/networkSecurityGroups@2019-11-01"),
    (
        "res-nsgrule",
        "Network Security Group Rule",
        "Microsoft.Network/networkSecurityGroups/securityRules@2019-11-01",
    ),
    ("res-plan", "Application Service Plan (Server Farm)", "Microsoft.Web/serverfarms@2020-12-01"),
    ("res-policy-assignment", "Policy Assignment", "Microsoft.Authorization/policyAssignments@2020-09-01"),
    (
        "res-policy-definition-audit-effect",
        "Policy Definition",
        "Microsoft.Authorization/policyDefinitions@2020-09-01",
    ),
    (
        "res-policy-definition-deploy-effect",
        "Policy Definition",
        "Microsoft.Authorization/policyDefinitions@2020-09-01",
    ),
    (
        "res-policy-definition-modify-effect",
        "Policy Definition",
        "Microsoft.Authorization/policyDefinitions@2020-09-01",
    ),
    (
        "res-policy-exemption",
        "Policy Exemption",
        "Microsoft.Authorization/policyExemptions@2020-07-01-preview",
    ),
    (
        "res-policy-guestconfig",
        "Guest configuration assignment for virtual machine",
        "Microsoft.GuestConfiguration/guestConfigurationAssignments@2022-01-25",
    ),
    (
        "res-policy-guestconfig-hybrid",
        "Guest configuration assignment for virtual machine",
        "Microsoft.GuestConfiguration/guestConfigurationAssignments@2022-01-25",
    ),
    (
        "res-policy-guestconfig-params",
        "Guest configuration assignment with parameters, for virtual machine",
        "Microsoft.GuestConfiguration/guestConfigurationAssignments@2022-01-25",
    ),
    ("res-policy-remediation", "Policy Remediation", "Microsoft.PolicyInsights/remediations@2019-07-01"),
    (
        "res-policyset-definition",
        "PolicySet Definition",
        "Microsoft.Authorization/policySetDefinitions@2020-09-01",
    ),
    ("res-private-endpoint", "", "Microsoft.Network/privateEndpoints@2022-01-01"),
    ("res-recovery-service-vault", "Recovery Service Vault", "Microsoft.RecoveryServices/vaults@2021-01-01"),
    ("res-redis", "Redis Cache", "Microsoft.Cache/Redis@2019-07-01"),
    ("res-rg", "Resource Group", "Microsoft.Resources/resourceGroups@2021-04-01"),
    ("res-role-assignment", "", "Microsoft.Authorization/roleAssignments@2020-10-01-preview"),
    ("res-route-server", "Route Server", "Microsoft.Network/virtualHubs/ipConfigurations@2021-02-01"),
    ("res-route-table", "Route Table", "Microsoft.Network/routeTables@2019-11-01"),
    ("res-route-table-route", "Azure Route Table Route", "Microsoft.Network/routeTables/routes@2019-11-01"),
    ("res-scoped-lock", "", "Microsoft.Authorization/locks@2017-04-01"),
    ("res-service-bus", "Service Bus Namespace", "Microsoft.ServiceBus/namespaces@2021-06-01-preview"),
    ("res-shared-image-gallery", "Create Image Gallery", "Microsoft.Compute/galleries@2020-09-30"),
    ("res-sql", "SQL Database", "Microsoft.Sql/servers/databases@2014-04-01"),
    ("res-sql-db-import", "SQL Database Import", "Microsoft.Sql/servers/databases/extensions@2014-04-01"),
    (
        "res-sql-server-firewall-rules",
        "SQL Server Firewall Rules",
        "Microsoft.Sql/servers/firewallRules@2021-02-01-preview",
    ),
    ("res-storage", "Storage Account", "Microsoft.Storage/storageAccounts@2021-02-01"),
    ("res-template-spec", "Template spec", "Microsoft.Resources/templateSpecs@2021-05-01"),
    ("res-traffic-manager", "Traffic Manager Profile", "Microsoft.Network/trafficManagerProfiles@2018-08-01"),
    ("res-virtual-wan", "Virtual WAN", "Microsoft.Network/virtualWans@2020-07-01"),
    (
        "res-vm-dsc",
        "Desired State Configuration PowerShell script for a Windows Virtual Machine",
        "Microsoft.Compute/virtualMachines/extensions@2020-12-01",
    ),
    (
        "res-vm-linux-guestconfig-ext",
        "Guest configuration extension for Linux virtual machine",
        "Microsoft.Compute/virtualMachines/extensions@2020-12-01",
    ),
    (
        "res-vm-script-linux",
        "Custom script extension for Linux Virtual Machine",
        "Microsoft.Compute/virtualMachines/extensions@2019-07-01",
    ),
    (
        "res-vm-script-windows",
        "Custom script extension for a Windows Virtual Machine",
        "Microsoft.Compute/virtualMachines/extensions@2020-12-01",
    ),
    ("res-vm-ubuntu", "Ubuntu Virtual Machine", "Microsoft.Compute/virtualMachines@2020-12-01"),
    ("res-vm-windows", "Windows Virtual Machine", "Microsoft.Compute/virtualMachines@2020-12-01"),
    (
        "res-vm-windows-diagnostics",
        "Diagnostics Extension for a Windows Virtual Machine",
        "Microsoft.Compute/virtualMachines/extensions@2020-12-01",
    ),
    (
        "res-vm-windows-guestconfig-ext",
        "Guest configuration assignment for Windows virtual machine",
        "Microsoft.Compute/virtualMachines/extensions@2020-12-01",
    ),
    ("res-vnet", "Virtual Network", "Microsoft.Network/virtualNetworks@2019-11-01"),
    (
        "res-vnet-peering",
        "Virtual Network Peering",
        "Microsoft.Network/virtualNetworks/virtualNetworkPeerings@2020-07-01",
    ),
    (
        "res-vpn-local-gateway",
        "VPN Local Network Gateway",
        "Microsoft.Network/localNetworkGateways@2019-11-01",
    ),
    ("res-vpn-vnet-connection", "VPN Virtual Network Connection", "Microsoft.Network/connections@2020-11-01"),
    (
        "res-vpn-vnet-gateway",
        "VPN Virtual Network Gateway",
        "Microsoft.Network/virtualNetworkGateways@2020-11-01",
    ),
    ("res-web-app", "Web Application", "Microsoft.Web/sites@2021-01-15"),
    ("res-web-app-deploy", "Web Deploy for a Web Application", "Microsoft.Web/sites/extensions@2020-12-01"),
    ("res-wvd-appgroup", "WVD AppGroup", "Microsoft.DesktopVirtualization/applicationgroups@2021-07-12"),
    ("res-wvd-hostpool", "WVD Host Pool", "Microsoft.DesktopVirtualization/hostpools@2021-07-12"),
    ("res-wvd-workspace", "WVD Workspace", "Microsoft.DesktopVirtualization/workspaces@2021-07-12"),
];
