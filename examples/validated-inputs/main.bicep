metadata description = 'A storage account in a network, with inputs that are checked before anything is deployed.'

import { hasRoomFor, isStorageName, ownership } from 'validators.bicep'

@description('Where everything is placed.')
param location string = resourceGroup().location

@description('The name of the account.')
@isStorageName()
param storageName string

@description('The addresses of the network.')
@hasRoomFor(256)
param addresses string = '10.0.0.0/16'

@description('Who is responsible, and what else is worth knowing.')
param tags ownership

resource network 'Microsoft.Network/virtualNetworks@2024-01-01' = {
  name: '${storageName}-net'
  location: location
  tags: tags
  properties: {
    addressSpace: {
      addressPrefixes: [addresses]
    }
  }
}

resource account 'Microsoft.Storage/storageAccounts@2023-05-01' = {
  name: storageName
  location: location
  tags: tags
  sku: {
    name: 'Standard_LRS'
  }
  kind: 'StorageV2'
}

output accountId string = account.id
output networkId string = network.id
