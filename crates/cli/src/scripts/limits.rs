//! What scripts may use.

use std::time::Duration;

use config::project_settings::{parse_size, parse_time};
use generate::ScriptLimits;

/// Options that limit scripts.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct LimitArgs {
    /// How long a script may run: `30s`, `500ms`, or a number of seconds [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    max_time: Option<Duration>,

    /// How long a validation function may take for a value [default: 1s]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    max_validator_time: Option<Duration>,

    /// How much memory a script may use: `512MB`, `2GB`, or a number of megabytes [default: 1024MB]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    max_memory: Option<u64>,

    /// The largest file that is read [default: 32MB]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    max_file_size: Option<u64>,

    /// Environment variables visible in `process.env`
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) allow_env: Vec<String>,

    /// Allow random values of `node:crypto`; the output is then not reproducible
    #[arg(long)]
    pub(crate) allow_random: bool,
}

impl LimitArgs {
    /// The limits for scripts.
    pub(crate) fn limits(&self) -> ScriptLimits {
        let mut limits = ScriptLimits::default();
        limits.script.time = self.max_time.unwrap_or(limits.script.time);
        limits.validator.time = self.max_validator_time.unwrap_or(limits.validator.time);
        limits.script.memory = self.max_memory.unwrap_or(limits.script.memory);
        limits.file_size = self.max_file_size.unwrap_or(limits.file_size);
        limits
    }
}
