//! `sinew config explain`: every setting in force, with the file and line that gave it.

use std::fmt::Write as _;

use camino::Utf8PathBuf;

use crate::settings::Config;
use crate::tree::{Entry, Value};

/// A setting in force.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    /// The keys that lead to it, with dots between them.
    pub path: String,
    pub value: serde_json::Value,
    /// The file that gave it, or the variable of the environment; none for a default.
    pub file: Option<Utf8PathBuf>,
    /// The line in that file, counted from one; none for a variable.
    pub line: Option<u32>,
}

/// Every setting in force. Objects are taken apart, lists are not, as they are replaced as a whole.
pub fn explain(config: &Config) -> Vec<Explained> {
    let mut settings = Vec::new();
    collect(config, &config.tree, &mut String::new(), &mut settings);
    settings
}

/// The settings as text, one per line. `defaults` says whether those that no file gave are shown as well.
pub fn render(settings: &[Explained], defaults: bool) -> String {
    let shown = || settings.iter().filter(|setting| defaults || setting.file.is_some());
    let lines: Vec<_> = shown().map(|setting| format!("{} = {}", setting.path, setting.value)).collect();
    let width =
        lines.iter().map(|line| line.chars().count()).filter(|width| *width <= WIDEST).max().unwrap_or(0);
    let mut text = String::new();
    for (line, setting) in lines.iter().zip(shown()) {
        // Writing to a string cannot fail.
        let _ = match (&setting.file, setting.line) {
            (Some(file), Some(number)) => writeln!(text, "{line:width$}  {file}:{number}"),
            (Some(variable), None) => writeln!(text, "{line:width$}  {variable}"),
            _ => writeln!(text, "{line:width$}  (default)"),
        };
    }
    text
}

/// Longer settings do not move the column of the places.
const WIDEST: usize = 72;

fn collect(config: &Config, entry: &Entry, path: &mut String, settings: &mut Vec<Explained>) {
    let Value::Object(entries) = &entry.value else {
        if matches!(entry.value, Value::Nothing) {
            return;
        }
        let place = config.place(entry.origin);
        settings.push(Explained {
            path: path.clone(),
            value: entry.to_json(),
            line: place.as_ref().map(|place| place.file.position(place.range.start()).line + 1),
            file: place.map(|place| place.file.path().to_owned()),
        });
        return;
    };
    for (key, entry) in entries.iter().filter(|(key, _)| *key != "$schema" && *key != "extends") {
        let length = path.len();
        if !path.is_empty() {
            path.push('.');
        }
        match key.contains(['.', ' ', '"']) {
            true => path.push_str(&serde_json::Value::from(key.as_str()).to_string()),
            false => path.push_str(key),
        }
        collect(config, entry, path, settings);
        path.truncate(length);
    }
}
