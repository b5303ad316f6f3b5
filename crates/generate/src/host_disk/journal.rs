//! The journal of a transaction: which staged files take whose place. It is written when everything is staged, before the first
//! file is renamed, and removed after the last one. So a journal that nobody holds means that its process was killed in between,
//! and [`recover`] does the rest.
//!
//! A journal says nothing about files outside of its folder, and only files with the names of staged ones take the place of
//! others: who finds a journal in a folder of somebody else can lose nothing but files of that folder.

use std::fs::File;
use std::io::{self, Read, Write};
use std::time::SystemTime;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashSet;
use serde_json::{Value, json};

use super::transaction::{NEW, OLD, PREFIX};
use crate::{messages, paths};

/// What a journal is called.
pub const JOURNAL: &str = ".sinew-journal.json";

/// How often a journal of another process is waited for before giving up.
const ATTEMPTS: usize = 8;

/// A journal of this process. Nobody else can lock it, so that everybody else waits.
pub(super) struct Journal {
    path: Utf8PathBuf,
    _locked: File,
}

impl Journal {
    /// Everything has been done. A journal that cannot be removed says nothing new to the next run.
    pub(super) fn remove(self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// A step of a transaction.
pub(super) struct JournalEntry<'a> {
    pub(super) target: &'a Utf8Path,
    /// The staged content that takes the place of the target. None if the target is removed, or, on the way back, if that has
    /// happened already.
    pub(super) new: Option<&'a Utf8Path>,
    /// The old content under another name.
    pub(super) old: Option<&'a Utf8Path>,
}

/// Whether a transaction is to be finished or undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The files get their new contents.
    Forward,
    /// A step has failed: the files get their old contents back.
    Back,
}

/// What was left to do for a run that was killed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovery {
    /// The folder of the journal.
    pub folder: Utf8PathBuf,
    /// What was done with the rest of the files.
    pub direction: Direction,
    /// How many files were renamed or removed.
    pub count: usize,
    /// Files that somebody has changed since; they stay.
    pub kept: Vec<Utf8PathBuf>,
}

impl Recovery {
    /// In words, for the user.
    pub fn message(&self) -> String {
        messages::recovery(self)
    }
}

/// Writes the journal of a transaction into the innermost folder that holds all its files, or if that cannot be written, one
/// into the folder of each file.
pub(super) fn write(
    entries: &[JournalEntry<'_>],
    new_folders: &[Utf8PathBuf],
    direction: Direction,
) -> Result<Vec<Journal>, String> {
    let common = common_folder(entries);
    if let Ok(journal) = write_in(&common, &content(&common, entries, new_folders, direction), direction) {
        return Ok(vec![journal]);
    }
    let mut folders: Vec<&Utf8Path> = entries.iter().map(|entry| folder_of(entry.target)).collect();
    folders.sort_unstable();
    folders.dedup();
    let mut journals = Vec::with_capacity(folders.len());
    for folder in folders {
        let own = entries.iter().filter(|entry| folder_of(entry.target) == folder);
        let content = content(folder, own, new_folders, direction);
        journals.push(write_in(folder, &content, direction).map_err(|error| format!("{folder}: {error}"))?);
    }
    Ok(journals)
}

/// Finishes what killed runs have left to do in the folders of these targets.
pub(super) fn recover<'t>(targets: impl Iterator<Item = &'t Utf8Path>) -> Result<Vec<Recovery>, String> {
    let mut seen: FxHashSet<&Utf8Path> = FxHashSet::default();
    let mut recoveries = Vec::new();
    for target in targets {
        // The journal of a file is in its folder or in one around it.
        for folder in target.ancestors().skip(1).take_while(|folder| seen.insert(folder)) {
            recoveries.extend(recover_in(folder)?);
        }
    }
    Ok(recoveries)
}

pub(super) fn folder_of(target: &Utf8Path) -> &Utf8Path {
    target.parent().unwrap_or_else(|| Utf8Path::new("/"))
}

fn common_folder(entries: &[JournalEntry<'_>]) -> Utf8PathBuf {
    let mut folders = entries.iter().map(|entry| folder_of(entry.target));
    let first = folders.next().unwrap_or_else(|| Utf8Path::new("/"));
    let common = folders.fold(first, |common, folder| {
        common.ancestors().find(|ancestor| folder.starts_with(ancestor)).unwrap_or(common)
    });
    common.to_owned()
}

fn content<'e>(
    folder: &Utf8Path,
    entries: impl IntoIterator<Item = &'e JournalEntry<'e>>,
    new_folders: &[Utf8PathBuf],
    direction: Direction,
) -> String {
    let inside = |path: &Utf8Path| path.strip_prefix(folder).ok().map(|path| path.as_str().to_owned());
    let files: Vec<Value> = entries
        .into_iter()
        .map(|entry| {
            let (new, old) = (entry.new.and_then(inside), entry.old.and_then(inside));
            json!({ "target": inside(entry.target), "new": new, "old": old })
        })
        .collect();
    let new_folders: Vec<String> = new_folders.iter().filter_map(|folder| inside(folder)).collect();
    json!({ "undo": direction == Direction::Back, "files": files, "newFolders": new_folders }).to_string()
}

fn write_in(folder: &Utf8Path, content: &str, direction: Direction) -> io::Result<Journal> {
    let path = folder.join(JOURNAL);
    let mut staged = tempfile::Builder::new().prefix(PREFIX).suffix(NEW).tempfile_in(folder)?;
    // Not every file system has locks; without them, two runs at a time are not told apart.
    let _ = staged.as_file().lock();
    staged.write_all(content.as_bytes())?;
    if direction == Direction::Back {
        let locked = staged.persist(&path).map_err(|error| error.error)?;
        return Ok(Journal { path, _locked: locked });
    }
    for _ in 0..ATTEMPTS {
        match staged.persist_noclobber(&path) {
            Ok(locked) => return Ok(Journal { path, _locked: locked }),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => staged = error.file,
            Err(error) => return Err(error.error),
        }
        recover_in(folder).map_err(io::Error::other)?;
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Waits until nobody holds the journal of a folder, and does what is left to do.
fn recover_in(folder: &Utf8Path) -> Result<Option<Recovery>, String> {
    let path = folder.join(JOURNAL);
    let failed = |error: io::Error| format!("{path}: a run was killed and cannot be finished: {error}");
    let mut file = match File::open(&path) {
        Ok(file) => file,
        // What is no folder, or cannot be looked into, holds nothing of ours.
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::PermissionDenied => {
                return Ok(None);
            }
            _ => return Err(failed(error)),
        },
    };
    let _ = file.lock();
    let mut content = String::new();
    file.read_to_string(&mut content).map_err(failed)?;
    // Its process may have finished while we waited, and another one may have begun.
    if std::fs::read(&path).map_or(true, |now| now != content.as_bytes()) {
        return Ok(None);
    }
    let written = file.metadata().and_then(|metadata| metadata.modified()).map_err(failed)?;
    let plan = Plan::read(folder, &content, written)
        .ok_or_else(|| format!("{path}: this is not a journal of a run; remove it"))?;
    let recovery = plan.carry_out().map_err(failed)?;
    std::fs::remove_file(&path).map_err(failed)?;
    Ok((recovery.count > 0 || !recovery.kept.is_empty()).then_some(recovery))
}

/// What a journal says, with full paths.
struct Plan {
    folder: Utf8PathBuf,
    direction: Direction,
    /// When the journal was written: a target that is younger was changed since.
    written: SystemTime,
    entries: Vec<PlannedStep>,
    new_folders: Vec<Utf8PathBuf>,
}

struct PlannedStep {
    target: Utf8PathBuf,
    new: Option<Utf8PathBuf>,
    old: Option<Utf8PathBuf>,
}

impl Plan {
    fn read(folder: &Utf8Path, content: &str, written: SystemTime) -> Option<Self> {
        let journal: Value = serde_json::from_str(content).ok()?;
        let real = folder.canonicalize_utf8().ok()?;
        let direction = if journal.get("undo")?.as_bool()? { Direction::Back } else { Direction::Forward };
        let files = journal.get("files")?.as_array()?.iter();
        let entries = files.map(|file| PlannedStep::read(&real, file)).collect::<Option<Vec<_>>>()?;
        let new_folders = journal.get("newFolders")?.as_array()?.iter();
        let new_folders =
            new_folders.map(|name| inside(&real, name.as_str()?)).collect::<Option<Vec<_>>>()?;
        Some(Self { folder: folder.to_owned(), direction, written, entries, new_folders })
    }

    fn carry_out(self) -> io::Result<Recovery> {
        let mut recovery =
            Recovery { folder: self.folder, direction: self.direction, count: 0, kept: Vec::new() };
        for step in self.entries {
            let is_done = match self.direction {
                Direction::Forward => step.finish(self.written)?,
                Direction::Back => step.undo()?,
            };
            match is_done {
                Some(true) => recovery.count += 1,
                Some(false) => recovery.kept.push(step.target),
                None => {}
            }
        }
        if self.direction == Direction::Back {
            for folder in self.new_folders.iter().rev() {
                let _ = std::fs::remove_dir(folder);
            }
        }
        Ok(recovery)
    }
}

impl PlannedStep {
    fn read(folder: &Utf8Path, entry: &Value) -> Option<Self> {
        let target = inside(folder, entry.get("target")?.as_str()?)?;
        let staged = |key: &str, suffix: &str| match entry.get(key)? {
            Value::Null => Some(None),
            name => {
                let path = inside(folder, name.as_str()?)?;
                let name = path.file_name()?;
                let is_staged = name.starts_with(PREFIX) && name.ends_with(suffix);
                (is_staged && path.parent() == target.parent()).then_some(Some(path))
            }
        };
        let (new, old) = (staged("new", NEW)?, staged("old", OLD)?);
        Some(Self { target, new, old })
    }

    /// Makes the step, if it is not made yet: nothing was left to do, it was done, or the target has changed and is kept.
    fn finish(&self, written: SystemTime) -> io::Result<Option<bool>> {
        let is_left = match (&self.new, &self.old) {
            (Some(new), _) => new.exists(),
            (None, old) => old.as_ref().is_some_and(|old| old.exists() && self.target.exists()),
        };
        let result = if !is_left {
            None
        } else if !self.is_target_untouched(written) {
            self.new.iter().try_for_each(std::fs::remove_file)?;
            Some(false)
        } else {
            match &self.new {
                Some(new) => std::fs::rename(new, &self.target)?,
                None => std::fs::remove_file(&self.target)?,
            }
            Some(true)
        };
        self.remove_old();
        Ok(result)
    }

    /// Takes the step back.
    fn undo(&self) -> io::Result<Option<bool>> {
        let result = match (&self.new, &self.old) {
            (Some(new), _) => {
                if new.exists() {
                    std::fs::remove_file(new)?;
                }
                None
            }
            (None, Some(old)) if self.target.exists() && is_same(old, &self.target) => None,
            (None, Some(old)) if old.exists() => {
                std::fs::rename(old, &self.target)?;
                Some(true)
            }
            (None, None) if self.target.is_file() => {
                std::fs::remove_file(&self.target)?;
                Some(true)
            }
            _ => None,
        };
        self.remove_old();
        Ok(result)
    }

    /// Also needed after a rename: one between two names of the same file does nothing.
    fn remove_old(&self) {
        if let Some(old) = &self.old {
            let _ = std::fs::remove_file(old);
        }
    }

    /// The old content does not tell: it is the same file, which may have been written to in its place.
    fn is_target_untouched(&self, written: SystemTime) -> bool {
        match &self.old {
            Some(_) => {
                let changed = self.target.metadata().and_then(|metadata| metadata.modified());
                changed.is_ok_and(|changed| changed <= written)
            }
            None => !self.target.exists(),
        }
    }
}

fn is_same(one: &Utf8Path, other: &Utf8Path) -> bool {
    std::fs::read(one).is_ok_and(|one| std::fs::read(other).is_ok_and(|other| one == other))
}

/// A path below a folder with all links followed; none if it leads out of there.
fn inside(folder: &Utf8Path, name: &str) -> Option<Utf8PathBuf> {
    let path = folder.join(paths::confined(name, "", "").ok()?);
    let parent = path.parent()?;
    // A folder that is gone holds nothing.
    let real = parent.canonicalize_utf8().unwrap_or_else(|_| parent.to_owned());
    real.starts_with(folder).then_some(path)
}
