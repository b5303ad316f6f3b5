//! What the library says about a case.

use std::sync::Arc;

use base::{MemoryWorld, SourceFile};
use bicep_emit::Generator;
use bicep_sema::{FileId, Setup};
use camino::Utf8PathBuf;
use project::{Compilation, Options};

use crate::recording::Finding;
use crate::{Case, Recording, Types};

/// The folder of a case. Only its name could be seen, and nothing shows it.
const FOLDER: &str = "/case";

/// A case, compiled once for all kinds.
pub struct Answers<'p> {
    compilation: &'p Compilation<'p>,
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
    let compilation = compilation(&world, types, place(&case.entry));
    let entry = compilation.entry()?;
    Some(work(&Answers { compilation: &compilation, entry }))
}

/// An entry file with all it refers to, compiled the way the recording was made.
pub(crate) fn compilation<'w>(
    world: &'w MemoryWorld,
    types: &'w Types,
    entry: Utf8PathBuf,
) -> Compilation<'w> {
    let generator = Generator { name: "bicep".to_owned(), version: "dev".to_owned() };
    let options = Arc::new(Options { generator, today: None, clocks: None });
    Compilation::load(Setup::new(world).with_types(types), &[entry], options)
}

impl Answers<'_> {
    /// The diagnostics of the entry file, sorted.
    pub fn diagnostics(&self) -> Vec<Finding> {
        if self.compilation.bicep().is_none() {
            return Vec::new();
        }
        let report = self.compilation.findings(self.entry);
        let mut found: Vec<Finding> = report.diagnostics.iter().map(|it| finding(it, &report.file)).collect();
        found.sort();
        found
    }

    /// The template, or the parameters of a parameter file. Nothing where a file has errors.
    pub fn build(&self) -> String {
        let program = self.compilation.program();
        let mut sources = program.files().filter(|file| program.bicep(*file).is_some());
        if sources.any(|file| self.compilation.findings(file).has_errors()) {
            return String::new();
        }
        match self.compilation.parameters(self.entry) {
            Some(parameters) => json::to_pretty(&parameters.document()),
            None => json::to_pretty(&self.compilation.template(self.entry).template),
        }
    }

    /// The text of the entry in the standard layout.
    pub fn format(&self) -> String {
        let Some(bicep) = self.compilation.bicep() else { return String::new() };
        bicep_format::format(&bicep.parse, &bicep.config.formatting.into())
    }
}

fn finding(diagnostic: &base::Diagnostic, file: &SourceFile) -> Finding {
    let (start, end) = (file.position(diagnostic.range.start()), file.position(diagnostic.range.end()));
    let level = diagnostic.severity.name().to_owned();
    Finding(diagnostic.code.to_string(), level, start.line + 1, start.col + 1, end.line + 1, end.col + 1)
}
