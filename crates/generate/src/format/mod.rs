//! The formats in which values are read and written, with the exact text of jk.

pub mod hcl;
pub mod json;
pub mod node;
pub mod number;
pub mod yaml11;
pub mod yaml_read;
pub mod yaml_write;
