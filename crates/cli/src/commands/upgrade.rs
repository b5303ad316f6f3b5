//! `sinew upgrade`: writes newer versions of resource types and modules, and says what changes for each resource type.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use base::{FileReport, OverlayWorld, Severity};
use bicep_sema::Setup;
use bicep_types::versions::{VersionChangeKind, changes};
use camino::{Utf8Path, Utf8PathBuf};
use config::Loader;
use project::Compilation;
use project::artifacts::by_store_for_reading;

use crate::artifacts::{self, ArtifactArgs};
use crate::catalogue::Types;
use crate::commands::outdated::tell_gaps;
use crate::compile;
use crate::failure::Failure;
use crate::inputs::InputArgs;
use crate::review::deployed::shown;
use crate::review::versions::{Outdated, VersionArgs, VersionedItem, azure_types, find};
use crate::session::{Outcome, Session, Status};
use crate::{interrupt, write};

const EXAMPLES: &str = "\
Examples:
  sinew upgrade .                      all files below this folder
  sinew upgrade main.bicep --dry-run   shows what would change
  sinew upgrade . --max-age 730 --offline

For each resource type, the removed (-), changed (~) and new (+) properties are
listed. A file that would have errors with the new versions is not changed
unless you pass `--force`, and the exit code is 1.";

/// Upgrade API versions and module versions, and show what changes
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: InputArgs,

    #[command(flatten)]
    versions: VersionArgs,

    /// Show the changes without writing them
    #[arg(long)]
    dry_run: bool,

    /// Also write files that would have errors
    #[arg(long)]
    force: bool,

    /// Also list new properties
    #[arg(long)]
    all: bool,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let entries = args.inputs.resolve()?.into_iter().map(|input| session.absolute(&input.path));
    let entries: Vec<Utf8PathBuf> = entries.collect::<Result<_, _>>()?;
    let configs = Loader::new(&session.world);
    let stores = by_store_for_reading(&entries, &configs, &session.world).ok_or_else(Failure::no_home)?;
    let mut is_bad = false;
    for (store, entries) in stores {
        let world = artifacts::world_of(&store, ArtifactArgs::default())?;
        let types = Types::new(&world);
        let load = |files: &[UpgradedFile]| {
            let texts = files.iter().map(|file| (&*file.path, &*file.text));
            let written = OverlayWorld::new(&world, texts);
            let setup = Setup::new(&written).with_types(&types);
            let compilation = Compilation::load(setup, &entries, compile::options(session));
            errors_by_file(&compile::errors(&compilation))
        };
        let setup = Setup::new(&world).with_types(&types);
        let compilation = Compilation::load(setup, &entries, compile::options(session));
        let findings = find(&compilation, &entries, &args.versions, session)?;
        tell_gaps(&findings, session)?;
        let files = upgraded(&findings.outdated);
        let (before, after) = (errors_by_file(&compile::errors(&compilation)), load(&files));
        is_bad |= finish(
            args,
            session,
            &Upgrade { compilation: &compilation, outdated: &findings.outdated, files, before, after },
        )?;
    }
    Ok(Status::from_findings(is_bad))
}

/// New texts, and what is wrong with and without them.
struct Upgrade<'a> {
    compilation: &'a Compilation<'a>,
    outdated: &'a [Outdated],
    files: Vec<UpgradedFile>,
    before: BTreeMap<Utf8PathBuf, BTreeSet<String>>,
    after: BTreeMap<Utf8PathBuf, BTreeSet<String>>,
}

/// A file with the newer versions in it.
struct UpgradedFile {
    path: Utf8PathBuf,
    text: String,
}

/// Errors by file: their codes and messages.
fn errors_by_file(reports: &[FileReport]) -> BTreeMap<Utf8PathBuf, BTreeSet<String>> {
    let errors = |report: &FileReport| {
        let all = report.diagnostics.iter().filter(|it| it.severity == Severity::Error);
        all.map(|it| format!("{} {}", it.code, it.message)).collect()
    };
    reports.iter().map(|report| (report.file.path().to_owned(), errors(report))).collect()
}

/// The files that change.
fn upgraded(outdated: &[Outdated]) -> Vec<UpgradedFile> {
    let mut by_file: BTreeMap<&Utf8Path, Vec<&Outdated>> = BTreeMap::new();
    for found in outdated {
        by_file.entry(found.file.path()).or_default().push(found);
    }
    let with_versions = |(path, mut found): (&Utf8Path, Vec<&Outdated>)| {
        found.sort_by_key(|it| std::cmp::Reverse(it.range.start()));
        let mut text = found.first().map(|it| it.file.text().to_string()).unwrap_or_default();
        for it in found {
            text.replace_range(std::ops::Range::<usize>::from(it.range), &it.newest);
        }
        UpgradedFile { path: path.to_owned(), text }
    };
    by_file.into_iter().map(with_versions).collect()
}

/// Writes what may be written, and tells everything. Says whether a file was left as it is.
fn finish(args: &Args, session: &Session, upgrade: &Upgrade<'_>) -> Result<bool, Failure> {
    interrupt::spare_files();
    let root = session.absolute(Utf8Path::new("."))?;
    let mut is_bad = false;
    for file in &upgrade.files {
        let none = BTreeSet::new();
        let errors =
            |side: &BTreeMap<Utf8PathBuf, BTreeSet<String>>| side.get(&file.path).unwrap_or(&none).clone();
        let fresh: Vec<String> =
            errors(&upgrade.after).difference(&errors(&upgrade.before)).cloned().collect();
        let mut text = format!("{}\n", shown(&file.path, &root));
        describe(args, upgrade, file, &mut text);
        for error in &fresh {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "  ! {error}");
        }
        if !fresh.is_empty() && !args.force {
            text.push_str("  left as it is: it would have errors\n");
            is_bad = true;
        } else if !args.dry_run {
            write::write(&file.path, &file.text)?;
        }
        session.output.data(&text)?;
    }
    if upgrade.files.is_empty() {
        session.output.talk("nothing could be newer\n")?;
    }
    Ok(is_bad)
}

/// What changes for each resource type and module of a file.
fn describe(args: &Args, upgrade: &Upgrade<'_>, file: &UpgradedFile, text: &mut String) {
    let mut uses: BTreeMap<(&VersionedItem, &str, &str), usize> = BTreeMap::new();
    for found in upgrade.outdated.iter().filter(|it| it.file.path() == file.path) {
        *uses.entry((&found.subject, &found.current, &found.newest)).or_default() += 1;
    }
    let program = upgrade.compilation.program();
    let model = program.file_at(&file.path).and_then(|id| program.model(id));
    for ((subject, current, newest), count) in uses {
        let times = if count > 1 { format!(" ({count} times)") } else { String::new() };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {} {current} -> {newest}{times}", subject.name());
        let VersionedItem::Resource(name) = subject else { continue };
        let Some(found) = model.and_then(azure_types).and_then(|types| changes(types, name, current, newest))
        else {
            continue;
        };
        let mut added = 0;
        for change in &found {
            let path = &change.path;
            let _ = match &change.kind {
                VersionChangeKind::Removed => writeln!(text, "    - {path}"),
                VersionChangeKind::Changed(reason) => writeln!(text, "    ~ {path}: {reason}"),
                VersionChangeKind::AddedRequired(ty) => writeln!(text, "    + {path}: {ty}, required"),
                VersionChangeKind::Added(ty) if args.all => writeln!(text, "    + {path}: {ty}"),
                VersionChangeKind::Added(_) => {
                    added += 1;
                    Ok(())
                }
            };
        }
        if added > 0 {
            let (word, them) = if added == 1 { ("property", "it") } else { ("properties", "them") };
            let _ = writeln!(text, "    + {added} new {word}; `--all` names {them}");
        }
    }
}
