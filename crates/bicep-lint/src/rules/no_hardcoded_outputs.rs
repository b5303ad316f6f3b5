//! `no-hardcoded-outputs`

use base::{Edit, Fix, TextRange};
use bicep_sema::SymbolKind;
use bicep_syntax::Node;
use bicep_syntax::ast::{ArrayItem, Expr, Output, Statement};

use crate::edits::{free_name, lines_of};
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "no-hardcoded-outputs",
    documentation: "\
An output should not be a constant.

An output is known only after a deployment; an exported variable can be imported at compile time.

```bicep
output port int = 443 // <-

@export()
var securePort = 443
```
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    let outputs: Vec<_> = ctx.symbols(SymbolKind::Output).collect();
    for (_, symbol, name) in outputs {
        let Some(output) = Output::cast(ctx.declaration(symbol)) else { continue };
        if is_constant(output.value()) {
            let message = format!("The output \"{name}\" is a constant: export a variable instead");
            let fix = exported_variable(ctx, output, name);
            ctx.report_with(output.value().range(), message, [fix]);
        }
    }
}

/// Whether nothing in a value is computed.
fn is_constant(value: Expr<'_>) -> bool {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Expr::Str(text) if !text.is_interpolated() => {}
            Expr::IntLiteral(_) | Expr::BoolLiteral(_) | Expr::NullLiteral(_) => {}
            Expr::Unary(unary) => open.push(unary.operand()),
            Expr::Paren(paren) => open.push(paren.value()),
            // What is spread does not count.
            Expr::Array(array) => {
                open.extend(array.items().filter_map(ArrayItem::cast).map(ArrayItem::value));
            }
            Expr::Object(object) => open.extend(object.properties().map(bicep_syntax::ast::Property::value)),
            _ => return false,
        }
    }
    true
}

/// Replaces an output by an exported variable: behind the last variable, else behind the last parameter before any
/// resource, else in its own place.
fn exported_variable(ctx: &Context<'_, '_>, output: Output<'_>, name: &str) -> Fix {
    let is_taken = |name: &str| {
        ctx.model.symbols().any(|(_, symbol)| {
            symbol.name.as_deref() == Some(name) && symbol.declaration != output.syntax().id()
        })
    };
    let variable = free_name(name, is_taken);
    let text = format!("@export()\nvar {variable} = {}", output.value().syntax().text());
    let title = format!("Create exported variable '{variable}' and remove output '{name}'");
    let statements: Vec<Node<'_>> = ctx.tree().file().statements().map(Statement::syntax).collect();
    let Some((anchor, gap)) = anchor(&statements) else {
        return Fix { title, edits: vec![Edit { range: output.range(), text }] };
    };
    let insertion = Edit { range: TextRange::empty(anchor.range().end()), text: format!("{gap}{text}") };
    let removal = Edit { range: lines_of(output.syntax()), text: String::new() };
    let mut edits = vec![insertion, removal];
    edits.sort_by_key(|edit| edit.range.start());
    Fix { title, edits }
}

/// The statement behind which a new variable goes, and what goes between them.
fn anchor<'t>(statements: &[Node<'t>]) -> Option<(Node<'t>, &'static str)> {
    let last_variable = statements.iter().rfind(|it| matches!(Statement::of(**it), Statement::Var(_)));
    if let Some(variable) = last_variable {
        return Some((*variable, "\n"));
    }
    let before_resources =
        statements.iter().take_while(|it| !matches!(Statement::of(**it), Statement::Resource(_)));
    let parameter = before_resources.filter(|it| matches!(Statement::of(**it), Statement::Param(_))).last();
    parameter.map(|parameter| (*parameter, "\n\n"))
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_fix};

    #[test]
    fn computed_values_are_fine() {
        check(
            "no-hardcoded-outputs",
            "param a string\noutput b array = ['x', { c: -(1) }] // <-\noutput d array = ['x', a]\noutput e string = 'x${a}'\noutput f object = {} // <-\n",
        );
    }

    #[test]
    fn the_variable_goes_behind_its_like() {
        check_fix("no-hardcoded-outputs", "output a int = 1\n", "@export()\nvar a = 1\n");
        check_fix("no-hardcoded-outputs", "var a = b\n\noutput b int = 1\n", "var a = b\n@export()\nvar b = 1\n\n");
        check_fix("no-hardcoded-outputs", "param a int\noutput a int = 1\n", "param a int\n\n@export()\nvar a2 = 1\n");
    }
}
