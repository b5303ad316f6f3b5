//! Catalogues that are a part of the program: names come in, catalogues go out. See `build.rs` for how they get here.

use bicep_types::Catalogue;

/// What is shown instead of the path of a file.
pub(crate) const PATH: &str = "(in the program)";

#[cfg(feature = "bundled-types")]
const BUNDLED: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/bundled.rs"));

#[cfg(not(feature = "bundled-types"))]
const BUNDLED: &[(&str, &[u8])] = &[];

/// The catalogue with a name. One that cannot be opened was made for another version of the format.
pub(crate) fn find(name: &str) -> Option<Catalogue> {
    let (_, bytes) = BUNDLED.iter().find(|(known, _)| *known == name)?;
    Catalogue::open(*bytes).ok()
}

/// The names of all.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    BUNDLED.iter().map(|(name, _)| *name)
}
