#!/bin/sh
# Writes a repository with so many modules: sh make.sh 200 out
set -eu
count=${1:-200} folder=${2:-out}
mkdir -p "$folder/modules"
cat > "$folder/bicepconfig.json" << 'END'
{
  "analyzers": {
    "core": {
      "rules": {
        "no-unused-params": {
          "level": "error"
        }
      }
    }
  }
}
END
index=1
while [ "$index" -le "$count" ]; do
  number=$(printf '%03d' "$index")
  cat > "$folder/modules/store$number.bicep" << END
metadata description = 'Storage account number $number.'

@minLength(3)
@maxLength(20)
param prefix string

param location string = resourceGroup().location

resource account 'Microsoft.Storage/storageAccounts@2023-05-01' = {
  name: '\${prefix}$number'
  location: location
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
END
  index=$((index + 1))
done
