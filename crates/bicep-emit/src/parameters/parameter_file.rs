//! A parameter file with everything in it that has a value: translated at once, evaluated when first asked for.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use arm::Error;
use arm::evaluate::{Environment, Evaluator, Scope};
use arm::parameters::Checker;
use arm::template::{FunctionParameter, Term, TermKind, UserFunction};
use base::{Budget, Verdict};
use bicep_sema::hoisted::function_flags;
use bicep_sema::{FileId, Program};
use bicep_syntax::ast::{self, Expr, Statement};
use bicep_types::ty::FunctionFlags;
use smol_str::SmolStr;

use super::terms::term;
use crate::context::{self, Context, Peers};
use crate::imported::{self, Variable};
use crate::translate::Translator;
use crate::tree::{NoSourceMap, Object, Tree, finish};
use crate::value::Value;
use crate::{declarations, messages};

/// A parameter file, below it the one that it extends.
pub(super) struct ParameterFile<'p> {
    pub(super) cx: Rc<Context<'p>>,
    pub(super) parent: Option<Box<Self>>,
    /// The parameters that the file itself assigns, each name once.
    pub(super) own: Vec<(SmolStr, ast::ParamAssignment<'p>)>,
    own_index: BTreeMap<SmolStr, usize>,
    // The context refers to the others of its program through them.
    _peers: Rc<Peers<'p>>,
    /// The functions that it imports, with their types.
    imported: arm::Template,
    cells: OnceCell<Cells>,
    given: Rc<EvaluationInputs>,
}

/// What evaluation is given by whoever asks for it.
pub(super) struct EvaluationInputs {
    pub(super) budget: Budget,
    /// The values of external inputs, by key.
    pub(super) answers: BTreeMap<String, arm::Value>,
    /// Whether what waits for external inputs is written as it stands in the source.
    pub(super) is_verbatim: bool,
}

/// Everything that has a value.
#[derive(Default)]
struct Cells {
    variables: BTreeMap<String, Cell>,
    parameters: BTreeMap<String, Cell>,
}

struct Cell {
    term: Term,
    slot: RefCell<Memo>,
}

#[derive(Default)]
enum Memo {
    #[default]
    Empty,
    /// Being evaluated: to ask again is a cycle.
    Busy,
    Done(Result<arm::Value, Error>),
}

impl<'p> ParameterFile<'p> {
    /// A parameter file and those that it extends, one after the other.
    pub(super) fn load(program: &'p Program<'p>, file: FileId, given: &Rc<EvaluationInputs>) -> Option<Self> {
        let mut files = vec![file];
        while let Some(next) = files.last().and_then(|file| extended(program, *file)) {
            if files.contains(&next) {
                break;
            }
            files.push(next);
        }
        let mut loaded: Option<Self> = None;
        for file in files.into_iter().rev() {
            let (peers, cx) = context::open(program, file)?;
            let (own, own_index) = own_assignments(&cx);
            loaded = Some(Self {
                imported: imported_functions(&cx),
                parent: loaded.take().map(Box::new),
                own,
                own_index,
                cx,
                _peers: peers,
                cells: OnceCell::new(),
                given: Rc::clone(given),
            });
        }
        loaded
    }

    /// This file, then the one that it extends, and so on.
    pub(super) fn chain(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |file| file.parent.as_deref())
    }

    /// All parameters that are assigned: by the file itself, then those inherited, each with the file that assigns it.
    pub(super) fn assignments(&self) -> Vec<(SmolStr, ast::ParamAssignment<'p>, &Self)> {
        let mut seen = BTreeSet::new();
        let all = self.chain().flat_map(|file| {
            file.own.iter().map(move |(name, assignment)| (name.clone(), *assignment, file))
        });
        all.filter(|(name, ..)| seen.insert(name.clone())).collect()
    }

    /// The assignment of a parameter, with the file that makes it.
    pub(super) fn assignment(&self, name: &str) -> Option<(ast::ParamAssignment<'p>, &Self)> {
        self.chain().find_map(|file| {
            let (_, assignment) = file.own.get(*file.own_index.get(name)?)?;
            Some((*assignment, file))
        })
    }

    /// The value of an expression of the file.
    pub(super) fn evaluate(&self, name: &str, expr: Expr<'p>) -> Result<arm::Value, Error> {
        let translator = Translator::new(&self.cx);
        let term = term(&translator, name, translator.value(expr));
        self.evaluator().term(&term, &Scope::free())
    }

    /// The value that the file gives to a parameter of its own, of one that it inherits, or `base`.
    pub(super) fn parameter_value(&self, name: &str) -> Result<arm::Value, Error> {
        if let Some(cell) = self.cells().parameters.get(name) {
            return self.cell(name, cell);
        }
        match &self.parent {
            Some(parent) if name == "base" => parent.all_values(),
            Some(parent) => parent.parameter_value(name),
            None => Err(Error::refused(messages::no_value(name))),
        }
    }

    fn all_values(&self) -> Result<arm::Value, Error> {
        let mut members = Vec::new();
        for (name, assignment, file) in self.assignments() {
            if secret_arguments(&file.cx, assignment.value()).is_none() {
                let value = file.parameter_value(&name)?;
                members.push((name, value));
            }
        }
        Ok(arm::Value::object(members))
    }

    fn cell(&self, name: &str, cell: &Cell) -> Result<arm::Value, Error> {
        match &*cell.slot.borrow() {
            Memo::Done(result) => return result.clone(),
            Memo::Busy => return Err(Error::refused(messages::needs_itself(name))),
            Memo::Empty => {}
        }
        cell.slot.replace(Memo::Busy);
        let result = self.evaluator().term(&cell.term, &Scope::free());
        cell.slot.replace(Memo::Done(result.clone()));
        result
    }

    pub(super) fn is_verbatim(&self) -> bool {
        self.given.is_verbatim
    }

    pub(super) fn evaluator(&self) -> Evaluator<'_> {
        Evaluator::new(self, &self.given.budget)
    }

    fn cells(&self) -> &Cells {
        self.cells.get_or_init(|| cells(self))
    }
}

impl Environment for ParameterFile<'_> {
    fn parameter(&self, name: &str) -> Result<arm::Value, Error> {
        match (name.strip_prefix("base."), &self.parent) {
            (Some(name), Some(parent)) => parent.parameter_value(name),
            _ => self.parameter_value(name),
        }
    }

    fn variable(&self, name: &str) -> Result<arm::Value, Error> {
        match self.cells().variables.get(name) {
            Some(cell) => self.cell(name, cell),
            None => Err(Error::refused(messages::no_value(name))),
        }
    }

    fn user_function(&self, namespace: &str, name: &str) -> Option<&UserFunction> {
        self.imported.functions.get(&format!("{namespace}.{name}"))
    }

    fn check_argument(
        &self,
        function: &str,
        parameter: &FunctionParameter,
        value: &arm::Value,
    ) -> Verdict<Error> {
        let checker = Checker::new(&self.imported, self.evaluator());
        decided(checker.check(&format!("{function}.{}", parameter.name), &parameter.schema, value))
    }

    fn check_result(&self, function: &str, declared: &UserFunction, value: &arm::Value) -> Verdict<Error> {
        decided(Checker::new(&self.imported, self.evaluator()).check_result(function, declared, value))
    }

    fn external_input(&self, key: &str) -> Result<Option<arm::Value>, Error> {
        Ok(self.given.answers.get(key).cloned())
    }
}

/// A parameters file has no functions that could be called later. What depends on an external input becomes an expression
/// without them, and its value is held against the type of the parameter.
fn decided(verdict: Verdict<Error>) -> Verdict<Error> {
    if verdict.is_undetermined() { Verdict::Pass } else { verdict }
}

/// The file that a parameter file extends.
fn extended(program: &Program<'_>, file: FileId) -> Option<FileId> {
    let bicep = program.bicep(file)?;
    let extends = bicep.tree().file().statements().find_map(|statement| match statement {
        Statement::Extends(extends) => Some(extends),
        _ => None,
    })?;
    let target = bicep.reference(extends.syntax())?.as_ref().ok()?.file;
    program.bicep(target).map(|_| target)
}

/// The parameters that a file assigns, and where each is in that list. Of several of one name the first one counts.
fn own_assignments<'p>(
    cx: &Context<'p>,
) -> (Vec<(SmolStr, ast::ParamAssignment<'p>)>, BTreeMap<SmolStr, usize>) {
    let (mut own, mut index) = (Vec::new(), BTreeMap::new());
    for statement in cx.tree().file().statements() {
        let Statement::ParamAssignment(assignment) = statement else { continue };
        let Some(name) = assignment.name().and_then(ast::Name::text).map(SmolStr::new) else { continue };
        if !index.contains_key(&name) {
            index.insert(name.clone(), own.len());
            own.push((name, assignment));
        }
    }
    (own, index)
}

/// The arguments of `getSecret(…)`, where the whole value is such a call: it is not evaluated, but referred to.
pub(super) fn secret_arguments<'p>(cx: &Context<'p>, expr: Expr<'p>) -> Option<Vec<Expr<'p>>> {
    let expr = expr.without_parens();
    let is_secret = function_flags(expr.syntax(), cx.model).contains(FunctionFlags::DIRECT_ASSIGNMENT);
    match expr {
        Expr::Call(call) if is_secret => Some(call.arguments().map(ast::Argument::value).collect()),
        Expr::MethodCall(call) if is_secret => Some(call.arguments().map(ast::Argument::value).collect()),
        _ => None,
    }
}

fn cells(file: &ParameterFile<'_>) -> Cells {
    let cx = &*file.cx;
    let translator = Translator::new(cx);
    let cell = |term: Term| Cell { term, slot: RefCell::default() };
    let mut cells = Cells::default();
    for (name, call) in cx.constants.sorted() {
        let value = cx.constant(cx.tree().node(call)).unwrap_or(Value::Null);
        cells.variables.insert(name.to_owned(), cell(term(&translator, name, value)));
    }
    for statement in cx.tree().file().statements() {
        let Statement::Var(variable) = statement else { continue };
        let Some(name) = variable.name().and_then(ast::Name::text) else { continue };
        let value = translator.value(variable.value());
        cells.variables.entry(name.to_owned()).or_insert_with(|| cell(term(&translator, name, value)));
    }
    for (name, variable) in imported::variables(cx) {
        cells.variables.entry(name).or_insert_with(|| cell(of_imported(variable)));
    }
    for (name, assignment) in &file.own {
        let value = translator.value(assignment.value());
        cells.parameters.insert(name.to_string(), cell(term(&translator, name, value)));
    }
    cells
}

/// An imported variable is there in the form that templates have.
fn of_imported(variable: Variable) -> Term {
    let copy = match variable {
        Variable::Value(value) => return Term::of(&finish(value, &mut NoSourceMap)),
        Variable::Loop(copy) => copy,
    };
    let mut whole = Object::new();
    whole.put("copy", Tree::Array(vec![copy.into()]));
    let mut term = Term::of(&finish(whole.into(), &mut NoSourceMap));
    match &mut term.kind {
        TermKind::Object(parts) if parts.len() == 1 => parts.remove(0).value,
        _ => term,
    }
}

fn imported_functions(cx: &Context<'_>) -> arm::Template {
    let mut sections = Object::new();
    sections.put("definitions", declarations::definitions(cx));
    sections.put("functions", Tree::Array(declarations::functions(cx)));
    arm::Template::of(&finish(sections.into(), &mut NoSourceMap)).0
}
