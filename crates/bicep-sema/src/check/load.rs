//! Functions that the compiler itself carries out: reading files, folders and environment variables.

use base::{Diagnostic, ReadError, TextRange};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use bicep_syntax::ast;
use bicep_types::ty::Type;
use camino::Utf8PathBuf;
use serde_json::Value;

use super::Checker;
use super::call::CallSite;
use super::result::json_type;
use crate::json_path;
use crate::messages::{files, functions as messages, types};
use crate::text_file::{self, Encoding};
use crate::yaml;

/// The largest text, in UTF-16 code units.
const MAX_TEXT: usize = 131_072;
/// The largest JSON or YAML file, in UTF-16 code units.
const MAX_DATA: usize = 1_048_576;
/// The largest file in base64, in bytes.
const MAX_BYTES: usize = MAX_TEXT / 4 * 3;

impl<'a> Checker<'a> {
    pub(crate) fn load_text(&mut self, site: CallSite<'a>, arguments: &[Type]) -> Type {
        match self.read_text(site, arguments, 1, Some(MAX_TEXT)) {
            Ok(text) => {
                self.constants.insert(site.node.id(), Value::from(text.as_str()));
                Type::string_literal(text)
            }
            Err(diagnostic) => self.fail(diagnostic),
        }
    }

    pub(crate) fn load_base64(&mut self, site: CallSite<'a>, arguments: &[Type]) -> Type {
        let read = self.path_argument(site, arguments).and_then(|(path, range)| {
            let bytes = self.read_bytes(&path, range)?;
            if bytes.len() > MAX_BYTES {
                return Err(messages::file_too_large(range, path.as_str(), MAX_BYTES, "bytes"));
            }
            let name = config::paths::relative(self.bound.bicep.folder(), &path);
            Ok((BASE64_STANDARD.encode(&bytes), name))
        });
        match read {
            Ok((text, name)) => {
                self.constants.insert(site.node.id(), Value::from(text.as_str()));
                // Its content tells a reader nothing: the type is called by the file.
                Type::string_literal(text).called(name)
            }
            Err(diagnostic) => self.fail(diagnostic),
        }
    }

    pub(crate) fn load_json(&mut self, site: CallSite<'a>, arguments: &[Type]) -> Type {
        self.load_data(site, arguments, |text, range| {
            json_value(text).ok_or_else(|| messages::invalid_json(range))
        })
    }

    pub(crate) fn load_yaml(&mut self, site: CallSite<'a>, arguments: &[Type]) -> Type {
        self.load_data(site, arguments, |text, range| {
            yaml::parse(text).ok_or_else(|| messages::invalid_yaml(range))
        })
    }

    fn load_data(
        &mut self,
        site: CallSite<'a>,
        arguments: &[Type],
        read: impl Fn(&str, TextRange) -> Result<Value, Diagnostic>,
    ) -> Type {
        let value = self.read_data(site, arguments, read);
        self.known_value(site, value)
    }

    /// The type of a call whose value was read.
    fn known_value(&mut self, site: CallSite<'a>, value: Result<Value, Diagnostic>) -> Type {
        match value {
            Ok(value) => {
                let ty = json_type(&value);
                self.constants.insert(site.node.id(), value);
                ty
            }
            Err(diagnostic) => self.fail(diagnostic),
        }
    }

    fn read_data(
        &mut self,
        site: CallSite<'a>,
        arguments: &[Type],
        read: impl Fn(&str, TextRange) -> Result<Value, Diagnostic>,
    ) -> Result<Value, Diagnostic> {
        let selector = match arguments.get(1) {
            None => None,
            Some(ty) => {
                let range = argument_range(site, 1);
                let path = ty.as_string_literal().ok_or_else(|| types::constant_required(range))?;
                Some((path.clone(), range))
            }
        };
        let limit = (!self.has_feature(config::Feature::LocalDeploy)).then_some(MAX_DATA);
        let text = self.read_text(site, arguments, 2, limit)?;
        let value = read(&text, argument_range(site, 0))?;
        let Some((path, range)) = selector else { return Ok(value) };
        let mut found = json_path::select(&value, &path).ok_or_else(|| messages::path_not_found(range))?;
        match found.len() {
            0 => Err(messages::path_not_found(range)),
            1 => Ok(found.swap_remove(0).clone()),
            _ => Ok(Value::Array(found.into_iter().cloned().collect())),
        }
    }

    fn read_text(
        &mut self,
        site: CallSite<'a>,
        arguments: &[Type],
        encoding_index: usize,
        limit: Option<usize>,
    ) -> Result<String, Diagnostic> {
        let (path, range) = self.path_argument(site, arguments)?;
        let encoding = match arguments.get(encoding_index) {
            None => None,
            Some(ty) => {
                let range = argument_range(site, encoding_index);
                let name = ty.as_string_literal().ok_or_else(|| types::constant_required(range))?;
                Some((Encoding::named(name).unwrap_or(Encoding::Utf8), range))
            }
        };
        let bytes = self.read_bytes(&path, range)?;
        let detected = text_file::detect(&bytes);
        if let (Some((encoding, range)), Some(detected)) = (encoding, detected)
            && encoding != detected
        {
            self.report(messages::other_encoding(range, detected.name()));
        }
        let text = text_file::decode(&bytes, encoding.map_or(Encoding::Utf8, |(encoding, _)| encoding));
        match limit.filter(|limit| text.encode_utf16().nth(*limit).is_some()) {
            Some(limit) => Err(messages::file_too_large(range, path.as_str(), limit, "characters")),
            None => Ok(text),
        }
    }

    /// The path that is the first argument, seen from the folder of the file.
    fn path_argument(
        &self,
        site: CallSite<'a>,
        arguments: &[Type],
    ) -> Result<(Utf8PathBuf, TextRange), Diagnostic> {
        let range = argument_range(site, 0);
        let path = arguments.first().and_then(Type::as_string_literal);
        let path = path.ok_or_else(|| types::constant_required(range))?;
        config::reference::check_path(path).map_err(|problem| problem.at(range))?;
        Ok((config::paths::resolve(self.bound.bicep.folder(), path.as_str().into()), range))
    }

    fn read_bytes(
        &mut self,
        path: &camino::Utf8Path,
        range: TextRange,
    ) -> Result<std::sync::Arc<[u8]>, Diagnostic> {
        self.loaded.insert(path.to_owned());
        let read = self.bound.program.world().read(path);
        read.map_err(|error| files::cannot_read(range, path, &error))
    }

    pub(crate) fn load_folder(&mut self, site: CallSite<'a>, arguments: &[Type]) -> Type {
        let value = self.read_folder(site, arguments);
        self.known_value(site, value)
    }

    fn read_folder(&mut self, site: CallSite<'a>, arguments: &[Type]) -> Result<Value, Diagnostic> {
        let pattern = match arguments.get(1) {
            None => "*",
            Some(ty) => {
                let range = argument_range(site, 1);
                ty.as_string_literal().ok_or_else(|| types::constant_required(range))?.as_str()
            }
        };
        let (folder, range) = self.path_argument(site, arguments)?;
        let written = arguments.first().and_then(Type::as_string_literal).cloned().unwrap_or_default();
        self.loaded.insert(folder.clone());
        let entries = self.bound.program.world().list(&folder).map_err(|error| match error {
            ReadError::IsFile => messages::is_a_file(range, &written),
            ReadError::NotFound => messages::no_folder(range, &written),
            error => messages::cannot_list(range, &written, &error.to_string()),
        })?;
        let pattern = if pattern.is_empty() { "*" } else { pattern };
        let mut files: Vec<String> = entries
            .into_iter()
            .filter(|entry| !entry.is_folder && text_file::matches_wildcard(pattern, &entry.name))
            .map(|entry| entry.name)
            .collect();
        let home = self.bound.bicep.folder();
        let relative = text_file::relative_path(home, &folder);
        files.sort_by_cached_key(|name| format!("{relative}{name}").to_uppercase());
        let info = |name: String| {
            let extension = name.rfind('.').and_then(|at| name.get(at..)).unwrap_or_default().to_owned();
            serde_json::json!({
                "relativePath": format!("{relative}{name}"),
                "baseName": name,
                "extension": extension,
            })
        };
        Ok(Value::Array(files.into_iter().map(info).collect()))
    }

    pub(crate) fn read_environment(&mut self, site: CallSite<'a>, arguments: &[Type]) -> Type {
        let range = argument_range(site, 0);
        let Some(name) = arguments.first().and_then(Type::as_string_literal) else {
            return self.fail(types::constant_required(range));
        };
        let world = self.bound.program.world();
        let default = arguments.get(1).and_then(Type::as_string_literal).map(ToString::to_string);
        let variable = world.variable(name);
        self.environment.extend(variable.clone());
        match variable.or(default) {
            Some(value) => {
                self.constants.insert(site.node.id(), Value::from(value.as_str()));
                Type::string_literal(value)
            }
            None => {
                let names = world.variable_names();
                let analyzers = &self.bound.bicep.config.analyzers;
                if analyzers.enabled && analyzers.verbose {
                    self.report(messages::environment_variables(range, &names));
                }
                let other = base::spelling::suggest(name, names);
                self.fail(messages::no_environment_variable(range, name, other.as_deref()))
            }
        }
    }
}

/// A JSON text as the reference reads it: with comments, and taking what is there when the end is missing.
pub(super) fn json_value(text: &str) -> Option<Value> {
    let parsed = json::parse(text, json::Options::lenient());
    let end = base::TextSize::of(text.trim_end());
    let is_wrong = |it: &Diagnostic| it.severity == base::Severity::Error && it.range.start() < end;
    let is_valid = !parsed.diagnostics.iter().any(is_wrong);
    parsed.root.filter(|_| is_valid).map(|root| root.to_value())
}

fn argument_range(site: CallSite<'_>, index: usize) -> TextRange {
    site.argument(index).map_or(site.arguments_range(), ast::Argument::range)
}
