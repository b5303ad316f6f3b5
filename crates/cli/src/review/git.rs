//! Git, asked by running `git`: which files a revision has, and what is in them.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex};

use base::disk::DiskWorld;
use base::world::{Artifact, Entry, MAX_SOURCE_BYTES, ReadError, World};
use camino::{Utf8Path, Utf8PathBuf};

use crate::failure::Failure;

/// A repository.
#[derive(Debug, Clone)]
pub(crate) struct Repository {
    /// The folder that everything is in, absolute.
    pub(crate) root: Utf8PathBuf,
}

impl Repository {
    /// The repository around a folder.
    pub(crate) fn around(folder: &Utf8Path) -> Result<Self, Failure> {
        let root = output(folder, &["rev-parse", "--show-toplevel"])?;
        Ok(Self { root: Utf8PathBuf::from(root.trim_end_matches(['\r', '\n'])) })
    }

    /// The commit that a revision means.
    pub(crate) fn commit(&self, revision: &str) -> Result<String, Failure> {
        // A revision that looks like an option would be taken for one.
        if revision.starts_with('-') {
            return Err(Failure::no_such_revision(revision));
        }
        let found =
            output(&self.root, &["rev-parse", "--verify", "--quiet", &format!("{revision}^{{commit}}")]);
        match found {
            Ok(text) if !text.trim().is_empty() => Ok(text.trim().to_owned()),
            Ok(_) => Err(Failure::no_such_revision(revision)),
            Err(failure) if failure.is_of_git() => Err(Failure::no_such_revision(revision)),
            Err(failure) => Err(failure),
        }
    }

    /// The files of a commit below some paths, absolute, sorted.
    pub(crate) fn files(&self, commit: &str, below: &[Utf8PathBuf]) -> Result<Vec<Utf8PathBuf>, Failure> {
        let mut arguments = vec!["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit, "--"];
        let below: Vec<String> = below.iter().map(|path| self.relative(path)).collect();
        arguments.extend(below.iter().map(String::as_str).filter(|path| !path.is_empty()));
        let text = output(&self.root, &arguments)?;
        let mut files: Vec<Utf8PathBuf> =
            text.split('\0').filter(|name| !name.is_empty()).map(|name| self.root.join(name)).collect();
        files.sort();
        Ok(files)
    }

    fn relative(&self, path: &Utf8Path) -> String {
        path.strip_prefix(&self.root).map(|path| path.as_str().replace('\\', "/")).unwrap_or_default()
    }
}

/// Runs `git` and gives what it prints.
fn output(folder: &Utf8Path, arguments: &[&str]) -> Result<String, Failure> {
    let run = Command::new("git").arg("-C").arg(folder).args(arguments).stdin(Stdio::null()).output();
    let done = run.map_err(|error| Failure::no_git(&error))?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        let first = said.lines().next().unwrap_or("it gave no reason");
        return Err(Failure::git(first.trim_start_matches("fatal: ")));
    }
    String::from_utf8(done.stdout).map_err(|_| Failure::git("it printed a name that is not UTF-8"))
}

/// The files of a repository as they were in a commit; everything outside of it as it is.
pub(crate) struct CommitWorld {
    repository: Repository,
    commit: String,
    reader: Mutex<ObjectReader>,
}

impl CommitWorld {
    /// The world at a commit.
    pub(crate) fn new(repository: &Repository, commit: &str) -> Result<Self, Failure> {
        let reader = ObjectReader::start(&repository.root)?;
        Ok(Self { repository: repository.clone(), commit: commit.to_owned(), reader: Mutex::new(reader) })
    }

    fn inside(&self, path: &Utf8Path) -> Option<String> {
        let path = config::paths::normalize(path);
        path.strip_prefix(&self.repository.root).ok().map(|it| it.as_str().replace('\\', "/"))
    }
}

impl World for CommitWorld {
    fn read(&self, path: &Utf8Path) -> Result<Arc<[u8]>, ReadError> {
        let Some(inside) = self.inside(path) else { return DiskWorld.read(path) };
        // The protocol of the reader has a line for each name.
        if inside.contains(['\n', '\r']) {
            return Err(ReadError::NotFound);
        }
        let mut reader = self.reader.lock().map_err(|_| ReadError::Other("git has stopped".to_owned()))?;
        reader.read(&format!("{}:{inside}", self.commit))
    }

    fn list(&self, folder: &Utf8Path) -> Result<Vec<Entry>, ReadError> {
        let Some(inside) = self.inside(folder) else { return DiskWorld.list(folder) };
        let tree = format!("{}:{inside}", self.commit);
        let text =
            output(&self.repository.root, &["ls-tree", "-z", &tree]).map_err(|_| ReadError::NotFound)?;
        let mut entries: Vec<Entry> = text
            .split('\0')
            .filter_map(|line| line.split_once('\t'))
            .map(|(head, name)| Entry {
                name: name.to_owned(),
                is_folder: head.contains(" tree "),
                is_link: head.starts_with("120000"),
            })
            .collect();
        entries.sort();
        Ok(entries)
    }

    fn variable(&self, name: &str) -> Option<String> {
        DiskWorld.variable(name)
    }

    fn variable_names(&self) -> Vec<String> {
        DiskWorld.variable_names()
    }

    fn artifact(&self, reference: &str) -> Artifact {
        DiskWorld.artifact(reference)
    }
}

/// `git cat-file --batch`: one process that answers for all files.
struct ObjectReader {
    child: Child,
    names: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl ObjectReader {
    fn start(folder: &Utf8Path) -> Result<Self, Failure> {
        let mut child = Command::new("git")
            .arg("-C")
            .arg(folder)
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| Failure::no_git(&error))?;
        let answers = child.stdout.take().ok_or_else(|| Failure::git("it gives no answers"))?;
        let names = child.stdin.take();
        Ok(Self { child, names, answers: BufReader::new(answers) })
    }

    fn read(&mut self, object: &str) -> Result<Arc<[u8]>, ReadError> {
        let failed = |error: std::io::Error| ReadError::Other(format!("git: {error}"));
        let names = self.names.as_mut().ok_or(ReadError::NotFound)?;
        writeln!(names, "{object}").and_then(|()| names.flush()).map_err(failed)?;
        let mut head = String::new();
        self.answers.read_line(&mut head).map_err(failed)?;
        let words: Vec<&str> = head.trim_end().rsplitn(3, ' ').collect();
        let [size, kind, _] = words.as_slice() else { return Err(ReadError::NotFound) };
        let Ok(size) = size.parse::<usize>() else { return Err(ReadError::NotFound) };
        let mut bytes = Vec::new();
        let wanted = size as u64 + 1;
        (&mut self.answers).take(wanted).read_to_end(&mut bytes).map_err(failed)?;
        bytes.truncate(size);
        match *kind {
            "blob" if size > MAX_SOURCE_BYTES => Err(ReadError::TooLarge(size)),
            "blob" => Ok(bytes.into()),
            "tree" => Err(ReadError::IsFolder),
            _ => Err(ReadError::NotFound),
        }
    }
}

impl Drop for ObjectReader {
    fn drop(&mut self) {
        // Without names to come, the process ends by itself.
        self.names = None;
        let _ = self.child.wait();
    }
}
