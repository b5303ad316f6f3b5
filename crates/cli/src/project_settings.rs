//! `sinew.toml` and variables of the environment as the defaults of options.

use std::sync::OnceLock;

use base::disk::DiskWorld;
use camino::{Utf8Path, Utf8PathBuf};
use config::project_settings::{ConfiguredSetting, LoadedProject, load_project_settings};

use crate::failure::Failure;
use crate::names::Name;

/// The settings of this process. The parser of a command is made by a function without arguments, when the command is
/// called: it can only find them here.
static LOADED: OnceLock<LoadedProject> = OnceLock::new();

fn loaded() -> &'static LoadedProject {
    LOADED.get_or_init(|| {
        let folder = std::env::current_dir().ok().and_then(|folder| Utf8PathBuf::from_path_buf(folder).ok());
        folder.map(|folder| load_project_settings(&DiskWorld, &folder)).unwrap_or_default()
    })
}

/// What the project says under a key.
pub(crate) fn get(key: &str) -> Option<&'static ConfiguredSetting> {
    loaded().settings.get(key)
}

/// Gives options the defaults that the project sets, in a parser and those below it.
pub(crate) fn with_project_defaults(parser: clap::Command) -> clap::Command {
    if Name::of_process().has_project_settings() { with_defaults(parser) } else { parser }
}

fn with_defaults(mut parser: clap::Command) -> clap::Command {
    for below in parser.get_subcommands_mut() {
        let command = std::mem::take(below);
        *below = with_defaults(command);
    }
    parser.mut_args(|argument| {
        let is_setting = |option: &str| {
            config::project_settings::PROJECT_SETTINGS.iter().any(|setting| setting.option == Some(option))
        };
        let configured = argument
            .get_long()
            .filter(|option| is_setting(option))
            .and_then(|option| loaded().settings.of_option(option));
        match configured {
            Some(configured) => argument.default_values(configured.values.iter().map(String::as_str)),
            None => argument,
        }
    })
}

/// Why the settings that a command has asked for cannot be used.
pub(crate) fn refusal() -> Option<Failure> {
    let loaded = LOADED.get()?;
    if let Some(bad) = loaded.bad_variables.first() {
        return Some(Failure::bad_variable(bad.name, &bad.reason));
    }
    let report = loaded.report.as_ref()?;
    let first = report.diagnostics.first()?;
    let line = report.file.position(first.range.start()).line + 1;
    let path: &Utf8Path = report.file.path();
    Some(Failure::settings(path, format!("line {line}: {}", first.message)))
}
