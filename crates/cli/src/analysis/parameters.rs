//! Values for the parameters of templates: from a file that is named, or from the files beside a template.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use arm::parameters::Inputs;
use base::{FileReport, SourceFile, TextRange, World as _};
use bicep_sema::FileId;
use camino::{Utf8Path, Utf8PathBuf};
use project::Compilation;

use crate::compile::{self, CompileArgs};
use crate::failure::Failure;
use crate::messages;
use crate::session::Session;

/// The values of one parameter file.
#[derive(Debug)]
pub(crate) struct Values {
    inputs: Inputs,
    /// The file, and what is wrong with it.
    pub(crate) report: FileReport,
}

impl Values {
    /// The values as they are handed to a template.
    pub(super) fn inputs(&self) -> Inputs {
        self.inputs.clone()
    }

    /// Where they come from.
    pub(crate) fn path(&self) -> &Utf8Path {
        self.report.file.path()
    }
}

/// The values of a `.bicepparam` file. `None`: it is none.
pub(crate) fn of_compilation(compilation: &Compilation<'_>, file: FileId) -> Option<Values> {
    let (program, parameters) = (compilation.program(), compilation.parameters(file)?);
    let source = Arc::clone(program.unit(file).source());
    Some(Values { inputs: parameters.inputs(), report: FileReport::new(source, Vec::new()) })
}

/// Reads a parameter file.
pub(crate) fn read(path: &Utf8Path, session: &Session) -> Result<Values, Failure> {
    let file = session.world.read_source(path).map_err(|error| Failure::unreadable(path, &error))?;
    Ok(values(&file))
}

/// Compiles a `.bicepparam` file and evaluates it.
pub(crate) fn compiled(path: &Utf8Path, args: CompileArgs, session: &Session) -> Result<Values, Failure> {
    let entry = session.absolute(path)?;
    compile::with_compilation(&entry, args, session, |compilation| {
        let found = of_compilation(compilation, compile::entry(compilation.program(), path)?);
        let mut values = found.ok_or_else(|| Failure::not_bicep(path))?;
        let mut own = compile::errors(compilation);
        own.retain(|report| report.file.path() == values.path());
        values.report.diagnostics.extend(own.into_iter().flat_map(|report| report.diagnostics));
        Ok(values)
    })
}

/// The parameter files beside templates. Each folder is listed once, however many templates it has.
#[derive(Debug, Default)]
pub(crate) struct Beside {
    folders: Mutex<BTreeMap<Utf8PathBuf, Arc<Names>>>,
}

/// Names of parameter files by their small letters.
type Names = BTreeMap<String, String>;

impl Beside {
    /// `NAME.parameters.json`, `NAME.parameters.test.json` and the like, sorted.
    pub(crate) fn of(&self, template: &Utf8Path, session: &Session) -> Result<Vec<Values>, Failure> {
        let Some(stem) = template.file_stem() else { return Ok(Vec::new()) };
        let start = format!("{}{INFIX}", stem.to_ascii_lowercase());
        let names =
            self.names(template.parent().filter(|folder| *folder != "").unwrap_or(Utf8Path::new(".")));
        let own = names.range(start.clone()..).take_while(|(name, _)| name.starts_with(&start));
        own.map(|(_, name)| read(&template.with_file_name(name), session)).collect()
    }

    fn names(&self, folder: &Utf8Path) -> Arc<Names> {
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(names) = folders.get(folder) {
            return Arc::clone(names);
        }
        let entries = folder.read_dir_utf8().into_iter().flatten().filter_map(Result::ok);
        let names =
            entries.map(|entry| (entry.file_name().to_ascii_lowercase(), entry.file_name().to_owned()));
        let names: Names =
            names.filter(|(name, _)| name.contains(INFIX) && name.ends_with(".json")).collect();
        let names = Arc::new(names);
        folders.insert(folder.to_owned(), Arc::clone(&names));
        names
    }
}

/// Between the name of a template and what else the name of a parameter file says.
const INFIX: &str = ".parameters";

fn values(file: &Arc<SourceFile>) -> Values {
    let parsed = json::parse(file.text(), json::Options::lenient());
    let mut diagnostics = parsed.diagnostics;
    let mut inputs = Inputs::default();
    if let Some(root) = &parsed.root {
        if !Inputs::is_parameters_file(root) {
            diagnostics.push(messages::no_parameters(TextRange::empty(root.range.start())));
        }
        let (read, errors) = Inputs::read(root);
        inputs = read;
        diagnostics.extend(
            errors
                .iter()
                .map(|error| messages::bad_parameters(error.range().unwrap_or(root.range), error.message())),
        );
    }
    Values { inputs, report: FileReport::new(Arc::clone(file), diagnostics) }
}
