//! Outputs that hold secrets.

use bicep_sema::{FileId, Program};

/// Whether an output of a file is secure.
pub(crate) fn is_secure_output(program: &Program<'_>, file: FileId, name: &str) -> bool {
    let interface = program.interface(file);
    interface.is_some_and(|it| it.outputs.iter().any(|output| output.name == name && output.is_secure))
}

/// Whether any output of a file is secure.
pub(crate) fn has_secure_outputs(program: &Program<'_>, file: FileId) -> bool {
    program.interface(file).is_some_and(|it| it.outputs.iter().any(|output| output.is_secure))
}
