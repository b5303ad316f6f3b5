//! Parameter values: read from files and requests ([`Inputs`]), checked against what the template declares
//! ([`Checker`]).

mod check;
mod constraint;
mod inputs;
mod placeholder;
mod resolve;
mod secret;

pub use self::check::Checker;
pub use self::inputs::{ExternalInput, Inputs, Supplied};
pub(crate) use self::placeholder::placeholder;
