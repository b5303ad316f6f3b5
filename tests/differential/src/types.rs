//! The resource types that a recording was made with: catalogues in a folder.

use std::sync::Arc;

use bicep_sema::{MissingTypes, TypeSource};
use bicep_types::ResourceTypes;
use bicep_types::resources::Flavour;
use camino::Utf8Path;
use config::provider::{Builtin, ProviderSource};

/// What is built in. Packages are not there: nothing was restored when the answers were recorded.
pub struct Types {
    az: Arc<ResourceTypes>,
    kubernetes: Arc<ResourceTypes>,
}

impl Types {
    /// The catalogues of a folder. One that is not there is empty, as it is for the program.
    pub fn open(folder: &Utf8Path) -> Self {
        let open = |name: &str, flavour| {
            let path = folder.join(format!("{name}.types"));
            ResourceTypes::new(name, flavour, registry::types::open_catalogue(&path).ok())
        };
        Self { az: open("az", Flavour::Az), kubernetes: open("kubernetes", Flavour::Kubernetes) }
    }
}

impl TypeSource for Types {
    fn types(&self, source: &ProviderSource) -> Result<Arc<ResourceTypes>, MissingTypes> {
        match source {
            ProviderSource::Builtin(Builtin::Az) => Ok(Arc::clone(&self.az)),
            ProviderSource::Builtin(Builtin::Kubernetes) => Ok(Arc::clone(&self.kubernetes)),
            _ => Err(MissingTypes::NotRestored),
        }
    }
}
