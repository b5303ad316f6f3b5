//! Errors that are reported by whoever uses the type, not where they are: those of the outputs of another file, and
//! those of the result type of a function.
//!
//! The reference's error types carry their diagnostics along and show them with the offsets they were made with, also in
//! another file. Its offsets count UTF-16 code units; ours do while a diagnostic travels.

use std::sync::Arc;

use base::{Diagnostic, TextRange, TextSize, offset_of_utf16, utf16_len};
use bicep_types::ty::{Kind, Type};

/// The type of something that these diagnostics of a file are about.
pub(crate) fn unreported_error(text: &str, diagnostics: impl Iterator<Item = Diagnostic>) -> Type {
    let travelling: Arc<[Diagnostic]> = diagnostics.map(|it| departed(it, text)).collect();
    if travelling.is_empty() { Type::error() } else { Type::new(Kind::Error(Some(travelling))) }
}

/// A diagnostic of the file with this text, ready to be reported in another one.
pub(crate) fn departed(mut diagnostic: Diagnostic, text: &str) -> Diagnostic {
    let units = |at: TextSize| TextSize::new(utf16_len(text.get(..usize::from(at)).unwrap_or(text)));
    diagnostic.range = TextRange::new(units(diagnostic.range.start()), units(diagnostic.range.end()));
    // They point into the file that the diagnostic comes from.
    diagnostic.labels.clear();
    diagnostic.fixes.clear();
    diagnostic
}

/// A diagnostic that travelled with a type, as it is reported in the file with this text.
pub(crate) fn arrived(diagnostic: &Diagnostic, text: &str) -> Diagnostic {
    let offset = |at: TextSize| offset_of_utf16(text, at.into());
    let range = TextRange::new(offset(diagnostic.range.start()), offset(diagnostic.range.end()));
    Diagnostic { range, ..diagnostic.clone() }
}
