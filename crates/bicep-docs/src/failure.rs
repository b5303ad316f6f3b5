//! Why there is no documentation. One constructor per failure: the words are here and nowhere else.

use std::fmt;

use base::ReadError;
use camino::Utf8Path;

use crate::template;

/// Why there is no documentation, in words for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure(String);

impl Failure {
    /// The file is none that can be documented.
    pub(crate) fn not_a_module() -> Self {
        Self("Documentation can be made of Bicep files only.".to_owned())
    }

    /// The template cannot be read.
    pub(crate) fn unreadable_template(path: &Utf8Path, error: &ReadError) -> Self {
        Self(format!("The documentation template \"{path}\" cannot be read: {error}."))
    }

    /// The template is wrong, or cannot be carried out.
    pub(crate) fn template(error: &template::Error) -> Self {
        Self(format!("The documentation template failed: {error}."))
    }

    /// A folder with examples cannot be searched.
    pub(crate) fn unreadable_examples(path: &Utf8Path, error: &ReadError) -> Self {
        Self(format!("The usage examples in \"{path}\" cannot be read: {error}."))
    }

    /// Folders in folders without end.
    pub(crate) fn examples_too_deep(path: &Utf8Path, limit: usize) -> Self {
        Self(format!("The folder \"{path}\" with usage examples is nested more than {limit} folders deep."))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failure {}
