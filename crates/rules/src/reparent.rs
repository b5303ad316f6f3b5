//! Places resources below what they depend on, so that a rule about a site also sees the settings that are written as a
//! resource of their own. A resource stays where it is and is additionally found below its dependency.

use std::collections::{BTreeMap, BTreeSet};

use arm::Value;
use arm::expand::Planned;
use arm::expression::{Expr, ExprKind};
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
    /// Whether type and name as written are those of the resource as a whole, and not only their last segments.
    pub is_whole: bool,
    /// Whether the name is known; else the expressions that give it stand in its place.
    pub has_known_name: bool,
}

impl Identity {
    /// What names an expanded resource that is written inside of another one, or at the top.
    pub(crate) fn of(planned: &Planned, parent: Option<&Planned>) -> Self {
        let own = |wanted: &str| planned.own.iter().find(|(name, _)| *name == wanted).map(|(_, value)| value);
        let own_type = own("type").and_then(Value::as_str);
        let parent_type = parent.and_then(|parent| parent.resource_type.as_str());
        Self {
            own_type: own_type.map(str::to_owned),
            full_type: planned.resource_type.as_str().map(str::to_owned),
            short_name: own("name").and_then(name_of),
            full_name: planned.name.as_ref().and_then(name_of),
            symbol: planned.symbol.clone(),
            is_whole: parent.is_none() || arm::expand::is_full_type(parent_type, own_type),
            has_known_name: own("name").is_some_and(|name| name.as_str().is_some()),
        }
    }

    /// What is wrong when a name has not one segment for each segment of its type.
    pub(crate) fn mismatch(&self) -> Option<String> {
        let (own_type, name) = (self.own_type.as_ref()?, self.short_name.as_ref()?);
        if own_type.contains('@') || !self.has_known_name {
            return None;
        }
        let wanted = own_type.split('/').count().saturating_sub(usize::from(self.is_whole));
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
    let index = Index::of(identities);
    let mut families = BTreeMap::new();
    for at in 0..placed.len() {
        let dependencies = placed.get(at).and_then(|placed| placed.body.get("dependsOn").cloned());
        let texts = dependencies.as_ref().and_then(Value::as_array).unwrap_or_default();
        for text in texts.iter().filter_map(dependency) {
            if lacks_group(&text) {
                diagnostics.push(messages::template_error(
                    base::TextRange::default(),
                    &format!("Resource group name was not found on parent resource id: {text}"),
                ));
                continue;
            }
            for &parent in index.find(&text).iter().filter(|parent| **parent != at) {
                let Some(around) = placed.get_mut(parent) else { continue };
                let family =
                    families.entry(parent).or_insert_with(|| Family::of(&around.children, identities));
                if identities.get(at).is_some_and(|identity| family.takes(at, identity)) {
                    around.children.push(at);
                }
            }
        }
    }
    diagnostics
}

/// A name as text. Of what is not known the expression stands for it: two resources whose names come from the same
/// parameter in the same way belong together, whatever its value is.
fn name_of(value: &Value) -> Option<String> {
    match value.as_unknown() {
        Some(unknown) => Some(text_of(&unknown.expression)),
        None => value.as_str().map(str::to_owned),
    }
}

/// What a dependency calls a resource: a text, or `namespace/type/name` from a call that would give the id.
fn dependency(value: &Value) -> Option<String> {
    let Some(unknown) = value.as_unknown() else { return value.as_str().map(str::to_owned) };
    let ExprKind::Call(call) = unknown.expression.kind() else { return name_of(value) };
    if !call.name.to_ascii_lowercase().ends_with("resourceid") {
        return name_of(value);
    }
    // Subscription and group may stand in front of the type.
    let is_type = |arg: &&Expr| literal(arg).is_some_and(|text| text.contains('/') && !text.starts_with('/'));
    let at = call.args.iter().position(|arg| is_type(&arg))?;
    let (resource_type, names) = (literal(call.args.get(at)?)?, call.args.iter().skip(at + 1).map(text_of));
    let mut types = resource_type.split('/');
    let mut text = types.next()?.to_owned();
    let names = names.collect::<Vec<_>>().join("/");
    for (kind, name) in types.zip(names.split('/')) {
        text.extend(["/", kind, "/", name]);
    }
    Some(text)
}

/// The text of an expression, with what is known in it put in. No part of it that is not known has a slash.
fn text_of(expression: &Expr) -> String {
    if let Some(text) = literal(expression) {
        return text.to_owned();
    }
    if let ExprKind::Call(call) = expression.kind() {
        let args = || call.args.iter().map(text_of);
        if call.name.eq_ignore_ascii_case("concat") {
            return args().collect();
        }
        if call.name.eq_ignore_ascii_case("format")
            && let Some(format) = call.args.first().and_then(literal)
        {
            let parts = args().skip(1).enumerate();
            return parts
                .fold(format.to_owned(), |text, (at, part)| text.replace(&format!("{{{at}}}"), &part));
        }
    }
    format!("[{expression}]").replace('/', "|")
}

fn literal(expression: &Expr) -> Option<&str> {
    match expression.kind() {
        ExprKind::String(text) => Some(text),
        ExprKind::Known(value) => value.as_str(),
        _ => None,
    }
}

/// The resources of a template by everything that a dependency may call them. Keys are in small letters.
#[derive(Default)]
struct Index {
    symbols: BTreeMap<String, Vec<usize>>,
    ids: BTreeMap<(String, String), Vec<usize>>,
    names: BTreeMap<String, Vec<usize>>,
}

impl Index {
    fn of(identities: &[Identity]) -> Self {
        let mut index = Self::default();
        for (at, identity) in identities.iter().enumerate() {
            if let Some(symbol) = &identity.symbol {
                index.symbols.entry(small(symbol)).or_default().push(at);
            }
            if let (Some(full_type), Some(name)) = (&identity.full_type, &identity.full_name) {
                index.ids.entry((small(full_type), small(name))).or_default().push(at);
            }
            let names = [&identity.full_name, &identity.short_name].into_iter().flatten();
            for name in names.map(|name| small(name)).collect::<BTreeSet<_>>() {
                index.names.entry(name).or_default().push(at);
            }
        }
        index
    }

    /// The resources that a dependency names: a symbolic name, an id, `type/name`, or a name that only one has.
    fn find(&self, text: &str) -> &[usize] {
        let text = small(text);
        let by_id = || self.ids.get(&type_and_name(&text)?);
        let by_name = || self.names.get(&text).filter(|found| found.len() == 1);
        self.symbols.get(&text).or_else(by_id).or_else(by_name).map_or(&[], Vec::as_slice)
    }
}

/// The children of a resource, each only once: those of the same type and name are the same.
#[derive(Default)]
struct Family {
    positions: BTreeSet<usize>,
    names: BTreeSet<(Name, String, String)>,
}

/// Whether a name has the names of parents before it.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    Full,
    Short,
}

impl Family {
    fn of(children: &[usize], identities: &[Identity]) -> Self {
        let mut family = Self::default();
        for child in children {
            if let Some(identity) = identities.get(*child) {
                family.takes(*child, identity);
            }
        }
        family
    }

    /// Whether a resource is new here; it then belongs to the family.
    fn takes(&mut self, at: usize, identity: &Identity) -> bool {
        let full_type = identity.full_type.as_deref().map(small);
        let named = |kind: Name, name: &Option<String>| {
            full_type.clone().zip(name.as_deref().map(small)).map(|(full_type, name)| (kind, full_type, name))
        };
        let names = [named(Name::Full, &identity.full_name), named(Name::Short, &identity.short_name)];
        if self.positions.contains(&at) || names.iter().flatten().any(|name| self.names.contains(name)) {
            return false;
        }
        self.positions.insert(at);
        self.names.extend(names.into_iter().flatten());
        true
    }
}

fn small(text: &str) -> String {
    text.to_lowercase()
}

const GROUPS: &str = "microsoft.resources/resourcegroups";

/// Full type and full name from an id of any scope, or from `namespace/type/name`, in small letters.
fn type_and_name(id: &str) -> Option<(String, String)> {
    let rest = match id.rsplit_once("/providers/") {
        Some((_, rest)) => rest,
        None if id.starts_with('/') => {
            let (_, name) = id.split_once("/resourcegroups/")?;
            let name = name.trim_end_matches('/');
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
