//! `sinew init`: a small project to start with.

use camino::Utf8PathBuf;

use crate::failure::Failure;
use crate::session::{Outcome, Session, Status};
use crate::write;

const EXAMPLES: &str = "\
Examples:
  sinew init                 in the current folder
  sinew init configuration   in a new folder";

/// Create a project that generates configuration
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The folder
    #[arg(default_value = ".")]
    folder: Utf8PathBuf,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let files = generate::project::files();
    if let Some((name, _)) = files.iter().find(|(name, _)| args.folder.join(name).exists()) {
        return Err(Failure::exists(&args.folder.join(name)));
    }
    for (name, text) in files {
        write::write(&args.folder.join(name), text)?;
        session.output.data(&format!("wrote {}\n", args.folder.join(name)))?;
    }
    Ok(Status::Clean)
}
