//! What can go wrong with a template: an ARM error code, a sentence, and the place.
//!
//! Errors are made by the catalogue in [`crate::messages`]. They pick up their place on the way out: each level adds
//! its step to the path, the first level that knows a range sets it.

use base::{Overrun, SourceFile, TextRange, TextSize};
use serde_json::{Value as Json, json};
use smol_str::SmolStr;

use crate::messages;
use crate::source_map::{SourceMap, SourcePosition};

/// The error codes of the Deployments API that this crate gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// The template or a parameter value is not valid.
    InvalidTemplate,
    /// A resource could not be planned: the error belongs to one deployment and its details.
    InvalidTemplateDeployment,
    /// A resource group deployment was asked for without a resource group, or the like.
    InvalidDeploymentScope,
    /// Outputs could not be evaluated.
    DeploymentOutputEvaluationFailed,
    /// The template, or what it makes, is too large.
    DeploymentSizeExceeded,
    /// A limit of evaluation was passed.
    TemplateEvaluationLimitExceeded,
}

impl Code {
    /// The code as the API writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::InvalidTemplate => "InvalidTemplate",
            Self::InvalidTemplateDeployment => "InvalidTemplateDeployment",
            Self::InvalidDeploymentScope => "InvalidDeploymentScope",
            Self::DeploymentOutputEvaluationFailed => "DeploymentOutputEvaluationFailed",
            Self::DeploymentSizeExceeded => "DeploymentSizeExceeded",
            Self::TemplateEvaluationLimitExceeded => "TemplateEvaluationLimitExceeded",
        }
    }
}

/// One error. Small to move; what it says is behind a pointer.
#[derive(Debug, Clone, PartialEq)]
pub struct Error {
    details: Box<Details>,
}

#[derive(Debug, Clone, PartialEq)]
struct Details {
    code: Code,
    reason: &'static str,
    message: String,
    /// Innermost step first.
    steps: Vec<Step>,
    /// Whether the path starts at the root of the template: whoever meets the error further out adds nothing.
    rooted: bool,
    range: Option<TextRange>,
    within: Option<TextRange>,
    source: Option<SourcePosition>,
    validator: Option<SmolStr>,
}

/// One step from a JSON value to a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The member of this name.
    Key(SmolStr),
    /// The item at this position.
    Index(usize),
}

impl From<&str> for Step {
    fn from(key: &str) -> Self {
        Self::Key(key.into())
    }
}

impl From<SmolStr> for Step {
    fn from(key: SmolStr) -> Self {
        Self::Key(key)
    }
}

impl From<usize> for Step {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

impl Error {
    pub(crate) fn new(code: Code, reason: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        let details = Details {
            code,
            reason,
            message,
            steps: Vec::new(),
            rooted: false,
            range: None,
            within: None,
            source: None,
            validator: None,
        };
        Self { details: Box::new(details) }
    }

    /// What an environment outside of this crate says when it cannot give what an expression refers to.
    pub fn refused(message: impl Into<String>) -> Self {
        messages::refused(message.into())
    }

    /// The code of the Deployments API.
    pub fn code(&self) -> Code {
        self.details.code
    }

    /// Our own, finer code: stable, for tests and for programs.
    pub fn reason(&self) -> &'static str {
        self.details.reason
    }

    /// One sentence.
    pub fn message(&self) -> &str {
        &self.details.message
    }

    /// Where in the file, when the template came from a text.
    pub fn range(&self) -> Option<TextRange> {
        self.details.range
    }

    /// Where in the source that the template was made from, when a source map says so.
    pub fn source(&self) -> Option<&SourcePosition> {
        self.details.source.as_ref()
    }

    /// Where in the expression, for errors of expressions.
    pub fn range_in_expression(&self) -> Option<TextRange> {
        self.details.within
    }

    /// The path as messages write it: `resources[2].properties.name`.
    pub fn path(&self) -> String {
        let mut path = String::new();
        for step in self.details.steps.iter().rev() {
            match step {
                Step::Key(key) => path = member_path(&path, key),
                Step::Index(index) => path.push_str(&format!("[{index}]")),
            }
        }
        path
    }

    /// The path as a JSON pointer: `/resources/2/properties/name`.
    pub fn pointer(&self) -> String {
        let mut pointer = String::new();
        for step in self.details.steps.iter().rev() {
            pointer.push('/');
            match step {
                Step::Key(key) => pointer.push_str(&key.replace('~', "~0").replace('/', "~1")),
                Step::Index(index) => pointer.push_str(&index.to_string()),
            }
        }
        pointer
    }

    /// The custom validator that refused a value or could not be run: `namespace.name`, or `validate` for a lambda.
    pub fn validator(&self) -> Option<&str> {
        self.details.validator.as_deref()
    }

    /// The steps of the path, outermost first.
    pub fn steps(&self) -> Vec<&Step> {
        self.details.steps.iter().rev().collect()
    }

    /// The same error one level further out.
    #[must_use]
    pub(crate) fn within(mut self, step: impl Into<Step>) -> Self {
        if !self.details.rooted {
            self.details.steps.push(step.into());
        }
        self
    }

    /// The same error with its path complete.
    #[must_use]
    pub(crate) fn rooted(mut self) -> Self {
        self.details.rooted = true;
        self
    }

    pub(crate) fn is_rooted(&self) -> bool {
        self.details.rooted
    }

    /// The error of a nested template, to be placed in the template around it.
    #[must_use]
    pub(crate) fn reopened(mut self) -> Self {
        self.details.rooted = false;
        self
    }

    /// The same error with this range, unless it has one already.
    #[must_use]
    pub(crate) fn at(mut self, range: TextRange) -> Self {
        self.details.range.get_or_insert(range);
        self
    }

    /// The same error, about all of a range.
    #[must_use]
    pub(crate) fn about(mut self, range: TextRange) -> Self {
        self.details.range = Some(range);
        self
    }

    /// The same error with its place in the expression, unless it has one already.
    #[must_use]
    pub(crate) fn in_expression(mut self, range: TextRange) -> Self {
        self.details.within.get_or_insert(range);
        self
    }

    /// Sets the range from the text that holds the expression: as exact as the text's escapes allow.
    #[must_use]
    pub(crate) fn in_text(mut self, text: TextRange, length: usize) -> Self {
        // Both quotes and nothing escaped: offsets in the expression are offsets in the file.
        let exact = usize::from(text.len()) == length + 2;
        let range = match self.details.within {
            Some(inner) if exact => inner + text.start() + TextSize::new(1),
            _ => text,
        };
        self.details.range.get_or_insert(range);
        self
    }

    /// The same error in other words, for a level that says more.
    #[must_use]
    pub(crate) fn reword(mut self, message: String) -> Self {
        self.details.message = message;
        self
    }

    /// The same error without its path, for a level that says where it matters.
    #[must_use]
    pub(crate) fn detached(mut self) -> Self {
        self.details.steps.clear();
        self.details.rooted = false;
        self
    }

    /// The same error under another code of the API.
    #[must_use]
    pub(crate) fn with_code(mut self, code: Code) -> Self {
        self.details.code = code;
        self
    }

    /// The same error as one that a validator gave.
    #[must_use]
    pub(crate) fn by(mut self, validator: &str) -> Self {
        self.details.validator = Some(validator.into());
        self
    }

    /// Whether this is a limit that was passed: then there is no use in going on.
    pub fn is_overrun(&self) -> bool {
        matches!(self.details.code, Code::TemplateEvaluationLimitExceeded)
    }

    /// Whether all that could not be checked is of which kind a value is.
    pub fn is_about_kind(&self) -> bool {
        self.details.reason == messages::KIND_NOT_CHECKED
    }

    /// Looks the place up in the source map.
    #[must_use]
    pub fn locate(mut self, map: &SourceMap) -> Self {
        self.details.source = map.find(&self.pointer()).cloned();
        self
    }

    /// The error as the Deployments API writes it, with line and column from the template's text where there is one.
    pub fn to_json(&self, file: Option<&SourceFile>) -> Json {
        let position = file.zip(self.range()).map(|(file, range)| file.position(range.start()));
        let (line, column) = position.map_or((0, 0), |at| (at.line + 1, at.col + 1));
        json!({
            "code": self.code().name(),
            "message": self.message(),
            "target": self.path(),
            "additionalInfo": [{
                "type": "TemplateViolation",
                "info": { "lineNumber": line, "linePosition": column, "path": self.path() },
            }],
        })
    }
}

impl From<Overrun> for Error {
    fn from(overrun: Overrun) -> Self {
        messages::overrun(overrun)
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.message())
    }
}

impl std::error::Error for Error {}

/// A path one member longer: `a` and `b` give `a.b`, names that are no identifiers are put in brackets.
pub(crate) fn member_path(path: &str, key: &str) -> String {
    let plain = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '-'));
    match (plain, path.is_empty()) {
        (true, true) => key.into(),
        (true, false) => format!("{path}.{key}"),
        (false, _) => format!("{path}['{key}']"),
    }
}
