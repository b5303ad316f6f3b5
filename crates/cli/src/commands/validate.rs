//! `sinew validate`: checks every document of files with a function.

use crate::scripts::{ScriptArgs, ScriptKind};
use crate::session::{Outcome, Session, Status};

const EXAMPLES: &str = "\
Examples:
  sinew validate ./valid.js *.yaml
  sinew validate -m @jkcfg/kubernetes/validate manifests/*.yaml
  sinew validate -c 'v => v.name === \"right\"' config.json
  sinew validate --diagnostics-format sarif ./valid.js *.yaml > report.sarif

Exit code 1 means that a document is invalid or could not be checked.";

/// Validate files with a function
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The module whose default export is the function, or code with `-c`
    script: String,

    /// The files
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,

    #[command(flatten)]
    kind: ScriptKind,

    #[command(flatten)]
    scripts: ScriptArgs,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let call = args.scripts.for_import(&args.script, args.kind, session)?;
    let host = args.scripts.host(&call);
    let mut outcome = generate::validate(host.clone(), call.settings.clone(), &call.script, &args.files);
    let _ = host.flush();
    let text_of = |path: &str| std::fs::read_to_string(path).ok();
    let is_forgiven = args.scripts.has_jk_exit_codes(session) && outcome.error.is_none();
    if args.scripts.reports_text() {
        let mut lines = String::new();
        for check in &outcome.checks {
            if check.verdict.is_pass() {
                lines.push_str(&format!("{}: ok\n", check.path));
            }
            check.lines().for_each(|line| lines.push_str(&format!("{line}\n")));
        }
        session.output.talk(&lines)?;
        if !is_forgiven {
            outcome.checks.iter_mut().for_each(|check| check.messages.clear());
            args.scripts.report(session, &outcome, &text_of)?;
        }
    } else {
        args.scripts.report(session, &outcome, &text_of)?;
    }
    Ok(Status::from_findings(!outcome.is_good() && !is_forgiven))
}
