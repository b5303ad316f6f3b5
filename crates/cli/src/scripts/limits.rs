//! What scripts may use: from options, else from the environment, else from `sinew.json`, else the defaults.

use std::time::Duration;

use base::spelling::suggest;
use camino::Utf8Path;
use generate::ScriptLimits;

use crate::failure::Failure;

/// Options that limit scripts.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct LimitArgs {
    /// How long a script may run: `30s`, `500ms`, or a number of seconds [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = time)]
    max_time: Option<Duration>,

    /// How long a validation function may take for a value [default: 1s]
    #[arg(long, value_name = "TIME", value_parser = time)]
    max_validator_time: Option<Duration>,

    /// How much memory a script may use: `512MB`, `2GB`, or a number of megabytes [default: 1024MB]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_memory: Option<u64>,

    /// The largest file that is read [default: 32MB]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_file_size: Option<u64>,

    /// Environment variables that scripts may see in `process.env`
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    allow_env: Vec<String>,

    /// Let scripts use random values of `node:crypto`; output is not reproducible then
    #[arg(long)]
    pub(crate) allow_random: bool,
}

/// The name of the file with the settings of a project.
const SETTINGS_FILE: &str = "sinew.json";

/// One limit that can be set in three ways.
struct Limit {
    variable: &'static str,
    key: &'static str,
}

const MAX_TIME: Limit = Limit { variable: "SINEW_MAX_TIME", key: "maxTime" };
const MAX_VALIDATOR_TIME: Limit = Limit { variable: "SINEW_MAX_VALIDATOR_TIME", key: "maxValidatorTime" };
const MAX_MEMORY: Limit = Limit { variable: "SINEW_MAX_MEMORY", key: "maxMemory" };
const MAX_FILE_SIZE: Limit = Limit { variable: "SINEW_MAX_FILE_SIZE", key: "maxFileSize" };
const KEYS: [&str; 5] = [MAX_TIME.key, MAX_VALIDATOR_TIME.key, MAX_MEMORY.key, MAX_FILE_SIZE.key, "allowEnv"];

impl LimitArgs {
    /// The limits for scripts that run in a folder, and the environment variables that they may see.
    pub(crate) fn resolve(&self, folder: &Utf8Path) -> Result<(ScriptLimits, Vec<String>), Failure> {
        let settings = ProjectSettings::find(folder)?;
        let mut limits = ScriptLimits::default();
        let pick = |given: Option<Duration>, limit: &Limit, default| {
            settings.pick(given, limit, time).map(|time| time.unwrap_or(default))
        };
        limits.script.time = pick(self.max_time, &MAX_TIME, limits.script.time)?;
        limits.validator.time = pick(self.max_validator_time, &MAX_VALIDATOR_TIME, limits.validator.time)?;
        let pick = |given: Option<u64>, limit: &Limit, default| {
            settings.pick(given, limit, size).map(|size| size.unwrap_or(default))
        };
        limits.script.memory = pick(self.max_memory, &MAX_MEMORY, limits.script.memory)?;
        limits.file_size = pick(self.max_file_size, &MAX_FILE_SIZE, limits.file_size)?;
        let mut allowed = settings.texts("allowEnv")?;
        allowed.extend(self.allow_env.iter().cloned());
        Ok((limits, allowed))
    }
}

/// The member `generate` of the nearest `sinew.json`.
#[derive(Default)]
struct ProjectSettings {
    path: String,
    generate: serde_json::Map<String, serde_json::Value>,
}

impl ProjectSettings {
    fn find(folder: &Utf8Path) -> Result<Self, Failure> {
        let found = folder.ancestors().map(|folder| folder.join(SETTINGS_FILE)).find(|path| path.is_file());
        let Some(path) = found else { return Ok(Self::default()) };
        let failed = |reason: String| Failure::settings(&path, reason);
        let text = std::fs::read_to_string(&path).map_err(|error| failed(error.to_string()))?;
        let parsed = json::parse(&text, json::Options::jsonc());
        if let Some(error) = parsed.diagnostics.first() {
            let line =
                text.get(..error.range.start().into()).map_or(1, |before| before.matches('\n').count() + 1);
            return Err(failed(format!("line {line}: {}", error.message)));
        }
        let root = parsed.root.map(|root| root.to_value()).unwrap_or_default();
        let generate = match root.get("generate") {
            None => serde_json::Map::new(),
            Some(serde_json::Value::Object(members)) => members.clone(),
            Some(_) => return Err(failed("`generate` must be an object".to_owned())),
        };
        if let Some(key) = generate.keys().find(|key| !KEYS.contains(&key.as_str())) {
            let meant =
                suggest(key, KEYS).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
            return Err(failed(format!("unknown setting `generate.{key}`{meant}")));
        }
        Ok(Self { path: path.into_string(), generate })
    }

    fn pick<T>(
        &self,
        given: Option<T>,
        limit: &Limit,
        parse: fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, Failure> {
        if given.is_some() {
            return Ok(given);
        }
        if let Some(text) = std::env::var_os(limit.variable) {
            let text = text.to_string_lossy();
            return parse(&text).map(Some).map_err(|reason| Failure::bad_variable(limit.variable, &reason));
        }
        let text = match self.generate.get(limit.key) {
            None => return Ok(None),
            Some(serde_json::Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        };
        parse(&text).map(Some).map_err(|reason| {
            Failure::settings(Utf8Path::new(&self.path), format!("`generate.{}`: {reason}", limit.key))
        })
    }

    fn texts(&self, key: &str) -> Result<Vec<String>, Failure> {
        let Some(value) = self.generate.get(key) else { return Ok(Vec::new()) };
        serde_json::from_value(value.clone()).map_err(|_| {
            Failure::settings(Utf8Path::new(&self.path), format!("`generate.{key}` must be a list of texts"))
        })
    }
}

/// A time: `1.5s`, `500ms`, `2m`, or a number of seconds.
fn time(text: &str) -> Result<Duration, String> {
    let units = [("ms", 0.001), ("min", 60.0), ("m", 60.0), ("s", 1.0)];
    let seconds = quantity(text, &units, 1.0).ok_or("a time is expected, such as `30s` or `500ms`")?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

/// A number of bytes: `512MB`, `2GB`, `100kB`, or a number of megabytes.
fn size(text: &str) -> Result<u64, String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_have_units() {
        assert_eq!(time("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(time("1.5 s"), Ok(Duration::from_millis(1500)));
        assert_eq!(time("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(time("3"), Ok(Duration::from_secs(3)));
        assert!(time("-1s").is_err() && time("soon").is_err() && time("").is_err());
        assert_eq!(size("512MB"), Ok(512 << 20));
        assert_eq!(size("1"), Ok(1 << 20));
        assert_eq!(size("100kB"), Ok(100 << 10));
        assert_eq!(size("7b"), Ok(7));
    }
}
