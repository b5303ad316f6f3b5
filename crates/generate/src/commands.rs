//! The commands as functions: settings and options come in, an [`Outcome`] goes out. Nothing is written here.

use std::rc::Rc;

use camino::{Utf8Path, Utf8PathBuf};
use indexmap::IndexMap;
use serde_json::{Value, json};

use crate::engine::{self, COMMAND, Entry};
use crate::format::json::string_literal;
use crate::host::{ConfinedPath, Host};
use crate::messages;
use crate::outcome::{Dependency, Outcome, OutputFile};
use crate::paths;
use crate::script_error::ScriptError;
use crate::session::{PolicyFile, Session, Settings, text_of};

/// What is to be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Script {
    /// A file. Its folder is usually also the module root.
    File(Utf8PathBuf),
    /// A module specifier, as an import in the module root would have it.
    Module(String),
    /// JavaScript; the usual functions of the standard library need no import.
    Inline(String),
    /// What stands on standard input.
    Stdin,
}

/// What `generate` can be told besides the [`Settings`].
#[derive(Debug, Clone, Default)]
pub struct GenerateOptions {
    /// Print the values instead of returning files.
    pub stdout: bool,
    /// A module whose default export checks every document, too.
    pub validate: Option<String>,
}

/// What `transform` can be told besides the [`Settings`].
#[derive(Debug, Clone, Default)]
pub struct TransformOptions {
    /// The files to transform, as the user named them.
    pub input: Vec<String>,
    /// Print the values instead of returning files.
    pub stdout: bool,
    /// Existing files may be replaced, also outside of the output folder.
    pub overwrite: bool,
    /// A module whose default export checks every document.
    pub validate: Option<String>,
}

/// Runs a script.
pub fn run(host: Rc<dyn Host>, settings: Settings, script: &Script) -> Outcome {
    let session = Rc::new(Session::new(host, settings));
    let entry = match script {
        Script::File(path) => match file_entry(&session, path) {
            Ok(entry) => entry,
            Err(error) => return finish(&session, Err(error)),
        },
        Script::Module(specifier) => {
            command_entry("run", &format!("import {};", string_literal(specifier)), specifier)
        }
        Script::Inline(source) => {
            let source = format!("{PRELUDE}{source};\n");
            Entry { name: "<exec>".to_owned(), source, shown: "<exec>".to_owned() }
        }
        Script::Stdin => match stdin_entry(&session) {
            Ok(entry) => entry,
            Err(error) => return finish(&session, Err(error)),
        },
    };
    finish(&session, engine::run(&session, &entry))
}

/// Imports that inline scripts need not write, on one line so that their own lines keep their numbers.
const PRELUDE: &str = "import { print, log, write, read, parse, stringify, Format, Encoding } from '@jkcfg/std'; \
     import { dir, info } from '@jkcfg/std/fs'; import * as param from '@jkcfg/std/param'; ";

/// Generates the files that the default export of a script describes.
pub fn generate(
    host: Rc<dyn Host>,
    mut settings: Settings,
    script: &Script,
    options: &GenerateOptions,
) -> Outcome {
    settings.params.set("jk.generate.stdout", Value::Bool(options.stdout));
    let arguments = json!({"stdout": options.stdout});
    let check = options.validate.as_deref();
    protocol(
        host,
        settings,
        &Protocol { command: "generate", script, arguments, input: &[], validate: check },
    )
}

/// Puts every document of the input files through a function and generates the results.
pub fn transform(
    host: Rc<dyn Host>,
    mut settings: Settings,
    script: &Script,
    options: &TransformOptions,
) -> Outcome {
    let input = sorted_input(&options.input);
    let by_name: serde_json::Map<String, Value> =
        input.iter().map(|path| (path.clone(), json!(path))).collect();
    settings.params.set("jk.transform.input", Value::Object(by_name));
    settings.params.set("jk.transform.stdout", Value::Bool(options.stdout));
    settings.params.set("jk.transform.overwrite", Value::Bool(options.overwrite));
    let overwrite = if options.overwrite { 1 } else { 2 };
    let arguments = json!({"input": input, "stdout": options.stdout, "overwrite": overwrite, "anywhere": options.overwrite});
    let check = options.validate.as_deref();
    protocol(
        host,
        settings,
        &Protocol { command: "transform", script, arguments, input: &input, validate: check },
    )
}

/// Checks every document of the input files with a function.
pub fn validate(host: Rc<dyn Host>, mut settings: Settings, script: &Script, input: &[String]) -> Outcome {
    let input = sorted_input(input);
    let by_name: serde_json::Map<String, Value> =
        input.iter().map(|path| (path.clone(), json!(path))).collect();
    settings.params.set("jk.validate.input", Value::Object(by_name));
    let arguments = json!({"input": input});
    protocol(
        host,
        settings,
        &Protocol { command: "validate", script, arguments, input: &input, validate: None },
    )
}

/// A command whose script exports something by default.
struct Protocol<'a> {
    command: &'a str,
    script: &'a Script,
    arguments: Value,
    /// The files that the user named.
    input: &'a [String],
    validate: Option<&'a str>,
}

fn protocol(host: Rc<dyn Host>, mut settings: Settings, protocol: &Protocol<'_>) -> Outcome {
    let ends_process = settings.ends_process;
    // A policy runs afterwards, and needs memory of its own.
    settings.ends_process &= protocol.validate.is_none();
    let session = Rc::new(Session::new(host, settings));
    session.allow_named(protocol.input);
    let command = protocol.command;
    let mut source =
        format!("import {{ {command} as command, defaultExport }} from '@jkcfg/std/internal/commands';\n");
    match protocol.script {
        Script::Inline(text) => {
            let body = string_literal(&format!("return ({text});"));
            source.push_str(&format!("const definition = new Function({body})();\n"));
        }
        Script::File(path) => source.push_str(&import_definition(&specifier_of(&session, path))),
        Script::Module(specifier) => source.push_str(&import_definition(specifier)),
        Script::Stdin => match stdin_entry(&session) {
            Ok(entry) => {
                source.push_str(&format!(
                    "const definition = new Function({})();\n",
                    string_literal(&entry.source)
                ));
            }
            Err(error) => return finish(&session, Err(error)),
        },
    }
    source.push_str(&format!("await command(definition, {});\n", protocol.arguments));
    let entry = command_entry(command, &source, &script_name(protocol.script));
    let result = engine::run(&session, &entry);
    match protocol.validate {
        Some(policy) if result.is_ok() && session.shape_problems.borrow().is_empty() => {
            let checked = check_policy(&session, policy, ends_process);
            finish(&session, checked)
        }
        _ => finish(&session, result),
    }
}

/// Runs a policy on what is about to be written: the bytes of the files, read back as their readers will. It runs in
/// an engine of its own, so that nothing the script did to its globals can reach it.
fn check_policy(session: &Session, policy: &str, ends_process: bool) -> Result<(), ScriptError> {
    let outputs = session.outputs.borrow();
    let documents = outputs
        .values()
        .map(|file| PolicyFile { path: file.name.clone(), documents: file.documents() })
        .chain(printed_documents(session))
        .collect();
    let settings = Settings { ends_process, ..session.settings.clone() };
    let mut policy_session = Session::new(Rc::clone(&session.host), settings);
    policy_session.policy_documents = documents;
    policy_session.validator_calls.set(session.validator_calls.get());
    let policy_session = Rc::new(policy_session);
    let module = string_literal(policy);
    let source = format!(
        "import {{ check, defaultExport }} from '@jkcfg/std/internal/commands';\n\
         import * as module from {module};\nawait check(defaultExport(module, {module}));\n"
    );
    let result = engine::run(&policy_session, &command_entry("validate", &source, policy));
    policy_session.checks.take().into_values().for_each(|check| session.add_check(check));
    policy_session.take_dependencies().into_iter().for_each(|dependency| session.depend_on(dependency));
    result
}

/// The documents for standard output, those of one file together.
fn printed_documents(session: &Session) -> Vec<PolicyFile> {
    let stdout = session.stdout.borrow();
    let mut by_path: IndexMap<&str, Vec<&str>> = IndexMap::new();
    for (path, document) in &stdout.documents {
        by_path.entry(path).or_default().push(document);
    }
    by_path
        .into_iter()
        .map(|(path, documents)| PolicyFile {
            path: path.to_owned(),
            documents: Ok(format!("[{}]", documents.join(","))),
        })
        .collect()
}

fn script_name(script: &Script) -> String {
    match script {
        Script::File(path) => path.to_string(),
        Script::Module(specifier) => specifier.clone(),
        Script::Inline(_) => "<exec>".to_owned(),
        Script::Stdin => "<stdin>".to_owned(),
    }
}

fn import_definition(specifier: &str) -> String {
    let specifier = string_literal(specifier);
    format!("import * as module from {specifier};\nconst definition = defaultExport(module, {specifier});\n")
}

/// A file as an import in the module root would name it.
fn specifier_of(session: &Session, path: &Utf8PathBuf) -> String {
    let root = &session.settings.module_root;
    let absolute = paths::join(&session.settings.folder, path.as_str());
    absolute.strip_prefix(root).map_or_else(|_| absolute.to_string(), |inside| format!("./{inside}"))
}

/// jk handed its inputs around as an object, whose names are sorted; a path given twice counts once.
fn sorted_input(input: &[String]) -> Vec<String> {
    let mut input = input.to_vec();
    input.sort();
    input.dedup();
    input
}

fn finish(session: &Session, result: Result<(), ScriptError>) -> Outcome {
    session.host.unmute();
    let mut outcome = Outcome {
        files: Vec::new(),
        refused: Vec::new(),
        checks: session.checks.take().into_values().collect(),
        notes: session.notes.take(),
        shape_problems: session.shape_problems.take(),
        error: result.err(),
        dependencies: session.take_dependencies(),
    };
    let files: Vec<OutputFile> = session.outputs.take().into_values().collect();
    if outcome.is_good() {
        outcome.error = conflicting_paths(&files).map(|message| ScriptError::new("Error", message));
    }
    if outcome.is_good() && !session.settings.dry_run {
        session.print(&session.stdout.take().text);
        outcome.files = files;
    } else {
        outcome.refused = files;
    }
    outcome
}

/// A file cannot be in another file.
fn conflicting_paths(files: &[OutputFile]) -> Option<String> {
    let mut by_path: Vec<(&Utf8Path, &str)> =
        files.iter().map(|f| (f.path.as_path(), f.name.as_str())).collect();
    by_path.sort_unstable();
    // The components of a path sort before those of everything below it, and nothing else comes between.
    let below = |pair: &&[(&Utf8Path, &str)]| matches!(pair, [outer, inner] if inner.0.starts_with(outer.0));
    by_path.windows(2).find(below).and_then(|pair| match pair {
        [(_, outer), (_, inner)] => Some(messages::file_as_folder(outer, inner)),
        _ => None,
    })
}

fn file_entry(session: &Session, path: &Utf8PathBuf) -> Result<Entry, ScriptError> {
    let absolute = paths::join(&session.settings.folder, path.as_str());
    session.depend_on(Dependency::import_file(absolute.clone(), path.as_str()));
    let failed = |message: String| ScriptError::new("Error", message);
    let bytes = session
        .host
        .read(&ConfinedPath::unconfined(&absolute))
        .map_err(|error| failed(session.cannot_read(path.as_str(), &error)))?;
    let source = text_of(&bytes, path.as_str()).map_err(failed)?.to_owned();
    Ok(Entry { name: absolute.into_string(), source, shown: path.to_string() })
}

fn stdin_entry(session: &Session) -> Result<Entry, ScriptError> {
    let failed = |message: String| ScriptError::new("Error", message);
    let bytes =
        session.host.read_stdin().map_err(|error| failed(session.cannot_read("standard input", &error)))?;
    let source = text_of(&bytes, "standard input").map_err(failed)?.to_owned();
    Ok(Entry { name: "<stdin>".to_owned(), source, shown: "<stdin>".to_owned() })
}

fn command_entry(command: &str, source: &str, script: &str) -> Entry {
    let name = format!("{COMMAND}{command}");
    Entry { name, source: source.to_owned(), shown: script.to_owned() }
}
