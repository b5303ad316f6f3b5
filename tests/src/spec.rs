//! Markdown files that say how the program behaves, and are run. A folder of them comes in; one named test per section
//! goes out. The form of the files is described in `spec/README.md`.

mod console;
mod expectation;
mod markdown;
mod page;
mod section;
mod update;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub use console::Program;
pub use page::{Page, examples, pages, run_page};
pub use update::Updates;

use markdown::Section;

/// A section that can be run.
#[derive(Debug, Clone)]
pub struct Case {
    /// The file without its ending, and the headings that lead to the section.
    pub name: String,
    file: PathBuf,
    /// The section, and those above it with the outermost first.
    sections: Vec<Section>,
}

/// All sections with something to run, in the order of the files.
pub fn cases(folder: &Path) -> io::Result<Vec<Case>> {
    let mut cases = Vec::new();
    for file in markdown_files(folder)? {
        let text = fs::read_to_string(&file)?;
        let shown = file.strip_prefix(folder).unwrap_or(&file).with_extension("");
        for sections in markdown::read(&text) {
            let mut name = shown.to_string_lossy().into_owned();
            for section in &sections {
                name.push_str(" > ");
                name.push_str(&section.heading);
            }
            cases.push(Case { name, file: file.clone(), sections });
        }
    }
    Ok(cases)
}

/// Runs a section. The error says what differs; with `updates`, differences go there instead.
pub fn run(case: &Case, program: &Program, updates: Option<&Updates>) -> Result<(), String> {
    section::run(case, program, updates)
}

/// The files with sections, sorted. A README describes them and has none.
fn markdown_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(markdown_files(&path)?);
        } else if path.extension().is_some_and(|it| it == "md")
            && path.file_stem().is_some_and(|it| it != "README")
        {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
