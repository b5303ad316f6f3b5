//! Programs as commands work with them: entry files come in; loaded programs with everything they refer to go out, and
//! what is wrong with their files.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use base::disk::SystemClock;
use base::suppression::unless_compiler_error;
use base::{Diagnostic, FileReport, SourceFile, TextRange};
use bicep_emit::parameters::{ParameterOptions, parameters};
use bicep_emit::{Emitted, Emitter, Generator, Options, TOO_LARGE, validation};
use bicep_sema::{FileId, Program, Setup};
use bicep_syntax::suppressions;
use camino::{Utf8Path, Utf8PathBuf};

use crate::artifacts::{self, ArtifactArgs, Place};
use crate::catalogue::Types;
use crate::failure::Failure;
use crate::names::Name;
use crate::overlay::Overlay;
use crate::session::Session;
use crate::{VERSION, parallel, type_install};

/// The arguments that say how programs are loaded.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct CompileArgs {
    /// Do not fetch modules, extensions and types that are not there
    #[arg(long)]
    pub(crate) no_restore: bool,

    #[command(flatten)]
    pub(crate) artifacts: ArtifactArgs,
}

/// A file with another text than it has on disk.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Replaced<'a> {
    /// The file.
    pub(crate) path: &'a Utf8Path,
    /// Its text.
    pub(crate) text: &'a str,
}

/// Loads the program of an entry file. What is not in the cache is fetched first; what could not be fetched is reported
/// where the program refers to it.
pub(crate) fn with_program<T>(
    entry: &Utf8Path,
    args: CompileArgs,
    session: &Session,
    work: impl FnOnce(&Program<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let place = Place::of(entry, &config::Loader::new(&session.world).load_for(entry), session)?;
    Group { place, entries: vec![entry.to_owned()] }.run(None, (args, session), work)
}

/// Loads entry files and does the work for each of their programs, on all cores; the results are in the order of the programs.
///
/// All files that need nothing from outside of the project are one program, so that each module is looked at once. Those
/// that do are one program for each lock file.
pub(crate) fn map_programs<T: Send>(
    entries: &[Utf8PathBuf],
    replaced: Option<Replaced<'_>>,
    (args, session): (CompileArgs, &Session),
    work: impl Fn(&Program<'_>) -> Result<T, Failure> + Sync,
) -> Result<Vec<T>, Failure> {
    let configs = config::Loader::new(&session.world);
    let mut places: BTreeMap<Place, Vec<Utf8PathBuf>> = BTreeMap::new();
    for entry in entries {
        let place = Place::of(entry, &configs.load_for(entry), session)?;
        places.entry(place).or_default().push(entry.clone());
    }
    let Some(place) = places.keys().next().cloned() else { return Ok(Vec::new()) };
    let whole = Group { place, entries: entries.to_vec() };
    if places.len() == 1 {
        return Ok(vec![whole.run(replaced, (args, session), work)?]);
    }
    let tried = whole.load(replaced, (args, session), BTreeMap::new(), |program| {
        let needy = needy_entries(program);
        if needy.is_empty() { Ok(work(program)) } else { Err(needy) }
    })?;
    let needy = match tried {
        Ok(done) => return Ok(vec![done?]),
        Err(needy) => needy,
    };
    let failures = if args.no_restore {
        BTreeMap::new()
    } else {
        artifacts::restore(&needy, args.artifacts, false, session)?.failures
    };
    let groups = split(places, &needy);
    let results =
        parallel::map(&groups, |group| group.load(replaced, (args, session), failures.clone(), &work)?);
    results.into_iter().collect()
}

/// The entry files that need something from outside of the project, directly or not.
fn needy_entries(program: &Program<'_>) -> Vec<Utf8PathBuf> {
    let needy: BTreeSet<FileId> =
        program.files().filter(|file| artifacts::are_wanted(program, *file)).collect();
    if needy.is_empty() {
        return Vec::new();
    }
    let loaded = program.entries().iter().filter_map(|(path, loaded)| Some((path, *loaded.as_ref().ok()?)));
    let needy = loaded.filter(|(_, file)| !parts(program, *file).is_disjoint(&needy));
    needy.map(|(path, _)| path.clone()).collect()
}

/// One group for all places without needy files, and one for each of the others.
fn split(places: BTreeMap<Place, Vec<Utf8PathBuf>>, needy: &[Utf8PathBuf]) -> Vec<Group> {
    let needy: BTreeSet<&Utf8PathBuf> = needy.iter().collect();
    let groups = places.into_iter().map(|(place, entries)| Group { place, entries });
    let (mut groups, others): (Vec<Group>, Vec<Group>) =
        groups.partition(|group| group.entries.iter().any(|entry| needy.contains(entry)));
    let merged = others.into_iter().reduce(|mut all, group| {
        all.entries.extend(group.entries);
        all
    });
    groups.extend(merged);
    groups
}

/// Entry files that become one program.
struct Group {
    place: Place,
    entries: Vec<Utf8PathBuf>,
}

impl Group {
    /// Loads the program, after what it needs has been fetched.
    fn run<T>(
        &self,
        replaced: Option<Replaced<'_>>,
        (args, session): (CompileArgs, &Session),
        work: impl FnOnce(&Program<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let tried = self.load(replaced, (args, session), BTreeMap::new(), |program| {
            let is_complete = || program.files().all(|file| !artifacts::are_wanted(program, file));
            if args.no_restore || is_complete() { Ok(work(program)) } else { Err(work) }
        })?;
        match tried {
            Ok(done) => done,
            Err(work) => {
                let restored = artifacts::restore(&self.entries, args.artifacts, false, session)?;
                self.load(replaced, (args, session), restored.failures, work)?
            }
        }
    }

    /// Loads the program with what there is. What could not be fetched comes with the reason.
    fn load<T>(
        &self,
        replaced: Option<Replaced<'_>>,
        (args, session): (CompileArgs, &Session),
        failures: BTreeMap<String, String>,
        work: impl FnOnce(&Program<'_>) -> T,
    ) -> Result<T, Failure> {
        let world = self.place.world(args.artifacts)?.with_failures(failures);
        let types = Types::new(&world);
        let overlay = replaced.map(|Replaced { path, text }| Overlay { world: &world, path, text });
        let seen: &dyn base::World = overlay.as_ref().map_or(&world, |overlay| overlay);
        let program = Program::load(Setup::new(seen).with_types(&types), &self.entries);
        // Types are looked for when the first file is checked, which is not before the work.
        type_install::install_missing(&program, args, session)?;
        Ok(work(&program))
    }
}

/// The file that a program of one entry file is about; `path` is how the user calls it.
pub(crate) fn entry(program: &Program<'_>, path: &Utf8Path) -> Result<FileId, Failure> {
    match program.entries().first() {
        Some((_, Ok(file))) => Ok(*file),
        Some((_, Err(error))) => Err(Failure::unreadable(path, error)),
        None => Err(Failure::not_bicep(path)),
    }
}

/// The files of a program that can be compiled: neither they nor anything they refer to has errors.
pub(crate) struct Sound<'p> {
    program: &'p Program<'p>,
    bad: BTreeSet<&'p Utf8Path>,
}

impl<'p> Sound<'p> {
    /// Those that are left by these reports.
    pub(crate) fn new(program: &'p Program<'p>, reports: &'p [FileReport]) -> Self {
        let bad = reports.iter().filter(|report| report.has_errors()).map(|report| report.file.path());
        Self { program, bad: bad.collect() }
    }

    /// Whether a file is one of them.
    pub(crate) fn contains(&self, file: FileId) -> bool {
        let path_of = |part: FileId| self.program.unit(part).source().path();
        self.bad.is_empty() || !parts(self.program, file).into_iter().any(|it| self.bad.contains(path_of(it)))
    }
}

/// What is wrong with the files of a program, in the order in which they were found.
pub(crate) fn reports(emitter: &Emitter<'_>) -> Vec<FileReport> {
    let program = emitter.program();
    let files: Vec<FileId> = program.files().collect();
    let mut of_files = parallel::map(&files, |file| report(program, *file));
    validate(emitter, &files, &mut of_files);
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
fn validate(emitter: &Emitter<'_>, files: &[FileId], reports: &mut [Option<FileReport>]) {
    if !emitter.has_validators() {
        return;
    }
    let program = emitter.program();
    let with_reports = files.iter().zip(reports.iter());
    let bad = with_reports.filter(|(_, report)| report.as_ref().is_some_and(FileReport::has_errors));
    let bad: BTreeSet<FileId> = bad.map(|(file, _)| *file).collect();
    let found = parallel::map(files, |file| {
        let bicep = program.bicep(*file).filter(|_| parts(program, *file).is_disjoint(&bad))?;
        let mut found = validation::check_values(emitter, *file, Some(|| Arc::new(SystemClock::default())));
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
    let mut findings =
        bicep_lint::lint(program, file, &bicep_lint::Options { today: today(program.world()) });
    let values = parameters(program, file, &ParameterOptions::default());
    findings.extend(values.into_iter().flat_map(|values| values.diagnostics));
    let lines = bicep.source.lines();
    suppressions(bicep.tree(), lines).apply(&mut findings, lines, unless_compiler_error);
    report.diagnostics.append(&mut findings);
    Some(FileReport::new(report.file, report.diagnostics))
}

/// The date: that of `SOURCE_DATE_EPOCH` where a build must give the same result on every day.
pub(crate) fn today(world: &dyn base::World) -> Option<bicep_lint::Date> {
    const SECONDS_A_DAY: u64 = 24 * 60 * 60;
    let fixed = world.variable("SOURCE_DATE_EPOCH").and_then(|text| text.parse().ok());
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

/// What writes the templates of a program, each once.
pub(crate) fn emitter<'p>(program: &'p Program<'p>, session: &Session) -> Emitter<'p> {
    Emitter::new(program, Options { generator: generator(session) })
}

/// The template of a file.
pub(crate) fn template(emitter: &Emitter<'_>, file: FileId) -> Result<Arc<Emitted>, Failure> {
    let emitted = emitter.template(file);
    if emitted.is_cut {
        return Err(Failure::endless(emitter.program().unit(file).source().path()));
    }
    Ok(emitted)
}

/// The same as a report.
pub(crate) fn too_large(file: &Arc<SourceFile>) -> FileReport {
    let diagnostic = Diagnostic::error("template-too-large", TextRange::default(), TOO_LARGE);
    FileReport::new(Arc::clone(file), vec![diagnostic])
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
