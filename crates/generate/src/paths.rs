//! Paths as text. Everything here is lexical: links are the host's business.

use camino::{Utf8Path, Utf8PathBuf};

/// The shortest path that means the same: without `.`, double slashes, and `..` where something precedes it.
/// A `..` at the root of an absolute path is dropped; the empty path is `.`.
pub fn clean(path: &str) -> String {
    let is_absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => match parts.last() {
                Some(&last) if last != ".." => {
                    parts.pop();
                }
                _ if is_absolute => {}
                _ => parts.push(".."),
            },
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    match (is_absolute, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    }
}

/// A path behind a folder, cleaned. An absolute path stays what it is.
pub fn join(folder: &Utf8Path, path: &str) -> Utf8PathBuf {
    if path.starts_with('/') {
        return clean(path).into();
    }
    clean(&format!("{folder}/{path}")).into()
}

/// A path behind a folder that never leaves `root`: `..` stops there.
pub fn join_clamped(root: &Utf8Path, folder: &Utf8Path, path: &str) -> Utf8PathBuf {
    let inside = folder.strip_prefix(root).map_or("", Utf8Path::as_str);
    let clamped = clean(&format!("/{inside}/{path}"));
    join(root, clamped.trim_start_matches('/'))
}

/// The path inside of the folder that a script may name, or why it may not.
pub fn confined<'w>(path: &str, absolute: &'w str, parent: &'w str) -> Result<String, &'w str> {
    let cleaned = clean(path);
    if cleaned.starts_with('/') {
        return Err(absolute);
    }
    if cleaned == ".." || cleaned.starts_with("../") {
        return Err(parent);
    }
    Ok(cleaned)
}

/// The URL of a file.
pub fn file_url(path: &str) -> String {
    format!("file://{}", base::percent::encode(path, b"/!*'():@&=+$,;"))
}

/// The path that a URL of a file means.
pub fn from_file_url(url: &str) -> Option<String> {
    let path = url.strip_prefix("file://").filter(|path| path.starts_with('/'))?;
    percent_encoding::percent_decode_str(path).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

/// A path as the user should see it: relative to the folder they are in, where that is shorter.
pub fn display<'p>(path: &'p str, folder: &Utf8Path) -> &'p str {
    path.strip_prefix(folder.as_str()).and_then(|rest| rest.strip_prefix('/')).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cleaning_keeps_the_meaning() {
        let cases = [
            ("", "."),
            ("./a//b/", "a/b"),
            ("a/../..", ".."),
            ("a/./../b", "b"),
            ("/../a", "/a"),
            ("../../x", "../../x"),
            ("/", "/"),
        ];
        for (path, expected) in cases {
            assert_eq!(clean(path), expected, "{path}");
        }
    }

    #[test]
    fn clamped_paths_stay_inside() {
        let clamped = |folder: &str, path| join_clamped("/w".into(), folder.into(), path).into_string();
        assert_eq!(clamped("/w/a", "../b"), "/w/b");
        assert_eq!(clamped("/w/a", "../../../etc/passwd"), "/w/etc/passwd");
    }

    #[test]
    fn scripts_may_name_only_what_is_inside() {
        let check = |path| confined(path, "absolute", "parent");
        assert_eq!(check("./a/../b.json"), Ok("b.json".to_owned()));
        assert_eq!(check("..b"), Ok("..b".to_owned()));
        assert_eq!(check("a/../../b"), Err("parent"));
        assert_eq!(check("/a"), Err("absolute"));
    }

    #[test]
    fn paths_are_shown_as_short_as_possible() {
        assert_eq!(display("/w/a/x.js", "/w".into()), "a/x.js");
        assert_eq!(display("/wide/x.js", "/w".into()), "/wide/x.js");
    }
}
