//! Parameters from files and from the command line.

use std::sync::Arc;

use arm::parameters::Inputs;
use arm::{Error, Value};
use base::{FileReport, Severity, SourceFile, World as _};
use bicep_sema::FileId;
use camino::Utf8Path;
use project::Compilation;

use super::Checked;
use super::faults::{self, Origin};
use crate::compile;
use crate::failure::Failure;
use crate::session::Session;

/// Parameters, and what is wrong with the files they come from.
#[derive(Debug, Default)]
pub(crate) struct Read {
    pub(crate) inputs: Inputs,
    pub(crate) reports: Vec<FileReport>,
}

/// Reads parameter files in JSON, and assignments `NAME=VALUE` whose values are JSON or else texts. Later ones win.
pub(crate) fn read<'a>(
    given: impl IntoIterator<Item = &'a String>,
    session: &Session,
) -> Result<Read, Failure> {
    let mut read = Read::default();
    for text in given {
        match text.split_once('=') {
            Some((name, value)) if !Utf8Path::new(text).is_file() => {
                read.inputs.merge(Inputs::of_values([(name.trim(), value_of(value))]));
            }
            _ => read.add_file(Utf8Path::new(text), session)?,
        }
    }
    Ok(read)
}

impl Read {
    fn add_file(&mut self, path: &Utf8Path, session: &Session) -> Result<(), Failure> {
        let file = session.world.read_source(path).map_err(|error| Failure::unreadable(path, &error))?;
        let (inputs, errors) = match document(&file) {
            Ok(node) => Inputs::read(&node),
            Err(report) => {
                self.reports.push(report);
                return Ok(());
            }
        };
        self.add_errors(errors, &file);
        self.inputs.merge(inputs);
        Ok(())
    }

    fn add_errors(&mut self, errors: Vec<Error>, file: &Arc<SourceFile>) {
        let origin = Origin { file: Arc::clone(file), map: None };
        self.reports.extend(faults::reports(errors, &origin));
    }
}

/// What a parameter file in Bicep gives.
#[derive(Debug)]
pub(crate) struct Given {
    /// Parameters and external inputs.
    pub(crate) inputs: Inputs,
    /// The template that they are for.
    pub(crate) template: FileId,
    /// What is not quite right with the files.
    pub(crate) warnings: Vec<FileReport>,
}

/// What a parameter file gives that is the entry file of a compilation.
pub(crate) fn of_compilation(
    compilation: &Compilation<'_>,
    path: &Utf8Path,
) -> Result<Checked<Given>, Failure> {
    let file = compile::entry(compilation.program(), path)?;
    let warnings = compile::reports(compilation);
    if warnings.iter().any(FileReport::has_errors) {
        return Ok(Err(warnings));
    }
    let Some(parameters) = compilation.parameters(file) else {
        return Err(Failure::not_a_parameter_file(path));
    };
    let Some(template) = parameters.template else { return Err(Failure::no_template_used(path)) };
    Ok(Ok(Given { inputs: parameters.inputs(), template, warnings }))
}

/// A file as JSON, or what is wrong with it.
pub(crate) fn document(file: &Arc<SourceFile>) -> Result<json::Node, FileReport> {
    let parsed = json::parse(file.text(), json::Options::lenient());
    let is_broken = parsed.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    match parsed.root {
        Some(root) if !is_broken => Ok(root),
        _ => Err(FileReport::new(Arc::clone(file), parsed.diagnostics)),
    }
}

fn value_of(text: &str) -> Value {
    let parsed = json::parse(text, json::Options::lenient());
    match parsed.root {
        Some(root) if parsed.diagnostics.is_empty() => Value::from(&root),
        _ => Value::string(text),
    }
}
