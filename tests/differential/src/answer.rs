//! What the library says about a case.

use base::suppression::unless_compiler_error;
use base::{FileReport, MemoryWorld, SourceFile};
use bicep_emit::parameters::{ExternalInputForm, ParameterOptions, parameters};
use bicep_emit::{Emitter, Generator, Options};
use bicep_sema::{FileId, Program, Setup};
use bicep_syntax::suppressions;
use camino::Utf8PathBuf;

use crate::recording::Finding;
use crate::{Case, Recording, Types};

/// The folder of a case. Only its name could be seen, and nothing shows it.
const FOLDER: &str = "/case";

/// A case as a program, which is loaded once for all kinds.
pub struct Answers<'p> {
    program: &'p Program<'p>,
    entry: FileId,
}

/// Loads a case and does some work with it. `None` where its entry is not there.
pub fn with_case<T>(
    case: &Case,
    recording: &Recording,
    types: &Types,
    work: impl FnOnce(&Answers<'_>) -> T,
) -> Option<T> {
    let place = |name: &str| Utf8PathBuf::from(format!("{FOLDER}/{name}"));
    let world = case
        .files
        .iter()
        .fold(MemoryWorld::new(), |world, (name, key)| world.with_file(place(name), recording.blob(key)));
    let program = Program::load(Setup::new(&world).with_types(types), &[place(&case.entry)]);
    let entry = program.entries().first().and_then(|(_, loaded)| loaded.as_ref().ok().copied())?;
    Some(work(&Answers { program: &program, entry }))
}

impl Answers<'_> {
    /// The diagnostics of the entry file, sorted.
    pub fn diagnostics(&self) -> Vec<Finding> {
        let Some(report) = report(self.program, self.entry) else { return Vec::new() };
        let mut found: Vec<Finding> = report.diagnostics.iter().map(|it| finding(it, &report.file)).collect();
        found.sort();
        found
    }

    /// The template, or the parameters of a parameter file. Nothing where a file has errors.
    pub fn build(&self) -> String {
        let program = self.program;
        let has_errors = |file| report(program, file).is_some_and(|report| report.has_errors());
        if program.files().any(has_errors) {
            return String::new();
        }
        let options = ParameterOptions { external_inputs: ExternalInputForm::Azure, ..Default::default() };
        if let Some(parameters) = parameters(program, self.entry, &options) {
            return json::to_pretty(&parameters.document());
        }
        let generator = Generator { name: "bicep".to_owned(), version: "dev".to_owned() };
        let emitter = Emitter::new(program, Options { generator });
        json::to_pretty(&emitter.template(self.entry).template)
    }

    /// The text of the entry in the standard layout.
    pub fn format(&self) -> String {
        let Some(bicep) = self.program.bicep(self.entry) else { return String::new() };
        bicep_format::format(&bicep.parse, &bicep.config.formatting.into())
    }
}

/// What is wrong with a file, as the commands say it: its syntax, its meaning, its values, its style.
fn report(program: &Program<'_>, file: FileId) -> Option<FileReport> {
    let bicep = program.bicep(file)?;
    let mut report = program.report(file);
    let mut findings = bicep_lint::lint(program, file, &bicep_lint::Options::default());
    let values = parameters(program, file, &ParameterOptions::default());
    findings.extend(values.into_iter().flat_map(|values| values.diagnostics));
    let lines = bicep.source.lines();
    suppressions(bicep.tree(), lines).apply(&mut findings, lines, unless_compiler_error);
    report.diagnostics.append(&mut findings);
    Some(FileReport::new(report.file, report.diagnostics))
}

fn finding(diagnostic: &base::Diagnostic, file: &SourceFile) -> Finding {
    let (start, end) = (file.position(diagnostic.range.start()), file.position(diagnostic.range.end()));
    let level = diagnostic.severity.name().to_owned();
    Finding(diagnostic.code.to_string(), level, start.line + 1, start.col + 1, end.line + 1, end.col + 1)
}
