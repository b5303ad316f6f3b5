//! The catalogue of what the compiler has to say: one file per subject, one constructor per code and situation.

pub mod files;
pub mod limits;
pub mod names;
