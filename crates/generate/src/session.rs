//! One run of a script, as far as the engine is not concerned: what the script asks for comes in, answers go out, and
//! what is to be written piles up.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use base::{Limits, ReadError};
use camino::{Utf8Path, Utf8PathBuf};
use indexmap::IndexMap;
use rustc_hash::FxHashSet;
use serde_json::{Value, json};

use crate::format::yaml_write::{Numbers, Stream};
use crate::format::{self, Format, Layout};
use crate::host::{Host, Kind, Place};
use crate::messages;
use crate::outcome::{Check, Dependency, OutputFile, Overwrite};
use crate::params::{ParamType, Params};
use crate::paths;
use crate::resolve::Roots;
use crate::schema::Schemas;

/// What every command is given.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The folder the user is in; messages show paths relative to it.
    pub folder: Utf8PathBuf,
    /// The folder that holds everything a script may import.
    pub module_root: Utf8PathBuf,
    /// The folder that scripts read from.
    pub input: Utf8PathBuf,
    /// The folder that scripts write to.
    pub output: Utf8PathBuf,
    /// Further folders of modules.
    pub libraries: Vec<Utf8PathBuf>,
    /// The parameters.
    pub params: Params,
    /// The files that parameters were read from.
    pub parameter_files: Vec<Utf8PathBuf>,
    /// Says what is read.
    pub verbose: bool,
    /// Nothing is printed or written; only what the script depends on is of interest.
    pub dry_run: bool,
    /// Says how every import was resolved.
    pub trace_imports: bool,
    /// Text and exit codes as jk has them, where they are not what they should be.
    pub jk_compatible: bool,
    /// What a script may use.
    pub limits: ScriptLimits,
}

impl Settings {
    /// Everything happens in one folder, with default limits.
    pub fn in_folder(folder: impl Into<Utf8PathBuf>) -> Self {
        let folder = folder.into();
        Self {
            module_root: folder.clone(),
            input: folder.clone(),
            output: folder.clone(),
            folder,
            libraries: Vec::new(),
            params: Params::new(),
            parameter_files: Vec::new(),
            verbose: false,
            dry_run: false,
            trace_imports: false,
            jk_compatible: false,
            limits: ScriptLimits::default(),
        }
    }
}

/// What a script and each validator in it may use.
#[derive(Debug, Clone, Copy)]
pub struct ScriptLimits {
    /// The whole run: time, and bytes of values in the engine. Steps do not count.
    pub script: Limits,
    /// One call of a validation function: time only, its memory is part of the script's.
    pub validator: Limits,
}

impl Default for ScriptLimits {
    /// A minute and a gigabyte for the script, a second for each validator.
    fn default() -> Self {
        let script =
            Limits { time: std::time::Duration::from_secs(60), memory: 1 << 30, ..Limits::default() };
        Self { script, validator: Limits::default() }
    }
}

/// The state of a run. Scripts reach it only through the functions of the standard library.
pub(crate) struct Session {
    pub(crate) host: Rc<dyn Host>,
    pub(crate) settings: Settings,
    pub(crate) roots: Roots,
    pub(crate) outputs: RefCell<IndexMap<Utf8PathBuf, OutputFile>>,
    pub(crate) output_bytes: Cell<u64>,
    pub(crate) checks: RefCell<Vec<Check>>,
    pub(crate) notes: RefCell<Vec<String>>,
    pub(crate) shape_problems: RefCell<Vec<String>>,
    /// Paths that the user named on the command line. Scripts share their globals with the standard library, so what
    /// it hands over is not taken for granted.
    named: RefCell<FxHashSet<String>>,
    /// Folders of modules that have imported the resource module.
    resource_folders: RefCell<FxHashSet<String>>,
    dependencies: RefCell<Vec<Dependency>>,
    schemas: RefCell<Schemas>,
    stream: RefCell<Option<Stream>>,
}

impl Session {
    pub(crate) fn new(host: Rc<dyn Host>, settings: Settings) -> Self {
        let roots = Roots { main: settings.module_root.clone(), libraries: settings.libraries.clone() };
        let files = settings.parameter_files.iter().cloned().map(Dependency::parameter_file).collect();
        Self {
            host,
            settings,
            roots,
            outputs: RefCell::default(),
            output_bytes: Cell::new(0),
            checks: RefCell::default(),
            notes: RefCell::default(),
            shape_problems: RefCell::default(),
            named: RefCell::default(),
            resource_folders: RefCell::default(),
            dependencies: RefCell::new(files),
            schemas: RefCell::default(),
            stream: RefCell::default(),
        }
    }

    /// Lets scripts read, and where the command says so write, what the user named.
    pub(crate) fn allow_named(&self, paths: &[String]) {
        self.named.borrow_mut().extend(paths.iter().cloned());
    }

    /// Lets scripts read next to a module.
    pub(crate) fn allow_resources(&self, folder: &str) {
        self.resource_folders.borrow_mut().insert(folder.to_owned());
    }

    pub(crate) fn depend_on(&self, dependency: Dependency) {
        let mut dependencies = self.dependencies.borrow_mut();
        if !dependencies.contains(&dependency) {
            dependencies.push(dependency);
        }
    }

    pub(crate) fn take_dependencies(&self) -> Vec<Dependency> {
        self.dependencies.take()
    }

    pub(crate) fn print(&self, text: &str) {
        if !self.settings.dry_run {
            self.host.print(text);
        }
    }

    /// The bytes of a file that a script reads: below the input folder, or next to the module in `folder`.
    pub(crate) fn read(&self, path: &str, format: Format, folder: Option<&str>) -> Result<Vec<u8>, String> {
        if path.is_empty() {
            return self.host.read_stdin().map_err(|error| format!("standard input: {error}"));
        }
        let place = self.readable(path, folder)?;
        if self.settings.verbose {
            self.print(&format!("read (as {}) {path}\n", format.name()));
        }
        self.read_place(&place, path)
    }

    /// The JSON text of a file that the user named on the command line.
    pub(crate) fn read_anywhere(&self, path: &str, format: Format) -> Result<String, String> {
        if !self.named.borrow().contains(path) {
            return Err(messages::not_named(path));
        }
        let place = Place::anywhere(paths::join(&self.settings.folder, path));
        let bytes = self.read_place(&place, path)?;
        format::read(text_of(&bytes, path)?, path, format).map_err(|error| format!("{path}: {error}"))
    }

    fn read_place(&self, place: &Place, path: &str) -> Result<Vec<u8>, String> {
        // What the script has written itself is not on the disk yet.
        if let Some(file) = self.outputs.borrow().get(&place.path) {
            return Ok(file.content.clone());
        }
        self.depend_on(Dependency::read_file(place.path.clone()));
        match self.host.read(place) {
            Ok(bytes) => Ok(bytes.to_vec()),
            Err(error) => Err(messages::cannot_read(path, &error)),
        }
    }

    fn readable(&self, path: &str, folder: Option<&str>) -> Result<Place, String> {
        let cleaned =
            paths::confined(path, messages::READ_ABSOLUTE, messages::READ_PARENT).map_err(str::to_owned)?;
        if folder.is_some_and(|folder| !self.resource_folders.borrow().contains(folder)) {
            return Err(messages::UNKNOWN_MODULE.to_owned());
        }
        let root = folder.map_or(self.settings.input.as_path(), Utf8Path::new);
        Ok(Place::within(root, paths::join(root, &cleaned)))
    }

    pub(crate) fn info(&self, path: &str, folder: Option<&str>) -> Result<Value, String> {
        let place = self.readable(path, folder)?;
        let kind = self.host.kind(&place).map_err(|error| messages::cannot_read(path, &error))?;
        Ok(json!({"name": place.path.file_name(), "path": path, "isdir": kind == Kind::Folder}))
    }

    pub(crate) fn list(&self, path: &str, folder: Option<&str>) -> Result<Value, String> {
        let place = self.readable(path, folder)?;
        let entries = self.host.list(&place).map_err(|error| messages::cannot_read(path, &error))?;
        let base = paths::clean(path);
        let files: Vec<Value> = entries
            .iter()
            .map(|entry| {
                let path = paths::clean(&format!("{base}/{}", entry.name));
                json!({"name": entry.name, "path": path, "isdir": entry.is_folder})
            })
            .collect();
        let name = base.rsplit('/').next().unwrap_or_default();
        Ok(json!({"name": name, "path": path, "files": files}))
    }

    /// Writes a value below the output folder, or prints it if there is no path.
    pub(crate) fn write(&self, value: &str, target: &Target<'_>) -> Result<(), String> {
        let text = format::write(value, target.path, self.layout(target)).map_err(|e| target.describe(&e))?;
        if target.path.is_empty() {
            self.print(&text);
            return Ok(());
        }
        let path = if target.anywhere && self.named.borrow().contains(target.path) {
            paths::join(&self.settings.output, target.path)
        } else {
            let cleaned = paths::confined(target.path, messages::WRITE_ABSOLUTE, messages::WRITE_PARENT)
                .map_err(|error| target.describe(error))?;
            paths::join(&self.settings.output, &cleaned)
        };
        self.keep(path, text, target)
    }

    fn keep(&self, path: Utf8PathBuf, text: String, target: &Target<'_>) -> Result<(), String> {
        let total = self.output_bytes.get() + text.len() as u64;
        self.output_bytes.set(total);
        if total > self.settings.limits.script.memory {
            return Err(messages::too_much_output(self.settings.limits.script.memory));
        }
        let mut outputs = self.outputs.borrow_mut();
        let exists = || outputs.contains_key(&path) || self.host.kind(&Place::anywhere(&path)).is_ok();
        match target.overwrite {
            Overwrite::Skip if exists() => return Ok(()),
            Overwrite::Err if exists() => return Err(messages::already_exists(target.path)),
            Overwrite::Write | Overwrite::Skip | Overwrite::Err => {}
        }
        let file = OutputFile {
            name: target.path.to_owned(),
            path: path.clone(),
            root: (!target.anywhere).then(|| self.settings.output.clone()),
            content: text.into_bytes(),
        };
        outputs.insert(path, file);
        Ok(())
    }

    /// Prints one document of the stream on standard output.
    pub(crate) fn print_document(&self, value: &str, format: Format) -> Result<(), String> {
        let node = format::node::parse(value).map_err(|error| error.message)?;
        let mut text = String::new();
        if format == Format::YamlStream {
            let mut stream = self.stream.borrow_mut();
            let stream = stream.get_or_insert_with(|| Stream::new(self.stream_numbers()));
            stream.push(&node);
            text = stream.take();
        } else {
            format::json::write_compact(&mut text, &node);
            text.push('\n');
        }
        self.print(&text);
        Ok(())
    }

    pub(crate) fn stringify(&self, value: &str, format: Format) -> Result<String, String> {
        format::stringify(value, Layout { format, indent: 2, stream_numbers: self.stream_numbers() })
    }

    fn layout(&self, target: &Target<'_>) -> Layout {
        Layout { format: target.format, indent: target.indent, stream_numbers: self.stream_numbers() }
    }

    fn stream_numbers(&self) -> Numbers {
        if self.settings.jk_compatible { Numbers::General } else { Numbers::Exact }
    }

    /// A parameter as JSON text.
    pub(crate) fn param(
        &self,
        kind: &str,
        path: &str,
        default: Option<&str>,
    ) -> Result<Option<String>, String> {
        let kind = match kind {
            "Boolean" => ParamType::Boolean,
            "Number" => ParamType::Number,
            "String" => ParamType::String,
            _ => ParamType::Object,
        };
        if path.is_empty() {
            return Ok(Some(self.settings.params.all().to_string()));
        }
        let default = default.and_then(|text| serde_json::from_str(text).ok());
        Ok(self.settings.params.get(kind, path, default)?.map(|value| value.to_string()))
    }

    /// Checks a value against a schema; the problems as JSON text, or `None`.
    pub(crate) fn validate(&self, value: &str, schema: &str) -> Result<Option<String>, String> {
        let schema: Value = serde_json::from_str(schema).map_err(|error| error.to_string())?;
        let problems = self.schemas.borrow_mut().validate(&parse_value(value)?, schema)?;
        Ok(problems_json(&problems))
    }

    /// Checks a value against the schema in a file.
    pub(crate) fn validate_with_file(
        &self,
        value: &str,
        path: &str,
        folder: Option<&str>,
    ) -> Result<Option<String>, String> {
        let place = self.readable(path, folder)?;
        let root = place.root.clone().unwrap_or_default();
        let read = |file: &Utf8Path| {
            self.depend_on(Dependency::read_file(file.to_owned()));
            let place = Place::within(&root, file);
            let bytes =
                self.host.read(&place).map_err(|error| messages::cannot_read(file.as_str(), &error))?;
            serde_json::from_slice(&bytes).map_err(|error| format!("{file}: {error}"))
        };
        let problems =
            self.schemas.borrow_mut().validate_with_file(&parse_value(value)?, &place.path, &read)?;
        Ok(problems_json(&problems))
    }

    /// Checks a value against the schema that it names itself, if that is a file of ours. The answer has the form
    /// that the commands use for all checks.
    pub(crate) fn check_named_schema(&self, value: &str, schema: &str, path: &str) -> String {
        if schema.contains("://") {
            self.notes.borrow_mut().push(messages::remote_schema(path, schema));
            return r#"{"problems":[]}"#.to_owned();
        }
        let answer = match self.validate_with_file(value, schema.trim_end_matches('#'), None) {
            Ok(None) => json!({"problems": []}),
            Ok(Some(problems)) => {
                json!({"problems": serde_json::from_str::<Value>(&problems).unwrap_or_default()})
            }
            Err(reason) => json!({"reason": format!("the schema '{schema}' could not be used: {reason}")}),
        };
        answer.to_string()
    }
}

/// Where a value goes and how.
#[derive(Debug)]
pub(crate) struct Target<'a> {
    pub(crate) path: &'a str,
    pub(crate) format: Format,
    pub(crate) indent: usize,
    pub(crate) overwrite: Overwrite,
    /// Not only below the output folder, because the user named the path.
    pub(crate) anywhere: bool,
}

impl Target<'_> {
    fn describe(&self, error: &str) -> String {
        if self.path.is_empty() { error.to_owned() } else { format!("{}: {error}", self.path) }
    }
}

/// A file's bytes as text.
pub(crate) fn text_of<'b>(bytes: &'b [u8], path: &str) -> Result<&'b str, String> {
    std::str::from_utf8(bytes)
        .map_err(|error| messages::cannot_read(path, &ReadError::NotUtf8(error.valid_up_to())))
}

fn parse_value(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

fn problems_json(problems: &[crate::schema::Problem]) -> Option<String> {
    let list: Vec<Value> = problems.iter().map(|p| json!({"msg": p.message, "path": p.path})).collect();
    (!list.is_empty()).then(|| Value::Array(list).to_string())
}
