//! `sinew outdated`: versions of resource types and modules that could be newer.

use camino::Utf8Path;
use serde_json::json;

use crate::compile::{self, CompileArgs};
use crate::failure::Failure;
use crate::inputs::InputArgs;
use crate::review::deployed::shown;
use crate::review::versions::{Findings, VersionArgs, find, place};
use crate::session::{Outcome, Session, Status};

const EXAMPLES: &str = "\
Examples:
  sinew outdated .   all files below this folder
  sinew outdated main.bicep --max-age 730
  sinew outdated . --offline --json

API versions are compared with the installed types, as by the lint rule
use-recent-api-versions: versions newer than 90 days are not recommended.
Modules are compared with the tags in their registry. Exit code 1 means that
something is outdated; `sinew upgrade` updates it.";

/// List outdated API versions and module versions
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: InputArgs,

    #[command(flatten)]
    versions: VersionArgs,

    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let root = session.absolute(Utf8Path::new("."))?;
    let mut any = false;
    for findings in search(&args.inputs, &args.versions, session)? {
        tell_gaps(&findings, session)?;
        any |= !findings.outdated.is_empty();
        let mut text = String::new();
        for found in &findings.outdated {
            let name = found.subject.name();
            let line = if args.json {
                let at = found.file.position(found.range.start());
                json!({
                    "file": shown(found.file.path(), &root), "line": at.line + 1, "column": at.col + 1,
                    "name": name, "current": found.current, "newest": found.newest, "ageInDays": found.age,
                })
                .to_string()
            } else {
                let age = found.age.map(|age| format!("\t{age} days old")).unwrap_or_default();
                format!("{}\t{name}\t{} -> {}{age}", place(found, &root), found.current, found.newest)
            };
            text.push_str(&line);
            text.push('\n');
        }
        session.output.data(&text)?;
    }
    Ok(Status::from_findings(any))
}

/// What could be newer in the files that are meant.
fn search(inputs: &InputArgs, args: &VersionArgs, session: &Session) -> Result<Vec<Findings>, Failure> {
    let entries = inputs.resolve()?.into_iter().map(|input| session.absolute(&input.path));
    let entries: Vec<_> = entries.collect::<Result<_, _>>()?;
    let how = CompileArgs { no_restore: true, artifacts: crate::artifacts::ArtifactArgs::default() };
    compile::map_compilations(&entries, None, how, session, |compilation| {
        find(compilation, &entries, args, session)
    })
}

/// Says what could not be judged.
pub(super) fn tell_gaps(findings: &Findings, session: &Session) -> Result<(), Failure> {
    if findings.has_no_types {
        session.output.warning(
            "resource types are not judged: no types are installed; `sinew types install` does that",
        )?;
    }
    for (name, reason) in &findings.unknown {
        session.output.warning(&format!("`{name}` is not judged: {reason}"))?;
    }
    Ok(())
}
