//! Which files are analysed: templates among all the JSON of a folder, Bicep files, and the parameter files beside them.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{FileReport, SourceFile, World as _};
use camino::{Utf8Path, Utf8PathBuf};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use ignore::WalkBuilder;

use crate::analysis::parameters::{self, Beside};
use crate::analysis::{self, Checked, Looked, RuleSet, Run};
use crate::failure::Failure;
use crate::inputs;
use crate::parallel;
use crate::session::Session;

/// The arguments that say which files are analysed.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct FileArgs {
    /// Templates, Bicep files, or folders to search for both
    #[arg(value_name = "FILE|DIR", required = true)]
    paths: Vec<Utf8PathBuf>,

    /// Parameter values for the templates, instead of the files `NAME.parameters*.json` beside them
    #[arg(long, short = 'p', value_name = "FILE")]
    parameters: Option<Utf8PathBuf>,

    /// Only files of folders that match, such as `apps/**`; may be given several times
    #[arg(long, value_name = "GLOB")]
    include_path: Vec<String>,

    /// No files of folders that match; may be given several times
    #[arg(long, value_name = "GLOB")]
    exclude_path: Vec<String>,
}

/// The files to analyse.
#[derive(Debug, Default)]
pub(crate) struct Files {
    json: Vec<JsonFile>,
    /// Bicep files, from the root on.
    pub(crate) bicep: Vec<Utf8PathBuf>,
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
    /// A single file or folder.
    pub(crate) fn of(path: &Utf8Path, parameters: Option<&Utf8PathBuf>) -> Self {
        let (include_path, exclude_path) = (Vec::new(), Vec::new());
        Self { paths: vec![path.to_owned()], parameters: parameters.cloned(), include_path, exclude_path }
    }

    /// What all files are analysed with.
    pub(crate) fn run<'r>(&self, rules: &'r RuleSet, session: &'r Session) -> Result<Run<'r>, Failure> {
        let given = self.parameters.as_deref().map(|path| parameters::read(path, session)).transpose()?;
        Ok(Run { rules, given, beside: Beside::default(), session })
    }

    /// Finds the files. Those of a folder are sorted.
    pub(crate) fn resolve(&self, session: &Session) -> Result<Files, Failure> {
        let mut files = Files::default();
        let (include, exclude) = (globs(&self.include_path)?, globs(&self.exclude_path)?);
        for path in &self.paths {
            if !path.is_dir() {
                files.add(path.clone(), true, session)?;
                continue;
            }
            let walk = WalkBuilder::new(path).require_git(false).build();
            for input in inputs::found(path, walk, is_candidate)? {
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
        match path.extension() {
            Some("bicep") => self.bicep.push(absolute),
            _ => self.json.push(JsonFile { path, absolute, is_named }),
        }
        Ok(())
    }

    /// Runs rules over the templates, on all cores. What was read already is not read again.
    pub(crate) fn templates(&self, run: &Run<'_>, read: &Sources) -> Vec<Result<Vec<Checked>, Problem>> {
        parallel::map(&self.json, |json| {
            let file = match read.get(&json.absolute) {
                Some(file) => Ok(Arc::clone(file)),
                None => run.session.world.read_source(&json.absolute),
            };
            let file = file.map_err(|error| Problem::Failure(Failure::unreadable(&json.path, &error)))?;
            match analysis::template(&file, run).map_err(Problem::Failure)? {
                Looked::Checked(checked) => Ok(checked),
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

fn is_candidate(path: &Utf8Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_ascii_lowercase();
    match path.extension().map(str::to_ascii_lowercase).as_deref() {
        Some("bicep") => true,
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
