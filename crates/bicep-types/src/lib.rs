//! Types: what a value may be, what a resource looks like, and where that knowledge is stored.
//!
//! - [`ty`] is the algebra that the compiler computes with: assignability, unions, display.
//! - [`protocol`] reads published packages of resource types; [`def`] is what it reads.
//! - [`catalogue`] stores a package in one file that is looked into without being read.
//! - [`json_schema`] writes what a catalogue holds for other tools.
//! - [`resources`] makes types of the language from what a catalogue holds.
//! - [`versions`] compares two API versions of a resource type.

pub mod catalogue;
pub mod def;
pub mod json_schema;
pub mod protocol;
pub mod resources;
pub mod ty;
pub mod versions;

pub use catalogue::Catalogue;
pub use resources::ResourceTypes;
pub use ty::{Kind, Type};
