//! Words that mean something at their place and are ordinary names everywhere else.

pub(crate) const AS: &str = "as";
pub(crate) const ASSERT: &str = "assert";
pub(crate) const EXISTING: &str = "existing";
pub(crate) const EXTENDS: &str = "extends";
pub(crate) const EXTENSION: &str = "extension";
pub(crate) const EXTENSION_CONFIG: &str = "extensionConfig";
pub(crate) const FOR: &str = "for";
pub(crate) const FROM: &str = "from";
pub(crate) const FUNC: &str = "func";
pub(crate) const IF: &str = "if";
pub(crate) const IMPORT: &str = "import";
pub(crate) const IN: &str = "in";
pub(crate) const METADATA: &str = "metadata";
pub(crate) const MODULE: &str = "module";
pub(crate) const NONE: &str = "none";
pub(crate) const OUTPUT: &str = "output";
pub(crate) const PARAM: &str = "param";
/// The older name of `extension`.
pub(crate) const PROVIDER: &str = "provider";
pub(crate) const RESOURCE: &str = "resource";
pub(crate) const TARGET_SCOPE: &str = "targetScope";
pub(crate) const TEST: &str = "test";
pub(crate) const TYPE: &str = "type";
pub(crate) const USING: &str = "using";
pub(crate) const VAR: &str = "var";
pub(crate) const WITH: &str = "with";

/// Words that end an unfinished expression when they begin the next line.
pub(crate) const DECLARATIONS: [&str; 9] =
    [ASSERT, IMPORT, METADATA, PARAM, VAR, RESOURCE, OUTPUT, MODULE, TYPE];
