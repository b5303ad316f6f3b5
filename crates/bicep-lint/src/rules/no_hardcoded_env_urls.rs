//! `no-hardcoded-env-urls`

use base::{TextRange, TextSize};
use bicep_syntax::ast::{Module, Resource, Str};
use bicep_syntax::{Dialect, Node, SyntaxKind};

use crate::calls::built_in;
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "no-hardcoded-env-urls",
    documentation: "\
Cloud host names should come from `environment()`.

A file with a hard-coded host name cannot be deployed to another cloud.

```bicep
output a string = 'https://management.azure.com/x' // <-
output b string = '${environment().resourceManager}x'
```

Options: `disallowedhosts` lists forbidden host names, `excludedhosts` lists exceptions that contain one of them.
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    if ctx.bicep.dialect == Dialect::Params {
        return;
    }
    let disallowed = hosts(ctx, "disallowedhosts");
    let excluded = hosts(ctx, "excludedhosts");
    let Some(shortest) = disallowed.iter().map(|host| host.name.len()).min() else { return };
    for text in ctx.tree().nodes_of(&[SyntaxKind::Str]).filter_map(Str::cast) {
        if usize::from(text.range().len()) <= shortest {
            continue;
        }
        for token in text.segments().filter(|token| token.text().len() >= shortest) {
            let found = matches(&disallowed, token.text());
            // Few texts have a host in them, which is known sooner than what is around them.
            if found.is_empty() || is_exempt(ctx, text.syntax()) {
                break;
            }
            let allowed = matches(&excluded, token.text());
            for range in without_overlaps(found) {
                if !allowed.iter().any(|other| overlap(*other, range)) {
                    let host = token.text().get(usize::from(range.start())..usize::from(range.end()));
                    let message = format!("The host \"{}\" exists in one cloud only: use environment()", host.unwrap_or_default());
                    ctx.report(range + token.range().start(), message);
                }
            }
        }
    }
}

/// Whether a text is for people, and may name anything, or stands in the type of a resource or the path of a module.
fn is_exempt(ctx: &Context<'_, '_>, text: Node<'_>) -> bool {
    let is_for_people = |node: Node<'_>| match node.kind() {
        SyntaxKind::Metadata => true,
        SyntaxKind::Decorator => {
            let call = node.children().next().and_then(|call| built_in(ctx.model, call, "sys"));
            call.is_some_and(|call| matches!(call.name(), Some("description" | "metadata")))
        }
        _ => false,
    };
    let mut inner = text;
    text.ancestors().any(|outer| {
        let child = std::mem::replace(&mut inner, outer);
        is_for_people(outer) || is_reference(outer, child)
    })
}

/// Whether a child is the type of a resource or the path of a module.
fn is_reference(node: Node<'_>, child: Node<'_>) -> bool {
    let path = Resource::cast(node).map(Resource::path_syntax).or(Module::cast(node).map(Module::path_syntax));
    path == Some(child)
}

struct Host {
    /// In lower case.
    name: String,
    /// What its second label begins with.
    second_label: Option<u8>,
}

impl Host {
    fn new(name: &str) -> Self {
        let name = name.to_ascii_lowercase();
        let second_label = LabelStarts::behind_dots(&name).next();
        Self { name, second_label }
    }
}

fn hosts(ctx: &Context<'_, '_>, option: &str) -> Vec<Host> {
    let list = ctx.option(option).and_then(|value| value.as_array()).into_iter().flatten();
    let names = list.filter_map(|host| host.as_str()).filter(|host| !host.is_empty());
    names.map(Host::new).collect()
}

/// Where the hosts occur in a text, not as parts of longer words.
fn matches(hosts: &[Host], text: &str) -> Vec<TextRange> {
    // Most texts have no dot, and so none of the hosts.
    if !text.contains('.') && hosts.iter().all(|host| host.second_label.is_some()) {
        return Vec::new();
    }
    let lower = text.to_ascii_lowercase();
    let labels = LabelStarts::of(&lower);
    let mut found = Vec::new();
    for host in hosts.iter().filter(|host| labels.may_have(host)) {
        for (start, matched) in lower.match_indices(host.name.as_str()) {
            let before = lower.get(..start).and_then(|before| before.chars().next_back());
            let after = lower.get(start + matched.len()..).and_then(|after| after.chars().next());
            if !before.into_iter().chain(after).any(char::is_alphanumeric) {
                let start = TextSize::try_from(start).unwrap_or_default();
                found.push(TextRange::at(start, TextSize::of(matched)));
            }
        }
    }
    found
}

/// Which letters stand behind the dots of a text. A host with another letter behind its first dot is not in it, which is known
/// sooner than what it would take to search for each of many hosts.
struct LabelStarts([bool; 256]);

impl LabelStarts {
    fn of(text: &str) -> Self {
        let mut starts = [false; 256];
        for label in Self::behind_dots(text) {
            if let Some(start) = starts.get_mut(usize::from(label)) {
                *start = true;
            }
        }
        Self(starts)
    }

    /// The first bytes of the labels but for the first one.
    fn behind_dots(text: &str) -> impl Iterator<Item = u8> {
        text.split('.').skip(1).filter_map(|label| label.bytes().next())
    }

    fn may_have(&self, host: &Host) -> bool {
        host.second_label.is_none_or(|label| self.0.get(usize::from(label)) == Some(&true))
    }
}

fn without_overlaps(mut ranges: Vec<TextRange>) -> Vec<TextRange> {
    ranges.sort_by_key(|range| (range.start(), std::cmp::Reverse(range.len())));
    let mut kept: Vec<TextRange> = Vec::new();
    for range in ranges {
        if kept.last().is_none_or(|last| !overlap(*last, range)) {
            kept.push(range);
        }
    }
    kept
}

fn overlap(a: TextRange, b: TextRange) -> bool {
    a.start() < b.end() && b.start() < a.end()
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, marked};

    #[test]
    fn whole_host_names_count() {
        let source = "var a = 'x.management.core.windows.net'\nvar b = 'xcore.windows.net'\nvar c = 'https://schema.management.azure.com'\nvar d = 'MANAGEMENT.AZURE.COM and vault.azure.net.'\n";
        assert_eq!(
            marked("no-hardcoded-env-urls", source),
            ["management.core.windows.net", "MANAGEMENT.AZURE.COM", "vault.azure.net"]
        );
    }

    #[test]
    fn words_for_people_and_references_are_left_alone() {
        check("no-hardcoded-env-urls", "metadata a = 'management.azure.com'\n@description('management.azure.com')\nparam b string\nmodule c 'management.azure.com/x.bicep' = {}\n");
    }
}
