//! The lint rules as the configuration knows them: name, level when nothing is said, and options. What a rule looks
//! for is the linter's business.

use crate::shape::{Field, Shape, TextKind};

/// How loud a rule is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Not at all: the rule does not run.
    Off,
    /// Its findings are information.
    Info,
    /// Its findings are warnings.
    Warning,
    /// Its findings are errors.
    Error,
}

impl Level {
    /// The words of the file, quiet ones first.
    pub(crate) const NAMES: &'static [&'static str] = &["off", "info", "warning", "error"];

    /// The word of the file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }

    /// The level of a word, in any letter case.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Off, Self::Info, Self::Warning, Self::Error]
            .into_iter()
            .find(|level| level.name().eq_ignore_ascii_case(name))
    }
}

/// A rule that can be configured.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Its code, which is also its key in the file.
    pub code: &'static str,
    /// How loud it is when nothing is said.
    pub level: Level,
    pub(crate) options: &'static [Field],
}

/// Every rule, in the order of the codes.
pub static RULES: &[Rule] = &[
    rule("adminusername-should-not-be-literal", Level::Warning),
    rule("artifacts-parameters", Level::Warning),
    rule("decompiler-cleanup", Level::Warning),
    rule("explicit-values-for-loc-params", Level::Off),
    rule("max-asserts", Level::Error),
    rule("max-outputs", Level::Error),
    rule("max-params", Level::Error),
    rule("max-resources", Level::Error),
    rule("max-variables", Level::Error),
    rule("nested-deployment-template-scoping", Level::Error),
    rule("no-conflicting-metadata", Level::Warning),
    rule("no-deployments-resources", Level::Warning),
    rule("no-explicit-any", Level::Warning),
    rule("no-hardcoded-env-urls", Level::Warning).with(&[
        Field::new("disallowedhosts", HOSTS, "Host names that must not be written out."),
        Field::new("excludedhosts", HOSTS, "Host names that are fine although they end in a disallowed one."),
    ]),
    rule("no-hardcoded-location", Level::Off),
    rule("no-hardcoded-outputs", Level::Off),
    rule("no-loc-expr-outside-params", Level::Off),
    rule("no-module-name", Level::Off),
    rule("no-unnecessary-dependson", Level::Warning),
    rule("no-unused-existing-resources", Level::Warning),
    rule("no-unused-imports", Level::Warning),
    rule("no-unused-params", Level::Warning),
    rule("no-unused-types", Level::Warning),
    rule("no-unused-vars", Level::Warning),
    rule("outputs-should-not-contain-secrets", Level::Warning),
    rule("prefer-interpolation", Level::Warning),
    rule("prefer-unquoted-property-names", Level::Warning),
    rule("protect-commandtoexecute-secrets", Level::Warning),
    rule("secure-parameter-default", Level::Warning),
    rule("secure-params-in-nested-deploy", Level::Warning),
    rule("secure-params-in-parameters-file", Level::Warning),
    rule("secure-secrets-in-params", Level::Warning),
    rule("simplify-interpolation", Level::Warning),
    rule("simplify-json-null", Level::Warning),
    rule("stacks-extensibility-compat", Level::Info),
    rule("use-description-outputs", Level::Off),
    rule("use-description-params", Level::Off),
    rule("use-description-type-properties", Level::Off),
    rule("use-description-types", Level::Off),
    rule("use-description-vars", Level::Off),
    rule("use-parent-property", Level::Warning),
    rule("use-recent-api-versions", Level::Off).with(&[
        Field::new("maxAgeInDays", DAYS, "The age from which an API version counts as old (730)."),
        Field::new("gracePeriodInDays", DAYS, "How old a version must be to be recommended (90)."),
    ]),
    rule("use-recent-az-powershell-version", Level::Warning).with(&[Field::new(
        "minimumVersion",
        Shape::Text(TextKind::NonEmpty),
        "The oldest version of Az PowerShell that is fine (11.0).",
    )]),
    rule("use-recent-module-versions", Level::Off),
    rule("use-recognized-resource-type", Level::Warning),
    rule("use-resource-id-functions", Level::Off),
    rule("use-resource-symbol-reference", Level::Warning),
    rule("use-safe-access", Level::Warning),
    rule("use-secure-value-for-secure-inputs", Level::Warning),
    rule("use-stable-resource-identifiers", Level::Warning),
    rule("use-stable-vm-image", Level::Warning),
    rule("use-user-defined-types", Level::Off),
    rule("what-if-short-circuiting", Level::Off),
];

const HOSTS: Shape = Shape::List(&Shape::Text(TextKind::NonEmpty));
const DAYS: Shape = Shape::Integer { min: 0, max: i32::MAX as i64 };

/// The key that every rule has.
pub(crate) const LEVEL: Field = Field::new("level", Shape::Choice(Level::NAMES), "How loud the rule is.");

const fn rule(code: &'static str, level: Level) -> Rule {
    Rule { code, level, options: &[] }
}

impl Rule {
    /// The rule of a code.
    pub fn find(code: &str) -> Option<&'static Self> {
        RULES.binary_search_by_key(&code, |rule| rule.code).ok().and_then(|at| RULES.get(at))
    }

    const fn with(mut self, options: &'static [Field]) -> Self {
        self.options = options;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_sorted_and_counted() {
        assert!(RULES.is_sorted_by_key(|rule| rule.code));
        let count = |level| RULES.iter().filter(|rule| rule.level == level).count();
        assert_eq!([Level::Error, Level::Warning, Level::Info, Level::Off].map(count), [6, 31, 1, 15]);
    }
}
