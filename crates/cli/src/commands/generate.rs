//! `sinew generate`: writes the files that a script describes, once all of them are good.

use camino::Utf8Path;
use generate::host_disk::WriteOptions;
use generate::{GenerateOptions, paths};

use crate::scripts::{ScriptArgs, ScriptKind, Task};
use crate::session::{Outcome, Session};

const EXAMPLES: &str = "\
Examples:
  sinew generate config.ts -p name=web -o manifests
  sinew generate --stdout config.js | kubectl apply -f -
  sinew generate --check config.js   exit code 1 if a file would change
  sinew generate --prune -o manifests config.js
  sinew generate --validate @jkcfg/kubernetes/validate config.js

The default export is a list of { path, value, format?, validate? }. If a value
fails validation, all messages are printed and no file is changed.";

/// Generate configuration files from a script
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The script, as an import specifier in the current folder
    script: String,

    /// The folder the script can read [default: its own]
    #[arg(short, long, value_name = "DIR")]
    input_directory: Option<String>,

    /// Print the values instead of writing files
    #[arg(long)]
    stdout: bool,

    /// A policy: a module whose default export validates every document
    #[arg(long, value_name = "MODULE")]
    validate: Option<String>,

    /// Report what would change; exit code 1 if anything would
    #[arg(long, conflicts_with = "stdout")]
    check: bool,

    /// Delete files that an earlier run with `--prune` wrote and this one does not
    #[arg(long, conflicts_with = "stdout")]
    prune: bool,

    #[command(flatten)]
    scripts: ScriptArgs,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let mut call = args.scripts.for_import(&args.script, ScriptKind::IMPORTED, session)?;
    let folder = call.settings.folder.clone();
    let script_folder = Utf8Path::new(&args.script).parent().map_or(".", Utf8Path::as_str);
    let input = args.input_directory.as_deref().unwrap_or(script_folder);
    call.settings.input = paths::join(&folder, input);
    let plan = WriteOptions {
        check: args.check,
        prune: args.prune.then(|| (call.settings.output.clone(), call.name.clone())),
    };
    let options = GenerateOptions { stdout: args.stdout, validate: args.validate.clone() };
    let work = |host| generate::generate(host, call.settings.clone(), &call.script, &options);
    args.scripts.perform(session, &Task { call: &call, plan: &plan, work: &work })
}
