//! A program: some entry files and everything they refer to. Immutable; models are computed when first asked for.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use base::{Diagnostic, FileReport, Held, SourceFile, World};
use bicep_syntax::{Dialect, Node, NodeId, Parse, Tree};
use bicep_types::ResourceTypes;
use bicep_types::resources::Flavour;
use camino::{Utf8Path, Utf8PathBuf};
use config::provider::{Builtin, ProviderSource};
use config::{Config, Loader};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::interface::{Interface, interface};
use crate::load;
use crate::memo::{KnownTemplate, Memo, TemplateMemo, Texts};
use crate::model::Model;

/// The number of a file in its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub(crate) u32);

impl FileId {
    /// The number, for indexing into vectors beside the program.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a program is loaded with.
#[derive(Clone)]
pub struct Setup<'w> {
    pub(crate) world: Held<'w, dyn World>,
    types: Held<'w, dyn TypeSource>,
    pub(crate) configs: Option<Arc<Loader<'w>>>,
    pub(crate) memo: Option<Arc<Memo>>,
    pub(crate) texts: Option<Arc<Texts>>,
    pub(crate) templates: Option<Arc<TemplateMemo>>,
}

impl<'w> Setup<'w> {
    /// A setup in which nothing is known about resource types.
    pub fn new(world: &'w dyn World) -> Self {
        Self {
            world: Held::Borrowed(world),
            types: Held::Borrowed(&NoTypes),
            configs: None,
            memo: None,
            texts: None,
            templates: None,
        }
    }

    /// The same with resource types.
    #[must_use]
    pub fn with_types(self, types: &'w dyn TypeSource) -> Self {
        Self { types: Held::Borrowed(types), ..self }
    }

    /// The same over another world with the same configurations.
    #[must_use]
    pub fn with_world(self, world: &'w dyn World) -> Self {
        Self { world: Held::Borrowed(world), ..self }
    }

    /// The same with the configurations that have been read already. They must be those that the world has.
    #[must_use]
    pub fn with_configs(self, configs: Arc<Loader<'w>>) -> Self {
        Self { configs: Some(configs), ..self }
    }

    /// The same with what earlier programs with the same resource types have found out.
    #[must_use]
    pub fn with_memo(self, memo: Arc<Memo>) -> Self {
        Self { texts: Some(Arc::clone(memo.texts())), memo: Some(memo), ..self }
    }

    /// The same for several programs over the same files: configurations are read once, and what one program found out
    /// is known to the next.
    #[must_use]
    pub fn remembering(self) -> Self {
        let memo = self.memo.clone().unwrap_or_default();
        let configs = self.configs.clone().unwrap_or_else(|| Arc::new(Loader::held(self.world.clone())));
        self.with_configs(configs).with_memo(memo)
    }

    /// The same with texts that have been parsed already.
    #[must_use]
    pub fn with_texts(self, texts: Arc<Texts>) -> Self {
        Self { texts: Some(texts), ..self }
    }

    /// The same with templates in JSON that have been read already. They must have been read with the same resource types.
    #[must_use]
    pub fn with_templates(self, templates: Arc<TemplateMemo>) -> Self {
        Self { templates: Some(templates), ..self }
    }

    /// The outside.
    pub fn world(&self) -> &dyn World {
        &*self.world
    }

    /// Where resource types come from.
    pub fn types(&self) -> &dyn TypeSource {
        &*self.types
    }
}

impl Setup<'static> {
    /// A setup that keeps what it is made of alive, so that a program can be kept too.
    pub fn shared(world: Arc<dyn World>, types: Arc<dyn TypeSource>) -> Self {
        Self {
            world: Held::Shared(world),
            types: Held::Shared(types),
            configs: None,
            memo: None,
            texts: None,
            templates: None,
        }
    }
}

/// Where resource types come from: catalogues that are installed, packages that have been restored.
pub trait TypeSource: Send + Sync {
    /// The types of an extension. The same types are given each time: they are kept as long as the source lives.
    fn types(&self, source: &ProviderSource) -> Result<Arc<ResourceTypes>, MissingTypes>;
}

/// Why there are no types for an extension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MissingTypes {
    /// It has not been restored yet.
    NotRestored,
    /// It could not be read.
    Unreadable(String),
    /// What is in it cannot be used.
    Malformed(String),
}

/// No catalogue is installed and no package is restored.
pub struct NoTypes;

impl TypeSource for NoTypes {
    fn types(&self, source: &ProviderSource) -> Result<Arc<ResourceTypes>, MissingTypes> {
        match source {
            ProviderSource::Builtin(Builtin::Az) => Ok(ResourceTypes::new("az", Flavour::Az, None)),
            ProviderSource::Builtin(Builtin::Kubernetes) => {
                Ok(ResourceTypes::new("kubernetes", Flavour::Kubernetes, None))
            }
            _ => Err(MissingTypes::NotRestored),
        }
    }
}

/// Some entry files and everything they refer to.
pub struct Program<'w> {
    pub(crate) setup: Setup<'w>,
    pub(crate) units: Vec<Unit>,
    /// By paths of the standard library, which sees at once that two are written alike.
    pub(crate) by_path: FxHashMap<PathBuf, FileId>,
    pub(crate) entries: Vec<(Utf8PathBuf, Result<FileId, base::ReadError>)>,
    pub(crate) config_reports: Vec<FileReport>,
    pub(crate) models: Vec<OnceLock<Arc<Model>>>,
    pub(crate) interfaces: Vec<OnceLock<Option<Arc<Interface>>>>,
    pub(crate) closures: Vec<OnceLock<Vec<FileId>>>,
}

/// A file of a program.
#[derive(Debug)]
pub enum Unit {
    /// `.bicep` or `.bicepparam`
    Bicep(BicepFile),
    /// A template in JSON.
    Template(TemplateFile),
}

/// A Bicep file with its tree and its configuration.
#[derive(Debug)]
pub struct BicepFile {
    /// Path and text.
    pub source: Arc<SourceFile>,
    /// Which statements it may have.
    pub dialect: Dialect,
    /// Tree and syntax diagnostics.
    pub parse: Arc<Parse>,
    /// The configuration that holds for it.
    pub config: Arc<Config>,
    /// Where its statements that refer to other files lead, by the statement's node.
    pub(crate) references: BTreeMap<NodeId, Result<Target, Diagnostic>>,
}

/// What a statement refers to.
#[derive(Debug, Clone)]
pub struct Target {
    pub file: FileId,
    /// What was written, with aliases replaced.
    pub reference: config::reference::Reference,
}

/// A template in JSON.
#[derive(Debug)]
pub struct TemplateFile {
    /// Path and text.
    pub source: Arc<SourceFile>,
    /// The parsed text.
    pub parsed: Arc<ParsedTemplate>,
    /// The id of the template spec it comes from, if it comes from one.
    pub template_spec: Option<String>,
    /// What other programs know about it.
    pub(crate) known: Option<Arc<KnownTemplate>>,
}

/// A template in JSON, parsed when somebody first looks into it: of most modules only the interface is needed, and that
/// is kept ([`TemplateMemo`]).
#[derive(Debug)]
pub struct ParsedTemplate {
    source: Arc<SourceFile>,
    is_template_spec: bool,
    parsed: OnceLock<json::Parsed>,
}

impl ParsedTemplate {
    pub(crate) fn new(source: Arc<SourceFile>, is_template_spec: bool) -> Self {
        Self { source, is_template_spec, parsed: OnceLock::new() }
    }
}

impl Deref for ParsedTemplate {
    type Target = json::Parsed;

    fn deref(&self) -> &json::Parsed {
        self.parsed.get_or_init(|| load::parse_template(&self.source, self.is_template_spec))
    }
}

impl BicepFile {
    pub fn tree(&self) -> &Tree {
        &self.parse.tree
    }

    /// The folder it is in.
    pub fn folder(&self) -> &Utf8Path {
        self.source.path().parent().unwrap_or(Utf8Path::new(""))
    }

    /// Where a statement that refers to another file leads. `None`: it refers to nothing, or not to a file.
    pub fn reference(&self, statement: Node<'_>) -> Option<&Result<Target, Diagnostic>> {
        self.references.get(&statement.id())
    }

    /// Where all its statements that refer to other files lead, in their order.
    pub fn references(&self) -> impl Iterator<Item = (NodeId, &Result<Target, Diagnostic>)> {
        self.references.iter().map(|(statement, target)| (*statement, target))
    }
}

impl Unit {
    /// Path and text.
    pub fn source(&self) -> &Arc<SourceFile> {
        match self {
            Self::Bicep(file) => &file.source,
            Self::Template(file) => &file.source,
        }
    }
}

impl<'w> Program<'w> {
    /// Loads entry files and everything they refer to.
    pub fn load(setup: Setup<'w>, entries: &[Utf8PathBuf]) -> Self {
        load::load(setup, entries)
    }

    /// The outside.
    pub fn world(&self) -> &dyn World {
        self.setup.world()
    }

    /// What became of each entry file.
    pub fn entries(&self) -> &[(Utf8PathBuf, Result<FileId, base::ReadError>)] {
        &self.entries
    }

    /// All files.
    pub fn files(&self) -> impl Iterator<Item = FileId> {
        (0..self.units.len()).map(|index| FileId(u32::try_from(index).unwrap_or(u32::MAX)))
    }

    /// A file.
    pub fn unit(&self, file: FileId) -> &Unit {
        #[expect(clippy::indexing_slicing, reason = "ids are only made by the loader of this program")]
        &self.units[file.index()]
    }

    /// A Bicep file.
    pub fn bicep(&self, file: FileId) -> Option<&BicepFile> {
        match self.unit(file) {
            Unit::Bicep(bicep) => Some(bicep),
            Unit::Template(_) => None,
        }
    }

    /// The file at a path.
    pub fn file_at(&self, path: &Utf8Path) -> Option<FileId> {
        self.by_path.get(path.as_std_path()).copied()
    }

    /// What is wrong with the configuration files that were read.
    pub fn config_reports(&self) -> &[FileReport] {
        &self.config_reports
    }

    /// The model of a Bicep file, computed on first use. Files that refer to each other in a circle never get here:
    /// the loader has replaced such references by diagnostics.
    pub fn model(&self, file: FileId) -> Option<&Model> {
        let bicep = self.bicep(file)?;
        let slot = self.models.get(file.index())?;
        let make = || Model::new(self, bicep);
        Some(slot.get_or_init(|| match &self.setup.memo {
            Some(memo) => memo.model(self, file, bicep, make),
            None => Arc::new(make()),
        }))
    }

    /// What the names of a Bicep file mean and which types its resources declare, for whoever needs neither other types nor
    /// diagnostics. Made anew on each call.
    pub fn names(&self, file: FileId) -> Option<Model> {
        Some(Model::unchecked(self, self.bicep(file)?))
    }

    /// What a file shows to other files, computed on first use.
    pub fn interface(&self, file: FileId) -> Option<&Interface> {
        self.shared_interface(file).map(Arc::as_ref)
    }

    pub(crate) fn shared_interface(&self, file: FileId) -> Option<&Arc<Interface>> {
        let make = || interface(self, file).map(Arc::new);
        let slot = self.interfaces.get(file.index())?;
        let interface = slot.get_or_init(|| match (self.unit(file), &self.setup.memo) {
            (Unit::Template(TemplateFile { known: Some(known), .. }), _) => known.interface(make),
            (_, Some(memo)) => memo.interface(self, file, make),
            (_, None) => make(),
        });
        interface.as_ref()
    }

    /// A file and everything it refers to, directly or not, in the order of the program.
    pub fn closure(&self, file: FileId) -> &[FileId] {
        let Some(slot) = self.closures.get(file.index()) else { return &[] };
        slot.get_or_init(|| {
            let mut found = BTreeSet::new();
            let mut open = vec![file];
            while let Some(file) = open.pop() {
                if found.insert(file) {
                    let references = self.bicep(file).into_iter().flat_map(|bicep| bicep.references.values());
                    open.extend(references.flatten().map(|target| target.file));
                }
            }
            found.into_iter().collect()
        })
    }

    /// The resource types of an extension.
    pub fn resource_types(&self, source: &ProviderSource) -> Result<Arc<ResourceTypes>, MissingTypes> {
        self.setup.types.types(source)
    }

    /// Everything that is wrong with a file: its syntax and its meaning, each once, in order, without what the file
    /// itself silences.
    pub fn report(&self, file: FileId) -> FileReport {
        let source = Arc::clone(self.unit(file).source());
        let mut found: Vec<Diagnostic> = Vec::new();
        match self.unit(file) {
            Unit::Template(template) => found.extend(template.parsed.diagnostics.iter().cloned()),
            Unit::Bicep(bicep) => {
                found.extend(bicep.parse.diagnostics.iter().cloned());
                found.extend(
                    self.model(file).into_iter().flat_map(|model| model.diagnostics().iter().cloned()),
                );
                let mut seen = FxHashSet::default();
                found.retain(|it| seen.insert((it.range, it.code.clone(), it.message.clone())));
                let suppressions = bicep_syntax::suppressions(bicep.tree(), &source);
                suppressions.apply(&mut found, &source, base::suppression::unless_compiler_error);
            }
        }
        FileReport::new(source, found)
    }
}
