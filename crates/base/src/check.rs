//! Which check a diagnostic comes from. Every diagnostic is made by one of them, so reports can count by it.

use smol_str::SmolStr;
use text_size::TextRange;

use crate::{Diagnostic, Severity};

/// A kind of check that values and files go through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Check {
    /// Parser, type checker and emitter of Bicep, and the evaluation of parameter files.
    Compiler,
    /// The lint rules of the compiler.
    Linter,
    /// Validators of parameters, outputs and types, run on known values.
    Validators,
    /// Best-practice rules, and the rule files and templates they read.
    Rules,
    /// The standard layout of Bicep files.
    Formatter,
    /// Values that come from outside of parameter files.
    Inputs,
    /// Scripts that generate configuration, and what they validate.
    Generator,
    /// `bicepconfig.json` and other settings.
    Configuration,
    /// Packages of modules and types.
    Packages,
    /// The syntax of JSON files.
    Json,
    /// What the deployment engine finds while it evaluates a template.
    Deployment,
    /// The documentation of modules, and the templates that make it.
    Documentation,
}

impl Check {
    /// All checks, in the order in which reports show them.
    pub const ALL: [Self; 12] = [
        Self::Compiler,
        Self::Linter,
        Self::Validators,
        Self::Rules,
        Self::Formatter,
        Self::Inputs,
        Self::Generator,
        Self::Configuration,
        Self::Packages,
        Self::Json,
        Self::Deployment,
        Self::Documentation,
    ];

    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compiler => "compile",
            Self::Linter => "lint",
            Self::Validators => "validators",
            Self::Rules => "rules",
            Self::Formatter => "formatting",
            Self::Inputs => "inputs",
            Self::Generator => "generate",
            Self::Configuration => "configuration",
            Self::Packages => "packages",
            Self::Json => "json",
            Self::Deployment => "deployment",
            Self::Documentation => "documentation",
        }
    }

    /// A diagnostic of this check with nothing but the essentials.
    pub fn diagnostic(
        self,
        code: impl Into<SmolStr>,
        severity: Severity,
        range: TextRange,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic {
            check: self,
            code: code.into(),
            severity,
            message: message.into(),
            range,
            labels: Vec::new(),
            notes: Vec::new(),
            link: None,
            fixes: Vec::new(),
            related: Vec::new(),
            is_undetermined: false,
        }
    }

    pub fn error(self, code: impl Into<SmolStr>, range: TextRange, message: impl Into<String>) -> Diagnostic {
        self.diagnostic(code, Severity::Error, range, message)
    }

    pub fn warning(
        self,
        code: impl Into<SmolStr>,
        range: TextRange,
        message: impl Into<String>,
    ) -> Diagnostic {
        self.diagnostic(code, Severity::Warning, range, message)
    }

    /// Something worth knowing.
    pub fn info(self, code: impl Into<SmolStr>, range: TextRange, message: impl Into<String>) -> Diagnostic {
        self.diagnostic(code, Severity::Info, range, message)
    }

    /// A check that could not be made: neither passed nor failed.
    pub fn undetermined(
        self,
        code: impl Into<SmolStr>,
        range: TextRange,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic { is_undetermined: true, ..self.info(code, range, message) }
    }
}
