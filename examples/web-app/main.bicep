metadata description = 'A web app with its plan, and a storage account that only the app may read.'

@description('Where everything is placed.')
param location string = resourceGroup().location

@description('What the resources are named after.')
@minLength(3)
@maxLength(11)
param prefix string

@description('How the app is sized.')
param size sizeType = 'small'

@description('The containers that the app needs.')
param containers string[] = ['uploads']

type sizeType = 'small' | 'large'

var skus = {
  small: { name: 'B1', capacity: 1 }
  large: { name: 'P1v3', capacity: 3 }
}

func nameOf(prefix string, kind string) string => toLower('${prefix}-${kind}')

resource plan 'Microsoft.Web/serverfarms@2023-12-01' = {
  name: nameOf(prefix, 'plan')
  location: location
  sku: skus[size]
  kind: 'linux'
  properties: {
    reserved: true
  }
}

resource app 'Microsoft.Web/sites@2023-12-01' = {
  name: nameOf(prefix, 'app')
  location: location
  identity: {
    type: 'SystemAssigned'
  }
  properties: {
    serverFarmId: plan.id
    httpsOnly: true
    siteConfig: {
      minTlsVersion: '1.2'
      ftpsState: 'FtpsOnly'
      linuxFxVersion: 'NODE|20-lts'
    }
  }
}

module storage 'modules/storage.bicep' = {
  name: 'storage'
  params: {
    location: location
    prefix: prefix
    containers: containers
    readerId: app.identity.principalId
  }
}

output host string = app.properties.defaultHostName
output storageName string = storage.outputs.name
