//! Running a page of documentation from top to bottom: all its fences share one folder, so that a page can tell a story.
//! A page that belongs to an example starts with a copy of the example's folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::console::{Program, replay};
use super::markdown::{Fence, Role, sections};
use super::{Updates, markdown_files};

/// A page, and the folder that it starts with.
#[derive(Debug, Clone)]
pub struct Page {
    /// The path as it is shown, without its ending.
    pub name: String,
    file: PathBuf,
    example: Option<PathBuf>,
}

impl Page {
    /// The file of the page.
    pub fn file(&self) -> &Path {
        &self.file
    }
}

/// The pages of a folder, each starting in an empty folder.
pub fn pages(folder: &Path) -> io::Result<Vec<Page>> {
    let pages = markdown_files(folder)?.into_iter().map(|file| {
        let name = file.strip_prefix(folder).unwrap_or(&file).with_extension("");
        Page { name: name.to_string_lossy().into_owned(), file, example: None }
    });
    Ok(pages.collect())
}

/// The README of every example in a folder, each starting with the example's files.
pub fn examples(folder: &Path) -> io::Result<Vec<Page>> {
    let mut pages = Vec::new();
    for entry in fs::read_dir(folder)? {
        let example = entry?.path();
        let file = example.join("README.md");
        if file.is_file() {
            let name = example.file_name().unwrap_or_default().to_string_lossy().into_owned();
            pages.push(Page { name, file, example: Some(example) });
        }
    }
    pages.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(pages)
}

/// Runs a page. The error says what differs; with `updates`, differences go there instead.
pub fn run_page(page: &Page, program: &Program, updates: Option<&Updates>) -> Result<(), String> {
    let text = fs::read_to_string(&page.file).map_err(|error| error.to_string())?;
    let unmarked = unmarked(&text);
    if !unmarked.is_empty() {
        let file = page.file.display();
        return Err(format!(
            "{file}: these blocks are not run and do not say why (`<!-- not run: reason -->` above them): lines {unmarked:?}"
        ));
    }
    if let Some(line) = broken_json(&text) {
        return Err(format!("{}:{line}: this is not JSON", page.file.display()));
    }
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    if let Some(example) = &page.example {
        copy(example, folder.path()).map_err(|error| error.to_string())?;
    }
    let mut problems = Vec::new();
    for fence in sections(&text).iter().flat_map(|section| &section.fences) {
        problems.extend(run_fence(fence, page, (program, folder.path()), updates).err());
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}

fn run_fence(
    fence: &Fence,
    page: &Page,
    (program, folder): (&Program, &Path),
    updates: Option<&Updates>,
) -> Result<(), String> {
    match &fence.role {
        Role::File(name) => {
            let path = folder.join(name);
            let parent = path.parent().unwrap_or(folder);
            fs::create_dir_all(parent)
                .and_then(|()| fs::write(&path, &fence.content))
                .map_err(|it| it.to_string())
        }
        Role::Console => {
            let now = replay(&fence.content, program, folder).map_err(|error| error.to_string())?;
            match updates {
                _ if now == fence.content => Ok(()),
                Some(updates) => {
                    updates.replace(&page.file, &fence.lines, now);
                    Ok(())
                }
                None => {
                    let (file, line) = (page.file.display(), fence.lines.start);
                    Err(format!("{file}:{line}: expected:\n{}\nfound:\n{now}", fence.content))
                }
            }
        }
        Role::Output { .. } | Role::Prose => Ok(()),
    }
}

/// The languages of blocks that show something. Command lines in `sh` are read by the program's own parser in a test of
/// the package `cli`; JSON must be JSON.
const SHOWN: [&str; 3] = ["text", "sh", "json"];

/// The lines of blocks that are neither run nor marked with a reason.
fn unmarked(text: &str) -> Vec<usize> {
    let lines: Vec<&str> = text.lines().collect();
    let fences = sections(text).into_iter().flat_map(|section| section.fences);
    let prose = fences.filter(|fence| matches!(fence.role, Role::Prose | Role::Output { .. }));
    let line = |number: usize| lines.get(number).copied().unwrap_or_default();
    let is_marked = |start: usize| {
        let above = (0..start).rev().map(line).find(|text| !text.trim().is_empty());
        above.is_some_and(|text| text.starts_with("<!-- not run: ") && text.ends_with(" -->"))
    };
    prose
        .map(|fence| fence.lines.start - 1)
        .filter(|start| !SHOWN.contains(&line(*start).trim_matches('`').trim()) && !is_marked(*start))
        .map(|start| start + 1)
        .collect()
}

/// The line of the first block that should be JSON and is not.
fn broken_json(text: &str) -> Option<usize> {
    let lines: Vec<&str> = text.lines().collect();
    let fences = sections(text).into_iter().flat_map(|section| section.fences);
    let mut json =
        fences.filter(|fence| lines.get(fence.lines.start - 1).is_some_and(|line| line.trim() == "```json"));
    json.find(|fence| !json::parse(&fence.content, json::Options::jsonc()).diagnostics.is_empty())
        .map(|fence| fence.lines.start)
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy(&entry.path(), &target)?,
            false => fs::copy(entry.path(), target).map(drop)?,
        }
    }
    Ok(())
}
