//! `simplify-interpolation`

use bicep_syntax::ast::{Expr, Output, ParamDefault, Property, Str, Var};
use bicep_syntax::{Node, SyntaxKind};

use crate::edits::replace;
use crate::expression_type::{is_string, type_of};
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "simplify-interpolation",
    documentation: "\
A string should not be interpolated alone.

`'${name}'` is the same as `name`, if that is a string already.

```bicep
param name string
param count int

output a string = '${name}' // <-
output b string = name
output c string = '${count}'
```
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    for node in ctx.tree().nodes_of(&[SyntaxKind::Property, SyntaxKind::Var, SyntaxKind::Output, SyntaxKind::ParamDefault]) {
        let Some(value) = assigned(node) else { continue };
        let Some(inner) = wrapped(value) else { continue };
        if is_string(&type_of(ctx, inner)) {
            let fix = replace("Remove unnecessary string interpolation", value.range(), inner.syntax().text());
            ctx.report_with(value.range(), "The string is nothing but another string: use that", [fix]);
        }
    }
}

/// The value that a node assigns to something.
fn assigned(node: Node<'_>) -> Option<Expr<'_>> {
    let of_property = Property::cast(node).map(Property::value);
    let of_variable = || Var::cast(node).map(Var::value);
    let of_output = || Output::cast(node).map(Output::value);
    let of_default = || ParamDefault::cast(node).map(ParamDefault::value);
    of_property.or_else(of_variable).or_else(of_output).or_else(of_default)
}

/// The expression in a string that has nothing else in it.
fn wrapped(value: Expr<'_>) -> Option<Expr<'_>> {
    let Expr::Str(text) = value else { return None };
    let mut holes = Str::holes(text);
    let (hole, more) = (holes.next()?, holes.next());
    (more.is_none() && text.segment_values().iter().all(String::is_empty)).then_some(hole)
}

#[cfg(test)]
mod tests {
    use crate::testing::{check_fix, marked};

    #[test]
    fn only_whole_strings_count() {
        let source = "param a string = '${toLower('X')}'\nvar b = { c: '${a}', d: '${a}x', e: ['${a}'] }\n";
        assert_eq!(marked("simplify-interpolation", source), ["'${toLower('X')}'", "'${a}'"]);
        check_fix("simplify-interpolation", "param a string\nvar b = '${a}'\n", "param a string\nvar b = a\n");
    }
}
