metadata description = 'The network of one workload.'

import { isCompanyNetwork, isWorkloadName, ownership } from '../validators.bicep'

@description('Where it is placed.')
param location string = resourceGroup().location

@isWorkloadName()
param name string

@isCompanyNetwork('10.')
param range string

param tags ownership

resource network 'Microsoft.Network/virtualNetworks@2024-01-01' = {
  name: '${name}-net'
  location: location
  tags: tags
  properties: {
    addressSpace: {
      addressPrefixes: [range]
    }
  }
}

output networkId string = network.id
