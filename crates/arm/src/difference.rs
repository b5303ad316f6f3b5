//! How two states of resources differ. Trees of properties, or two predictions of a deployment, come in; what was added, removed
//! and changed goes out. What-if, snapshots, reviews and the check of decompiled templates all compare with this.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

/// What counts as a difference.
pub trait Comparison {
    /// Whether values are compared as resource providers compare them: names in any case, regions and numbers in any spelling, and
    /// `null` like an absent member. Otherwise every difference counts.
    fn is_lenient(&self) -> bool {
        false
    }

    /// Whether the provider, not the template, decides on the member at this path.
    fn is_read_only(&self, _path: &str) -> bool {
        false
    }

    /// Whether the member at this path is a secret, which is never stored and cannot be compared.
    fn is_secret(&self, _path: &str) -> bool {
        false
    }
}

/// Every difference counts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Exact;

impl Comparison for Exact {}

/// A difference at one path.
#[derive(Debug, Clone, PartialEq)]
pub struct PropertyChange {
    /// The way to the property; inside of lists, the way from the item or the item's position.
    pub path: String,
    /// What became of it.
    pub kind: ChangeKind,
    /// The old value, where the property as a whole is gone or changed.
    pub before: Option<Json>,
    /// The new value, where the property as a whole is new or changed.
    pub after: Option<Json>,
    /// Differences of the items of a list, or of the members of an item.
    pub children: Vec<PropertyChange>,
}

/// What became of a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// It is new.
    Create,
    /// It is gone.
    Delete,
    /// It has another value, or another value inside.
    Modify,
    /// It is a list with other items.
    Array,
}

/// What became of a resource.
#[derive(Debug, Clone, PartialEq)]
pub struct ResourceChange {
    /// What tells the resource apart: its id, or the type for those that have none; several of the same kind are numbered.
    pub id: String,
    /// The resource before.
    pub before: Option<Json>,
    /// The resource afterwards.
    pub after: Option<Json>,
    /// The differences, where there is a before and an afterwards.
    pub changes: Vec<PropertyChange>,
}

impl ResourceChange {
    /// The change in the form of the API's what-if.
    #[must_use]
    pub fn into_json(self) -> Json {
        let Self { id, before, after, changes } = self;
        let kind = match (&before, &after) {
            (None, _) => "Create",
            (_, None) => "Delete",
            _ => "Modify",
        };
        let delta: Vec<Json> = changes.into_iter().map(PropertyChange::into_json).collect();
        json!({ "resourceId": id, "changeType": kind, "before": before, "after": after, "delta": delta })
    }
}

/// Everything that differs between two values, in the order of the new one, what is gone after it.
pub fn changes(before: &Json, after: &Json, comparison: &dyn Comparison) -> Vec<PropertyChange> {
    Comparer { comparison, prefix: String::new() }.value(before, after, "")
}

/// The resources that come, go and change between two predictions (see [`crate::prediction`]), in the order of the old one, new
/// ones after them.
pub fn resource_changes(before: &Json, after: &Json, comparison: &dyn Comparison) -> Vec<ResourceChange> {
    let (old, new) = (resources(before), resources(after));
    let known: BTreeMap<&str, &Json> = old.iter().map(|(id, it)| (id.as_str(), *it)).collect();
    let found: BTreeMap<&str, &Json> = new.iter().map(|(id, it)| (id.as_str(), *it)).collect();
    let mut all = Vec::new();
    for (id, resource) in &old {
        let other = found.get(id.as_str()).copied();
        let changes = other.map(|other| changes(resource, other, comparison)).unwrap_or_default();
        if other.is_none() || !changes.is_empty() {
            let before = Some((*resource).clone());
            all.push(ResourceChange { id: id.clone(), before, after: other.cloned(), changes });
        }
    }
    for (id, resource) in new.iter().filter(|(id, _)| !known.contains_key(id.as_str())) {
        let after = Some((*resource).clone());
        all.push(ResourceChange { id: id.clone(), before: None, after, changes: Vec::new() });
    }
    all
}

/// The resources of a prediction with what tells them apart.
fn resources(prediction: &Json) -> Vec<(String, &Json)> {
    let list = prediction.get("predictedResources").and_then(Json::as_array);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut named = Vec::new();
    for resource in list.into_iter().flatten() {
        let text = |name: &str| resource.get(name).and_then(Json::as_str).filter(|text| !text.is_empty());
        let name = text("id").or_else(|| text("type")).unwrap_or_default().to_owned();
        let count = counts.entry(name.clone()).or_default();
        *count += 1;
        let unique = if *count == 1 { name } else { format!("{name} ({count})") };
        named.push((unique, resource));
    }
    named
}

impl PropertyChange {
    fn new(path: &str, kind: ChangeKind, before: Option<&Json>, after: Option<&Json>) -> Self {
        let (before, after) = (before.cloned(), after.cloned());
        Self { path: path.to_owned(), kind, before, after, children: Vec::new() }
    }

    fn inside(path: &str, kind: ChangeKind, children: Vec<Self>) -> Self {
        Self { path: path.to_owned(), kind, before: None, after: None, children }
    }

    /// The change in the form of the API's what-if.
    #[must_use]
    pub fn into_json(self) -> Json {
        let Self { path, kind, before, after, children } = self;
        let kind = match kind {
            ChangeKind::Create => {
                return json!({ "path": path, "propertyChangeType": "Create", "after": after });
            }
            ChangeKind::Delete => {
                return json!({ "path": path, "propertyChangeType": "Delete", "before": before });
            }
            ChangeKind::Modify => "Modify",
            ChangeKind::Array => "Array",
        };
        let mut members =
            json!({ "path": path, "propertyChangeType": kind, "before": before, "after": after });
        if let Some(members) = members.as_object_mut().filter(|_| !children.is_empty()) {
            let children = children.into_iter().map(Self::into_json).collect();
            members.insert("children".to_owned(), children);
        }
        members
    }

    /// Calls `visit` with every part that is new, gone or changed, and its whole path: `properties.rules[0].name`.
    pub fn each_leaf(&self, visit: &mut dyn FnMut(&str, &Self)) {
        self.visit_leaves(&self.path, visit);
    }

    fn visit_leaves(&self, path: &str, visit: &mut dyn FnMut(&str, &Self)) {
        if self.children.is_empty() {
            return visit(path, self);
        }
        for child in &self.children {
            let inner = match self.kind {
                ChangeKind::Array => format!("{path}[{}]", child.path),
                _ if child.path.starts_with('[') => format!("{path}{}", child.path),
                _ => format!("{path}.{}", child.path),
            };
            child.visit_leaves(&inner, visit);
        }
    }
}

/// Compares values below a path.
struct Comparer<'c> {
    comparison: &'c dyn Comparison,
    /// The way to the item of a list that is being compared, as the comparison knows it.
    prefix: String,
}

impl Comparer<'_> {
    fn value(&self, old: &Json, new: &Json, path: &str) -> Vec<PropertyChange> {
        match (old, new) {
            (Json::Object(old), Json::Object(new)) => self.members(old, new, path),
            (Json::Array(old_items), Json::Array(new_items)) => {
                match self.items(old_items, new_items, path) {
                    children if children.is_empty() => Vec::new(),
                    children => vec![PropertyChange::inside(path, ChangeKind::Array, children)],
                }
            }
            _ if self.is_equal(old, new, path) => Vec::new(),
            _ => vec![PropertyChange::new(path, ChangeKind::Modify, Some(old), Some(new))],
        }
    }

    fn members(&self, old: &Map<String, Json>, new: &Map<String, Json>, path: &str) -> Vec<PropertyChange> {
        let mut changes = Vec::new();
        for (name, value) in new {
            let path = self.join(path, name);
            let known = self.whole_path(&path);
            if self.comparison.is_secret(&known) || self.comparison.is_read_only(&known) {
                continue;
            }
            match self.find(old, name) {
                Some(before) => changes.extend(self.value(before, value, &path)),
                None if self.is_absent(value) => {}
                None => changes.push(PropertyChange::new(&path, ChangeKind::Create, None, Some(value))),
            }
        }
        for (name, value) in old {
            let path = self.join(path, name);
            if self.find(new, name).is_none()
                && let Some(decided) = self.decided(value, &path)
            {
                changes.push(PropertyChange::new(&path, ChangeKind::Delete, Some(&decided), None));
            }
        }
        changes
    }

    /// The differences of two lists; their paths are positions.
    fn items(&self, old: &[Json], new: &[Json], path: &str) -> Vec<PropertyChange> {
        let mut changes = Vec::new();
        for at in 0..old.len().max(new.len()) {
            let position = at.to_string();
            match (old.get(at), new.get(at)) {
                (Some(Json::Object(old)), Some(Json::Object(new))) => {
                    let prefix = self.whole_path(&format!("{path}[{at}]"));
                    let inner = Comparer { comparison: self.comparison, prefix };
                    let parts = inner.members(old, new, "");
                    if !parts.is_empty() {
                        changes.push(PropertyChange::inside(&position, ChangeKind::Modify, parts));
                    }
                }
                (Some(old), Some(new)) => changes.extend(self.value(old, new, &position)),
                (None, Some(new)) => {
                    changes.push(PropertyChange::new(&position, ChangeKind::Create, None, Some(new)));
                }
                (Some(old), None) => {
                    changes.push(PropertyChange::new(&position, ChangeKind::Delete, Some(old), None));
                }
                (None, None) => {}
            }
        }
        changes
    }

    /// The parts of a value that a template decides on; nothing if there are none.
    fn decided(&self, value: &Json, path: &str) -> Option<Json> {
        if self.is_absent(value) || self.comparison.is_read_only(&self.whole_path(path)) {
            return None;
        }
        let Json::Object(members) = value else { return Some(value.clone()) };
        let parts = members
            .iter()
            .filter_map(|(name, member)| Some((name.clone(), self.decided(member, &self.join(path, name))?)));
        let parts: Map<String, Json> = parts.collect();
        (!parts.is_empty() || members.is_empty()).then_some(Json::Object(parts))
    }

    fn is_equal(&self, old: &Json, new: &Json, path: &str) -> bool {
        if old == new || !self.comparison.is_lenient() {
            return old == new;
        }
        match (old, new) {
            (Json::Number(old), Json::Number(new)) => old.as_f64() == new.as_f64(),
            (Json::String(old), Json::String(new)) if path.eq_ignore_ascii_case("location") => {
                let plain = |text: &str| text.replace(' ', "").to_lowercase();
                plain(old) == plain(new)
            }
            _ => false,
        }
    }

    fn is_absent(&self, value: &Json) -> bool {
        value.is_null() && self.comparison.is_lenient()
    }

    fn find<'j>(&self, members: &'j Map<String, Json>, name: &str) -> Option<&'j Json> {
        let in_any_case = || members.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        let found = members.get(name);
        found.or_else(|| in_any_case().filter(|_| self.comparison.is_lenient()).map(|(_, value)| value))
    }

    fn whole_path(&self, path: &str) -> String {
        if self.prefix.is_empty() { path.to_owned() } else { format!("{}.{path}", self.prefix) }
    }

    /// The API joins all names with dots; for people, names that are not plain stand in brackets.
    fn join(&self, path: &str, name: &str) -> String {
        let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '-');
        match (self.comparison.is_lenient() || !name.is_empty() && name.chars().all(is_plain), path) {
            (true, "") => name.to_owned(),
            (true, path) => format!("{path}.{name}"),
            (false, path) => format!("{path}['{name}']"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(before: &Json, after: &Json, expected: &[&str]) {
        let mut lines = Vec::new();
        for change in changes(before, after, &Exact) {
            change.each_leaf(&mut |path, leaf| {
                lines.push(match (&leaf.before, &leaf.after) {
                    (Some(before), Some(after)) => format!("~ {path}: {before} => {after}"),
                    (Some(before), None) => format!("- {path}: {before}"),
                    (_, after) => format!("+ {path}: {}", after.clone().unwrap_or_default()),
                });
            });
        }
        assert_eq!(lines, expected);
    }

    #[test]
    fn every_part_has_its_path() {
        check(
            &json!({ "p": { "x": 1, "gone": [1], "l": [1, 2], "a b": null } }),
            &json!({ "p": { "x": "1", "l": [1, 3, 4], "new": {}, "a b": {} } }),
            &[
                "~ p.x: 1 => \"1\"",
                "~ p.l[1]: 2 => 3",
                "+ p.l[2]: 4",
                "+ p.new: {}",
                "~ p['a b']: null => {}",
                "- p.gone: [1]",
            ],
        );
    }

    #[test]
    fn lists_of_objects_and_of_lists_are_looked_into() {
        check(
            &json!({ "l": [{ "a": [1, { "b": 1 }] }, [1]] }),
            &json!({ "l": [{ "a": [1, { "b": 2 }] }, [2]] }),
            &["~ l[0].a[1].b: 1 => 2", "~ l[1][0]: 1 => 2"],
        );
    }

    #[test]
    fn resources_are_told_apart_by_id_then_by_type_and_order() {
        let of = |resources: Json| json!({ "predictedResources": resources });
        let before =
            of(json!([{ "id": "/a", "x": 1 }, { "id": "/b" }, { "type": "t" }, { "type": "t", "x": 1 }]));
        let after =
            of(json!([{ "id": "/c" }, { "id": "/a", "x": 2 }, { "type": "t" }, { "type": "t", "x": 2 }]));
        let found = resource_changes(&before, &after, &Exact);
        let shown: Vec<_> =
            found.iter().map(|it| (it.id.as_str(), it.before.is_some(), it.after.is_some())).collect();
        assert_eq!(
            shown,
            [("/a", true, true), ("/b", true, false), ("t (2)", true, true), ("/c", false, true)]
        );
    }
}
