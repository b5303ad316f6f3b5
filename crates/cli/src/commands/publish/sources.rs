//! The sources of a module, for those who want to read what they use: a program comes in, an archive goes out.

use bicep_sema::{BicepFile, FileId, Program, Unit};
use camino::Utf8Path;
use config::reference::Reference;
use registry::manifest;
use registry::sources::{Link, Source, SourceKind, pack};

use crate::failure::Failure;

/// The archive of a file and of all files it is made of. `version` is that of the language.
pub(super) fn archive(
    program: &Program<'_>,
    entry: FileId,
    cache: &Utf8Path,
    version: &str,
) -> Result<Vec<u8>, Failure> {
    let others = program.files().filter(|file| *file != entry);
    let sources: Vec<_> =
        [entry].into_iter().chain(others).filter_map(|file| source(program, file)).collect();
    pack(&sources, cache, version).map_err(|error| Failure::artifact(&error))
}

/// A file of a program; template specs are not ours to publish.
fn source<'p>(program: &'p Program<'_>, file: FileId) -> Option<Source<'p>> {
    let unit = program.unit(file);
    let (path, text) = (unit.source().path(), &**unit.source().text());
    match unit {
        Unit::Bicep(bicep) => {
            let links = links(program, bicep);
            Some(Source { path, text, kind: SourceKind::Bicep, artifact: None, links })
        }
        Unit::Template(template) if template.template_spec.is_some() => None,
        Unit::Template(_) => {
            let has_sources = path.with_file_name(manifest::SOURCES).is_file();
            let artifact = if has_sources { artifact_of(program, file) } else { None };
            Some(Source { path, text, kind: SourceKind::ArmTemplate, artifact, links: Vec::new() })
        }
    }
}

/// The reference under which a file was restored.
fn artifact_of(program: &Program<'_>, file: FileId) -> Option<String> {
    let files = program.files().filter_map(|file| program.bicep(file));
    let mut targets = files.flat_map(|bicep| {
        bicep
            .tree()
            .file()
            .statements()
            .filter_map(|statement| bicep.reference(statement.syntax())?.as_ref().ok())
    });
    let target = targets.find(|target| target.file == file)?;
    match &target.reference {
        Reference::Oci(reference) => Some(reference.to_string()),
        Reference::Local(_) | Reference::TemplateSpec(_) | Reference::Mock(_) => None,
    }
}

fn links<'p>(program: &'p Program<'_>, bicep: &'p BicepFile) -> Vec<Link<'p>> {
    let mut links = Vec::new();
    for statement in bicep.tree().file().statements() {
        let Some(Ok(target)) = bicep.reference(statement.syntax()) else { continue };
        let Some(path) = bicep_sema::path_of(statement) else { continue };
        let place = |offset| {
            let at = bicep.source.position(offset);
            (at.line, at.col)
        };
        let range = [place(path.range().start()), place(path.range().end())];
        links.push(Link { range, target: program.unit(target.file).source().path() });
    }
    links
}
