//! Which resources of a list are wanted: the `$filter` of clients, read into a tree.

use serde_json::Value as Json;

use super::groups::same_location;
use crate::scope::{ResourceId, group_key};

/// Which resources of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourceFilter {
    /// All of these hold; of none of them, everything fits.
    And(Vec<Self>),
    /// One of these holds.
    Or(Vec<Self>),
    /// A property has this value.
    Is(ResourceProperty, String),
    /// A property has another value.
    IsNot(ResourceProperty, String),
    /// A property has this in it.
    Contains(ResourceProperty, String),
    /// There is a tag like this.
    Tag(TagFilter),
}

/// What resources are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResourceProperty {
    /// The full type.
    Type,
    /// The name, with or without those of its parents.
    Name,
    Group,
    Location,
    /// A member of the document.
    Member(&'static str),
}

/// A tag: what is said here holds for one and the same tag of the resource.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TagFilter {
    pub name: Option<String>,
    /// What its name starts with.
    pub prefix: Option<String>,
    pub value: Option<String>,
}

impl Default for ResourceFilter {
    fn default() -> Self {
        Self::And(Vec::new())
    }
}

impl ResourceFilter {
    /// The only type that fits, if there is one: its resources have an index of their own.
    pub(super) fn resource_type(&self) -> Option<&str> {
        match self {
            Self::Is(ResourceProperty::Type, wanted) => Some(wanted),
            Self::And(all) => all.iter().find_map(Self::resource_type),
            _ => None,
        }
    }

    /// Whether a resource is one of those that are wanted.
    pub(super) fn fits(&self, id: &str, document: &Json) -> bool {
        let Some(parts) = ResourceId::parse(id) else { return false };
        self.holds(&FilteredResource { id, parts, document })
    }

    fn holds(&self, resource: &FilteredResource<'_>) -> bool {
        match self {
            Self::And(all) => all.iter().all(|one| one.holds(resource)),
            Self::Or(all) => all.iter().any(|one| one.holds(resource)),
            Self::Is(property, wanted) => resource.has(*property, wanted),
            Self::IsNot(property, wanted) => !resource.has(*property, wanted),
            Self::Contains(property, part) => {
                let part = part.to_lowercase();
                resource.values(*property).iter().any(|value| value.to_lowercase().contains(&part))
            }
            Self::Tag(tag) => tag.fits(resource.document),
        }
    }
}

/// A resource that may fit.
struct FilteredResource<'r> {
    id: &'r str,
    parts: ResourceId,
    document: &'r Json,
}

impl FilteredResource<'_> {
    fn has(&self, property: ResourceProperty, wanted: &str) -> bool {
        let values = self.values(property);
        match property {
            ResourceProperty::Location => values.iter().any(|value| same_location(wanted, value)),
            _ => values.iter().any(|value| value.eq_ignore_ascii_case(wanted)),
        }
    }

    /// The texts under which a property is known.
    fn values(&self, property: ResourceProperty) -> Vec<String> {
        match property {
            ResourceProperty::Type => vec![self.parts.resource_type.clone()],
            ResourceProperty::Name => {
                vec![self.parts.name(), self.parts.names.last().cloned().unwrap_or_default()]
            }
            ResourceProperty::Group => {
                let group = group_key(self.id).unwrap_or_default();
                vec![group.rsplit('/').next().unwrap_or_default().to_owned()]
            }
            ResourceProperty::Location => {
                vec![self.document["location"].as_str().unwrap_or_default().to_owned()]
            }
            ResourceProperty::Member(pointer) => {
                let value = self.document.pointer(pointer).and_then(Json::as_str);
                value.map(str::to_owned).into_iter().collect()
            }
        }
    }
}

impl TagFilter {
    fn fits(&self, document: &Json) -> bool {
        let fits = |(name, value): (&String, &Json)| {
            let starts = |prefix: &String| name.to_lowercase().starts_with(&prefix.to_lowercase());
            self.name.as_ref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(name))
                && self.prefix.as_ref().is_none_or(starts)
                && self.value.as_ref().is_none_or(|wanted| value.as_str() == Some(wanted))
        };
        document["tags"].as_object().is_some_and(|tags| tags.iter().any(fits))
    }
}
