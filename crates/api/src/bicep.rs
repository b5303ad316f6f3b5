//! Templates as Bicep: the text of a template comes in; the text of a Bicep file, laid out, goes out.

use bicep_decompile::Options;
use bicep_sema::Setup;
use camino::Utf8Path;
use deploy::ArmError;

use crate::errors;

/// A template of a group as Bicep. Nothing but the template is looked at: no files, no types.
pub(crate) fn decompiled(template: &str) -> Result<String, ArmError> {
    let world = base::MemoryWorld::new();
    let (setup, target) = (Setup::new(&world), Utf8Path::new("/main.bicep"));
    let found = bicep_decompile::decompile(template, target, &setup, Options::default());
    let found = found.map_err(|failure| errors::no_bicep(&failure.to_string()))?;
    let layout = bicep_format::Options::default();
    Ok(found.files.first().map(|file| bicep_format::format(&file.parse, &layout)).unwrap_or_default())
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
