//! The programs of the extensions that a file uses: they come with the packages of their types.

use base::world::Artifact;
use bicep_sema::{FileId, Program};
use bicep_syntax::ast::{Extension, Name, Statement, Str};
use camino::Utf8PathBuf;
use config::provider::{self, ProviderSource};
use registry::manifest::BINARY;

/// The name of each extension in templates, with its program. What has none is left out.
pub(crate) fn programs(program: &Program<'_>, file: FileId) -> Vec<(String, Utf8PathBuf)> {
    let mut found = Vec::new();
    for part in program.closure(file) {
        let Some(bicep) = program.bicep(*part) else { continue };
        for statement in bicep.tree().file().statements() {
            let Statement::Extension(extension) = statement else { continue };
            let Some(source) = source_of(extension, bicep) else { continue };
            let name = program.resource_types(&source).ok().and_then(|types| types.settings());
            let binary = folder_of(program, &source).map(|folder| folder.join(BINARY));
            if let (Some(settings), Some(binary)) = (name, binary.filter(|path| path.is_file())) {
                found.push((settings.template_name.to_string(), binary));
            }
        }
    }
    found
}

fn source_of(extension: Extension<'_>, bicep: &bicep_sema::BicepFile) -> Option<ProviderSource> {
    if let Some(name) = extension.spec_name().and_then(Name::text) {
        return provider::resolve_name(name, &bicep.config).ok();
    }
    let text = Str::value(extension.spec_string()?)?;
    provider::resolve_reference(&text, bicep.folder(), &bicep.config).ok()
}

/// Where a package lies once it is restored.
fn folder_of(program: &Program<'_>, source: &ProviderSource) -> Option<Utf8PathBuf> {
    let reference = match source {
        ProviderSource::Package(reference) => reference.to_string(),
        ProviderSource::File(path) => path.to_string(),
        _ => return None,
    };
    match program.world().artifact(&reference) {
        Artifact::Restored(folder) => Some(folder),
        _ => None,
    }
}
