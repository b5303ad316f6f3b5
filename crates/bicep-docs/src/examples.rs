//! Usage examples: folders below a module come in, the files in them that show how it is used go out.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{ReadError, World};
use bicep_syntax::ast::{Expr, Metadata, Name};
use bicep_syntax::{Dialect, parse};
use camino::{Utf8Path, Utf8PathBuf};
use config::{ExampleSettings, ExampleSource, paths};

use crate::failure::Failure;
use crate::glob;
use crate::model::{UsageExample, compare_names};

/// How many folders deep examples are looked for.
const MAX_DEPTH: usize = 100;

/// The examples of a module, sorted by path.
pub(crate) fn discover(
    module: &Utf8Path,
    settings: &ExampleSettings,
    world: &dyn World,
) -> Result<Vec<UsageExample>, Failure> {
    let mut found = files(module, &settings.sources, world)?;
    for reassignment in &settings.reassignments {
        if world.list(&module.join(reassignment.to.as_str())).is_ok() {
            found.retain(|_, it| !glob::matches(&it.in_source, &reassignment.include, &reassignment.exclude));
        }
    }
    if let Some(parent) = module.parent() {
        let is_target = |to: &str| module.file_name() == Some(to);
        let taken: Vec<_> = settings.reassignments.iter().filter(|it| is_target(&it.to)).collect();
        let of_parent =
            if taken.is_empty() { BTreeMap::new() } else { files(parent, &settings.sources, world)? };
        for (path, example) in of_parent {
            if taken.iter().any(|it| glob::matches(&example.in_source, &it.include, &it.exclude)) {
                found.entry(path).or_insert(example);
            }
        }
    }
    let mut examples = Vec::with_capacity(found.len());
    for (path, example) in found {
        examples.push(read(module, &path, &example, world)?);
    }
    examples.sort_by(|a, b| compare_names(&a.path, &b.path));
    Ok(examples)
}

/// A file that a source has.
struct ExampleFile {
    /// The path from the folder of the source, with `/`.
    in_source: String,
}

/// The files of all sources; of several sources that have a file, the first one counts.
fn files(
    module: &Utf8Path,
    sources: &[ExampleSource],
    world: &dyn World,
) -> Result<BTreeMap<Utf8PathBuf, ExampleFile>, Failure> {
    let mut found = BTreeMap::new();
    for source in sources {
        let root = paths::resolve(module, Utf8Path::new(&source.path));
        let mut pending = vec![(root.clone(), 0)];
        while let Some((folder, depth)) = pending.pop() {
            if depth > MAX_DEPTH {
                return Err(Failure::examples_too_deep(&root, MAX_DEPTH));
            }
            let entries = match world.list(&folder) {
                Ok(entries) => entries,
                Err(ReadError::NotFound | ReadError::IsFile) => continue,
                Err(error) => return Err(Failure::unreadable_examples(&folder, &error)),
            };
            // A link may lead anywhere, also back.
            for entry in entries.into_iter().filter(|entry| !entry.is_link) {
                let path = folder.join(&entry.name);
                if entry.is_folder {
                    pending.push((path, depth + 1));
                    continue;
                }
                let in_source = paths::relative(&root, &path);
                if glob::matches(&in_source, &source.include, &source.exclude) {
                    found.entry(path).or_insert(ExampleFile { in_source });
                }
            }
        }
    }
    Ok(found)
}

fn read(
    module: &Utf8Path,
    path: &Utf8Path,
    found: &ExampleFile,
    world: &dyn World,
) -> Result<UsageExample, Failure> {
    let source = world.read_source(path).map_err(|error| Failure::unreadable_examples(path, &error))?;
    let text = source.text();
    let parsed = parse(Arc::clone(text), Dialect::Bicep);
    let statements = parsed.tree.file().statements();
    let metadata: Vec<(String, String)> = statements
        .filter_map(|statement| Metadata::cast(statement.syntax()))
        .filter_map(|it| match it.value() {
            Expr::Str(value) => Some((it.name().and_then(Name::text)?.to_owned(), value.value()?)),
            _ => None,
        })
        .collect();
    let last =
        |name: &str| metadata.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.clone());
    Ok(UsageExample {
        name: last("name").unwrap_or_else(|| name_of(&found.in_source)),
        path: paths::relative(module, path),
        description: last("description").or_else(|| leading_comment(text)),
        contents: text.trim_end().to_owned(),
    })
}

/// The folder that a file lies in, else its own name.
fn name_of(in_source: &str) -> String {
    let mut segments = in_source.rsplit('/');
    let file = segments.next().unwrap_or_default();
    if let Some(folder) = segments.next() {
        return folder.to_owned();
    }
    let extension = file.len().checked_sub(".bicep".len()).and_then(|at| file.split_at_checked(at));
    match extension {
        Some((stem, extension)) if extension.eq_ignore_ascii_case(".bicep") => stem.to_owned(),
        _ => file.to_owned(),
    }
}

/// The comment at the start of a file, as one line.
fn leading_comment(text: &str) -> Option<String> {
    let is_comment = |line: &&str| line.starts_with("//") || line.is_empty();
    let lines = text.lines().map(str::trim).take_while(is_comment);
    let words: Vec<&str> =
        lines.map(|line| line.trim_start_matches('/').trim()).filter(|line| !line.is_empty()).collect();
    (!words.is_empty()).then(|| words.join(" "))
}
