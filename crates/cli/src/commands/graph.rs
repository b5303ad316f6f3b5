//! `sinew graph`: resources and modules, and which waits for which, as a picture.

use arm::expand::{Conditions, Deployment, Errors, Expansion, Missing, Planned, Policy, Setup};
use arm::parameters::Inputs;
use arm::{Context, NoState, Template, Value};
use base::World as _;
use bicep_ide::FileContext;
use bicep_ide::graph::deployment_graph;
use bicep_ide::graph::drawing::{Drawing, DrawnBox};
use camino::{Utf8Path, Utf8PathBuf};
use clap::ValueEnum;

use crate::compile::{self, CompileArgs};
use crate::evaluation::{budget, input};
use crate::failure::Failure;
use crate::report::{self, DiagnosticsFormat};
use crate::review::page::{escaped, page};
use crate::session::{Outcome, Session, Status};
use crate::write;

const EXAMPLES: &str = "\
Examples:
  sinew graph main.bicep   for a `mermaid` fence in Markdown
  sinew graph main.bicep --format svg -o graph.svg
  sinew graph main.bicep --format dot | dot -Tpng > graph.png
  sinew graph azuredeploy.json --format html -o graph.html

Arrows point from a resource to its dependencies. Modules are boxes around
their resources.";

/// Draw the dependency graph of resources and modules
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A Bicep file, or a template in JSON
    #[arg(value_name = "FILE")]
    file: Utf8PathBuf,

    /// The format of the graph
    #[arg(long, value_enum, ignore_case = true, value_name = "FORMAT", default_value_t)]
    format: Format,

    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<Utf8PathBuf>,

    #[command(flatten)]
    compile: CompileArgs,
}

/// The form of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Format {
    /// A flowchart for Markdown
    #[default]
    Mermaid,
    /// For Graphviz
    Dot,
    /// A picture
    Svg,
    /// A self-contained page
    Html,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let drawing = match args.file.extension() {
        Some("json" | "jsonc" | "arm") => of_template(&args.file, session)?,
        Some("bicep") => of_bicep(args, session)?,
        _ => return Err(Failure::not_a_module(&args.file)),
    };
    let Some(drawing) = drawing else { return Ok(Status::Findings) };
    let text = match args.format {
        Format::Mermaid => drawing.mermaid(),
        Format::Dot => drawing.dot(),
        Format::Svg => drawing.svg(),
        Format::Html => page(args.file.as_str(), &drawing_page(args.file.as_str(), &drawing)),
    };
    match &args.output {
        Some(path) => write::write(path, &text)?,
        None => session.output.data(&text)?,
    }
    Ok(Status::Clean)
}

/// What a page of a drawing consists of. A wide drawing is moved sideways: made smaller, it could not be read.
fn drawing_page(title: &str, drawing: &Drawing) -> String {
    let (modules, resources) = drawing.boxes.iter().partition::<Vec<_>, _>(|it| it.is_module);
    format!(
        "<h1>{}</h1>\n<p>{}, {}, {}. An arrow leads from what waits to what it waits for.</p>\n\
         <div class=\"wide\">\n{}</div>\n",
        escaped(title),
        counted(resources.len(), "resource", "resources"),
        counted(modules.len(), "module", "modules"),
        counted(drawing.arrows.len(), "dependency", "dependencies"),
        drawing.svg()
    )
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// The graph of a file, also of one with errors: what can be read of it is drawn.
fn of_bicep(args: &Args, session: &Session) -> Result<Option<Drawing>, Failure> {
    let path = session.absolute(&args.file)?;
    compile::with_compilation(&path, args.compile, session, |compilation| {
        let program = compilation.program();
        let file = compile::entry(program, &args.file)?;
        let graph = FileContext::new(program, file).map(|context| deployment_graph(&context));
        Ok(graph.map(|graph| Drawing::of(&graph.with_nesting())))
    })
}

/// The graph of a template, also of one that cannot be evaluated as a whole; nothing if it is no JSON, which is reported.
fn of_template(path: &Utf8Path, session: &Session) -> Result<Option<Drawing>, Failure> {
    let source = session.world.read_source(path).map_err(|error| Failure::unreadable(path, &error))?;
    let root = match input::document(&source) {
        Ok(root) => root,
        Err(found) => {
            report::write_beside_output(session, &[found], DiagnosticsFormat::Text)?;
            return Ok(None);
        }
    };
    let (template, errors) = Template::read(&root);
    let (inputs, context, budget) = (Inputs::default(), Context::default(), budget());
    // What cannot be evaluated is drawn as it is written, and so is what a condition may keep out.
    let policy = Policy {
        missing: Missing::Unknown,
        conditions: Conditions::Ignored,
        errors: Errors::Collected,
        dependencies: true,
        ..Policy::default()
    };
    let setup = Setup {
        template: &template,
        inputs: &inputs,
        context: &context,
        state: &NoState,
        budget: &budget,
        policy,
    };
    if let Some(error) = errors.first() {
        return Err(Failure::not_evaluated(path, error.message()));
    }
    let expansion = Deployment::new(setup).expand();
    for error in &expansion.errors {
        let at = source.position(error.range().unwrap_or_default().start());
        session.output.warning(&format!("{path}({},{}): {}", at.line + 1, at.col + 1, error.message()))?;
    }
    let mut drawing = Drawing::default();
    add(&expansion, None, &mut drawing);
    Ok(Some(drawing))
}

fn add(expansion: &Expansion, parent: Option<&str>, drawing: &mut Drawing) {
    let id = |at: usize| parent.map_or_else(|| at.to_string(), |parent| format!("{parent}::{at}"));
    for (at, planned) in expansion.resources.iter().enumerate() {
        let inner = planned.deployment.as_ref().and_then(|deployment| deployment.expansion.as_ref());
        drawing.boxes.push(DrawnBox {
            id: id(at),
            parent: parent.map(str::to_owned),
            name: name_of(planned),
            ty: text(&planned.resource_type),
            is_module: planned.deployment.is_some(),
            is_collection: is_open_loop(planned, expansion),
        });
        drawing.arrows.extend(planned.depends_on.iter().map(|target| (id(at), id(*target))));
        if let Some(inner) = inner {
            add(inner, Some(&id(at)), drawing);
        }
    }
}

/// Whether it stands for all turns of a loop, since nobody knows how many there are.
fn is_open_loop(planned: &Planned, expansion: &Expansion) -> bool {
    let counts = &expansion.open_loops;
    planned.batch.is_some() && counts.iter().any(|count| planned.range.contains_range(*count))
}

fn name_of(planned: &Planned) -> String {
    let name = planned.name.as_ref().map(text).or_else(|| planned.symbol.as_ref().map(ToString::to_string));
    name.unwrap_or_default()
}

/// A value in one line; what is not known is its expression.
fn text(value: &Value) -> String {
    match value.as_str() {
        Some(text) => text.to_owned(),
        None => arm::expression::Expr::of_value(value).to_string(),
    }
}
