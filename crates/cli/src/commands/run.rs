//! `sinew run`: runs a script.

use generate::host_disk::WriteOptions;

use crate::scripts::{ScriptArgs, ScriptKind, Task};
use crate::session::{Outcome, Session};

const EXAMPLES: &str = "\
Examples:
  sinew run build.js
  sinew run build.ts -p name=web -f production.yaml -o out
  sinew run -c 'print(await read(\"values.yaml\"))'
  cat build.js | sinew run -

Scripts can read below their own folder (or `-i`) and write below the current
folder (or `-o`), and access nothing else.";

/// Run a script in JavaScript or TypeScript
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A file, `-` for standard input, or the argument of `-m` or `-c`
    script: String,

    #[command(flatten)]
    kind: ScriptKind,

    /// The folder the script can read [default: its own]
    #[arg(short, long, value_name = "DIR")]
    input_directory: Option<String>,

    #[command(flatten)]
    scripts: ScriptArgs,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let mut call = args.scripts.for_file(&args.script, args.kind, session)?;
    if let Some(input) = &args.input_directory {
        call.settings.input = generate::paths::join(&call.settings.folder, input);
    }
    let work = |host| generate::run(host, call.settings.clone(), &call.script);
    args.scripts.perform(session, &Task { call: &call, plan: &WriteOptions::default(), work: &work })
}
