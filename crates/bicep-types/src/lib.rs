//! Types: what a value may be, what a resource looks like, and where that knowledge is stored.
//!
//! - [`ty`] is the algebra that the compiler computes with: assignability, unions, display.

pub mod ty;

pub use ty::{Kind, Type};
