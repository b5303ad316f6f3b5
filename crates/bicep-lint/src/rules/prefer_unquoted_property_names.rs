//! `prefer-unquoted-property-names`

use bicep_syntax::ast::{Expr, Index, Property, Str};
use bicep_syntax::{Node, SyntaxKind};
use bicep_types::ty::escape_property_name;

use crate::edits::replace;
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "prefer-unquoted-property-names",
    documentation: "\
Property names should be quoted only where they have to be.

```bicep
var a = {
  'name': 'x' // <-
  'with space': 'y'
}

output b string = a['name'] // <-
output c string = a['with space']
```
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    for node in ctx.tree().nodes_of(&[SyntaxKind::Property, SyntaxKind::Index]) {
        match node.kind() {
            SyntaxKind::Property => {
                let Some(key) = Property::cast(node).map(Property::key) else { continue };
                if let Some(name) = plain_name(key) {
                    let fix = replace(format!("Remove quotes from property name '{name}'"), key.range(), name.clone());
                    ctx.report_with(key.range(), format!("The property name \"{name}\" needs no quotes"), [fix]);
                }
            }
            SyntaxKind::Index => {
                let Some(access) = Index::cast(node) else { continue };
                let Some(name) = plain_name(access.index().syntax()) else { continue };
                let (Some(open), Some(close)) =
                    (node.token(SyntaxKind::LeftSquare), node.token(SyntaxKind::RightSquare))
                else {
                    continue;
                };
                let range = open.range().cover(close.range());
                let dot = if access.is_safe() { ".?" } else { "." };
                let base = access.base().syntax().text();
                let title = format!("Replace array syntax with '{base}.{name}'");
                let fix = replace(title, range, format!("{dot}{name}"));
                ctx.report_with(range, format!("The property \"{name}\" can be accessed by {dot}{name}"), [fix]);
            }
            _ => {}
        }
    }
}

/// The text of a string that could stand without quotes.
fn plain_name(node: Node<'_>) -> Option<String> {
    let Expr::Str(text) = Expr::of(node) else { return None };
    let name = Str::value(text)?;
    (escape_property_name(&name) == name).then_some(name)
}

#[cfg(test)]
mod tests {
    use crate::testing::{check_fix, marked};

    #[test]
    fn keywords_keep_their_quotes() {
        let source = "var a = { 'true': 1, 'if': 2, 'x${1}': 3 }\nvar b = a['if']\nvar c = a[?'d']\n";
        assert_eq!(marked("prefer-unquoted-property-names", source), ["'if'", "['if']", "[?'d']"]);
        check_fix("prefer-unquoted-property-names", "var c = {}[?'d']\n", "var c = {}.?d\n");
    }
}
