//! Writing files: whole, only if needed, and removing what is no longer generated.

use std::time::{Duration, SystemTime};

use camino::{Utf8Path, Utf8PathBuf};
use generate::OutputFile;
use generate::host_disk::{Change, MANIFEST, WriteOptions, write_files};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> Utf8PathBuf {
        Utf8PathBuf::from_path_buf(self.0.path().to_path_buf()).unwrap()
    }

    fn write(&self, files: &[(&str, &str)], options: &WriteOptions) -> Result<Vec<(Change, String)>, String> {
        let root = self.path();
        let files: Vec<OutputFile> = files
            .iter()
            .map(|(name, text)| OutputFile {
                format: generate::format::Format::FromExtension,
                json: None,
                name: (*name).to_owned(),
                path: root.join(name),
                root: Some(root.clone()),
                content: text.as_bytes().to_vec(),
            })
            .collect();
        write_files(&files, options).map(|written| {
            assert_eq!(written.recoveries, []);
            written.changes
        })
    }

    fn prune(&self) -> WriteOptions {
        WriteOptions { check: false, prune: Some((self.path(), "main.js".to_owned())) }
    }

    fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        walk(&self.path(), &self.path(), &mut names);
        names.sort();
        names
    }
}

fn walk(root: &Utf8Path, folder: &Utf8Path, names: &mut Vec<String>) {
    for entry in folder.read_dir_utf8().unwrap() {
        let path = entry.unwrap().into_path();
        if path.is_dir() {
            walk(root, &path, names);
        } else {
            names.push(path.strip_prefix(root).unwrap().to_string());
        }
    }
}

fn changes(list: &[(Change, &str)]) -> Vec<(Change, String)> {
    list.iter().map(|(change, name)| (*change, (*name).to_owned())).collect()
}

#[test]
fn folders_are_made_and_no_temporary_files_stay() {
    let folder = Folder::new();
    let written = folder.write(&[("a/b/c.yaml", "x"), ("d.yaml", "y")], &WriteOptions::default()).unwrap();
    assert_eq!(written, changes(&[(Change::Written, "a/b/c.yaml"), (Change::Written, "d.yaml")]));
    assert_eq!(folder.names(), ["a/b/c.yaml", "d.yaml"]);
}

#[test]
fn unchanged_files_keep_their_time() {
    let folder = Folder::new();
    folder.write(&[("same", "1"), ("other", "1")], &WriteOptions::default()).unwrap();
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    for name in ["same", "other"] {
        std::fs::File::options()
            .write(true)
            .open(folder.path().join(name))
            .unwrap()
            .set_modified(old)
            .unwrap();
    }
    let written = folder.write(&[("same", "1"), ("other", "2")], &WriteOptions::default()).unwrap();
    assert_eq!(written, changes(&[(Change::Unchanged, "same"), (Change::Written, "other")]));
    let modified = |name| std::fs::metadata(folder.path().join(name)).unwrap().modified().unwrap();
    assert_eq!(modified("same"), old);
    assert_ne!(modified("other"), old);
}

#[cfg(unix)]
#[test]
fn replaced_files_keep_their_mode_and_new_ones_get_the_usual_one() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    folder.write(&[("run.sh", "1")], &WriteOptions::default()).unwrap();
    let path = folder.path().join("run.sh");
    let mode = || std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode() & 0o600, 0o600);
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o750)).unwrap();
    folder.write(&[("run.sh", "2")], &WriteOptions::default()).unwrap();
    assert_eq!(mode(), 0o750);
}

#[test]
fn a_check_only_says_what_would_change() {
    let folder = Folder::new();
    folder.write(&[("same", "1"), ("stale", "1")], &folder.prune()).unwrap();
    let options = WriteOptions { check: true, ..folder.prune() };
    let planned = folder.write(&[("same", "1"), ("new", "1")], &options).unwrap();
    let expected = [(Change::Unchanged, "same"), (Change::Written, "new"), (Change::Removed, "stale")];
    assert_eq!(planned, changes(&expected));
    assert_eq!(folder.names(), [MANIFEST, "same", "stale"]);
}

#[test]
fn pruning_removes_what_earlier_runs_wrote() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("mine.txt"), "not generated").unwrap();
    folder.write(&[("a", "1"), ("b", "1"), ("edited", "1")], &folder.prune()).unwrap();
    std::fs::write(folder.path().join("edited"), "by hand").unwrap();
    let written = folder.write(&[("a", "2")], &folder.prune()).unwrap();
    let expected = [(Change::Written, "a"), (Change::Removed, "b"), (Change::KeptModified, "edited")];
    assert_eq!(written, changes(&expected));
    assert_eq!(folder.names(), [MANIFEST, "a", "edited", "mine.txt"]);
    // Another script in the same folder has its own entry.
    let other = WriteOptions { check: false, prune: Some((folder.path(), "other.js".to_owned())) };
    assert_eq!(folder.write(&[("o", "1")], &other).unwrap(), changes(&[(Change::Written, "o")]));
}

#[test]
fn a_target_that_is_a_folder_stops_everything() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path().join("taken")).unwrap();
    let result = folder.write(&[("fine", "1"), ("taken", "1")], &WriteOptions::default());
    assert_eq!(result, Err("taken: the path is a folder".to_owned()));
    assert_eq!(folder.names(), Vec::<String>::new());
}
