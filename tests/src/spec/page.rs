//! Running a page of documentation from top to bottom: all its fences share one folder, so that a page can tell a story.
//! A page that belongs to an example starts with a copy of the example's folder, one that says so with copies of
//! other folders.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::console::{Program, replay};
use super::markdown::{Fence, Role, sections};
use super::{Updates, markdown_files};
use crate::sample::{ROOT, copy_folder, run_lines};

/// The project that has to be prepared; of other folders the files are taken as they are.
const SAMPLE_PROJECT: &str = "tests/project";

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
    check_form(&text).map_err(|problem| format!("{}: {problem}", page.file.display()))?;
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    prepare(page, &text, program, folder.path()).map_err(|error| error.to_string())?;
    let running = RunningPage { page, program, folder: folder.path(), lines: text.lines().collect() };
    let fences = sections(&text).into_iter().flat_map(|section| section.fences);
    let problems: Vec<String> = fences.filter_map(|fence| running.run(&fence, updates).err()).collect();
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}

/// Puts into a folder what a page starts with: the files of its example, or what lines such as
/// `<!-- files: tests/project -->` and `<!-- files: examples/inputs -->` say. Examples keep their path.
fn prepare(page: &Page, text: &str, program: &Program, folder: &Path) -> io::Result<()> {
    if let Some(example) = &page.example {
        copy_folder(example, folder)?;
    }
    let marks = text.lines().filter_map(|line| line.strip_prefix("<!-- files: ")?.strip_suffix(" -->"));
    for path in marks {
        match path {
            SAMPLE_PROJECT => program.sample_project()?.copy_to(folder)?,
            _ => copy_folder(&Path::new(ROOT).join(path), &folder.join(path))?,
        }
    }
    Ok(())
}

/// A page that is being run.
struct RunningPage<'p> {
    page: &'p Page,
    program: &'p Program,
    folder: &'p Path,
    lines: Vec<&'p str>,
}

impl RunningPage<'_> {
    fn run(&self, fence: &Fence, updates: Option<&Updates>) -> Result<(), String> {
        match &fence.role {
            Role::File(name) => {
                let path = self.folder.join(name);
                let parent = path.parent().unwrap_or(self.folder);
                fs::create_dir_all(parent)
                    .and_then(|()| fs::write(&path, &fence.content))
                    .map_err(|error| error.to_string())
            }
            Role::Console => self.replay(fence, updates),
            Role::Prose if info(&self.lines, fence) == "sh" && !is_marked(&self.lines, fence) => {
                let ran = run_lines(self.program, &fence.content, self.folder)
                    .map_err(|error| error.to_string())?;
                match ran.code {
                    Some(0) => Ok(()),
                    code => Err(self.problem(fence, &format!("exit {code:?}\n{}", ran.errors()))),
                }
            }
            Role::Output { .. } | Role::Prose => Ok(()),
        }
    }

    fn replay(&self, fence: &Fence, updates: Option<&Updates>) -> Result<(), String> {
        let now = replay(&fence.content, self.program, self.folder).map_err(|error| error.to_string())?;
        match updates {
            _ if now == fence.content => Ok(()),
            Some(updates) => {
                updates.replace(&self.page.file, &fence.lines, now);
                Ok(())
            }
            None => Err(self.problem(fence, &format!("expected:\n{}\nfound:\n{now}", fence.content))),
        }
    }

    fn problem(&self, fence: &Fence, problem: &str) -> String {
        format!("{}:{}: {problem}", self.page.file.display(), fence.lines.start)
    }
}

/// Every block is run or says why it is not, and JSON is JSON.
fn check_form(text: &str) -> Result<(), String> {
    let lines: Vec<&str> = text.lines().collect();
    let fences: Vec<Fence> = sections(text).into_iter().flat_map(|section| section.fences).collect();
    let indented = indented_blocks(&lines, &fences);
    if !indented.is_empty() {
        return Err(format!("these blocks have no fence, so that they are not run: lines {indented:?}"));
    }
    let unmarked = fences.iter().filter(|fence| {
        matches!(fence.role, Role::Prose | Role::Output { .. })
            && !SHOWN.contains(&info(&lines, fence))
            && !is_marked(&lines, fence)
    });
    let unmarked: Vec<usize> = unmarked.map(|fence| fence.lines.start).collect();
    if !unmarked.is_empty() {
        return Err(format!(
            "these blocks are not run and do not say why (`<!-- not run: reason -->` above them): lines {unmarked:?}"
        ));
    }
    let is_broken = |fence: &&Fence| {
        info(&lines, fence) == "json"
            && !json::parse(&fence.content, json::Options::jsonc()).diagnostics.is_empty()
    };
    match fences.iter().find(is_broken) {
        Some(fence) => Err(format!("line {}: this is not JSON", fence.lines.start)),
        None => Ok(()),
    }
}

/// The languages of blocks that show something. JSON must be JSON, and `sh` is run: every command must succeed.
const SHOWN: [&str; 3] = ["text", "sh", "json"];

/// What stands behind the mark that opens a fence.
fn info<'l>(lines: &[&'l str], fence: &Fence) -> &'l str {
    lines.get(fence.lines.start - 1).map_or("", |line| line.trim_matches('`').trim())
}

/// Whether the line above a fence says why it is not run.
fn is_marked(lines: &[&str], fence: &Fence) -> bool {
    let above = lines.get(..fence.lines.start - 1).unwrap_or_default().iter().rev();
    let above = above.copied().find(|line| !line.trim().is_empty());
    above.is_some_and(|line| line.starts_with("<!-- not run: ") && line.ends_with(" -->"))
}

/// The first lines of blocks that are only indented, counted from one.
fn indented_blocks(lines: &[&str], fences: &[Fence]) -> Vec<usize> {
    let is_code = |number: usize| fences.iter().any(|fence| fence.lines.contains(&number));
    let starts = |number: usize| {
        let above = number.checked_sub(1).and_then(|above| lines.get(above)).copied().unwrap_or_default();
        above.is_empty() && lines.get(number).is_some_and(|line| line.starts_with("    ")) && !is_code(number)
    };
    (0..lines.len()).filter(|number| starts(*number)).map(|number| number + 1).collect()
}
