//! Artifact references: the text of a `module`, `import`, `using` or `extension` statement comes in, what it refers to
//! comes out. Aliases are looked up in the configuration; nothing is read or downloaded.

mod local;
mod oci;
pub(crate) mod problems;
mod template_spec;

use base::{Check, Diagnostic, SmolStr, SourceFile, TextRange};
use camino::Utf8PathBuf;
use std::fmt;
use std::sync::Arc;

use crate::Config;

pub use local::{LocalPath, check_path};
pub(crate) use oci::is_bare_address;
pub use oci::{OciReference, Version};
pub use template_spec::TemplateSpecReference;
pub(crate) use template_spec::is_uuid;

/// What a reference is expected to lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ArtifactKind {
    /// A template: a module, an import, a `using`.
    Module,
    /// A package of types, with or without code.
    Extension,
}

impl ArtifactKind {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Module => "module",
            Self::Extension => "extension",
        }
    }
}

/// What a reference leads to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reference {
    /// A file, relative to the referencing one.
    Local(LocalPath),
    /// An artifact in a registry.
    Oci(OciReference),
    TemplateSpec(TemplateSpecReference),
    /// A file that stands in for an artifact in a registry (`moduleAliasesMock`).
    Mock(Utf8PathBuf),
}

/// Reads a reference: `PATH`, `br:…`, `br/ALIAS:…`, `ts:…` or `ts/ALIAS:…`.
pub fn parse(text: &str, kind: ArtifactKind, config: &Config) -> Result<Reference, Problem> {
    let Some((scheme, rest)) = text.split_once(':') else {
        return local::parse(text).map(Reference::Local);
    };
    let (scheme, alias) = match scheme.split_once('/') {
        Some((scheme, alias)) => (scheme, Some(alias)),
        None => (scheme, None),
    };
    match (scheme, kind) {
        ("br", _) => oci::parse(alias, rest, kind, config),
        ("ts", ArtifactKind::Module) => {
            template_spec::parse(alias, rest, config).map(Reference::TemplateSpec)
        }
        ("ts", ArtifactKind::Extension) => Err(problems::unsupported_kind(kind)),
        ("br-mock", _) => Err(problems::internal_scheme()),
        _ => Err(problems::unknown_scheme(scheme)),
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local(path) => path.fmt(f),
            Self::Oci(reference) => reference.fmt(f),
            Self::TemplateSpec(reference) => reference.fmt(f),
            Self::Mock(path) => path.fmt(f),
        }
    }
}

/// What is wrong with a reference. It becomes a diagnostic where the reference stands: [`Problem::at`].
#[derive(Debug, Clone)]
pub struct Problem {
    pub code: SmolStr,
    /// One sentence.
    pub message: String,
    /// What would be right.
    pub replacement: Option<Replacement>,
    /// The place in a configuration file that is the cause.
    pub cause: Option<SourceLocation>,
}

/// A place in a file.
#[derive(Debug, Clone)]
pub struct SourceLocation {
    pub file: Arc<SourceFile>,
    /// Where in it.
    pub range: TextRange,
}

/// What should be written instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replacement {
    /// Another reference, without quotes.
    Reference(String),
    /// A name of the configuration.
    Name(String),
}

impl Problem {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code: SmolStr::new_static(code), message: message.into(), replacement: None, cause: None }
    }

    pub(crate) fn with_replacement(mut self, replacement: Replacement) -> Self {
        self.replacement = Some(replacement);
        self
    }

    pub(crate) fn caused_by(mut self, place: Option<SourceLocation>) -> Self {
        self.cause = place.or(self.cause);
        self
    }

    /// The diagnostic for a reference that stands, with its quotes, at `range` of a source file.
    pub fn at(&self, range: TextRange) -> Diagnostic {
        self.diagnostic(range, '\'')
    }

    /// The diagnostic for a reference that stands, with its quotes, at `range` of a configuration file.
    pub(crate) fn in_config(&self, range: TextRange) -> Diagnostic {
        self.diagnostic(range, '"')
    }

    fn diagnostic(&self, range: TextRange, quote: char) -> Diagnostic {
        let mut diagnostic = Check::Configuration.error(self.code.clone(), range, self.message.clone());
        if let Some(replacement) = &self.replacement {
            let text = match replacement {
                Replacement::Reference(text) => format!("{quote}{text}{quote}"),
                Replacement::Name(name) => name.clone(),
            };
            diagnostic = diagnostic.with_fix(format!("Replace with {text}"), range, text);
        }
        if let Some(place) = &self.cause {
            diagnostic = diagnostic.with_related(Arc::clone(&place.file), place.range, "configured here");
        }
        diagnostic
    }
}
