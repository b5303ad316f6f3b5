//! What tests of features share: a source with a cursor comes in, the answer goes out.

use base::{MemoryWorld, TextSize};
use bicep_sema::{Program, Setup};
use camino::Utf8PathBuf;

use crate::FileContext;

/// Asks about the place marked by `|` in `main.bicep`, beside other files.
pub(crate) fn ask<T>(
    source: &str,
    files: &[(&str, &str)],
    question: impl FnOnce(&FileContext<'_>, TextSize) -> T,
) -> T {
    ask_in("/main.bicep", source, files, question)
}

/// The same in a file of this name.
pub(crate) fn ask_in<T>(
    path: &str,
    source: &str,
    files: &[(&str, &str)],
    question: impl FnOnce(&FileContext<'_>, TextSize) -> T,
) -> T {
    let offset = source.find('|').expect("a cursor");
    let text = source.replacen('|', "", 1);
    let world = files.iter().fold(MemoryWorld::new(), |world, (path, text)| world.with_file(*path, text));
    let world = world.with_file(path, &text);
    let program = Program::load(Setup::new(&world), &[Utf8PathBuf::from(path)]);
    let file = program.file_at(path.into()).expect("loaded");
    let context = FileContext::new(&program, file).expect("Bicep");
    question(&context, TextSize::new(u32::try_from(offset).expect("short")))
}
