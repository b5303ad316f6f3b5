//! Configuration from JavaScript and TypeScript, validated before it is written.
//!
//! A script and [`Settings`] come in; an [`Outcome`] goes out: the files to write, what every check said, what the
//! script depends on, and the error that ended it. Scripts see nothing but what the [`Host`] gives: files below the
//! input folder, modules below the module root. Nothing here writes a file; [`host_disk`] does that for programs.

pub mod commands;
mod encoding;
mod engine;
pub mod format;
pub mod host;
#[cfg(feature = "disk")]
pub mod host_disk;
mod limits;
mod messages;
pub mod outcome;
pub mod params;
pub mod paths;
pub mod project;
pub mod resolve;
pub mod schema;
pub mod script_error;
pub mod session;
pub mod std_modules;
mod typescript;

pub use commands::{GenerateOptions, Script, TransformOptions, generate, run, transform, validate};
pub use host::{Host, MemoryHost, Place, Watchdog, Watched};
pub use limits::ScriptLimits;
pub use outcome::{Dependency, Outcome, OutputFile, Overwrite, ValueCheck};
pub use params::Params;
pub use script_error::ScriptError;
pub use session::{EndedCall, Settings};
