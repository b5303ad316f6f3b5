//! `bicepconfig.json`: a source file's path and a [`base::World`] come in; settings go out, each with the place that
//! gave it, and diagnostics at the lines that are wrong.
//!
//! The way of a setting: text → `json` tree → values of the right shape (`read`, by the table in `table`) → layers put
//! over each other (`tree`) → typed [`Config`] (`resolve`). Artifact references ([`mod@reference`]) and providers
//! ([`provider`]) are read here as well, as their aliases are settings.
//!
//! `project_settings` reads `sinew.toml`, the settings of the program for a project.

mod diagnostics;
mod documentation;
mod explain;
mod feature;
mod load;
pub mod paths;
pub mod project_settings;
pub mod provider;
mod read;
pub mod reference;
mod resolve;
pub mod rules;
mod schema;
mod settings;
mod shape;
mod table;
mod tree;

pub use explain::{Explained, explain, render as render_explained};
pub use feature::Feature;
pub use load::{FILE_NAME, Loader, built_in, load_file, load_for};
pub use schema::schema;
pub use settings::{
    Aliases, Analyzers, Cloud, Config, Documentation, ExampleReassignment, ExampleSettings, ExampleSource,
    Formatting, IndentKind, ManagedIdentity, MockAlias, NewlineKind, RegistryAlias, RuleSettings, Setting,
    TemplateSpecAlias,
};
pub use tree::Origin;
