//! SHA-256 digests, as registries write them.

use std::fmt;

use base::Verdict;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::error::Error;

/// `sha256:` and 64 lower-case hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Digest(String);

impl Digest {
    /// The digest of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let mut hasher = Hasher::default();
        hasher.update(bytes);
        hasher.finish()
    }

    /// A digest as written; none if it is not one.
    pub fn parse(text: &str) -> Option<Self> {
        let hex = text.strip_prefix("sha256:")?;
        let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        (hex.len() == 64 && hex.bytes().all(is_hex)).then(|| Self(text.to_owned()))
    }

    /// Whether a content with the actual digest is the one that this digest was made of.
    pub(crate) fn check(&self, actual: &Self, what: impl FnOnce() -> String) -> Verdict<Error> {
        if self == actual {
            return Verdict::Pass;
        }
        Verdict::Fail(vec![Error::Digest { what: what(), expected: self.clone(), actual: actual.clone() }])
    }

    /// The digest as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The 64 digits.
    pub fn hex(&self) -> &str {
        self.0.strip_prefix("sha256:").unwrap_or(&self.0)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text)
            .ok_or_else(|| serde::de::Error::custom(format!("\"{text}\" is not a SHA-256 digest")))
    }
}

/// The digest of bytes that come in parts.
#[derive(Default)]
pub(crate) struct Hasher(Sha256);

impl Hasher {
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn finish(self) -> Digest {
        let mut text = String::from("sha256:");
        for byte in self.0.finalize() {
            text.push(char::from(b"0123456789abcdef".get(usize::from(byte >> 4)).copied().unwrap_or(b'0')));
            text.push(char::from(b"0123456789abcdef".get(usize::from(byte & 15)).copied().unwrap_or(b'0')));
        }
        Digest(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_written_as_registries_write_them() {
        let empty_object = "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
        assert_eq!(Digest::of(b"{}").as_str(), empty_object);
        assert_eq!(Digest::parse(empty_object), Some(Digest::of(b"{}")));
        assert_eq!(Digest::parse("sha256:44"), None);
        assert_eq!(Digest::parse(&empty_object.to_uppercase()), None);
    }
}
