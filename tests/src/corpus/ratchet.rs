//! The ratchet: a sorted list of the checks that pass. What is on it must go on passing; what passes for the first time
//! is reported, and added when asked.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What to do with the file afterwards, as `SINEW_RATCHET` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Nothing.
    Hold,
    /// `update`: add what passes for the first time.
    Update,
    /// `force`: also take away what was run and does not pass any more.
    Force,
}

impl Mode {
    /// The mode that the environment asks for.
    pub fn from_environment() -> Self {
        match std::env::var("SINEW_RATCHET").as_deref() {
            Ok("update") => Self::Update,
            Ok("force") => Self::Force,
            _ => Self::Hold,
        }
    }
}

/// The list, and what a run says about it.
#[derive(Debug)]
pub struct Ratchet {
    path: PathBuf,
    listed: BTreeSet<String>,
    results: Mutex<BTreeMap<String, bool>>,
}

impl Ratchet {
    /// Reads the list; no file is an empty list.
    pub fn load(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap_or_default();
        let listed = text.lines().map(str::to_owned).filter(|line| !line.is_empty()).collect();
        Self { path: path.to_owned(), listed, results: Mutex::default() }
    }

    /// Whether a check must pass.
    pub fn holds(&self, name: &str) -> bool {
        self.listed.contains(name)
    }

    /// Takes note of a result.
    pub fn record(&self, name: &str, passed: bool) {
        self.results.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), passed);
    }

    /// How many passed and how many there were, by the first part of the name.
    pub fn figures(&self) -> BTreeMap<String, (usize, usize)> {
        let mut figures = BTreeMap::new();
        for (name, passed) in &*self.results.lock().unwrap_or_else(PoisonError::into_inner) {
            let kind = name.split([':']).next().unwrap_or(name).to_owned();
            let (passing, total) = figures.entry(kind).or_insert((0, 0));
            *total += 1;
            *passing += usize::from(*passed);
        }
        figures
    }

    /// What passed without being listed.
    pub fn gains(&self) -> Vec<String> {
        let results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        results
            .iter()
            .filter(|(name, passed)| **passed && !self.holds(name))
            .map(|(name, _)| name.clone())
            .collect()
    }

    /// Rewrites the file as the mode asks.
    pub fn save(&self, mode: Mode) -> io::Result<()> {
        if mode == Mode::Hold {
            return Ok(());
        }
        let results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        let mut names = self.listed.clone();
        for (name, passed) in &*results {
            if *passed {
                names.insert(name.clone());
            } else if mode == Mode::Force {
                names.remove(name);
            }
        }
        let text: String = names.iter().map(|name| format!("{name}\n")).collect();
        fs::write(&self.path, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_grows_by_itself_and_shrinks_by_force() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list.txt");
        fs::write(&path, "build::b\nbuild::gone\n").unwrap();
        let run = |mode| {
            let ratchet = Ratchet::load(&path);
            ratchet.record("build::b", false);
            ratchet.record("format:width=40::a", true);
            ratchet.save(mode).unwrap();
            (ratchet, fs::read_to_string(&path).unwrap())
        };
        let (ratchet, text) = run(Mode::Hold);
        assert!(ratchet.holds("build::b") && !ratchet.holds("format:width=40::a"));
        assert_eq!(ratchet.gains(), ["format:width=40::a"]);
        assert_eq!(ratchet.figures(), [("build".into(), (0, 1)), ("format".into(), (1, 1))].into());
        assert_eq!(text, "build::b\nbuild::gone\n");
        assert_eq!(run(Mode::Update).1, "build::b\nbuild::gone\nformat:width=40::a\n");
        assert_eq!(run(Mode::Force).1, "build::gone\nformat:width=40::a\n");
    }
}
