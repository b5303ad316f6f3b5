//! `sinew test`: runs the `test` blocks of Bicep files, and the assertions of the files they try out.

mod bicep;
mod junit;
mod text;

use std::sync::Arc;

use base::disk::SystemClock;
use base::{FileReport, SourceFile, Verdict};
use bicep_emit::unit_test::{Circumstances, UnitTest, own_assertions, skipped_tests, unit_tests};
use bicep_sema::FileId;
use camino::{Utf8Path, Utf8PathBuf};
use clap::ValueEnum;
use config::{Feature, Loader};
use project::Compilation;

use crate::compile::{self, CompileArgs, Sound};
use crate::evaluation::destination::DestinationArgs;
use crate::failure::Failure;
use crate::inputs::{self, InputArgs};
use crate::names::Name;
use crate::report::{self, DiagnosticsFormat};
use crate::session::{Outcome, Session, Status};

const EXAMPLES: &str = "\
Examples:
  sinew test main.tests.bicep
  sinew test .   all files with tests or assertions
  sinew test main.tests.bicep --format junit > tests.xml

A `test` block evaluates a file with the given parameters, without deploying
anything, and runs its `assert` statements. A file's own assertions run if all
its parameters have defaults. Exit code 1 means that an assertion failed or is
undecided, or that a test could not run.";

/// Run unit tests in Bicep files
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: InputArgs,

    /// The format of the results, on standard output
    #[arg(long, value_enum, ignore_case = true, value_name = "FORMAT", default_value_t)]
    format: TestFormat,

    #[command(flatten)]
    compile: CompileArgs,

    #[command(flatten)]
    place: DestinationArgs,

    /// The format of compiler diagnostics, on standard error
    #[arg(long, value_enum, ignore_case = true, value_name = "FORMAT", default_value_t)]
    diagnostics_format: DiagnosticsFormat,
}

/// The forms of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum TestFormat {
    /// One line per assertion
    #[default]
    Text,
    /// JUnit XML: one suite per test, one case per assertion
    Junit,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let found = args.inputs.resolve()?;
    inputs::warn_if_none(&found, session)?;
    let mut entries = Vec::new();
    for input in found.iter().filter(|input| found.len() == 1 || input.path.extension() == Some("bicep")) {
        if input.is_stdin || input.path.extension() != Some("bicep") {
            return Err(Failure::not_a_bicep_file(&input.path));
        }
        input.read_bicep(session)?;
        entries.push(session.absolute(&input.path)?);
    }
    if session.name == Name::Bicep && !are_enabled(&entries, session) {
        session.output.talk(bicep::NOT_ENABLED)?;
        return Ok(Status::Findings);
    }
    if session.name == Name::Bicep {
        report::warn_of_experimental(session, [Feature::TestFramework])?;
    }
    let context = standing_in(args.place.context());
    let tried = compile::map_compilations(&entries, None, args.compile, session, |compilation| {
        Ok(tests_of(compilation, &context, session))
    })?;
    let (results, reports): (Vec<Vec<TestResult>>, Vec<Vec<FileReport>>) = tried.into_iter().unzip();
    let results: Vec<TestResult> = results.into_iter().flatten().collect();
    let reports = report::with_short_paths(reports.into_iter().flatten().collect(), session)?;
    report::write_beside_output(session, &reports, args.diagnostics_format)?;
    let here = session.absolute(Utf8Path::new(""))?;
    match (session.name, args.format) {
        (Name::Bicep, TestFormat::Text) => bicep::write(&results, session)?,
        (_, TestFormat::Text) => session.output.data(&text::render(&results, &here))?,
        (_, TestFormat::Junit) => session.output.data(&junit::render(&results, &here))?,
    }
    let failed = results.iter().any(|result| !result.has_passed());
    Ok(Status::from_findings(failed || reports.iter().any(FileReport::has_errors)))
}

/// Why a test of the Bicep CLI is skipped.
const HAS_ERRORS: &str = "the file, or one that it refers to, has errors";

/// Whether the files may have tests at all.
fn are_enabled(entries: &[Utf8PathBuf], session: &Session) -> bool {
    let configs = Loader::new(&session.world);
    entries.iter().all(|entry| configs.load_for(entry).has(Feature::TestFramework))
}

/// A test that was run.
struct TestResult {
    /// The file with the test.
    file: Arc<SourceFile>,
    /// The file that was tried out.
    target: Arc<SourceFile>,
    unit_test: UnitTest,
}

impl TestResult {
    fn has_passed(&self) -> bool {
        let outcome = self.unit_test.outcome.as_ref();
        outcome.is_ok_and(|assertions| assertions.iter().all(|it| it.verdict == Verdict::Pass))
    }
}

/// Runs the tests of the entry files of a program, with what is wrong with its files.
fn tests_of(
    compilation: &Compilation<'_>,
    context: &arm::Context,
    session: &Session,
) -> (Vec<TestResult>, Vec<FileReport>) {
    let (program, emitter) = (compilation.program(), compilation.emitter());
    let reports = compile::reports(compilation);
    let sound = Sound::new(program, &reports);
    let circumstances = Circumstances { context, clocks: Some(|| Arc::new(SystemClock::default())) };
    let source = |file: FileId| Arc::clone(program.unit(file).source());
    let mut results = Vec::new();
    let entries = program.entries().iter().filter_map(|(_, loaded)| loaded.as_ref().ok().copied());
    for file in entries {
        let tests = match (sound.contains(file), session.name) {
            (true, Name::Bicep) => unit_tests(&emitter, file, circumstances),
            (true, _) => {
                let own = own_assertions(&emitter, file, circumstances);
                unit_tests(&emitter, file, circumstances).into_iter().chain(own).collect()
            }
            (false, Name::Bicep) => skipped_tests(program, file, HAS_ERRORS),
            (false, _) => Vec::new(),
        };
        for unit_test in tests {
            results.push(TestResult { file: source(file), target: source(unit_test.target), unit_test });
        }
    }
    (results, reports)
}

/// A place for what is not given: nothing is deployed there.
fn standing_in(given: arm::Context) -> arm::Context {
    const NOBODY: &str = "00000000-0000-0000-0000-000000000000";
    let or = |given: &Option<base::SmolStr>, other: &'static str| {
        given.clone().or(Some(base::SmolStr::new_static(other)))
    };
    arm::Context {
        tenant_id: or(&given.tenant_id, NOBODY),
        management_group: or(&given.management_group, NOBODY),
        subscription_id: or(&given.subscription_id, NOBODY),
        resource_group: or(&given.resource_group, "DummyResourceGroup"),
        location: or(&given.location, "Dummy Location"),
        deployment_name: or(&given.deployment_name, "test"),
        ..given
    }
}
