//! Which files are analysed: templates among all the JSON of a folder, Bicep files, and the parameter files beside them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::{FileReport, SourceFile, World as _};
use camino::{Utf8Path, Utf8PathBuf};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use project::best_practices::SilencedFindings;

use rules::MissingValues;

use crate::analysis::parameters::{self, Beside};
use crate::analysis::{self, AnalysisOptions, Checked, Looked, RuleSet, condense};
use crate::compile::CompileArgs;
use crate::failure::Failure;
use crate::inputs;
use crate::parallel;
use crate::session::Session;

/// The arguments that say which files are analysed.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct FileArgs {
    /// Templates, Bicep files, parameter files, or folders to search for them
    #[arg(value_name = "FILE|DIR", required = true)]
    paths: Vec<Utf8PathBuf>,

    /// Parameter values (JSON or `.bicepparam`), instead of `NAME.parameters*.json` next to the template
    #[arg(long, short = 'p', value_name = "FILE")]
    parameters: Option<Utf8PathBuf>,

    /// Include only files in matching folders, such as `apps/**`; repeatable
    #[arg(long, value_name = "GLOB")]
    include_path: Vec<String>,

    /// Exclude files in matching folders; repeatable
    #[arg(long, value_name = "GLOB")]
    exclude_path: Vec<String>,

    /// Whether to pass over `.bicepparam` files, as the Template Analyzer does.
    #[arg(skip)]
    without_bicepparam: bool,
}

/// The files to analyse.
#[derive(Debug, Default)]
pub(crate) struct Files {
    json: Vec<JsonFile>,
    /// Bicep files and their parameter files, from the root on.
    pub(crate) bicep: Vec<Utf8PathBuf>,
    /// Parameter files in JSON that were named, by their templates.
    parameters: BTreeMap<Utf8PathBuf, Vec<Utf8PathBuf>>,
    seen: BTreeSet<Utf8PathBuf>,
}

/// A file that may be a template.
#[derive(Debug)]
struct JsonFile {
    /// As the user knows it.
    path: Utf8PathBuf,
    /// From the root on.
    absolute: Utf8PathBuf,
    /// Whether it was named: a file that was found and is no template is passed over.
    is_named: bool,
}

/// Files that were read already, from the root on.
pub(crate) type Sources = BTreeMap<Utf8PathBuf, Arc<SourceFile>>;

/// Why a file could not be analysed.
pub(crate) enum Problem {
    /// Said in a sentence.
    Failure(Failure),
    /// Shown in the file.
    Report(Box<FileReport>),
}

impl FileArgs {
    /// A single file or folder, for the Template Analyzer.
    pub(crate) fn of(path: &Utf8Path, parameters: Option<&Utf8PathBuf>) -> Self {
        let (include_path, exclude_path) = (Vec::new(), Vec::new());
        let (paths, parameters) = (vec![path.to_owned()], parameters.cloned());
        Self { paths, parameters, include_path, exclude_path, without_bicepparam: true }
    }

    /// What all files are analysed with.
    pub(crate) fn run<'r>(
        &self,
        files: &Files,
        rules: &'r RuleSet,
        compile: CompileArgs,
        session: &'r Session,
    ) -> Result<AnalysisOptions<'r>, Failure> {
        let given = match &self.parameters {
            None => None,
            Some(path) if path.extension() == Some("bicepparam") => {
                Some(parameters::compiled(path, compile, session)?)
            }
            Some(path) => Some(parameters::read(path, session)?),
        };
        let (named, beside) = (files.parameters.clone(), Beside::default());
        Ok(AnalysisOptions {
            rules,
            given,
            named,
            beside,
            silenced: SilencedFindings::default(),
            missing: MissingValues::Unknown,
            has_offsets: false,
            session,
        })
    }

    /// Finds the files. Those of a folder are sorted.
    pub(crate) fn resolve(&self, session: &Session) -> Result<Files, Failure> {
        let mut files = Files::default();
        let (include, exclude) = (globs(&self.include_path)?, globs(&self.exclude_path)?);
        for path in &self.paths {
            if !path.is_dir() {
                files.add(path.clone(), true, session)?;
                if !self.without_bicepparam && self.parameters.is_none() {
                    beside(path).into_iter().try_for_each(|path| files.add(path, false, session))?;
                }
                continue;
            }
            for input in inputs::below(path, is_candidate)? {
                if self.without_bicepparam && input.path.extension() == Some("bicepparam") {
                    continue;
                }
                let wanted = self.include_path.is_empty() || include.is_match(input.relative.as_std_path());
                if wanted && !exclude.is_match(input.relative.as_std_path()) {
                    files.add(input.path, false, session)?;
                }
            }
        }
        Ok(files)
    }
}

impl Files {
    pub(crate) fn is_empty(&self) -> bool {
        self.json.is_empty() && self.bicep.is_empty()
    }

    fn add(&mut self, path: Utf8PathBuf, is_named: bool, session: &Session) -> Result<(), Failure> {
        let absolute = session.absolute(&path)?;
        if let Some(template) = is_named.then(|| template_of(&absolute)).flatten() {
            self.parameters.entry(template.clone()).or_default().push(absolute);
            return self.add(template, true, session);
        }
        if !self.seen.insert(absolute.clone()) {
            return Ok(());
        }
        match path.extension() {
            Some("bicep" | "bicepparam") => self.bicep.push(absolute),
            _ => self.json.push(JsonFile { path, absolute, is_named }),
        }
        Ok(())
    }

    /// Runs rules over the templates, on all cores. What was read already is not read again.
    pub(crate) fn templates(
        &self,
        run: &AnalysisOptions<'_>,
        read: &Sources,
    ) -> Vec<Result<Vec<Checked>, Problem>> {
        parallel::map(&self.json, |json| {
            let known = read.get(&json.absolute);
            let file = match known {
                Some(file) => Ok(Arc::clone(file)),
                None => run.session.world.read_source(&json.absolute),
            };
            let file = file.map_err(|error| Problem::Failure(Failure::unreadable(&json.path, &error)))?;
            match analysis::template(&file, run).map_err(Problem::Failure)? {
                Looked::Checked(mut checked) => {
                    // What others speak of, too, must stay what they know.
                    if known.is_none() && !run.has_offsets {
                        condense::condense(&mut checked);
                    }
                    Ok(checked)
                }
                Looked::NotATemplate if json.is_named => {
                    Err(Problem::Failure(Failure::no_template(&json.path)))
                }
                // Folders hold all kinds of JSON; only what says that it is a template is one.
                Looked::Broken(report)
                    if json.is_named || file.text().contains("deploymentTemplate.json") =>
                {
                    Err(Problem::Report(Box::new(report)))
                }
                Looked::NotATemplate | Looked::Broken(_) => Ok(Vec::new()),
            }
        })
    }
}

/// The files `main.bicepparam`, `main.test.bicepparam` and the like beside `main.bicep`, sorted.
fn beside(template: &Utf8Path) -> Vec<Utf8PathBuf> {
    let Some(stem) = template.file_stem().filter(|_| template.extension() == Some("bicep")) else {
        return Vec::new();
    };
    let folder = template.parent().filter(|folder| *folder != "").unwrap_or(Utf8Path::new("."));
    let entries = folder.read_dir_utf8().into_iter().flatten().filter_map(Result::ok);
    let names = entries.map(|entry| entry.file_name().to_owned());
    let is_for = |name: &String| {
        let rest = name.strip_prefix(stem).and_then(|rest| rest.strip_suffix("bicepparam"));
        rest.is_some_and(|rest| rest.starts_with('.'))
    };
    let mut found: Vec<_> = names.filter(is_for).map(|name| template.with_file_name(name)).collect();
    found.sort();
    found
}

/// The template that a parameter file in JSON is for, by their names: `main.bicep` or `main.json` for
/// `main.parameters.test.json`.
fn template_of(parameters: &Utf8Path) -> Option<Utf8PathBuf> {
    let name = parameters.file_name()?;
    let at = name.to_ascii_lowercase().find(".parameters").filter(|_| name.ends_with(".json"))?;
    let stem = name.get(..at)?;
    let names = [format!("{stem}.bicep"), format!("{stem}.json")];
    names.into_iter().map(|name| parameters.with_file_name(name)).find(|path| path.is_file())
}

fn is_candidate(path: &Utf8Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_ascii_lowercase();
    match path.extension().map(str::to_ascii_lowercase).as_deref() {
        Some("bicep" | "bicepparam") => true,
        Some("json" | "jsonc") => !name.contains(".parameters"),
        _ => false,
    }
}

fn globs(patterns: &[String]) -> Result<GlobSet, Failure> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let glob = GlobBuilder::new(pattern).literal_separator(true).build();
        set.add(glob.map_err(|error| Failure::bad_pattern(pattern, error.kind()))?);
    }
    set.build().map_err(|error| Failure::bad_pattern("", error.kind()))
}
