//! Templates as Bicep: the text of a template comes in; the text of a Bicep file, laid out, goes out.

use bicep_decompile::{Options, Outside};
use bicep_sema::Setup;
use bicep_syntax::Parse;
use camino::Utf8Path;
use deploy::ArmError;

use crate::errors;

/// A template of a group as Bicep. Nothing but the template is looked at: no files, no types.
pub(crate) fn decompiled(template: &str) -> Result<String, ArmError> {
    let world = base::MemoryWorld::new();
    let layout =
        |_: &Utf8Path, parsed: &Parse| bicep_format::format(parsed, &bicep_format::Options::default());
    let outside = Outside { setup: &Setup::new(&world), layout: &layout };
    let found =
        bicep_decompile::decompile(template, Utf8Path::new("/main.bicep"), outside, Options::default());
    let files = found.map_err(|failure| errors::no_bicep(&failure.to_string()))?.files;
    Ok(files.into_iter().next().map(|file| file.text).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_as_bicep() {
        let template = r#"{
          "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
          "contentVersion": "1.0.0.0",
          "parameters": { "sites_a_name": { "type": "String" } }, "variables": {},
          "resources": [{
            "type": "Microsoft.Web/sites", "apiVersion": "2023-01-01", "name": "[parameters('sites_a_name')]",
            "location": "westeurope", "properties": { "httpsOnly": true }
          }]
        }"#;
        let bicep = decompiled(template).unwrap();
        assert!(bicep.contains("param sites_a_name string"), "{bicep}");
        assert!(bicep.contains("'Microsoft.Web/sites@2023-01-01' = {\n  name: sites_a_name\n"), "{bicep}");
    }
}
