//! Bytes of files as text: encodings, base64, names of files by pattern.

use camino::Utf8Path;

/// How a text is written as bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Ascii,
    Latin1,
    Utf8,
    Utf16,
    Utf16BigEndian,
    Utf32,
}

impl Encoding {
    /// The encoding of a name, as functions take it.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "us-ascii" => Self::Ascii,
            "iso-8859-1" => Self::Latin1,
            "utf-8" => Self::Utf8,
            "utf-16" => Self::Utf16,
            "utf-16BE" => Self::Utf16BigEndian,
            _ => return None,
        })
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Ascii => "us-ascii",
            Self::Latin1 => "iso-8859-1",
            Self::Utf8 => "utf-8",
            Self::Utf16 => "utf-16",
            Self::Utf16BigEndian => "utf-16BE",
            Self::Utf32 => "utf-32",
        }
    }
}

/// The encoding that the first bytes of a file say.
pub(crate) fn detect(bytes: &[u8]) -> Option<Encoding> {
    match bytes {
        [0xef, 0xbb, 0xbf, ..] => Some(Encoding::Utf8),
        [0xff, 0xfe, 0, 0, ..] => Some(Encoding::Utf32),
        [0xff, 0xfe, ..] => Some(Encoding::Utf16),
        [0xfe, 0xff, ..] => Some(Encoding::Utf16BigEndian),
        _ => None,
    }
}

/// Bytes as text; what the file itself says about its encoding counts more than what is asked for.
pub(crate) fn decode(bytes: &[u8], encoding: Encoding) -> String {
    let detected = detect(bytes);
    let mark = match detected {
        Some(Encoding::Utf8) => 3,
        Some(Encoding::Utf32) => 4,
        Some(_) => 2,
        None => 0,
    };
    let bytes = bytes.get(mark..).unwrap_or_default();
    let units = |from: fn([u8; 2]) -> u16| {
        // A byte that is left over at the end is half a character.
        bytes.chunks(2).map(move |pair| match pair {
            [a, b] => from([*a, *b]),
            _ => 0xfffd,
        })
    };
    match detected.unwrap_or(encoding) {
        Encoding::Utf8 => String::from_utf8_lossy(bytes).into_owned(),
        Encoding::Ascii => {
            bytes.iter().map(|byte| if byte.is_ascii() { char::from(*byte) } else { '?' }).collect()
        }
        Encoding::Latin1 => bytes.iter().map(|byte| char::from(*byte)).collect(),
        Encoding::Utf16 => char::decode_utf16(units(u16::from_le_bytes)).map(or_replacement).collect(),
        Encoding::Utf16BigEndian => {
            char::decode_utf16(units(u16::from_be_bytes)).map(or_replacement).collect()
        }
        Encoding::Utf32 => bytes
            .chunks_exact(4)
            .map(|word| match word {
                [a, b, c, d] => char::from_u32(u32::from_le_bytes([*a, *b, *c, *d])).unwrap_or('\u{fffd}'),
                _ => '\u{fffd}',
            })
            .collect(),
    }
}

fn or_replacement<E>(decoded: Result<char, E>) -> char {
    decoded.unwrap_or('\u{fffd}')
}

/// Whether a name is like a pattern, in which `*` is any text and `?` any character, in any case.
pub(crate) fn matches_wildcard(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.to_lowercase().chars().collect();
    let name: Vec<char> = name.to_lowercase().chars().collect();
    let (mut at, mut pos) = (0, 0);
    // Where to go back to: behind the last star, with one more character taken by it.
    let mut retry: Option<(usize, usize)> = None;
    while pos < name.len() {
        match (pattern.get(at), name.get(pos)) {
            (Some('*'), _) => {
                retry = Some((at, pos));
                at += 1;
            }
            (Some('?'), _) => (at, pos) = (at + 1, pos + 1),
            (Some(want), Some(have)) if want == have => (at, pos) = (at + 1, pos + 1),
            _ => match retry {
                Some((star, from)) => {
                    (at, pos) = (star + 1, from + 1);
                    retry = Some((star, from + 1));
                }
                None => return false,
            },
        }
    }
    pattern.get(at..).unwrap_or_default().iter().all(|c| *c == '*')
}

/// The way from one folder to another, with a slash behind each part.
pub(crate) fn relative_path(from: &Utf8Path, to: &Utf8Path) -> String {
    let normal = config::paths::normalize;
    match config::paths::relative(&normal(from), &normal(to)) {
        way if way.is_empty() => way,
        way => way + "/",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_in_every_encoding() {
        assert_eq!(decode(b"\xef\xbb\xbfa", Encoding::Utf16), "a");
        assert_eq!(decode(b"\xff\xfea\0", Encoding::Utf8), "a");
        assert_eq!(decode(b"\xe4", Encoding::Latin1), "ä");
        assert_eq!(decode(b"\0a", Encoding::Utf16BigEndian), "a");
    }

    #[test]
    fn wildcards_match_whole_names() {
        for (pattern, name, expected) in [
            ("*.txt", "a.TXT", true),
            ("a?c", "abc", true),
            ("a*c", "ab", false),
            ("*", "", true),
            ("a*b*c", "axbybzc", true),
        ] {
            assert_eq!(matches_wildcard(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn folders_are_named_relative_to_others() {
        assert_eq!(relative_path("a/b".into(), "a/c/d".into()), "../c/d/");
        assert_eq!(relative_path("a".into(), "a".into()), "");
    }
}
