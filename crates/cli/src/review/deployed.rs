//! What files would deploy: files in a world come in; for each a prediction of its deployment goes out, or why there is none.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arm::expand::{Deployment, Missing, Policy, Setup, Speculation};
use arm::parameters::Inputs;
use arm::{Context, NoState, Template};
use base::{FileReport, Severity, World};
use camino::{Utf8Path, Utf8PathBuf};
use config::Loader;
use project::Compilation;
use project::artifacts::by_store_for_reading;
use serde_json::Value as Json;

use crate::artifacts::{self, ArtifactArgs};
use crate::catalogue::Types;
use crate::compile;
use crate::evaluation::{budget, input};
use crate::failure::Failure;
use crate::parallel;
use crate::session::Session;

/// What a file would deploy, or the first thing that keeps it from being known.
pub(crate) type DeploymentPreview = Result<Json, String>;

/// Which files are looked at.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Selection<'a> {
    /// Files of which others, or parameter files, are made: they are looked at only as a part of those.
    pub(crate) leave_out_used: bool,
    /// Files that are looked at in any case: somebody asked for them.
    pub(crate) named: &'a [Utf8PathBuf],
}

/// What all of some files would deploy. Files that are not there are left out.
pub(crate) fn deployed(
    world: &Arc<dyn World>,
    files: &[Utf8PathBuf],
    selection: Selection<'_>,
    context: &Context,
    session: &Session,
) -> Result<BTreeMap<Utf8PathBuf, DeploymentPreview>, Failure> {
    let is_template = |path: &Utf8PathBuf| path.extension().is_some_and(|it| it.eq_ignore_ascii_case("json"));
    let (templates, sources): (Vec<Utf8PathBuf>, Vec<Utf8PathBuf>) =
        files.iter().cloned().partition(is_template);
    let mut all: BTreeMap<Utf8PathBuf, DeploymentPreview> = BTreeMap::new();
    for path in templates {
        if let Ok(source) = world.read_source(&path) {
            let found = match input::document(&source) {
                Ok(root) => Template::read(&root),
                Err(report) => {
                    all.insert(path, Err(first_error(&[report])));
                    continue;
                }
            };
            all.insert(path, predicted(found, &Inputs::default(), context));
        }
    }
    let configs = Loader::new(world);
    let stores = by_store_for_reading(&sources, &configs, world).ok_or_else(Failure::no_home)?;
    for (store, entries) in stores {
        let disk = artifacts::world_of(&store, ArtifactArgs::default())?;
        let types = Types::new(&disk);
        let registry = store.world(Arc::clone(world), false).map_err(|error| Failure::artifact(&error))?;
        let setup = bicep_sema::Setup::new(&registry).with_types(&types);
        let compilation = Compilation::load(setup, &entries, compile::options(session));
        let used = if selection.leave_out_used { used_files(&compilation) } else { BTreeSet::new() };
        let is_selected = |path: &Utf8PathBuf| !used.contains(path) || selection.named.contains(path);
        let entries: Vec<_> =
            compilation.program().entries().iter().filter(|(path, _)| is_selected(path)).collect();
        let made = parallel::map(&entries, |(_, loaded)| {
            loaded.as_ref().ok().map(|file| of_file(&compilation, *file, context))
        });
        for ((path, _), made) in entries.into_iter().zip(made) {
            all.extend(made.map(|made| (path.clone(), made)));
        }
    }
    Ok(all)
}

/// The files that others refer to.
fn used_files(compilation: &Compilation<'_>) -> BTreeSet<Utf8PathBuf> {
    let program = compilation.program();
    let mut used = BTreeSet::new();
    for (_, loaded) in program.entries() {
        let Ok(file) = loaded else { continue };
        for part in program.closure(*file).iter().filter(|part| *part != file) {
            used.insert(program.unit(*part).source().path().to_owned());
        }
    }
    used
}

fn of_file(compilation: &Compilation<'_>, file: bicep_sema::FileId, context: &Context) -> DeploymentPreview {
    let program = compilation.program();
    let reports: Vec<FileReport> = program.closure(file).iter().map(|part| program.report(*part)).collect();
    if reports.iter().any(FileReport::has_errors) {
        return Err(first_error(&reports));
    }
    let (template, inputs) = match compilation.parameters(file) {
        None => (file, Inputs::default()),
        Some(parameters) => {
            let error = parameters.diagnostics.iter().find(|it| it.severity == Severity::Error);
            if let Some(error) = error {
                return Err(error.message.clone());
            }
            match parameters.template {
                Some(template) => (template, parameters.inputs()),
                None => return Err("the parameter file names no template".to_owned()),
            }
        }
    };
    let found = match program.unit(template) {
        bicep_sema::Unit::Bicep(_) => {
            let emitted = compilation.template(template);
            if emitted.is_cut {
                return Err(bicep_emit::TOO_LARGE.to_owned());
            }
            Template::of(&emitted.document)
        }
        bicep_sema::Unit::Template(unit) => match &unit.parsed.root {
            Some(root) => Template::read(root),
            None => return Err("the template is not JSON".to_owned()),
        },
    };
    predicted(found, &inputs, context)
}

fn first_error(reports: &[FileReport]) -> String {
    let error = reports.iter().find_map(|report| {
        let error = report.diagnostics.iter().find(|it| it.severity == Severity::Error)?;
        let position = report.file.position(error.range.start());
        let name = report.file.path().file_name().unwrap_or_default();
        Some(format!("{name}({},{}): {} {}", position.line + 1, position.col + 1, error.code, error.message))
    });
    error.unwrap_or_else(|| "the file has errors".to_owned())
}

fn predicted(read: (Template, Vec<arm::Error>), inputs: &Inputs, context: &Context) -> DeploymentPreview {
    let (template, errors) = read;
    if let Some(error) = errors.first() {
        return Err(error.message().to_owned());
    }
    let budget = budget();
    let policy = Policy { missing: Missing::Unknown, speculation: Speculation::Outputs, ..Policy::default() };
    let setup = Setup { template: &template, inputs, context, state: &NoState, budget: &budget, policy };
    let expansion = Deployment::new(setup).expand();
    match expansion.errors.first() {
        Some(error) => Err(error.message().to_owned()),
        None => Ok(arm::prediction(&expansion)),
    }
}

/// The path of a file below a folder, for people.
pub(crate) fn shown(path: &Utf8Path, root: &Utf8Path) -> String {
    path.strip_prefix(root).map_or_else(|_| path.to_string(), |it| it.as_str().replace('\\', "/"))
}
