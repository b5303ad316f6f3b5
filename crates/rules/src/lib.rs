//! Best-practice rules, written in JSON, over what a template would deploy.
//!
//! What comes in: rule files, templates as JSON with positions, parameter values. What goes out: rules with diagnostics
//! about their files, expanded templates that rules can look at, and findings that point to the text of the template.
//!
//! | module | from | to |
//! |---|---|---|
//! | [`read`] | rule file | rules |
//! | [`filter`] | configuration, rules | the rules that run |
//! | [`document`] | | the expanded template and the places in it |
//! | [`process`] | template, parameters | documents, one for each nested template |
//! | [`evaluate`] | rule, document | verdicts |
//! | [`analyze`] | template, rules | findings with their places |

mod analyze;
pub mod baseline;
mod builtin;
pub mod date;
mod describe;
pub mod document;
pub mod evaluate;
mod examples;
pub mod filter;
pub mod locate;
mod messages;
mod operator;
pub mod path;
pub mod pattern;
pub mod process;
mod reachability;
mod read;
mod reparent;
mod report;
mod rule;
mod schema;
pub mod scope;
mod suppress;
mod template;

pub use analyze::{Analysis, Finding, FindingLocation, analyze};
pub use baseline::Baseline;
pub use builtin::{TEXT as BUILTIN_TEXT, builtin};
pub use document::{Document, View};
pub use evaluate::{OperatorCheck, ScopeVerdict, evaluate};
pub use examples::{Example, Trial, try_examples};
pub use filter::{Exemption, Filter, Selection};
pub use process::{MissingValues, Processed, Source, TemplateLayer, placeholder_context, process};
pub use reachability::Reach;
pub use read::{RuleFile, read};
pub use report::{diagnostic, explain};
pub use rule::{Bound, Comparison, Evaluation, Level, Operator, Rule};
pub use schema::schema;
pub use suppress::Accepted;
pub use template::is_template;
