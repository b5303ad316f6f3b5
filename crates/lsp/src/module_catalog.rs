//! The modules that are known to be in registries: a file that `SINEW_MODULE_CATALOG` names comes in, the catalogue goes out.
//!
//! The file is JSON with two lists, `public` and `private`, of `{ name, registry, description, documentationUri, versions }`.

use base::World;
use bicep_ide::completion::{CatalogModule, CatalogVersion, ModuleCatalog};
use camino::Utf8Path;
use serde_json::Value;

const VARIABLE: &str = "SINEW_MODULE_CATALOG";
const PUBLIC_REGISTRY: &str = "mcr.microsoft.com";

/// The catalogue; empty when there is none or when it cannot be read.
pub(crate) fn load(world: &dyn World) -> ModuleCatalog {
    let path = world.variable(VARIABLE).filter(|path| !path.is_empty());
    let content = path.and_then(|path| world.read(Utf8Path::new(&path)).ok());
    let root: Value = content.and_then(|content| serde_json::from_slice(&content).ok()).unwrap_or_default();
    let list = |name: &str| root.get(name).and_then(Value::as_array).into_iter().flatten();
    ModuleCatalog { modules: list("public").chain(list("private")).filter_map(module).collect() }
}

fn text(value: &Value, name: &str) -> Option<String> {
    value.get(name).and_then(Value::as_str).map(str::to_owned)
}

fn module(value: &Value) -> Option<CatalogModule> {
    let versions = value.get("versions").and_then(Value::as_array).into_iter().flatten();
    Some(CatalogModule {
        registry: text(value, "registry").unwrap_or_else(|| PUBLIC_REGISTRY.to_owned()),
        name: text(value, "name")?,
        description: text(value, "description"),
        documentation: text(value, "documentationUri"),
        versions: versions
            .filter_map(|version| {
                Some(CatalogVersion {
                    version: text(version, "version")?,
                    description: text(version, "description"),
                    documentation: text(version, "documentationUri"),
                })
            })
            .collect(),
    })
}
