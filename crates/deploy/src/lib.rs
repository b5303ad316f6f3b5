//! The deployment engine. Deployment requests come in; plans, resources, outputs, operations and errors go out, and
//! everything that must survive is in one SQL database.
//!
//! | module | from | to |
//! |---|---|---|
//! | `request` | text of a body | request with positions |
//! | `plan` | request, place | checked template, expanded resources |
//! | `run` | plan, providers, state | resources, outputs, operations |
//! | `what_if` | plan, state | changes, without making them |
//! | `provider` | one resource | its document: kept here, or made by an extension |
//! | `store` | rows | SQLite or PostgreSQL |
//! | `engine` | calls of the API | all of the above |
//!
//! Planning is a function of its inputs. Only the executor has effects. Secure values stay in memory: a deployment that
//! was interrupted goes on without them as far as it can.
#![expect(clippy::disallowed_methods, reason = "this crate is the rim: it keeps state and asks the clock")]

mod clock;
mod document;
mod engine;
mod error;
mod job;
mod links;
mod messages;
mod plan;
mod policy;
pub mod provider;
mod request;
mod run;
mod scope;
mod secrets;
mod state;
mod store;
mod stored;
mod vault;
mod wait;
mod what_if;

pub use document::CHECK_NOT_MADE;
pub use engine::{
    Accepted, AssignmentFilter, Engine, Event, Events, Metrics, OpenError, OperationStatusId, Options,
    ResourceFilter, ResourceProperty, TagEntry, TagFilter, UnmanageAction,
};
pub use error::ArmError;
pub use links::FOLDER_PATH;
pub use request::{DeploymentRequest, MAX_BODY};
pub use scope::{DeploymentId, Scope};
pub use state::State;
pub use store::{Location, Page, Paging, StoreError};
