//! `sinew rules`: the rules of `sinew analyze`: which there are, what each is about, how to write and test them.

use base::{FileReport, World as _};
use camino::Utf8PathBuf;
use rules::Rule;

use super::analyze::selection;
use crate::failure::Failure;
use crate::messages;
use crate::report::{self, DiagnosticsFormat};
use crate::session::{Outcome, Session, Status};

const EXAMPLES: &str = "\
Examples:
  sinew rules list
  sinew rules explain TA-000004
  sinew rules schema > rules.schema.json
  sinew rules test company-rules.json";

/// List, explain and test best-practice rules
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    question: Question,
}

#[derive(Debug, clap::Subcommand)]
enum Question {
    /// List all rules: id, severity, description
    List {
        /// Use the rules in this file instead of the built-in ones
        #[arg(long, value_name = "FILE")]
        rules: Option<Utf8PathBuf>,
        /// Print one JSON object per line
        #[arg(long)]
        json: bool,
    },
    /// Explain a rule: what it checks, why, and how to fix it
    Explain {
        /// The id of the rule
        #[arg(value_name = "ID")]
        id: String,
        /// Use the rules in this file instead of the built-in ones
        #[arg(long, value_name = "FILE")]
        rules: Option<Utf8PathBuf>,
    },
    /// Print the JSON schema of rule files
    Schema,
    /// Run the rules on their `examples`
    Test {
        /// Rule files
        #[arg(value_name = "FILE", required = true)]
        files: Vec<Utf8PathBuf>,
        /// The format of the report: text on standard error, others on standard output
        #[arg(long, value_enum, ignore_case = true, value_name = "FORMAT", default_value_t)]
        diagnostics_format: DiagnosticsFormat,
    },
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    match &args.question {
        Question::List { rules, json } => list(rules.as_ref(), *json, session),
        Question::Explain { id, rules } => explain(id, rules.as_ref(), session),
        Question::Schema => {
            session.output.data(&format!("{}\n", json::to_pretty(&rules::schema())))?;
            Ok(Status::Clean)
        }
        Question::Test { files, diagnostics_format } => test(files, *diagnostics_format, session),
    }
}

/// Rules with the text they were read from, and what is wrong with it.
fn rules_of(
    file: Option<&Utf8PathBuf>,
    session: &Session,
) -> Result<(Vec<Rule>, String, Vec<FileReport>), Failure> {
    let Some(path) = file else {
        return Ok((rules::builtin().to_vec(), rules::BUILTIN_TEXT.to_owned(), Vec::new()));
    };
    let (rules, report) = selection::load(path, session)?;
    Ok((rules, report.file.text().to_string(), vec![report]))
}

fn list(file: Option<&Utf8PathBuf>, json: bool, session: &Session) -> Outcome {
    let (all, _, reports) = rules_of(file, session)?;
    let line = |rule: &Rule| match json {
        true => {
            let object = serde_json::json!({
                "id": rule.id.as_str(),
                "name": rule.name,
                "severity": rule.severity.name(),
                "shortDescription": rule.short_description,
                "recommendation": rule.recommendation,
                "helpUri": rule.help_uri,
            });
            format!("{}\n", json::to_compact(&object))
        }
        false => format!("{:<12} {:<7} {}\n", rule.id, rule.severity.name(), rule.short_description),
    };
    session.output.data(&all.iter().map(line).collect::<String>())?;
    finish(&reports, session)
}

fn explain(id: &str, file: Option<&Utf8PathBuf>, session: &Session) -> Outcome {
    let (all, text, reports) = rules_of(file, session)?;
    let Some(rule) = all.iter().find(|rule| rule.id.eq_ignore_ascii_case(id)) else {
        let known: Vec<&str> = all.iter().map(|rule| rule.id.as_str()).collect();
        return Err(Failure::no_such_rule(id, base::spelling::suggest(id, known)));
    };
    session.output.data(&rules::explain(rule, &text))?;
    finish(&reports, session)
}

fn finish(reports: &[FileReport], session: &Session) -> Outcome {
    report::write_beside_output(session, reports, DiagnosticsFormat::Text)?;
    Ok(Status::from_findings(reports.iter().any(FileReport::has_errors)))
}

fn test(files: &[Utf8PathBuf], format: DiagnosticsFormat, session: &Session) -> Outcome {
    let mut reports = Vec::new();
    let (mut tried, mut wrong) = (0, 0);
    for path in files {
        let file = session.world.read_source(path).map_err(|error| Failure::unreadable(path, &error))?;
        let trial = rules::try_examples(file.text());
        let mut diagnostics = trial.file.diagnostics;
        tried += trial.examples.len();
        for example in trial.examples {
            let Some(problem) = &example.problem else { continue };
            diagnostics.push(messages::wrong_example(&example, problem));
            wrong += 1;
        }
        reports.push(FileReport::new(file, diagnostics));
    }
    report::write(session, &reports, format)?;
    session.output.talk(&format!("{tried} examples, {wrong} of them went otherwise\n"))?;
    Ok(Status::from_findings(reports.iter().any(FileReport::has_errors)))
}
