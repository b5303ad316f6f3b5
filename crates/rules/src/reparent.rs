//! Places resources below what they depend on, so that a rule about a site also sees the settings that are written as a
//! resource of their own. A resource stays where it is and is additionally found below its dependency.

use arm::Value;
use base::Diagnostic;
use smol_str::SmolStr;

use crate::document::Placed;
use crate::messages;

/// What names a resource.
#[derive(Debug, Clone, Default)]
pub(crate) struct Identity {
    pub own_type: Option<String>,
    pub full_type: Option<String>,
    pub short_name: Option<String>,
    pub full_name: Option<String>,
    pub symbol: Option<SmolStr>,
}

impl Identity {
    /// What is wrong when a name has not one segment for each segment of its type.
    pub(crate) fn mismatch(&self, is_child: bool) -> Option<String> {
        let (own_type, name) = (self.own_type.as_ref()?, self.short_name.as_ref()?);
        if own_type.contains('@') {
            return None;
        }
        let wanted = own_type.split('/').count().saturating_sub(usize::from(!is_child));
        let found = name.split('/').count();
        (wanted != found && wanted > 0).then(|| {
            format!(
                "The resource '{name}' of type '{own_type}' has incorrect segment lengths: \
                 a name has one segment for each segment of its type, here {wanted} instead of {found}."
            )
        })
    }
}

/// Adds every resource to the children of what it depends on.
pub(crate) fn under_dependencies(placed: &mut [Placed], identities: &[Identity]) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for at in 0..placed.len() {
        let dependencies = placed.get(at).and_then(|placed| placed.body.get("dependsOn").cloned());
        let texts = dependencies.as_ref().and_then(Value::as_array).unwrap_or_default();
        for text in texts.iter().filter_map(Value::as_str) {
            if lacks_group(text) {
                diagnostics.push(messages::template_error(
                    base::TextRange::default(),
                    &format!("Resource group name was not found on parent resource id: {text}"),
                ));
                continue;
            }
            for parent in find(text, identities) {
                attach(placed, identities, parent, at);
            }
        }
    }
    diagnostics
}

fn attach(placed: &mut [Placed], identities: &[Identity], parent: usize, child: usize) {
    if parent == child {
        return;
    }
    let same = |other: usize| {
        other == child
            || identities.get(other).zip(identities.get(child)).is_some_and(|(a, b)| {
                same_text(a.full_type.as_ref(), b.full_type.as_ref()) && same_name(a, b)
            })
    };
    if let Some(parent) = placed.get_mut(parent)
        && !parent.children.iter().any(|other| same(*other))
    {
        parent.children.push(child);
    }
}

fn same_name(a: &Identity, b: &Identity) -> bool {
    same_text(a.full_name.as_ref(), b.full_name.as_ref())
        || same_text(a.short_name.as_ref(), b.short_name.as_ref())
}

fn same_text(a: Option<&String>, b: Option<&String>) -> bool {
    a.zip(b).is_some_and(|(a, b)| json::eq_ignore_case(a, b))
}

/// The resources that a dependency names: a symbolic name, an id, `type/name`, or a name that only one resource has.
fn find(text: &str, identities: &[Identity]) -> Vec<usize> {
    let symbol = |identity: &Identity| {
        identity.symbol.as_ref().is_some_and(|symbol| json::eq_ignore_case(symbol, text))
    };
    let by_symbol = positions(identities, symbol);
    if !by_symbol.is_empty() {
        return by_symbol;
    }
    if let Some((resource_type, name)) = type_and_name(text) {
        let by_id = positions(identities, |identity| {
            same_text(identity.full_type.as_ref(), Some(&resource_type))
                && same_text(identity.full_name.as_ref(), Some(&name))
        });
        if !by_id.is_empty() {
            return by_id;
        }
    }
    let text = text.to_owned();
    let named = |identity: &Identity| {
        same_text(identity.full_name.as_ref(), Some(&text))
            || same_text(identity.short_name.as_ref(), Some(&text))
    };
    Some(positions(identities, named)).filter(|found| found.len() == 1).unwrap_or_default()
}

fn positions(identities: &[Identity], matches: impl Fn(&Identity) -> bool) -> Vec<usize> {
    identities.iter().enumerate().filter(|(_, identity)| matches(identity)).map(|(at, _)| at).collect()
}

const GROUPS: &str = "Microsoft.Resources/resourceGroups";

/// Full type and full name from an id of any scope, or from `namespace/type/name`.
fn type_and_name(id: &str) -> Option<(String, String)> {
    let lower = id.to_ascii_lowercase();
    let rest = match lower.rfind("/providers/") {
        Some(at) => id.get(at + "/providers/".len()..)?,
        None if id.starts_with('/') => {
            let at = lower.find("/resourcegroups/")? + "/resourcegroups/".len();
            let name = id.get(at..)?.trim_end_matches('/');
            return (!name.contains('/')).then(|| (GROUPS.to_owned(), name.to_owned()));
        }
        None => id,
    };
    let mut parts = rest.split('/').filter(|part| !part.is_empty());
    let mut resource_type = parts.next()?.to_owned();
    let mut names = Vec::new();
    while let Some(segment) = parts.next() {
        resource_type = format!("{resource_type}/{segment}");
        names.push(parts.next()?);
    }
    (!names.is_empty()).then(|| (resource_type, names.join("/")))
}

/// An id of a subscription alone: nothing in a template can be meant by it.
fn lacks_group(id: &str) -> bool {
    let lower = id.to_ascii_lowercase();
    lower.strip_prefix("/subscriptions/").is_some_and(|rest| !rest.trim_end_matches('/').contains('/'))
}
