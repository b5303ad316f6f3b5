//! Finding all files of a program: entry files come in; parsed files and where their references lead go out.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use base::{Artifact, ReadError, SourceFile};
use bicep_syntax::ast::{Statement, Str};
use bicep_syntax::{Dialect, Node, Tree, parse};
use camino::{Utf8Path, Utf8PathBuf};
use config::reference::{ArtifactKind, Reference};
use config::{Config, Loader};
use rustc_hash::FxHashMap;

use crate::memo::Parsed;
use crate::messages::files as messages;
use crate::program::{BicepFile, FileId, ParsedTemplate, Program, Setup, Target, TemplateFile, Unit};

/// Loads entry files and everything they refer to, in breadth-first order.
pub(crate) fn load<'w>(setup: Setup<'w>, entries: &[Utf8PathBuf]) -> Program<'w> {
    match setup.configs.clone() {
        Some(configs) => load_with(setup, &configs, entries),
        None => {
            let configs = Loader::held(setup.world.clone());
            load_with(setup, &configs, entries)
        }
    }
}

fn load_with<'w>(setup: Setup<'w>, configs: &Loader<'w>, entries: &[Utf8PathBuf]) -> Program<'w> {
    let mut graph = Graph {
        setup: &setup,
        configs,
        units: Vec::new(),
        by_path: FxHashMap::default(),
        queue: VecDeque::new(),
    };
    let entries = entries.iter().map(|path| (path.clone(), graph.add(path, None))).collect();
    while let Some(file) = graph.queue.pop_front() {
        graph.follow(file);
    }
    cut(&mut graph.units);
    let Graph { units, by_path, .. } = graph;
    let config_reports = configs.reports();
    let count = units.len();
    let (models, interfaces, closures) = (slots(count), slots(count), slots(count));
    Program { setup, units, by_path, entries, config_reports, models, interfaces, closures }
}

fn slots<T>(count: usize) -> Vec<OnceLock<T>> {
    std::iter::repeat_with(OnceLock::new).take(count).collect()
}

struct Graph<'w, 'g> {
    setup: &'g Setup<'w>,
    configs: &'g Loader<'w>,
    units: Vec<Unit>,
    by_path: FxHashMap<PathBuf, FileId>,
    queue: VecDeque<FileId>,
}

impl Graph<'_, '_> {
    /// The file at a path, read if it is new. A template spec is kept with what surrounds its template.
    fn add(&mut self, path: &Utf8Path, template_spec: Option<String>) -> Result<FileId, ReadError> {
        if let Some(file) = self.by_path.get(path.as_std_path()) {
            return Ok(*file);
        }
        let unit = if is_template(path) {
            Unit::Template(self.read_template(path, template_spec)?)
        } else {
            Unit::Bicep(self.read_bicep(path)?)
        };
        let file = FileId(u32::try_from(self.units.len()).unwrap_or(u32::MAX));
        self.units.push(unit);
        self.by_path.insert(path.as_std_path().to_owned(), file);
        self.queue.push_back(file);
        Ok(file)
    }

    fn read_template(
        &self,
        path: &Utf8Path,
        template_spec: Option<String>,
    ) -> Result<TemplateFile, ReadError> {
        let is_template_spec = template_spec.is_some();
        let read = || self.setup.world().read_source(path);
        let make = |source: &Arc<SourceFile>| ParsedTemplate::new(Arc::clone(source), is_template_spec);
        if let Some(templates) = &self.setup.templates {
            let known = templates.template(path, is_template_spec, read)?;
            let source = Arc::clone(known.source());
            let parsed = Arc::new(make(&source));
            return Ok(TemplateFile { source, parsed, template_spec, known: Some(known) });
        }
        let Parsed { source, parsed } = match self.setup.texts.as_deref() {
            Some(texts) => texts.template(read()?, is_template_spec, make),
            None => Parsed::new(read()?, make),
        };
        Ok(TemplateFile { source, parsed, template_spec, known: None })
    }

    fn read_bicep(&self, path: &Utf8Path) -> Result<BicepFile, ReadError> {
        let source = self.setup.world().read_source(path)?;
        let dialect = Dialect::of_path(path.as_str());
        let make = |source: &Arc<SourceFile>| parse(Arc::clone(source.text()), dialect);
        let Parsed { source, parsed } = match self.setup.texts.as_deref() {
            Some(texts) => texts.bicep(source, make),
            None => Parsed::new(source, make),
        };
        let config = self.configs.load_for(path);
        Ok(BicepFile { source, dialect, parse: parsed, config, references: BTreeMap::new() })
    }

    /// Adds everything that a file refers to.
    fn follow(&mut self, file: FileId) {
        let Some(Unit::Bicep(bicep)) = self.units.get(file.index()) else { return };
        let wanted: Vec<FileReference> =
            bicep.tree().file().statements().filter_map(|it| wanted(it, &bicep.config)).collect();
        let folder = bicep.folder().to_owned();
        let mut references = BTreeMap::new();
        for FileReference { statement, path_range, reference, is_deployed } in wanted {
            let target = reference.and_then(|reference| {
                let file = self.resolve(&folder, &reference, path_range)?;
                let unit = self.units.get(file.index());
                match unit {
                    Some(Unit::Bicep(bicep)) if is_deployed && bicep.dialect == Dialect::Params => {
                        Err(messages::not_a_module(path_range))
                    }
                    _ => Ok(Target { file, reference }),
                }
            });
            references.insert(statement, target);
        }
        if let Some(Unit::Bicep(bicep)) = self.units.get_mut(file.index()) {
            bicep.references = references;
        }
    }

    fn resolve(
        &mut self,
        folder: &Utf8Path,
        reference: &Reference,
        range: base::TextRange,
    ) -> Result<FileId, base::Diagnostic> {
        let path = match reference {
            Reference::Local(path) => config::paths::resolve(folder, path.as_path()),
            Reference::Mock(path) => path.clone(),
            Reference::Oci(_) | Reference::TemplateSpec(_) => {
                match self.setup.world().artifact(&reference.to_string()) {
                    Artifact::Restored(folder) => folder.join("main.json"),
                    Artifact::Missing => return Err(messages::not_restored(range, &reference.to_string())),
                    Artifact::Failed(reason) => {
                        return Err(messages::restore_failed(range, &reference.to_string(), &reason));
                    }
                }
            }
        };
        let template_spec = match reference {
            Reference::TemplateSpec(spec) => Some(spec.resource_id()),
            _ => None,
        };
        self.add(&path, template_spec).map_err(|error| messages::cannot_read(range, &path, &error))
    }
}

/// The text with which a statement refers to another file, if it is a kind of statement that does.
pub fn path_of(statement: Statement<'_>) -> Option<Str<'_>> {
    Str::cast(referring_path(statement)?)
}

/// What the statements of a file refer to, with aliases replaced, in their order. What cannot be understood is left out.
pub fn references(tree: &Tree, config: &Config) -> Vec<Reference> {
    tree.file().statements().filter_map(|it| wanted(it, config)?.reference.ok()).collect()
}

/// A template; of a template spec, what is inside of it.
pub(crate) fn parse_template(source: &SourceFile, is_template_spec: bool) -> json::Parsed {
    let mut parsed = json::parse(source.text(), json::Options::jsonc());
    let root = parsed.root.as_ref().filter(|_| is_template_spec);
    if let Some(main) = root.and_then(|root| root.pointer("/properties/mainTemplate")) {
        parsed.root = Some(main.clone());
    }
    parsed
}

fn is_template(path: &Utf8Path) -> bool {
    matches!(path.extension(), Some("json" | "jsonc" | "arm"))
}

/// A statement that refers to another file.
struct FileReference {
    statement: bicep_syntax::NodeId,
    path_range: base::TextRange,
    reference: Result<Reference, base::Diagnostic>,
    /// Whether what it refers to is deployed: parameters cannot be.
    is_deployed: bool,
}

fn wanted(statement: Statement<'_>, config: &Config) -> Option<FileReference> {
    let node = statement.syntax();
    let path = path_of(statement)?;
    let range = path.range();
    let reference = match path.value() {
        None => Err(messages::interpolated_path(range)),
        Some(text) if text.is_empty() => Err(messages::empty_path(range)),
        Some(text) => {
            config::reference::parse(&text, ArtifactKind::Module, config).map_err(|problem| problem.at(range))
        }
    };
    let is_deployed = matches!(statement, Statement::Module(_) | Statement::Test(_));
    Some(FileReference { statement: node.id(), path_range: range, reference, is_deployed })
}

/// The node of the path that a statement refers to, if it is a kind of statement that does.
fn referring_path(statement: Statement<'_>) -> Option<Node<'_>> {
    match statement {
        Statement::Module(module) => Some(module.path_syntax()),
        Statement::Test(test) => Some(test.path_syntax()),
        Statement::Import(import) => import.path().map(Str::syntax),
        Statement::Using(using) => using.path().map(Str::syntax),
        Statement::Extends(extends) => extends.path().map(Str::syntax),
        _ => None,
    }
}

/// Replaces every reference that closes a circle of files by a diagnostic, so that models can ask each other; and every
/// module that makes a template larger than anybody could want, so that there is an end to what is emitted.
fn cut(units: &mut [Unit]) {
    let edges: Vec<Vec<u32>> = units.iter().map(targets).collect();
    let components = base::graph::strongly_connected(&edges);
    let mut is_in_circle = vec![false; units.len()];
    for file in components.iter().filter(|component| component.len() > 1).flatten() {
        is_in_circle.get_mut(*file as usize).into_iter().for_each(|it| *it = true);
    }
    let mut extents = vec![Extent::default(); units.len()];
    for file in components.into_iter().flatten().map(|file| file as usize) {
        let Some(Unit::Bicep(bicep)) = units.get_mut(file) else {
            let text = units.get(file).map_or("", |unit| unit.source().text());
            extents.get_mut(file).into_iter().for_each(|it| *it = Extent::of(text));
            continue;
        };
        let BicepFile { parse, references, dialect, .. } = bicep;
        let mut extent = Extent::of(bicep.source.text());
        for statement in parse.tree.file().statements() {
            let Some(target) = references.get_mut(&statement.syntax().id()) else { continue };
            let (Ok(Target { file: other, .. }), Some(path)) = (&*target, referring_path(statement)) else {
                continue;
            };
            let (other, range) = (other.index(), path.range());
            // Whoever refers to a file of a circle cannot use it. The shortest circle counts.
            let is_own_circle = edges.get(other).is_some_and(|it| it.iter().any(|to| *to as usize == other));
            if is_own_circle || is_in_circle.get(other) == Some(&true) {
                *target = Err(messages::circle(range, is_own_circle, *dialect == Dialect::Params));
            } else if matches!(statement, Statement::Module(_)) {
                match extent.with_module(extents.get(other).copied().unwrap_or_default()) {
                    Some(more) => extent = more,
                    None => *target = Err(messages::too_large(range)),
                }
            }
        }
        extents.get_mut(file).into_iter().for_each(|it| *it = extent);
    }
}

/// What the template of a file comes to, roughly.
#[derive(Debug, Clone, Copy, Default)]
struct Extent {
    bytes: usize,
    depth: usize,
}

impl Extent {
    /// What stands around the template of a module, in bytes.
    const AROUND: usize = 2 << 10;
    /// Azure takes 4 MB.
    const MAX_BYTES: usize = 64 << 20;
    /// Nobody nests like that; but files can, and each level is indented and hashed with all below it.
    const MAX_DEPTH: usize = 100;

    fn of(text: &str) -> Self {
        Self { bytes: text.len(), depth: 1 }
    }

    /// The same with a module in it; none when that is too much.
    fn with_module(self, module: Self) -> Option<Self> {
        let bytes = self.bytes.saturating_add(module.bytes).saturating_add(Self::AROUND);
        let depth = self.depth.max(module.depth + 1);
        (bytes <= Self::MAX_BYTES && depth <= Self::MAX_DEPTH).then_some(Self { bytes, depth })
    }
}

fn targets(unit: &Unit) -> Vec<u32> {
    let Unit::Bicep(bicep) = unit else { return Vec::new() };
    let mut targets: Vec<u32> = bicep.references.values().flatten().map(|target| target.file.0).collect();
    targets.sort_unstable();
    targets
}
