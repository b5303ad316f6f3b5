//! `sinew eval`: the value of an expression, or of a whole template.

use arm::expand::Missing;
use base::FileReport;
use camino::{Utf8Path, Utf8PathBuf};
use clap::ValueEnum;

use crate::compile::CompileArgs;
use crate::evaluation::destination::DestinationArgs;
use crate::evaluation::show::{self, Language};
use crate::evaluation::workbench::{Answer, Workbench};
use crate::evaluation::{Checked, input};
use crate::external_inputs::{AnswerArgs, Resolver};
use crate::failure::Failure;
use crate::report::{self, DiagnosticsFormat};
use crate::session::{Outcome, Session, Status};

const EXAMPLES: &str = "\
Examples:
  sinew eval \"[uniqueString('a', 'b')]\"                   a template expression
  sinew eval \"map(range(0, 3), i => 'node-\\${i}')\"        a Bicep expression
  sinew eval \"[variables('names')]\" --template main.json --parameters count=3
  sinew eval 'storage.properties.primaryEndpoints' --template main.bicep
  sinew eval --template main.bicep --parameters count=3   resources and outputs
  sinew eval 'names' --parameters prod.bicepparam         with its template
  sinew eval 'names' --parameters prod.bicepparam --input region=westeurope

The result is JSON. Values known only to a deployment stay expressions; notes
on standard error give the reason. An expression in brackets is a template
expression, unless it is an array.";

/// Evaluate an expression or a template
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The expression [default: the whole template]
    #[arg(allow_hyphen_values = true)]
    expression: Option<String>,

    #[command(flatten)]
    subject: SubjectArgs,

    /// The language of the expression, if not detected
    #[arg(long, value_enum, ignore_case = true, value_name = "LANGUAGE")]
    language: Option<Spoken>,

    /// The format of the report, on standard error
    #[arg(long, value_enum, ignore_case = true, value_name = "FORMAT", default_value_t)]
    diagnostics_format: DiagnosticsFormat,
}

/// What expressions are evaluated against.
#[derive(Debug, clap::Args)]
pub(crate) struct SubjectArgs {
    /// The template (`.bicep` or `.json`) whose declarations the expression can use
    #[arg(long, value_name = "FILE")]
    template: Option<Utf8PathBuf>,

    /// A parameter file, or one value; repeatable
    #[arg(long, value_name = "FILE|NAME=VALUE")]
    parameters: Vec<String>,

    #[command(flatten)]
    answers: AnswerArgs,

    #[command(flatten)]
    compile: CompileArgs,

    /// The time of evaluation, such as `2024-02-29T12:00:00Z`; without it, `utcNow()` is unknown
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    now: Option<i64>,

    /// The seed for `newGuid()`; without it, `newGuid()` is unknown
    #[arg(long, value_name = "TEXT")]
    guid_seed: Option<String>,

    #[command(flatten)]
    place: DestinationArgs,
}

/// Languages that can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Spoken {
    /// Template expressions
    Arm,
    /// Bicep
    Bicep,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    if args.expression.is_none() && !args.subject.is_given() {
        return Err(Failure::nothing_to_evaluate());
    }
    let reported =
        |reports: &[FileReport]| report::write_beside_output(session, reports, args.diagnostics_format);
    let mut workbench = match args.subject.workbench(session)? {
        Ok(workbench) => workbench,
        Err(reports) => return reported(&reports).map(|()| Status::Findings),
    };
    let undetermined;
    let (text, gaps) = match &args.expression {
        None => match workbench.expand(Missing::Unknown)? {
            Ok(expanded) => {
                args.subject.place.check(expanded.expansion.scope)?;
                undetermined = expanded.undetermined;
                let document = arm::prediction(&expanded.expansion);
                (json::to_pretty(&document) + "\n", expanded.expansion.gaps)
            }
            Err(reports) => return reported(&reports).map(|()| Status::Findings),
        },
        Some(expression) => {
            let language = args.language.map(|language| match language {
                Spoken::Arm => Language::Arm,
                Spoken::Bicep => Language::Bicep,
            });
            match workbench.take(expression, language)? {
                Answer::Value(answer) => {
                    undetermined = answer.undetermined;
                    (show::value(&answer.outcome.value, Language::Arm), answer.outcome.unknowns)
                }
                Answer::Declared(reports) => return reported(&reports).map(|()| Status::Clean),
                Answer::Wrong(reports) => return reported(&reports).map(|()| Status::Findings),
                Answer::Nothing => return Err(Failure::nothing_to_evaluate()),
            }
        }
    };
    session.output.data(&text)?;
    session.output.talk(&show::gaps(&gaps))?;
    if !undetermined.is_empty() {
        reported(&undetermined)?;
    }
    Ok(Status::Clean)
}

impl SubjectArgs {
    /// Whether there is a template.
    fn is_given(&self) -> bool {
        self.template.is_some() || self.parameters.iter().any(|it| is_parameter_file(it))
    }

    /// What expressions are evaluated against, or what is wrong with it.
    pub(crate) fn workbench<'s>(&self, session: &'s Session) -> Result<Checked<Workbench<'s>>, Failure> {
        let guid_seed = self.guid_seed.as_deref().map(Into::into);
        let context = arm::Context { now: self.now, guid_seed, ..self.place.context() };
        let (sheets, others): (Vec<_>, Vec<_>) = self.parameters.iter().partition(|it| is_parameter_file(it));
        let read = input::read(others, session)?;
        if read.reports.iter().any(FileReport::has_errors) {
            return Ok(Err(read.reports));
        }
        let workbench = match (sheets.as_slice(), &self.template) {
            ([], None) => Ok(Workbench::empty(context, session)?),
            ([], Some(path)) => Workbench::open(path, self.compile, context, session)?,
            ([_], Some(_)) => return Err(Failure::conflict("--template", "--parameters FILE.bicepparam")),
            ([sheet], None) => Workbench::of_parameters((**sheet).as_ref(), self.compile, context, session)?,
            _ => return Err(Failure::several_parameter_files()),
        };
        let resolver = Resolver::new(&self.answers, session)?;
        let workbench = workbench.map(|mut workbench| {
            workbench.supply(read);
            workbench.answer(&resolver);
            workbench
        });
        resolver.check_all_used()?;
        Ok(workbench)
    }
}

/// Whether a text names a parameter file in Bicep, which says itself which template it is for.
fn is_parameter_file(text: &str) -> bool {
    Utf8Path::new(text).extension().is_some_and(|it| it.eq_ignore_ascii_case("bicepparam"))
}

/// A time as seconds since 1970.
fn seconds(text: &str) -> Result<i64, String> {
    text.parse::<jiff::Timestamp>().map(jiff::Timestamp::as_second).map_err(|error| error.to_string())
}
