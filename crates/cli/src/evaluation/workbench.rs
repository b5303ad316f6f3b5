//! A template with expressions tried against it, one after the other, and declarations that add to it.
//!
//! Bicep is compiled together with the file it is tried against: what is typed becomes the last statement of that file,
//! the file its template, and the statement's value the answer. Template expressions are evaluated in that template.

use std::collections::BTreeMap;
use std::sync::Arc;

use arm::document::Node;
use arm::evaluate::Scope;
use arm::expand::{Deployment, Expansion, Missing, Policy, Setup, Speculation};
use arm::expression::{self, Expr, ExprKind};
use arm::parameters::Inputs;
use arm::{Context, NoState, PartialValue, Template, Value};
use base::{
    Diagnostic, FileReport, OverlayWorld, Severity, SourceFile, TextRange, TextSize, Verdict, World as _,
};
use bicep_sema::Unit;
use bicep_syntax::ast::{Expr as BicepExpr, Statement};
use bicep_syntax::{Dialect, parse};
use camino::{Utf8Path, Utf8PathBuf};
use project::Compilation;

use super::faults::{self, Origin, Written};
use super::input::{Given, Read};
use super::show::Language;
use super::{Checked, budget, input};
use crate::artifacts::{self, ArtifactArgs};
use crate::catalogue::Types;
use crate::compile::{self, CompileArgs};
use crate::external_inputs::Resolver;
use crate::failure::Failure;
use crate::session::Session;

/// What expressions are tried against.
pub(crate) struct Workbench<'s> {
    session: &'s Session,
    base: Base,
    artifacts: ArtifactArgs,
    declarations: Vec<Declaration>,
    inputs: Inputs,
    /// Where files give values, by parameter.
    given: BTreeMap<String, Written>,
    context: Context,
}

/// A whole template, evaluated.
pub(crate) struct Expanded {
    pub(crate) expansion: Expansion,
    /// The checks that could not be made.
    pub(crate) undetermined: Vec<FileReport>,
}

/// What there was before anything was declared.
enum Base {
    Json(Box<Compiled>),
    Bicep { path: Utf8PathBuf, text: String },
}

/// A declaration that was accepted.
struct Declaration {
    name: Option<String>,
    text: String,
}

/// A template to evaluate in.
struct Compiled {
    template: Template,
    origin: Origin,
}

/// A template with what was typed in it, and warnings about that.
type Tried = (Compiled, Vec<FileReport>);

/// What became of what was typed.
pub(crate) enum Answer {
    Value(EvaluatedValue),
    /// A declaration was accepted, perhaps with warnings.
    Declared(Vec<FileReport>),
    /// Something is wrong.
    Wrong(Vec<FileReport>),
    /// There was nothing to do.
    Nothing,
}

/// A value that was asked for.
pub(crate) struct EvaluatedValue {
    pub(crate) outcome: PartialValue,
    /// The language it was asked for in.
    pub(crate) language: Language,
    /// Checks of parameters and calls that could not be made.
    pub(crate) undetermined: Vec<FileReport>,
}

/// What somebody typed is, read as Bicep.
enum Typed {
    Nothing,
    Declarations,
    /// `[for …]`, which only certain places take.
    Loop,
    Expression,
    /// A statement that needs more than this.
    Refused(String),
}

/// The name under which typed text is reported.
const TYPED: &str = "<input>";

/// The statement that holds what was typed. Nobody else declares such a name.
const ANSWER: &str = "__sinew_answer";

impl<'s> Workbench<'s> {
    /// A workbench with nothing on it: relative paths start at the current folder.
    pub(crate) fn empty(context: Context, session: &'s Session) -> Result<Self, Failure> {
        let path = session.absolute(Utf8Path::new("console.bicep"))?;
        let base = Base::Bicep { path, text: String::new() };
        Ok(Self::new(base, ArtifactArgs::default(), context, session))
    }

    /// A workbench with a template, in JSON or in Bicep; or what is wrong with it.
    pub(crate) fn open(
        path: &Utf8Path,
        args: CompileArgs,
        context: Context,
        session: &'s Session,
    ) -> Result<Checked<Self>, Failure> {
        let unreadable = |error| Failure::unreadable(path, &error);
        let full = session.absolute(path)?;
        let base = match full.extension() {
            Some("bicep") => {
                let reports: Vec<FileReport> =
                    compile::with_compilation(&full, args, session, |compilation| {
                        let program = compilation.program();
                        let loaded = program.entries().first().map(|(_, loaded)| loaded.clone());
                        loaded.transpose().map_err(unreadable)?;
                        let own = program.files().map(|file| program.report(file));
                        Ok(program.config_reports().iter().cloned().chain(own).collect())
                    })?;
                if reports.iter().any(FileReport::has_errors) {
                    return Ok(Err(reports));
                }
                let text = session.world.read_source(&full).map_err(unreadable)?.text().to_string();
                Base::Bicep { path: full, text }
            }
            Some("json" | "jsonc" | "arm") => {
                let file = session.world.read_source(&full).map_err(unreadable)?;
                match template_in(&SourceFile::new(path, file.text().clone())) {
                    Ok(compiled) => Base::Json(Box::new(compiled)),
                    Err(reports) => return Ok(Err(reports)),
                }
            }
            _ => return Err(Failure::not_a_module(path)),
        };
        Ok(Ok(Self::new(base, args.artifacts, context, session)))
    }

    /// A workbench with a parameter file in Bicep and the template that it is for.
    pub(crate) fn of_parameters(
        path: &Utf8Path,
        args: CompileArgs,
        context: Context,
        session: &'s Session,
    ) -> Result<Checked<Self>, Failure> {
        let made = compile::with_compilation(&session.absolute(path)?, args, session, |compilation| {
            let given = input::of_compilation(compilation, path)?;
            let base = |given: &Given| base_of(compilation.program().unit(given.template));
            Ok(given.and_then(|given| Ok((base(&given)?, given))))
        })?;
        Ok(made.map(|(base, Given { inputs, given, .. })| Self {
            inputs,
            given,
            ..Self::new(base, args.artifacts, context, session)
        }))
    }

    fn new(base: Base, artifacts: ArtifactArgs, context: Context, session: &'s Session) -> Self {
        let (declarations, inputs, given) = (Vec::new(), Inputs::default(), BTreeMap::new());
        Self { session, base, artifacts, declarations, inputs, given, context }
    }

    /// Adds parameter values.
    pub(crate) fn supply(&mut self, read: Read) {
        let overridden = read.inputs.parameters.iter();
        overridden.for_each(|(name, _)| drop(self.given.remove(name.as_str())));
        self.given.extend(read.given);
        self.inputs.merge(read.inputs);
    }

    /// Where the parts of a template and the values of its parameters come from.
    fn origin(&self, compiled: &Compiled) -> Origin {
        Origin { given: self.given.clone(), ..compiled.origin.clone() }
    }

    /// Answers external inputs with what the command line gives.
    pub(crate) fn answer(&mut self, resolver: &Resolver<'_>) {
        resolver.supply(&mut self.inputs);
    }

    /// Evaluates an expression or takes a declaration. Without a language, `[…]` that is a template expression is taken
    /// as one, and everything else as Bicep; against a template in JSON all is template expressions.
    pub(crate) fn take(&mut self, text: &str, language: Option<Language>) -> Result<Answer, Failure> {
        let text = text.trim();
        let is_arm = language != Some(Language::Bicep);
        let bracketed = || if text.starts_with('[') { text.to_owned() } else { format!("[{text}]") };
        if let (Base::Json(compiled), true) = (&self.base, is_arm) {
            return Ok(self.expression(&bracketed(), compiled));
        }
        if is_arm && (language.is_some() || is_template_expression(text)) {
            return Ok(match self.compiled("")? {
                Ok((compiled, _)) => self.expression(&bracketed(), &compiled),
                Err(reports) => Answer::Wrong(reports),
            });
        }
        if matches!(self.base, Base::Json(_)) {
            return Err(Failure::bicep_against_json());
        }
        match read(text) {
            Typed::Nothing => Ok(Answer::Nothing),
            Typed::Refused(keyword) => Err(Failure::not_for_console(&keyword)),
            Typed::Declarations => self.declare(text),
            Typed::Loop => self.ask(text, [&format!("var {ANSWER} = "), ""]),
            // An output takes what only deployments know, and `any` keeps its type out of it.
            Typed::Expression => self.ask(text, [&format!("output {ANSWER} object = sys.any("), "\n)"]),
        }
    }

    /// Goes through the whole template.
    pub(crate) fn expand(&self, missing: Missing) -> Result<Checked<Expanded>, Failure> {
        let expand = |compiled: &Compiled| {
            let budget = budget();
            let mut setup = self.setup(&compiled.template, &budget);
            setup.policy.missing = missing;
            let expansion = Deployment::new(setup).expand();
            match expansion.errors.is_empty() {
                true => {
                    let undetermined = faults::undetermined(&expansion.open, &self.origin(compiled));
                    Ok(Expanded { expansion, undetermined })
                }
                false => Err(faults::reports(expansion.errors, &self.origin(compiled))),
            }
        };
        match &self.base {
            Base::Json(compiled) => Ok(expand(compiled)),
            Base::Bicep { .. } => Ok(self.compiled("")?.and_then(|(compiled, _)| expand(&compiled))),
        }
    }

    /// Everything that evaluation needs. Parameters without values are unknown.
    fn setup<'d>(&'d self, template: &'d Template, budget: &'d base::Budget) -> Setup<'d> {
        let policy =
            Policy { missing: Missing::Unknown, speculation: Speculation::Outputs, ..Policy::default() };
        Setup { template, inputs: &self.inputs, context: &self.context, state: &NoState, budget, policy }
    }

    /// Evaluates `[…]`.
    fn expression(&self, text: &str, compiled: &Compiled) -> Answer {
        let budget = budget();
        let deployment = Deployment::new(self.setup(&compiled.template, &budget));
        let origin = self.origin(compiled);
        let value = match evaluate(&deployment, &origin, || {
            let parsed = expression::parse(text)?;
            deployment.evaluator().expression(&parsed, &Scope::free())
        }) {
            Ok(value) => value,
            Err(reports) => return Answer::Wrong(reports),
        };
        value.answer(text, Language::Arm, |error| error.range_in_expression().unwrap_or_else(|| whole(text)))
    }

    /// Evaluates Bicep, as part of a statement.
    fn ask(&self, text: &str, [before, after]: [&str; 2]) -> Result<Answer, Failure> {
        let compiled = match self.compiled(&format!("{before}{text}{after}"))? {
            Ok((compiled, _)) => compiled,
            Err(reports) => return Ok(Answer::Wrong(moved(reports, before.len(), text))),
        };
        let budget = budget();
        let deployment = Deployment::new(self.setup(&compiled.template, &budget));
        let origin = self.origin(&compiled);
        let outputs = &compiled.template.outputs;
        let value = evaluate(&deployment, &origin, || {
            match outputs.get(ANSWER).and_then(|output| output.value.as_ref()) {
                Some(term) => deployment.evaluator().term(term, &Scope::free()),
                None => {
                    let variable = Expr::call("variables", vec![Expr::string(ANSWER)]);
                    deployment.evaluator().expression(&variable, &Scope::free())
                }
            }
        });
        Ok(match value {
            Ok(value) => value.answer(text, Language::Bicep, |_| whole(text)),
            Err(reports) => Answer::Wrong(reports),
        })
    }

    /// Accepts declarations that compile. They take the place of earlier ones with the same names.
    fn declare(&mut self, text: &str) -> Result<Answer, Failure> {
        let names = declared(text);
        let is_new = |known: &Declaration| known.name.is_none() || !names.contains(&known.name);
        let (kept, replaced): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.declarations).into_iter().partition(is_new);
        self.declarations = kept;
        match self.compiled(text)? {
            Ok((_, warnings)) => {
                let name = names.first().cloned().flatten();
                self.declarations.push(Declaration { name, text: text.to_owned() });
                Ok(Answer::Declared(moved(warnings, 0, text)))
            }
            Err(reports) => {
                self.declarations.extend(replaced);
                Ok(Answer::Wrong(moved(reports, 0, text)))
            }
        }
    }

    /// The template of the file with everything declared and one more statement; ranges of reports about that
    /// statement start at its beginning.
    fn compiled(&self, last: &str) -> Result<Checked<Tried>, Failure> {
        let Base::Bicep { path, text } = &self.base else { return Err(Failure::bicep_against_json()) };
        let mut whole = text.clone();
        for declaration in &self.declarations {
            whole.push('\n');
            whole.push_str(&declaration.text);
        }
        whole.push('\n');
        let start = whole.len();
        whole.push_str(last);
        let (config, _) = config::load_for(&self.session.world, path);
        let store = artifacts::store_of(path, &config, self.session)?;
        let world = artifacts::world_of(&store, self.artifacts)?;
        let types = Types::new(&world);
        let world = OverlayWorld::new(&world, [(&**path, &*whole)]);
        let setup = bicep_sema::Setup::new(&world).with_types(&types);
        let options = compile::options(self.session);
        Ok(emitted(&Compilation::load(setup, std::slice::from_ref(path), options), start))
    }
}

/// What came of compiling, with reports about what was typed from `start` on.
fn emitted(compilation: &Compilation<'_>, start: usize) -> Checked<Tried> {
    let program = compilation.program();
    let Some((_, Ok(file))) = program.entries().first() else { return Err(Vec::new()) };
    let mut reports: Vec<_> = program.files().map(|file| program.report(file)).collect();
    let errors = reports.iter().any(FileReport::has_errors);
    if let Some(report) = reports.first_mut() {
        *report = typed_part(report, start);
    }
    if errors {
        return Err(reports);
    }
    let emitted = compilation.template(*file);
    if emitted.is_cut {
        return Err(vec![compile::too_large(program.unit(*file).source())]);
    }
    let origin = Origin::compiled(program.unit(*file).source(), &emitted.source_map);
    Ok((template_of(&emitted.document, origin)?, reports))
}

fn base_of(unit: &Unit) -> Checked<Base> {
    let source = unit.source();
    match unit {
        Unit::Bicep(_) => Ok(Base::Bicep { path: source.path().to_owned(), text: source.text().to_string() }),
        Unit::Template(template) => match &template.parsed.root {
            Some(root) => {
                let origin = Origin::json(Arc::clone(source));
                Ok(Base::Json(Box::new(template_of(&Node::read(root), origin)?)))
            }
            None => Err(vec![FileReport::new(Arc::clone(source), template.parsed.diagnostics.clone())]),
        },
    }
}

fn template_in(file: &Arc<SourceFile>) -> Checked<Compiled> {
    let root = input::document(file).map_err(|report| vec![report])?;
    template_of(&Node::read_owned(root), Origin::json(Arc::clone(file)))
}

fn template_of(document: &Node, origin: Origin) -> Checked<Compiled> {
    let (template, errors) = Template::of(document);
    match errors.is_empty() {
        true => Ok(Compiled { template, origin }),
        false => Err(faults::reports(errors, &origin)),
    }
}

/// What came of an expression, and the checks that could not be made on the way.
struct Evaluated {
    result: Result<Value, arm::Error>,
    undetermined: Vec<FileReport>,
}

/// Evaluates after the parameters have been checked; reports on them when they are wrong.
fn evaluate(
    deployment: &Deployment<'_>,
    origin: &Origin,
    work: impl FnOnce() -> Result<Value, arm::Error>,
) -> Result<Evaluated, Vec<FileReport>> {
    let mut open = match deployment.check_parameters() {
        Verdict::Pass => Vec::new(),
        Verdict::Fail(errors) => return Err(faults::reports(errors, origin)),
        Verdict::Undetermined(open) => open,
    };
    let result = work();
    open.extend(deployment.unchecked());
    Ok(Evaluated { result, undetermined: faults::undetermined(&open, origin) })
}

impl Evaluated {
    /// The answer to a text that was typed; `place` says where in it an error stands.
    fn answer(self, text: &str, language: Language, place: impl Fn(&arm::Error) -> TextRange) -> Answer {
        match self.result {
            Ok(value) => {
                let outcome = PartialValue::from(value);
                Answer::Value(EvaluatedValue { outcome, language, undetermined: self.undetermined })
            }
            Err(error) => {
                let diagnostic = faults::diagnostic(&error, place(&error));
                Answer::Wrong(vec![FileReport::new(SourceFile::new(TYPED, text), vec![diagnostic])])
            }
        }
    }
}

fn whole(text: &str) -> TextRange {
    TextRange::up_to(size(text.len()))
}

fn size(length: usize) -> TextSize {
    TextSize::new(u32::try_from(length).unwrap_or(u32::MAX))
}

/// The part of a report that is about what was typed, if there is one: then the rest only follows from it.
fn typed_part(report: &FileReport, start: usize) -> FileReport {
    let start = size(start);
    let typed: Vec<_> = report
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.range.start() >= start && diagnostic.severity != Severity::Info)
        .map(|diagnostic| Diagnostic {
            range: diagnostic.range - start,
            labels: Vec::new(),
            fixes: Vec::new(),
            related: Vec::new(),
            ..diagnostic.clone()
        })
        .collect();
    match typed.is_empty() {
        true => report.clone(),
        false => FileReport::new(SourceFile::new(TYPED, ""), typed),
    }
}

/// Reports about a statement as reports about what was typed into it.
fn moved(reports: Vec<FileReport>, before: usize, text: &str) -> Vec<FileReport> {
    let (before, end) = (size(before), size(text.len()));
    let clamp = |at: TextSize| at.checked_sub(before).unwrap_or_default().min(end);
    let (typed, others): (Vec<_>, Vec<_>) =
        reports.into_iter().partition(|report| report.file.path() == TYPED);
    let typed = typed.into_iter().map(|report| {
        let diagnostics = report.diagnostics.into_iter().map(|diagnostic| {
            let range = TextRange::new(clamp(diagnostic.range.start()), clamp(diagnostic.range.end()));
            Diagnostic { range, ..diagnostic }
        });
        FileReport::new(SourceFile::new(TYPED, text), diagnostics.collect())
    });
    let typed: Vec<_> = typed.collect();
    if typed.is_empty() { others.into_iter().filter(FileReport::has_errors).collect() } else { typed }
}

/// Whether a text is a call or an access in brackets; `['a']` and `[1]` are rather arrays of Bicep.
fn is_template_expression(text: &str) -> bool {
    let is_call = |expression: Expr| matches!(expression.kind(), ExprKind::Call(_) | ExprKind::Access { .. });
    text.starts_with('[') && expression::parse(text).is_ok_and(is_call)
}

/// Whether a text can be taken as it is, or goes on in the next line.
pub(crate) fn is_complete(text: &str) -> bool {
    let text = text.trim_end();
    if text.is_empty() || is_template_expression(text.trim_start()) {
        return true;
    }
    let source = match read(text) {
        Typed::Expression | Typed::Loop => format!("var x = {text}"),
        Typed::Nothing | Typed::Declarations | Typed::Refused(_) => text.to_owned(),
    };
    let end = size(source.len());
    let parsed = parse(source, Dialect::Bicep);
    !parsed
        .diagnostics
        .iter()
        .any(|mistake| mistake.range.end() >= end && mistake.severity == Severity::Error)
}

/// Whether a text declares a type, which further lines may add to.
pub(crate) fn is_type(text: &str) -> bool {
    let parsed = parse(text, Dialect::Bicep);
    let last = parsed.tree.file().statements().last();
    matches!(last, Some(Statement::TypeDeclaration(_)))
}

fn read(text: &str) -> Typed {
    let parsed = parse(text, Dialect::Bicep);
    let statements: Vec<_> = parsed.tree.file().statements().collect();
    for statement in &statements {
        match statement {
            Statement::Var(_)
            | Statement::Func(_)
            | Statement::TypeDeclaration(_)
            | Statement::Import(_)
            | Statement::Param(_)
            | Statement::MissingDeclaration(_) => {}
            other => {
                let keyword = other.keyword().map(|keyword| keyword.text().to_owned());
                return Typed::Refused(keyword.unwrap_or_default());
            }
        }
    }
    if !statements.is_empty() {
        return Typed::Declarations;
    }
    let as_value = parse(format!("var x = {text}"), Dialect::Bicep);
    let Some(Statement::Var(var)) = as_value.tree.file().statements().next() else {
        return Typed::Expression;
    };
    match var.value() {
        BicepExpr::For(_) => Typed::Loop,
        BicepExpr::Skipped(_) if parsed.diagnostics.is_empty() => Typed::Nothing,
        _ => Typed::Expression,
    }
}

fn declared(text: &str) -> Vec<Option<String>> {
    let parsed = parse(text, Dialect::Bicep);
    let name = |statement: Statement<'_>| Some(statement.name()?.text()?.to_owned());
    parsed.tree.file().statements().map(name).collect()
}
