//! Every way in which work with a registry can fail, each with a sentence that says what happened and what to do.

use std::fmt;
use std::io;

use base::{Check, Diagnostic};
use bicep_types::catalogue::OpenError;
use camino::{Utf8Path, Utf8PathBuf};
use config::reference::ArtifactKind;

use crate::digest::Digest;

/// What went wrong with an artifact.
#[derive(Debug)]
pub enum Error {
    /// The artifact is not in the cache and the network must not be used.
    Offline,
    /// This build cannot use the network.
    NoNetwork,
    /// No connection to the registry.
    Unreachable {
        registry: String,
        /// What the system said.
        reason: String,
    },
    /// The registry wants other credentials than it was given.
    Unauthorized {
        registry: String,
        /// Where the refused credentials came from; none when there were none.
        tried: Option<String>,
    },
    /// The credentials are known, but may not do this.
    Forbidden { registry: String },
    /// There is no such artifact.
    NotFound,
    /// The artifact refers to content that the registry does not have.
    BlobNotFound(Digest),
    /// The registry failed, repeatedly.
    Server {
        registry: String,
        /// The status of its last answer.
        status: u16,
        /// How often it was asked.
        attempts: u32,
    },
    /// The registry refused the request.
    Refused {
        registry: String,
        /// The status of its answer.
        status: u16,
        /// What it said.
        reason: String,
    },
    /// The registry answered with something else than the protocol demands.
    Protocol { registry: String, reason: String },
    /// Content that is not what its digest says.
    Digest {
        /// What it is.
        what: String,
        /// What it should be.
        expected: Digest,
        /// What it is.
        actual: Digest,
    },
    /// Content that is longer than it may be.
    TooLarge {
        /// What it is.
        what: String,
        /// How many bytes are allowed.
        limit: u64,
    },
    /// The manifest cannot be used.
    Manifest(String),
    /// An artifact of the other kind.
    Kind {
        /// What was expected.
        expected: ArtifactKind,
        /// What it is.
        found: String,
    },
    /// The archive cannot be used.
    Archive(String),
    /// The archive has several packages of types, in these folders.
    SeveralPackages(String),
    /// A package with types that cannot be used.
    Types {
        /// The file in the package.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A file that should be a catalogue.
    Catalogue {
        /// The file.
        path: Utf8PathBuf,
        /// What is wrong with it.
        error: OpenError,
    },
    /// The reference is not in the lock file, and the lock file must not change.
    NotLocked(Utf8PathBuf),
    /// The registry does not have what the lock file demands.
    LockedDigest {
        /// What the lock file says.
        locked: Digest,
        /// The lock file.
        file: Utf8PathBuf,
    },
    /// A lock file that cannot be read.
    LockFile {
        /// The lock file.
        file: Utf8PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Another process is at work on the same artifact and does not come to an end.
    Busy(Utf8PathBuf),
    /// A credential helper failed.
    Credentials(String),
    /// There is an artifact of this name already.
    Exists,
    /// An artifact is published under a tag.
    NoTag,
    /// This kind of reference cannot be restored.
    Unsupported(&'static str),
    /// The disk failed.
    Disk {
        /// What was to be read or written.
        path: Utf8PathBuf,
        /// What the system said.
        error: io::Error,
    },
}

impl Error {
    pub(crate) fn disk(path: &Utf8Path) -> impl FnOnce(io::Error) -> Self + '_ {
        |error| Self::Disk { path: path.to_owned(), error }
    }

    /// Whether trying again may help.
    pub(crate) fn is_temporary(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::Server { .. })
    }

    /// The diagnostic for a statement whose artifact could not be restored.
    pub fn diagnostic(&self, reference: &str, range: base::TextRange) -> Diagnostic {
        Check::Packages.error(
            "BCP192",
            range,
            format!("The artifact \"{reference}\" could not be restored: {self}"),
        )
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Disk { error, .. } => Some(error),
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Offline => write!(f, "it is not in the cache, and `--offline` forbids downloading it"),
            Self::NoNetwork => {
                write!(f, "this `sinew` cannot use the network: it is built without the feature `network`")
            }
            Self::Unreachable { registry, reason } => {
                write!(f, "the registry \"{registry}\" cannot be reached: {reason}")
            }
            Self::Unauthorized { registry, tried: None } => write!(
                f,
                "the registry \"{registry}\" requires credentials, and none were found: log in with `docker login {registry}` or a credential helper"
            ),
            Self::Unauthorized { registry, tried: Some(source) } => {
                write!(f, "the registry \"{registry}\" does not accept the credentials from {source}")
            }
            Self::Forbidden { registry } => {
                write!(f, "the registry \"{registry}\" does not allow this with the credentials at hand")
            }
            Self::NotFound => write!(f, "it does not exist in the registry"),
            Self::BlobNotFound(digest) => {
                write!(
                    f,
                    "its manifest refers to content with digest {digest} that the registry does not have"
                )
            }
            Self::Server { registry, status, attempts } => {
                write!(f, "the registry \"{registry}\" failed with status {status}, {attempts} times")
            }
            Self::Refused { registry, status, reason } => {
                write!(f, "the registry \"{registry}\" refused with status {status}: {reason}")
            }
            Self::Protocol { registry, reason } => {
                write!(f, "the registry \"{registry}\" violates the protocol: {reason}")
            }
            Self::Digest { what, expected, actual } => {
                write!(f, "{what} has digest {actual}, but should have {expected}; it is not used")
            }
            Self::TooLarge { what, limit } => {
                write!(f, "{what} has more than the {limit} bytes that are allowed")
            }
            Self::Manifest(reason) => write!(f, "its manifest is not valid: {reason}"),
            Self::Kind { expected, found } => {
                write!(f, "an artifact of kind \"{}\" is expected, but this is {found}", expected.name())
            }
            Self::Archive(reason) => write!(f, "the archive is not valid: {reason}"),
            Self::SeveralPackages(folders) => {
                write!(f, "the archive has several packages, in {folders}: choose one of them")
            }
            Self::Types { file, reason } => write!(f, "its types cannot be used: {file}: {reason}"),
            Self::Catalogue { path, error } => write!(f, "\"{path}\": {error}"),
            Self::NotLocked(file) => {
                write!(f, "it is not in the lock file \"{file}\", and `--locked` forbids adding it")
            }
            Self::LockedDigest { locked, file } => write!(
                f,
                "the lock file \"{file}\" demands digest {locked}, which the registry does not have; `sinew restore --force` updates the lock file"
            ),
            Self::LockFile { file, reason } => write!(f, "the lock file \"{file}\" cannot be used: {reason}"),
            Self::Busy(folder) => write!(f, "another process keeps the cache folder \"{folder}\" locked"),
            Self::Credentials(reason) => write!(f, "credentials could not be obtained: {reason}"),
            Self::Exists => write!(f, "it exists in the registry already; `--force` replaces it"),
            Self::NoTag => write!(f, "an artifact is published under a tag, not under a digest"),
            Self::Unsupported(what) => write!(f, "{what} cannot be restored"),
            Self::Disk { path, error } => write!(f, "\"{path}\": {error}"),
        }
    }
}
