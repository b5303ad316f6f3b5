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
SINEW_TOKEN=$token start_server --tls --state "$work/state.db"
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

step=0
# expect TEXT COMMAND…: runs it, and wants the text in what it prints.
expect() {
  local wanted=$1 said
  shift
  step=$((step + 1))
  if ! said=$("$az" "$@" 2>&1) || [[ $said != *"$wanted"* ]]; then
    printf 'FAIL %d: az %s\nwanted: %s\nsaid:\n%s\nlog of the server:\n' "$step" "$*" "$wanted" "$said"
    tail -20 "$work/log"
    exit 1
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
    exit 1
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
expect "" deployment group create --resource-group demo --name waiting --template-file waiting.json --no-wait
expect "" deployment group cancel --resource-group demo --name waiting
expect "" deployment group wait --resource-group demo --name waiting --custom "properties.provisioningState=='Canceled'" --interval 1 --timeout 20
expect '"Canceled"' deployment operation group list --resource-group demo --name waiting
expect 'false' group exists --name nothing
expect "" deployment group delete --resource-group demo --name one
refuse "DeploymentNotFound" deployment group show --resource-group demo --name one
expect "" group delete --name demo --yes
expect 'false' group exists --name demo
echo "azure-cli: all $step steps pass"
