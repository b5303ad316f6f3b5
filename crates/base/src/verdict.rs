//! The answer of every check, whoever wrote it: pass, fail with messages, or undetermined with a reason.

use text_size::TextRange;

/// What a check found out about a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The value is good.
    Pass,
    /// The value is not good, for at least one reason.
    Fail(Vec<Finding>),
    /// The check could not be made. It is reported, never taken for a pass.
    Undetermined(String),
}

/// One reason why a value is not good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What is wrong.
    pub message: String,
    /// Which part of the value, as a JSON path or pointer; empty for the whole value.
    pub path: String,
    /// Where it stands in the source, when that is known.
    pub range: Option<TextRange>,
}

impl Finding {
    /// A finding about the whole value.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), path: String::new(), range: None }
    }

    /// The same finding about a part of the value.
    #[must_use]
    pub fn at(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        self
    }
}

impl Verdict {
    /// A failure with a single message.
    pub fn fail(message: impl Into<String>) -> Self {
        Self::Fail(vec![Finding::new(message)])
    }

    /// The verdict of two checks that must both pass. All messages are kept; a failure outweighs an open question.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Fail(mut a), Self::Fail(b)) => {
                a.extend(b);
                Self::Fail(a)
            }
            (fail @ Self::Fail(_), _) | (_, fail @ Self::Fail(_)) => fail,
            (Self::Undetermined(a), Self::Undetermined(b)) if a != b => {
                Self::Undetermined(format!("{a}; {b}"))
            }
            (open @ Self::Undetermined(_), _) | (Self::Pass, open) => open,
        }
    }

    /// Whether the value is known to be good.
    pub fn is_pass(&self) -> bool {
        matches!(self, Self::Pass)
    }
}

impl FromIterator<Verdict> for Verdict {
    fn from_iter<I: IntoIterator<Item = Self>>(verdicts: I) -> Self {
        verdicts.into_iter().fold(Self::Pass, Self::and)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_outweigh_open_questions_and_keep_all_messages() {
        let all: Verdict = [
            Verdict::Pass,
            Verdict::Undetermined("not deployed".into()),
            Verdict::fail("too short"),
            Verdict::fail("no capital"),
        ]
        .into_iter()
        .collect();
        assert_eq!(all, Verdict::Fail(vec![Finding::new("too short"), Finding::new("no capital")]));
    }

    #[test]
    fn an_open_question_is_not_a_pass() {
        let open = Verdict::Undetermined("no clock".into());
        assert_eq!(Verdict::Pass.and(open.clone()), open);
        assert_eq!(open.clone().and(open.clone()), open);
        assert!(!open.is_pass());
    }
}
