//! The ARM template as a value: its model, its expression language, its evaluation.
//!
//! What comes in: a template as JSON with positions, parameter values, the place of deployment, and what is known of
//! deployed resources. What goes out: parsed templates and expressions, values with their unknown parts, checked
//! parameters, expanded resources with their dependencies, outputs, the predicted result of a deployment, and the hash
//! of a template.
//!
//! | module | from | to |
//! |---|---|---|
//! | [`expression`] | text | expression, and back |
//! | [`document`] | JSON, or a compiler's nodes | template as data, and back |
//! | [`template`] | document | model |
//! | [`evaluate`] | expression, environment | value, unknown parts |
//! | [`parameters`] | parameter file, template | values, violations |
//! | [`expand`] | template, inputs, place, state | resources, dependencies, outputs |
//! | [`difference`] | two predictions | changes of resources and properties |
//! | [`equivalence`] | two templates | whether they deploy the same |
//! | [`hash`] | JSON | template hash |
//! | [`culture`] | two names | their order in .NET |

mod context;
pub mod culture;
pub mod difference;
pub mod document;
mod dotnet;
pub mod equivalence;
mod error;
pub mod evaluate;
pub mod expand;
pub mod expression;
mod functions;
pub mod hash;
pub mod limits;
mod messages;
pub mod parameters;
mod snapshot;
mod source_map;
mod state;
pub mod template;
pub mod value;

pub use context::Context;
pub use dotnet::round_trip as float_text;
pub use error::{Code, Error, Step};
pub use functions::{accepts as accepts_call, names as function_names};
pub use snapshot::{Snapshot, prediction, snapshot};
pub use source_map::{SourceMap, SourcePosition};
pub use state::{ListQuery, NoState, ResourceQuery, State};
pub use template::{TargetScope, Template};
pub use value::{Gap, Origin, PartialValue, Secrets, Unknown, Value};
