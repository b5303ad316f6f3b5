//! `sinew docs`: documentation of modules.

mod output;
mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::{Diagnostic, FileReport, SourceFile, World as _};
use bicep_docs::Options;
use bicep_sema::FileId;
use camino::{Utf8Path, Utf8PathBuf};
use clap::Subcommand;
use project::Compilation;

use crate::compile::{self, CompileArgs, Sound};
use crate::failure::Failure;
use crate::inputs::{self, Input};
use crate::messages;
use crate::names::Name;
use crate::parallel;
use crate::report::{self, DiagnosticsFormat};
use crate::session::{Outcome, Session, Status};

pub(crate) use output::Document;
use output::OutputArgs;
use values::ValueArgs;

const EXAMPLES: &str = "\
Examples:
  sinew docs main.bicep        writes README.md next to it
  sinew docs modules           every main.bicep below a folder
  sinew docs --pattern 'modules/*/main.bicep'
  sinew docs main.bicep --stdout
  sinew docs modules --check   for CI: fails if out of date
  sinew docs main.bicep --template-file docs.scriban \\
      --custom-template-value owner=platform

Settings are under `documentation` in bicepconfig.json. A module with errors is
skipped. Exit code 1 means that something failed or, with --check, that a file
is out of date.";

const EXPERIMENTAL: &str = "`docs` is experimental: its layout and its options may change";

/// Generate documentation of modules
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<DocsCommand>,

    #[command(flatten)]
    generate: GenerateArgs,
}

#[derive(Debug, Subcommand)]
enum DocsCommand {
    /// Generate documentation of modules; the same as `docs` alone
    #[command(after_help = EXAMPLES)]
    Generate(GenerateArgs),
}

#[derive(Debug, clap::Args)]
struct GenerateArgs {
    /// Modules, or folders to search for `main.bicep`; usage examples are skipped
    #[arg(value_name = "FILE|DIR")]
    paths: Vec<Utf8PathBuf>,

    /// All modules that match, such as `modules/*/main.bicep`
    #[arg(long, value_name = "GLOB")]
    pattern: Option<String>,

    #[command(flatten)]
    output: OutputArgs,

    /// A Scriban template to use instead of the default layout
    #[arg(long, value_name = "FILE")]
    template_file: Option<Utf8PathBuf>,

    /// The folder for includes of the template [default: the folder of the module]
    #[arg(long, value_name = "DIR")]
    template_root: Option<Utf8PathBuf>,

    #[command(flatten)]
    values: ValueArgs,

    #[command(flatten)]
    compile: CompileArgs,

    /// The format of the report, on standard error
    #[arg(long, value_enum, ignore_case = true, value_name = "FORMAT", default_value_t)]
    diagnostics_format: DiagnosticsFormat,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    match &args.command {
        Some(DocsCommand::Generate(generate)) => run_generate(generate, session),
        None => run_generate(&args.generate, session),
    }
}

fn run_generate(args: &GenerateArgs, session: &Session) -> Outcome {
    args.output.check(args.pattern.is_some())?;
    let inputs = find(args, session)?;
    args.output.check_count(inputs.len())?;
    inputs::warn_if_none(&inputs, session)?;
    let run = DocumentationRun {
        template_file: args.template_file.clone(),
        template_root: args.template_root.clone(),
        values: args.values.read(session)?,
        session,
    };
    let mut entries = Vec::with_capacity(inputs.len());
    for input in &inputs {
        entries.push(session.absolute(&input.path)?);
    }
    let parts = compile::map_compilations(&entries, None, args.compile, session, |compilation| {
        Ok(run.part(compilation))
    })?;
    let (mut reports, mut documents) = (Vec::new(), Vec::new());
    for part in parts {
        reports.extend(part.reports);
        documents.extend(part.documents);
    }
    // Documents are in the order of the inputs, however they were compiled.
    documents.sort_by_key(|document: &Document| entries.iter().position(|entry| *entry == document.entry));
    let (delivered, conflict) = match args.output.deliver(&inputs, &entries, documents, session) {
        Ok(reports) => (reports, None),
        Err(failure) => (Vec::new(), Some(failure)),
    };
    delivered.into_iter().for_each(|report| report::add(&mut reports, report));
    let is_text = args.diagnostics_format == DiagnosticsFormat::Text;
    if session.name == Name::Bicep && is_text && !inputs.is_empty() {
        session.output.warning(EXPERIMENTAL)?;
    }
    report::write_beside_output(session, &reports, args.diagnostics_format)?;
    match conflict {
        Some(failure) => Err(failure),
        None => Ok(Status::from_findings(reports.iter().any(FileReport::has_errors))),
    }
}

/// The modules that are meant.
fn find(args: &GenerateArgs, session: &Session) -> Result<Vec<Input>, Failure> {
    let mut found = match &args.pattern {
        Some(pattern) if args.paths.is_empty() => inputs::matching(pattern)?,
        Some(_) => return Err(Failure::conflict("--pattern", "FILE")),
        None if args.paths.is_empty() => return Err(Failure::no_input()),
        None => Vec::new(),
    };
    for path in &args.paths {
        inputs::reject_backslash(path.as_str())?;
        if path.is_dir() && session.name != Name::Bicep {
            found.extend(modules(path, session)?);
        } else {
            found.push(Input::file(path));
        }
    }
    let is_module =
        |input: &&Input| input.path.extension().is_some_and(|it| it.eq_ignore_ascii_case("bicep"));
    match found.iter().find(|input| !is_module(input)) {
        Some(other) => Err(Failure::not_a_bicep_file(&other.path)),
        None => Ok(found),
    }
}

/// The modules below a folder. What lies in the examples of one is not a module of its own.
fn modules(folder: &Utf8Path, session: &Session) -> Result<Vec<Input>, Failure> {
    let found = inputs::below(folder, |path| path.file_name() == Some("main.bicep"))?;
    let configs = config::Loader::new(&session.world);
    let folder_of = |input: &Input| input.path.parent().map(Utf8Path::to_owned).unwrap_or_default();
    let folders: BTreeSet<Utf8PathBuf> = found.iter().map(folder_of).collect();
    let mut modules = Vec::with_capacity(found.len());
    for input in found {
        let mut is_example = false;
        for around in input.path.ancestors().skip(2).filter(|around| folders.contains(*around)) {
            let settings = configs.load_for(&session.absolute(&around.join("main.bicep"))?);
            let sources = settings.documentation.examples.sources.iter().map(|source| source.path.as_str());
            is_example |= sources
                .filter(|source| *source != ".")
                .any(|source| input.path.starts_with(around.join(source)));
        }
        if !is_example {
            modules.push(input);
        }
    }
    Ok(modules)
}

/// What documents are made with.
pub(crate) struct DocumentationRun<'a> {
    /// A template instead of the standard layout.
    pub(crate) template_file: Option<Utf8PathBuf>,
    /// The folder in which it finds what it includes.
    pub(crate) template_root: Option<Utf8PathBuf>,
    /// Values that it may use.
    pub(crate) values: Vec<(String, String)>,
    pub(crate) session: &'a Session,
}

/// What the modules of one compilation came to.
pub(crate) struct CompilationDocuments {
    pub(crate) reports: Vec<FileReport>,
    pub(crate) documents: Vec<Document>,
}

impl DocumentationRun<'_> {
    /// The documents of the entry files of a compilation, and what is wrong with them.
    pub(crate) fn part(&self, compilation: &Compilation<'_>) -> CompilationDocuments {
        let program = compilation.program();
        let mut reports = compile::reports(compilation);
        let sound = Sound::new(program, &reports);
        let results = parallel::map(program.entries(), |(entry, loaded)| match loaded {
            Ok(file) if !sound.contains(*file) || has_bad_config(compilation, *file) => None,
            Ok(file) => Some(self.document(compilation, *file).map(|(name, text)| Document {
                entry: entry.clone(),
                file: Arc::clone(program.unit(*file).source()),
                name,
                text,
            })),
            Err(error) => {
                let file = SourceFile::new(entry, "");
                Some(Err(FileReport::new(file, vec![messages::documentation_input(&error.to_string())])))
            }
        });
        let mut documents = Vec::new();
        for result in results.into_iter().flatten() {
            match result {
                Ok(document) => documents.push(document),
                Err(report) => report::add(&mut reports, report),
            }
        }
        CompilationDocuments { reports, documents }
    }

    /// The name of the documentation of a sound module, and its text.
    fn document(&self, compilation: &Compilation<'_>, file: FileId) -> Result<(String, String), FileReport> {
        let program = compilation.program();
        let source = program.unit(file).source();
        let refuse = |diagnostic: Diagnostic| FileReport::new(Arc::clone(source), vec![diagnostic]);
        let settings =
            program.bicep(file).map(|bicep| bicep.config.documentation.clone()).unwrap_or_default();
        let here = |path: &Utf8PathBuf| self.session.absolute(path);
        let given = self.template_file.as_ref().map(here).transpose();
        let given_root = self.template_root.as_ref().map(here).transpose();
        let (given, given_root) = match (given, given_root) {
            (Ok(given), Ok(root)) => (given, root),
            (Err(failure), _) | (_, Err(failure)) => {
                return Err(refuse(messages::documentation_input(&failure.to_string())));
            }
        };
        let template_root = given_root.or(settings.include_root);
        if let Some(root) = template_root.as_deref().filter(|root| self.session.world.list(root).is_err()) {
            return Err(refuse(messages::documentation_root(root)));
        }
        let mut values: BTreeMap<String, String> =
            settings.values.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        values.extend(self.values.iter().cloned());
        let options = Options {
            template_file: given.or(settings.template_file),
            template_root,
            values,
            examples: settings.examples,
        };
        match bicep_docs::generate(program, file, &options) {
            Ok(text) => Ok((settings.output_file.to_string(), text)),
            Err(failure) => Err(refuse(messages::documentation(&failure))),
        }
    }
}

/// Whether the configuration of a module cannot be used.
fn has_bad_config(compilation: &Compilation<'_>, file: FileId) -> bool {
    let program = compilation.program();
    let path = program.bicep(file).and_then(|bicep| bicep.config.path().map(Utf8Path::to_owned));
    let of_config =
        program.config_reports().iter().filter(|report| Some(report.file.path()) == path.as_deref());
    of_config.into_iter().any(FileReport::has_errors)
}
