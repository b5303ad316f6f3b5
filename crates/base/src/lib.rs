//! What every other crate stands on: text ranges and files, the [`World`] through which pure code sees the outside,
//! the [`Diagnostic`] and its renderers, and the contract of all checks ([`Verdict`] within a [`Budget`]).
//!
//! Nothing here knows a language. Text comes in; positions, messages and rendered reports go out.

pub mod budget;
pub mod check;
pub mod diagnostic;
#[cfg(feature = "disk")]
pub mod disk;
pub mod graph;
pub mod percent;
pub mod recursion;
pub mod render;
pub mod source;
pub mod spelling;
pub mod suppression;
pub mod verdict;
pub mod world;

pub use budget::{Budget, Clock, Limits, Overrun};
pub use check::Check;
pub use diagnostic::{Diagnostic, Edit, FileReport, Fix, Label, Related, Severity};
pub use recursion::recurse;
pub use smol_str::SmolStr;
pub use source::{LineCol, LineIndex, SourceFile, offset_of_utf16, utf16_len};
pub use text_size::{TextLen, TextRange, TextSize};
pub use verdict::{Finding, Verdict};
pub use world::{Artifact, Held, MemoryWorld, OverlayWorld, ReadError, World};
