//! Paths → URI references.

use crate::percent::encode;

/// A path as a URI reference: relative paths stay relative, absolute ones become `file:` URIs.
pub fn from_path(path: &str) -> String {
    if has_scheme(path) {
        return encode(path, b":/?#[]@!$&'()*+,;=%");
    }
    let drive = has_drive(path);
    let path = if drive || cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() };
    if let Some(share) = path.strip_prefix("//") {
        return format!("file://{}", encode(share, b"/!$&'()*+,;=@"));
    }
    let encoded = encode(&path, b"/!$&'()*+,;=@");
    if drive {
        return format!("file:///{}", encoded.replacen("%3A", ":", 1));
    }
    if encoded.starts_with('/') { format!("file://{encoded}") } else { encoded }
}

/// A link with everything escaped that a URI must not contain; nothing when it is no link at all.
pub(super) fn from_link(link: &str) -> Option<String> {
    has_scheme(link).then(|| encode(link, b":/?#[]@!$&'()*+,;=%"))
}

fn has_scheme(text: &str) -> bool {
    text.split_once("://").is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte))
    })
}

fn has_drive(path: &str) -> bool {
    matches!(path.as_bytes(), [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_references() {
        for (path, want) in [
            ("main.bicep", "main.bicep"),
            ("../my files/größe#1.bicep", "../my%20files/gr%C3%B6%C3%9Fe%231.bicep"),
            ("a:b?.json", "a%3Ab%3F.json"),
            ("100%.json", "100%25.json"),
            ("/home/x y/main.bicep", "file:///home/x%20y/main.bicep"),
            (r"C:\src\main.bicep", "file:///C:/src/main.bicep"),
            ("c:/src/main.bicep", "file:///c:/src/main.bicep"),
            ("//server/share/x.bicep", "file://server/share/x.bicep"),
            ("https://example.com/a b", "https://example.com/a%20b"),
        ] {
            assert_eq!(from_path(path), want);
        }
    }

    #[test]
    fn only_links_are_links() {
        assert_eq!(from_link("https://aka.ms/x?y=1#z").as_deref(), Some("https://aka.ms/x?y=1#z"));
        assert_eq!(from_link("https://aka.ms/<x>").as_deref(), Some("https://aka.ms/%3Cx%3E"));
        assert_eq!(from_link("see the manual"), None);
    }
}
