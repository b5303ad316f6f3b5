//! Writing files so that nobody ever sees half of one.

use std::fs::{self, Metadata};
use std::io::{self, Write};

use camino::{Utf8Path, Utf8PathBuf};
use tempfile::NamedTempFile;

use crate::failure::Failure;
use crate::interrupt;

/// Replaces the content of a file, or makes the file with its folders. Either all of the text is there afterwards, or
/// everything is as it was.
///
/// The text goes into a new file beside the old one, which then takes its place and its permissions. What is not a
/// regular file (a pipe, `/dev/null`) is written to directly.
pub(crate) fn write(path: &Utf8Path, text: &str) -> Result<(), Failure> {
    write_bytes(path, text.as_bytes())
}

/// The same for what is not text.
pub(crate) fn write_bytes(path: &Utf8Path, bytes: &[u8]) -> Result<(), Failure> {
    write_with(path, bytes, false)
}

/// The same for what nobody else may read: whatever was there before, afterwards only the owner can.
pub(crate) fn write_private(path: &Utf8Path, text: &str) -> Result<(), Failure> {
    write_with(path, text.as_bytes(), true)
}

fn write_with(path: &Utf8Path, bytes: &[u8], is_private: bool) -> Result<(), Failure> {
    let failed = |error: &io::Error| Failure::unwritable(path, error);
    let (target, old) = find_target(path).map_err(|error| failed(&error))?;
    match old {
        Some(old) if old.is_dir() => Err(Failure::output_is_folder(path)),
        Some(old) if old.permissions().readonly() => Err(Failure::read_only(path)),
        Some(old) if !old.is_file() => fs::write(&target, bytes).map_err(|error| failed(&error)),
        old => {
            let _writing = interrupt::writing();
            let folder = folder_of(&target);
            let new_file = || new_file(&target, old.as_ref().filter(|_| !is_private), is_private);
            // Only the system knows who may write where: mode bits say nothing about access lists, mounts or root.
            let mut file = new_file();
            // Mostly the folder is there, which need not be asked first.
            if file.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) && old.is_none() {
                fs::create_dir_all(folder).map_err(|error| failed(&error))?;
                file = new_file();
            }
            let file = file.map_err(|error| match error.kind() {
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                    Failure::read_only_folder(folder)
                }
                _ => failed(&error),
            })?;
            fill(file, &target, bytes).map_err(|error| failed(&error))
        }
    }
}

/// Writes a new file and puts it in the place of the target.
fn fill(mut file: NamedTempFile, target: &Utf8Path, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    file.persist(target).map_err(|error| error.error)?;
    Ok(())
}

/// A new file in the folder of the target, with the permissions that the target has or should get.
fn new_file(target: &Utf8Path, old: Option<&Metadata>, is_private: bool) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".sinew-");
    let permissions = old.map(Metadata::permissions);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // What the system then takes away is the user's umask.
        let mode = if is_private { 0o600 } else { 0o666 };
        builder.permissions(permissions.clone().unwrap_or_else(|| fs::Permissions::from_mode(mode)));
    }
    let file = builder.tempfile_in(folder_of(target))?;
    if let Some(permissions) = permissions {
        file.as_file().set_permissions(permissions)?;
    }
    Ok(file)
}

/// The file that is written, and what is known about it if it is there. A symbolic link is followed, so that it stays a link.
fn find_target(path: &Utf8Path) -> io::Result<(Utf8PathBuf, Option<Metadata>)> {
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_symlink() => {
            let target = path.canonicalize_utf8()?;
            let metadata = fs::metadata(&target)?;
            Ok((target, Some(metadata)))
        }
        Ok(metadata) => Ok((path.to_owned(), Some(metadata))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok((path.to_owned(), None)),
        Err(error) => Err(error),
    }
}

fn folder_of(path: &Utf8Path) -> &Utf8Path {
    match path.parent() {
        Some(parent) if parent != "" => parent,
        _ => Utf8Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, Utf8PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
        (folder, path)
    }

    #[test]
    fn writes_new_files_with_their_folders_and_replaces_old_ones() {
        let (_keep, folder) = folder();
        let path = folder.join("a/b/c.bicep");
        write(&path, "one").unwrap();
        write(&path, "two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(fs::read_dir(folder.join("a/b")).unwrap().count(), 1, "no temporary file stays");
    }

    #[test]
    fn refuses_folders_and_read_only_files() {
        let (_keep, folder) = folder();
        assert_eq!(write(&folder, "x"), Err(Failure::output_is_folder(&folder)));
        let path = folder.join("fixed.bicep");
        fs::write(&path, "old").unwrap();
        let mut permissions = fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions).unwrap();
        assert_eq!(write(&path, "new"), Err(Failure::read_only(&path)));
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    }

    #[cfg(unix)]
    #[test]
    fn the_system_says_whether_a_folder_can_be_written_to() {
        use std::os::unix::fs::PermissionsExt;
        let (_keep, folder) = folder();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
        // Whoever may write in spite of the mode bits, as root may, does.
        let allowed = fs::write(folder.join("probe"), "x").is_ok();
        let written = write(&folder.join("new.json"), "x");
        let expected = if allowed { Ok(()) } else { Err(Failure::read_only_folder(&folder)) };
        assert_eq!(written, expected);
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn private_files_are_readable_for_their_owner_only() {
        use std::os::unix::fs::PermissionsExt;
        let (_keep, folder) = folder();
        let path = folder.join("secrets.json");
        for before in [None, Some(0o644)] {
            if let Some(mode) = before {
                fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            }
            write_private(&path, "x").unwrap();
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600, "{before:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn keeps_links_permissions_and_special_files() {
        use std::os::unix::fs::PermissionsExt;
        let (_keep, folder) = folder();
        let (path, link) = (folder.join("real.bicep"), folder.join("link.bicep"));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write(&link, "new").unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        write(Utf8Path::new("/dev/null"), "gone").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
