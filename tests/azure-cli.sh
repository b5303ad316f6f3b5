#!/usr/bin/env bash
# The stock Azure CLI against `sinew serve`, with Sinew as its `bicep`: login, groups, deployments of Bicep files.
#
# usage: tests/azure-cli.sh [PROGRAM]      PROGRAM is a built sinew; without it one is built
#
# AZ names an Azure CLI; without it one is installed from PyPI into a virtual environment, which takes some minutes.
# Nothing of the user's own Azure configuration is read or changed, and no other machine is asked.
. "$(dirname "${BASH_SOURCE[0]}")/serve.sh"

az=${AZ:-}
if [ -z "$az" ]; then
  python_with azure-cli
  az=$work/venv/bin/az
fi
export AZURE_CONFIG_DIR=$work/azure AZURE_CORE_COLLECT_TELEMETRY=false
mkdir "$work/bin"
ln -s "$program" "$work/bin/bicep"
export PATH=$work/bin:$PATH

token=a-token-of-this-server-alone
mkdir "$work/linked"
SINEW_TOKEN=$token start_server --tls --state "$work/state.db" --linked-templates "$work/linked"
export REQUESTS_CA_BUNDLE=$work/home/tls/ca.pem

cat > "$work/main.bicep" << 'END'
@minLength(3)
param name string
param location string = resourceGroup().location
@secure()
param password string = newGuid()

resource account 'Microsoft.Storage/storageAccounts@2023-01-01' = {
  name: '${name}store'
  location: location
  sku: { name: 'Standard_LRS' }
  kind: 'StorageV2'
}

module child 'child.bicep' = {
  name: 'child'
  params: { parent: account.id }
}

output id string = account.id
output of string = child.outputs.of
END
cat > "$work/child.bicep" << 'END'
param parent string
output of string = last(split(parent, '/'))
END
cat > "$work/main.bicepparam" << 'END'
using './main.bicep'
param name = 'fromparams'
END

cat > "$work/late.json" << 'END'
{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "languageVersion": "2.0",
  "contentVersion": "1.0.0.0",
  "resources": {
    "first": { "type": "Test.Things/things", "apiVersion": "2024-01-01", "name": "first", "properties": {} },
    "second": {
      "type": "Test.Things/things", "apiVersion": "2024-01-01", "name": "second",
      "properties": { "n": "[reference('first').absent]" }
    }
  }
}
END
cat > "$work/waiting.json" << 'END'
{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "languageVersion": "2.0",
  "contentVersion": "1.0.0.0",
  "resources": {
    "patient": {
      "type": "Test.Things/things", "apiVersion": "2024-01-01", "name": "patient", "properties": {},
      "@options": { "waitUntil": ["[lambda('x', false())]", "PT1H"] }
    }
  }
}
END

cat > "$work/sub.bicep" << 'END'
targetScope = 'subscription'
resource made 'Microsoft.Resources/resourceGroups@2024-03-01' = {
  name: 'made'
  location: 'westeurope'
}
module inner 'child.bicep' = {
  scope: made
  name: 'inner'
  params: { parent: 'a/b' }
}
output of string = inner.outputs.of
END
cat > "$work/keys.bicep" << 'END'
resource account 'Microsoft.Storage/storageAccounts@2023-01-01' existing = { name: 'demostore' }
#disable-next-line outputs-should-not-contain-secrets
output key string = account.listKeys().keys[0].value
END
cat > "$work/stack.bicep" << 'END'
param names array
resource things 'Test.Things/things@2024-01-01' = [for name in names: { name: name, properties: {} }]
END
cat > "$work/secret.bicep" << 'END'
@secure()
param password string
output size int = length(password)
END
cat > "$work/secret.json" << 'END'
{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentParameters.json#",
  "contentVersion": "1.0.0.0",
  "parameters": { "password": { "reference": {
    "keyVault": { "id": "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/demo/providers/Microsoft.KeyVault/vaults/safe" },
    "secretName": "pw"
  } } }
}
END
cat > "$work/vault.bicep" << 'END'
resource vault 'Microsoft.KeyVault/vaults@2023-07-01' = {
  name: 'hinge'
  location: resourceGroup().location
  properties: { tenantId: subscription().tenantId, sku: { family: 'A', name: 'standard' }, accessPolicies: [] }
  resource secret 'secrets' = {
    name: 'oil'
    properties: { value: 'squeak-squeak' }
  }
}
output uri string = vault.properties.vaultUri
END
cat > "$work/input.bicep" << 'END'
param region string
output region string = region
END
cat > "$work/input.bicepparam" << 'END'
using './input.bicep'
param region = externalInput('sys.cli', 'region')
END

cat > "$work/empty.json" << 'END'
{ "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0", "resources": [] }
END

cat > "$work/mg.json" << 'END'
{ "$schema": "https://schema.management.azure.com/schemas/2019-08-01/managementGroupDeploymentTemplate.json#", "contentVersion": "1.0.0.0", "resources": [] }
END
cat > "$work/tenant.json" << 'END'
{ "$schema": "https://schema.management.azure.com/schemas/2019-08-01/tenantDeploymentTemplate.json#", "contentVersion": "1.0.0.0", "resources": [] }
END
mkdir "$work/parts"
cp "$work/empty.json" "$work/parts/inner.json"
cat > "$work/outer.json" << 'END'
{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "contentVersion": "1.0.0.0",
  "resources": [
    {
      "type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "inner",
      "properties": { "mode": "Incremental", "templateLink": { "relativePath": "parts/inner.json" } }
    }
  ]
}
END

step=0
failed=0
# A step has failed. With KEEP_GOING set the others are tried all the same.
fail() {
  failed=$((failed + 1))
  [ -n "${KEEP_GOING:-}" ] || exit 1
}
# expect TEXT COMMAND…: runs it, and wants the text in what it prints.
expect() {
  local wanted=$1 said
  shift
  step=$((step + 1))
  if ! said=$("$az" "$@" 2>&1) || [[ $said != *"$wanted"* ]]; then
    printf 'FAIL %d: az %s\nwanted: %s\nsaid:\n%s\nlog of the server:\n' "$step" "$*" "$wanted" "$said"
    tail -20 "$work/log"
    fail
    return
  fi
  echo "PASS az $1 $2 ${3:-}"
}
# refuse TEXT COMMAND…: runs it, wants it to fail and to say the text.
refuse() {
  local wanted=$1 said
  shift
  step=$((step + 1))
  if said=$("$az" "$@" 2>&1) || [[ $said != *"$wanted"* ]]; then
    printf 'FAIL %d: az %s\nwanted a failure with: %s\nsaid:\n%s\n' "$step" "$*" "$wanted" "$said"
    fail
    return
  fi
  echo "PASS az $1 $2 ${3:-} (refused)"
}

cd "$work"
tenant=00000000-0000-0000-0000-000000000001
group=/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/demo
expect "" config set core.instance_discovery=false bicep.use_binary_from_path=true bicep.check_version=false core.survey_message=no
expect "" cloud register --name Sinew --endpoint-resource-manager "$url"
expect "" cloud set --name Sinew
refuse "not the token of this server" login --service-principal --username any --password wrong --tenant "$tenant"
expect '"state": "Enabled"' login --service-principal --username any --password "$token" --tenant "$tenant"
expect '"Succeeded"' group create --name demo --location westeurope
expect '"Succeeded"' deployment group validate --resource-group demo --template-file main.bicep --parameters name=demo
refuse "InvalidTemplate" deployment group validate --resource-group demo --template-file main.bicep --parameters name=x
expect "demostore" deployment group what-if --resource-group demo --template-file main.bicep --parameters name=demo
expect '"demostore"' deployment group create --resource-group demo --name one --template-file main.bicep --parameters name=demo
expect '"Succeeded"' deployment group show --resource-group demo --name one
expect '"one"' deployment group list --resource-group demo
expect 'storageAccounts' deployment operation group list --resource-group demo --name one
expect '"fromparamsstore"' deployment group create --resource-group demo --name two --parameters main.bicepparam
expect 'fromparamsstore' deployment group what-if --resource-group demo --parameters main.bicepparam
expect '"contentVersion"' deployment group export --resource-group demo --name two
expect 'demostore' resource list --resource-group demo
expect 'demostore' resource list --resource-type Microsoft.Storage/storageAccounts
expect '"team": "blue"' tag create --resource-id "$group" --tags team=blue
expect '"demo"' group list --tag team=blue
expect '"size": "small"' tag update --resource-id "$group" --operation Merge --tags size=small
expect '"team": "blue"' tag list --resource-id "$group"
expect 'storageAccounts_demostore_name' group export --name demo
expect '"one"' deployment group list --resource-group demo --filter "provisioningState eq 'Succeeded'"
refuse "'absent' doesn't exist" deployment group create --resource-group demo --name late --template-file late.json
expect '"Failed"' deployment operation group list --resource-group demo --name late
expect '"second"' rest --method get --url "$url$group/providers/Microsoft.Resources/deployments/late/operations?api-version=2025-04-01&\$filter=provisioningState%20eq%20'Failed'"
expect "" deployment group create --resource-group demo --name waiting --template-file waiting.json --no-wait
expect "" deployment group cancel --resource-group demo --name waiting
expect "" deployment group wait --resource-group demo --name waiting --custom "properties.provisioningState=='Canceled'" --interval 1 --timeout 20
expect '"Canceled"' deployment operation group list --resource-group demo --name waiting
expect 'false' group exists --name nothing

# Resources of any type, without a version where the provider tells one.
store=$group/providers/Microsoft.Storage/storageAccounts/demostore
thing=$group/providers/Test.Things/things/t1
expect '"t1"' resource create --resource-group demo --name t1 --resource-type Test.Things/things --properties '{"size": 1}' --api-version 2024-01-01
expect '"size": 1' resource show --resource-group demo --name t1 --resource-type Test.Things/things
expect '"size": 2' resource update --ids "$thing" --set properties.size=2
expect '"team": "red"' resource tag --ids "$thing" --tags team=red
expect '"t1"' resource list --tag team=red
expect '"t1"' resource list --name t1
expect '"t1"' resource list --resource-group demo --location ''
expect 'StorageV2' resource show --ids "$store"
expect '"demostore"' storage account list
expect '"demostore"' storage account list --resource-group demo
expect '"demostore"' storage account show --resource-group demo --name demostore
expect '"key1"' storage account keys list --resource-group demo --account-name demostore
expect 'AccountKey=' storage account show-connection-string --resource-group demo --name demostore
expect '"nameAvailable": false' storage account check-name --name demostore
expect '"nameAvailable": true' storage account check-name --name nobodyhasit
expect '"second"' storage account create --resource-group demo --name second --location westeurope --sku Standard_LRS
expect "" storage account delete --resource-group demo --name second --yes
expect '"id1"' identity create --resource-group demo --name id1
expect '"id1"' identity list --resource-group demo
expect '"net"' network vnet create --resource-group demo --name net --address-prefix 10.0.0.0/16
expect '"net"' network vnet list --resource-group demo
expect '"net"' network vnet show --resource-group demo --name net
expect '"value"' rest --method get --url "$url$group/providers/Microsoft.Network/virtualNetworks?api-version=2024-01-01"

# Locks.
expect '"CanNotDelete"' lock create --name keep --lock-type CanNotDelete --resource-group demo
expect '"keep"' lock list --resource-group demo
expect '"keep"' lock show --name keep --resource-group demo
refuse "failed to be deleted" resource delete --ids "$thing"
refuse "ScopeLocked" group delete --name demo --yes
expect "" lock delete --name keep --resource-group demo
expect '"ReadOnly"' lock create --name frozen --lock-type ReadOnly --resource-group demo
refuse "ScopeLocked" deployment group create --resource-group demo --name locked --template-file main.bicep --parameters name=demo
expect "" lock delete --name frozen --resource-group demo

# Another group.
expect '"other"' group create --name other --location westeurope
expect "" resource move --destination-group other --ids "$thing"
expect '"t1"' resource list --resource-group other
expect "" resource delete --resource-group other --name t1 --resource-type Test.Things/things
expect '"westeurope"' group show --name other
expect '"team": "green"' group update --name other --set tags.team=green
expect '"other"' group list

# Deployments to other scopes, with outputs, modes and what-if errors.
expect '"Succeeded"' deployment sub validate --location westeurope --template-file sub.bicep
expect 'made' deployment sub what-if --location westeurope --template-file sub.bicep
expect '"b"' deployment sub create --location westeurope --name subone --template-file sub.bicep
refuse "InvalidDeploymentLocation" deployment sub create --location northeurope --name subone --template-file sub.bicep
expect '"Succeeded"' deployment sub show --name subone
expect '"subone"' deployment sub list
expect 'resourceGroups' deployment operation sub list --name subone
expect '"contentVersion"' deployment sub export --name subone
expect "" deployment sub delete --name subone
expect '==' deployment group create --resource-group demo --name keys --template-file keys.bicep
refuse "InvalidTemplate" deployment group what-if --resource-group demo --template-file main.bicep --parameters name=x
expect '"Succeeded"' deployment group create --resource-group made --name complete --mode Complete --template-file empty.json
refuse "sinew deploy" deployment group create --resource-group demo --name input --parameters input.bicepparam
expect "" deployment group create --resource-group demo --name busy --template-file waiting.json --no-wait
refuse "DeploymentActive" deployment group create --resource-group demo --name busy --template-file waiting.json
expect "" deployment group cancel --resource-group demo --name busy

# Secrets of a vault.
expect '"safe"' resource create --resource-group demo --name safe --resource-type Microsoft.KeyVault/vaults --properties "{\"tenantId\": \"$tenant\", \"sku\": {\"family\": \"A\", \"name\": \"standard\"}}" --api-version 2023-07-01
expect '"pw"' resource create --id "$group/providers/Microsoft.KeyVault/vaults/safe/secrets/pw" --properties '{"value": "hunter2hunter2"}' --api-version 2023-07-01
expect '"Succeeded"' deployment group create --resource-group demo --name secret --template-file secret.bicep --parameters @secret.json

refuse 'DeploymentNotFound' deployment group export --resource-group demo --name nothing
expect '"https://bolt.vault.azure.net/"' keyvault create --resource-group demo --name bolt --location westeurope --query properties.vaultUri
expect '"bolt"' keyvault show --name bolt
expect '"https://hinge.vault.azure.net/"' deployment group create --resource-group demo --name vault --template-file vault.bicep --query properties.outputs.uri.value
expect '[]' deployment group what-if --resource-group demo --template-file vault.bicep --no-pretty-print --query "changes[?contains(resourceId, 'hinge') && changeType != 'NoChange'].resourceId"

# Roles and their assignments; parts of a network.
expect '"BuiltInRole"' role definition list --name Reader
expect '"CustomRole"' role definition create --role-definition "{\"Name\": \"own\", \"Actions\": [\"*/read\"], \"AssignableScopes\": [\"/subscriptions/$tenant\"]}"
expect '"own"' role definition list --custom-role-only true
expect 'roleAssignments/' role assignment create --role Reader --assignee-object-id 22222222-2222-2222-2222-222222222222 --assignee-principal-type ServicePrincipal --scope "$group"
expect "\"$group\"" role assignment list --scope "$group" --fill-principal-name false --query "[0].scope"
expect '"Reader"' role assignment list --scope "$group" --fill-principal-name false --query "[0].roleDefinitionName"
expect '' role assignment delete --role Reader --assignee-object-id 22222222-2222-2222-2222-222222222222 --scope "$group"
expect '"s1"' network vnet create --resource-group demo --name parts --subnet-name s1 --query "newVNet.subnets[0].name"
expect '"s1"' network vnet subnet list --resource-group demo --vnet-name parts
expect '"s1"' network vnet subnet show --resource-group demo --vnet-name parts --name s1
expect '"s2"' network vnet subnet create --resource-group demo --vnet-name parts --name s2 --address-prefixes 10.0.2.0/24
expect '"s2"' network vnet show --resource-group demo --name parts --query "subnets[].name"
expect '' network vnet subnet delete --resource-group demo --vnet-name parts --name s1
expect '[]' network vnet subnet list --resource-group demo --vnet-name parts --query "[?name=='s1']"
expect '"nsg"' network nsg create --resource-group demo --name nsg
expect '"in"' network nsg rule create --resource-group demo --nsg-name nsg --name in --priority 100
expect '"in"' network nsg rule list --resource-group demo --nsg-name nsg

# Template specs.
expect '"1.0"' ts create --name spec --version 1.0 --resource-group demo --location westeurope --template-file secret.bicep
expect '"spec"' ts list --resource-group demo
expect '"1.0"' ts show --name spec --version 1.0 --resource-group demo
expect '"1.0"' ts show --name spec --resource-group demo --query versions
expect '"Succeeded"' deployment group create --resource-group demo --name byspec --template-spec "$group/providers/Microsoft.Resources/templateSpecs/spec/versions/1.0" --parameters password=abc
expect '"parts/inner.json"' ts create --name packed --version 1.0 --resource-group demo --location westeurope --template-file outer.json
expect '"Succeeded"' deployment group create --resource-group demo --name bypacked --template-spec "$group/providers/Microsoft.Resources/templateSpecs/packed/versions/1.0"
expect '[]' ts list --resource-group other
expect "" ts delete --name spec --resource-group demo --yes

# Stacks.
expect '"succeeded"' stack group create --resource-group demo --name stack --template-file stack.bicep --parameters '{"names":{"value":["x","y"]}}' --action-on-unmanage deleteResources --deny-settings-mode none --yes
expect '"stack"' stack group show --resource-group demo --name stack
expect '"stack"' stack group list --resource-group demo
expect 'things/x' stack group show --resource-group demo --name stack --query "resources[].id"
expect '"succeeded"' stack group create --resource-group demo --name stack --template-file stack.bicep --parameters '{"names":{"value":["x"]}}' --action-on-unmanage deleteResources --deny-settings-mode none --yes
expect '[]' resource list --resource-group demo --name y
expect '"contentVersion"' stack group export --resource-group demo --name stack
expect '' stack group validate --resource-group demo --name stack --template-file stack.bicep --parameters '{"names":{"value":["x"]}}' --action-on-unmanage detachAll --deny-settings-mode none
expect '"denyDelete"' stack group create --resource-group demo --name stack --template-file stack.bicep --parameters '{"names":{"value":["x"]}}' --action-on-unmanage deleteResources --deny-settings-mode denyDelete --yes
# The client does not tell why.
refuse 'failed to be deleted' resource delete --ids "$group/providers/Test.Things/things/x" --api-version 2024-01-01
expect '' stack group delete --resource-group demo --name stack --action-on-unmanage deleteAll --yes
expect '[]' resource list --resource-group demo --name x
expect '"succeeded"' stack sub create --name substack --location westeurope --template-file sub.bicep --action-on-unmanage detachAll --deny-settings-mode none --yes
expect '"contentVersion"' stack sub export --name substack
expect 'things/x' stack sub create --name inside --location westeurope --deployment-resource-group other --template-file stack.bicep --parameters '{"names":{"value":["x"]}}' --action-on-unmanage deleteAll --deny-settings-mode none --yes
expect '' stack sub delete --name inside --action-on-unmanage deleteAll --yes
expect '"substack"' stack sub list
expect '"top"' account management-group create --name top
expect '"top"' account management-group show --name top
expect '"succeeded"' stack mg create --name mgstack --management-group-id top --location westeurope --template-file mg.json --action-on-unmanage detachAll --deny-settings-mode none --yes
expect '"mgstack"' stack mg show --name mgstack --management-group-id top
expect '"mgstack"' stack mg list --management-group-id top
expect '"contentVersion"' stack mg export --name mgstack --management-group-id top
expect '' stack mg validate --name mgstack --management-group-id top --location westeurope --template-file mg.json --action-on-unmanage detachAll --deny-settings-mode none
expect '' stack mg delete --name mgstack --management-group-id top --action-on-unmanage detachAll --yes
expect '' stack sub delete --name substack --action-on-unmanage detachAll --yes
expect '"Succeeded"' deployment mg create --management-group-id top --location westeurope --name mgone --template-file mg.json
expect '"mgone"' deployment mg list --management-group-id top
expect '' account management-group delete --name top
expect '"Succeeded"' deployment tenant create --location westeurope --name tenantone --template-file tenant.json
expect '"tenantone"' deployment tenant list

# What is around.
expect '"apiVersions"' provider show --namespace Microsoft.Resources
expect '' provider register --namespace Microsoft.Storage
expect 'westeurope' account list-locations
expect '"Enabled"' account list
expect '"tagName"' tag list
expect '"cost"' tag create --name cost
expect '"center"' tag add-value --name cost --value center
expect '' tag remove-value --name cost --value center
expect '' tag delete --name cost --yes
expect 'resource ' group export --name demo --export-format bicep
cp "$work/empty.json" "$work/linked/empty.json"
# The client reads the link with another library, which has its own way to be told of an authority.
export SSL_CERT_FILE=$REQUESTS_CA_BUNDLE
expect '"Succeeded"' deployment group create --resource-group demo --name linked --template-uri "$url/templates/empty.json?token=$token"
expect 'Microsoft.Resources/deployments/write' monitor activity-log list --offset 1h
expect '"p1"' policy assignment create --name p1 --policy "/subscriptions/00000000-0000-0000-0000-000000000001/providers/Microsoft.Authorization/policyDefinitions/d" --scope "$group"
expect '"p1"' policy assignment list --scope "$group"
expect '"d1"' policy definition create --name d1 --mode All --rules '{"if":{"field":"type","equals":"x"},"then":{"effect":"audit"}}'
expect '"d1"' policy definition list
# Resources against policies: one of the accounts has no owner.
owner='{"if":{"allOf":[{"field":"type","equals":"Microsoft.Storage/storageAccounts"},{"field":"tags[owner]","exists":"false"}]},"then":{"effect":"[parameters('"'effect'"')]"}}'
expect '"owned"' policy definition create --name owned --mode Indexed --rules "$owner" --params '{"effect":{"type":"String","defaultValue":"audit"}}'
expect '"p2"' policy assignment create --name p2 --policy owned --scope "$group"
expect '"owner": "me"' resource tag --ids "$group/providers/Microsoft.Storage/storageAccounts/fromparamsstore" --tags owner=me
expect '"Compliant"' policy state list --resource-group demo --policy-assignment p2 --query "[?contains(resourceId, 'fromparamsstore')].complianceState"
expect '"NonCompliant"' policy state list --resource "$store" --query "[].complianceState"
expect 'demostore' policy state list --filter "complianceState eq 'NonCompliant' and policyAssignmentName eq 'p2'" --query "[].resourceId"
expect '[]' policy state list --policy-definition d1
expect '1' policy state summarize --policy-definition owned --query results.nonCompliantResources
expect '' policy state trigger-scan --resource-group demo
expect '' policy assignment delete --name p2 --scope "$group"
expect '[]' policy state list --resource-group demo
# What providers can do.
expect '/read"' provider operation show --namespace Microsoft.Storage
expect '"Microsoft.Resources"' provider operation list --query "[].name"
refuse 'ProviderNotFound' provider operation show --namespace No.Such
# Children with a region are listed with the name of their parent, others by their provider.
expect '"sql"' resource create --resource-group demo --name sql --resource-type Microsoft.Sql/servers --properties '{}' --location westeurope --api-version 2021-11-01
expect '"Succeeded"' resource create --id "$group/providers/Microsoft.Sql/servers/sql/databases/db" --is-full-object --properties '{"location":"westeurope","sku":{"name":"Basic","tier":"Basic"},"properties":{}}' --api-version 2021-11-01
expect '"all"' sql server firewall-rule create --resource-group demo --server sql --name all --start-ip-address 1.1.1.1 --end-ip-address 2.2.2.2
expect '"sql/db"' resource list --resource-group demo --query "[].name"
expect '"sql/db"' resource list --resource-type Microsoft.Sql/servers/databases --query "[].name"
expect '[]' resource list --resource-group demo --query "[?contains(type, 'firewallRules')]"
expect '"all"' sql server firewall-rule list --resource-group demo --server sql --query "[].name"
expect '"db"' sql db list --resource-group demo --server sql --query "[].name"
expect '"db"' sql db show --resource-group demo --server sql --name db --query name

expect '"sublock"' account lock create --name sublock --lock-type CanNotDelete
refuse "ScopeLocked" group delete --name other --yes
expect '' account lock delete --name sublock
refuse "ResourceGroupNotFound" group show --name nothing
refuse "ResourceGroupNotFound" resource list --resource-group nothing

expect "" deployment group delete --resource-group demo --name one
refuse "DeploymentNotFound" deployment group show --resource-group demo --name one
expect "" group delete --name demo --yes
expect 'false' group exists --name demo
[ "$failed" = 0 ] || { echo "azure-cli: $failed of $step steps fail"; exit 1; }
echo "azure-cli: all $step steps pass"
