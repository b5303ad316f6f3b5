//! The project in `tests/project`, in which the commands of `--help` and of the book are run.

use std::fs;
use std::io;
use std::path::Path;

use tempfile::TempDir;

use crate::program::Ran;
use crate::spec::Program;

/// The folder of the repository.
pub(crate) const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The files of the project with what commands have made of them, to be copied for each use.
#[derive(Debug)]
pub struct SampleProject {
    folder: TempDir,
}

impl SampleProject {
    /// Prepares the project with a program.
    pub fn new(program: &Program) -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        copy_folder(&Path::new(ROOT).join("tests/project"), folder.path())?;
        let ran = program.shell(&format!("EXAMPLES='{ROOT}/examples' ./prepare.sh"), folder.path())?;
        if ran.code != Some(0) {
            let made = fs::read_to_string(folder.path().join("made.txt")).unwrap_or_default();
            return Err(io::Error::other(format!("tests/project/prepare.sh: {}{made}", ran.errors())));
        }
        Ok(Self { folder })
    }

    /// Puts a copy into a folder.
    pub fn copy_to(&self, folder: &Path) -> io::Result<()> {
        copy_folder(self.folder.path(), folder)
    }
}

/// Runs lines of the shell in a copy of the project; the first one that fails ends them.
pub fn run_lines(program: &Program, lines: &str, folder: &Path) -> io::Result<Ran> {
    program.shell(&format!("set -e; PATH=\"$PWD/tools:$PATH\"\n{lines}"), folder)
}

/// Copies the files of a folder, and those of all folders below it.
pub(crate) fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy_folder(&entry.path(), &target)?,
            false => fs::copy(entry.path(), target).map(drop)?,
        }
    }
    Ok(())
}
