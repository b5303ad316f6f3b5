//! The answer of what-if as the Bicep CLI shows it: by scope, by kind of change, by resource, with the changes of each
//! property. Colours are always written, as whoever reads it expects them.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

/// The changes of resources, as text; empty when there are none.
pub(crate) fn render(changes: &[Json]) -> String {
    let mut report = Report::default();
    let mut scopes: BTreeMap<String, Vec<Change<'_>>> = BTreeMap::new();
    for change in changes.iter().filter_map(Change::read) {
        scopes.entry(change.scope.to_uppercase()).or_default().push(change);
    }
    for changes in scopes.into_values() {
        report.scope(changes);
    }
    report.text
}

const RESET: &str = "\u{1b}[0m";
const GREEN: &str = "\u{1b}[38;5;77m";
const ORANGE: &str = "\u{1b}[38;5;208m";
const PURPLE: &str = "\u{1b}[38;5;141m";
const BLUE: &str = "\u{1b}[38;5;39m";
const GRAY: &str = "\u{1b}[38;5;246m";

/// A kind of change: name, symbol, colour. They are shown in this order.
const KINDS: [(&str, char, &str); 6] = [
    ("Delete", '-', ORANGE),
    ("Create", '+', GREEN),
    ("Deploy", '!', BLUE),
    ("Modify", '~', PURPLE),
    ("Unsupported", 'x', GRAY),
    ("NoChange", '=', RESET),
];

/// The same for properties; changes and arrays stand together.
const PROPERTY_KINDS: [(&str, char, &str, usize); 5] = [
    ("Delete", '-', ORANGE, 0),
    ("Create", '+', GREEN, 1),
    ("Modify", '~', PURPLE, 2),
    ("Array", '~', PURPLE, 2),
    ("NoEffect", 'x', GRAY, 3),
];

/// A resource that changes.
struct Change<'c> {
    kind: usize,
    scope: &'c str,
    /// The id without the scope.
    id: &'c str,
    document: &'c Json,
}

impl<'c> Change<'c> {
    fn read(document: &'c Json) -> Option<Self> {
        let kind = document.get("changeType").and_then(Json::as_str)?;
        let kind = KINDS.iter().position(|(name, ..)| *name == kind)?;
        let id = document.get("resourceId").and_then(Json::as_str).unwrap_or_default();
        let (scope, id) = split_id(id);
        Some(Self { kind, scope, id, document })
    }
}

/// The scope of a resource, and its id in it.
fn split_id(id: &str) -> (&str, &str) {
    if let Some(at) = id.to_lowercase().rfind("/providers/") {
        let (scope, rest) = id.split_at_checked(at).unwrap_or((id, ""));
        let relative = rest.get("/providers/".len()..).unwrap_or_default();
        return (if scope.is_empty() { "/" } else { scope }, relative);
    }
    let segments: Vec<&str> = id.split('/').collect();
    match segments.as_slice() {
        ["", "subscriptions", subscription, groups, _] if groups.eq_ignore_ascii_case("resourceGroups") => id
            .split_at_checked("/subscriptions/".len() + subscription.len())
            .map_or(("<unknown>", id), |(scope, relative)| (scope, relative.trim_start_matches('/'))),
        _ => ("<unknown>", id),
    }
}

/// What is written, with the colours that are open.
#[derive(Default)]
struct Report {
    text: String,
    colours: Vec<&'static str>,
}

impl Report {
    fn push(&mut self, text: &str) -> &mut Self {
        self.text.push_str(text);
        self
    }

    fn line(&mut self) -> &mut Self {
        self.push("\n")
    }

    fn indent(&mut self, level: usize) -> &mut Self {
        self.push(&"  ".repeat(level))
    }

    /// Writes something in a colour, then goes back to the one before.
    fn coloured(&mut self, colour: &'static str, write: impl FnOnce(&mut Self)) {
        self.colours.push(colour);
        self.push(colour);
        write(self);
        self.colours.pop();
        let before = self.colours.last().copied().unwrap_or(RESET);
        self.push(before);
    }

    fn scope(&mut self, mut changes: Vec<Change<'_>>) {
        let name = changes.first().map(|change| change.scope).unwrap_or_default();
        self.line().push(&format!("Scope: {name}")).line();
        changes.sort_by(|a, b| (a.kind, a.id).cmp(&(b.kind, b.id)));
        let count = changes.len();
        let mut shown = 0;
        for group in changes.chunk_by(|a, b| a.kind == b.kind) {
            let Some((_, symbol, colour)) = group.first().and_then(|first| KINDS.get(first.kind)) else {
                continue;
            };
            self.coloured(colour, |report| {
                for change in group {
                    shown += 1;
                    report.line().indent(1).push(&format!("{symbol} {}", change.id));
                    report.resource(change, shown == count);
                }
            });
        }
    }

    /// What follows the line of a resource.
    fn resource(&mut self, change: &Change<'_>, is_last: bool) {
        let part = |name: &str| change.document.get(name).filter(|value| !value.is_null());
        let kind = KINDS.get(change.kind).map(|(name, ..)| *name);
        match (kind, part("after"), part("before")) {
            (Some("Create"), Some(after), _) => return self.json(after, 2),
            (Some("Delete"), _, Some(before)) => return self.json(before, 2),
            _ => {}
        }
        let delta = part("delta").and_then(Json::as_array).filter(|delta| !delta.is_empty());
        match delta {
            Some(delta) => {
                let properties = by_kind(delta);
                self.coloured(RESET, |report| {
                    report.line();
                    report.properties(&properties, 2);
                });
            }
            None if is_last => {
                self.line();
            }
            None => {}
        }
    }

    fn properties(&mut self, properties: &[&Json], level: usize) {
        let width = properties.iter().filter(|it| counts_for_width(it)).map(|it| length(path(it))).max();
        for property in properties {
            self.property(property, width.unwrap_or_default(), level);
            self.line();
        }
    }

    fn property(&mut self, property: &Json, width: usize, level: usize) {
        let Some((kind, symbol, colour, _)) = property_kind(property) else { return };
        let none = Json::Null;
        let value = |name: &str| property.get(name).unwrap_or(&none);
        let (before, after) = (value("before"), value("after"));
        let children = property.get("children").and_then(Json::as_array);
        let shown = match kind {
            "Create" | "NoEffect" => after,
            "Delete" | "Modify" => before,
            _ => &none,
        };
        let has_children = children.is_some_and(|children| !children.is_empty());
        let name = path(property);
        if !name.is_empty() {
            let padding = match kind {
                "Modify" if has_children => 0,
                _ if is_full_object(shown) => 0,
                "Array" if has_children => 1,
                _ if is_full_array(shown) => 1,
                _ => (width + 1).saturating_sub(length(name)),
            };
            self.indent(level).coloured(colour, |report| {
                report.push(&symbol.to_string());
            });
            self.push(&format!(" {name}")).colon();
            self.push(&" ".repeat(padding));
        }
        match (kind, children) {
            ("Create", _) => self.coloured(GREEN, |report| report.json(after, level + 1)),
            ("Delete", _) => self.coloured(ORANGE, |report| report.json(before, level + 1)),
            ("NoEffect", _) => self.coloured(GRAY, |report| report.json(after, level + 1)),
            ("Array", _) => self.array(children.map_or(&[], Vec::as_slice), name.is_empty(), level + 1),
            (_, Some(children)) => {
                self.line().line();
                self.properties(&by_kind(children), level + 1);
            }
            (_, None) => self.modification(before, after, level + 1),
        }
    }

    /// `before => after`
    fn modification(&mut self, before: &Json, after: &Json, level: usize) {
        self.coloured(ORANGE, |report| report.json(before, level));
        if is_full_object(before) {
            self.line().indent(level);
        } else {
            self.push(" ");
        }
        self.push("=>");
        if !is_full_object(after) {
            self.push(" ");
        }
        self.coloured(GREEN, |report| report.json(after, level));
        if !is_leaf(before) && is_leaf(after) {
            self.line();
        }
    }

    /// Changes of items. An array in an array has no name, so its bracket stands where a name would.
    fn array(&mut self, items: &[Json], is_nameless: bool, level: usize) {
        let level = level - usize::from(is_nameless);
        if is_nameless {
            self.indent(level);
        }
        if items.is_empty() {
            self.push("[]").line();
            return;
        }
        self.push("[").line();
        let mut items: Vec<&Json> = items.iter().collect();
        items.sort_by_key(|item| {
            let order = property_kind(item).map_or(usize::MAX, |(.., order)| order);
            (path(item).parse::<u64>().unwrap_or(u64::MAX), order)
        });
        self.properties(&items, level);
        self.indent(level).push("]");
    }

    fn colon(&mut self) {
        self.coloured(RESET, |report| {
            report.push(":");
        });
    }

    /// A value; an object goes on below, a line for each leaf.
    fn json(&mut self, value: &Json, level: usize) {
        match value {
            Json::Object(members) if !members.is_empty() => {
                self.line().line();
                self.members(members, "", object_width(members), level + 1);
            }
            _ => self.value(value, level),
        }
    }

    /// A leaf or an array.
    fn value(&mut self, value: &Json, level: usize) {
        match value {
            Json::Array(items) if !items.is_empty() => self.items(items, level),
            Json::String(text) => {
                self.push(&format!("\"{text}\""));
            }
            other => {
                self.push(&json::to_compact(other));
            }
        }
    }

    fn members(&mut self, members: &Map<String, Json>, path: &str, width: usize, level: usize) {
        for (name, value) in members {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            match value {
                Json::Object(inner) if !inner.is_empty() => self.members(inner, &path, width, level),
                _ => {
                    let padding =
                        if is_full_array(value) { 1 } else { (width + 1).saturating_sub(length(&path)) };
                    self.indent(level).push(&path).colon();
                    self.push(&" ".repeat(padding));
                    self.value(value, level);
                    self.line();
                }
            }
        }
    }

    fn items(&mut self, items: &[Json], level: usize) {
        self.coloured(RESET, |report| {
            report.push("[");
        });
        self.line();
        let last_leaf = items.iter().rposition(is_leaf).unwrap_or_default();
        let width = last_leaf.to_string().len();
        for (index, item) in items.iter().enumerate() {
            let name = index.to_string();
            self.indent(level + 1).push(&name).colon();
            match item {
                Json::Object(members) if !members.is_empty() => {
                    self.line().line();
                    self.members(members, "", object_width(members), level + 2);
                }
                _ => {
                    let padding =
                        if is_full_array(item) { 1 } else { (width + 1).saturating_sub(name.len()) };
                    self.push(&" ".repeat(padding));
                    self.value(item, level + 1);
                }
            }
            self.line();
        }
        self.indent(level).coloured(RESET, |report| {
            report.push("]");
        });
    }
}

/// Changes of properties in the order in which they are shown.
fn by_kind(properties: &[Json]) -> Vec<&Json> {
    let mut sorted: Vec<&Json> = properties.iter().collect();
    sorted.sort_by_key(|it| (property_kind(it).map_or(usize::MAX, |(.., order)| order), path(it)));
    sorted
}

fn property_kind(property: &Json) -> Option<(&'static str, char, &'static str, usize)> {
    let kind = property.get("propertyChangeType").and_then(Json::as_str)?;
    PROPERTY_KINDS.iter().find(|(name, ..)| *name == kind).copied()
}

fn path(property: &Json) -> &str {
    property.get("path").and_then(Json::as_str).unwrap_or_default()
}

/// Whether the value of a property stands behind its name, so that values are aligned by it.
fn counts_for_width(property: &Json) -> bool {
    let leaf = |name: &str| property.get(name).is_none_or(is_leaf);
    match property_kind(property).map(|(kind, ..)| kind) {
        Some("Create" | "NoEffect") => leaf("after"),
        Some("Delete" | "Modify") => leaf("before"),
        _ => property.get("children").and_then(Json::as_array).is_none_or(Vec::is_empty),
    }
}

/// The longest path to a leaf. Arrays do not count: their values go on below.
fn object_width(members: &Map<String, Json>) -> usize {
    let width = |(name, value): (&String, &Json)| match value {
        Json::Object(inner) if !inner.is_empty() => length(name) + 1 + object_width(inner),
        _ => length(name),
    };
    members.iter().filter(|(_, value)| !is_full_array(value)).map(width).max().unwrap_or_default()
}

fn length(text: &str) -> usize {
    text.encode_utf16().count()
}

fn is_full_object(value: &Json) -> bool {
    value.as_object().is_some_and(|members| !members.is_empty())
}

fn is_full_array(value: &Json) -> bool {
    value.as_array().is_some_and(|items| !items.is_empty())
}

fn is_leaf(value: &Json) -> bool {
    !is_full_object(value) && !is_full_array(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use serde_json::json;

    fn check(changes: &Json, expected: &Expect) {
        let mut text = render(changes.as_array().unwrap());
        for (code, name) in
            [(RESET, "<>"), (GREEN, "<g>"), (ORANGE, "<o>"), (PURPLE, "<p>"), (BLUE, "<b>"), (GRAY, "<x>")]
        {
            text = text.replace(code, name);
        }
        expected.assert_eq(&text);
    }

    #[test]
    fn changes_are_told_property_by_property() {
        let id = "/subscriptions/s/resourceGroups/g/providers/A.B/c/d";
        check(
            &json!([{ "resourceId": id, "changeType": "Modify", "delta": [
                { "path": "sku.capacity", "propertyChangeType": "Modify", "before": 1, "after": 3 },
                { "path": "zones", "propertyChangeType": "Create", "after": ["1", "2"] },
            ] }]),
            &expect![[r#"

                Scope: /subscriptions/s/resourceGroups/g
                <p>
                  ~ A.B/c/d<>
                    <g>+<> zones<>:<> <g><>[<g>
                        0<>:<g> "1"
                        1<>:<g> "2"
                      <>]<g><>
                    <p>~<> sku.capacity<>:<> <o>1<> => <g>3<>
                <p><>"#]],
        );
    }

    #[test]
    fn new_resources_are_shown_whole() {
        let id = |name: &str| format!("/subscriptions/s/resourceGroups/g/providers/A.B/c/{name}");
        check(
            &json!([
                { "resourceId": id("same"), "changeType": "NoChange" },
                { "resourceId": id("ignored"), "changeType": "Ignore" },
                { "resourceId": id("new"), "changeType": "Create", "after": { "name": "n", "tags": { "a": true }, "l": [] } },
                { "resourceId": "nowhere", "changeType": "Deploy" },
            ]),
            &expect![[r#"

                Scope: /subscriptions/s/resourceGroups/g
                <g>
                  + A.B/c/new

                      name<>:<g>   "n"
                      tags.a<>:<g> true
                      l<>:<g>      []
                <><>
                  = A.B/c/same
                <>
                Scope: <unknown>
                <b>
                  ! nowhere
                <>"#]],
        );
        check(&json!([]), &expect![""]);
    }
}
