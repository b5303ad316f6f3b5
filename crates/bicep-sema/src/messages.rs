//! The catalogue of what the compiler has to say: one file per subject, one constructor per code and situation.

pub mod declarations;
pub mod files;
pub mod functions;
pub mod limits;
mod lists;
pub mod names;
pub mod types;
