//! Which files are analysed: templates among all the JSON of a folder, Bicep files, and the parameter files beside them.

use base::{FileReport, World as _};
use camino::{Utf8Path, Utf8PathBuf};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use ignore::WalkBuilder;
use rules::Rule;

use crate::analysis::{self, Checked, Looked};
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
    /// JSON files, and whether each was named: a file that was found and is no template is passed over.
    json: Vec<(Utf8PathBuf, bool)>,
    /// Bicep files, from the root on.
    pub(crate) bicep: Vec<Utf8PathBuf>,
    pub(crate) parameters: Option<Utf8PathBuf>,
}

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

    /// Finds the files. Those of a folder are sorted.
    pub(crate) fn resolve(&self, session: &Session) -> Result<Files, Failure> {
        let mut files = Files { parameters: self.parameters.clone(), ..Files::default() };
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

    fn add(&mut self, path: Utf8PathBuf, named: bool, session: &Session) -> Result<(), Failure> {
        match path.extension() {
            Some("bicep") => self.bicep.push(session.absolute(&path)?),
            _ => self.json.push((path, named)),
        }
        Ok(())
    }

    /// Runs rules over the templates, on all cores.
    pub(crate) fn templates(&self, rules: &[Rule], session: &Session) -> Vec<Result<Vec<Checked>, Problem>> {
        parallel::map(&self.json, |(path, named)| self.template(path, *named, (rules, session)))
    }

    fn template(
        &self,
        path: &Utf8Path,
        named: bool,
        (rules, session): (&[Rule], &Session),
    ) -> Result<Vec<Checked>, Problem> {
        let file = session.world.read_source(path);
        let file = file.map_err(|error| Problem::Failure(Failure::unreadable(path, &error)))?;
        let parameters =
            analysis::parameter_files(path, self.parameters.as_deref(), session).map_err(Problem::Failure)?;
        let mut all = Vec::new();
        for parameters in parameters {
            match analysis::template(&file, parameters.as_ref(), rules) {
                Looked::Checked(checked) => all.push(*checked),
                Looked::NotATemplate if named => return Err(Problem::Failure(Failure::no_template(path))),
                Looked::Broken(report) if named => return Err(Problem::Report(Box::new(report))),
                // Folders hold all kinds of JSON; only what says that it is a template is one.
                Looked::Broken(report) if file.text().contains("deploymentTemplate.json") => {
                    return Err(Problem::Report(Box::new(report)));
                }
                Looked::NotATemplate | Looked::Broken(_) => return Ok(Vec::new()),
            }
        }
        Ok(all)
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
