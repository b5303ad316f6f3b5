metadata description = 'A storage account whose name and owner only the pipeline knows.'

@description('Where the account is placed.')
param location string = resourceGroup().location

@minLength(3)
@maxLength(24)
param accountName string

@description('The commit that is deployed.')
@minLength(7)
@maxLength(40)
param commit string

resource account 'Microsoft.Storage/storageAccounts@2023-05-01' = {
  name: accountName
  location: location
  tags: {
    commit: commit
  }
  sku: {
    name: 'Standard_LRS'
  }
  kind: 'StorageV2'
  properties: {
    minimumTlsVersion: 'TLS1_2'
  }
}

output accountId string = account.id
