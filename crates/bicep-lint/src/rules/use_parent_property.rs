//! `use-parent-property`

use base::{Edit, Fix, TextRange};
use bicep_syntax::SyntaxKind;
use bicep_syntax::ast::{Expr, Name, Str};

use crate::edits::{indentation, string_text, without_blank_ends};
use crate::expression_type::{is_string, type_of};
use crate::resources::{DeclaredResource, resource_named, resources};
use crate::token_equality::equal_tokens;
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "use-parent-property",
    documentation: "\
A child resource should use `parent` instead of a name with a slash.

The name of a child is then its own, and its dependency on the parent is clear.

```bicep
resource server 'Microsoft.Sql/servers@2021-11-01' = {
  name: 'server'
  location: 'westeurope'
}

resource first 'Microsoft.Sql/servers/databases@2021-11-01' = {
  name: '${server.name}/first' // <-
  location: 'westeurope'
}

resource second 'Microsoft.Sql/servers/databases@2021-11-01' = {
  parent: server
  name: 'second'
  location: 'westeurope'
}
```
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    let all: Vec<_> = resources(ctx).into_iter().filter(|resource| resource.is_azure).collect();
    for child in &all {
        let has_parent = child.reference.segment_count() < 3 || child.parent.is_some();
        let Some(Expr::Str(name)) = child.identity("name").filter(|_| !has_parent) else { continue };
        let by_name = all.iter().find_map(|parent| {
            let rest = name_behind_reference(ctx, parent, name)?;
            parent.reference.is_parent_of(child.reference).then_some((parent, rest))
        });
        let found = by_name.or_else(|| {
            all.iter()
                .filter(|it| !it.is_collection() && it.is_of_type(child.reference.parent_name()))
                .find_map(|parent| Some((parent, name_behind(ctx, parent.identity("name")?, name)?)))
        });
        if let Some((parent, rest)) = found {
            report(ctx, child, parent, &rest);
        }
    }
}

fn report(ctx: &mut Context<'_, '_>, child: &DeclaredResource<'_>, parent: &DeclaredResource<'_>, rest: &str) {
    let Some(body) = child.body().filter(|body| !ctx.has_syntax_error(body.range())) else { return };
    let Some(name) = body.property("name") else { return };
    let message = format!("The resource \"{}\" should say by `parent` that it belongs to \"{}\"", child.name, parent.name);
    let separator = separator(name.syntax());
    let start = TextRange::empty(name.range().start());
    let mut edits = vec![
        Edit { range: start, text: format!("parent: {}{separator}", parent.name) },
        Edit { range: name.value().range(), text: rest.to_owned() },
    ];
    edits.extend(without_blank_ends(body.syntax()));
    edits.sort_by_key(|edit| edit.range.start());
    let fix = Fix { title: "Use parent property".to_owned(), edits };
    ctx.report_with(name.value().range(), message, [fix]);
}

/// What goes between two properties of an object: what stands before the second one.
fn separator(property: bicep_syntax::Node<'_>) -> String {
    let before = property.first_token().and_then(bicep_syntax::Token::previous);
    match before.map(bicep_syntax::Token::kind) {
        Some(SyntaxKind::NewLine) => format!("\n{}", indentation(property)),
        _ => ", ".to_owned(),
    }
}

/// The rest of a name that starts with `${parent.name}/`.
fn name_behind_reference(ctx: &Context<'_, '_>, parent: &DeclaredResource<'_>, name: Str<'_>) -> Option<String> {
    let Some(Expr::PropertyAccess(access)) = name.holes().next() else { return None };
    let is_name = access.name().and_then(Name::text) == Some("name");
    let is_parent = resource_named(ctx, access.base()) == Some(parent.symbol);
    (is_name && is_parent).then(|| name_behind_hole(name)).flatten()
}

/// The rest of a name behind its first hole and a slash. The reference does not look at what stands before the hole.
fn name_behind_hole(name: Str<'_>) -> Option<String> {
    let mut texts: Vec<String> = name.segment_values().into_iter().skip(1).collect();
    let behind = texts.first_mut()?;
    *behind = behind.strip_prefix('/')?.to_owned();
    Some(string_text(&texts, name.holes().skip(1).map(|hole| hole.syntax().text())))
}

/// The rest of a name that starts with the name of the parent and a slash.
fn name_behind(ctx: &Context<'_, '_>, parent: Expr<'_>, name: Str<'_>) -> Option<String> {
    let Expr::Str(parent) = parent else {
        let is_parent = name.holes().next().is_some_and(|hole| equal_tokens(hole.syntax(), parent.syntax()));
        return is_parent.then(|| name_behind_hole(name)).flatten();
    };
    let (outer, own) = (parent.segment_values(), name.segment_values());
    let (last, common) = outer.split_last()?;
    if own.get(..common.len())? != common {
        return None;
    }
    let first = own.get(common.len())?.strip_prefix(last.as_str())?.strip_prefix('/')?;
    let holes: Vec<Expr<'_>> = name.holes().collect();
    let (shared, rest) = holes.split_at_checked(common.len())?;
    if !shared.iter().zip(parent.holes()).all(|(a, b)| equal_tokens(a.syntax(), b.syntax())) {
        return None;
    }
    let mut texts = vec![first.to_owned()];
    texts.extend(own.iter().skip(outer.len()).cloned());
    match rest {
        [only] if texts.iter().all(String::is_empty) && is_string(&type_of(ctx, *only)) => {
            Some(only.syntax().text().to_owned())
        }
        _ => Some(string_text(&texts, rest.iter().map(|hole| hole.syntax().text()))),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_fix};

    fn two(parent: &str, child: &str) -> String {
        format!("param p string\nresource a 'A.B/c@2020-01-01' = {{\n  name: {parent}\n}}\nresource b 'A.B/c/d@2020-01-01' = {{\n  name: {child}\n}}\n")
    }

    #[test]
    fn the_name_of_the_parent_is_recognized() {
        for (parent, child, left) in [
            ("'x'", "'x/y'", "'y'"),
            ("p", "'${p}/y'", "'y'"),
            ("'${p}'", "'${p}/${p}'", "p"),
            ("'${p}-x'", "'${p}-x/y${p}'", "'y${p}'"),
        ] {
            let fixed = two(parent, left).replacen(&format!("  name: {left}\n}}\n"), "\u{0}", 0);
            let at = fixed.rfind("  name:").unwrap();
            let fixed = format!("{}  parent: a\n{}", &fixed[..at], &fixed[at..]);
            check_fix("use-parent-property", &two(parent, child), &fixed);
        }
    }

    #[test]
    fn other_names_are_left_alone() {
        check("use-parent-property", &two("'x'", "'xy/z'"));
        check("use-parent-property", &two("p", "'x/z'"));
        check("use-parent-property", &two("'${p}'", "'${p}y/z'"));
    }
}
