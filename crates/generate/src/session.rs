//! One run of a script, as far as the engine is not concerned: what the script asks for comes in, answers go out, and
//! what is to be written piles up.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use base::{Finding, ReadError, Verdict};
use camino::{Utf8Path, Utf8PathBuf};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Value, json};

use crate::format::yaml_write::{Numbers, Stream};
use crate::format::{self, Format, Layout};
use crate::host::{ConfinedPath, Host, Kind};
use crate::limits::ScriptLimits;
use crate::messages;
use crate::outcome::{Dependency, OutputFile, Overwrite, ValueCheck};
use crate::params::{ParamType, Params};
use crate::paths;
use crate::resolve::{ModuleResolver, Roots};
use crate::schema::{self, Schema, Schemas};

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
    /// The environment variables that scripts see in `process.env`.
    pub environment: Vec<(String, String)>,
    /// Whether scripts may use random values.
    pub allow_random: bool,
    /// What a script may use.
    pub limits: ScriptLimits,
    /// Whether the process ends with this run. The memory of the engine is not given back then: the system does that
    /// faster, all at once.
    pub ends_process: bool,
    /// Calls of validation functions that do not come back, in ascending order. Earlier runs had to be ended because of
    /// them; they are not made again.
    pub ended_validators: Vec<EndedCall>,
    /// The run repeats another one that does not come back from a built-in function: the host is told every place that
    /// the script comes to, which makes it slow.
    pub announces_places: bool,
}

/// A call of a validation function that did not come back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedCall {
    /// Which call it was, counted from one through the whole run.
    pub number: usize,
    /// Where the built-in function was called that did not come back, where that is known.
    pub place: Option<String>,
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
            environment: Vec::new(),
            allow_random: false,
            limits: ScriptLimits::default(),
            ends_process: false,
            ended_validators: Vec::new(),
            announces_places: false,
        }
    }
}

/// The state of a run. Scripts reach it only through the functions of the standard library.
pub(crate) struct Session {
    pub(crate) host: Rc<dyn Host>,
    pub(crate) settings: Settings,
    pub(crate) modules: ModuleResolver,
    pub(crate) outputs: RefCell<IndexMap<Utf8PathBuf, OutputFile>>,
    output_bytes: Cell<u64>,
    /// What goes to standard output once every check has passed.
    pub(crate) stdout: RefCell<StdoutDocuments>,
    /// What the checks said, by the path of the file.
    pub(crate) checks: RefCell<IndexMap<String, ValueCheck>>,
    /// Where each file that the script described stands in its list, by the absolute path.
    described: RefCell<FxHashMap<Utf8PathBuf, String>>,
    /// What a policy has to check: only in a run that checks the output of another one.
    pub(crate) policy_documents: Vec<PolicyFile>,
    pub(crate) notes: RefCell<Vec<String>>,
    pub(crate) shape_problems: RefCell<Vec<String>>,
    /// Paths that the user named on the command line. Scripts share their globals with the standard library, so what
    /// it hands over is not taken for granted.
    named: RefCell<FxHashSet<String>>,
    /// Folders of modules that have imported the resource module.
    resource_folders: RefCell<FxHashSet<String>>,
    dependencies: RefCell<IndexSet<Dependency>>,
    schemas: RefCell<Schemas>,
    /// Schemas that are objects of the script.
    compiled_schemas: RefCell<Vec<Schema>>,
    /// How many validation functions have been called.
    pub(crate) validator_calls: Cell<usize>,
}

/// Documents that are printed together, or not at all.
#[derive(Default)]
pub(crate) struct StdoutDocuments {
    pub(crate) text: String,
    /// Each document as JSON text, with the path that the script gave it.
    pub(crate) documents: Vec<(String, String)>,
    stream: Option<Stream>,
}

/// A file that a policy checks.
#[derive(Debug, Clone)]
pub(crate) struct PolicyFile {
    pub(crate) path: String,
    /// Its documents as one JSON array, or why they cannot be read back.
    pub(crate) documents: Result<String, String>,
}

impl Session {
    pub(crate) fn new(host: Rc<dyn Host>, settings: Settings) -> Self {
        let roots = Roots { main: settings.module_root.clone(), libraries: settings.libraries.clone() };
        let files = settings.parameter_files.iter().cloned().map(Dependency::parameter_file).collect();
        Self {
            modules: ModuleResolver::new(Rc::clone(&host), roots),
            host,
            settings,
            outputs: RefCell::default(),
            output_bytes: Cell::new(0),
            stdout: RefCell::default(),
            checks: RefCell::default(),
            described: RefCell::default(),
            policy_documents: Vec::new(),
            notes: RefCell::default(),
            shape_problems: RefCell::default(),
            named: RefCell::default(),
            resource_folders: RefCell::default(),
            dependencies: RefCell::new(files),
            schemas: RefCell::default(),
            compiled_schemas: RefCell::default(),
            validator_calls: Cell::default(),
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
        self.dependencies.borrow_mut().insert(dependency);
    }

    pub(crate) fn take_dependencies(&self) -> Vec<Dependency> {
        self.dependencies.take().into_iter().collect()
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

    /// The bytes of a file that the user named on the command line; `-` is standard input.
    pub(crate) fn read_anywhere(&self, path: &str) -> Result<Vec<u8>, String> {
        if !self.named.borrow().contains(path) {
            return Err(messages::not_named(path));
        }
        if path == "-" {
            return self.host.read_stdin().map_err(|error| format!("standard input: {error}"));
        }
        let place = ConfinedPath::unconfined(paths::join(&self.settings.folder, path));
        self.read_place(&place, path)
    }

    fn read_place(&self, place: &ConfinedPath, path: &str) -> Result<Vec<u8>, String> {
        // What the script has written itself is not on the disk yet.
        if let Some(file) = self.outputs.borrow().get(&place.path) {
            return Ok(file.content.clone());
        }
        self.depend_on(Dependency::read_file(place.path.clone()));
        self.host.read_owned(place).map_err(|error| self.cannot_read(path, &error))
    }

    /// Why a file could not be read.
    pub(crate) fn cannot_read(&self, path: &str, error: &ReadError) -> String {
        match error {
            ReadError::TooLarge(bytes) => {
                messages::file_too_large(path, *bytes as u64, self.settings.limits.file_size)
            }
            error => messages::cannot_read(path, error),
        }
    }

    fn readable(&self, path: &str, folder: Option<&str>) -> Result<ConfinedPath, String> {
        let cleaned =
            paths::confined(path, messages::READ_ABSOLUTE, messages::READ_PARENT).map_err(str::to_owned)?;
        if folder.is_some_and(|folder| !self.resource_folders.borrow().contains(folder)) {
            return Err(messages::UNKNOWN_MODULE.to_owned());
        }
        let root = folder.map_or(self.settings.input.as_path(), Utf8Path::new);
        Ok(ConfinedPath::within(root, paths::join(root, &cleaned)))
    }

    /// A file or folder that the module `node:fs` may read: below the input folder or the module root.
    pub(crate) fn node_path(&self, path: &str) -> Result<ConfinedPath, String> {
        let path = paths::join(&self.settings.input, path);
        [&self.settings.input, &self.settings.module_root]
            .into_iter()
            .find(|root| path.starts_with(root))
            .map(|root| ConfinedPath::within(root, path.clone()))
            .ok_or_else(|| messages::outside_of_folders(&path))
    }

    /// The bytes of a file, for the module `node:fs`.
    pub(crate) fn read_node(&self, path: &str) -> Result<Vec<u8>, String> {
        let place = self.node_path(path)?;
        self.read_place(&place, path)
    }

    /// What is there, for the module `node:fs`.
    pub(crate) fn node_stat(&self, path: &str) -> Result<Value, String> {
        let place = self.node_path(path)?;
        let kind = self.host.kind(&place).map_err(|error| messages::cannot_read(path, &error))?;
        let size = match kind {
            Kind::File => self.read_place(&place, path)?.len(),
            Kind::Folder => 0,
        };
        Ok(json!({"isFolder": kind == Kind::Folder, "size": size}))
    }

    /// What is in a folder, for the module `node:fs`.
    pub(crate) fn node_list(&self, path: &str) -> Result<Value, String> {
        let place = self.node_path(path)?;
        let entries = self.host.list(&place).map_err(|error| messages::cannot_read(path, &error))?;
        Ok(entries.iter().map(|entry| json!({"name": entry.name, "isFolder": entry.is_folder})).collect())
    }

    /// Random bytes, if the user allows them.
    pub(crate) fn random(&self, count: usize) -> Result<Vec<u8>, String> {
        if !self.settings.allow_random {
            return Err(messages::RANDOM_NOT_ALLOWED.to_owned());
        }
        self.host.random(count).ok_or_else(|| messages::NO_RANDOM.to_owned())
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
    pub(crate) fn write(&self, value: &str, target: &OutputTarget<'_>) -> Result<(), String> {
        let text = format::write(value, target.path, self.layout(target)).map_err(|e| target.describe(&e))?;
        if target.path.is_empty() {
            self.print(&text);
            return Ok(());
        }
        let path = self.writable(target)?;
        if self.described.borrow().contains_key(&path) {
            return Err(messages::written_and_described(target.path));
        }
        self.keep(path, OutputText { text, json: unreadable_value(value, target) }, target)
    }

    /// Takes over a file of the list that a script exports. `element` says which one it is.
    pub(crate) fn write_described(
        &self,
        value: &str,
        target: &OutputTarget<'_>,
        element: &str,
    ) -> Result<(), String> {
        let text = format::write(value, target.path, self.layout(target)).map_err(|e| target.describe(&e))?;
        self.check_named_schemas(value, target)?;
        let path = self.writable(target)?;
        if self.outputs.borrow().contains_key(&path) {
            return Err(messages::written_and_described(target.path));
        }
        if let Some(other) = self.described.borrow_mut().insert(path.clone(), element.to_owned()) {
            return Err(messages::same_path(target.path, element, &other));
        }
        self.keep(path, OutputText { text, json: unreadable_value(value, target) }, target)
    }

    fn writable(&self, target: &OutputTarget<'_>) -> Result<Utf8PathBuf, String> {
        if target.anywhere && self.named.borrow().contains(target.path) {
            return Ok(paths::join(&self.settings.output, target.path));
        }
        let cleaned = paths::confined(target.path, messages::WRITE_ABSOLUTE, messages::WRITE_PARENT)
            .map_err(|error| target.describe(error))?;
        if cleaned == "." {
            return Err(target.describe(messages::WRITE_FOLDER));
        }
        Ok(paths::join(&self.settings.output, &cleaned))
    }

    fn keep(&self, path: Utf8PathBuf, output: OutputText, target: &OutputTarget<'_>) -> Result<(), String> {
        self.count_output(output.text.len())?;
        let mut outputs = self.outputs.borrow_mut();
        let exists =
            || outputs.contains_key(&path) || self.host.kind(&ConfinedPath::unconfined(&path)).is_ok();
        match target.overwrite {
            Overwrite::Skip if exists() => return Ok(()),
            Overwrite::Err if exists() => return Err(messages::already_exists(target.path)),
            Overwrite::Write | Overwrite::Skip | Overwrite::Err => {}
        }
        let file = OutputFile {
            name: target.path.to_owned(),
            path: path.clone(),
            root: (!target.anywhere).then(|| self.settings.output.clone()),
            content: output.text.into_bytes(),
            format: target.format,
            json: output.json,
        };
        outputs.insert(path, file);
        Ok(())
    }

    fn count_output(&self, bytes: usize) -> Result<(), String> {
        let total = self.output_bytes.get() + bytes as u64;
        self.output_bytes.set(total);
        let limit = self.settings.limits.script.memory;
        if total > limit { Err(messages::too_much_output(limit)) } else { Ok(()) }
    }

    /// Puts one document into the stream for standard output.
    pub(crate) fn print_document(&self, value: &str, path: &str, format: Format) -> Result<(), String> {
        let target = OutputTarget {
            path,
            format: Format::Json,
            indent: 2,
            overwrite: Overwrite::Write,
            anywhere: false,
        };
        self.check_named_schemas(value, &target)?;
        let node = ::json::borrowed::parse(value).map_err(|error| target.describe(&error.message))?;
        let mut text = String::new();
        let mut stdout = self.stdout.borrow_mut();
        if format == Format::YamlStream {
            let numbers = self.stream_numbers();
            let stream = stdout.stream.get_or_insert_with(|| Stream::new(numbers));
            stream.push(&node);
            text = stream.take();
        } else {
            format::json::write_compact(&mut text, &node);
            text.push('\n');
        }
        self.count_output(text.len())?;
        stdout.text.push_str(&text);
        stdout.documents.push((path.to_owned(), value.to_owned()));
        Ok(())
    }

    /// Takes over the only value for standard output, in a format of which there can be only one.
    pub(crate) fn print_described(&self, value: &str, target: &OutputTarget<'_>) -> Result<(), String> {
        let text = format::write(value, "", self.layout(target)).map_err(|e| target.describe(&e))?;
        let json = match target.format {
            Format::Raw => {
                let mut json = String::new();
                format::json::write_string(&mut json, value);
                json
            }
            _ => {
                self.check_named_schemas(value, target)?;
                value.to_owned()
            }
        };
        self.count_output(text.len())?;
        let mut stdout = self.stdout.borrow_mut();
        stdout.text.push_str(&text);
        // What is printed for no files at all is no document of theirs.
        if !(target.path.is_empty() && json == "[]") {
            stdout.documents.push((target.path.to_owned(), json));
        }
        Ok(())
    }

    /// Adds what a check of a file said to what is known about the file.
    pub(crate) fn add_check(&self, check: ValueCheck) {
        let mut checks = self.checks.borrow_mut();
        match checks.get_mut(&check.path) {
            Some(known) => known.add(check),
            None => {
                checks.insert(check.path.clone(), check);
            }
        }
    }

    pub(crate) fn stringify(&self, value: &str, format: Format) -> Result<String, String> {
        format::stringify(value, Layout { format, indent: 2, stream_numbers: self.stream_numbers() })
    }

    fn layout(&self, target: &OutputTarget<'_>) -> Layout {
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

    /// Compiles a schema that a script holds. The number it is known by from now on goes out.
    pub(crate) fn compile_schema(&self, schema: &str) -> Result<usize, String> {
        let refuse = |address: &str| Err(messages::schema_of_no_file(address));
        let schema = schema::compile(&parse_value(schema)?, None, &refuse)?;
        let mut compiled = self.compiled_schemas.borrow_mut();
        compiled.push(schema);
        Ok(compiled.len() - 1)
    }

    /// Checks a value against a schema that was compiled before.
    pub(crate) fn validate(&self, value: &str, schema: usize) -> Result<Verdict, String> {
        let schema = self.compiled_schemas.borrow().get(schema).cloned();
        let schema = schema.ok_or_else(messages::schema_not_compiled)?;
        Ok(schema::check(&parse_value(value)?, &schema))
    }

    /// Checks a value against the schema in a file.
    pub(crate) fn validate_with_file(
        &self,
        value: &Value,
        path: &str,
        folder: Option<&str>,
    ) -> Result<Verdict, String> {
        let place = self.readable(path, folder)?;
        let root = place.root.clone().unwrap_or_default();
        let read = |address: &str| self.read_schema(address, &root);
        let schema = self.schemas.borrow_mut().file(&paths::file_url(place.path.as_str()), &read)?;
        Ok(schema::check(value, &schema))
    }

    fn read_schema(&self, address: &str, root: &Utf8Path) -> Result<Value, String> {
        let path = paths::from_file_url(address).ok_or_else(|| messages::remote_reference(address))?;
        let path = Utf8PathBuf::from(paths::clean(&path));
        self.depend_on(Dependency::read_file(path.clone()));
        let bytes = self
            .host
            .read(&ConfinedPath::within(root, &path))
            .map_err(|error| self.cannot_read(path.as_str(), &error))?;
        match path.extension() {
            Some("yaml" | "yml") => {
                let text = text_of(&bytes, path.as_str())?;
                parse_value(&format::read(text, path.as_str(), Format::Yaml)?)
            }
            _ => serde_json::from_slice(&bytes).map_err(|error| error.to_string()),
        }
        .map_err(|error| format!("{path}: {error}"))
    }

    /// Checks every document of a value against the schema that it names itself, if that is a file of ours. The text is
    /// the one that is written, so that nothing can differ between what is checked and what is in the file.
    fn check_named_schemas(&self, value: &str, target: &OutputTarget<'_>) -> Result<(), String> {
        if target.format == Format::Raw || !value.contains("\"$schema\"") {
            return Ok(());
        }
        let value = parse_value(value)?;
        let documents = match &value {
            Value::Array(items) if target.format.is_stream() => items.as_slice(),
            value => std::slice::from_ref(value),
        };
        for document in documents {
            if let Some(schema) = document.get("$schema").and_then(Value::as_str) {
                self.check_named_schema(document, schema, target.path);
            }
        }
        Ok(())
    }

    fn check_named_schema(&self, value: &Value, schema: &str, path: &str) {
        if schema.contains("://") {
            self.notes.borrow_mut().push(messages::remote_schema(path, schema));
            return;
        }
        let check = match self.validate_with_file(value, schema.trim_end_matches('#'), None) {
            Ok(Verdict::Undetermined(open)) => {
                let reasons: Vec<&str> = open.iter().map(|finding| finding.message.as_str()).collect();
                ValueCheck::undetermined(path, messages::schema_unusable(schema, &reasons.join(", ")))
            }
            Ok(verdict) => ValueCheck::of_schema(path, verdict),
            Err(reason) => ValueCheck::undetermined(path, messages::schema_unusable(schema, &reason)),
        };
        self.add_check(check);
    }
}

/// The text of a file, and its value as JSON text if the text cannot be read back.
struct OutputText {
    text: String,
    json: Option<String>,
}

/// There is no reader for HCL, so that a policy is given the value that was printed.
fn unreadable_value(value: &str, target: &OutputTarget<'_>) -> Option<String> {
    let format = target.format.resolved(target.path);
    (format == Some(Format::Hcl)).then(|| value.to_owned())
}

/// Where a value goes and how.
#[derive(Debug)]
pub(crate) struct OutputTarget<'a> {
    pub(crate) path: &'a str,
    pub(crate) format: Format,
    pub(crate) indent: usize,
    pub(crate) overwrite: Overwrite,
    /// Not only below the output folder, because the user named the path.
    pub(crate) anywhere: bool,
}

impl OutputTarget<'_> {
    fn describe(&self, error: &str) -> String {
        if self.path.is_empty() { error.to_owned() } else { format!("{}: {error}", self.path) }
    }
}

/// A file's bytes as text.
pub(crate) fn text_of<'b>(bytes: &'b [u8], path: &str) -> Result<&'b str, String> {
    std::str::from_utf8(bytes)
        .map_err(|error| messages::cannot_read(path, &ReadError::NotUtf8(error.valid_up_to())))
}

pub(crate) fn parse_value(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// A verdict for scripts: what is wrong as JSON text, nothing if all is well, and an error if that cannot be said.
pub(crate) fn verdict_json(verdict: &Verdict) -> Result<Option<String>, String> {
    match verdict {
        Verdict::Pass => Ok(None),
        Verdict::Fail(findings) => {
            let json = |finding: &Finding| json!({"msg": finding.message, "path": finding.path});
            Ok(Some(Value::Array(findings.iter().map(json).collect()).to_string()))
        }
        Verdict::Undetermined(open) => {
            Err(open.iter().map(|finding| finding.message.as_str()).collect::<Vec<_>>().join(", "))
        }
    }
}
