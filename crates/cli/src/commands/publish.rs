//! `sinew publish`: puts a module into a registry, compiled, with its sources if asked for.

mod sources;

use base::{FileReport, World as _};
use bicep_sema::{FileId, Program};
use camino::Utf8PathBuf;
use config::reference::{self, ArtifactKind, OciReference, Reference};
use project::Compilation;
use registry::{Module, PublishOptions};

use crate::artifacts;
use crate::compile::{self, CompileArgs};
use crate::failure::Failure;
use crate::names::LANGUAGE_VERSION;
use crate::report::{self, DiagnosticsFormat};
use crate::session::{Outcome, Session, Status};

const EXAMPLES: &str = "\
Examples:
  sinew publish main.bicep --target br:example.azurecr.io/bicep/storage:1.0.0
  sinew publish main.bicep --target br/corp:storage:1.0.0 --with-source --force
  sinew publish main.json --target br/corp:storage:1.0.0

A module with errors is not published.";

/// Publish a module to a registry
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The module: a Bicep file, or an ARM template in JSON
    file: Utf8PathBuf,

    /// Where to: `br:HOST/PATH:TAG` or `br/ALIAS:PATH:TAG`
    #[arg(long, value_name = "REFERENCE")]
    target: String,

    /// A page about the module
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    documentation_uri: Option<String>,

    /// Publish the source files of the module too
    #[arg(long)]
    with_source: bool,

    /// Replace an existing tag
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    compile: CompileArgs,

    /// The format of the report, on standard error
    #[arg(long, value_enum, ignore_case = true, value_name = "FORMAT", default_value_t)]
    diagnostics_format: DiagnosticsFormat,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let options = options(&args.target, ArtifactKind::Module, args.force, session)?;
    let Some(made) = make(args, session)? else { return Ok(Status::Findings) };
    let module = Module {
        template: &made.template,
        sources: made.sources.as_deref(),
        documentation_uri: args.documentation_uri.as_deref(),
    };
    registry::publish(&module, &options).map_err(|error| Failure::publish(&args.target, &error))?;
    Ok(Status::Clean)
}

/// What a module is made of.
struct Made {
    template: Vec<u8>,
    sources: Option<Vec<u8>>,
}

/// Reads or compiles the module; nothing when it has errors, which are reported.
fn make(args: &Args, session: &Session) -> Result<Option<Made>, Failure> {
    let path = session.absolute(&args.file)?;
    match path.extension().map(str::to_ascii_lowercase).as_deref() {
        Some("json" | "jsonc" | "arm") if args.with_source => Err(Failure::no_sources(&args.file)),
        Some("json" | "jsonc" | "arm") => {
            let template =
                session.world.read(&path).map_err(|error| Failure::unreadable(&args.file, &error))?;
            Ok(Some(Made { template: template.to_vec(), sources: None }))
        }
        Some("bicep") => {
            compile::with_compilation(&path, args.compile, session, |made| compiled(made, args, session))
        }
        _ => Err(Failure::not_a_module(&args.file)),
    }
}

fn compiled(compilation: &Compilation<'_>, args: &Args, session: &Session) -> Result<Option<Made>, Failure> {
    let program = compilation.program();
    let file = compile::entry(program, &args.file)?;
    let reports = compile::reports(compilation);
    report::write_beside_output(session, &reports, args.diagnostics_format)?;
    if reports.iter().any(FileReport::has_errors) {
        return Ok(None);
    }
    let template = json::to_pretty(&compile::template(&compilation.emitter(), file)?.template).into_bytes();
    let sources = args.with_source.then(|| sources_of(program, file, session)).transpose()?;
    Ok(Some(Made { template, sources }))
}

fn sources_of(program: &Program<'_>, file: FileId, session: &Session) -> Result<Vec<u8>, Failure> {
    let path = program.unit(file).source().path();
    let (config, _) = config::load_for(&session.world, path);
    let store = artifacts::store_of(path, &config, session)?;
    sources::archive(program, file, store.cache(), LANGUAGE_VERSION)
}

/// The address of a page, from its scheme on.
fn address(text: &str) -> Result<String, String> {
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    };
    let is_good =
        |rest: &str| !rest.is_empty() && !rest.contains(|c: char| c.is_whitespace() || c.is_control());
    match text.split_once(':') {
        Some((scheme, rest)) if is_scheme(scheme) && is_good(rest) => Ok(text.to_owned()),
        _ => Err("an address such as https://example.com/docs is expected".to_owned()),
    }
}

/// How to publish under a reference, with the aliases and credentials that hold here.
pub(crate) fn options(
    target: &str,
    kind: ArtifactKind,
    force: bool,
    session: &Session,
) -> Result<PublishOptions, Failure> {
    let target = target_of(target, kind, session)?;
    let docker_config = registry::docker_config_path(&session.world);
    Ok(PublishOptions { force, docker_config, ..PublishOptions::new(target) })
}

/// The artifact that a target means, by the configuration of the current folder.
fn target_of(text: &str, kind: ArtifactKind, session: &Session) -> Result<OciReference, Failure> {
    let here = session.absolute("main.bicep".into())?;
    let (config, _) = config::load_for(&session.world, &here);
    match reference::parse(text, kind, &config) {
        Ok(Reference::Oci(reference)) => Ok(reference),
        Ok(_) => Err(Failure::bad_target(text, "it does not lead to a registry")),
        Err(problem) => Err(Failure::bad_target(text, &problem.message)),
    }
}
