//! Object literals of an expected type: an empty one, and one with the properties that must be given.

use base::SmolStr;
use bicep_types::ty::{Kind, ObjectType, PropertyFlags, Type, escape_property_name, escape_string};

use super::context::CompletionPlace;
use super::item::{CompletionItem, CompletionKind};

/// Deeper objects are left empty: types may contain themselves.
const MAX_DEPTH: usize = 8;

/// The literals of an object type.
pub(super) fn object_items(place: &CompletionPlace<'_>, ty: &Type) -> Vec<CompletionItem> {
    let mut items = vec![empty_object(place)];
    items.extend(required_properties(place, ty));
    items
}

/// `{}` with the cursor in it.
pub(super) fn empty_object(place: &CompletionPlace<'_>) -> CompletionItem {
    let item = CompletionItem::new(CompletionKind::Snippet, "{}", place.replaced).detail("{}");
    item.snippet("{\n\t$0\n}").preselected()
}

/// The required properties with placeholders; one item for each kind of object that there is a choice of.
pub(super) fn required_properties(place: &CompletionPlace<'_>, ty: &Type) -> Vec<CompletionItem> {
    let item = |label: String, text: String| {
        let item = CompletionItem::new(CompletionKind::Snippet, label, place.replaced);
        item.detail("Required properties").snippet(text).preselected()
    };
    match ty.kind() {
        Kind::Object(object) => {
            let text = ObjectText::new(None).text(object);
            text.map(|text| item("required-properties".to_owned(), text)).into_iter().collect()
        }
        Kind::Discriminated(kinds) => {
            let objects = kinds.objects();
            let texts = objects.filter_map(|(value, object)| {
                let text = ObjectText::new(Some(kinds.discriminator.clone())).text(object)?;
                Some(item(format!("required-properties-{value}"), text))
            });
            texts.collect()
        }
        _ => Vec::new(),
    }
}

/// Writes an object literal with placeholders.
struct ObjectText {
    /// The property whose literal value is written out.
    discriminator: Option<SmolStr>,
    stops: usize,
}

impl ObjectText {
    fn new(discriminator: Option<SmolStr>) -> Self {
        Self { discriminator, stops: 0 }
    }

    fn text(mut self, object: &ObjectType) -> Option<String> {
        let text = self.object(object, 1)?;
        Some(format!("{text}$0"))
    }

    /// The literal; `None` when nothing is required.
    fn object(&mut self, object: &ObjectType, depth: usize) -> Option<String> {
        let mut required: Vec<_> = object
            .properties
            .iter()
            .filter(|(_, it)| it.is_required() && !it.flags.contains(PropertyFlags::READ_ONLY))
            .collect();
        if required.is_empty() || depth > MAX_DEPTH {
            return None;
        }
        required.sort_by_key(|(name, _)| (rank(name), name.to_string()));
        let indent = "\t".repeat(depth);
        let mut text = "{\n".to_owned();
        for (name, property) in required {
            let is_discriminator = self.discriminator.as_ref() == Some(name);
            let value = match property.ty.kind() {
                Kind::StringLiteral(value) if is_discriminator => escape_string(value),
                Kind::Object(inner) => self.object(inner, depth + 1).unwrap_or_else(|| "{}".to_owned()),
                _ => {
                    self.stops += 1;
                    format!("${}", self.stops)
                }
            };
            text.push_str(&format!("{indent}{}: {value}\n", escape_property_name(name)));
        }
        text.push_str(&"\t".repeat(depth - 1));
        text.push('}');
        Some(text)
    }
}

/// The order in which people read what a resource is; other properties follow by their names.
const ORDER: [&str; 13] = [
    "scope",
    "parent",
    "name",
    "location",
    "zones",
    "sku",
    "kind",
    "scale",
    "plan",
    "identity",
    "tags",
    "properties",
    "dependsOn",
];

fn rank(name: &str) -> usize {
    ORDER.iter().position(|it| *it == name).unwrap_or(ORDER.len())
}
