//! Settings: the merged configuration as the other crates use it. Every value is there; what no file sets has its
//! default.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::{SmolStr, SourceFile, TextRange};
use camino::{Utf8Path, Utf8PathBuf};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use crate::feature::Feature;
use crate::reference::SourceLocation;
use crate::rules::Level;
use crate::tree::{BUILT_IN, Entry, Origin};

/// The configuration that holds for a source file.
#[derive(Debug, Clone)]
pub struct Config {
    /// How source files are laid out.
    pub formatting: Formatting,
    /// The linter.
    pub analyzers: Analyzers,
    /// The experimental features that are switched on.
    pub features: BTreeSet<Feature>,
    /// Whether to say which experimental features are switched on.
    pub warn_about_features: bool,
    /// Short names for places that hold artifacts.
    pub aliases: Aliases,
    /// The extensions that source files may name, in the order of the file: where each comes from, as written.
    pub extensions: IndexMap<SmolStr, Setting<SmolStr>>,
    /// The extensions that every source file has.
    pub implicit_extensions: Vec<Setting<SmolStr>>,
    /// Where restored artifacts are kept, when the configuration says it.
    pub cache_root: Option<Utf8PathBuf>,
    /// The cloud to talk to.
    pub cloud: Cloud,
    /// How documentation of modules is generated.
    pub documentation: Documentation,
    pub(crate) tree: Entry,
    pub(crate) layers: Vec<Layer>,
}

/// A value and where it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting<T> {
    pub value: T,
    /// Where it was written: see [`Config::place`].
    pub origin: Origin,
}

/// One of the files that a configuration is made of; the built-in one has no file.
#[derive(Debug, Clone)]
pub(crate) struct Layer {
    pub file: Option<Arc<SourceFile>>,
}

/// How source files are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Formatting {
    /// What a line is indented with.
    pub indent_kind: IndentKind,
    /// What ends a line.
    pub newline_kind: NewlineKind,
    /// How many spaces indent one level.
    pub indent_size: u32,
    /// How long a line should be at most.
    pub width: u32,
    /// Whether the file ends with a line end.
    pub insert_final_newline: bool,
}

/// What a line is indented with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndentKind {
    /// Spaces.
    Space,
    /// One tabulator per level.
    Tab,
}

/// What ends a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewlineKind {
    /// `\n`.
    Lf,
    /// `\r\n`.
    CrLf,
    /// `\r`.
    Cr,
}

/// The linter.
#[derive(Debug, Clone)]
pub struct Analyzers {
    /// Whether rules run at all.
    pub enabled: bool,
    /// Whether to say which configuration file is used.
    pub verbose: bool,
    /// What files say about rules; see [`Config::rule_level`] for the effective level.
    pub rules: BTreeMap<SmolStr, RuleSettings>,
    /// The effective level of every rule: all of them are asked for at each file.
    pub(crate) levels: FxHashMap<SmolStr, Level>,
}

/// What files say about a rule.
#[derive(Debug, Clone, Default)]
pub struct RuleSettings {
    /// How loud it is.
    pub level: Option<Setting<Level>>,
    /// Its options as written, without the level.
    pub options: serde_json::Map<String, serde_json::Value>,
}

/// Short names for places that hold artifacts.
#[derive(Debug, Clone, Default)]
pub struct Aliases {
    /// For `br/ALIAS:` in modules.
    pub modules: BTreeMap<SmolStr, RegistryAlias>,
    /// For `br/ALIAS:` in extensions; a module alias stands in for one that is not here.
    pub extensions: BTreeMap<SmolStr, RegistryAlias>,
    /// For `ts/ALIAS:`.
    pub template_specs: BTreeMap<SmolStr, TemplateSpecAlias>,
    /// Folders that stand in for module aliases.
    pub mocks: BTreeMap<SmolStr, MockAlias>,
}

/// A place in a registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistryAlias {
    /// The registry; files may forget it.
    pub registry: Option<SmolStr>,
    /// The path in front of what a reference names.
    pub path: Option<SmolStr>,
    /// Where it was written.
    pub origin: Origin,
}

/// A place with template specs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateSpecAlias {
    /// The subscription; files may forget it.
    pub subscription: Option<SmolStr>,
    /// The resource group; files may forget it.
    pub resource_group: Option<SmolStr>,
    /// Where it was written.
    pub origin: Origin,
}

/// A folder that stands in for a place in a registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MockAlias {
    /// The folder; files may forget it.
    pub folder: Option<Utf8PathBuf>,
}

/// The cloud to talk to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cloud {
    /// The name of the profile in use.
    pub profile: SmolStr,
    /// The address of the resource manager.
    pub resource_manager_endpoint: SmolStr,
    /// The address that issues tokens.
    pub active_directory_authority: SmolStr,
    /// Where credentials are looked for, in this order.
    pub credential_precedence: Vec<SmolStr>,
    /// A managed identity, when the configuration names one.
    pub managed_identity: Option<ManagedIdentity>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ManagedIdentity {
    /// The machine's own.
    System,
    /// One of the user's, by client.
    Client(SmolStr),
    /// One of the user's, by resource.
    Resource(SmolStr),
}

/// How documentation of modules is generated.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Documentation {
    /// The name of the generated file.
    pub output_file: SmolStr,
    /// The template that makes the text.
    pub template_file: Option<Utf8PathBuf>,
    /// The folder in which the template finds its parts.
    pub include_root: Option<Utf8PathBuf>,
    /// Values that the template may use.
    pub values: BTreeMap<SmolStr, SmolStr>,
    /// The examples that are shown.
    pub examples: ExampleSettings,
}

/// Which usage examples are shown with a module.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExampleSettings {
    /// Where examples are looked for.
    pub sources: Vec<ExampleSource>,
    /// Examples that belong to another module than the one they lie in.
    pub reassignments: Vec<ExampleReassignment>,
}

/// A folder with examples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExampleSource {
    /// The folder, relative to the module.
    pub path: SmolStr,
    /// Patterns of files to take.
    pub include: Vec<SmolStr>,
    /// Patterns of files to leave out.
    pub exclude: Vec<SmolStr>,
}

/// Examples that belong to another module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExampleReassignment {
    /// Patterns of examples to move.
    pub include: Vec<SmolStr>,
    /// Patterns of examples to leave.
    pub exclude: Vec<SmolStr>,
    /// The module they are shown with.
    pub to: SmolStr,
}

impl Config {
    /// The nearest configuration file; none when only the built-in configuration holds.
    pub fn path(&self) -> Option<&Utf8Path> {
        self.file().map(|file| file.path())
    }

    /// Whether a feature is switched on.
    pub fn has(&self, feature: Feature) -> bool {
        self.features.contains(&feature)
    }

    /// How loud a rule is.
    pub fn rule_level(&self, code: &str) -> Level {
        if !self.analyzers.enabled {
            return Level::Off;
        }
        self.analyzers.levels.get(code).copied().unwrap_or(Level::Warning)
    }

    /// An option of a rule, as written.
    pub fn rule_option(&self, code: &str, option: &str) -> Option<&serde_json::Value> {
        self.analyzers.rules.get(code)?.options.get(option)
    }

    /// The place in a file that an origin means; none for what is built in.
    pub fn place(&self, origin: Origin) -> Option<SourceLocation> {
        let file = self.layers.get(origin.layer)?.file.as_ref()?;
        Some(SourceLocation { file: Arc::clone(file), range: origin.range })
    }

    /// Where a setting was written, by the keys that lead to it; none for what is built in.
    pub fn place_of(&self, path: &[&str]) -> Option<SourceLocation> {
        self.place(self.tree.at(path)?.origin)
    }

    /// The whole effective configuration as plain JSON, under today's names.
    pub fn to_json(&self) -> serde_json::Value {
        self.tree.to_json()
    }

    /// The folder of the file in which a value was written.
    pub(crate) fn folder_of(&self, origin: Origin) -> Option<&Utf8Path> {
        self.layers.get(origin.layer)?.file.as_ref()?.path().parent()
    }

    /// The files that it is made of, from the lowest on.
    pub fn files(&self) -> impl Iterator<Item = &Arc<SourceFile>> {
        self.layers.iter().filter_map(|layer| layer.file.as_ref())
    }

    pub(crate) fn file(&self) -> Option<&Arc<SourceFile>> {
        self.layers.last().and_then(|layer| layer.file.as_ref())
    }

    /// The configuration file as a message names it.
    pub(crate) fn shown_path(&self) -> String {
        match self.path() {
            Some(path) => format!("\"{path}\""),
            None => "the built-in configuration".to_owned(),
        }
    }

    /// The start of the configuration file: the place of what is missing there.
    pub(crate) fn start(&self) -> Option<SourceLocation> {
        Some(SourceLocation { file: Arc::clone(self.file()?), range: TextRange::default() })
    }
}

impl Origin {
    /// Whether the value is a default, written in no file.
    pub fn is_built_in(self) -> bool {
        self.layer == BUILT_IN
    }
}
