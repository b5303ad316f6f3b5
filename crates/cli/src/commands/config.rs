//! `sinew config`: which settings are in force and where they come from; the JSON schema of `bicepconfig.json`.

use base::FileReport;
use camino::Utf8PathBuf;
use config::project_settings::{LoadedProject, load_project_settings};
use serde_json::json;

use crate::failure::Failure;
use crate::report::{self, DiagnosticsFormat};
use crate::session::{Outcome, Session, Status};

const EXAMPLES: &str = "\
Examples:
  sinew config explain   the settings that files in this folder get
  sinew config explain modules/main.bicep --changed
  sinew config explain --json
  sinew config schema > bicepconfig.schema.json";

/// Explain settings of `bicepconfig.json` and `sinew.toml`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    question: Question,
}

#[derive(Debug, clap::Subcommand)]
enum Question {
    /// Print all settings, with the file and line that set each
    Explain {
        /// The source file; `sinew.toml` is that of the current folder
        #[arg(value_name = "FILE", default_value = "main.bicep")]
        file: Utf8PathBuf,
        /// Omit defaults
        #[arg(long)]
        changed: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the JSON schema of `bicepconfig.json`
    Schema,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    match &args.question {
        Question::Explain { file, changed, json } => explain(file, *changed, *json, session),
        Question::Schema => {
            session.output.data(&format!("{:#}\n", config::schema()))?;
            Ok(Status::Clean)
        }
    }
}

fn explain(file: &Utf8PathBuf, changed: bool, json: bool, session: &Session) -> Outcome {
    let (config, reports) = config::load_for(&session.world, &session.absolute(file)?);
    let mut settings = config::explain(&config);
    let project = project_settings(session)?;
    settings.extend(config::project_settings::explain(&project.settings));
    let text = match json {
        true => json_lines(&settings, changed),
        false => config::render_explained(&settings, !changed),
    };
    session.output.data(&text)?;
    let reports: Vec<FileReport> = reports.into_iter().chain(project.report).collect();
    report::write(session, &reports, DiagnosticsFormat::Text)?;
    if let Some(bad) = project.bad_variables.first() {
        return Err(Failure::bad_variable(bad.name, &bad.reason));
    }
    Ok(Status::from_findings(reports.iter().any(FileReport::has_errors)))
}

/// The settings of the project, which are looked for from the current folder on.
fn project_settings(session: &Session) -> Result<LoadedProject, Failure> {
    Ok(load_project_settings(&session.world, &session.absolute(".".into())?))
}

/// One object a line, for other programs.
fn json_lines(settings: &[config::Explained], changed: bool) -> String {
    let shown = settings.iter().filter(|setting| !changed || setting.file.is_some());
    shown
        .map(|setting| {
            let source = setting.file.as_ref().map(|path| path.as_str());
            let (path, value) = (&setting.path, &setting.value);
            let object = match setting.line {
                None if source.is_some() => json!({ "path": path, "value": value, "variable": source }),
                line => json!({ "path": path, "value": value, "file": source, "line": line }),
            };
            format!("{object}\n")
        })
        .collect()
}
