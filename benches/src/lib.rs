//! Inputs for measurements: Bicep text of any size that looks like what people write.

use std::fmt::Write;

/// The sizes at which throughput is measured; equal throughput at all of them says that cost is linear.
pub const SIZES: [(&str, usize); 3] = [("10 KB", 10 << 10), ("1 MB", 1 << 20), ("10 MB", 10 << 20)];

/// At least this many bytes of Bicep without mistakes, the same for the same size.
pub fn bicep(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 2000);
    text.push_str("targetScope = 'resourceGroup'\n\nparam location string = resourceGroup().location\n\n");
    let mut number = 0;
    while text.len() < bytes {
        // Writing to a string cannot fail.
        let _ = unit(&mut text, number);
        number += 1;
    }
    text
}

/// A parameter, a variable, a resource with nested objects, a loop, a module and an output.
fn unit(text: &mut String, n: usize) -> std::fmt::Result {
    write!(
        text,
        "\
@description('The size of the machines in group {n}.')
@allowed([
  'Standard_B2s'
  'Standard_D4s_v5'
])
param size{n} string = 'Standard_B2s'

// Names are unique within a subscription; the suffix is stable for one group.
var name{n} = toLower('vm${{uniqueString(resourceGroup().id, '{n}')}}')
var tags{n} = union({{ group: '{n}', owner: 'platform' }}, size{n} == 'Standard_B2s' ? {{ tier: 'small' }} : {{}})

resource storage{n} 'Microsoft.Storage/storageAccounts@2023-01-01' = {{
  name: 'st${{name{n}}}'
  location: location
  tags: tags{n}
  sku: {{
    name: 'Standard_LRS'
  }}
  kind: 'StorageV2'
  properties: {{
    minimumTlsVersion: 'TLS1_2' // older clients cannot connect
    allowBlobPublicAccess: false
    networkAcls: {{
      defaultAction: 'Deny'
      ipRules: [for address in ['10.0.{n}.0', '10.1.{n}.0']: {{
        action: 'Allow'
        value: '${{address}}/24'
      }}]
    }}
  }}

  resource blobs 'blobServices' = {{
    name: 'default'
    properties: {{ deleteRetentionPolicy: {{ enabled: true, days: {days} }} }}
  }}
}}

module network{n} 'modules/network.bicep' = [for i in range(0, 3): if (i != 1) {{
  name: 'network-{n}-${{i}}'
  params: {{
    name: name{n}
    prefixes: [ '10.{n}.${{i}}.0/24' ]
    index: (i * 2 + {n}) % 7
  }}
}}]

output storage{n}Id string = storage{n}.id

",
        days = n % 30 + 1,
    )
}

#[cfg(test)]
mod tests {
    use bicep_syntax::{Dialect, parse};

    use super::*;

    #[test]
    fn generated_text_has_the_size_and_no_mistakes() {
        let text = bicep(50_000);
        assert!((50_000..55_000).contains(&text.len()), "{}", text.len());
        assert_eq!(parse(text, Dialect::Bicep).diagnostics, []);
    }
}
