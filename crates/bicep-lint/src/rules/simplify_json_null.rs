//! `simplify-json-null`

use bicep_syntax::ast::{Expr, Str};

use crate::calls::calls_of;
use crate::edits::replace;
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "simplify-json-null",
    documentation: "\
`json('null')` should be `null`.

Templates in JSON need the function; Bicep has a word for it.

```bicep
var a = json('null') // <-
var b = null
```
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    for call in calls_of(ctx.model, ctx.tree(), "sys", |name| name == "json") {
        let arguments = call.arguments();
        let [Expr::Str(text)] = arguments.as_slice() else { continue };
        if Str::value(*text).is_some_and(|text| text.trim() == "null") {
            let fix = replace("Simplify json('null') to null", call.range(), "null");
            ctx.report_with(call.range(), "Write null instead of json('null')", [fix]);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{check_fix, marked};

    #[test]
    fn other_texts_are_left_alone() {
        let source = "var a = sys.json(' null ')\nvar b = json('{}')\n";
        assert_eq!(marked("simplify-json-null", source), ["sys.json(' null ')"]);
        check_fix("simplify-json-null", "var a = json('null')\n", "var a = null\n");
    }
}
