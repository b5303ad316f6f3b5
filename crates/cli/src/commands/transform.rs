//! `sinew transform`: puts every document of files through a function.

use generate::TransformOptions;
use generate::host_disk::WriteOptions;

use crate::scripts::{ScriptArgs, ScriptKind, Task};
use crate::session::{Outcome, Session};

const EXAMPLES: &str = "\
Examples:
  sinew transform -o out ./addlabels.js manifests/*.yaml
  sinew transform --stdout \\
      -c '({ name, ...rest }) => ({ name: name + \"-dev\", ...rest })' *.json
  sinew transform --overwrite --validate ./check.js ./fix.js manifests/*.yaml

The function receives each document and returns its replacement; if it returns
nothing, the document is kept.";

/// Transform files with a function
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The module whose default export is the function, or code with `-c`
    script: String,

    /// The files
    #[arg(value_name = "FILE")]
    files: Vec<String>,

    #[command(flatten)]
    kind: ScriptKind,

    /// Print the values instead of writing files
    #[arg(long)]
    stdout: bool,

    /// Overwrite existing files, also outside the output folder
    #[arg(long)]
    overwrite: bool,

    /// A policy: a module whose default export validates every document
    #[arg(long, value_name = "MODULE")]
    validate: Option<String>,

    #[command(flatten)]
    scripts: ScriptArgs,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let call = args.scripts.for_import(&args.script, args.kind, session)?;
    let options = TransformOptions {
        input: args.files.clone(),
        stdout: args.stdout,
        overwrite: args.overwrite,
        validate: args.validate.clone(),
    };
    let work = |host| generate::transform(host, call.settings.clone(), &call.script, &options);
    args.scripts.perform(session, &Task { call: &call, plan: &WriteOptions::default(), work: &work })
}
