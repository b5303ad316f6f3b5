//! `sinew publish`: puts a compiled module into a registry.

use base::World as _;
use camino::Utf8PathBuf;
use config::reference::{self, ArtifactKind, OciReference, Reference};
use registry::{Module, PublishOptions};

use crate::failure::Failure;
use crate::session::{Outcome, Session, Status};

const EXAMPLES: &str = "\
Examples:
  sinew publish main.json --target br:example.azurecr.io/bicep/storage:1.0.0
  sinew publish main.json --target br/corp:storage:1.0.0 --force";

/// Publish a module to a registry
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The module, as an ARM template in JSON
    file: Utf8PathBuf,

    /// Where to: `br:HOST/PATH:TAG` or `br/ALIAS:PATH:TAG`
    #[arg(long, value_name = "REFERENCE")]
    target: String,

    /// A page about the module
    #[arg(long, value_name = "ADDRESS")]
    documentation_uri: Option<String>,

    /// Replace what is there under the same tag
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let path = session.absolute(&args.file)?;
    if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json")) {
        return Err(Failure::not_a_template(&args.file));
    }
    let template = session.world.read(&path).map_err(|error| Failure::unreadable(&args.file, &error))?;
    let options = options(&args.target, ArtifactKind::Module, args.force, session)?;
    let module =
        Module { template: &template, sources: None, documentation_uri: args.documentation_uri.as_deref() };
    registry::publish(&module, &options).map_err(|error| Failure::publish(&args.target, &error))?;
    Ok(Status::Clean)
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
