//! Writing decompiled files: what became of all templates comes in; files are written on all cores, and whether that worked goes out.

use std::collections::HashMap;

use camino::Utf8Path;

use super::Attempt;
use crate::failure::Failure;
use crate::inputs::Input;
use crate::{interrupt, parallel, write};

/// Writes the files of all templates that are written. Where several templates have become one file, it is that of the last of them,
/// with any number of threads; what is lost by that comes with it as warnings.
pub(super) fn write_all(
    attempts: &[Result<Attempt, Failure>],
    inputs: &[Input],
) -> (Vec<Result<(), Failure>>, Vec<String>) {
    interrupt::spare_files();
    let owners = owners(attempts);
    let numbered: Vec<(usize, &Result<Attempt, Failure>)> = attempts.iter().enumerate().collect();
    let written = parallel::map(&numbered, |(number, attempt)| {
        let files = attempt.iter().flat_map(|attempt| &attempt.files);
        let mut own = files.filter(|file| owners.get(file.path().as_str()) == Some(number));
        own.try_for_each(|file| write::write(file.path(), file.text()))
    });
    (written, collisions(attempts, inputs, &owners))
}

/// The number of the template that each file is written for.
fn owners(attempts: &[Result<Attempt, Failure>]) -> HashMap<&str, usize> {
    let sound = attempts.iter().enumerate().filter_map(|(number, it)| Some((number, it.as_ref().ok()?)));
    let written = sound.filter(|(_, attempt)| attempt.is_written);
    let files = written.flat_map(|(number, it)| it.files.iter().map(move |file| (file, number)));
    files.map(|(file, number)| (file.path().as_str(), number)).collect()
}

/// What is said of files that several templates have become in different ways.
fn collisions(
    attempts: &[Result<Attempt, Failure>],
    inputs: &[Input],
    owners: &HashMap<&str, usize>,
) -> Vec<String> {
    let written = attempts.iter().flatten().filter(|attempt| attempt.is_written);
    if written.map(|attempt| attempt.files.len()).sum::<usize>() == owners.len() {
        return Vec::new();
    }
    let kept_text = |owner: usize, path: &Utf8Path| {
        let files = attempts.get(owner)?.as_ref().ok()?.files.iter();
        files.rev().find(|file| file.path() == path).map(|file| file.text())
    };
    let mut warnings = Vec::new();
    for (number, (attempt, input)) in attempts.iter().zip(inputs).enumerate() {
        for file in attempt.iter().filter(|it| it.is_written).flat_map(|it| &it.files) {
            let Some(owner) = owners.get(file.path().as_str()).copied().filter(|owner| *owner != number)
            else {
                continue;
            };
            let Some(winner) = inputs.get(owner) else { continue };
            if kept_text(owner, file.path()) != Some(file.text()) {
                let (path, input, winner) = (file.path(), &input.path, &winner.path);
                warnings.push(format!(
                    "{path} comes from {input} and, with another text, from {winner}: the latter was written. Use a folder for each"
                ));
            }
        }
    }
    warnings
}
