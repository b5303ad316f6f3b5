//! The type of an expression, as far as it can be told from the outside: for parameters that are made of expressions of an outer
//! template.

use arm::expression::{Accessor, Expr, ExprKind};
use json::{Kind, Node};

use crate::strings;
use crate::tree;

/// How far variables are followed.
const DEEPEST: u32 = 32;

/// The type of the value of an expression in a template; `string` where nothing says otherwise.
pub(crate) fn type_of(expr: &Expr, template: &Node) -> &'static str {
    of_expression(expr, template, 0).unwrap_or("string")
}

fn of_expression(expr: &Expr, template: &Node, depth: u32) -> Option<&'static str> {
    if depth > DEEPEST {
        return None;
    }
    match expr.kind() {
        ExprKind::String(_) => Some("string"),
        ExprKind::Int(_) => Some("int"),
        ExprKind::Access { base, path } => {
            let name = strings::call_of(base, "variables")
                .and_then(|args| args.first())
                .and_then(strings::literal)?;
            let value = tree::nested(template, &["variables", &name])?;
            let found = path.iter().try_fold(value, |value, step| match step {
                Accessor::Property(name) => Some(&tree::find(value, name)?.value),
                Accessor::Index(_) => value.as_array()?.first(),
            })?;
            of_value(found, template, depth + 1)
        }
        ExprKind::Call(call) => of_call(&call.name.to_lowercase(), &call.args, template, depth + 1),
        ExprKind::Float(_) | ExprKind::Known(_) => None,
    }
}

fn of_call(name: &str, args: &[Expr], template: &Node, depth: u32) -> Option<&'static str> {
    let first = |position: usize| of_expression(args.get(position)?, template, depth);
    match name {
        "variables" => {
            let name = strings::literal(args.first()?)?;
            match tree::nested(template, &["variables", &name]) {
                Some(value) => of_value(value, template, depth),
                // A variable that is made by a loop.
                None => Some("array"),
            }
        }
        "parameters" => {
            let name = strings::literal(args.first()?)?;
            let ty = tree::nested(template, &["parameters", &name, "type"])?.as_str()?.to_lowercase();
            ["string", "int", "bool", "object", "array"].into_iter().find(|known| ty.ends_with(known))
        }
        "if" => first(1).or_else(|| first(2)),
        "concat" | "take" | "skip" | "coalesce" | "min" | "max" | "first" | "last" | "union"
        | "intersection" => args.iter().find_map(|arg| of_expression(arg, template, depth)),
        "createarray" | "array" | "split" | "range" | "pickzones" | "objectkeys" | "items" | "map"
        | "filter" | "sort" => Some("array"),
        "createobject" | "reference" | "resourcegroup" | "subscription" | "deployment" | "json"
        | "environment" => Some("object"),
        "add" | "sub" | "mul" | "div" | "mod" | "length" | "int" | "indexof" | "lastindexof"
        | "copyindex" => Some("int"),
        "equals" | "not" | "and" | "or" | "less" | "lessorequals" | "greater" | "greaterorequals"
        | "empty" | "contains" | "bool" | "true" | "false" | "startswith" | "endswith" => Some("bool"),
        _ => None,
    }
}

fn of_value(value: &Node, template: &Node, depth: u32) -> Option<&'static str> {
    match &value.value {
        Kind::Null => None,
        Kind::Bool(_) => Some("bool"),
        Kind::Number(_) => Some("int"),
        Kind::Array(_) => Some("array"),
        Kind::Object(_) => Some("object"),
        Kind::String(text) if strings::is_expression(text) => {
            of_expression(&strings::parse(text).ok()?, template, depth)
        }
        Kind::String(_) => Some("string"),
    }
}
