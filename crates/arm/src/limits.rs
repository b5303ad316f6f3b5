//! The limits of templates. They hold for deployments and for analyses alike; how much work an evaluation may be is said
//! by [`base::Limits`] instead.
//!
//! The first group are those of the service, which refuses what is beyond them. An analysis goes as far as a deployment
//! could go and says what it leaves out.

/// Parameters of a template.
pub const MAX_PARAMETERS: usize = 256;
/// Variables of a template.
pub const MAX_VARIABLES: usize = 512;
/// Outputs of a template.
pub const MAX_OUTPUTS: usize = 64;
/// Resources of a template, loops run; those of templates inside count for these.
pub const MAX_RESOURCES: usize = 800;
/// Turns of any loop.
pub const MAX_COPIES: i64 = 800;
/// Characters of an expression.
pub const MAX_EXPRESSION: usize = 24_576;

/// How deeply deployments may be nested. The service allows fewer.
pub const MAX_NESTING: usize = 32;
/// More members of a section, or resources, than these are not read. It is more than any limit of the service.
pub const MAX_READ: usize = 1_000;
