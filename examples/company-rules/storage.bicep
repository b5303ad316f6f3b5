metadata description = 'An account from before the rules.'

resource account 'Microsoft.Storage/storageAccounts@2023-05-01' = {
  name: 'contosolegacy'
  location: 'eastus'
  sku: {
    name: 'Standard_LRS'
  }
  kind: 'StorageV2'
  properties: {
    minimumTlsVersion: 'TLS1_2'
    supportsHttpsTrafficOnly: true
    allowBlobPublicAccess: false
  }
}

output accountId string = account.id
