//! What `extension NAME` and `extension 'REFERENCE'` (or `provider …`) lead to, by the configuration.

use base::{Diagnostic, Severity, SmolStr, World};
use camino::{Utf8Path, Utf8PathBuf};

use crate::load::load_for;
use crate::reference::{self, ArtifactKind, Problem, Reference, is_bare_address, problems};
use crate::settings::{Config, Setting};
use crate::tree::Origin;
use crate::{diagnostics, paths};

/// Where the types of an extension come from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProviderSource {
    /// The language itself.
    System,
    /// A catalogue that comes with the tool or is installed beside it.
    Builtin(Builtin),
    /// A package in a registry.
    Package(reference::OciReference),
    /// A package in a file.
    File(Utf8PathBuf),
}

/// An extension that is built in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Builtin {
    /// Azure Resource Manager.
    Az,
    Kubernetes,
}

impl Builtin {
    /// The name by which it is configured.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Az => "az",
            Self::Kubernetes => "kubernetes",
        }
    }

    fn from_name(name: &str) -> Result<Self, Problem> {
        match name {
            "az" => Ok(Self::Az),
            "kubernetes" => Ok(Self::Kubernetes),
            _ if name.eq_ignore_ascii_case(GRAPH) => Err(problems::graph_retired()),
            _ => Err(problems::not_built_in(name)),
        }
    }
}

const GRAPH: &str = "microsoftGraph";

/// `extension NAME`: what the configuration says about the name.
pub fn resolve_name(name: &str, config: &Config) -> Result<ProviderSource, Problem> {
    if name == "sys" {
        return Ok(ProviderSource::System);
    }
    let Some(setting) = config.extensions.get(name) else {
        if name.eq_ignore_ascii_case(GRAPH) {
            return Err(problems::graph_retired());
        }
        return Err(problems::unknown_extension(name, config));
    };
    let source = resolve_value(name, setting, config);
    // What is wrong is written in the configuration file: no fix for the statement.
    source.map_err(|problem| Problem { replacement: None, ..problem }.caused_by(config.place(setting.origin)))
}

/// `extension 'REFERENCE'` in a file of a folder.
pub fn resolve_reference(text: &str, folder: &Utf8Path, config: &Config) -> Result<ProviderSource, Problem> {
    if let Some((name, version)) = text.split_once('@')
        && base::spelling::is_identifier(name)
        && !version.is_empty()
    {
        return Err(match name {
            "sys" => problems::versioned_sys(),
            name => problems::versioned_builtin(name),
        });
    }
    from_reference(text, folder, config)
}

/// The configuration file further up that has an extension which the nearest one lacks.
pub fn outer_configuration(name: &str, config: &Config, world: &dyn World) -> Option<Utf8PathBuf> {
    let mut folder = config.path()?.parent()?.parent()?.to_owned();
    loop {
        let outer = load_for(world, &folder.join("main.bicep")).0;
        let path = outer.path()?.to_owned();
        if outer.extensions.get(name).is_some_and(|setting| !setting.origin.is_built_in()) {
            return Some(path);
        }
        folder = path.parent()?.parent()?.to_owned();
    }
}

/// Every name in `implicitExtensions` with what it leads to. Mistakes are reported when the configuration is loaded.
pub fn implicit(config: &Config) -> impl Iterator<Item = (&SmolStr, ProviderSource)> {
    config
        .implicit_extensions
        .iter()
        .filter_map(|setting| Some((&setting.value, resolve_name(&setting.value, config).ok()?)))
}

/// Reports what is wrong with the extensions of a configuration. An entry that nobody uses breaks no build: what is
/// wrong with it is a warning here, and an error at the statement that uses it.
pub(crate) fn check_all(config: &Config, reports: &mut Vec<(Origin, Diagnostic)>) {
    for (name, setting) in &config.extensions {
        let Setting { value, origin } = setting;
        if origin.is_built_in() {
            continue;
        }
        if is_bare_address(value) {
            let mut warning = problems::scheme_missing(value).in_config(origin.range);
            warning.severity = Severity::Warning;
            reports.push((*origin, warning));
        }
        let Err(problem) = resolve_value(name, setting, config) else { continue };
        let mut diagnostic = problem.in_config(origin.range);
        if !config.implicit_extensions.iter().any(|implicit| implicit.value == *name) {
            diagnostic.severity = Severity::Warning;
        }
        reports.push((*origin, diagnostic));
    }
    let known: Vec<SmolStr> = config.extensions.keys().cloned().collect();
    for Setting { value: name, origin } in &config.implicit_extensions {
        if name == "sys" {
            reports.push((*origin, diagnostics::reserved_name(origin.range, name)));
        } else if !config.extensions.contains_key(name) {
            let keys = keys_of(config, *origin);
            reports.push((*origin, diagnostics::implicit_unknown(origin.range, name, &known, keys)));
        }
    }
}

/// The two keys of the configuration, as they are called today and as they were first.
const NAMES: [&str; 2] = ["implicitExtensions", "extensions"];
const FORMER_NAMES: [&str; 2] = ["implicitProviders", "providers"];

/// The keys in the spelling of the file: the nearest one in front of a value.
fn keys_of(config: &Config, origin: Origin) -> [&'static str; 2] {
    let place = config.place(origin);
    let before = place.as_ref().and_then(|it| it.file.text().get(..it.range.start().into()));
    let last = |keys: [&str; 2]| before.and_then(|text| text.rfind(keys[0]));
    if last(FORMER_NAMES) > last(NAMES) { FORMER_NAMES } else { NAMES }
}

fn resolve_value(name: &str, setting: &Setting<SmolStr>, config: &Config) -> Result<ProviderSource, Problem> {
    let value = setting.value.as_str();
    if value == "builtin:" {
        return Builtin::from_name(name).map(ProviderSource::Builtin);
    }
    if is_bare_address(value) {
        return reference::OciReference::parse(value).map(ProviderSource::Package);
    }
    from_reference(value, config.folder_of(setting.origin).unwrap_or(Utf8Path::new("")), config)
}

fn from_reference(text: &str, folder: &Utf8Path, config: &Config) -> Result<ProviderSource, Problem> {
    match reference::parse(text, ArtifactKind::Extension, config)? {
        Reference::Oci(reference) => Ok(ProviderSource::Package(reference)),
        Reference::Local(path) => Ok(ProviderSource::File(paths::resolve(folder, path.as_path()))),
        Reference::TemplateSpec(_) | Reference::Mock(_) => {
            Err(problems::unsupported_kind(ArtifactKind::Extension))
        }
    }
}
