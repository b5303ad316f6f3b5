//! Templates and expressions on their way to values: what the command line says about them comes in, values and what is
//! unknown in them go out.
//!
//! | module | from | to |
//! |---|---|---|
//! | [`place`] | options | where a deployment goes |
//! | [`input`] | files and `NAME=VALUE` | parameters |
//! | [`workbench`] | a template, expressions | values |
//! | [`faults`] | errors of templates | reports in the files that people wrote |
//! | [`show`] | values | text |

pub(crate) mod destination;
pub(crate) mod faults;
pub(crate) mod input;
pub(crate) mod show;
pub(crate) mod workbench;

use std::sync::Arc;

use base::disk::SystemClock;
use base::{Budget, FileReport, Limits};

/// Something that was made from files, or what is wrong with them.
pub(crate) type Checked<T> = Result<T, Vec<FileReport>>;

/// What an evaluation may use: a second and 64 MB of values.
pub(crate) fn budget() -> Budget {
    Budget::new(Limits::default()).with_clock(Arc::new(SystemClock::default()))
}
