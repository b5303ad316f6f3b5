//! What a change changes in what would be deployed: two predictions of each file come in; resources and outputs that come, go and
//! change go out.

use std::collections::{BTreeMap, BTreeSet};

use arm::difference::{Exact, PropertyChange, ResourceChange, changes, resource_changes};
use serde_json::{Map, Value as Json, json};

use super::deployed::DeploymentPreview;

/// A file whose deployment changes, or of which that cannot be said.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FileChange {
    /// The path, as people know it.
    pub(crate) file: String,
    pub(crate) kind: FileKind,
    pub(crate) resources: Vec<ResourceChange>,
    pub(crate) outputs: Vec<PropertyChange>,
}

/// What became of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FileKind {
    Added,
    Removed,
    Changed,
    /// What it deploys cannot be compared, for this reason.
    Undetermined(String),
}

/// How many resources come, change and go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) created: usize,
    pub(crate) modified: usize,
    pub(crate) deleted: usize,
    pub(crate) undetermined: usize,
}

/// All files whose deployments differ, by name.
pub(crate) fn compare(
    before: &BTreeMap<String, DeploymentPreview>,
    after: &BTreeMap<String, DeploymentPreview>,
) -> Vec<FileChange> {
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    names.into_iter().filter_map(|name| of_file(name, before.get(name), after.get(name))).collect()
}

fn of_file(
    name: &str,
    before: Option<&DeploymentPreview>,
    after: Option<&DeploymentPreview>,
) -> Option<FileChange> {
    let kind = match (before, after) {
        (None, _) => FileKind::Added,
        (_, None) => FileKind::Removed,
        _ => FileKind::Changed,
    };
    let nothing = json!({});
    let value = |side: Option<&DeploymentPreview>| match side {
        None => Ok(nothing.clone()),
        Some(Ok(prediction)) => Ok(prediction.clone()),
        Some(Err(reason)) => Err(reason.clone()),
    };
    let (old, new) = match (value(before), value(after)) {
        (Ok(old), Ok(new)) => (old, new),
        // What was wrong before and still is says nothing about the change.
        (Err(old), Err(new)) if old == new => return None,
        (old, new) => {
            let reason = match (old, new) {
                (_, Err(reason)) => reason,
                (Err(reason), _) => format!("before the change: {reason}"),
                _ => String::new(),
            };
            let kind = FileKind::Undetermined(reason);
            return Some(FileChange {
                file: name.to_owned(),
                kind,
                resources: Vec::new(),
                outputs: Vec::new(),
            });
        }
    };
    let empty = Json::Object(Map::new());
    let outputs = changes(old.get("outputs").unwrap_or(&empty), new.get("outputs").unwrap_or(&empty), &Exact);
    let change =
        FileChange { file: name.to_owned(), kind, resources: resource_changes(&old, &new, &Exact), outputs };
    let is_quiet =
        change.resources.is_empty() && change.outputs.is_empty() && change.kind == FileKind::Changed;
    (!is_quiet).then_some(change)
}

impl Totals {
    pub(crate) fn of(files: &[FileChange]) -> Self {
        let mut totals = Self::default();
        for file in files {
            totals.undetermined += usize::from(matches!(file.kind, FileKind::Undetermined(_)));
            for resource in &file.resources {
                match (&resource.before, &resource.after) {
                    (None, _) => totals.created += 1,
                    (_, None) => totals.deleted += 1,
                    _ => totals.modified += 1,
                }
            }
        }
        totals
    }

    /// `1 created, 2 changed, 0 removed`
    pub(crate) fn text(self) -> String {
        let Self { created, modified, deleted, undetermined } = self;
        let mut text = format!("{created} created, {modified} changed, {deleted} removed");
        if undetermined > 0 {
            text.push_str(&format!(", {undetermined} undetermined"));
        }
        text
    }
}

/// The type and name of a resource.
pub(crate) fn title(resource: &ResourceChange) -> String {
    let state = resource.after.as_ref().or(resource.before.as_ref());
    let text = |name: &str| state.and_then(|it| it.get(name)).and_then(Json::as_str);
    match (text("type"), text("name")) {
        (Some(ty), Some(name)) => format!("{ty} {name}"),
        _ => resource.id.clone(),
    }
}

/// `create`, `delete` or `modify`
pub(crate) fn kind(resource: &ResourceChange) -> &'static str {
    match (&resource.before, &resource.after) {
        (None, _) => "create",
        (_, None) => "delete",
        _ => "modify",
    }
}

/// Properties that differ, each with its whole path.
pub(crate) fn leaves(changes: &[PropertyChange]) -> Vec<(String, PropertyChange)> {
    let mut all = Vec::new();
    for change in changes {
        change.each_leaf(&mut |path, leaf| all.push((path.to_owned(), leaf.clone())));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(files: &[(&str, DeploymentPreview)]) -> BTreeMap<String, DeploymentPreview> {
        files.iter().map(|(name, deployed)| ((*name).to_owned(), deployed.clone())).collect()
    }

    #[test]
    fn only_files_whose_deployment_changes_are_told() {
        let one = Ok(
            json!({ "predictedResources": [{ "id": "/a", "type": "T", "name": "a", "x": 1 }], "outputs": {} }),
        );
        let two = Ok(
            json!({ "predictedResources": [{ "id": "/a", "type": "T", "name": "a", "x": 2 }], "outputs": { "o": 1 } }),
        );
        let broken = || Err("wrong".to_owned());
        let before = side(&[
            ("same", one.clone()),
            ("gone", one.clone()),
            ("changed", one.clone()),
            ("bad", broken()),
            ("worse", one),
        ]);
        let after = side(&[
            ("same", before["same"].clone()),
            ("changed", two.clone()),
            ("bad", broken()),
            ("new", two),
            ("worse", broken()),
        ]);
        let found = compare(&before, &after);
        let told: Vec<_> =
            found.iter().map(|it| (it.file.as_str(), it.resources.len(), it.outputs.len())).collect();
        assert_eq!(told, [("changed", 1, 1), ("gone", 1, 0), ("new", 1, 1), ("worse", 0, 0)]);
        assert_eq!(Totals::of(&found).text(), "1 created, 1 changed, 1 removed, 1 undetermined");
    }
}
