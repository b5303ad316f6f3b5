//! Paths as text: joined and tidied without asking the disk.

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

/// `relative` seen from `folder`, without `.` and with `..` taken back where there is something to take back.
pub fn resolve(folder: &Utf8Path, relative: &Utf8Path) -> Utf8PathBuf {
    normalize(&folder.join(relative))
}

/// The path without `.` and with `..` taken back where there is something to take back.
pub fn normalize(path: &Utf8Path) -> Utf8PathBuf {
    let mut result = Utf8PathBuf::new();
    for component in path.components() {
        match component {
            Utf8Component::CurDir => {}
            Utf8Component::ParentDir => match result.components().next_back() {
                Some(Utf8Component::Normal(_)) => {
                    result.pop();
                }
                Some(Utf8Component::RootDir | Utf8Component::Prefix(_)) => {}
                _ => result.push(".."),
            },
            other => result.push(other),
        }
    }
    result
}

/// A path as seen from a folder, with forward slashes; both start at the root.
pub fn relative(folder: &Utf8Path, path: &Utf8Path) -> String {
    let (from, to): (Vec<&str>, Vec<&str>) = (folder.iter().collect(), path.iter().collect());
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..", from.len() - shared);
    up.chain(to.iter().skip(shared).copied()).collect::<Vec<_>>().join("/")
}

/// Whether a path starts at a root, in the notation of any system.
pub(crate) fn is_absolute(path: &str) -> bool {
    let mut chars = path.chars();
    match (chars.next(), chars.next()) {
        (Some('/' | '\\'), _) => true,
        (Some(drive), Some(':')) => drive.is_ascii_alphabetic(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_taken_back() {
        let check = |folder: &str, relative: &str, expected: &str| {
            assert_eq!(resolve(folder.into(), relative.into()), expected);
        };
        check("a/b", "../c/./d", "a/c/d");
        check("a", "../../x", "../x");
        check("/a", "../../x", "/x");
        check("", "x", "x");
        check("a", "/x", "/x");
    }

    #[test]
    fn paths_are_seen_from_folders() {
        let check = |folder: &str, path: &str, expected: &str| {
            assert_eq!(relative(folder.into(), path.into()), expected);
        };
        check("/a/b", "/a/b/c/d", "c/d");
        check("/a/b", "/a/c", "../c");
        check("/", "/a", "a");
    }
}
