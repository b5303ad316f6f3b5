//! `sinew build`: compiles Bicep files to templates.

mod size;
mod watch;

use std::sync::atomic::{AtomicBool, Ordering};

use bicep_syntax::Dialect;
use camino::Utf8PathBuf;

use crate::batch::{Batch, BatchResult, Entry, How};
use crate::compile::{self, CompileArgs};
use crate::failure::Failure;
use crate::inputs::InputArgs;
use crate::names::Name;
use crate::outputs::{self, OutputArgs};
use crate::report::DiagnosticsFormat;
use crate::session::{Outcome, Session};
use crate::write;

use size::MaxSize;

const EXAMPLES: &str = "\
Examples:
  sinew build main.bicep                       writes main.json
  sinew build main.bicep --stdout
  sinew build --pattern 'apps/*/main.bicep' --outdir out
  sinew build --watch .
  sinew build main.bicep --minify --max-size   lists the largest modules

No template is written for a file with errors; other files are not affected.
Exit code 1 means that there are errors.";

/// Compile Bicep files to templates
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: InputArgs,

    #[command(flatten)]
    outputs: OutputArgs,

    #[command(flatten)]
    compile: CompileArgs,

    /// Write a source map `NAME.json.map` next to each template: JSON pointers with their source positions
    #[arg(long)]
    source_map: bool,

    /// Write templates without white space
    #[arg(long)]
    minify: bool,

    /// Fail if a template is larger than this, and list the largest modules
    #[arg(long, value_name = "SIZE", num_args = 0..=1, default_missing_value = "4MB")]
    max_size: Option<MaxSize>,

    /// Rebuild when a file changes
    #[arg(long, conflicts_with = "stdout")]
    watch: bool,

    /// The format of the report, on standard error
    #[arg(long, value_enum, ignore_case = true, value_name = "FORMAT", default_value_t)]
    diagnostics_format: DiagnosticsFormat,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    if args.watch { watch::run(args, session) } else { build(args, session).map(|done| done.status) }
}

fn build(args: &Args, session: &Session) -> Result<BatchResult, Failure> {
    let batch = Batch::find(Dialect::Bicep, &args.inputs, &args.outputs, session)?;
    let how = How { compile: args.compile, diagnostics_format: args.diagnostics_format, replaced: None };
    let has_constraints = AtomicBool::new(false);
    let done = batch.run(how, session, |entry| put(entry, args, &has_constraints, session))?;
    if has_constraints.into_inner() {
        session.output.warning(
            "functions as decorators are written as `userDefinedConstraint`, which Azure's service does not accept today: \
             for Azure, write `@validate(value => …, 'message')` instead",
        )?;
    }
    Ok(done)
}

/// Writes a template to where it is asked for.
fn put(
    entry: &Entry<'_>,
    args: &Args,
    has_constraints: &AtomicBool,
    session: &Session,
) -> Result<(), Failure> {
    if !entry.is_sound {
        return Ok(());
    }
    let emitted = compile::template(&entry.compilation.emitter(), entry.file)?;
    size::check(entry, args.max_size)?;
    let text =
        if args.minify { json::to_compact(&emitted.template) } else { json::to_pretty(&emitted.template) };
    if session.name == Name::Bicep && text.contains("\"userDefinedConstraint\"") {
        has_constraints.store(true, Ordering::Relaxed);
    }
    if args.outputs.stdout {
        return session.output.data(&format!("{text}\n"));
    }
    let path = args.outputs.path_for(entry.input);
    write::write(&path, &text)?;
    if args.source_map {
        let map = outputs::source_map(&emitted.source_map, &path, session)?;
        write::write(&Utf8PathBuf::from(format!("{path}.map")), &json::to_pretty(&map))?;
    }
    Ok(())
}
