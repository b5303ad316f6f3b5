//! x
pub mod format;
