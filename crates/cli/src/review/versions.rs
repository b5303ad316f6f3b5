//! Versions that files name, of resource types and of modules, and newer ones: compiled files come in; what could be newer goes out, each
//! with its place.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{SourceFile, TextRange, TextSize};
use bicep_lint::ApiVersion;
use bicep_lint::recent::{GRACE_PERIOD, MAX_AGE, Standard, acceptable, defined_versions};
use bicep_sema::{FileId, Model};
use bicep_syntax::ast::{self, Statement, Str};
use bicep_types::ResourceTypes;
use camino::{Utf8Path, Utf8PathBuf};
use config::reference::{ArtifactKind, OciReference, Reference, Version};
use project::Compilation;
use registry::published;

use crate::compile;
use crate::failure::Failure;
use crate::session::Session;
use crate::type_install;

/// What is looked for.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct VersionArgs {
    /// Also recommend preview versions newer than every stable version
    #[arg(long)]
    pub(crate) preview: bool,

    /// Only versions that are older than this many days
    #[arg(long, value_name = "DAYS")]
    pub(crate) max_age: Option<i64>,

    /// Use no network; skip modules
    #[arg(long)]
    pub(crate) offline: bool,
}

/// A version that could be newer.
#[derive(Debug, Clone)]
pub(crate) struct Outdated {
    pub(crate) file: Arc<SourceFile>,
    /// The version in the text.
    pub(crate) range: TextRange,
    pub(crate) subject: VersionedItem,
    pub(crate) current: String,
    pub(crate) newest: String,
    /// How old the current one is, where its name says that.
    pub(crate) age: Option<i64>,
}

/// What has a version.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum VersionedItem {
    /// A resource type.
    Resource(String),
    /// A module in a registry, without its version.
    Module(String),
}

impl VersionedItem {
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Resource(name) | Self::Module(name) => name,
        }
    }
}

/// What a search came to.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) outdated: Vec<Outdated>,
    /// Modules whose versions are not known, with the reason.
    pub(crate) unknown: Vec<(String, String)>,
    /// Whether there was nothing to judge resource types by.
    pub(crate) has_no_types: bool,
}

/// Looks through all Bicep files of a compilation that are among some files.
pub(crate) fn find(
    compilation: &Compilation<'_>,
    files: &[Utf8PathBuf],
    args: &VersionArgs,
    session: &Session,
) -> Result<Findings, Failure> {
    let today = compile::today(&session.world).ok_or_else(Failure::no_clock)?;
    let standard = Standard { today, max_age: MAX_AGE, grace_period: GRACE_PERIOD };
    let mut search =
        VersionSearch { args, standard, session, modules: BTreeMap::new(), findings: Findings::default() };
    let program = compilation.program();
    for (path, loaded) in program.entries() {
        loaded.as_ref().map_err(|error| Failure::unreadable(path, error))?;
    }
    for path in files {
        let Some(file) = program.file_at(path) else { continue };
        search.resources(compilation, file);
        search.modules(compilation, file);
    }
    Ok(search.findings)
}

/// The types of Azure that a file is checked with.
pub(crate) fn azure_types(model: &Model) -> Option<&ResourceTypes> {
    let azure = model.namespaces().all.iter().find(|namespace| namespace.extension == "az")?;
    azure.resources.as_ref().map(|it| &*it.0)
}

struct VersionSearch<'a> {
    args: &'a VersionArgs,
    standard: Standard,
    session: &'a Session,
    /// The newest versions of modules that were asked for.
    modules: BTreeMap<String, Option<String>>,
    findings: Findings,
}

impl VersionSearch<'_> {
    fn resources(&mut self, compilation: &Compilation<'_>, file: FileId) {
        let program = compilation.program();
        let (Some(bicep), Some(model)) = (program.bicep(file), program.model(file)) else { return };
        let Some(catalogue) = azure_types(model).and_then(ResourceTypes::catalogue) else {
            self.findings.has_no_types = true;
            return;
        };
        for resource in model.resources().iter().filter(|it| it.is_azure) {
            let declaration = ast::Resource::cast(bicep.tree().node(resource.declaration));
            let Some(path) = declaration.and_then(ast::Resource::path) else { continue };
            let Some((range, current)) = version_in(path, '@') else { continue };
            let name = resource.reference.name();
            let (Some(version), all) = (ApiVersion::parse(&current), defined_versions(catalogue, name))
            else {
                continue;
            };
            let Some(newest) = self.recommended(&version, &all) else { continue };
            let age = self.standard.today.days_since(version.date);
            if self.args.max_age.is_some_and(|most| age <= most) {
                continue;
            }
            self.findings.outdated.push(Outdated {
                file: Arc::clone(program.unit(file).source()),
                range,
                subject: VersionedItem::Resource(name.to_string()),
                current,
                newest: newest.to_string(),
                age: Some(age),
            });
        }
    }

    /// The best version that is newer: a stable one, unless there is none or previews are wanted.
    fn recommended(&self, version: &ApiVersion, all: &[ApiVersion]) -> Option<ApiVersion> {
        let fine = acceptable(all, self.standard);
        let stable = fine.iter().find(|it| it.is_stable());
        let best = match self.args.preview {
            true => fine.first(),
            false => stable.or(fine.first().filter(|_| !version.is_stable())),
        };
        let is_newer = |best: &&ApiVersion| {
            best.date > version.date || best.date == version.date && best.is_stable() && !version.is_stable()
        };
        best.filter(is_newer).cloned()
    }

    fn modules(&mut self, compilation: &Compilation<'_>, file: FileId) {
        let program = compilation.program();
        let Some(bicep) = program.bicep(file) else { return };
        for statement in bicep.tree().file().statements() {
            let Statement::Module(module) = statement else { continue };
            let Some(path) = module.path() else { continue };
            let Some(text) = path.value() else { continue };
            let Ok(Reference::Oci(reference)) =
                config::reference::parse(&text, ArtifactKind::Module, &bicep.config)
            else {
                continue;
            };
            let Version::Tag(_) = reference.version else { continue };
            let (Some((range, current)), Some((name, _))) = (version_in(path, ':'), text.rsplit_once(':'))
            else {
                continue;
            };
            let Some(newest) = self.newest_module(name, &reference) else { continue };
            if newest != current {
                self.findings.outdated.push(Outdated {
                    file: Arc::clone(program.unit(file).source()),
                    range,
                    subject: VersionedItem::Module(name.to_owned()),
                    current,
                    newest,
                    age: None,
                });
            }
        }
    }

    fn newest_module(&mut self, name: &str, reference: &OciReference) -> Option<String> {
        if let Some(known) = self.modules.get(name) {
            return known.clone();
        }
        let answer = match self.args.offline {
            true => Err("no registry is asked with `--offline`".to_owned()),
            false => published::newest(reference, &type_install::options(false, self.session))
                .map_err(|error| error.to_string()),
        };
        let newest = match answer {
            Ok(newest) => newest,
            Err(reason) => {
                self.findings.unknown.push((name.to_owned(), reason));
                None
            }
        };
        self.modules.insert(name.to_owned(), newest.clone());
        newest
    }
}

/// The version behind the last separator of a text without holes, and where it stands.
fn version_in(path: Str<'_>, separator: char) -> Option<(TextRange, String)> {
    let value = path.value()?;
    let version = value.rsplit_once(separator)?.1;
    let token = path.segments().next()?;
    let offset = TextSize::try_from(token.text().rfind(version)?).ok()?;
    (!version.is_empty())
        .then(|| (TextRange::at(token.range().start() + offset, TextSize::of(version)), version.to_owned()))
}

/// `file(line,column)`
pub(crate) fn place(found: &Outdated, root: &Utf8Path) -> String {
    let at = found.file.position(found.range.start());
    format!("{}({},{})", super::deployed::shown(found.file.path(), root), at.line + 1, at.col + 1)
}
