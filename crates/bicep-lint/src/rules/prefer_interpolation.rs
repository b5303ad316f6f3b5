//! `prefer-interpolation`

use base::Fix;
use bicep_syntax::ast::Expr;
use bicep_syntax::{Node, SyntaxKind};

use crate::calls::{AnyCall, calls_of};
use crate::edits::{replace, string_text};
use crate::expression_type::{is_string, type_of};
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "prefer-interpolation",
    documentation: "\
Strings should be concatenated by interpolation.

`'${a}-${b}'` shows what comes out better than `concat(a, '-', b)`.

```bicep
param a string

output b string = concat('prefix-', a) // <-
output c string = 'prefix-${a}'
output d array = concat([a], ['b'])
```
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    for call in calls_of(ctx.model, ctx.tree(), "sys", |name| name == "concat") {
        let is_readable = call.arguments().len() > 1 && !ctx.has_syntax_error(call.range());
        if is_readable && is_string(&type_of(ctx, Expr::of(call.syntax()))) {
            let message = "Use interpolation instead of concat() for strings";
            ctx.report_with(call.range(), message, interpolated(call));
        }
    }
}

/// The call as a string with holes, unless there is an argument that cannot stand in a hole.
fn interpolated(call: AnyCall<'_>) -> Option<Fix> {
    let mut texts = vec![String::new()];
    let mut expressions = Vec::new();
    for argument in call.arguments() {
        match argument {
            Expr::Str(text) => {
                let mut segments = text.segment_values().into_iter();
                if let (Some(last), Some(first)) = (texts.last_mut(), segments.next()) {
                    last.push_str(&first);
                }
                texts.extend(segments);
                expressions.extend(text.holes().map(|hole| hole.syntax().text()));
            }
            other if !fits_hole(other.syntax()) => return None,
            other => {
                texts.push(String::new());
                expressions.push(other.syntax().text());
            }
        }
    }
    Some(replace("Use string interpolation", call.range(), string_text(&texts, expressions)))
}

/// Whether an expression can stand in a hole: it must not span lines or have arrays or objects written out in it.
fn fits_hole(node: Node<'_>) -> bool {
    let is_literal = |it: Node<'_>| matches!(it.kind(), SyntaxKind::Array | SyntaxKind::Object | SyntaxKind::For);
    !node.text().contains(['\n', '\r']) && !node.descendants().any(is_literal)
}

#[cfg(test)]
mod tests {
    use crate::testing::check_fix;

    #[test]
    fn strings_among_the_arguments_melt_together() {
        check_fix(
            "prefer-interpolation",
            "param a string\nvar b = concat('x${a}y', 'z\\'', sys.toLower(a))\n",
            "param a string\nvar b = 'x${a}yz\\'${sys.toLower(a)}'\n",
        );
    }
}
