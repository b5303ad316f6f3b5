//! Deployments of parameter files as the Bicep CLI makes them: the file itself says what is deployed, how and where
//! (`using … with`). It goes to the resource manager of the configured cloud, or to whatever answers under its address.
//!
//! | module | from | to |
//! |---|---|---|
//! | [`settings`] | `using … with` | name, scope, mode |
//! | [`client`] | settings, template, parameters | calls, and what became of them |
//! | [`view`] | answers of the API | tables, or JSON |
//! | [`table`] | rows | lines with borders |

pub(crate) mod client;
pub(crate) mod settings;
pub(crate) mod table;
pub(crate) mod view;

use std::collections::BTreeMap;

use bicep_emit::parameters::{ParameterOptions, Parameters, parameters};
use bicep_sema::FileId;
use bicep_types::ty::Scopes;
use camino::{Utf8Path, Utf8PathBuf};
use config::{Cloud, Feature};
use project::Compilation;
use serde_json::{Map, Value as Json};

use crate::compile::{self, CompileArgs, Sound};
use crate::external_inputs::{AnswerArgs, Asked, Resolver};
use crate::failure::Failure;
use crate::report::{self, DiagnosticsFormat};
use crate::session::Session;

use settings::DeploymentSettings;

/// The arguments of commands that deploy a parameter file.
#[derive(Debug, clap::Args)]
pub(crate) struct ParameterFileArgs {
    /// The parameter file, which says with `using … with` how and where it is deployed
    #[arg(value_name = "FILE.bicepparam")]
    file: Utf8PathBuf,

    #[command(flatten)]
    answers: AnswerArgs,

    #[command(flatten)]
    compile: CompileArgs,
}

impl ParameterFileArgs {
    pub(crate) fn path(&self) -> &Utf8Path {
        &self.file
    }
}

/// What is deployed, and how.
pub(crate) struct ParameterFileDeployment {
    pub(crate) settings: DeploymentSettings,
    pub(crate) template: Json,
    /// Values by name, as a request has them.
    pub(crate) parameters: Json,
    pub(crate) extension_configs: Option<Json>,
    /// The cloud that the configuration of the file names.
    pub(crate) cloud: Cloud,
}

/// Compiles a parameter file and evaluates what it says. Nothing when it is wrong: that has been reported.
pub(crate) fn prepare(
    args: &ParameterFileArgs,
    session: &Session,
) -> Result<Option<ParameterFileDeployment>, Failure> {
    check_extension(&args.file)?;
    let entry = session.absolute(&args.file)?;
    compile::with_compilation(&entry, args.compile, session, |compilation| {
        let file = compile::entry(compilation.program(), &args.file)?;
        if !compilation.program().bicep(file).is_some_and(|it| it.config.has(Feature::DeployCommands)) {
            return Err(Failure::feature_is_off(Feature::DeployCommands.name()));
        }
        if let Some(template) = compilation.parameters(file).and_then(|it| it.template)
            && is_local(compilation, template)
        {
            return Err(Failure::local_scope(&args.file));
        }
        if !report_all(compilation, file, session)? {
            return Ok(None);
        }
        evaluated(compilation, file, args, session).map(Some)
    })
}

/// Refuses everything but parameter files.
pub(crate) fn check_extension(path: &Utf8Path) -> Result<(), Failure> {
    match path.extension() {
        Some(extension) if extension.eq_ignore_ascii_case("bicepparam") => Ok(()),
        _ => Err(Failure::needs_parameter_file(path)),
    }
}

/// Whether a file is deployed on this machine, and not to Azure.
pub(crate) fn is_local(compilation: &Compilation<'_>, file: FileId) -> bool {
    compilation.program().interface(file).is_some_and(|interface| interface.target == Scopes::LOCAL)
}

/// Reports experimental features and everything that is wrong. Says whether the file can be deployed.
fn report_all(compilation: &Compilation<'_>, file: FileId, session: &Session) -> Result<bool, Failure> {
    let names: Vec<&str> = compilation.experimental_features().into_iter().map(Feature::name).collect();
    if !names.is_empty() {
        session
            .output
            .warning(&format!("experimental features are on, and may change: {}", names.join(", ")))?;
    }
    let reports = compile::reports(compilation);
    report::write_beside_output(session, &reports, DiagnosticsFormat::Text)?;
    Ok(Sound::new(compilation.program(), &reports).contains(file))
}

fn evaluated(
    compilation: &Compilation<'_>,
    file: FileId,
    args: &ParameterFileArgs,
    session: &Session,
) -> Result<ParameterFileDeployment, Failure> {
    let program = compilation.program();
    let none = || Failure::parameters_without_template(&args.file);
    let known = compilation.parameters(file).ok_or_else(none)?;
    let template = known.template.ok_or_else(none)?;
    let answers = answers(compilation, &known, args, session)?;
    let options = ParameterOptions { external_inputs: known.form, answers };
    let evaluated = parameters(program, file, &options).ok_or_else(none)?;
    if !evaluated.diagnostics.is_empty() {
        // The reasons might show values of external inputs, which may be secrets.
        return Err(Failure::parameters_not_evaluated(&args.file));
    }
    let scope = program.interface(template).map_or(Scopes::RESOURCE_GROUP, |interface| interface.target);
    let settings = DeploymentSettings::read(evaluated.using_value.as_ref(), scope, &args.file)?;
    let emitted = compile::template(&compilation.emitter(), template)?;
    let mut document = match evaluated.document() {
        Json::Object(document) => document,
        _ => Map::new(),
    };
    let cloud = program.bicep(file).map(|bicep| bicep.config.cloud.clone()).ok_or_else(none)?;
    Ok(ParameterFileDeployment {
        settings,
        template: emitted.template.clone(),
        parameters: document.remove("parameters").unwrap_or_default(),
        extension_configs: document.remove("extensionConfigs"),
        cloud,
    })
}

/// The values of all external inputs, by key.
fn answers(
    compilation: &Compilation<'_>,
    parameters: &Parameters,
    args: &ParameterFileArgs,
    session: &Session,
) -> Result<BTreeMap<String, arm::Value>, Failure> {
    let resolver = Resolver::new(&args.answers, session)?;
    let mut answers = BTreeMap::new();
    for input in &parameters.external_inputs {
        let path = compilation.program().unit(input.file).source().path();
        let folder = path.parent().unwrap_or(Utf8Path::new("/"));
        let asked = Asked { key: &input.key, kind: &input.kind, config: input.config.as_ref(), folder };
        let value =
            resolver.answer(asked).map_err(|reason| Failure::input_not_supplied(&input.key, &reason))?;
        answers.insert(input.key.clone(), arm::Value::from(&value).into_secure());
    }
    resolver.check_all_used()?;
    Ok(answers)
}
