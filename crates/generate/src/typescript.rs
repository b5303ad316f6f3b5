//! TypeScript to JavaScript: types are stripped, enums, parameter properties and decorators become code. Text comes in,
//! text goes out; positions in the output can be traced back.

#[cfg(feature = "typescript")]
mod announce;
#[cfg(feature = "typescript")]
mod decorators;
#[cfg(feature = "typescript")]
mod edits;
#[cfg(feature = "typescript")]
mod translate;

#[cfg(feature = "typescript")]
pub(crate) use announce::announce;
#[cfg(feature = "typescript")]
pub(crate) use translate::{
    has_module_syntax, original_position, position_before_lowering, to_javascript, without_decorators,
};

/// The module that rewritten decorators import.
pub(crate) const DECORATORS: &str = "sinew:decorators";

/// What `tsconfig.json` decides about the translation.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Options {
    /// Decorators are those of `experimentalDecorators`.
    pub(crate) has_legacy_decorators: bool,
    /// Decorators are given the types of what they decorate.
    pub(crate) emits_metadata: bool,
    /// Fields are assigned in the constructor instead of being defined.
    pub(crate) assigns_fields: bool,
}

/// A script that says where it is, and the positions that it names by number.
pub(crate) struct Announced {
    pub(crate) text: String,
    pub(crate) positions: Vec<Position>,
}

/// A line and a column, both from one. Columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) line: u32,
    pub(crate) column: u32,
}

#[cfg(not(feature = "typescript"))]
pub(crate) fn to_javascript(
    _path: &str,
    _source: &str,
    _options: &Options,
) -> Result<String, (String, usize)> {
    Err((crate::messages::NO_TYPESCRIPT.to_owned(), 0))
}

#[cfg(not(feature = "typescript"))]
pub(crate) fn original_position(
    _path: &str,
    _source: &str,
    _options: &Options,
    _position: Position,
) -> Option<Position> {
    None
}

#[cfg(not(feature = "typescript"))]
pub(crate) fn announce(_path: &str, _text: &str, _function: &str, _first: usize) -> Option<Announced> {
    None
}

#[cfg(not(feature = "typescript"))]
pub(crate) fn without_decorators(_text: &str, _is_module: bool) -> Option<String> {
    None
}

#[cfg(not(feature = "typescript"))]
pub(crate) fn position_before_lowering(
    _text: &str,
    _is_module: bool,
    _position: Position,
) -> Option<Position> {
    None
}

/// Without a parser, a line that starts with the keyword decides.
#[cfg(not(feature = "typescript"))]
pub(crate) fn has_module_syntax(_path: &str, source: &str) -> bool {
    source.lines().any(|line| ["import ", "import{", "export "].iter().any(|word| line.starts_with(word)))
}
