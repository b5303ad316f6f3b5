//! `use-safe-access`

use base::Fix;
use bicep_syntax::ast::{Binary, Expr, Name, Str, Ternary};
use bicep_syntax::{Node, SyntaxKind};
use bicep_types::Kind;
use bicep_types::ty::escape_property_name;

use crate::calls::built_in;
use crate::edits::replace;
use crate::expression_type::type_of;
use crate::token_equality::equal_tokens;
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "use-safe-access",
    documentation: "\
Values that may be missing should be accessed with `.?`.

`a.?b ?? c` is shorter than `contains(a, 'b') ? a.b : c` and says the same. Where a property may be null, `.?` makes that
clear.

```bicep
param tags object

output a string = contains(tags, 'owner') ? tags.owner : 'nobody' // <-
output b string = tags.?owner ?? 'nobody'
```
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    for node in ctx.tree().nodes_of(&[SyntaxKind::Ternary, SyntaxKind::PropertyAccess, SyntaxKind::Index]) {
        match node.kind() {
            SyntaxKind::Ternary => {
                if let Some(fix) = Ternary::cast(node).and_then(|it| without_contains(ctx, it)) {
                    ctx.report_with(node.range(), "Use .? and ?? instead of asking with contains()", [fix]);
                }
            }
            SyntaxKind::PropertyAccess | SyntaxKind::Index => check_access(ctx, node),
            _ => {}
        }
    }
}

/// `contains(a, 'b') ? a.b : c` as `a.?b ?? c`.
fn without_contains(ctx: &Context<'_, '_>, ternary: Ternary<'_>) -> Option<Fix> {
    let call = built_in(ctx.model, ternary.condition().syntax(), "sys").filter(|it| it.name() == Some("contains"))?;
    let arguments = call.arguments();
    let [object, key] = arguments.as_slice() else { return None };
    let (base, is_same_key) = match ternary.if_true() {
        Expr::PropertyAccess(access) => {
            let name = access.name().and_then(Name::text)?;
            (access.base(), matches!(key, Expr::Str(text) if Str::value(*text).as_deref() == Some(name)))
        }
        Expr::Index(access) => (access.base(), equal_tokens(access.index().syntax(), key.syntax())),
        _ => return None,
    };
    if !is_same_key || !equal_tokens(base.syntax(), object.syntax()) {
        return None;
    }
    let fallback = ternary.if_false();
    let text = fallback.syntax().text();
    let fallback = if binds_looser(fallback) { format!("({text})") } else { text.to_owned() };
    let access = safe_access(base.syntax().text(), *key);
    Some(replace("Use the safe access (.?) operator", ternary.range(), format!("{access} ?? {fallback}")))
}

fn safe_access(base: &str, key: Expr<'_>) -> String {
    let plain = match key {
        Expr::Str(text) => Str::value(text).filter(|name| escape_property_name(name) == *name),
        _ => None,
    };
    match plain {
        Some(name) => format!("{base}.?{name}"),
        None => format!("{base}[?{}]", key.syntax().text()),
    }
}

/// Whether an expression needs parentheses behind `??`.
fn binds_looser(expr: Expr<'_>) -> bool {
    match expr {
        Expr::Ternary(_) => true,
        Expr::Binary(binary) => {
            let operator = Binary::operator(binary).map(bicep_syntax::Token::text);
            matches!(operator, Some("||" | "&&" | "==" | "!=" | "=~" | "!~"))
        }
        _ => false,
    }
}

/// Reports an access to a property that may be null.
fn check_access(ctx: &mut Context<'_, '_>, node: Node<'_>) {
    let base = match Expr::of(node) {
        Expr::PropertyAccess(access) if !access.is_safe() => access.base(),
        Expr::Index(access) if !access.is_safe() => access.base(),
        _ => return,
    };
    let is_asserted = node.parent().is_some_and(|parent| parent.kind() == SyntaxKind::NonNull);
    if is_asserted || !matches!(type_of(ctx, base).kind(), Kind::Object(_)) {
        return;
    }
    if type_of(ctx, Expr::of(node)).is_nullable() {
        let base = base.syntax().text();
        let fixed = match Expr::of(node) {
            Expr::Index(access) => format!("{base}[?{}]", access.index().syntax().text()),
            Expr::PropertyAccess(access) => {
                format!("{base}.?{}", access.name().map(Name::display).unwrap_or_default())
            }
            _ => return,
        };
        let fix = replace("Use the safe access (.?) operator", node.range(), fixed);
        ctx.report_with(node.range(), "The property may be null: use .?", [fix]);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_fix};

    #[test]
    fn only_the_same_property_counts() {
        check(
            "use-safe-access",
            "param a object\nvar b = contains(a, 'b') ? a.c : 1\nvar c = contains(a, b) ? a[b] : 1 // <-\nvar d = contains(b, 'x') ? a.x : 1\n",
        );
    }

    #[test]
    fn the_fallback_is_kept_together() {
        let fix = |before: &str, after: &str| {
            let var = |value: &str| format!("param a object\nvar v = {value}\n");
            check_fix("use-safe-access", &var(before), &var(after));
        };
        fix("contains(a, 'b') ? a.b : 'c'", "a.?b ?? 'c'");
        fix("contains(a, 'b') ? a['b'] : 1 + 2", "a.?b ?? 1 + 2");
        fix("contains(a, 'b c') ? a['b c'] : 1 == 2", "a[?'b c'] ?? (1 == 2)");
        fix("contains(a, 'b') ? a.b : true ? 1 : 2", "a.?b ?? (true ? 1 : 2)");
    }
}
