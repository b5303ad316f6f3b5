//! The fields of a resource, by the names that policies have for them.

use serde_json::{Map, Value as Json};

use super::Subject;

/// What a resource has at a field. An alias with `[*]` has a value for each element; a field that is not there has none.
pub(super) fn values(subject: &Subject<'_>, name: &str) -> FieldValues {
    let document = subject.document;
    let member = |name: &str| FieldValues::One(get(document, name).cloned());
    match name.to_lowercase().as_str() {
        "name" | "kind" | "location" | "tags" | "id" => member(name),
        "type" => FieldValues::One(Some(Json::String(subject.resource_type.to_owned()))),
        "fullname" => {
            let parts = crate::scope::ResourceId::parse(subject.id);
            FieldValues::One(parts.map(|parts| Json::String(parts.name())))
        }
        "identity.type" => FieldValues::One(document.pointer("/identity/type").cloned()),
        lower if lower.starts_with("tags.") || lower.starts_with("tags[") => {
            let tag = name.get("tags".len()..).unwrap_or_default();
            let tag = tag.trim_start_matches(['.', '[']).trim_end_matches(']').trim_matches('\'');
            FieldValues::One(get(document, "tags").and_then(|tags| get(tags, tag)).cloned())
        }
        lower => {
            let prefix = format!("{}/", subject.resource_type.to_lowercase());
            match lower.strip_prefix(&prefix).and_then(|_| name.get(prefix.len()..)) {
                Some(path) => along(document, path),
                // It is a field of another type.
                None => FieldValues::One(None),
            }
        }
    }
}

/// What is at a field.
pub(super) enum FieldValues {
    One(Option<Json>),
    Each(Vec<Json>),
}

/// A field as a value: null if it is not there.
pub(super) fn as_value(found: FieldValues) -> Json {
    match found {
        FieldValues::One(value) => value.unwrap_or_default(),
        FieldValues::Each(values) => Json::Array(values),
    }
}

/// Follows a path such as `networkAcls.ipRules[*].value`. Aliases leave the member `properties` out.
pub(super) fn along(document: &Json, path: &str) -> FieldValues {
    let mut current = vec![document.clone()];
    let mut has_many = false;
    for segment in path.split(['.', '/']) {
        let (name, is_each) = match segment.strip_suffix("[*]") {
            Some(name) => (name, true),
            None => (segment, false),
        };
        let found = current
            .iter()
            .filter_map(|value| get(value, name).or_else(|| get(get(value, "properties")?, name)).cloned());
        current = found.collect();
        if is_each {
            has_many = true;
            let items = current.into_iter().flat_map(|value| match value {
                Json::Array(items) => items,
                _ => Vec::new(),
            });
            current = items.collect();
        }
    }
    match has_many {
        true => FieldValues::Each(current),
        false => FieldValues::One(current.pop()),
    }
}

fn get<'j>(value: &'j Json, name: &str) -> Option<&'j Json> {
    let members: &Map<String, Json> = value.as_object()?;
    members.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}
