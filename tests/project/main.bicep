@description('Name of the storage account.')
param name string = 'shop'

@minValue(1)
param count int = 2

param region string = 'northeurope'

var names = [for i in range(0, count): '${name}${i}']

resource storage 'Microsoft.Storage/storageAccounts@2023-01-01' = {
  name: name
  location: region
  kind: 'StorageV2'
  sku: {
    name: 'Standard_LRS'
  }
  properties: {
    supportsHttpsTrafficOnly: true
    minimumTlsVersion: 'TLS1_2'
    allowBlobPublicAccess: false
  }
}

output names array = names
output id string = storage.id
