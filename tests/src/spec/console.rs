//! Commands with their output, as they would be seen in a terminal: `$ ` before a command, `! ` before a line of
//! standard error, and the exit code when it is not zero.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use tempfile::TempDir;

use crate::program::{Ran, finish};
use crate::sample::SampleProject;

/// The program under all its names, in a folder that commands find.
#[derive(Debug)]
pub struct Program {
    folder: TempDir,
    sample_project: OnceLock<SampleProject>,
}

/// The names under which the program can be started.
const NAMES: [&str; 4] = ["sinew", "bicep", "jk", "TemplateAnalyzer"];

impl Program {
    /// Makes the names for a program.
    pub fn new(program: &Path) -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        for name in NAMES {
            link(program, &folder.path().join(name))?;
        }
        Ok(Self { folder, sample_project: OnceLock::new() })
    }

    /// The project in `tests/project`, prepared when it is first asked for.
    pub(super) fn sample_project(&self) -> io::Result<&SampleProject> {
        match self.sample_project.get() {
            Some(project) => Ok(project),
            None => {
                let project = SampleProject::new(self)?;
                Ok(self.sample_project.get_or_init(|| project))
            }
        }
    }

    /// Runs a command line of the shell in a folder.
    pub fn shell(&self, line: &str, folder: &Path) -> io::Result<Ran> {
        let mut command = self.in_folder(Path::new("sh"), folder);
        command.arg("-c").arg(line);
        finish(&mut command)
    }

    /// Runs the program in a folder.
    pub(super) fn run(&self, arguments: &[&str], folder: &Path) -> io::Result<Ran> {
        let mut command = self.in_folder(&self.folder.path().join("sinew"), folder);
        command.args(arguments);
        finish(&mut command)
    }

    fn in_folder(&self, program: &Path, folder: &Path) -> Command {
        let mut path = self.folder.path().as_os_str().to_owned();
        if let Some(old) = std::env::var_os("PATH") {
            path.push(":");
            path.push(old);
        }
        let mut command = Command::new(program);
        command.current_dir(folder).env("PATH", path).env("NO_COLOR", "1").env("HOME", folder);
        // Nothing is fetched that a section does not ask for, and the settings of whoever runs the tests do not count.
        command.env("SINEW_TYPES_MIRROR", "none").env_remove("SINEW_HOME").env_remove("SINEW_GENERATOR");
        command.env_remove("SINEW_TOKEN");
        command
    }
}

#[cfg(unix)]
fn link(program: &Path, name: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(program, name)
}

#[cfg(not(unix))]
fn link(program: &Path, name: &Path) -> io::Result<()> {
    fs::copy(program, name.with_extension("exe")).map(drop)
}

/// Runs the commands of a transcript again and gives the transcript as it is now.
pub(super) fn replay(transcript: &str, program: &Program, folder: &Path) -> io::Result<String> {
    let canonical = fs::canonicalize(folder)?;
    let mut now = String::new();
    for line in transcript.lines().filter_map(|line| line.strip_prefix("$ ")) {
        let ran = program.shell(line, folder)?;
        now.push_str(&format!("$ {line}\n"));
        now.push_str(&shown(&ran, &[folder, &canonical]));
    }
    Ok(now)
}

fn shown(ran: &Ran, folders: &[&Path; 2]) -> String {
    let readable = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).replace('\r', "\u{240d}");
        folders.iter().fold(text, |text, folder| text.replace(&*folder.to_string_lossy(), "[folder]"))
    };
    let mut text = readable(&ran.stdout);
    if !text.is_empty() && !text.ends_with('\n') {
        text.push_str("\n[no line end]\n");
    }
    for line in readable(&ran.stderr).lines() {
        text.push_str(format!("! {line}").trim_end());
        text.push('\n');
    }
    match ran.code {
        Some(0) => {}
        Some(code) => text.push_str(&format!("[exit {code}]\n")),
        None => text.push_str("[killed]\n"),
    }
    text
}
