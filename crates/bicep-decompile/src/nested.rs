//! A nested template whose expressions are evaluated around it → one that stands on its own, and the arguments that give it
//! what it took from around it.

use arm::expression::{Expr, ExprKind};
use json::{Member, Node};

use crate::copy_loop::UNNAMED;
use crate::failure::{Failure, Result};
use crate::messages;
use crate::names::{Source, identifier};
use crate::strings::{self, Expressions};
use crate::tree;
use crate::types::type_of;

/// A template on its own.
pub(crate) struct SelfContained {
    pub(crate) template: Node,
    /// The `parameters` of the deployment.
    pub(crate) arguments: Node,
}

/// What an expression became a parameter for.
struct Parameter {
    name: String,
    expr: Expr,
    ty: &'static str,
}

/// Makes a nested template self-contained: references, ids and variables of the outer template become parameters.
pub(crate) fn self_contained(
    template: &Node,
    outer: &Node,
    expressions: &Expressions,
    is_exact: bool,
) -> Result<SelfContained> {
    if let Some(parameters) = tree::find(template, "parameters").map(|it| &it.value) {
        let is_empty = match (parameters.as_object(), parameters.as_array()) {
            (Some(object), _) => object.is_empty(),
            (_, Some(items)) => items.is_empty(),
            _ => true,
        };
        // They mean nothing: its expressions are those of the outer template.
        if !is_empty && is_exact {
            return Err(Failure::at(parameters, messages::OUTER_PARAMETERS));
        }
    }
    let mut lift = Lift { used: Vec::new(), parameters: Vec::new() };
    tree::visit(template, expressions, &mut |expr| lift.note_use(expr))?;
    let mut template = template.clone();
    for (function, ty) in [("reference", "object"), ("resourceId", "string"), ("variables", UNNAMED)] {
        tree::rewrite(&mut template, expressions, &mut |expr| Ok(lift.replace(expr, function, ty)))?;
    }
    tree::rewrite(&mut template, expressions, &mut unescaped)?;
    tree::visit(&template, expressions, &mut |expr| lift.pass_on(expr))?;
    Ok(lift.finish(template, outer, is_exact))
}

struct Lift {
    /// The outer parameters that the template uses.
    used: Vec<String>,
    parameters: Vec<Parameter>,
}

impl Lift {
    fn note_use(&mut self, expr: &Expr) -> Result<()> {
        if let Some(name) = parameter_name(expr)? {
            self.used.push(name);
        }
        Ok(())
    }

    /// A call as a parameter that is called like it, with what is taken out of its result. The result as a whole is passed.
    fn replace(&mut self, expr: Expr, function: &str, ty: &'static str) -> Expr {
        let Some((args, path)) = strings::path_of(&expr, function) else { return expr };
        let id = args.first().filter(|first| strings::path_of(first, "resourceId").is_some());
        let named_after = match id {
            Some(id) if function == "reference" => id,
            _ => &expr,
        };
        let mut name = identifier(&named_after.to_string(), Source::Generated);
        if self.used.iter().any(|used| used.eq_ignore_ascii_case(&name)) {
            name = format!("generated_{name}");
        }
        self.add(&name, Expr::call(&function_of(&expr), args.to_vec()), ty);
        strings::with_path(Expr::call("parameters", vec![Expr::string(name)]), path)
    }

    /// An outer parameter that the template uses.
    fn pass_on(&mut self, expr: &Expr) -> Result<()> {
        if let Some(name) = parameter_name(expr)? {
            self.add(&name, expr.clone(), UNNAMED);
        }
        Ok(())
    }

    fn add(&mut self, name: &str, expr: Expr, ty: &'static str) {
        if !self.parameters.iter().any(|known| known.name.eq_ignore_ascii_case(name)) {
            self.parameters.push(Parameter { name: name.to_owned(), expr, ty });
        }
    }

    fn finish(self, mut template: Node, outer: &Node, is_exact: bool) -> SelfContained {
        let mut declared: Vec<Member> = Vec::new();
        let mut arguments = Vec::new();
        for parameter in self.parameters {
            let known = tree::nested(outer, &["parameters", &parameter.name]);
            let declaration = match known.filter(|it| it.as_object().is_some()) {
                Some(known) => {
                    let mut known = known.clone();
                    tree::remove(&mut known, "defaultValue");
                    known
                }
                None => {
                    let is_open = parameter.ty == UNNAMED && !is_exact;
                    let ty = if is_open { type_of(&parameter.expr, outer) } else { parameter.ty };
                    tree::object(vec![tree::member("type", tree::text(ty))])
                }
            };
            let value = tree::text(tree::print(&parameter.expr));
            arguments.push(tree::member(&parameter.name, tree::object(vec![tree::member("value", value)])));
            declared.push(tree::member(parameter.name, declaration));
        }
        let key = tree::find(&template, "parameters").map_or("parameters".to_owned(), |it| it.key.clone());
        tree::set(&mut template, &key, tree::object(declared));
        SelfContained { template, arguments: tree::object(arguments) }
    }
}

/// The name of the function that an expression calls, as it is written.
fn function_of(expr: &Expr) -> String {
    match expr.kind() {
        ExprKind::Call(call) => call.name.to_string(),
        ExprKind::Access { base, .. } => function_of(base),
        _ => String::new(),
    }
}

fn parameter_name(expr: &Expr) -> Result<Option<String>> {
    let Some(args) = strings::call_of(expr, "parameters") else { return Ok(None) };
    match args {
        [name] => strings::literal(name).map(|name| Some(name.into_owned())),
        _ => None,
    }
    .ok_or_else(|| Failure::new(messages::bad_signature("parameters")))
}

/// An expression that was escaped for the outer template is one of the inner template.
fn unescaped(expr: Expr) -> Result<Expr> {
    match strings::literal(&expr).filter(|text| strings::is_expression(text)) {
        Some(text) => strings::parse(&text),
        None => Ok(expr),
    }
}
