//! Starting the program in a folder of its own.

use std::path::Path;
use std::process::Command;

/// Exit code, standard output and standard error.
pub(crate) type Called = (i32, String, String);

/// A folder with files.
pub(crate) fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

/// Starts `sinew` in a folder.
pub(crate) fn sinew(folder: &Path, arguments: &[&str]) -> Called {
    call(command(folder).args(arguments))
}

/// `sinew` in a folder, with nothing installed.
pub(crate) fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sinew"));
    command.current_dir(folder).env("SINEW_HOME", folder.join(".sinew")).env("SINEW_GENERATOR", "bicep@dev");
    command.env("SINEW_TYPES_MIRROR", "none");
    command
}

/// Runs a program to its end.
pub(crate) fn call(command: &mut Command) -> Called {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}
