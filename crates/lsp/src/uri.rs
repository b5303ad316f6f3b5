//! Document URIs and paths: one comes in, the other goes out.

use camino::{Utf8Path, Utf8PathBuf};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// What stays as it is in the path of a URI.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~')
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'+')
    .remove(b',')
    .remove(b';')
    .remove(b'=')
    .remove(b'@');

/// The path of a file; `None` for documents that are no files.
pub(crate) fn file_path(uri: &str) -> Option<Utf8PathBuf> {
    let rest = uri.strip_prefix("file:")?;
    let rest = match rest.strip_prefix("//") {
        // What stands before the first slash is a host: nobody but Windows has one.
        Some(rest) => rest.get(rest.find('/')?..)?,
        None => rest,
    };
    let decoded = percent_decode_str(rest).decode_utf8().ok()?;
    let path = decoded.into_owned();
    let bytes = path.as_bytes();
    let has_drive = matches!(bytes, [b'/', letter, b':', ..] if letter.is_ascii_alphabetic());
    let path = if has_drive { path.get(1..).unwrap_or_default().to_owned() } else { path };
    Some(config::paths::normalize(Utf8Path::new(&path)))
}

/// The path under which a document is known: its own, or for one that is no file (`untitled:…`) one that no file has.
pub(crate) fn document_path(uri: &str, language: &str) -> Utf8PathBuf {
    if let Some(path) = file_path(uri) {
        return path;
    }
    let extension = if language == "bicep-params" { "bicepparam" } else { "bicep" };
    let name: String =
        uri.chars().map(|c| if c.is_alphanumeric() || c == '-' || c == '.' { c } else { '_' }).collect();
    Utf8PathBuf::from(format!("/.unsaved/{name}.{extension}"))
}

/// The URI of a file.
pub(crate) fn of_path(path: &Utf8Path) -> String {
    let path = path.as_str().replace('\\', "/");
    let slash = if path.starts_with('/') { "" } else { "/" };
    format!("file://{slash}{}", utf8_percent_encode(&path, KEPT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_uris_invert_each_other() {
        for path in ["/a/b.bicep", "/with space/ä#?.bicep", "/100%/x"] {
            assert_eq!(file_path(&of_path(path.into())), Some(path.into()), "{path}");
        }
        assert_eq!(file_path("file:///c%3A/x.bicep"), Some("c:/x.bicep".into()));
        assert_eq!(file_path("untitled:Untitled-1"), None);
    }
}
