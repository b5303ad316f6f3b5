//! Templates while they are put together, with the places where their parts were written: they become documents and
//! source maps.

use std::collections::HashMap;
use std::sync::Arc;

use arm::document::{self, Member, Node, NodeKind, escape};
use arm::expression::Expr;
use base::TextRange;
use smol_str::SmolStr;

use crate::Emitted;

/// A value while a template is put together.
#[derive(Debug, Clone)]
pub(crate) enum Tree {
    Leaf(Node),
    Array(Vec<Tree>),
    Object(Object),
    /// Something that was written here.
    At(TextRange, Box<Tree>),
    /// Another template, with a source map of its own.
    Template(Arc<Emitted>),
}

/// Members in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Object(Vec<ObjectMember>);

#[derive(Debug, Clone)]
struct ObjectMember {
    name: Name,
    value: Tree,
    range: Option<TextRange>,
}

/// The name of a member.
#[derive(Debug, Clone)]
pub(crate) struct Name {
    text: SmolStr,
    computed: Option<Expr>,
}

impl Name {
    /// A name that is no expression, whatever it looks like.
    pub(crate) fn literal(text: &str) -> Self {
        Self { text: escape(text), computed: None }
    }

    /// A name that evaluation gives.
    pub(crate) fn computed(expression: Expr) -> Self {
        Self { text: format!("[{expression}]").into(), computed: Some(expression) }
    }
}

impl<T: Into<SmolStr>> From<T> for Name {
    fn from(text: T) -> Self {
        Self { text: text.into(), computed: None }
    }
}

impl Object {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn put(&mut self, name: impl Into<Name>, value: impl Into<Tree>) {
        self.0.push(ObjectMember { name: name.into(), value: value.into(), range: None });
    }

    /// A member that was written here.
    pub(crate) fn put_at(&mut self, name: impl Into<Name>, value: impl Into<Tree>, range: Option<TextRange>) {
        self.0.push(ObjectMember { name: name.into(), value: value.into(), range });
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
        let item = |entry: ObjectMember| match entry.range {
            Some(range) => Tree::At(range, Box::new(entry.value)),
            None => entry.value,
        };
        self.0.into_iter().map(item).collect()
    }
}

impl From<Node> for Tree {
    fn from(node: Node) -> Self {
        Self::Leaf(node)
    }
}

impl From<&str> for Tree {
    fn from(text: &str) -> Self {
        Self::Leaf(NodeKind::Text(text.into()).into())
    }
}

impl From<String> for Tree {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl From<bool> for Tree {
    fn from(value: bool) -> Self {
        Self::Leaf(NodeKind::Bool(value).into())
    }
}

impl From<i64> for Tree {
    fn from(value: i64) -> Self {
        Self::Leaf(NodeKind::Number(value.into()).into())
    }
}

impl From<u64> for Tree {
    fn from(value: u64) -> Self {
        Self::Leaf(NodeKind::Number(value.into()).into())
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
pub(crate) trait SourceMapSink {
    /// The part at this JSON pointer was written here.
    fn place(&mut self, pointer: &str, range: TextRange);

    /// The part at this JSON pointer is another template.
    fn template(&mut self, pointer: &str, template: &Emitted);
}

/// For documents whose places nobody asks about.
pub(crate) struct NoSourceMap;

impl SourceMapSink for NoSourceMap {
    fn place(&mut self, _: &str, _: TextRange) {}

    fn template(&mut self, _: &str, _: &Emitted) {}
}

/// The document, and the places of its parts.
pub(crate) fn finish(tree: Tree, places: &mut dyn SourceMapSink) -> Node {
    Builder { places, pointer: String::new(), around: TextRange::default() }.build(tree)
}

struct Builder<'b> {
    places: &'b mut dyn SourceMapSink,
    pointer: String,
    /// The place of what is around; what has none of its own is there.
    around: TextRange,
}

impl Builder<'_> {
    fn build(&mut self, tree: Tree) -> Node {
        base::recurse(|| match tree {
            Tree::Leaf(leaf) => Node { range: self.around, ..leaf },
            Tree::At(range, inner) => self.at(Some(range), *inner),
            Tree::Array(items) => {
                let items = items.into_iter().enumerate();
                let items: Vec<Node> =
                    items.map(|(index, item)| self.within(&index.to_string(), None, item)).collect();
                Node::new(items.into_iter().collect(), self.around)
            }
            Tree::Object(Object(entries)) => self.object(entries),
            Tree::Template(template) => {
                self.places.template(&self.pointer, &template);
                template.document.clone()
            }
        })
    }

    /// Of several members of one name the last value counts, in the place of the first.
    fn object(&mut self, entries: Vec<ObjectMember>) -> Node {
        let mut members: Vec<Member> = Vec::with_capacity(entries.len());
        let mut known: HashMap<SmolStr, usize> = HashMap::with_capacity(entries.len());
        for ObjectMember { name, value, range } in entries {
            let value = self.within(&name.text, range, value);
            match known.get(&name.text).and_then(|at| members.get_mut(*at)) {
                Some(earlier) => earlier.value = value,
                None => {
                    known.insert(name.text.clone(), members.len());
                    let key_range = value.range;
                    members.push(Member { key: name.text, key_range, computed: name.computed, value });
                }
            }
        }
        Node::new(document::Object::new(members).into(), self.around)
    }

    fn within(&mut self, step: &str, range: Option<TextRange>, tree: Tree) -> Node {
        let length = self.pointer.len();
        push_step(&mut self.pointer, step);
        let node = self.at(range, tree);
        self.pointer.truncate(length);
        node
    }

    fn at(&mut self, range: Option<TextRange>, tree: Tree) -> Node {
        let Some(range) = range else { return self.build(tree) };
        self.places.place(&self.pointer, range);
        let around = std::mem::replace(&mut self.around, range);
        let node = self.build(tree);
        self.around = around;
        node
    }
}

fn push_step(pointer: &mut String, step: &str) {
    pointer.push('/');
    if step.contains(['~', '/']) {
        pointer.push_str(&step.replace('~', "~0").replace('/', "~1"));
    } else {
        pointer.push_str(step);
    }
}

/// Does something with the pointer one step further.
pub(crate) fn within<R>(pointer: &mut String, step: &str, work: impl FnOnce(&mut String) -> R) -> R {
    let length = pointer.len();
    push_step(pointer, step);
    let result = work(pointer);
    pointer.truncate(length);
    result
}
