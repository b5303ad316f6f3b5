//! Recorded answers of the reference implementation in; where the library answers differently out.
//!
//! A recording (`recording`) holds cases: some files with one entry, and what the reference said about it. The files
//! become a world in memory (`answer`), so no process is started and nothing is written; what comes out is held against
//! the recording (`compare`). `run` does so for all cases, on all cores.
#![expect(clippy::disallowed_methods, reason = "reads recordings and catalogues, and uses all cores")]

pub mod answer;
pub mod compare;
pub mod editor;
pub mod recording;
pub mod run;
pub mod types;

pub use compare::Difference;
pub use recording::{Case, Recording};
pub use types::Types;

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Kind {
    /// The compiled template or parameters.
    Build,
    /// Code, level and range of every diagnostic of the entry file.
    Diagnostics,
    /// The formatted text.
    Format,
}

impl Kind {
    /// All kinds. What is decompiled joins them when there is a decompiler: a case has `decompiled` then.
    pub const ALL: [Self; 3] = [Self::Build, Self::Diagnostics, Self::Format];

    /// Its name in figures, in lists and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Build => "build",
            Self::Diagnostics => "diagnostics",
            Self::Format => "format",
        }
    }
}
