//! Several files are replaced and removed as one. New contents come in and are staged next to their targets; after
//! [`Transaction::commit`] either all targets are changed or none.
//!
//! A process that is killed while it renames leaves a journal, with which [`journal::recover`] finishes its work.

use std::io::{self, Write};

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashSet;
use tempfile::TempPath;

use super::journal::{self, Direction, Journal};
use crate::outcome::OutputFile;

/// What the names of staged files start with, what those of new contents end with, and those of old ones.
pub(super) const PREFIX: &str = ".sinew-";
pub(super) const NEW: &str = ".tmp";
pub(super) const OLD: &str = ".old";

/// Files on their way to the disk.
#[derive(Default)]
pub(super) struct Transaction {
    steps: Vec<FileChange>,
    /// How many steps have been made.
    done: usize,
    /// Folders that did not exist before, the outer ones first.
    new_folders: Vec<Utf8PathBuf>,
    known_folders: FxHashSet<Utf8PathBuf>,
}

/// A file that is replaced, created or removed.
struct FileChange {
    /// As the script calls it, for messages.
    name: String,
    target: Utf8PathBuf,
    /// Closed: a run may stage more files than a process can have open. None if the file is removed.
    new: Option<TempPath>,
    /// A second name for the file as it was, so that it can be put back.
    old: Option<TempPath>,
}

impl Transaction {
    /// Stages the new content of a file.
    pub(super) fn replace(&mut self, file: &OutputFile, target: &Utf8Path) -> Result<(), String> {
        let described = |error: io::Error| format!("{}: {error}", file.name);
        let new = self.stage(&file.content, target).map_err(described)?;
        let old = keep_old(target).map_err(described)?;
        self.steps.push(FileChange {
            name: file.name.clone(),
            target: target.to_owned(),
            new: Some(new),
            old,
        });
        Ok(())
    }

    /// Plans to remove a file.
    pub(super) fn remove(&mut self, name: &str, target: &Utf8Path) -> Result<(), String> {
        let old = keep_old(target).map_err(|error| format!("{name}: {error}"))?;
        self.steps.push(FileChange { name: name.to_owned(), target: target.to_owned(), new: None, old });
        Ok(())
    }

    fn stage(&mut self, content: &[u8], target: &Utf8Path) -> io::Result<TempPath> {
        let folder = journal::folder_of(target);
        self.create_folder(folder)?;
        let mut temporary = builder(NEW).tempfile_in(folder)?;
        temporary.write_all(content)?;
        if let Ok(old) = std::fs::metadata(target) {
            temporary.as_file().set_permissions(old.permissions())?;
        }
        Ok(temporary.into_temp_path())
    }

    fn create_folder(&mut self, folder: &Utf8Path) -> io::Result<()> {
        if !self.known_folders.insert(folder.to_owned()) || folder.is_dir() {
            return Ok(());
        }
        if let Some(parent) = folder.parent() {
            self.create_folder(parent)?;
        }
        std::fs::create_dir(folder).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => {
                io::Error::new(error.kind(), format!("'{folder}' is not a folder"))
            }
            _ => error,
        })?;
        self.new_folders.push(folder.to_owned());
        Ok(())
    }

    /// Makes all steps. If one fails, everything is as it was.
    pub(super) fn commit(mut self) -> Result<(), String> {
        let journals = match self.write_journals(Direction::Forward) {
            Ok(journals) => journals,
            Err(error) => {
                self.roll_back();
                return Err(error);
            }
        };
        let result = self.make_steps();
        if result.is_err() {
            // Who is killed from here on is to be put back, too. If this cannot be written, the next run goes on instead.
            let _locked = self.write_journals(Direction::Back);
            self.roll_back();
        }
        self.steps.clear();
        journals.into_iter().for_each(Journal::remove);
        result
    }

    fn make_steps(&mut self) -> Result<(), String> {
        while self.make_next_step()? {}
        Ok(())
    }

    /// False if there is none.
    fn make_next_step(&mut self) -> Result<bool, String> {
        let Some(step) = self.steps.get_mut(self.done) else { return Ok(false) };
        let result = match step.new.take() {
            Some(new) => new.persist(&step.target).map_err(|error| {
                step.new = Some(error.path);
                error.error
            }),
            None => std::fs::remove_file(&step.target),
        };
        result.map_err(|error| format!("{}: {error}", step.name))?;
        self.done += 1;
        Ok(true)
    }

    /// Puts everything back that has been staged or renamed. What cannot be put back is left: there is nothing better to do.
    pub(super) fn roll_back(&mut self) {
        for step in self.steps.drain(..self.done).rev() {
            let _ = match step.old {
                Some(old) => old.persist(&step.target).map_err(|error| error.error),
                None => std::fs::remove_file(&step.target),
            };
        }
        self.done = 0;
        self.steps.clear();
        for folder in self.new_folders.drain(..).rev() {
            let _ = std::fs::remove_dir(folder);
        }
    }

    /// Writes down what is about to happen. A single file needs no journal: it is replaced at once or not at all.
    fn write_journals(&self, direction: Direction) -> Result<Vec<Journal>, String> {
        if self.steps.len() < 2 {
            return Ok(Vec::new());
        }
        let entries: Vec<journal::JournalEntry<'_>> = self
            .steps
            .iter()
            .map(|step| journal::JournalEntry {
                target: &step.target,
                new: step.new.as_deref().and_then(Utf8Path::from_path),
                old: step.old.as_deref().and_then(Utf8Path::from_path),
            })
            .collect();
        journal::write(&entries, &self.new_folders, direction)
    }
}

fn builder(suffix: &'static str) -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(suffix);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(PermissionsExt::from_mode(0o666));
    }
    builder
}

fn keep_old(target: &Utf8Path) -> io::Result<Option<TempPath>> {
    if !target.is_file() {
        return Ok(None);
    }
    let old = builder(OLD)
        .make_in(journal::folder_of(target), |path| {
            // Not every file system has links.
            std::fs::hard_link(target, path).or_else(|error| match error.kind() {
                io::ErrorKind::AlreadyExists => Err(error),
                _ => std::fs::copy(target, path).map(|_| ()),
            })
        })?
        .into_temp_path();
    Ok(Some(old))
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    use super::super::{JOURNAL, Recovery};
    use super::*;
    use crate::format::Format;

    const TASK: &str = "SINEW_TEST_KILLED_TRANSACTION";

    fn file(path: Utf8PathBuf, content: &str) -> OutputFile {
        let content = content.as_bytes().to_vec();
        OutputFile { name: path.to_string(), path, root: None, content, format: Format::Json, json: None }
    }

    /// Replaces two files, creates one in a new folder, removes one.
    fn transaction_in(folder: &Utf8Path) -> Transaction {
        let mut transaction = Transaction::default();
        for name in ["a", "b", "new/c"] {
            let path = folder.join(name);
            transaction.replace(&file(path.clone(), "new"), &path).unwrap();
        }
        transaction.remove("gone", &folder.join("gone")).unwrap();
        transaction
    }

    const OLD_STATE: &str = "a=old b=old gone=old";
    const NEW_STATE: &str = "a=new b=new new/c=new";

    fn prepare() -> (tempfile::TempDir, Utf8PathBuf) {
        let guard = tempfile::tempdir().unwrap();
        let folder = Utf8PathBuf::from_path_buf(guard.path().canonicalize().unwrap()).unwrap();
        for name in ["a", "b", "gone"] {
            std::fs::write(folder.join(name), "old").unwrap();
        }
        (guard, folder)
    }

    /// All files with their contents, those of the program among them.
    fn state(folder: &Utf8Path) -> String {
        let mut files = Vec::new();
        let mut open = vec![folder.to_owned()];
        while let Some(next) = open.pop() {
            for entry in next.read_dir_utf8().unwrap() {
                let path = entry.unwrap().into_path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    let content = std::fs::read_to_string(&path).unwrap();
                    files.push(format!("{}={content}", path.strip_prefix(folder).unwrap()));
                }
            }
        }
        files.sort();
        files.join(" ")
    }

    /// Starts [`is_killed`] in a process of its own and kills it after so many steps.
    fn kill_after(steps: usize, direction: &str, folder: &Utf8Path) {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "host_disk::transaction::tests::is_killed", "--ignored", "--nocapture"])
            .env(TASK, format!("{steps} {direction} {folder}"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let is_ready = lines.map_while(Result::ok).any(|line| line.ends_with("ready"));
        assert!(is_ready, "the process ended too early");
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    #[ignore = "is started by other tests, which kill it"]
    fn is_killed() {
        let Ok(task) = std::env::var(TASK) else { return };
        let mut words = task.splitn(3, ' ');
        let steps: usize = words.next().unwrap().parse().unwrap();
        let direction = words.next().unwrap();
        let mut transaction = transaction_in(words.next().unwrap().into());
        let _forward = transaction.write_journals(Direction::Forward).unwrap();
        for _ in 0..steps {
            assert!(transaction.make_next_step().unwrap());
        }
        let _back = (direction == "back").then(|| transaction.write_journals(Direction::Back).unwrap());
        writeln!(io::stdout(), "\nready").unwrap();
        loop {
            std::thread::park();
        }
    }

    fn recover(folder: &Utf8Path) -> Vec<Recovery> {
        journal::recover([folder.join("a").as_path(), &folder.join("b")].into_iter()).unwrap()
    }

    fn recovery(folder: &Utf8Path, direction: Direction, count: usize) -> Recovery {
        Recovery { folder: folder.to_owned(), direction, count, kept: Vec::new() }
    }

    #[test]
    fn a_killed_run_is_finished() {
        for steps in 0..=4 {
            let (_guard, folder) = prepare();
            kill_after(steps, "forward", &folder);
            let before = state(&folder);
            assert!(before.contains(JOURNAL), "{before}");
            assert_eq!(before.contains("a=new"), steps > 0, "{before}");
            assert_eq!(before.contains("b=old"), steps < 2, "{before}");
            let expected = (steps < 4).then(|| recovery(&folder, Direction::Forward, 4 - steps));
            assert_eq!(recover(&folder), Vec::from_iter(expected), "{steps}");
            assert_eq!(state(&folder), NEW_STATE, "{steps}");
            assert_eq!(recover(&folder), []);
        }
    }

    #[test]
    fn a_run_that_is_killed_on_the_way_back_is_undone() {
        for steps in 0..=4 {
            let (_guard, folder) = prepare();
            kill_after(steps, "back", &folder);
            let expected = (steps > 0).then(|| recovery(&folder, Direction::Back, steps));
            assert_eq!(recover(&folder), Vec::from_iter(expected), "{steps}");
            assert_eq!(state(&folder), OLD_STATE, "{steps}");
            assert!(!folder.join("new").exists());
        }
    }

    #[test]
    fn files_that_were_changed_since_are_kept() {
        let (_guard, folder) = prepare();
        kill_after(1, "forward", &folder);
        for name in ["a", "b", "new/c", "gone"] {
            std::fs::write(folder.join(name), "mine").unwrap();
            // The clock of the file system may be coarse.
            let file = std::fs::File::options().append(true).open(folder.join(name)).unwrap();
            file.set_modified(std::time::SystemTime::now() + std::time::Duration::from_secs(60)).unwrap();
        }
        let recovered = recover(&folder);
        let kept = ["b", "new/c", "gone"].map(|name| folder.join(name)).to_vec();
        assert_eq!(recovered, [Recovery { kept, ..recovery(&folder, Direction::Forward, 0) }]);
        assert_eq!(state(&folder), "a=mine b=mine gone=mine new/c=mine");
    }

    #[test]
    fn a_run_that_is_alive_is_waited_for() {
        let (_guard, folder) = prepare();
        let mut transaction = transaction_in(&folder);
        let journals = transaction.write_journals(Direction::Forward).unwrap();
        let other = std::thread::spawn({
            let folder = folder.clone();
            move || (recover(&folder), state(&folder))
        });
        transaction.make_steps().unwrap();
        transaction.steps.clear();
        journals.into_iter().for_each(Journal::remove);
        assert_eq!(other.join().unwrap(), (Vec::new(), NEW_STATE.to_owned()));
    }

    #[test]
    fn a_step_that_fails_leaves_everything_as_it_was() {
        let (_guard, folder) = prepare();
        let transaction = transaction_in(&folder);
        std::fs::remove_file(folder.join("gone")).unwrap();
        std::fs::create_dir_all(folder.join("gone/inside")).unwrap();
        assert!(transaction.commit().unwrap_err().starts_with("gone: "));
        assert_eq!(state(&folder), "a=old b=old");
        assert!(!folder.join("new").exists());
    }

    #[test]
    #[cfg(unix)]
    fn a_journal_of_somebody_else_reaches_nothing_outside() {
        let (_guard, folder) = prepare();
        let (_other_guard, outside) = prepare();
        std::os::unix::fs::symlink(&outside, folder.join("link")).unwrap();
        for target in ["../x", "/etc/x", &format!("{outside}/a"), "link/a"] {
            let journal = format!(
                r#"{{"undo":true,"newFolders":[],"files":[{{"target":"{target}","new":null,"old":null}}]}}"#
            );
            std::fs::write(folder.join(JOURNAL), journal).unwrap();
            let error = journal::recover([folder.join("a").as_path()].into_iter()).unwrap_err();
            assert!(error.ends_with("this is not a journal of a run; remove it"), "{error}");
        }
        assert_eq!(state(&outside), OLD_STATE);
    }
}
