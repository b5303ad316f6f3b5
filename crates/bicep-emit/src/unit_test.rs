//! Unit tests: the `test` statements of a file come in; what the assertions of the files they try out say goes out.
//!
//! A test evaluates a file with parameters of its own, in a made-up place, without deploying anything. What only a
//! deployment knows leaves an assertion undetermined.

use arm::evaluate::Scope;
use arm::expand::{Deployment, Expansion, Policy, Setup, Speculation};
use arm::parameters::Inputs;
use arm::{NoState, Template, Value};
use base::{Budget, Limits, SmolStr, TextRange, Verdict};
use bicep_sema::{FileId, Program};
use bicep_syntax::ast::{self, Statement};

use crate::context::{self, Context};
use crate::parameters::term;
use crate::translate::Translator;
use crate::validation::Clocks;
use crate::{Emitter, TOO_LARGE, messages};

/// A test and what came out.
#[derive(Debug)]
pub struct UnitTest {
    pub name: SmolStr,
    /// Where the name stands.
    pub range: TextRange,
    /// The file that it tries out.
    pub target: FileId,
    /// The assertions of that file; or why it could not be evaluated.
    pub outcome: Result<Vec<Assertion>, String>,
}

/// An assertion and whether it holds.
#[derive(Debug)]
pub struct Assertion {
    pub name: SmolStr,
    /// Where the name stands in the file that was tried out.
    pub range: TextRange,
    /// Whether it holds.
    pub verdict: Verdict,
}

/// Where tests run, and how long they may take.
#[derive(Debug, Clone, Copy)]
pub struct Circumstances<'c> {
    /// The place of the deployment that never happens.
    pub context: &'c arm::Context,
    /// What tells how long a test has been running.
    pub clocks: Option<Clocks>,
}

/// Runs the tests of a file. The file and everything it refers to must be free of errors.
pub fn unit_tests<'p>(
    emitter: &Emitter<'p>,
    file: FileId,
    circumstances: Circumstances<'_>,
) -> Vec<UnitTest> {
    let Some((_peers, cx)) = context::open(emitter.program, file) else { return Vec::new() };
    let tests = cx.tree().file().statements().filter_map(|statement| match statement {
        Statement::Test(test) => Some(test),
        _ => None,
    });
    let around = emitter.template(file);
    let unit_test = |test: ast::Test<'p>| {
        let target = cx.bicep.reference(test.syntax())?.as_ref().ok()?.file;
        let inputs = circumstances.inputs(around.model(), &cx, test);
        let outcome = inputs.and_then(|inputs| circumstances.outcome(emitter, target, &inputs));
        let name = test.name()?;
        Some(UnitTest { name: name.text()?.into(), range: name.range(), target, outcome })
    };
    tests.filter_map(unit_test).collect()
}

/// The tests of a file that cannot be run, for this reason.
pub fn skipped_tests(program: &Program<'_>, file: FileId, reason: &str) -> Vec<UnitTest> {
    let Some(bicep) = program.bicep(file) else { return Vec::new() };
    let skipped = |statement: Statement<'_>| {
        let Statement::Test(test) = statement else { return None };
        let name = test.name()?;
        let target =
            bicep.reference(test.syntax()).and_then(|it| it.as_ref().ok()).map_or(file, |it| it.file);
        let outcome = Err(reason.to_owned());
        Some(UnitTest { name: name.display().into(), range: name.range(), target, outcome })
    };
    bicep.tree().file().statements().filter_map(skipped).collect()
}

/// Runs the assertions of a file itself, with the defaults of its parameters. Nothing: there are none, or a parameter has
/// no default.
pub fn own_assertions(
    emitter: &Emitter<'_>,
    file: FileId,
    circumstances: Circumstances<'_>,
) -> Option<UnitTest> {
    let bicep = emitter.program.bicep(file)?;
    let mut statements = bicep.tree().file().statements();
    let is_complete = bicep.tree().file().statements().all(|statement| match statement {
        Statement::Param(param) => {
            param.default().is_some() || matches!(param.ty(), ast::TypeExpr::NullableType(_))
        }
        _ => true,
    });
    let assert = statements.find_map(|statement| match statement {
        Statement::Assert(assert) => assert.name(),
        _ => None,
    })?;
    let outcome = is_complete.then(|| circumstances.outcome(emitter, file, &Inputs::default()))?;
    let name = bicep.source.path().file_name().unwrap_or_default().into();
    Some(UnitTest { name, range: assert.range(), target: file, outcome })
}

impl Circumstances<'_> {
    /// The parameters that a test gives.
    fn inputs<'p>(&self, around: &Template, cx: &Context<'p>, test: ast::Test<'p>) -> Result<Inputs, String> {
        let body = match test.value() {
            ast::Expr::Object(body) => Some(body),
            _ => None,
        };
        let Some(params) = body.and_then(|body| body.property("params")) else {
            return Ok(Inputs::default());
        };
        let translator = Translator::new(cx);
        let term = term(&translator, "params", translator.value(params.value()));
        let value = self.with_deployment(around, &Inputs::default(), |deployment| {
            deployment.evaluator().term(&term, &Scope::free()).map_err(|error| error.message().to_owned())
        })?;
        let members = value.as_object().into_iter().flat_map(arm::value::Object::iter);
        Ok(Inputs::of_values(members.map(|(name, value)| (name.clone(), value.clone()))))
    }

    fn outcome(
        &self,
        emitter: &Emitter<'_>,
        target: FileId,
        inputs: &Inputs,
    ) -> Result<Vec<Assertion>, String> {
        let emitted = emitter.template(target);
        if emitted.is_cut {
            return Err(TOO_LARGE.to_owned());
        }
        self.with_deployment(emitted.model(), inputs, |deployment| {
            let expansion = deployment.expand();
            if !expansion.errors.is_empty() {
                let reasons: Vec<&str> = expansion.errors.iter().map(arm::Error::message).collect();
                return Err(reasons.join("\n"));
            }
            Ok(assertions(emitter, target, &expansion))
        })
    }

    fn with_deployment<T>(
        &self,
        template: &Template,
        inputs: &Inputs,
        work: impl FnOnce(&Deployment<'_>) -> T,
    ) -> T {
        let mut budget = Budget::new(Limits::default());
        if let Some(clocks) = self.clocks {
            budget = budget.with_clock(clocks());
        }
        work(&Deployment::new(Setup {
            template,
            inputs,
            context: self.context,
            state: &NoState,
            budget: &budget,
            policy: Policy { speculation: Speculation::Outputs, ..Policy::default() },
        }))
    }
}

/// The assertions of a file with their results.
fn assertions(emitter: &Emitter<'_>, file: FileId, expansion: &Expansion) -> Vec<Assertion> {
    let declared: Vec<ast::Name<'_>> = emitter.program.bicep(file).map_or_else(Vec::new, |bicep| {
        let asserts = bicep.tree().file().statements().filter_map(|statement| match statement {
            Statement::Assert(assert) => assert.name(),
            _ => None,
        });
        asserts.collect()
    });
    let range_of = |name: &str| {
        let own = declared.iter().find(|it| it.text() == Some(name));
        own.map_or_else(TextRange::default, |name| name.range())
    };
    let assertion = |(name, value): &(SmolStr, Value)| Assertion {
        name: name.clone(),
        range: range_of(name),
        verdict: verdict(value),
    };
    expansion.asserts.iter().map(assertion).collect()
}

fn verdict(value: &Value) -> Verdict {
    match (value.as_bool(), value.as_unknown()) {
        (Some(true), _) => Verdict::Pass,
        (Some(false), _) => Verdict::fail(messages::FALSE_ASSERTION),
        (None, Some(unknown)) => {
            Verdict::undetermined(unknown.origins.first().map(ToString::to_string).unwrap_or_default())
        }
        (None, None) => Verdict::fail(messages::NO_ASSERTION),
    }
}
