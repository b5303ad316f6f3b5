//! The state of a deployment or of one of its operations: one enum inside, one spelling outside.

use std::fmt;

use serde::Serialize;

/// How far a deployment or an operation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum State {
    /// Validated and stored; not claimed by a worker yet.
    Accepted,
    /// Somebody works on it.
    Running,
    /// Done.
    Succeeded,
    /// Over, with an error.
    Failed,
    /// Over, because somebody asked for that.
    Canceled,
}

impl State {
    /// All states.
    pub const ALL: [Self; 5] = [Self::Accepted, Self::Running, Self::Succeeded, Self::Failed, Self::Canceled];

    /// The spelling of the API and of the store.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Accepted => "Accepted",
            Self::Running => "Running",
            Self::Succeeded => "Succeeded",
            Self::Failed => "Failed",
            Self::Canceled => "Canceled",
        }
    }

    /// The state of this name, in any letter case.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name().eq_ignore_ascii_case(name))
    }

    /// Whether it cannot change any more.
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed | Self::Canceled)
    }

    /// The state that a document of the API tells, if it is one of ours.
    pub fn of_document(document: &serde_json::Value) -> Option<Self> {
        document.pointer("/properties/provisioningState")?.as_str().and_then(Self::parse)
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_there_and_back() {
        for state in State::ALL {
            assert_eq!(State::parse(&state.to_string().to_uppercase()), Some(state));
            assert_eq!(serde_json::json!(state), state.name());
        }
        assert_eq!(State::parse("Creating"), None);
    }
}
