//! Some entry files with everything they refer to: their program comes in; what is wrong with each file, its template and
//! its parameters go out, each computed when first asked for.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use base::suppression::unless_compiler_error;
use base::{FileReport, ReadError};
use bicep_emit::parameters::{ExternalInputForm, ParameterOptions, Parameters, parameters};
use bicep_emit::validation::{Clocks, check_parameters, check_values};
use bicep_emit::{Emitted, Emitter, Generator, Templates};
use bicep_sema::memo::{Memo, Table};
use bicep_sema::{BicepFile, FileId, Model, Program, Setup};
use bicep_syntax::suppressions;
use camino::{Utf8Path, Utf8PathBuf};
use config::Feature;

/// What results depend on beside the files.
#[derive(Clone)]
pub struct Options {
    /// Who templates are said to be made by. Parameter files are written the way this program does it.
    pub generator: Generator,
    /// The date from which the linter counts the age of API versions. Without it their age is not judged.
    pub today: Option<bicep_lint::Date>,
    /// What tells how long validators have been running.
    pub clocks: Option<Clocks>,
}

impl Options {
    /// How external inputs are written unless somebody says otherwise: as whoever the output is said to be made by does it.
    pub fn external_inputs(&self) -> ExternalInputForm {
        if self.generator.name == "bicep" { ExternalInputForm::Azure } else { ExternalInputForm::Seed }
    }
}

/// Results of all compilations with the same options and resource types.
#[derive(Default)]
pub(crate) struct Tables {
    pub(crate) memo: Arc<Memo>,
    findings: Table<Arc<FileReport>>,
    reports: Table<Arc<FileReport>>,
    templates: Table<Arc<Emitted>>,
    parameters: Table<Option<Arc<Parameters>>>,
}

impl Tables {
    /// Forgets files that are not kept.
    pub(crate) fn retain(&self, is_kept: impl Fn(&Utf8Path) -> bool) {
        self.memo.retain(&is_kept);
        self.findings.retain(&is_kept);
        self.reports.retain(&is_kept);
        self.templates.retain(&is_kept);
        self.parameters.retain(&is_kept);
    }
}

/// Some entry files with everything they refer to.
pub struct Compilation<'w> {
    program: Program<'w>,
    options: Arc<Options>,
    emitted: Arc<Templates>,
    findings: Vec<OnceLock<Arc<FileReport>>>,
    reports: Vec<OnceLock<Arc<FileReport>>>,
    parameters: Vec<OnceLock<Option<Arc<Parameters>>>>,
    /// What is shared with compilations of other revisions; none when there will be no other.
    tables: Option<Arc<Tables>>,
}

impl Compilation<'static> {
    pub(crate) fn sharing(
        setup: Setup<'static>,
        entries: &[Utf8PathBuf],
        options: Arc<Options>,
        tables: Arc<Tables>,
    ) -> Self {
        let made = Self::load(setup.with_memo(Arc::clone(&tables.memo)), entries, options);
        Self { tables: Some(tables), ..made }
    }
}

impl<'w> Compilation<'w> {
    /// Loads entry files and everything they refer to.
    pub fn load(setup: Setup<'w>, entries: &[Utf8PathBuf], options: Arc<Options>) -> Self {
        Self::of(Program::load(setup, entries), options)
    }

    /// A compilation of a program that is loaded already.
    pub fn of(program: Program<'w>, options: Arc<Options>) -> Self {
        fn slots<T>(program: &Program<'_>) -> Vec<OnceLock<T>> {
            program.files().map(|_| OnceLock::new()).collect()
        }
        Self {
            options,
            emitted: Arc::new(Templates::new(&program)),
            findings: slots(&program),
            reports: slots(&program),
            parameters: slots(&program),
            tables: None,
            program,
        }
    }

    /// The program: all files with their trees, configurations, models and interfaces.
    pub fn program(&self) -> &Program<'w> {
        &self.program
    }

    /// What the results depend on beside the files.
    pub fn options(&self) -> &Options {
        &self.options
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

    /// What is wrong with a file itself: its syntax, its meaning, its values, its style, without what the file silences.
    pub fn findings(&self, file: FileId) -> Arc<FileReport> {
        let make = || Arc::new(self.find(file));
        let table = self.tables.as_ref().map(|tables| &tables.findings);
        self.remembered(&self.findings, table, file, make)
    }

    /// Everything that is wrong with a file: the same, and what validators say about its values.
    pub fn report(&self, file: FileId) -> Arc<FileReport> {
        let make = || self.validated(file);
        let table = self.tables.as_ref().map(|tables| &tables.reports);
        self.remembered(&self.reports, table, file, make)
    }

    /// The template of a file, with those of its modules in it. Of a file with errors it is some template.
    pub fn template(&self, file: FileId) -> Arc<Emitted> {
        let Some(tables) = &self.tables else { return self.emitter().template(file) };
        for part in self.program.closure(file) {
            if let Some(known) = tables.templates.find(&self.program, *part) {
                self.emitted.put(*part, known);
            }
        }
        tables.templates.get(&self.program, file, || self.emitter().template(file))
    }

    /// What a parameter file assigns, without the values of external inputs. `None`: the file is none.
    pub fn parameters(&self, file: FileId) -> Option<Arc<Parameters>> {
        let options = ParameterOptions {
            external_inputs: self.options.external_inputs(),
            ..ParameterOptions::default()
        };
        let make = || parameters(&self.program, file, &options).map(Arc::new);
        // Parameters name files by their numbers, which only compilations of this one entry file have in common.
        let is_only = self.program.entries().len() == 1 && self.entry() == Some(file);
        let table = self.tables.as_ref().filter(|_| is_only).map(|tables| &tables.parameters);
        self.remembered(&self.parameters, table, file, make)
    }

    /// Whether neither a file nor anything it refers to has errors, so that its template can be used.
    pub fn is_sound(&self, file: FileId) -> bool {
        self.program.closure(file).iter().all(|part| !self.report(*part).has_errors())
    }

    /// What writes the templates of the program.
    pub fn emitter(&self) -> Emitter<'_> {
        Emitter::sharing(&self.program, self.options.generator.clone(), Arc::clone(&self.emitted))
    }

    /// The experimental features that its files have switched on.
    pub fn experimental_features(&self) -> BTreeSet<Feature> {
        let files = self.program.files().filter_map(|file| self.program.bicep(file));
        let all = || Feature::ALL.into_iter().map(|(feature, ..)| feature).filter(|it| it.is_experimental());
        files.flat_map(|bicep| all().filter(|feature| bicep.config.has(*feature))).collect()
    }

    /// Its files and everything that they load.
    pub fn sources(&self) -> impl Iterator<Item = &Utf8Path> {
        let own = self.program.files().map(|file| self.program.unit(file).source().path());
        let models = self.program.files().filter_map(|file| self.program.model(file));
        own.chain(models.flat_map(Model::loaded))
    }

    fn remembered<T: Clone>(
        &self,
        slots: &[OnceLock<T>],
        table: Option<&Table<T>>,
        file: FileId,
        make: impl FnOnce() -> T,
    ) -> T {
        let make = || match table {
            Some(table) => table.get(&self.program, file, make),
            None => make(),
        };
        match slots.get(file.index()) {
            Some(slot) => slot.get_or_init(make).clone(),
            None => make(),
        }
    }

    fn find(&self, file: FileId) -> FileReport {
        let mut report = self.program.report(file);
        let Some(bicep) = self.program.bicep(file) else { return report };
        let lint = bicep_lint::Options { today: self.options.today };
        let mut findings = bicep_lint::lint(&self.program, file, &lint);
        let values = self.parameters(file);
        findings.extend(values.iter().flat_map(|values| values.diagnostics.iter().cloned()));
        suppressions(bicep.tree(), &bicep.source).apply(&mut findings, &bicep.source, unless_compiler_error);
        report.diagnostics.append(&mut findings);
        FileReport::new(report.file, report.diagnostics)
    }

    /// Only files that are sound have values that validators can be asked about.
    fn validated(&self, file: FileId) -> Arc<FileReport> {
        let findings = self.findings(file);
        let (emitter, closure) = (self.emitter(), self.program.closure(file));
        let Some(bicep) = self.program.bicep(file).filter(|_| emitter.has_validators()) else {
            return findings;
        };
        if closure.iter().any(|part| self.findings(*part).has_errors()) {
            return findings;
        }
        let mut found = match self.parameters(file) {
            Some(values) => check_parameters(&emitter, file, &values, self.options.clocks),
            None => check_values(&emitter, file, self.options.clocks),
        };
        suppressions(bicep.tree(), &bicep.source).apply(&mut found, &bicep.source, unless_compiler_error);
        found.extend(findings.diagnostics.iter().cloned());
        Arc::new(FileReport::new(Arc::clone(&findings.file), found))
    }
}
