//! Some entry files with everything they refer to: their program comes in; what is wrong with each file, its template and
//! its parameters go out, each computed when first asked for.

use std::sync::Arc;

use base::suppression::unless_compiler_error;
use base::{FileReport, ReadError};
use bicep_emit::parameters::{ParameterOptions, Parameters, parameters};
use bicep_emit::validation::{Clocks, check_values};
use bicep_emit::{Emitted, Emitter, Generator, Templates};
use bicep_sema::memo::{Memo, Table};
use bicep_sema::{BicepFile, FileId, Model, Program, Setup};
use bicep_syntax::suppressions;
use camino::{Utf8Path, Utf8PathBuf};

/// What results depend on beside the files.
#[derive(Clone)]
pub struct Options {
    /// Who templates are said to be made by.
    pub generator: Generator,
    /// The date from which the linter counts the age of API versions. Without it their age is not judged.
    pub today: Option<bicep_lint::Date>,
    /// What tells how long validators have been running.
    pub clocks: Option<Clocks>,
}

/// Results of all compilations with the same options and resource types.
#[derive(Default)]
pub(crate) struct Tables {
    pub(crate) memo: Arc<Memo>,
    reports: Table<Arc<FileReport>>,
    templates: Table<Arc<Emitted>>,
    parameters: Table<Option<Arc<Parameters>>>,
}

impl Tables {
    /// Forgets files that are not kept.
    pub(crate) fn retain(&self, is_kept: impl Fn(&Utf8Path) -> bool) {
        self.memo.retain(&is_kept);
        self.reports.retain(&is_kept);
        self.templates.retain(&is_kept);
        self.parameters.retain(&is_kept);
    }
}

/// Some entry files with everything they refer to.
pub struct Compilation {
    program: Program<'static>,
    emitted: Arc<Templates>,
    options: Arc<Options>,
    tables: Arc<Tables>,
}

impl Compilation {
    /// Loads entry files and everything they refer to.
    pub fn load(setup: Setup<'static>, entries: &[Utf8PathBuf], options: Arc<Options>) -> Self {
        Self::load_with(setup, entries, options, Arc::default())
    }

    pub(crate) fn load_with(
        setup: Setup<'static>,
        entries: &[Utf8PathBuf],
        options: Arc<Options>,
        tables: Arc<Tables>,
    ) -> Self {
        let program = Program::load(setup.with_memo(Arc::clone(&tables.memo)), entries);
        let emitted = Arc::new(Templates::new(&program));
        Self { program, emitted, options, tables }
    }

    /// The program: all files with their trees, configurations, models and interfaces.
    pub fn program(&self) -> &Program<'static> {
        &self.program
    }

    /// The first entry file; none when it cannot be read.
    pub fn entry(&self) -> Option<FileId> {
        self.program.entries().first().and_then(|(_, loaded)| loaded.as_ref().ok()).copied()
    }

    /// Why the first entry file cannot be read.
    pub fn read_error(&self) -> Option<&ReadError> {
        self.program.entries().first().and_then(|(_, loaded)| loaded.as_ref().err())
    }

    /// The first entry file with its tree and its configuration, if it is a Bicep or parameter file.
    pub fn bicep(&self) -> Option<&BicepFile> {
        self.program.bicep(self.entry()?)
    }

    /// The meaning of the first entry file.
    pub fn model(&self) -> Option<&Model> {
        self.program.model(self.entry()?)
    }

    /// Everything that is wrong with a file: its syntax, its meaning, its values, its style, without what the file itself
    /// silences.
    pub fn report(&self, file: FileId) -> Arc<FileReport> {
        self.tables.reports.get(&self.program, file, || Arc::new(self.make_report(file)))
    }

    /// The template of a file, with those of its modules in it. Of a file with errors it is some template.
    pub fn template(&self, file: FileId) -> Arc<Emitted> {
        if let Some(known) = self.tables.templates.find(&self.program, file) {
            return known;
        }
        for part in self.program.closure(file) {
            if let Some(known) = self.tables.templates.find(&self.program, *part) {
                self.emitted.put(*part, known);
            }
        }
        self.tables.templates.get(&self.program, file, || self.emitter().template(file))
    }

    /// What a parameter file assigns, without the values of external inputs. `None`: the file is none.
    ///
    /// The numbers of files in it are those of a compilation with this one entry file.
    pub fn parameters(&self, file: FileId) -> Option<Arc<Parameters>> {
        let make = || parameters(&self.program, file, &ParameterOptions::default()).map(Arc::new);
        if self.program.entries().len() == 1 && self.entry() == Some(file) {
            return self.tables.parameters.get(&self.program, file, make);
        }
        make()
    }

    /// Whether neither a file nor anything it refers to has errors, so that its template can be used.
    pub fn is_sound(&self, file: FileId) -> bool {
        self.program.closure(file).iter().all(|part| !self.report(*part).has_errors())
    }

    /// What writes the templates of the program.
    pub fn emitter(&self) -> Emitter<'_> {
        Emitter::sharing(&self.program, self.options.generator.clone(), Arc::clone(&self.emitted))
    }

    fn make_report(&self, file: FileId) -> FileReport {
        let mut report = self.program.report(file);
        let Some(bicep) = self.program.bicep(file) else { return report };
        let lint = bicep_lint::Options { today: self.options.today };
        let mut findings = bicep_lint::lint(&self.program, file, &lint);
        let values = self.parameters(file);
        findings.extend(values.iter().flat_map(|values| values.diagnostics.iter().cloned()));
        let lines = bicep.source.lines();
        let silenced = suppressions(bicep.tree(), lines);
        silenced.apply(&mut findings, lines, unless_compiler_error);
        report.diagnostics.append(&mut findings);
        let others = self.program.closure(file).iter().filter(|part| **part != file);
        let is_sound = !report.has_errors() && others.clone().all(|part| !self.report(*part).has_errors());
        let emitter = self.emitter();
        // Only sound files have values that validators can be asked about.
        if is_sound && emitter.has_validators() {
            let mut found = check_values(&emitter, file, self.options.clocks);
            silenced.apply(&mut found, lines, unless_compiler_error);
            report.diagnostics.append(&mut found);
        }
        FileReport::new(report.file, report.diagnostics)
    }
}
