//! Every message of this crate that is not about a single format: one constant or constructor each.

use base::ReadError;

pub(crate) const READ_ABSOLUTE: &str = "reading absolute paths is forbidden";
pub(crate) const READ_PARENT: &str = "reading from a parent path is forbidden";
pub(crate) const WRITE_ABSOLUTE: &str = "writing to an absolute path is forbidden";
pub(crate) const WRITE_PARENT: &str = "writing to parent path is forbidden";

pub(crate) const UNKNOWN_MODULE: &str = "read from unknown module";

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
    format!("the files to be written hold more than {} MB", limit >> 20)
}

pub(crate) fn remote_schema(path: &str, schema: &str) -> String {
    format!("{path}: not checked against '{schema}', which is not a local file")
}

pub(crate) fn unresolved(specifier: &str, referrer: &str) -> String {
    format!("could not import '{specifier}' from '{referrer}'")
}

pub(crate) fn validator_overrun(limit: std::time::Duration) -> String {
    format!("the validation function took longer than {} ms", limit.as_millis())
}

pub(crate) fn script_overrun(limit: std::time::Duration) -> String {
    format!("the script took longer than {} ms", limit.as_millis())
}

pub(crate) fn out_of_memory(limit: u64) -> String {
    format!("the script needs more than {} MB of memory", limit >> 20)
}

pub(crate) const STACK_OVERFLOW: &str = "the script nests its calls too deeply";
pub(crate) const NEVER_SETTLES: &str = "the script waits for a promise that nothing will ever settle";
#[cfg(not(feature = "typescript"))]
pub(crate) const NO_TYPESCRIPT: &str = "this program was built without support for TypeScript";
