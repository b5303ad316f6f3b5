//! The book in `docs` and the README of every example are run: each page from top to bottom. `UPDATE_EXPECT=1` writes
//! what is into them; the difference is then reviewed as a change of behaviour.
#![expect(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "a test program talks, reads files and variables, and starts programs"
)]

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
    trials.push(Trial::test("the pictures are up to date", || check_pictures().map_err(Failed::from)));
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
            let target = file.parent().unwrap_or(root).join(link.split('#').next().unwrap_or_default());
            if !target.exists() {
                wrong.push(format!("{}: {link} leads nowhere", file.display()));
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// The targets of links to files, outside of fences.
fn links(text: &str) -> Vec<String> {
    let mut is_code = false;
    let lines = text.lines().filter(|line| {
        let is_mark = line.starts_with("```");
        is_code ^= is_mark;
        !is_code && !is_mark && !line.starts_with("    ")
    });
    let targets = lines.flat_map(|line| line.split("](").skip(1)).filter_map(|rest| rest.split(')').next());
    let is_file =
        |target: &&str| !target.contains("://") && !target.starts_with('#') && !target.contains(' ');
    targets.filter(is_file).map(str::to_owned).collect()
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
