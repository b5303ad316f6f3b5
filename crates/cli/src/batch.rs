//! Compiling many files, each to a file of its own: arguments come in; what was made is written, and reported.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use base::FileReport;
use bicep_sema::FileId;
use bicep_syntax::Dialect;
use camino::{Utf8Path, Utf8PathBuf};
use config::Feature;
use project::Compilation;

use crate::compile::{self, CompileArgs, Replaced, Sound};
use crate::failure::Failure;
use crate::inputs::{self, Input, InputArgs};
use crate::interrupt;
use crate::outputs::OutputArgs;
use crate::parallel;
use crate::report::{self, DiagnosticsFormat};
use crate::session::{Session, Status};

/// The files to compile.
pub(crate) struct Batch {
    /// From the root on, in the order of the arguments.
    pub(crate) entries: Vec<Utf8PathBuf>,
    inputs: BTreeMap<Utf8PathBuf, Input>,
}

/// How a batch is worked on.
#[derive(Clone, Copy)]
pub(crate) struct How<'a> {
    pub(crate) compile: CompileArgs,
    /// The format of the report, on standard error.
    pub(crate) diagnostics_format: DiagnosticsFormat,
    pub(crate) replaced: Option<Replaced<'a>>,
}

/// One file of a batch.
pub(crate) struct Entry<'e> {
    pub(crate) compilation: &'e Compilation<'e>,
    pub(crate) file: FileId,
    pub(crate) input: &'e Input,
    /// Whether it can be compiled. If not, the report says why.
    pub(crate) is_sound: bool,
    found: &'e Mutex<Vec<FileReport>>,
}

impl Entry<'_> {
    /// Adds to the report what was found when the file was written.
    pub(crate) fn tell(&self, reports: Vec<FileReport>) {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).extend(reports);
    }
}

/// What a batch came to.
pub(crate) struct BatchResult {
    pub(crate) status: Status,
    /// Every file and folder that was looked at.
    pub(crate) sources: BTreeSet<Utf8PathBuf>,
}

impl Batch {
    /// The files of one dialect. Those of the other in folders and patterns have a command of their own.
    pub(crate) fn find(
        dialect: Dialect,
        args: &InputArgs,
        outputs: &OutputArgs,
        session: &Session,
    ) -> Result<Self, Failure> {
        let mut found = args.resolve()?;
        let is_search = found.len() != 1 || args.has_pattern();
        let (wanted, other) = match dialect {
            Dialect::Bicep => ("bicep", "bicepparam"),
            Dialect::Params => ("bicepparam", "bicep"),
        };
        found.retain(|input| !is_search || input.path.extension() != Some(other));
        inputs::warn_if_none(&found, session)?;
        outputs.check(&found, args.has_pattern())?;
        let mut batch = Self { entries: Vec::new(), inputs: BTreeMap::new() };
        for input in found {
            let is_wanted = input.path.extension().is_some_and(|it| it.eq_ignore_ascii_case(wanted));
            if input.is_stdin || !is_wanted && !input.path.is_dir() {
                return Err(match dialect {
                    Dialect::Bicep => Failure::not_a_bicep_file(&input.path),
                    Dialect::Params => Failure::not_a_parameter_file(&input.path),
                });
            }
            let path = session.absolute(&input.path)?;
            batch.entries.push(path.clone());
            batch.inputs.insert(path, input);
        }
        Ok(batch)
    }

    /// Compiles all files and lets `put` write each, on all cores; then reports.
    pub(crate) fn run(
        &self,
        how: How<'_>,
        session: &Session,
        put: impl Fn(&Entry<'_>) -> Result<(), Failure> + Sync,
    ) -> Result<BatchResult, Failure> {
        interrupt::spare_files();
        let parts = compile::map_batches(&self.entries, how.replaced, how.compile, session, |compilation| {
            Ok(self.work(compilation, &put))
        })?;
        let (mut reports, mut sources) = (Vec::new(), BTreeSet::new());
        let (mut experimental, mut failures) = (BTreeSet::new(), Vec::new());
        for part in parts {
            reports.push(part.reports);
            sources.extend(part.sources);
            experimental.extend(part.experimental);
            failures.extend(part.failures);
        }
        if failures.contains(&Failure::Closed) {
            return Err(Failure::Closed);
        }
        let reports = compile::joined(reports, &self.entries);
        if !experimental.is_empty() && how.diagnostics_format == DiagnosticsFormat::Text {
            report::warn_of_experimental(session, experimental)?;
        }
        report::write_beside_output(session, &reports, how.diagnostics_format)?;
        // A failure may follow from what the report says.
        failures.iter().for_each(|failure| session.output.failure(failure));
        let status =
            Status::from_findings(!failures.is_empty() || reports.iter().any(FileReport::has_errors));
        Ok(BatchResult { status, sources })
    }

    fn work(
        &self,
        compilation: &Compilation<'_>,
        put: &(impl Fn(&Entry<'_>) -> Result<(), Failure> + Sync),
    ) -> ProgramOutcome {
        let program = compilation.program();
        let mut reports = compile::reports(compilation);
        let sound = Sound::new(program, &reports);
        let found = Mutex::new(Vec::new());
        let results = parallel::map(program.entries(), |(path, loaded)| {
            let file = *loaded.as_ref().map_err(|error| Failure::unreadable(path, error))?;
            let Some(input) = self.inputs.get(path) else { return Ok(()) };
            let is_sound = sound.contains(file);
            put(&Entry { compilation, file, input, is_sound, found: &found })
        });
        let failures = results.into_iter().filter_map(Result::err).collect();
        let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.into_iter().for_each(|report| report::add(&mut reports, report));
        let sources = compilation.sources().map(Utf8Path::to_owned).collect();
        ProgramOutcome { reports, failures, sources, experimental: compilation.experimental_features() }
    }
}

/// What one program of a batch came to.
struct ProgramOutcome {
    reports: Vec<FileReport>,
    /// What failed that is not in the reports.
    failures: Vec<Failure>,
    sources: Vec<Utf8PathBuf>,
    experimental: BTreeSet<Feature>,
}
