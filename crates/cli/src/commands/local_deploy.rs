//! `local-deploy`: deploys a parameter file for `targetScope = 'local'` with the programs of its extensions.

use std::time::Duration;

use camino::Utf8PathBuf;
use config::Feature;
use deploy::{ArmError, DeploymentId, DeploymentRequest, Engine, Location, Options, Paging, Scope};
use serde_json::{Map, Value as Json, json};

use crate::azure;
use crate::azure::view::{DeploymentView, OperationView, ResultFormat, RunResult, error_text, is_terminal};
use crate::commands::bicep_deploy::{Progress, finish, until_interrupted};
use crate::compile::{self, CompileArgs, Sound};
use crate::deployment::{self, source};
use crate::failure::Failure;
use crate::report::{self, DiagnosticsFormat};
use crate::session::{Outcome, Session, Status};

const EXAMPLES: &str = "\
Examples:
  sinew local-deploy main.bicepparam
  sinew local-deploy main.bicepparam --format json

The Bicep file needs `targetScope = 'local'` and the experimental feature
`localDeploy`. Its resources are created by the programs of its extensions,
which run only during the deployment. Nothing is stored; `sinew deploy` keeps
state. Exit code 0 means that everything was deployed.";

/// Run a parameter file with `targetScope = 'local'`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The parameter file
    #[arg(value_name = "FILE.bicepparam")]
    file: Utf8PathBuf,

    /// The format of the result
    #[arg(long, value_enum, ignore_case = true, value_name = "FORMAT", default_value_t)]
    format: ResultFormat,

    #[command(flatten)]
    compile: CompileArgs,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let Some(source) = load(args, session)? else { return Ok(Status::Findings) };
    let result = deployment::drive(async {
        let mut options = Options { store: Location::Memory, ..Options::default() };
        for (name, program) in &source.extensions {
            options.extensions = options.extensions.or(name, program);
        }
        let engine = Engine::open(options).await.map_err(|error| Failure::deployment(&error))?;
        // The engine ends the programs of the extensions, also after Ctrl-C.
        let result = until_interrupted(async {
            Ok(deploy(&engine, source).await.unwrap_or_else(|error| RunResult::failed(error_text(&error))))
        })
        .await;
        engine.shutdown().await;
        result
    })?;
    finish(result, args.format, session)
}

/// Compiles the files. Nothing when they are wrong: that has been reported.
fn load(args: &Args, session: &Session) -> Result<Option<source::Source>, Failure> {
    azure::check_extension(&args.file)?;
    let entry = session.absolute(&args.file)?;
    compile::with_compilation(&entry, args.compile, session, |compilation| {
        let program = compilation.program();
        let file = compile::entry(program, &args.file)?;
        let reports = compile::reports(compilation);
        report::write_beside_output(session, &reports, DiagnosticsFormat::Text)?;
        if !Sound::new(program, &reports).contains(file) {
            return Ok(None);
        }
        if !program.bicep(file).is_some_and(|bicep| bicep.config.has(Feature::LocalDeploy)) {
            return Err(Failure::feature_is_off(Feature::LocalDeploy.name()));
        }
        let template = compilation.parameters(file).and_then(|parameters| parameters.template);
        if !template.is_some_and(|template| azure::is_local(compilation, template)) {
            return Err(Failure::not_local_scope(&args.file));
        }
        source::emit(compilation, file).map(Some)
    })
}

/// The place in which the engine of this process keeps what it makes.
const GROUP: &str = "local";
const SUBSCRIPTION: &str = "00000000-0000-0000-0000-000000000000";
/// How often a deployment is looked at.
const PAUSE: Duration = Duration::from_millis(50);

async fn deploy(engine: &Engine, source: source::Source) -> Result<RunResult, ArmError> {
    let scope = Scope::ResourceGroup { subscription: SUBSCRIPTION.into(), group: GROUP.into() };
    engine.put_group(SUBSCRIPTION, GROUP, &json!({ "location": "local" })).await?;
    let id = DeploymentId::new(scope, "main");
    let mut properties: Map<String, Json> = source.properties;
    properties.insert("mode".to_owned(), "Incremental".into());
    let body = json!({ "properties": properties });
    let request = match source.document {
        Some(document) => DeploymentRequest::of_template(id.clone(), document, &body)?,
        None => DeploymentRequest::new(id.clone(), &body)?,
    };
    engine.put(request).await?;
    let progress = Progress::new();
    loop {
        let document = engine.get(&id).await?;
        let mut operations = Vec::new();
        collect(engine, &id, "", &mut operations).await?;
        let view = DeploymentView::read(&document, operations);
        let is_over = is_terminal(&view.state);
        // Only what no operation tells is an error of the run.
        let error = document.pointer("/properties/error").filter(|_| view.operations.is_empty());
        let error = error.map(|error| error_text(&ArmError::from_json(error)));
        let result = RunResult { deployment: Some(view), error };
        if is_over {
            progress.end();
            return Ok(result);
        }
        progress.show(&result);
        tokio::time::sleep(PAUSE).await;
    }
}

/// The operations of a deployment, then those of each module, with its name before them.
async fn collect(
    engine: &Engine,
    id: &DeploymentId,
    prefix: &str,
    into: &mut Vec<OperationView>,
) -> Result<(), ArmError> {
    let mut after: Option<String> = None;
    let mut documents = Vec::new();
    loop {
        let page = match engine.operations(id, &Paging { top: None, after: after.as_deref() }).await {
            Ok(page) => page,
            // A module may not have begun.
            Err(error) if error.status == 404 => return Ok(()),
            Err(error) => return Err(error),
        };
        documents.extend(page.items);
        match page.next {
            Some(next) => after = Some(next),
            None => break,
        }
    }
    for operation in &documents {
        let is_module =
            operation.pointer("/properties/targetResource/extension/name") == Some(&json!(MODULES));
        let view = OperationView::read(operation, prefix);
        into.extend(view.map(|view| if is_module { view.map_error(module_error) } else { view }));
    }
    for operation in &documents {
        let target = operation.pointer("/properties/targetResource");
        let text = |name: &str| target.and_then(|target| target.get(name)).and_then(Json::as_str);
        if let Some(inner) = text("id").and_then(DeploymentId::parse) {
            let name = text("symbolicName").or_else(|| text("resourceName")).unwrap_or_default();
            Box::pin(collect(engine, &inner, &format!("{prefix}{name} -> "), into)).await?;
        }
    }
    Ok(())
}

/// The extension under which modules of local deployments go.
const MODULES: &str = "LocalNested";

/// The error of a module: that its deployment failed, and the first reason inside.
fn module_error(error: &ArmError) -> ArmError {
    let Some(failed) = error.details.first() else { return error.clone() };
    let reason = failed.details.first().map(|cause| cause.details.first().unwrap_or(cause));
    ArmError { details: reason.cloned().into_iter().collect(), ..failed.clone() }
}
