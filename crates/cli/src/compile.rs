//! Programs as commands work with them: entry files come in; loaded programs with everything they refer to go out, and
//! what is wrong with their files.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use base::FileReport;
use base::disk::SystemClock;
use base::suppression::unless_compiler_error;
use bicep_emit::parameters::{ParameterOptions, parameters};
use bicep_emit::{Emitter, Generator, Options, validation};
use bicep_sema::{FileId, Program, Setup};
use bicep_syntax::suppressions;
use camino::{Utf8Path, Utf8PathBuf};

use crate::artifacts::{self, ArtifactArgs, Place};
use crate::catalogue::Types;
use crate::failure::Failure;
use crate::names::Name;
use crate::overlay::Overlay;
use crate::session::Session;
use crate::{VERSION, parallel};

/// The arguments that say how programs are loaded.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct CompileArgs {
    /// Do not fetch modules and extensions that are not in the cache
    #[arg(long)]
    no_restore: bool,

    #[command(flatten)]
    pub(crate) artifacts: ArtifactArgs,
}

/// Loads entry files, together where they share a cache, and hands each program to `work`. What is not in the cache is
/// fetched first; what could not be fetched is reported where the program refers to it.
pub(crate) fn with_programs(
    entries: &[Utf8PathBuf],
    args: CompileArgs,
    session: &Session,
    work: impl FnMut(&Program<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    with_replaced(entries, None, args, session, work)
}

/// A file with another text than it has on disk.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Replaced<'a> {
    /// The file.
    pub(crate) path: &'a Utf8Path,
    /// Its text.
    pub(crate) text: &'a str,
}

/// The same with another text in the place of one file.
pub(crate) fn with_replaced(
    entries: &[Utf8PathBuf],
    replaced: Option<Replaced<'_>>,
    args: CompileArgs,
    session: &Session,
    mut work: impl FnMut(&Program<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let configs = config::Loader::new(&session.world);
    let mut groups: BTreeMap<Place, Vec<Utf8PathBuf>> = BTreeMap::new();
    for entry in entries {
        let place = Place::of(entry, &configs.load_for(entry), session)?;
        groups.entry(place).or_default().push(entry.clone());
    }
    for (place, entries) in groups {
        let world = place.world(args.artifacts)?;
        let types = Types::new(&world);
        let overlay = replaced.map(|Replaced { path, text }| Overlay { world: &world, path, text });
        let seen: &dyn base::World = overlay.as_ref().map_or(&world, |overlay| overlay);
        let program = Program::load(Setup::new(seen).with_types(&types), &entries);
        if args.no_restore || !artifacts::are_wanted(&program) {
            work(&program)?;
            continue;
        }
        drop(program);
        let restored = artifacts::restore(&entries, args.artifacts, false, session)?;
        let world = place.world(args.artifacts)?.with_failures(restored.failures);
        let types = Types::new(&world);
        let overlay = replaced.map(|Replaced { path, text }| Overlay { world: &world, path, text });
        let seen: &dyn base::World = overlay.as_ref().map_or(&world, |overlay| overlay);
        work(&Program::load(Setup::new(seen).with_types(&types), &entries))?;
    }
    Ok(())
}

/// What is wrong with the files of a program, in the order in which they were found.
pub(crate) fn reports(program: &Program<'_>) -> Vec<FileReport> {
    let files: Vec<FileId> = program.files().collect();
    let mut of_files = parallel::map(&files, |file| report(program, *file));
    validate(program, &files, &mut of_files);
    program.config_reports().iter().cloned().chain(of_files.into_iter().flatten()).collect()
}

/// What keeps the files of a program from being compiled. Style is not looked at.
pub(crate) fn errors(program: &Program<'_>) -> Vec<FileReport> {
    let files: Vec<FileId> = program.files().filter(|file| program.bicep(*file).is_some()).collect();
    let of_files = parallel::map(&files, |file| {
        let mut report = program.report(*file);
        let values = parameters(program, *file, &ParameterOptions::default());
        report.diagnostics.extend(values.into_iter().flat_map(|values| values.diagnostics));
        report
    });
    let all = program.config_reports().iter().cloned().chain(of_files);
    all.filter_map(|report| {
        let errors = report.diagnostics.into_iter().filter(|it| it.severity == base::Severity::Error);
        let errors: Vec<_> = errors.collect();
        (!errors.is_empty()).then(|| FileReport::new(report.file, errors))
    })
    .collect()
}

/// Adds what validators say about values that are known already. Only sound files have values.
fn validate(program: &Program<'_>, files: &[FileId], reports: &mut [Option<FileReport>]) {
    let generator = Generator { name: String::new(), version: String::new() };
    let emitter = Emitter::new(program, Options { generator });
    if !emitter.has_validators() {
        return;
    }
    let with_reports = files.iter().zip(reports.iter());
    let bad = with_reports.filter(|(_, report)| report.as_ref().is_some_and(FileReport::has_errors));
    let bad: BTreeSet<FileId> = bad.map(|(file, _)| *file).collect();
    let found = parallel::map(files, |file| {
        let bicep = program.bicep(*file).filter(|_| parts(program, *file).is_disjoint(&bad))?;
        let mut found = validation::check_values(&emitter, *file, Some(|| Arc::new(SystemClock::default())));
        let lines = bicep.source.lines();
        suppressions(bicep.tree(), lines).apply(&mut found, lines, unless_compiler_error);
        Some(found)
    });
    for (report, found) in reports.iter_mut().zip(found) {
        if let (Some(report), Some(mut found)) = (report, found) {
            report.diagnostics.append(&mut found);
            *report = FileReport::new(Arc::clone(&report.file), std::mem::take(&mut report.diagnostics));
        }
    }
}

/// What is wrong with a file: its syntax, its meaning, its values, its style.
fn report(program: &Program<'_>, file: FileId) -> Option<FileReport> {
    let bicep = program.bicep(file)?;
    let mut report = program.report(file);
    let mut findings = bicep_lint::lint(program, file, &bicep_lint::Options { today: today(program) });
    let values = parameters(program, file, &ParameterOptions::default());
    findings.extend(values.into_iter().flat_map(|values| values.diagnostics));
    let lines = bicep.source.lines();
    suppressions(bicep.tree(), lines).apply(&mut findings, lines, unless_compiler_error);
    report.diagnostics.append(&mut findings);
    Some(FileReport::new(report.file, report.diagnostics))
}

/// The date: that of `SOURCE_DATE_EPOCH` where a build must give the same result on every day.
fn today(program: &Program<'_>) -> Option<bicep_lint::Date> {
    const SECONDS_A_DAY: u64 = 24 * 60 * 60;
    let fixed = program.world().variable("SOURCE_DATE_EPOCH").and_then(|text| text.parse().ok());
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs());
    let seconds = fixed.or_else(now)?;
    bicep_lint::Date::from_unix_days((seconds / SECONDS_A_DAY).try_into().ok()?)
}

/// The files that a file is made of: itself and everything it refers to, directly or not.
pub(crate) fn parts(program: &Program<'_>, file: FileId) -> BTreeSet<FileId> {
    let mut found = BTreeSet::new();
    let mut open = vec![file];
    while let Some(file) = open.pop() {
        let Some(bicep) = program.bicep(file).filter(|_| found.insert(file)) else { continue };
        let references = bicep.tree().file().statements().filter_map(|it| bicep.reference(it.syntax()));
        open.extend(references.flatten().map(|target| target.file));
    }
    found
}

/// Who templates are said to be made by: `SINEW_GENERATOR=name@version` decides, else the name of the program.
pub(crate) fn generator(session: &Session) -> Generator {
    use base::World as _;
    let asked = session.world.variable("SINEW_GENERATOR");
    let (name, version) = match asked.as_deref().and_then(|asked| asked.split_once('@')) {
        Some((name, version)) => (name.to_owned(), version.to_owned()),
        None if session.name == Name::Bicep => {
            ("bicep".to_owned(), crate::names::LANGUAGE_VERSION.to_owned())
        }
        None => ("sinew".to_owned(), VERSION.to_owned()),
    };
    Generator { name, version }
}
