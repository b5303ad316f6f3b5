//! What a rule says, once it is read: its words for people, and the evaluation that decides.

use std::fmt;

use arm::Value;
use base::TextRange;
use smol_str::SmolStr;

use crate::date::Instant;
use crate::path::RulePath;
use crate::pattern::Pattern;

/// A rule: what is checked, why, and what to do about it.
#[derive(Debug, Clone)]
pub struct Rule {
    /// What names the rule in reports, filters and directives.
    pub id: SmolStr,
    /// A name with words in it, such as `AppService.UseHttps`.
    pub name: Option<String>,
    /// One sentence: what the rule is about.
    pub short_description: String,
    /// All that is to be said about it.
    pub full_description: String,
    /// What to do when a template breaks the rule.
    pub recommendation: Option<String>,
    /// Where more is to be read.
    pub help_uri: Option<String>,
    /// How much it matters.
    pub severity: Level,
    /// What decides.
    pub evaluation: Evaluation,
    /// Where the rule stands in its file.
    pub range: TextRange,
    /// Where its evaluation stands.
    pub evaluation_range: TextRange,
}

/// How much a rule matters. Ordered: `Low < Medium < High`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Level {
    /// 3.
    Low,
    /// 2, and what a rule without a severity has.
    #[default]
    Medium,
    /// 1.
    High,
}

impl Level {
    /// All levels, the weightiest first.
    pub const ALL: [Self; 3] = [Self::High, Self::Medium, Self::Low];

    /// The word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "Low",
            Self::Medium => "Medium",
            Self::High => "High",
        }
    }

    /// The number that rule files may use.
    pub const fn number(self) -> i64 {
        match self {
            Self::High => 1,
            Self::Medium => 2,
            Self::Low => 3,
        }
    }

    /// The level of a word in any letter case, or of a number.
    pub fn read(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|level| level.name().eq_ignore_ascii_case(text) || level.number().to_string() == text)
    }

    /// The severity that diagnostics of this level have.
    pub const fn severity(self) -> base::Severity {
        match self {
            Self::High => base::Severity::Error,
            Self::Medium => base::Severity::Warning,
            Self::Low => base::Severity::Info,
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Where to look, and what must be true there.
#[derive(Debug, Clone)]
pub struct Evaluation {
    /// Only resources of this type.
    pub resource_type: Option<SmolStr>,
    /// The way from the scope, or from each selected resource.
    pub path: Option<RulePath>,
    /// Only places where this is true.
    pub filter: Option<Box<Evaluation>>,
    /// What must be true there.
    pub operator: Operator,
}

/// What must be true.
#[derive(Debug, Clone)]
pub enum Operator {
    /// There is something, or there is nothing.
    Exists(bool),
    /// There is something other than null and the empty text, or there is not.
    HasValue(bool),
    /// It is this, texts in any letter case.
    Equals(Value),
    /// It is anything but this, or nothing.
    NotEquals(Value),
    /// It stands in this order to a bound.
    Compare(Comparison, Bound),
    /// It is a text in which the pattern is found.
    Regex(Pattern),
    /// It is one of these.
    In(Vec<Value>),
    /// One of these holds.
    AnyOf(Vec<Evaluation>),
    /// All of these hold.
    AllOf(Vec<Evaluation>),
    /// This does not hold.
    Not(Box<Evaluation>),
}

/// One of the four orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    LessOrEquals,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEquals,
}

/// What a value is compared with.
#[derive(Debug, Clone, PartialEq)]
pub enum Bound {
    Number(f64),
    /// A point in time, with the text it was written as.
    Date(Instant, String),
}
