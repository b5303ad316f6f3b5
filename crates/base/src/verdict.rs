//! The answer of every check, whoever wrote it: pass, fail with messages, or undetermined with a reason.

use text_size::TextRange;

/// What a check found out about a value. `F` says what is wrong, or why nothing can be said, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict<F = Finding> {
    /// The value is good.
    Pass,
    /// The value is not good, for at least one reason.
    Fail(Vec<F>),
    /// The check could not be made, for at least one reason. It is reported, never taken for a pass.
    Undetermined(Vec<F>),
}

/// One reason why a value is not good, or why that cannot be said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
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

    /// A check that could not be made, for a single reason.
    pub fn undetermined(reason: impl Into<String>) -> Self {
        Self::Undetermined(vec![Finding::new(reason)])
    }
}

impl<F> Verdict<F> {
    /// The verdict of what was found: a failure outweighs an open question.
    pub fn of(failures: Vec<F>, open: Vec<F>) -> Self {
        match (failures.is_empty(), open.is_empty()) {
            (false, _) => Self::Fail(failures),
            (true, false) => Self::Undetermined(open),
            (true, true) => Self::Pass,
        }
    }

    /// Whether the value is known to be good.
    pub fn is_pass(&self) -> bool {
        matches!(self, Self::Pass)
    }

    /// Whether the value is known not to be good.
    pub fn is_fail(&self) -> bool {
        matches!(self, Self::Fail(_))
    }

    /// Whether nothing can be said.
    pub fn is_undetermined(&self) -> bool {
        matches!(self, Self::Undetermined(_))
    }

    /// What is wrong; nothing unless the check failed.
    pub fn failures(&self) -> &[F] {
        if let Self::Fail(failures) = self { failures } else { &[] }
    }

    /// Why nothing can be said; nothing if something can.
    pub fn open(&self) -> &[F] {
        if let Self::Undetermined(open) = self { open } else { &[] }
    }

    /// What was found, whichever way the check ended.
    pub fn findings(&self) -> &[F] {
        match self {
            Self::Pass => &[],
            Self::Fail(findings) | Self::Undetermined(findings) => findings,
        }
    }

    /// For callers that cannot go on without a pass: the first reason not to. A check that could not be made is one, too.
    pub fn into_result(self) -> Result<(), F> {
        match self {
            Self::Pass => Ok(()),
            Self::Fail(findings) | Self::Undetermined(findings) => {
                findings.into_iter().next().map_or(Ok(()), Err)
            }
        }
    }

    /// The same verdict with other findings.
    pub fn map<G>(self, change: impl FnMut(F) -> G) -> Verdict<G> {
        match self {
            Self::Pass => Verdict::Pass,
            Self::Fail(findings) => Verdict::Fail(findings.into_iter().map(change).collect()),
            Self::Undetermined(findings) => Verdict::Undetermined(findings.into_iter().map(change).collect()),
        }
    }

    /// The verdict without the findings that do not count; a pass if none is left.
    #[must_use]
    pub fn retain(self, counts: impl FnMut(&F) -> bool) -> Self {
        match self {
            Self::Pass => Self::Pass,
            Self::Fail(findings) => Self::of(findings.into_iter().filter(counts).collect(), Vec::new()),
            Self::Undetermined(findings) => {
                Self::of(Vec::new(), findings.into_iter().filter(counts).collect())
            }
        }
    }
}

impl<F: PartialEq> Verdict<F> {
    /// The verdict of two checks that must both pass. All findings are kept, each once; a failure outweighs an open
    /// question.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Fail(mut a), Self::Fail(b)) => {
                a.extend(b);
                Self::Fail(a)
            }
            (fail @ Self::Fail(_), _) | (_, fail @ Self::Fail(_)) => fail,
            (Self::Undetermined(mut a), Self::Undetermined(b)) => {
                for reason in b {
                    if !a.contains(&reason) {
                        a.push(reason);
                    }
                }
                Self::Undetermined(a)
            }
            (open @ Self::Undetermined(_), _) | (Self::Pass, open) => open,
        }
    }
}

impl<F: PartialEq> FromIterator<Verdict<F>> for Verdict<F> {
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
            Verdict::undetermined("not deployed"),
            Verdict::fail("too short"),
            Verdict::fail("no capital"),
        ]
        .into_iter()
        .collect();
        assert_eq!(all, Verdict::Fail(vec![Finding::new("too short"), Finding::new("no capital")]));
    }

    #[test]
    fn an_open_question_is_not_a_pass() {
        let open = Verdict::undetermined("no clock");
        assert_eq!(Verdict::Pass.and(open.clone()), open);
        assert_eq!(open.clone().and(open.clone()), open);
        assert!(!open.is_pass());
        assert_eq!(open.clone().into_result(), Err(Finding::new("no clock")));
        assert_eq!(Verdict::of(Vec::new(), open.open().to_vec()), open);
    }
}
