//! What rules look at: a template as it would be deployed. Resources are shared: one that stands below several others
//! exists once, and its places are found by walking.

use arm::Value;
use json::{Path, Segment};
use smol_str::SmolStr;

/// An expanded template.
#[derive(Debug, Default)]
pub struct Document {
    /// The template without its resources; or with them, when it is looked at as it is.
    pub(crate) root: Value,
    /// All resources.
    pub(crate) resources: Vec<Placed>,
    /// Positions of those at the top; none when the template is looked at as it is.
    pub(crate) top: Option<Vec<usize>>,
}

/// A resource of an expanded template.
#[derive(Debug, Default)]
pub struct Placed {
    /// The resource without its children.
    pub(crate) body: Value,
    /// Positions of its children and of what depends on it.
    pub(crate) children: Vec<usize>,
    /// Where it stands in the original template.
    pub(crate) origin: Path,
}

impl Document {
    /// A template that is looked at as it is.
    pub fn plain(root: Value) -> Self {
        Self { root, ..Self::default() }
    }

    /// The whole, to walk from.
    pub fn view(&self) -> View<'_> {
        match self.top {
            Some(_) => View::Root(self),
            None => View::Value(&self.root),
        }
    }

    /// The path in the original template of a path in this one: every `resources[n]` is replaced by where that resource
    /// came from. None when there is no such resource.
    pub fn original_path(&self, path: &Path) -> Option<Path> {
        let Some(mut list) = self.top.as_deref() else { return Some(path.clone()) };
        let mut origin = Path::default();
        let mut rest = path.0.as_slice();
        while let [Segment::Key(key), Segment::Index(index), tail @ ..] = rest
            && key.eq_ignore_ascii_case(RESOURCES)
        {
            let placed = self.resources.get(*list.get(*index)?)?;
            origin = placed.origin.clone();
            list = &placed.children;
            rest = tail;
        }
        origin.0.extend(rest.iter().cloned());
        Some(origin)
    }
}

const RESOURCES: &str = "resources";

/// A place in a document.
#[derive(Debug, Clone, Copy)]
pub enum View<'d> {
    /// A plain value.
    Value(&'d Value),
    /// The whole template.
    Root(&'d Document),
    Resource(&'d Document, usize),
    /// The resources of the template or of a resource.
    Resources(&'d Document, &'d [usize]),
}

impl<'d> View<'d> {
    /// The plain value. A template or resource gives itself without its resources; a list of them gives nothing.
    pub fn value(self) -> Option<&'d Value> {
        match self {
            Self::Value(value) => Some(value),
            Self::Root(document) => Some(&document.root),
            Self::Resource(document, at) => document.resources.get(at).map(|placed| &placed.body),
            Self::Resources(..) => None,
        }
    }

    /// The member of a name in any letter case, with its name as written; the first of several.
    pub fn member(self, name: &str) -> Option<(&'d str, Self)> {
        if name.eq_ignore_ascii_case(RESOURCES)
            && let Some(resources) = self.resources()
        {
            return Some((RESOURCES, resources));
        }
        let object = self.value()?.as_object()?;
        let found = object.iter().find(|(key, _)| json::eq_ignore_case(key, name));
        found.map(|(key, value)| (key.as_str(), Self::Value(value)))
    }

    /// All members in order; none when it is no object.
    pub fn members(self) -> Vec<(&'d str, Self)> {
        let object = self.value().and_then(Value::as_object);
        let members = object.into_iter().flat_map(arm::value::Object::iter);
        let members = members.map(|(key, value): (&SmolStr, &Value)| (key.as_str(), Self::Value(value)));
        members.chain(self.resources().map(|resources| (RESOURCES, resources))).collect()
    }

    /// The items, if it is a list.
    pub fn items(self) -> Option<Vec<Self>> {
        match self {
            Self::Value(value) => Some(value.as_array()?.iter().map(Self::Value).collect()),
            Self::Resources(document, list) => {
                Some(list.iter().map(|at| Self::Resource(document, *at)).collect())
            }
            Self::Root(_) | Self::Resource(..) => None,
        }
    }

    /// The item at a position.
    pub fn item(self, index: usize) -> Option<Self> {
        match self {
            Self::Value(value) => value.as_array()?.get(index).map(Self::Value),
            Self::Resources(document, list) => list.get(index).map(|at| Self::Resource(document, *at)),
            Self::Root(_) | Self::Resource(..) => None,
        }
    }

    /// Which resource it is, for those that are shared.
    pub(crate) fn identity(self) -> Option<usize> {
        if let Self::Resource(_, at) = self { Some(at) } else { None }
    }

    fn resources(self) -> Option<Self> {
        match self {
            Self::Root(document) => Some(Self::Resources(document, document.top.as_deref()?)),
            Self::Resource(document, at) => {
                let children = &document.resources.get(at)?.children;
                (!children.is_empty()).then_some(Self::Resources(document, children))
            }
            Self::Value(_) | Self::Resources(..) => None,
        }
    }
}
