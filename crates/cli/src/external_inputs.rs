//! External inputs on this side of a deployment: what a parameter file asks for comes in, the values that this program
//! knows how to get go out. Values may be secrets, so no message shows one.

use std::cell::Cell;
use std::collections::BTreeMap;

use arm::Value;
use arm::parameters::Inputs;
use base::World as _;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value as Json;

use crate::failure::Failure;
use crate::names::Name;
use crate::session::Session;

/// The arguments that give values to external inputs.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct AnswerArgs {
    /// The value of an external input, by its configured name or key; repeatable
    #[arg(long = "input", visible_alias = "arg", value_name = "NAME=VALUE")]
    input_values: Vec<String>,

    /// A JSON file with values of external inputs: an object by key, or a list of `{ type, config, value }`
    #[arg(long = "inputs", visible_alias = "values", value_name = "FILE")]
    input_file: Option<Utf8PathBuf>,
}

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) key: &'a str,
    /// `sys.envVar` and the like.
    pub(crate) kind: &'a str,
    pub(crate) config: Option<&'a Json>,
    /// The folder that paths start from.
    pub(crate) folder: &'a Utf8Path,
}

/// Gets values.
pub(crate) struct Resolver<'a> {
    session: &'a Session,
    arguments: BTreeMap<&'a str, (&'a str, Cell<bool>)>,
    values: Option<Json>,
}

impl<'a> Resolver<'a> {
    pub(crate) fn new(args: &'a AnswerArgs, session: &'a Session) -> Result<Self, Failure> {
        let mut arguments = BTreeMap::new();
        for text in &args.input_values {
            let (name, value) = text.split_once('=').ok_or_else(Failure::bad_argument)?;
            if arguments.insert(name, (value, Cell::new(false))).is_some() {
                return Err(Failure::argument_twice(&option(session, name)));
            }
        }
        let values = args.input_file.as_deref().map(|path| read_values(path, session)).transpose()?;
        Ok(Self { session, arguments, values })
    }

    /// A value, or why there is none.
    pub(crate) fn answer(&self, asked: Asked<'_>) -> Result<Json, String> {
        if let Some(value) = self.given(asked) {
            return Ok(value);
        }
        match asked.kind {
            "sys.envVar" => {
                let name = named(asked)?;
                let value = self.session.world.variable(name);
                value
                    .map(Json::String)
                    .ok_or_else(|| format!("the environment variable \"{name}\" is not set"))
            }
            "sys.cliArgument" | "sys.cliArg" | "sys.cli" => {
                let name = named(asked)?;
                Err(format!("the argument \"{name}\" is not given: add {}", option(self.session, name)))
            }
            "sys.file" => self.file(asked),
            kind => {
                let key = asked.key;
                Err(format!(
                    "nobody here knows inputs of type \"{kind}\": add --input {key}=VALUE, or give a file with --inputs"
                ))
            }
        }
    }

    /// The value that the command line gives: in a file of values, or by key or name.
    pub(crate) fn given(&self, asked: Asked<'_>) -> Option<Json> {
        let names = [Some(asked.key), named(asked).ok()];
        let argument = names.into_iter().flatten().find_map(|name| self.arguments.get(name));
        if let Some((_, is_used)) = argument {
            is_used.set(true);
        }
        if let Some(value) = self.values.as_ref().and_then(|values| listed(values, asked)) {
            return Some(value.clone());
        }
        let (text, _) = argument?;
        // Inputs of the types that are known here are texts; others may be anything.
        let parsed = json::parse(text, json::Options::lenient());
        let value = parsed.root.filter(|_| parsed.diagnostics.is_empty() && !asked.kind.starts_with("sys."));
        Some(value.map_or_else(|| Json::from(*text), |root| root.to_value()))
    }

    /// Answers external inputs with what the command line gives. The others stay unknown: nothing is read from the
    /// environment, so that the result is the same everywhere.
    pub(crate) fn supply(&self, inputs: &mut Inputs) {
        let mut answers = Vec::new();
        for (key, input) in inputs.external.iter() {
            let config = input.config.to_json(arm::Secrets::Shown);
            let folder = Utf8Path::new("");
            let asked =
                Asked { key, kind: &input.kind, config: Some(&config).filter(|it| !it.is_null()), folder };
            answers.extend(self.given(asked).map(|value| (key.clone(), Value::from(&value))));
        }
        for (key, value) in answers {
            inputs.supply(&key, value);
        }
    }

    /// Refuses arguments that nothing has asked for: they are most likely misspelt.
    pub(crate) fn check_all_used(&self) -> Result<(), Failure> {
        let unused = self.arguments.iter().filter(|(_, (_, is_used))| !is_used.get());
        let unused: Vec<String> =
            unused.map(|(name, _)| format!("`{}`", option(self.session, name))).collect();
        if unused.is_empty() { Ok(()) } else { Err(Failure::arguments_unused(&unused.join(", "))) }
    }

    /// The content of a file: as text, or as the `format` of the configuration says.
    fn file(&self, asked: Asked<'_>) -> Result<Json, String> {
        let config = asked.config.unwrap_or(&Json::Null);
        let path = config.as_str().or_else(|| config.get("path").and_then(Json::as_str));
        let path = path.ok_or("its configuration should be the path of a file")?;
        let full = config::paths::resolve(asked.folder, path.into());
        let failed = |reason: String| format!("the file \"{path}\" cannot be used: {reason}");
        if config.get("format").and_then(Json::as_str) == Some("base64") {
            let bytes = self.session.world.read(&full).map_err(|error| failed(error.to_string()))?;
            return Ok(STANDARD.encode(bytes).into());
        }
        let source = self.session.world.read_source(&full).map_err(|error| failed(error.to_string()))?;
        match config.get("format").and_then(Json::as_str) {
            None | Some("text") => Ok(source.text().to_string().into()),
            Some("json") => {
                let parsed = json::parse(source.text(), json::Options::lenient());
                let root = parsed.root.filter(|_| parsed.diagnostics.is_empty());
                root.map(|root| root.to_value()).ok_or_else(|| failed("it is not JSON".to_owned()))
            }
            Some(other) => Err(failed(format!("the format \"{other}\" is none of text, json and base64"))),
        }
    }
}

/// How an argument is given on the command line that is spoken.
fn option(session: &Session, name: &str) -> String {
    match session.name {
        Name::Bicep => format!("--arg-{name} VALUE"),
        _ => format!("--input {name}=VALUE"),
    }
}

/// The name that an input is configured with.
fn named<'a>(asked: Asked<'a>) -> Result<&'a str, String> {
    let config = asked.config.unwrap_or(&Json::Null);
    let name = config.as_str().or_else(|| config.get("name").and_then(Json::as_str));
    name.ok_or_else(|| format!("an input of type \"{}\" should be configured with a name", asked.kind))
}

/// The value that a file of values gives.
fn listed<'v>(values: &'v Json, asked: Asked<'_>) -> Option<&'v Json> {
    match values {
        Json::Object(values) => values.get(asked.key),
        Json::Array(values) => {
            let is_it = |entry: &&Json| {
                let kind = entry.get("type").or_else(|| entry.get("kind"));
                kind.and_then(Json::as_str) == Some(asked.kind) && entry.get("config") == asked.config
            };
            values.iter().find(is_it)?.get("value")
        }
        _ => None,
    }
}

fn read_values(path: &Utf8Path, session: &Session) -> Result<Json, Failure> {
    let source = session.world.read_source(path).map_err(|error| Failure::unreadable(path, &error))?;
    let parsed = json::parse(source.text(), json::Options::lenient());
    let values = parsed.root.filter(|_| parsed.diagnostics.is_empty()).map(|root| root.to_value());
    values.filter(|it| it.is_object() || it.is_array()).ok_or_else(|| Failure::bad_values(path))
}
