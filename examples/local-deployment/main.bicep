metadata description = 'Something to deploy on this machine.'

@description('Where the account is placed.')
param location string = resourceGroup().location

@minLength(3)
param name string

resource account 'Microsoft.Storage/storageAccounts@2023-05-01' = {
  name: name
  location: location
  sku: {
    name: 'Standard_LRS'
  }
  kind: 'StorageV2'
  properties: {
    minimumTlsVersion: 'TLS1_2'
  }
}

output accountId string = account.id
output shout string = toUpper(account.name)
