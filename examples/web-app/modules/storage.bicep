metadata description = 'A storage account with containers, readable by one principal.'

param location string
param prefix string
param containers string[]

@description('The principal that may read the blobs.')
param readerId string

// Storage Blob Data Reader
var readerRole = subscriptionResourceId(
  'Microsoft.Authorization/roleDefinitions',
  '2a2b9908-6ea1-4ae2-8e65-a410df84e7d1'
)

resource account 'Microsoft.Storage/storageAccounts@2023-05-01' = {
  name: '${prefix}${uniqueString(resourceGroup().id)}'
  location: location
  kind: 'StorageV2'
  sku: {
    name: 'Standard_LRS'
  }
  properties: {
    allowBlobPublicAccess: false
    minimumTlsVersion: 'TLS1_2'
  }

  resource blobs 'blobServices' = {
    name: 'default'

    resource container 'containers' = [
      for name in containers: {
        name: name
      }
    ]
  }
}

resource reader 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(account.id, readerId, readerRole)
  scope: account
  properties: {
    principalId: readerId
    principalType: 'ServicePrincipal'
    roleDefinitionId: readerRole
  }
}

output name string = account.name
