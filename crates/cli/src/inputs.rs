//! Which files a command works on: files, folders, a pattern or standard input in; a list in stable order out.

use std::io::Read;
use std::sync::{Arc, mpsc};

use base::world::{MAX_SOURCE_BYTES, source_of};
use base::{SourceFile, World};
use camino::{Utf8Path, Utf8PathBuf};
use globset::{GlobBuilder, GlobMatcher};
use ignore::{DirEntry, WalkBuilder, WalkState};

use crate::failure::Failure;
use crate::session::Session;

/// How the names of files end that folders are searched for.
pub(crate) const EXTENSIONS: [&str; 2] = ["bicep", "bicepparam"];

/// The arguments that say which files are meant.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct InputArgs {
    /// Files, folders to search for `.bicep` and `.bicepparam` files, or `-` for standard input
    #[arg(value_name = "FILE|DIR")]
    paths: Vec<Utf8PathBuf>,

    /// All files that match, such as `modules/**/*.bicep`; `*` matches within a folder, `**` across folders
    #[arg(long, value_name = "GLOB")]
    pattern: Option<String>,

    /// The file name to assume for standard input; selects the language and the `bicepconfig.json`
    #[arg(long, value_name = "FILE", default_value = "stdin.bicep")]
    stdin_filename: Utf8PathBuf,
}

/// One file to work on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Input {
    /// As the user would write it.
    pub(crate) path: Utf8PathBuf,
    /// The part of the path below the folder or pattern that found it; the name for a file given by itself.
    pub(crate) relative: Utf8PathBuf,
    /// Whether the text comes from standard input and the path is but its name.
    pub(crate) is_stdin: bool,
}

impl InputArgs {
    /// Whether `--pattern` was given.
    pub(crate) fn has_pattern(&self) -> bool {
        self.pattern.is_some()
    }

    /// The files in the order of the arguments, those of a folder or pattern sorted by path, each only once.
    ///
    /// A file that does not exist is in the list: reading it says so, and the others are still worked on.
    pub(crate) fn resolve(&self) -> Result<Vec<Input>, Failure> {
        let mut inputs = Vec::new();
        match &self.pattern {
            Some(pattern) if self.paths.is_empty() => inputs.extend(matching(pattern)?),
            Some(_) => return Err(Failure::conflict("--pattern", "FILE")),
            None if self.paths.is_empty() => return Err(Failure::no_input()),
            None => {}
        }
        for path in &self.paths {
            if path == "-" {
                let name = self.stdin_filename.clone();
                inputs.push(Input { relative: name.clone(), path: name, is_stdin: true });
                continue;
            }
            reject_backslash(path.as_str())?;
            if path.is_dir() {
                inputs.extend(below(path, has_known_extension)?);
            } else {
                inputs.push(Input::file(path));
            }
        }
        let mut seen = std::collections::BTreeSet::new();
        inputs.retain(|input| seen.insert(input.path.clone()));
        Ok(inputs)
    }
}

impl Input {
    /// A file given by itself.
    pub(crate) fn file(path: &Utf8Path) -> Self {
        let relative = path.file_name().unwrap_or(path.as_str()).into();
        Self { path: path.to_owned(), relative, is_stdin: false }
    }

    /// Reads the text, if it is a Bicep file.
    pub(crate) fn read_bicep(&self, session: &Session) -> Result<Arc<SourceFile>, Failure> {
        if !self.is_stdin && !self.path.is_dir() && !has_known_extension(&self.path) {
            return Err(Failure::not_bicep(&self.path));
        }
        self.read(session)
    }

    /// Reads the text.
    pub(crate) fn read(&self, session: &Session) -> Result<Arc<SourceFile>, Failure> {
        if self.is_stdin {
            return read_stdin(&self.path);
        }
        session.world.read_source(&self.path).map_err(|error| Failure::unreadable(&self.path, &error))
    }
}

/// Says that there is nothing to do, which is no failure.
pub(crate) fn warn_if_none(inputs: &[Input], session: &Session) -> Result<(), Failure> {
    if inputs.is_empty() { session.output.warning("no Bicep files were found") } else { Ok(()) }
}

fn read_stdin(name: &Utf8Path) -> Result<Arc<SourceFile>, Failure> {
    let mut bytes = Vec::new();
    // A byte order mark and one byte too many.
    let limit = MAX_SOURCE_BYTES as u64 + 4;
    std::io::stdin().lock().take(limit).read_to_end(&mut bytes).map_err(|e| Failure::unreadable_input(&e))?;
    source_of(name, &bytes).map_err(|error| Failure::unreadable(name, &error))
}

/// The wanted files below a folder, without hidden ones and those that version control ignores.
pub(crate) fn below(
    folder: &Utf8Path,
    is_wanted: impl Fn(&Utf8Path) -> bool + Sync,
) -> Result<Vec<Input>, Failure> {
    found(folder, WalkBuilder::new(folder).require_git(false), is_wanted)
}

/// The files that match a pattern. The root of the search is the longest folder in front of the first `*`; names match
/// in any letter case, and nothing is left out.
pub(crate) fn matching(pattern: &str) -> Result<Vec<Input>, Failure> {
    reject_backslash(pattern)?;
    let (root, relative) = split_pattern(pattern);
    let matcher = matcher(relative).map_err(|error| Failure::bad_pattern(pattern, error.kind()))?;
    let start = if root == "" { Utf8Path::new(".") } else { root };
    if !start.is_dir() {
        return Ok(Vec::new());
    }
    let mut walk = WalkBuilder::new(start);
    walk.standard_filters(false);
    if !relative.contains("**") {
        walk.max_depth(Some(relative.split('/').count()));
    }
    found(root, &walk, |path| matcher.is_match(path))
}

/// What a walk finds, on all cores; sorted. The paths start with `root` as the user wrote it.
fn found(
    root: &Utf8Path,
    walk: &WalkBuilder,
    wanted: impl Fn(&Utf8Path) -> bool + Sync,
) -> Result<Vec<Input>, Failure> {
    let (sender, results) = mpsc::channel();
    walk.build_parallel().run(|| {
        let (sender, wanted) = (sender.clone(), &wanted);
        Box::new(move |entry| {
            if let Some(result) = input_of(root, entry, wanted) {
                // Who receives stays until the end.
                let _ = sender.send(result.map(|input| (names_in_order(&input.relative), input)));
            }
            WalkState::Continue
        })
    });
    drop(sender);
    let mut inputs: Vec<(String, Input)> = Vec::new();
    let mut failures = Vec::new();
    for result in results {
        match result {
            Ok(input) => inputs.push(input),
            Err(failure) => failures.push(failure),
        }
    }
    // The same one is reported each time, whatever was met first.
    if let Some(failure) = failures.into_iter().min_by_key(ToString::to_string) {
        return Err(failure);
    }
    inputs.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(inputs.into_iter().map(|(_, input)| input).collect())
}

/// A text by which paths are in the order of their names: the end of a name comes before everything else. Comparing such texts is much
/// faster than comparing paths, and all cores make them.
fn names_in_order(path: &Utf8Path) -> String {
    path.as_str().replace(std::path::is_separator, "\0")
}

/// What an entry of a walk is, if it is a wanted file.
fn input_of(
    root: &Utf8Path,
    entry: Result<DirEntry, ignore::Error>,
    wanted: &(impl Fn(&Utf8Path) -> bool + Sync),
) -> Option<Result<Input, Failure>> {
    let start = if root == "" { Utf8Path::new(".") } else { root };
    let entry = match entry {
        Ok(entry) => entry,
        Err(error) => return Some(Err(Failure::unsearchable(start, &error))),
    };
    let Some(path) = Utf8Path::from_path(entry.path()) else {
        return Some(Err(Failure::name_not_utf8(entry.path())));
    };
    let relative = path.strip_prefix(start).unwrap_or(path);
    // Folders say what their files are; only links have to be followed.
    let is_file = || match entry.file_type() {
        Some(kind) if !kind.is_symlink() => kind.is_file(),
        _ => path.is_file(),
    };
    (wanted(relative) && is_file())
        .then(|| Ok(Input { path: root.join(relative), relative: relative.to_owned(), is_stdin: false }))
}

/// The folder in which a pattern is looked for, and the pattern below it.
fn split_pattern(pattern: &str) -> (&Utf8Path, &str) {
    let literal = pattern.split('*').next().unwrap_or_default();
    match literal.rfind('/') {
        Some(0) => (Utf8Path::new("/"), pattern.get(1..).unwrap_or_default()),
        Some(at) => {
            (Utf8Path::new(pattern.get(..at).unwrap_or_default()), pattern.get(at + 1..).unwrap_or_default())
        }
        None => (Utf8Path::new(""), pattern),
    }
}

/// Only `*` and `**` have a meaning; every other character stands for itself.
fn matcher(pattern: &str) -> Result<GlobMatcher, globset::Error> {
    let mut escaped = String::with_capacity(pattern.len());
    for c in pattern.chars() {
        match c {
            '?' | '[' | ']' | '{' | '}' | '!' => escaped.extend(['[', c, ']']),
            _ => escaped.push(c),
        }
    }
    let glob = GlobBuilder::new(&escaped).literal_separator(true).case_insensitive(true).build()?;
    Ok(glob.compile_matcher())
}

fn has_known_extension(path: &Utf8Path) -> bool {
    path.extension().is_some_and(|it| EXTENSIONS.iter().any(|known| it.eq_ignore_ascii_case(known)))
}

pub(crate) fn reject_backslash(path: &str) -> Result<(), Failure> {
    if cfg!(not(windows)) && path.contains('\\') { Err(Failure::backslash(path)) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_of_a_pattern_ends_before_the_first_star() {
        for (pattern, root, relative) in [
            ("*.bicep", "", "*.bicep"),
            ("main.bicep", "", "main.bicep"),
            ("a/b/*.bicep", "a/b", "*.bicep"),
            ("a/b*/c.bicep", "a", "b*/c.bicep"),
            ("../**/x.bicep", "..", "**/x.bicep"),
            ("/**/x.bicep", "/", "**/x.bicep"),
            ("/a/x*.bicep", "/a", "x*.bicep"),
        ] {
            assert_eq!(split_pattern(pattern), (root.into(), relative), "{pattern}");
        }
    }

    #[test]
    fn stars_are_the_only_special_characters() {
        let check = |pattern, path, expected| {
            assert_eq!(matcher(pattern).unwrap().is_match(path), expected, "{pattern} on {path}");
        };
        check("*.bicep", "main.bicep", true);
        check("*.bicep", "MAIN.BICEP", true);
        check("*.bicep", "a/main.bicep", false);
        check("**/*.bicep", "main.bicep", true);
        check("**/*.bicep", "a/b/main.bicep", true);
        check("a/**", "a/b/main.bicep", true);
        check("[x].bicep", "[x].bicep", true);
        check("[x].bicep", "x.bicep", false);
        check("m?in.bicep", "main.bicep", false);
        check("{a,b}.bicep", "a.bicep", false);
        check("{a,b}.bicep", "{a,b}.bicep", true);
    }

    #[test]
    fn folders_and_patterns_are_searched_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        for path in
            ["b.bicep", "a/z.bicepparam", "a/m.bicep", "a/.hidden/x.bicep", "ignored/i.bicep", "c.json"]
        {
            crate::write::write(&root.join(path), "").unwrap();
        }
        crate::write::write(&root.join(".gitignore"), "ignored\n").unwrap();
        let names =
            |inputs: Vec<Input>| inputs.into_iter().map(|i| i.relative.into_string()).collect::<Vec<_>>();
        assert_eq!(
            names(below(root, has_known_extension).unwrap()),
            ["a/m.bicep", "a/z.bicepparam", "b.bicep"]
        );
        let matched = matching(&format!("{root}/**/*.bicep")).unwrap();
        assert!(matched.iter().all(|input| input.path == root.join(&input.relative)));
        assert_eq!(names(matched), ["a/.hidden/x.bicep", "a/m.bicep", "b.bicep", "ignored/i.bicep"]);
        assert_eq!(names(matching(&format!("{root}/*.bicep")).unwrap()), ["b.bicep"]);
    }
}
