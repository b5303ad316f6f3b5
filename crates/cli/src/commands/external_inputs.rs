//! `sinew inputs`: the values that compiled parameters wait for.

use arm::parameters::Inputs;
use base::{Diagnostic, FileReport, World as _};
use camino::{Utf8Path, Utf8PathBuf};
use clap::Subcommand;
use json::Node;
use serde_json::{Map, Value as Json, json};

use crate::external_inputs::{AnswerArgs, Asked, Resolver};
use crate::failure::Failure;
use crate::messages;
use crate::report::{self, DiagnosticsFormat};
use crate::session::{Outcome, Session, Status};
use crate::write;

const EXAMPLES: &str = "\
Examples:
  sinew inputs resolve prod.json --input region=westeurope   for a pipeline
  sinew inputs resolve prod.json --inputs answers.json --outfile inputs.json

Supported types: `sys.envVar`, `sys.cliArgument` (from --input) and `sys.file`.
Other inputs need a value from --input or --inputs. Missing inputs are reported
at their position, and nothing is written. The output is readable only by you.";

/// Resolve the external inputs of compiled parameters
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: InputsCommand,
}

#[derive(Debug, Subcommand)]
enum InputsCommand {
    /// Write the values of all external inputs
    #[command(after_help = EXAMPLES)]
    Resolve(ResolveArgs),
}

#[derive(Debug, clap::Args)]
struct ResolveArgs {
    /// A JSON parameters file, as written by `build-params`
    #[arg(value_name = "FILE")]
    file: Utf8PathBuf,

    #[command(flatten)]
    answers: AnswerArgs,

    /// Write to this file
    #[arg(long, value_name = "FILE")]
    outfile: Option<Utf8PathBuf>,

    /// The format of the report, on standard error
    #[arg(long, value_enum, ignore_case = true, value_name = "FORMAT", default_value_t)]
    diagnostics_format: DiagnosticsFormat,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let InputsCommand::Resolve(args) = &args.command;
    let source =
        session.world.read_source(&args.file).map_err(|error| Failure::unreadable(&args.file, &error))?;
    let parsed = json::parse(source.text(), json::Options::lenient());
    let mut diagnostics = parsed.diagnostics;
    let resolver = Resolver::new(&args.answers, session)?;
    let folder = session.absolute(&args.file)?;
    let folder = folder.parent().unwrap_or(Utf8Path::new("/"));
    let document = parsed.root.map(|root| resolve(&root, folder, &resolver, &mut diagnostics));
    let report = FileReport::new(source, diagnostics);
    let has_errors = report.has_errors();
    report::write_beside_output(session, &[report], args.diagnostics_format)?;
    if let Some(document) = document.filter(|_| !has_errors) {
        resolver.check_all_used()?;
        let target = args.outfile.clone().unwrap_or_else(|| args.file.with_extension("inputs.json"));
        write::write_private(&target, &json::to_pretty(&document))?;
    }
    Ok(Status::from_findings(has_errors))
}

/// The document with the values, in the form that belongs to that of the definitions.
fn resolve(
    root: &Node,
    folder: &Utf8Path,
    resolver: &Resolver<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Json {
    let azure = root.get_ignore_case("externalInputDefinitions");
    let section = azure.or_else(|| root.get_ignore_case("externalInputs"));
    let (inputs, errors) = Inputs::read(root);
    diagnostics.extend(
        errors.iter().map(|error| messages::malformed_inputs(error.range().unwrap_or(root.range), error)),
    );
    let wanted = inputs.wanted_inputs();
    let mut values = Map::new();
    for member in section.and_then(Node::as_object).into_iter().flatten() {
        let (key, node) = (member.key.as_str(), &member.value);
        let kind = node.get_ignore_case("type").or_else(|| node.get_ignore_case("kind"));
        // What has not the right form is refused already.
        let Some(kind) = kind.and_then(Node::as_str).filter(|kind| !kind.is_empty()) else { continue };
        let config = node.get_ignore_case("config").or_else(|| node.get_ignore_case("options"));
        let config = config.map(Node::to_value);
        match resolver.answer(Asked { key, kind, config: config.as_ref(), folder }) {
            Ok(value) if azure.is_some() => {
                values.insert(key.to_owned(), json!({ "value": value }));
            }
            Ok(value) => {
                values.insert(key.to_owned(), value);
            }
            // Nothing in the file depends on it.
            Err(_) if !wanted.contains(key) => {}
            Err(reason) => diagnostics.push(messages::unresolved_input(node.range, key, &reason)),
        }
    }
    match azure {
        Some(_) => json!({ "externalInputs": values }),
        None => json!({ "externalInputValues": values }),
    }
}
