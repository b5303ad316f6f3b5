//! Calls of functions with arguments that are known while compiling: the arguments are held against their types, and so
//! is the result.

use arm::Value;
use arm::evaluate::Scope;
use arm::expand::Deployment;
use arm::expression::{Expr as Code, ExprKind};
use arm::template::UserFunction;
use base::Verdict;
use bicep_syntax::ast::{self, Decorator, Expr};
use bicep_syntax::{Node, SyntaxKind};

use super::{FileValidation, Scene, Site};
use crate::translate::Translator;

/// What is said about one call.
#[derive(Default)]
struct CallVerdicts {
    /// For each argument that validators look at: its position and the name of its parameter.
    arguments: Vec<(usize, String, Verdict<arm::Error>)>,
    /// Of what the function gives.
    result: Option<Verdict<arm::Error>>,
}

impl<'p> FileValidation<'p> {
    /// Checks the calls of a file, outside of functions: inside of one, only its call decides.
    pub(super) fn calls(&mut self, scene: &Scene<'_, 'p>) {
        let template = scene.template;
        let is_constrained = |deployment: &Deployment<'_>, function: &UserFunction| {
            let checker = deployment.checker();
            // The function is looked up again, so that it lives as long as the template of the checker.
            let own = template.functions.iter().find(|(_, own)| own.range == function.range);
            own.is_some_and(|(_, own)| {
                checker.is_constrained(&own.schema)
                    || own.parameters.iter().any(|it| checker.is_constrained(&it.schema))
            })
        };
        let any = self.with_deployment(template, scene.inputs, |deployment| {
            template.functions.iter().any(|(_, function)| is_constrained(deployment, function)).then_some(())
        });
        if any.is_none() {
            return;
        }
        for node in scene.cx.tree().nodes().filter(|node| is_call(*node)) {
            let translator = Translator::new(scene.cx);
            let code = translator.code(Expr::of(node)).to_expr();
            let ExprKind::Call(call) = code.kind() else { continue };
            let verdicts = self.with_deployment(template, scene.inputs, |deployment| {
                let function = template.functions.get(&call.name)?;
                is_constrained(deployment, function).then(|| check(deployment, &call.name, &call.args))
            });
            let CallVerdicts { arguments, result } = verdicts.unwrap_or_default();
            let values: Vec<Expr<'p>> = arguments_of(node);
            for (at, name, verdict) in arguments {
                let Some(value) = values.get(at).copied() else { continue };
                self.report(Some(verdict), Site { value, name: &name, checked_in: scene.cx.file });
            }
            let site = Site { value: Expr::of(node), name: &call.name, checked_in: scene.cx.file };
            self.report(result, site);
        }
    }
}

fn is_call(node: Node<'_>) -> bool {
    matches!(node.kind(), SyntaxKind::Call | SyntaxKind::MethodCall)
        && !node
            .ancestors()
            .any(|around| Decorator::cast(around).is_some() || ast::Func::cast(around).is_some())
}

fn arguments_of(node: Node<'_>) -> Vec<Expr<'_>> {
    match Expr::of(node) {
        Expr::Call(call) => call.arguments().map(ast::Argument::value).collect(),
        Expr::MethodCall(call) => call.arguments().map(ast::Argument::value).collect(),
        _ => Vec::new(),
    }
}

/// Holds arguments and result of a call against their types. What needs the names of a loop or a lambda around it cannot
/// be evaluated here and is left to the deployment.
fn check(deployment: &Deployment<'_>, name: &str, arguments: &[Code]) -> CallVerdicts {
    let mut found = CallVerdicts::default();
    let evaluator = deployment.evaluator();
    let values = arguments.iter().map(|argument| evaluator.expression(argument, &Scope::free()));
    let Ok(values) = values.collect::<Result<Vec<Value>, _>>() else { return found };
    let Some((namespace, own)) = name.rsplit_once('.') else { return found };
    let Some(function) = evaluator.environment().user_function(namespace, own) else { return found };
    for (at, (parameter, value)) in function.parameters.iter().zip(&values).enumerate() {
        let verdict = evaluator.environment().check_argument(name, parameter, value);
        if !verdict.is_pass() {
            found.arguments.push((at, parameter.name.to_string(), verdict));
        }
    }
    if found.arguments.is_empty() && !values.iter().any(Value::has_unknown) {
        let result = evaluator.user_function(namespace, own, &values);
        found.result = result.err().map(|error| Verdict::Fail(vec![error]));
    }
    found
}
