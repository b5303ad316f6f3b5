//! Deployments from the command line: files come in; requests to an engine of this process or to a server go out, and
//! their progress, outputs and errors come back.
//!
//! | module | from | to |
//! |---|---|---|
//! | [`source`] | `.bicep`, `.bicepparam`, `.json` | template and parameters |
//! | [`extensions`] | a program | the programs of its extensions |
//! | [`supply`] | `--input`, the environment | values of external inputs |
//! | [`place`] | options | which deployment, where |
//! | [`target`] | calls | an engine here, or a server |
//! | [`progress`] | operations | lines, or a tree on a terminal |
//! | [`errors`] | errors of the API | reports in the files that people wrote |

pub(crate) mod destination;
pub(crate) mod errors;
pub(crate) mod extensions;
pub(crate) mod input_values;
pub(crate) mod progress;
pub(crate) mod source;
pub(crate) mod target;

use camino::{Utf8Path, Utf8PathBuf};
use deploy::{ArmError, DeploymentRequest};
use serde_json::{Value as Json, json};

use crate::compile::CompileArgs;
use crate::external_inputs::AnswerArgs;
use crate::failure::Failure;
use crate::report::{DiagnosticsFormat, Reporter};
use crate::session::Session;

/// The arguments of commands that deploy.
#[derive(Debug, clap::Args)]
pub(crate) struct DeploymentArgs {
    /// A Bicep file, a parameter file, or a template
    #[arg(value_name = "FILE")]
    pub(crate) file: Utf8PathBuf,

    /// Parameters: a file in JSON, or `NAME=VALUE` with a value in JSON or else a text
    #[arg(long, short, value_name = "FILE|NAME=VALUE")]
    pub(crate) parameters: Vec<String>,

    #[command(flatten)]
    pub(crate) answers: AnswerArgs,

    /// Delete resources of the group that are not in the template
    #[arg(long)]
    pub(crate) complete: bool,

    #[command(flatten)]
    pub(crate) place: destination::DestinationArgs,

    #[command(flatten)]
    pub(crate) target: target::TargetArgs,

    #[command(flatten)]
    pub(crate) compile: CompileArgs,

    /// The format of the report, on standard error
    #[arg(long, value_enum, ignore_case = true, value_name = "FORMAT", default_value_t)]
    pub(crate) diagnostics_format: DiagnosticsFormat,
}

/// A deployment that is ready to be sent.
pub(crate) struct Prepared {
    pub(crate) source: source::Source,
    pub(crate) place: destination::Destination,
    /// The body of the request, without the template.
    pub(crate) body: Json,
}

impl Prepared {
    /// The request to an engine in this process: a compiled template is handed over as it is.
    pub(crate) fn request(&self) -> Result<DeploymentRequest, ArmError> {
        let id = self.place.id.clone();
        match &self.source.document {
            Some(document) => DeploymentRequest::of_template(id, document.clone(), &self.body),
            None => DeploymentRequest::new(id, &self.whole_body()),
        }
    }

    /// The body with the template, as it is sent to another process.
    pub(crate) fn whole_body(&self) -> Json {
        let mut body = self.body.clone();
        if let Some(properties) = body.get_mut("properties").and_then(Json::as_object_mut) {
            properties.insert("template".into(), self.source.template.clone());
        }
        body
    }
}

/// Compiles, reads parameters and supplies inputs. Nothing when the files are wrong: that has been reported.
pub(crate) fn prepare(
    args: &DeploymentArgs,
    reporter: &Reporter<'_>,
    session: &Session,
) -> Result<Option<Prepared>, Failure> {
    let Some(mut source) = source::load(args, reporter, session)? else { return Ok(None) };
    let folder = session.absolute(&args.file)?;
    let folder = folder.parent().unwrap_or(Utf8Path::new("/"));
    if let Err(reports) = input_values::add(&mut source, folder, &args.answers, session)? {
        reporter.tell(reports)?;
        return Ok(None);
    }
    let mut properties = source.properties.clone();
    properties.insert("mode".into(), json!(if args.complete { "Complete" } else { "Incremental" }));
    let place = args.place.place(source.scope, &args.file)?;
    let mut body = json!({ "properties": properties });
    if let (Some(location), Some(members)) = (place.location(), body.as_object_mut()) {
        members.insert("location".into(), json!(location));
    }
    Ok(Some(Prepared { source, place, body }))
}

/// Drives a piece of asynchronous work to its end.
pub(crate) fn drive<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.map_err(|error| Failure::deployment(&error))?.block_on(work)
}
