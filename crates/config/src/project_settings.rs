//! `sinew.toml`: what a project sets for all who work on it. Most settings are the defaults of options.
//!
//! The nearest file upwards from the current folder is read; a variable of the environment goes over it, an option on
//! the command line over both.

use std::sync::Arc;
use std::time::Duration;

use base::{Diagnostic, FileReport, ReadError, SourceFile, TextRange, TextSize, World};
use camino::{Utf8Path, Utf8PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::explain::Explained;
use crate::{diagnostics, paths};

/// The name of the file that is looked for.
pub const PROJECT_FILE_NAME: &str = "sinew.toml";

/// A setting of a project.
#[derive(Debug, PartialEq, Eq)]
pub struct ProjectSetting {
    /// The table and the key in the file, with a dot between them.
    pub key: &'static str,
    /// What it takes.
    pub kind: SettingKind,
    /// The option whose default it is, without the dashes.
    pub option: Option<&'static str>,
    /// The variable of the environment that sets it, too.
    pub variable: Option<&'static str>,
    /// What holds where nobody sets it, for people.
    pub default: &'static str,
    /// What it is for.
    pub description: &'static str,
}

/// What a setting takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingKind {
    /// `"500ms"`, `"30s"`, `"2m"`, or a number of seconds.
    Time,
    /// `"100kB"`, `"64MB"`, `"2GB"`, or a number of megabytes.
    Size,
    /// `true` or `false`.
    Flag,
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// A list of texts.
    Texts,
    /// A path from the folder of the file on, or an address.
    Path,
    /// A list of those.
    Paths,
}

/// Every setting, in the order of the documentation.
pub static PROJECT_SETTINGS: &[ProjectSetting] = &[
    ProjectSetting {
        key: "report.format",
        kind: SettingKind::Choice(&["text", "sarif", "json", "github", "junit"]),
        option: Some("diagnostics-format"),
        variable: None,
        default: "text",
        description: "The form of reports.",
    },
    ProjectSetting {
        key: "analyze.rules",
        kind: SettingKind::Paths,
        option: Some("rules"),
        variable: None,
        default: "none",
        description: "Files with rules of your own for `analyze` and `check`.",
    },
    ProjectSetting {
        key: "analyze.exclude",
        kind: SettingKind::Texts,
        option: Some("exclude"),
        variable: None,
        default: "none",
        description: "Rules that do not run.",
    },
    ProjectSetting {
        key: "analyze.exclude-path",
        kind: SettingKind::Texts,
        option: Some("exclude-path"),
        variable: None,
        default: "none",
        description: "Patterns of files that are not looked at.",
    },
    ProjectSetting {
        key: "analyze.baseline",
        kind: SettingKind::Path,
        option: Some("baseline"),
        variable: None,
        default: "none",
        description: "The file with findings that are known and not reported again.",
    },
    ProjectSetting {
        key: "restore.offline",
        kind: SettingKind::Flag,
        option: Some("offline"),
        variable: None,
        default: "false",
        description: "Whether nothing is fetched from registries.",
    },
    ProjectSetting {
        key: "restore.locked",
        kind: SettingKind::Flag,
        option: Some("locked"),
        variable: None,
        default: "false",
        description: "Whether artifacts must be those of the lock file.",
    },
    ProjectSetting {
        key: "types.mirror",
        kind: SettingKind::Path,
        option: None,
        variable: Some("SINEW_TYPES_MIRROR"),
        default: "the public registry",
        description: "Where published types are fetched from: `br:HOST/PATH`, a folder, or `none`.",
    },
    ProjectSetting {
        key: "scripts.max-time",
        kind: SettingKind::Time,
        option: Some("max-time"),
        variable: Some("SINEW_MAX_TIME"),
        default: "60s",
        description: "How long a script may run.",
    },
    ProjectSetting {
        key: "scripts.max-validator-time",
        kind: SettingKind::Time,
        option: Some("max-validator-time"),
        variable: Some("SINEW_MAX_VALIDATOR_TIME"),
        default: "1s",
        description: "How long a validation function may take for a value, with what it awaits.",
    },
    ProjectSetting {
        key: "scripts.max-memory",
        kind: SettingKind::Size,
        option: Some("max-memory"),
        variable: Some("SINEW_MAX_MEMORY"),
        default: "1024MB",
        description: "How much memory a script may use.",
    },
    ProjectSetting {
        key: "scripts.max-file-size",
        kind: SettingKind::Size,
        option: Some("max-file-size"),
        variable: Some("SINEW_MAX_FILE_SIZE"),
        default: "32MB",
        description: "The largest file that a script may read.",
    },
    ProjectSetting {
        key: "scripts.allow-env",
        kind: SettingKind::Texts,
        option: Some("allow-env"),
        variable: None,
        default: "none",
        description: "Variables of the environment that scripts see in `process.env`.",
    },
    ProjectSetting {
        key: "scripts.allow-random",
        kind: SettingKind::Flag,
        option: Some("allow-random"),
        variable: None,
        default: "false",
        description: "Whether scripts may use random values. Output is not reproducible then.",
    },
    ProjectSetting {
        key: "scripts.libraries",
        kind: SettingKind::Paths,
        option: Some("lib"),
        variable: None,
        default: "none",
        description: "Folders or container images with further modules for scripts.",
    },
    ProjectSetting {
        key: "scripts.module-root",
        kind: SettingKind::Path,
        option: Some("module-root"),
        variable: None,
        default: "the folder of the script, or the current one",
        description: "The folder that holds everything a script may import.",
    },
];

/// The settings of a project that somebody has set.
#[derive(Debug, Default)]
pub struct ProjectSettings {
    configured: Vec<ConfiguredSetting>,
}

/// A setting that somebody has set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfiguredSetting {
    /// Which.
    pub setting: &'static ProjectSetting,
    /// The values as an option takes them; several only for lists. Paths are absolute.
    pub values: Vec<String>,
    /// Who has set it.
    pub source: SettingSource,
}

/// Who has set a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingSource {
    /// A line of a file, counted from one.
    File {
        /// The file.
        path: Utf8PathBuf,
        line: u32,
    },
    /// A variable of the environment.
    Variable(&'static str),
}

/// A variable of the environment that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadVariable {
    pub name: &'static str,
    /// What is wrong with it.
    pub reason: String,
}

/// What was found on the way to the settings of a project.
#[derive(Debug, Default)]
pub struct LoadedProject {
    pub settings: ProjectSettings,
    /// What is wrong with the file.
    pub report: Option<FileReport>,
    /// What is wrong with the environment.
    pub bad_variables: Vec<BadVariable>,
}

impl ProjectSettings {
    /// All settings that somebody has set.
    pub fn configured(&self) -> &[ConfiguredSetting] {
        &self.configured
    }

    /// What somebody has set under a key.
    pub fn get(&self, key: &str) -> Option<&ConfiguredSetting> {
        self.configured.iter().find(|configured| configured.setting.key == key)
    }

    /// What somebody has set as the default of an option.
    pub fn of_option(&self, option: &str) -> Option<&ConfiguredSetting> {
        self.configured.iter().find(|configured| configured.setting.option == Some(option))
    }
}

/// Every setting, with its value and who has set it.
pub fn explain(settings: &ProjectSettings) -> Vec<Explained> {
    let explained = |setting: &'static ProjectSetting| {
        let configured = settings.get(setting.key);
        let value = match (configured, setting.kind) {
            (Some(configured), SettingKind::Texts | SettingKind::Paths) => {
                configured.values.as_slice().into()
            }
            (Some(configured), SettingKind::Flag) => (configured.values == ["true"]).into(),
            (Some(configured), _) => configured.values.concat().into(),
            (None, SettingKind::Texts | SettingKind::Paths) => serde_json::Value::Array(Vec::new()),
            (None, SettingKind::Flag) => (setting.default == "true").into(),
            (None, _) => setting.default.into(),
        };
        let (file, line) = match configured.map(|configured| &configured.source) {
            Some(SettingSource::File { path, line }) => (Some(path.clone()), Some(*line)),
            Some(SettingSource::Variable(name)) => (Some(Utf8PathBuf::from(*name)), None),
            None => (None, None),
        };
        Explained { path: setting.key.to_owned(), value, file, line }
    };
    PROJECT_SETTINGS.iter().map(explained).collect()
}

/// Reads the settings for work in a folder, which is given from the root on.
pub fn load_project_settings(world: &dyn World, folder: &Utf8Path) -> LoadedProject {
    let mut loaded = LoadedProject::default();
    for above in folder.ancestors() {
        let path = above.join(PROJECT_FILE_NAME);
        match world.read_source(&path) {
            Ok(file) => {
                let (configured, found) = read_file(&file, above);
                loaded.settings.configured = configured;
                loaded.report = (!found.is_empty()).then(|| FileReport::new(file, found));
                break;
            }
            Err(ReadError::NotFound | ReadError::IsFolder) => {}
            Err(error) => {
                let found = vec![diagnostics::setting_file_unreadable(&error)];
                loaded.report = Some(FileReport::new(SourceFile::new(path, ""), found));
                break;
            }
        }
    }
    add_variables(world, &mut loaded);
    loaded
}

fn add_variables(world: &dyn World, loaded: &mut LoadedProject) {
    for setting in PROJECT_SETTINGS {
        let Some(name) = setting.variable else { continue };
        let Some(text) = world.variable(name).filter(|text| !text.is_empty()) else { continue };
        if let Err(reason) = setting.kind.check(&text) {
            loaded.bad_variables.push(BadVariable { name, reason });
            continue;
        }
        let configured = &mut loaded.settings.configured;
        configured.retain(|known| known.setting != setting);
        let source = SettingSource::Variable(name);
        configured.push(ConfiguredSetting { setting, values: vec![text], source });
    }
}

fn read_file(file: &Arc<SourceFile>, folder: &Utf8Path) -> (Vec<ConfiguredSetting>, Vec<Diagnostic>) {
    let table = match DeTable::parse(file.text()) {
        Ok(table) => table,
        Err(error) => {
            let range = error.span().map_or_else(TextRange::default, |span| range(&span));
            return (Vec::new(), vec![diagnostics::setting_file_unparsable(range, error.message())]);
        }
    };
    let mut reader = ProjectSettingsReader { file, folder, configured: Vec::new(), found: Vec::new() };
    for (name, value) in table.get_ref() {
        reader.table(name, value);
    }
    let order = |configured: &ConfiguredSetting| {
        PROJECT_SETTINGS.iter().position(|setting| setting == configured.setting)
    };
    reader.configured.sort_by_key(order);
    (reader.configured, reader.found)
}

struct ProjectSettingsReader<'f> {
    file: &'f SourceFile,
    folder: &'f Utf8Path,
    configured: Vec<ConfiguredSetting>,
    found: Vec<Diagnostic>,
}

type Key<'t> = Spanned<toml::de::DeString<'t>>;

impl ProjectSettingsReader<'_> {
    fn table(&mut self, name: &Key<'_>, value: &Spanned<DeValue<'_>>) {
        let at = range(&name.span());
        let prefix = format!("{}.", name.get_ref());
        if !PROJECT_SETTINGS.iter().any(|setting| setting.key.starts_with(&prefix)) {
            let tables = PROJECT_SETTINGS.iter().filter_map(|setting| Some(setting.key.split_once('.')?.0));
            self.found.push(diagnostics::unknown_setting(at, name.get_ref(), tables));
            return;
        }
        let DeValue::Table(entries) = value.get_ref() else {
            self.found.push(diagnostics::invalid_setting(at, name.get_ref(), "a table is expected"));
            return;
        };
        for (key, value) in entries {
            let full = format!("{prefix}{}", key.get_ref());
            match PROJECT_SETTINGS.iter().find(|setting| setting.key == full) {
                Some(setting) => self.setting(setting, key, value),
                None => {
                    let known = PROJECT_SETTINGS.iter().map(|setting| setting.key);
                    self.found.push(diagnostics::unknown_setting(range(&key.span()), &full, known));
                }
            }
        }
    }

    fn setting(&mut self, setting: &'static ProjectSetting, key: &Key<'_>, value: &Spanned<DeValue<'_>>) {
        let texts = texts_of(value.get_ref(), setting.kind);
        let checked = texts.and_then(|texts| {
            texts.iter().try_for_each(|text| setting.kind.check(text))?;
            Ok(texts)
        });
        match checked {
            Ok(texts) => {
                let is_path = matches!(setting.kind, SettingKind::Path | SettingKind::Paths);
                let values = texts.into_iter().map(|text| if is_path { self.absolute(text) } else { text });
                let start = range(&key.span()).start();
                let line = self.file.position(start).line + 1;
                let source = SettingSource::File { path: self.file.path().to_owned(), line };
                let values = values.collect();
                self.configured.push(ConfiguredSetting { setting, values, source });
            }
            Err(reason) => {
                self.found.push(diagnostics::invalid_setting(range(&value.span()), setting.key, &reason));
            }
        }
    }

    /// A path from the folder of the file on. What has a scheme or looks like the reference of an image is no path.
    fn absolute(&self, text: String) -> String {
        let is_address = text.contains(':') || text == "none";
        if is_address { text } else { paths::normalize(&self.folder.join(text)).into_string() }
    }
}

/// The value of a setting as texts.
fn texts_of(value: &DeValue<'_>, kind: SettingKind) -> Result<Vec<String>, String> {
    let is_list = matches!(kind, SettingKind::Texts | SettingKind::Paths);
    match value {
        DeValue::Array(items) if is_list => items
            .iter()
            .map(|item| match item.get_ref() {
                DeValue::String(text) => Ok(text.to_string()),
                _ => Err("a list of texts is expected".to_owned()),
            })
            .collect(),
        _ if is_list => Err("a list of texts is expected".to_owned()),
        DeValue::Boolean(flag) if kind == SettingKind::Flag => Ok(vec![flag.to_string()]),
        _ if kind == SettingKind::Flag => Err("`true` or `false` is expected".to_owned()),
        DeValue::String(text) => Ok(vec![text.to_string()]),
        DeValue::Integer(number) if matches!(kind, SettingKind::Time | SettingKind::Size) => {
            Ok(vec![number.to_string()])
        }
        DeValue::Float(number) if matches!(kind, SettingKind::Time | SettingKind::Size) => {
            Ok(vec![number.to_string()])
        }
        _ => Err("a text is expected".to_owned()),
    }
}

impl SettingKind {
    /// Whether a text is such a value, or what would be.
    fn check(self, text: &str) -> Result<(), String> {
        match self {
            Self::Time => parse_time(text).map(|_| ()),
            Self::Size => parse_size(text).map(|_| ()),
            Self::Choice(choices) if !choices.contains(&text) => {
                Err(format!("one of {} is expected", diagnostics::quoted(choices)))
            }
            Self::Path | Self::Paths if text.is_empty() => Err("a path is expected".to_owned()),
            _ => Ok(()),
        }
    }
}

/// A time: `1.5s`, `500ms`, `2m`, or a number of seconds.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    let units = [("ms", 0.001), ("min", 60.0), ("m", 60.0), ("s", 1.0)];
    let seconds = quantity(text, &units, 1.0).ok_or("a time is expected, such as `30s` or `500ms`")?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

/// A number of bytes: `512MB`, `2GB`, `100kB`, or a number of megabytes.
pub fn parse_size(text: &str) -> Result<u64, String> {
    const KILO: f64 = 1024.0;
    let units = [("kb", KILO), ("mb", KILO * KILO), ("gb", KILO * KILO * KILO), ("b", 1.0)];
    let bytes = quantity(text, &units, KILO * KILO).ok_or("a size is expected, such as `512MB` or `2GB`")?;
    Ok(bytes as u64)
}

/// A positive number with one of these units behind it.
fn quantity(text: &str, units: &[(&str, f64)], without_unit: f64) -> Option<f64> {
    let text = text.trim().to_ascii_lowercase();
    let unit = units.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, *factor)));
    let (number, factor) = unit.unwrap_or((&text, without_unit));
    let number: f64 = number.trim_end().parse().ok()?;
    (number.is_finite() && number > 0.0).then_some(number * factor)
}

fn range(span: &std::ops::Range<usize>) -> TextRange {
    let offset = |at: usize| TextSize::from(u32::try_from(at).unwrap_or(u32::MAX));
    TextRange::new(offset(span.start), offset(span.end.max(span.start)))
}

#[cfg(test)]
mod tests {
    use base::MemoryWorld;

    use super::*;

    /// The settings in force in `/w/sub`, a line each, then what is wrong.
    #[track_caller]
    fn check(text: &str, variables: &[(&str, &str)], expected: &[&str]) {
        let world = MemoryWorld::new().with_file("/w/sinew.toml", text);
        let world = variables.iter().fold(world, |world, (name, value)| world.with_variable(*name, *value));
        let loaded = load_project_settings(&world, Utf8Path::new("/w/sub"));
        let settings = loaded.settings.configured().iter().map(|configured| {
            let source = match &configured.source {
                SettingSource::File { path, line } => format!("{path}:{line}"),
                SettingSource::Variable(name) => (*name).to_owned(),
            };
            format!("{} = {} ({source})", configured.setting.key, configured.values.join(","))
        });
        let problems = loaded.report.iter().flat_map(|report| report.diagnostics.iter()).map(|d| {
            let start: usize = d.range.start().into();
            format!("{} at {start}: {}", d.code, d.message)
        });
        let variables = loaded.bad_variables.iter().map(|bad| format!("{}: {}", bad.name, bad.reason));
        let found: Vec<String> = settings.chain(problems).chain(variables).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn settings_know_their_lines_and_paths_their_folder() {
        check(
            "report.format = 'sarif'\n[scripts]\nmax-time = '800ms'\nlibraries = ['lib', 'br:host/image:1']\nallow-random = true\n\
             max-memory = 64\n[analyze]\nbaseline = '../known.json'\n",
            &[],
            &[
                "report.format = sarif (/w/sinew.toml:1)",
                "analyze.baseline = /known.json (/w/sinew.toml:8)",
                "scripts.max-time = 800ms (/w/sinew.toml:3)",
                "scripts.max-memory = 64 (/w/sinew.toml:6)",
                "scripts.allow-random = true (/w/sinew.toml:5)",
                "scripts.libraries = /w/lib,br:host/image:1 (/w/sinew.toml:4)",
            ],
        );
    }

    #[test]
    fn variables_go_over_the_file() {
        let variables = [("SINEW_MAX_TIME", "2s"), ("SINEW_MAX_MEMORY", "much")];
        check(
            "[scripts]\nmax-time = '800ms'\n",
            &variables,
            &[
                "scripts.max-time = 2s (SINEW_MAX_TIME)",
                "SINEW_MAX_MEMORY: a size is expected, such as `512MB` or `2GB`",
            ],
        );
    }

    #[test]
    fn mistakes_are_reported_where_they_are() {
        check(
            "[scripts]\nmax-tme = 1\nmax-time = 'soon'\nallow-env = 'HOME'\n[script]\nx = 1\n[report]\nformat = 'xml'\n",
            &[],
            &[
                "config-unknown-setting at 10: `scripts.max-tme` is not a setting. Did you mean `scripts.max-time`?",
                "config-invalid-setting at 33: `scripts.max-time`: a time is expected, such as `30s` or `500ms`.",
                "config-invalid-setting at 52: `scripts.allow-env`: a list of texts is expected.",
                "config-unknown-setting at 60: `script` is not a setting. Did you mean `scripts`?",
                "config-invalid-setting at 92: `report.format`: one of \"text\", \"sarif\", \"json\", \"github\", \"junit\" is expected.",
            ],
        );
    }

    #[test]
    fn times_and_sizes_have_units() {
        assert_eq!(parse_time("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_time("1.5 s"), Ok(Duration::from_millis(1500)));
        assert_eq!(parse_time("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(parse_time("3"), Ok(Duration::from_secs(3)));
        assert!(parse_time("-1s").is_err() && parse_time("soon").is_err() && parse_time("").is_err());
        assert_eq!(parse_size("512MB"), Ok(512 << 20));
        assert_eq!(parse_size("1"), Ok(1 << 20));
        assert_eq!(parse_size("100kB"), Ok(100 << 10));
        assert_eq!(parse_size("7b"), Ok(7));
    }

    #[test]
    fn every_setting_is_in_a_table() {
        assert!(PROJECT_SETTINGS.iter().all(|setting| setting.key.matches('.').count() == 1));
    }
}
