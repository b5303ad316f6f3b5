metadata description = 'A landing zone: a resource group and a network for each workload.'

targetScope = 'subscription'

import { isCompanyNetwork, isWorkloadName, ownership } from 'validators.bicep'

@description('Where everything is placed.')
param location string = deployment().location

@description('The workloads and their networks.')
param workloads workload[]

type workload = {
  @isWorkloadName()
  name: string
  @isCompanyNetwork('10.')
  range: string
  tags: ownership
}

resource groups 'Microsoft.Resources/resourceGroups@2024-03-01' = [
  for workload in workloads: {
    name: '${workload.name}-rg'
    location: location
    tags: workload.tags
  }
]

module networks 'modules/workload.bicep' = [
  for (workload, index) in workloads: {
    name: workload.name
    scope: groups[index]
    params: {
      location: location
      name: workload.name
      range: workload.range
      tags: workload.tags
    }
  }
]

output networkIds array = [for (workload, index) in workloads: networks[index].outputs.networkId]
