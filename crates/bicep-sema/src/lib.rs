//! The meaning of Bicep programs. Files come in through a [`base::World`]; an immutable [`Program`] goes out, with a
//! [`Model`] for each file on demand: what its names mean, what types its values have, and everything that is wrong.
//!
//! The way of a file: `load` finds it and all files it refers to; `declare` collects the names it declares; `bind`
//! says which declaration each use of a name means; `cycles` finds declarations that need themselves; `check` finds the
//! types of everything; `resource`, `place` and `inlined` say what follows for a template, and `limits` reports what a
//! template cannot express.

mod bind;
mod check;
mod cycles;
mod declare;
pub mod decorator;
pub mod dependency;
pub mod deployed_body;
pub mod deployment_scope;
pub mod expected;
pub mod export;
mod file_view;
pub mod hoisted;
pub mod imports;
pub mod inlined;
pub mod interface;
mod json_path;
pub mod language_version;
mod limits;
mod load;
pub mod memo;
pub mod messages;
mod model;
pub mod module;
pub mod namespace;
mod node_map;
mod program;
pub mod resource;
pub mod runtime;
pub mod symbol;
mod text_file;
mod unreported;
pub mod yaml;

pub use bind::{Binding, Bindings};
pub use interface::Interface;
pub use load::{path_of, references};
pub use memo::Memo;
pub use model::Model;
pub use program::{
    BicepFile, FileId, MissingTypes, NoTypes, ParsedTemplate, Program, Setup, Target, TemplateFile,
    TypeSource, Unit,
};
pub use symbol::{Symbol, SymbolId, SymbolKind};
