//! Validators, run while compiling: the files of a program come in; what validators say about values that are known
//! already goes out, each at the place of its value.
//!
//! A value is known when it depends on nothing that only the deployment knows: parameters, resources, the place of
//! deployment. Everything else is left to the engine, which runs the same checks.

mod calls;
mod declared_validators;
mod params_file;
mod value_origin;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arm::evaluate::{Environment, ExpressionSite, Scope};
use arm::expand::{Deployment, Missing, Policy, Setup};
use arm::expression::Expr as Code;
use arm::parameters::{Inputs, Supplied};
use arm::template::TypeNode;
use arm::{NoState, Origin, Template, Unknown, Value};
use base::{Budget, Clock, Diagnostic, Limits, SmolStr, TextRange, TextSize, Verdict};
use bicep_sema::module::Module;
use bicep_sema::{FileId, Program};
use bicep_syntax::Dialect;
use bicep_syntax::ast::{self, Expr, Statement};

use crate::context::{self, Context};
use crate::declarations::plain;
use crate::parameters::Parameters;
use crate::translate::{LOCAL_NAMESPACE, Translator};
use crate::types::schema;
use crate::{Emitter, messages, tree};

use declared_validators::related;
use value_origin::range_of;

/// What tells how long a validator has been running. Each one gets a clock of its own.
pub type Clocks = fn() -> Arc<dyn Clock>;

/// What validators say about the values that a Bicep file gives: defaults of its parameters, its outputs, its variables
/// with types, the parameters of its modules; or the values that a parameter file gives to the template that it uses.
/// The file and everything it refers to must be free of errors.
pub fn check_values(emitter: &Emitter<'_>, file: FileId, clocks: Option<Clocks>) -> Vec<Diagnostic> {
    checked(emitter, file, clocks).found
}

/// The values of a file that validators look at and that are not known while compiling. The file and everything it refers
/// to must be free of errors.
pub fn undetermined_values(emitter: &Emitter<'_>, file: FileId, clocks: Option<Clocks>) -> Vec<Diagnostic> {
    checked(emitter, file, clocks).open
}

fn checked<'p>(emitter: &Emitter<'p>, file: FileId, clocks: Option<Clocks>) -> FileValidation<'p> {
    let mut run = FileValidation { program: emitter.program, clocks, found: Vec::new(), open: Vec::new() };
    let Some(bicep) = emitter.program.bicep(file).filter(|_| emitter.has_validators()) else {
        return run;
    };
    match bicep.dialect {
        Dialect::Params => run.params_file(emitter, file),
        Dialect::Bicep => {
            if let Some((_peers, cx)) = context::open(emitter.program, file) {
                run.bicep_file(emitter, &cx);
            }
        }
    }
    run
}

/// What validators say about the values of a parameter file that has been evaluated, with the values of external inputs
/// where they are known. The file and everything it refers to must be free of errors.
pub fn check_parameters(
    emitter: &Emitter<'_>,
    file: FileId,
    given: &Parameters,
    clocks: Option<Clocks>,
) -> Vec<Diagnostic> {
    if !emitter.has_validators() {
        return Vec::new();
    }
    let mut run = FileValidation { program: emitter.program, clocks, found: Vec::new(), open: Vec::new() };
    run.parameters(emitter, file, given);
    run.found
}

/// A parameter of the file that is compiled: only the deployment knows its value.
fn unknown_parameter(name: &str) -> Value {
    let call = Code::call("parameters", vec![Code::string(name)]);
    Value::unknown(Unknown::new(call, Origin::Parameter(name.into())))
}

/// A variable with a type. Templates do not say what types variables have.
struct TypedVariable<'p> {
    name: &'p str,
    schema: TypeNode,
    value: Expr<'p>,
}

fn typed_variables<'p>(cx: &Context<'p>) -> Vec<TypedVariable<'p>> {
    let translator = Translator::new(cx);
    let typed = |statement: Statement<'p>| {
        let Statement::Var(variable) = statement else { return None };
        let (name, ty) = (variable.name().and_then(ast::Name::text)?, variable.ty()?);
        let schema = plain(&translator, schema(&translator, ty, None));
        let schema = TypeNode::of(&tree::finish(schema.into(), &mut tree::NoSourceMap));
        Some(TypedVariable { name, schema, value: variable.value() })
    };
    cx.tree().file().statements().filter_map(typed).collect()
}

/// A file whose values are checked, and its template.
struct Scene<'s, 'p> {
    cx: &'s Context<'p>,
    template: &'s Template,
    inputs: &'s Inputs,
    constrained: &'s Constrained,
}

/// What a template has checked by validators, by name.
#[derive(Debug, Default)]
struct Constrained {
    parameters: BTreeSet<SmolStr>,
    outputs: BTreeSet<SmolStr>,
}

/// A value that is checked.
#[derive(Clone, Copy)]
struct Site<'s, 'p> {
    value: Expr<'p>,
    /// What it is the value of.
    name: &'s str,
    /// The file that asks for the check.
    checked_in: FileId,
}

/// The work on one file.
struct FileValidation<'p> {
    program: &'p Program<'p>,
    clocks: Option<Clocks>,
    found: Vec<Diagnostic>,
    /// What could not be checked.
    open: Vec<Diagnostic>,
}

impl<'p> FileValidation<'p> {
    fn bicep_file(&mut self, emitter: &Emitter<'p>, cx: &Context<'p>) {
        let emitted = emitter.template(cx.file);
        let template = emitted.model();
        let names = template.parameters.iter().map(|(name, _)| name.clone());
        let inputs = Inputs::of_values(names.map(|name| (name.clone(), unknown_parameter(&name))));
        let constrained = self.constrained(template);
        let scene = Scene { cx, template, inputs: &inputs, constrained: &constrained };
        self.defaults(&scene);
        self.outputs(&scene);
        self.variables(&scene);
        self.modules(&scene, emitter);
        self.calls(&scene);
    }

    fn defaults(&mut self, scene: &Scene<'_, 'p>) {
        for statement in scene.cx.tree().file().statements() {
            let Statement::Param(param) = statement else { continue };
            let name = param.name().and_then(ast::Name::text).unwrap_or_default();
            let Some(default) = param.default().filter(|_| scene.constrained.parameters.contains(name))
            else {
                continue;
            };
            let report = self.with_deployment(scene.template, scene.inputs, |deployment| {
                let term = scene.template.parameters.get(name)?.default.as_ref()?;
                let value =
                    deployment.evaluator().term(term, &Scope::new(ExpressionSite::ParameterDefault)).ok()?;
                deployment.check_parameter(name, &value)
            });
            self.report(report, Site { value: default.value(), name, checked_in: scene.cx.file });
        }
    }

    fn outputs(&mut self, scene: &Scene<'_, 'p>) {
        for statement in scene.cx.tree().file().statements() {
            let Statement::Output(output) = statement else { continue };
            let name = output.name().and_then(ast::Name::text).unwrap_or_default();
            if !scene.constrained.outputs.contains(name) {
                continue;
            }
            let report = self.with_deployment(scene.template, scene.inputs, |deployment| {
                let declared = scene.template.outputs.get(name)?;
                let value = declared.value.as_ref()?;
                let value = deployment.evaluator().term(value, &Scope::new(ExpressionSite::Output)).ok()?;
                Some(deployment.checker().check(name, &declared.schema, &value))
            });
            self.report(report, Site { value: output.value(), name, checked_in: scene.cx.file });
        }
    }

    fn variables(&mut self, scene: &Scene<'_, 'p>) {
        for TypedVariable { name, schema, value } in typed_variables(scene.cx) {
            let report = self.with_deployment(scene.template, scene.inputs, |deployment| {
                let checker = deployment.checker();
                checker.is_constrained(&schema).then_some(())?;
                Some(checker.check(name, &schema, &deployment.variable(name).ok()?))
            });
            self.report(report, Site { value, name, checked_in: scene.cx.file });
        }
    }

    fn modules(&mut self, scene: &Scene<'_, 'p>, emitter: &Emitter<'p>) {
        let emitted = emitter.template(scene.cx.file);
        let resources = &scene.template.resources;
        let deployments = resources.iter().enumerate().filter(|(_, it)| it.deployment.is_some());
        let by_place: BTreeMap<TextSize, usize> = deployments
            .filter_map(|(at, it)| Some((emitted.source_map.find(&pointer_of(&it.path))?.range.start(), at)))
            .collect();
        for module in &scene.cx.modules {
            let Some(target) = module.target else { continue };
            let declaration = scene.cx.tree().node(module.declaration).range();
            let Some(at) = by_place.get(&declaration.start()).copied() else { continue };
            let inline = resources.get(at).and_then(|it| it.deployment.as_ref()?.template.as_deref());
            let linked = emitter.template(target);
            let template = inline.unwrap_or_else(|| linked.model());
            let constrained = self.constrained(template).parameters;
            if constrained.is_empty() {
                continue;
            }
            let turns = self.with_deployment(scene.template, scene.inputs, |deployment| {
                deployment.nested_inputs(at).ok()
            });
            for inputs in turns.unwrap_or_default() {
                for name in constrained.iter().filter(|name| inputs.parameters.get(name).is_some()) {
                    let Some(value) = value_of(scene.cx, module, name) else { continue };
                    let report = self.check_input(template, &inputs, name);
                    self.report(report, Site { value, name, checked_in: target });
                }
            }
        }
    }

    /// What is wrong with a value that is handed to a template. `null` for a parameter with a default asks for the default.
    fn check_input(&self, template: &Template, inputs: &Inputs, name: &str) -> Option<Verdict<arm::Error>> {
        let declared = template.parameters.get(name)?;
        let Supplied::Value(value, _) = inputs.parameters.get(name)? else { return None };
        let is_checked = !value.is_null() || declared.default.is_none();
        is_checked.then_some(())?;
        self.with_deployment(template, inputs, |deployment| deployment.check_parameter(name, value))
    }

    /// What of a template validators look at.
    fn constrained(&self, template: &Template) -> Constrained {
        let inputs = Inputs::default();
        let found = self.with_deployment(template, &inputs, |deployment| {
            let checker = deployment.checker();
            let parameters = template.parameters.iter();
            let parameters = parameters.filter(|(_, it)| checker.is_constrained(&it.schema));
            let outputs = template.outputs.iter().filter(|(_, it)| checker.is_constrained(&it.schema));
            Some(Constrained {
                parameters: parameters.map(|(name, _)| name.clone()).collect(),
                outputs: outputs.map(|(name, _)| name.clone()).collect(),
            })
        });
        found.unwrap_or_default()
    }

    /// Evaluates something of a template, in a budget of its own.
    fn with_deployment<T>(
        &self,
        template: &Template,
        inputs: &Inputs,
        work: impl FnOnce(&Deployment<'_>) -> Option<T>,
    ) -> Option<T> {
        let mut budget = Budget::new(Limits::default());
        if let Some(clocks) = self.clocks {
            budget = budget.with_clock(clocks());
        }
        let context = arm::Context::default();
        let deployment = Deployment::new(Setup {
            template,
            inputs,
            context: &context,
            state: &NoState,
            budget: &budget,
            policy: Policy { missing: Missing::Unknown, ..Policy::default() },
        });
        work(&deployment)
    }

    /// Reports what validators found in a value. Whatever else is wrong with it is not theirs to say.
    fn report(&mut self, verdict: Option<Verdict<arm::Error>>, site: Site<'_, 'p>) {
        let Some(verdict) = verdict else { return };
        for open in verdict.open() {
            let range = range_of(site.value, &open.steps());
            let sentence = open.message().replace(&format!("'{LOCAL_NAMESPACE}."), "'");
            let diagnostic = messages::validator_undetermined(range, &sentence);
            if !self.open.contains(&diagnostic) {
                self.open.push(diagnostic);
            }
        }
        for error in verdict.failures() {
            let Some(validator) = error.validator() else { continue };
            let range: TextRange = range_of(site.value, &error.steps());
            // Functions of the file are known by their own names.
            let sentence = error.message().replace(&format!("'{LOCAL_NAMESPACE}."), "'");
            let mut diagnostic = match error.reason() {
                "constraint-violated" => messages::validation_failed(range, &sentence),
                _ if error.is_overrun() => messages::validator_overrun(range, &sentence),
                _ => messages::validator_broken(range, &sentence),
            };
            diagnostic.related.extend(related(self.program, site.checked_in, site.name, validator));
            // The turns of a loop give the same answer.
            if !self.found.contains(&diagnostic) {
                self.found.push(diagnostic);
            }
        }
    }
}

/// The value of a parameter of a module, or that of all of them.
fn value_of<'p>(cx: &Context<'p>, module: &Module, name: &str) -> Option<Expr<'p>> {
    let params = cx.module_property(module.symbol, "params")?.value();
    let Expr::Object(object) = params else { return Some(params) };
    Some(object.property(name).map_or(params, ast::Property::value))
}

fn pointer_of(path: &[arm::Step]) -> String {
    let step = |step: &arm::Step| match step {
        arm::Step::Key(key) => format!("/{}", json::path::escape(key)),
        arm::Step::Index(index) => format!("/{index}"),
    };
    path.iter().map(step).collect()
}
