//! `sinew types installed`, `list`, `search` and `versions`: which types there are, one a line.

use std::fmt::Write;

use bicep_types::catalogue::{TypeEntry, Versioned};
use serde_json::json;

use super::From;
use crate::catalogue::{self, Installed};
use crate::failure::Failure;
use crate::session::{Outcome, Session, Status};
use crate::type_install;

pub(super) fn installed(json: bool, session: &Session) -> Outcome {
    let mut text = String::new();
    for installed in catalogue::open_all(session)? {
        let Installed { name, path, catalogue } = installed?;
        let damaged = |error| Failure::catalogue(&path, &error);
        let info = catalogue.info().map_err(damaged)?;
        let settings = catalogue.settings().map_err(damaged)?;
        let version = settings.map(|settings| settings.version.into_owned()).unwrap_or_default();
        let (count, origin) = (info.resource_count, info.origin);
        // Writing to a string cannot fail.
        let _ = match json {
            true => {
                let object = json!({ "name": name, "version": version, "types": count, "origin": origin, "file": path.as_str() });
                writeln!(text, "{object}")
            }
            false => writeln!(text, "{name}\t{}\t{origin}\t{path}", type_install::counted(count)),
        };
    }
    session.output.data(&text)?;
    Ok(Status::Clean)
}

pub(super) fn list(start: &str, from: &From, session: &Session) -> Outcome {
    let start = start.to_ascii_lowercase();
    print(from, session, start.as_str(), |name| name.starts_with(&start))
}

pub(super) fn search(words: &[String], from: &From, session: &Session) -> Outcome {
    let lower: Vec<String> = words.iter().map(|word| word.to_ascii_lowercase()).collect();
    print(from, session, &words.join(" "), |name| lower.iter().all(|word| name.contains(word)))
}

pub(super) fn versions(name: &str, from: &From, session: &Session) -> Outcome {
    for installed in selected(from, session)? {
        let installed = installed?;
        let entry = installed.catalogue.find_type(name);
        let entry = entry.map_err(|error| Failure::catalogue(&installed.path, &error))?;
        let Some(entry) = entry.filter(|entry| entry.versions.iter().any(Versioned::is_defined)) else {
            continue;
        };
        let versions = defined(&entry);
        let text = match from.json {
            true => format!("{}\n", json!({ "type": entry.name.as_str(), "versions": versions })),
            false => versions.iter().map(|version| format!("{version}\n")).collect(),
        };
        session.output.data(&text)?;
        return Ok(Status::Clean);
    }
    Err(unknown_type(name, from, session)?)
}

/// The catalogues to look into, each opened when it comes up.
pub(super) fn selected(
    from: &From,
    session: &Session,
) -> Result<Box<dyn Iterator<Item = Result<Installed, Failure>>>, Failure> {
    Ok(match &from.catalogue {
        Some(name) => Box::new(std::iter::once(catalogue::open(name, session))),
        None => Box::new(catalogue::open_all(session)?),
    })
}

/// Says that no catalogue has a type, and which one may be meant.
pub(super) fn unknown_type(name: &str, from: &From, session: &Session) -> Result<Failure, Failure> {
    let all: Vec<Installed> = selected(from, session)?.collect::<Result<_, _>>()?;
    Ok(Failure::unknown_type(name, &like(name, &all)))
}

/// The versions in which a type is defined, newest first.
pub(super) fn defined<'a>(entry: &TypeEntry<'a>) -> Vec<&'a str> {
    entry
        .versions
        .iter()
        .rev()
        .filter(|version| version.is_defined())
        .map(|version| version.version)
        .collect()
}

/// The newest version that is not a preview, else the newest.
pub(super) fn newest<'a>(versions: &[&'a str]) -> Option<&'a str> {
    // `2024-01-01-preview` against `2024-01-01`.
    let is_stable = |version: &&&str| version.split('-').count() <= 3;
    versions.iter().find(is_stable).or(versions.first()).copied()
}

/// Names like a name that is not there: the one that may be meant, else some that share its last part.
fn like(name: &str, all: &[Installed]) -> Vec<String> {
    let known = all.iter().flat_map(|installed| installed.catalogue.types().unwrap_or_default());
    let known: Vec<_> = known.map(|entry| entry.name).collect();
    if let Some(meant) = base::spelling::suggest(name, &known) {
        return vec![meant.to_string()];
    }
    let last = name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase();
    let is_alike = |known: &&base::SmolStr| known.to_ascii_lowercase().rsplit('/').next() == Some(&last);
    known.iter().filter(is_alike).take(MAX_LIKE).map(ToString::to_string).collect()
}

/// As many names are shown as one can read at a glance.
const MAX_LIKE: usize = 5;

fn print(from: &From, session: &Session, asked: &str, wanted: impl Fn(&str) -> bool) -> Outcome {
    let mut text = String::new();
    for installed in selected(from, session)? {
        let Installed { name: source, path, catalogue } = installed?;
        for entry in catalogue.types().map_err(|error| Failure::catalogue(&path, &error))? {
            let versions = defined(&entry);
            let Some(newest) = newest(&versions).filter(|_| wanted(&entry.name.to_ascii_lowercase())) else {
                continue;
            };
            // Writing to a string cannot fail.
            let _ = match from.json {
                true => {
                    let object = json!({ "type": entry.name.as_str(), "catalogue": source, "newest": newest, "versions": versions });
                    writeln!(text, "{object}")
                }
                false => writeln!(text, "{}", at(&entry.name, newest)),
            };
        }
    }
    if text.is_empty() {
        return Err(unknown_type(asked, from, session)?);
    }
    session.output.data(&text)?;
    Ok(Status::Clean)
}

/// `Type@version`; some types have no version.
pub(super) fn at(name: &str, version: &str) -> String {
    if version.is_empty() { name.to_owned() } else { format!("{name}@{version}") }
}
