//! Parameters from files and from the command line.

use std::collections::BTreeMap;
use std::sync::Arc;

use arm::Value;
use arm::parameters::Inputs;
use base::{FileReport, Severity, SourceFile, World as _};
use bicep_emit::parameters::{Assignment, Parameters};
use bicep_sema::{FileId, Program};
use camino::Utf8Path;
use project::Compilation;

use super::Checked;
use super::faults::Written;
use crate::compile;
use crate::failure::Failure;
use crate::messages;
use crate::session::Session;

/// Parameters, and what is wrong with the files they come from.
#[derive(Debug, Default)]
pub(crate) struct Read {
    pub(crate) inputs: Inputs,
    /// Where files give values, by parameter.
    pub(crate) given: BTreeMap<String, Written>,
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
                read.given.remove(name.trim());
            }
            _ => read.add_file(Utf8Path::new(text), session)?,
        }
    }
    Ok(read)
}

impl Read {
    fn add_file(&mut self, path: &Utf8Path, session: &Session) -> Result<(), Failure> {
        let file = session.world.read_source(path).map_err(|error| Failure::unreadable(path, &error))?;
        let document = match document(&file) {
            Ok(document) => document,
            Err(report) => {
                self.reports.push(report);
                return Ok(());
            }
        };
        let (inputs, errors) = Inputs::read(&document);
        let wrong = |error: &arm::Error| messages::malformed_inputs(error.range().unwrap_or_default(), error);
        self.reports.push(FileReport::new(Arc::clone(&file), errors.iter().map(wrong).collect()));
        let parameters = document.get_ignore_case("parameters").and_then(json::Node::as_object);
        for member in parameters.into_iter().flatten() {
            let written = Written { file: Arc::clone(&file), range: member.value.range };
            self.given.insert(member.key.to_string(), written);
        }
        self.inputs.merge(inputs);
        Ok(())
    }
}

/// What a parameter file in Bicep gives.
#[derive(Debug)]
pub(crate) struct Given {
    /// Parameters and external inputs.
    pub(crate) inputs: Inputs,
    /// Where parameters are given their values, by name.
    pub(crate) given: BTreeMap<String, Written>,
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
    let given = given(compilation.program(), &parameters);
    Ok(Ok(Given { inputs: parameters.inputs(), given, template, warnings }))
}

/// Where a parameter file gives values, by parameter.
pub(crate) fn given(program: &Program<'_>, parameters: &Parameters) -> BTreeMap<String, Written> {
    let written =
        |it: &Assignment| Written { file: Arc::clone(program.unit(it.file).source()), range: it.range };
    parameters.assignments.iter().map(|it| (it.name.to_string(), written(it))).collect()
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
