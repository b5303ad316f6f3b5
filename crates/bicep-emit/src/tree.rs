//! JSON that knows where its parts were written: it becomes a template and its source map.

use std::sync::Arc;

use base::TextRange;
use serde_json::{Map, Value as Json};

use crate::Emitted;

/// A JSON value while a template is put together.
#[derive(Debug, Clone)]
pub(crate) enum Tree {
    Leaf(Json),
    Array(Vec<Tree>),
    Object(Object),
    /// Something that was written here.
    At(TextRange, Box<Tree>),
    /// Another template, with a source map of its own.
    Template(Arc<Emitted>),
}

/// Members in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Object(Vec<Entry>);

#[derive(Debug, Clone)]
struct Entry {
    name: String,
    value: Tree,
    range: Option<TextRange>,
}

impl Object {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn put(&mut self, name: impl Into<String>, value: impl Into<Tree>) {
        self.0.push(Entry { name: name.into(), value: value.into(), range: None });
    }

    /// A member that was written here.
    pub(crate) fn put_at(
        &mut self,
        name: impl Into<String>,
        value: impl Into<Tree>,
        range: Option<TextRange>,
    ) {
        self.0.push(Entry { name: name.into(), value: value.into(), range });
    }

    /// A member that is only there when it holds something.
    pub(crate) fn put_filled(&mut self, name: &str, value: Self) {
        if !value.0.is_empty() {
            self.put(name, value);
        }
    }

    pub(crate) fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// The values without their names.
    pub(crate) fn into_array(self) -> Tree {
        let item = |entry: Entry| match entry.range {
            Some(range) => Tree::At(range, Box::new(entry.value)),
            None => entry.value,
        };
        self.0.into_iter().map(item).collect()
    }
}

impl<T: Into<Json>> From<T> for Tree {
    fn from(value: T) -> Self {
        Self::Leaf(value.into())
    }
}

impl From<Object> for Tree {
    fn from(object: Object) -> Self {
        Self::Object(object)
    }
}

impl FromIterator<Self> for Tree {
    fn from_iter<I: IntoIterator<Item = Self>>(items: I) -> Self {
        Self::Array(items.into_iter().collect())
    }
}

/// Where parts of a template come from, as they are found.
pub(crate) trait Places {
    /// The part at this JSON pointer was written here.
    fn place(&mut self, pointer: &str, range: TextRange);

    /// The part at this JSON pointer is another template.
    fn template(&mut self, pointer: &str, template: &Emitted);
}

/// For JSON that nobody asks about.
pub(crate) struct Nowhere;

impl Places for Nowhere {
    fn place(&mut self, _: &str, _: TextRange) {}

    fn template(&mut self, _: &str, _: &Emitted) {}
}

/// The plain JSON, and the places of its parts.
pub(crate) fn finish(tree: Tree, places: &mut dyn Places) -> Json {
    build(tree, &mut String::new(), places)
}

fn build(tree: Tree, pointer: &mut String, places: &mut dyn Places) -> Json {
    stacker::maybe_grow(64 << 10, 1 << 20, || match tree {
        Tree::Leaf(json) => json,
        Tree::At(range, inner) => {
            places.place(pointer, range);
            build(*inner, pointer, places)
        }
        Tree::Array(items) => {
            let build_item = |(index, item): (usize, Tree)| {
                within(pointer, &index.to_string(), |pointer| build(item, pointer, places))
            };
            Json::Array(items.into_iter().enumerate().map(build_item).collect())
        }
        Tree::Object(Object(entries)) => {
            let mut members = Map::with_capacity(entries.len());
            for Entry { name, value, range } in entries {
                let json = within(pointer, &name, |pointer| {
                    if let Some(range) = range {
                        places.place(pointer, range);
                    }
                    build(value, pointer, places)
                });
                members.insert(name, json);
            }
            Json::Object(members)
        }
        Tree::Template(template) => {
            places.template(pointer, &template);
            template.template.clone()
        }
    })
}

/// Does something with the pointer one step further.
pub(crate) fn within<R>(pointer: &mut String, step: &str, work: impl FnOnce(&mut String) -> R) -> R {
    let length = pointer.len();
    pointer.push('/');
    pointer.push_str(&step.replace('~', "~0").replace('/', "~1"));
    let result = work(pointer);
    pointer.truncate(length);
    result
}
