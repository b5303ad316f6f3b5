//! Every message of this crate that is not about a single format: one constant or constructor each.

use std::time::Duration;

use base::{Check, Diagnostic, ReadError, TextRange};
use camino::Utf8Path;

use crate::limits::{show_bytes, show_time};
use crate::script_error::ScriptError;

pub(crate) const READ_ABSOLUTE: &str = "reading absolute paths is forbidden";
pub(crate) const READ_PARENT: &str = "reading from a parent path is forbidden";
pub(crate) const WRITE_ABSOLUTE: &str = "writing to an absolute path is forbidden";
pub(crate) const WRITE_PARENT: &str = "writing to parent path is forbidden";

pub(crate) const WRITE_FOLDER: &str = "the path is a folder";

pub(crate) const UNKNOWN_MODULE: &str = "read from unknown module";

/// `generate-shape`: the default export is not what the command needs.
pub(crate) fn wrong_shape(problem: &str) -> Diagnostic {
    Check::Generator.error("generate-shape", TextRange::default(), problem)
}

/// `generate-invalid-value`: a validator or a schema refuses a value.
pub(crate) fn invalid_value(range: TextRange, problem: String) -> Diagnostic {
    Check::Generator.error("generate-invalid-value", range, problem)
}

/// `generate-script-error`: a script ended with an exception.
pub(crate) fn script_error(range: TextRange, headline: String) -> Diagnostic {
    Check::Generator.error("generate-script-error", range, headline)
}

/// The last line of a failed validation.
pub(crate) const VALUES_FAILED: &str = "Error: values failed validation";
/// The last line when a script exports something that is not a list of files.
pub(crate) const NOT_FILES: &str = "Error: the default export is not a list of files";

/// What a generate script has to export.
pub(crate) const GENERATE_HELP: &str = "
To use generate, export a default value with the list of files to generate:

  export default [
    { path: 'file1.yaml', value: value1 },
    { path: 'file2.yaml', value: [v0, v1, v2], format: Format.YAMLStream, validate: check },
    ...
  ];

Notes:

- The default export can also be a promise of such a list, a function that returns either,
  or an object { files, validate } whose validate function is given all values.
- Options of a file are those of write().";

pub(crate) fn cannot_read(path: &str, error: &ReadError) -> String {
    format!("{path}: {error}")
}

pub(crate) fn not_named(path: &str) -> String {
    format!("{path}: the file was not named on the command line")
}

pub(crate) fn already_exists(path: &str) -> String {
    format!("file {path} already exists")
}

pub(crate) fn too_much_output(limit: u64) -> String {
    format!("the files to be written hold more than {} (--max-memory)", show_bytes(limit))
}

pub(crate) fn remote_schema(path: &str, schema: &str) -> String {
    format!("{path}: not checked against '{schema}', which is not a local file")
}

pub(crate) fn unresolved(specifier: &str, referrer: &str) -> String {
    format!("could not import '{specifier}' from '{referrer}'")
}

pub(crate) const RANDOM_NOT_ALLOWED: &str =
    "random values are off, so that output is reproducible; --allow-random turns them on";
pub(crate) const NO_RANDOM: &str = "this machine has no source of random values";
pub(crate) const AWAITS_AT_TOP_LEVEL: &str =
    "require() cannot load a module that awaits at its top level; import it";

pub(crate) fn outside_of_folders(path: &Utf8Path) -> String {
    format!("{path}: the file is neither below the input folder (-i) nor below the module root")
}

pub(crate) const PARAMETER_DECORATORS: &str = "decorators of parameters exist only with \
     `experimentalDecorators` in tsconfig.json";
pub(crate) const DECORATORS_NEST: &str = "classes with decorators are nested too deeply";

pub(crate) const TSX: &str = "files with JSX (.tsx, .jsx) are not supported; use .ts";

/// A script can only come to this with a number that it made up.
pub(crate) fn schema_not_compiled() -> String {
    "the schema has not been compiled".to_owned()
}

pub(crate) fn schema_of_no_file(address: &str) -> String {
    format!("the schema refers to '{address}', but is not a file itself")
}

pub(crate) fn remote_reference(address: &str) -> String {
    format!("the schema refers to '{address}', which is not a local file; nothing is fetched")
}

pub(crate) fn schema_unusable(schema: &str, reason: &str) -> String {
    format!("the schema '{schema}' could not be used: {reason}")
}

pub(crate) fn validator_overrun(limit: Duration) -> String {
    format!("the validation function took longer than {} (--max-validator-time)", show_time(limit))
}

pub(crate) fn script_overrun(limit: Duration) -> String {
    format!("the script took longer than {} (--max-time)", show_time(limit))
}

/// Said when the engine does not come back from one of its own functions.
pub(crate) fn inside_built_in(message: &str, place: Option<&str>) -> String {
    let place = place.map(|place| format!(", at {place}")).unwrap_or_default();
    format!("{message}; it was inside a built-in function or operator that cannot be interrupted{place}")
}

pub(crate) fn out_of_memory(limit: u64) -> String {
    format!("the script needs more than {} of memory (--max-memory)", show_bytes(limit))
}

pub(crate) fn file_too_large(path: &str, size: u64, limit: u64) -> String {
    format!("{path}: the file has {}, more than {} (--max-file-size)", show_bytes(size), show_bytes(limit))
}

pub(crate) fn written_and_described(path: &str) -> String {
    format!("{path}: the script both writes this file with write() and exports it")
}

pub(crate) fn same_path(path: &str, element: &str, other: &str) -> String {
    format!("{path}: the {element} is the same file as the {other}")
}

pub(crate) fn file_as_folder(outer: &str, inner: &str) -> String {
    format!("{outer}: the path is a file, and {inner} needs it to be a folder")
}

/// A run was killed while it renamed files.
#[cfg(feature = "disk")]
pub(crate) fn recovery(recovery: &crate::host_disk::Recovery) -> String {
    use crate::host_disk::Direction;
    let done = match recovery.direction {
        Direction::Forward => "finished",
        Direction::Back => "undone",
    };
    let files = if recovery.count == 1 { "file" } else { "files" };
    let mut text = format!(
        "an earlier run that wrote to '{}' was interrupted and has been {done}: {} {files}",
        recovery.folder, recovery.count
    );
    for path in &recovery.kept {
        text.push_str(&format!("\n  kept, because it was changed since: {path}"));
    }
    text
}

pub(crate) fn validator_threw(error: &ScriptError) -> String {
    let place = error.frames.first();
    let place = place.map(|f| format!(" ({}:{}:{})", f.file, f.line, f.column)).unwrap_or_default();
    let headline = match error.name.as_str() {
        "" => error.message.clone(),
        _ => error.headline(),
    };
    let mut text = format!("the validation function threw {headline}{place}");
    for note in &error.notes {
        text.push_str("\n    ");
        text.push_str(note);
    }
    text
}

pub(crate) const VALIDATOR_NEVER_SETTLES: &str =
    "the validation function returned a promise that never settles";

pub(crate) const STACK_OVERFLOW: &str =
    "stack overflow: stack overflow: the script nests its calls too deeply";
pub(crate) const NEVER_SETTLES: &str = "the script awaits a promise that never settles";
#[cfg(not(feature = "typescript"))]
pub(crate) const NO_TYPESCRIPT: &str = "this program was built without support for TypeScript";
