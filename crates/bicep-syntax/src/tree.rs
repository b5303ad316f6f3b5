//! The lossless tree: one flat array of tokens that covers the text, and nodes over the tokens that grammar sees.
//!
//! A [`Tree`] is a value: `Send`, `Sync`, never changed after it was built. [`Node`] and [`Token`] are views into it,
//! as cheap to copy as a pointer and a number. A [`NodeId`] is dense and in document order (a parent comes before its
//! children), so meaning can be kept in plain vectors beside the tree.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};

use base::{TextRange, TextSize};

use crate::SyntaxKind;
use crate::lexer::RawToken;

/// A parsed file: its text, its tokens and its nodes.
#[derive(Clone)]
pub struct Tree {
    text: Arc<str>,
    tokens: Vec<RawToken>,
    /// The tokens that are directives: few files have any.
    directives: Vec<u32>,
    nodes: Vec<NodeData>,
    elements: Vec<ElementId>,
    by_kind: OnceLock<NodesByKind>,
}

/// The number of a node in its tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

impl NodeId {
    /// The number, for indexing into vectors beside the tree.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Debug, Clone, Copy)]
struct NodeData {
    kind: SyntaxKind,
    range: TextRange,
    parent: u32,
    /// The id behind those of the nodes in it: ids are in document order, so they are without gaps.
    end: u32,
    elements_start: u32,
    elements_len: u32,
}

impl NodeData {
    const EMPTY: Self = Self {
        kind: SyntaxKind::File,
        range: TextRange::empty(TextSize::new(0)),
        parent: 0,
        end: 0,
        elements_start: 0,
        elements_len: 0,
    };
}

#[derive(Debug, Clone, Copy)]
enum ElementId {
    Node(u32),
    Token(u32),
}

impl Tree {
    /// The text that was parsed.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The node of the whole file.
    #[inline]
    pub fn root(&self) -> Node<'_> {
        Node { tree: self, id: 0 }
    }

    /// How many nodes there are; ids are smaller than this.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The node with an id of this tree. An id of another tree gives some node, or the root.
    #[inline]
    pub fn node(&self, id: NodeId) -> Node<'_> {
        Node { tree: self, id: if id.index() < self.nodes.len() { id.0 } else { 0 } }
    }

    /// All tokens in order, trivia included. Their texts joined are the text of the file.
    pub fn tokens(&self) -> impl Iterator<Item = Token<'_>> {
        (0..self.tokens.len()).map(|index| Token { tree: self, index: count(index) })
    }

    /// The tokens that are directives, in order.
    pub(crate) fn directives(&self) -> impl Iterator<Item = Token<'_>> {
        self.directives.iter().map(|index| Token { tree: self, index: *index })
    }

    /// All nodes in document order, but for those inside of skipped text, which mean nothing.
    pub fn nodes(&self) -> impl Iterator<Item = Node<'_>> {
        self.root().descendants()
    }

    /// All nodes of some kinds in document order, but for those inside of skipped text. Most checks ask for one or two kinds, and
    /// a file has a hundred times as many nodes.
    pub fn nodes_of(&self, kinds: &[SyntaxKind]) -> impl Iterator<Item = Node<'_>> + use<'_> {
        let by_kind = self.by_kind.get_or_init(|| NodesByKind::of(self));
        let ids = match kinds {
            [kind] => Cow::Borrowed(by_kind.of_kind(*kind)),
            kinds => {
                let of_kinds: Vec<&[u32]> = kinds.iter().map(|kind| by_kind.of_kind(*kind)).collect();
                let mut ids = of_kinds.concat();
                // Not the unstable one: this knows to merge what is sorted already.
                ids.sort();
                ids.dedup();
                Cow::Owned(ids)
            }
        };
        (0..ids.len()).filter_map(move |at| Some(Node { tree: self, id: *ids.get(at)? }))
    }

    #[inline]
    fn elements_of(&self, id: u32) -> &[ElementId] {
        let data = self.data(id);
        let start = data.elements_start as usize;
        self.elements.get(start..start + data.elements_len as usize).unwrap_or_default()
    }

    #[inline]
    fn nodes_among<'t>(&'t self, elements: &'t [ElementId]) -> impl DoubleEndedIterator<Item = Node<'t>> {
        elements.iter().filter_map(|element| match *element {
            ElementId::Node(id) => Some(Node { tree: self, id }),
            ElementId::Token(_) => None,
        })
    }

    #[inline]
    fn data(&self, id: u32) -> &NodeData {
        #[expect(
            clippy::indexing_slicing,
            reason = "ids are made by this module and checked in `Tree::node`"
        )]
        &self.nodes[id as usize]
    }
}

impl fmt::Debug for Tree {
    /// The tree as `sinew debug tree` prints it: one node or token a line, indented by depth.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut open = vec![(0_usize, Element::Node(self.root()))];
        while let Some((depth, element)) = open.pop() {
            let indent = "  ".repeat(depth.min(100));
            match element {
                Element::Token(token) => {
                    writeln!(f, "{indent}{:?}@{:?} {:?}", token.kind(), token.range(), token.text())?;
                }
                Element::Node(node) => {
                    writeln!(f, "{indent}{:?}@{:?}", node.kind(), node.range())?;
                    open.extend(node.elements().rev().map(|child| (depth + 1, child)));
                }
            }
        }
        Ok(())
    }
}

/// The ids of a tree's nodes, those of a kind together and in document order.
#[derive(Clone)]
struct NodesByKind {
    ids: Vec<u32>,
    /// By kind: behind the last of its ids.
    ends: Box<[u32; KINDS]>,
}

/// How many kinds there may be: they fit into a byte.
const KINDS: usize = 256;

impl NodesByKind {
    #[expect(clippy::indexing_slicing, reason = "a kind is a byte, and every node was counted")]
    fn of(tree: &Tree) -> Self {
        let mut ends = Box::new([0; KINDS]);
        for node in tree.nodes() {
            ends[node.kind() as usize] += 1;
        }
        let mut total = 0;
        for end in ends.iter_mut() {
            // For now where the ids of the kind begin; each one that is put there moves it.
            total += std::mem::replace(end, total);
        }
        let mut ids = vec![0; total as usize];
        for node in tree.nodes() {
            let next = &mut ends[node.kind() as usize];
            ids[*next as usize] = node.id;
            *next += 1;
        }
        Self { ids, ends }
    }

    fn of_kind(&self, kind: SyntaxKind) -> &[u32] {
        let end = |kind: usize| self.ends.get(kind).map_or(0, |end| *end as usize);
        let start = (kind as usize).checked_sub(1).map_or(0, end);
        self.ids.get(start..end(kind as usize)).unwrap_or_default()
    }
}

/// A node of a [`Tree`].
#[derive(Clone, Copy)]
pub struct Node<'t> {
    tree: &'t Tree,
    id: u32,
}

/// A token of a [`Tree`].
#[derive(Clone, Copy)]
pub struct Token<'t> {
    tree: &'t Tree,
    index: u32,
}

/// A child of a node: another node, or a token that grammar sees.
#[derive(Clone, Copy)]
pub enum Element<'t> {
    Node(Node<'t>),
    /// A token that is not trivia.
    Token(Token<'t>),
}

impl<'t> Node<'t> {
    #[inline]
    pub fn kind(self) -> SyntaxKind {
        self.tree.data(self.id).kind
    }

    /// From the first to the last token in it, without the trivia around them. A node for something that is missing
    /// is empty and stands before the next token.
    #[inline]
    pub fn range(self) -> TextRange {
        self.tree.data(self.id).range
    }

    /// Its number in the tree.
    #[inline]
    pub fn id(self) -> NodeId {
        NodeId(self.id)
    }

    /// The tree it belongs to.
    #[inline]
    pub fn tree(self) -> &'t Tree {
        self.tree
    }

    /// The text of its range.
    #[inline]
    pub fn text(self) -> &'t str {
        slice(&self.tree.text, self.range())
    }

    /// The node around it.
    #[inline]
    pub fn parent(self) -> Option<Self> {
        let parent = self.tree.data(self.id).parent;
        (self.id != 0).then_some(Self { tree: self.tree, id: parent })
    }

    /// The nodes around it, from the inside out.
    pub fn ancestors(self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.parent(), |node| node.parent())
    }

    /// Its nodes and tokens in order.
    #[inline]
    pub fn elements(self) -> impl DoubleEndedIterator<Item = Element<'t>> + ExactSizeIterator {
        let tree = self.tree;
        tree.elements_of(self.id).iter().map(move |element| match *element {
            ElementId::Node(id) => Element::Node(Self { tree, id }),
            ElementId::Token(index) => Element::Token(Token { tree, index }),
        })
    }

    /// Its nodes in order.
    #[inline]
    pub fn children(self) -> impl DoubleEndedIterator<Item = Self> {
        self.tree.nodes_among(self.tree.elements_of(self.id))
    }

    /// Its nodes in order, none if it is skipped text: what is inside of that means nothing.
    #[inline]
    pub fn understood_children(self) -> impl DoubleEndedIterator<Item = Self> {
        self.tree.nodes_among(if self.is_skipped() { &[] } else { self.tree.elements_of(self.id) })
    }

    /// Its own tokens in order, without those of its nodes.
    #[inline]
    pub fn tokens(self) -> impl DoubleEndedIterator<Item = Token<'t>> {
        self.elements().filter_map(Element::token)
    }

    /// Its first child node of a kind.
    #[inline]
    pub fn child(self, kind: SyntaxKind) -> Option<Self> {
        self.children().find(|child| child.kind() == kind)
    }

    /// Its first own token of a kind.
    #[inline]
    pub fn token(self, kind: SyntaxKind) -> Option<Token<'t>> {
        self.tokens().find(|token| token.kind() == kind)
    }

    /// The first token in it or in its nodes.
    pub fn first_token(self) -> Option<Token<'t>> {
        self.elements().find_map(|element| match element {
            Element::Node(node) => node.first_token(),
            Element::Token(token) => Some(token),
        })
    }

    /// The last token in it or in its nodes.
    pub fn last_token(self) -> Option<Token<'t>> {
        self.elements().rev().find_map(|element| match element {
            Element::Node(node) => node.last_token(),
            Element::Token(token) => Some(token),
        })
    }

    /// It and all nodes in it, in document order, but for those inside of skipped text.
    #[inline]
    pub fn descendants(self) -> impl Iterator<Item = Self> {
        let (tree, end) = (self.tree, self.end());
        let mut next = self.id;
        std::iter::from_fn(move || {
            let node = (next < end).then_some(Self { tree, id: next })?;
            next = if node.is_skipped() { node.end() } else { next + 1 };
            Some(node)
        })
    }

    #[inline]
    fn end(self) -> u32 {
        self.tree.data(self.id).end
    }

    /// Whether nodes are in it. None are in names and in literals without holes, and walks need not look at those.
    #[inline]
    pub fn has_nodes(self) -> bool {
        self.end() > self.id + 1
    }

    /// Whether it is text that could not be understood, or something missing.
    #[inline]
    pub fn is_skipped(self) -> bool {
        self.kind() == SyntaxKind::Skipped
    }
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && std::ptr::eq(self.tree, other.tree)
    }
}

impl Eq for Node<'_> {}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}@{:?}", self.kind(), self.range())
    }
}

impl<'t> Token<'t> {
    #[inline]
    pub fn kind(self) -> SyntaxKind {
        self.tree.tokens.get(self.index as usize).map_or(SyntaxKind::EndOfFile, |token| token.kind)
    }

    #[inline]
    pub fn range(self) -> TextRange {
        token_range(&self.tree.tokens, self.index)
    }

    #[inline]
    pub fn text(self) -> &'t str {
        slice(&self.tree.text, self.range())
    }

    /// Whether a comment or a directive before it belongs to it.
    #[inline]
    pub fn has_comment_before(self) -> bool {
        self.tree.tokens.get(self.index as usize).is_some_and(|token| token.has_comment_before)
    }

    /// Whether a comment behind it belongs to it.
    #[inline]
    pub fn has_comment_behind(self) -> bool {
        self.tree.tokens.get(self.index as usize).is_some_and(|token| token.has_comment_behind)
    }

    /// The trivia before it that belong to it: all that the token before did not keep.
    pub fn leading_trivia(self) -> impl Iterator<Item = Self> {
        let mut start = self.index;
        while start > 0 && self.at(start - 1).kind().is_trivia() {
            start -= 1;
        }
        let kept = if start == 0 { 0 } else { self.at(start - 1).trailing_trivia().count() };
        (start + count(kept)..self.index).map(move |index| self.at(index))
    }

    /// The trivia behind it that belong to it: white space, and comments if its kind keeps them.
    pub fn trailing_trivia(self) -> impl Iterator<Item = Self> {
        let with_comments = self.kind().keeps_trailing_comments();
        (self.index + 1..).map(move |index| self.at(index)).take_while(move |token| match token.kind() {
            SyntaxKind::Whitespace => true,
            SyntaxKind::LineComment | SyntaxKind::BlockComment => with_comments,
            _ => false,
        })
    }

    /// The next token that is not trivia.
    pub fn next(self) -> Option<Self> {
        let len = count(self.tree.tokens.len());
        (self.index + 1..len).map(|index| self.at(index)).find(|token| !token.kind().is_trivia())
    }

    /// The last token before it that is not trivia.
    pub fn previous(self) -> Option<Self> {
        (0..self.index).rev().map(|index| self.at(index)).find(|token| !token.kind().is_trivia())
    }

    #[inline]
    fn at(self, index: u32) -> Self {
        Self { tree: self.tree, index }
    }
}

impl PartialEq for Token<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index && std::ptr::eq(self.tree, other.tree)
    }
}

impl Eq for Token<'_> {}

impl fmt::Debug for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}@{:?} {:?}", self.kind(), self.range(), self.text())
    }
}

impl<'t> Element<'t> {
    /// The node, if it is one.
    #[inline]
    pub fn node(self) -> Option<Node<'t>> {
        match self {
            Self::Node(node) => Some(node),
            Self::Token(_) => None,
        }
    }

    /// The token, if it is one.
    #[inline]
    pub fn token(self) -> Option<Token<'t>> {
        match self {
            Self::Node(_) => None,
            Self::Token(token) => Some(token),
        }
    }

    /// The kind of either.
    #[inline]
    pub fn kind(self) -> SyntaxKind {
        match self {
            Self::Node(node) => node.kind(),
            Self::Token(token) => token.kind(),
        }
    }

    /// The range of either with the white space and the comments that belong to its first and its last token.
    pub fn range_with_trivia(self) -> TextRange {
        let (first, last) = match self {
            Self::Node(node) => (node.first_token(), node.last_token()),
            Self::Token(token) => (Some(token), Some(token)),
        };
        let (Some(first), Some(last)) = (first, last) else { return self.range() };
        let start = first.leading_trivia().next().unwrap_or(first).range().start();
        let end = last.trailing_trivia().last().unwrap_or(last).range().end();
        TextRange::new(start, end)
    }

    /// The range of either.
    #[inline]
    pub fn range(self) -> TextRange {
        match self {
            Self::Node(node) => node.range(),
            Self::Token(token) => token.range(),
        }
    }
}

#[inline]
fn slice(text: &str, range: TextRange) -> &str {
    text.get(usize::from(range.start())..usize::from(range.end())).unwrap_or_default()
}

/// A token ends where the next one starts. The last one, at the end of the file, has no text.
#[inline]
fn token_range(tokens: &[RawToken], index: u32) -> TextRange {
    let start_of =
        |index: usize| tokens.get(index).or(tokens.last()).map_or(TextSize::new(0), |token| token.start);
    TextRange::new(start_of(index as usize), start_of(index as usize + 1))
}

#[inline]
fn count(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

/// Puts a tree together from its nodes in the order in which they are finished: the parts of a node come before it.
///
/// That order lets a node be put around others that are finished already, and lets the last ones be taken back.
/// The order of the document is found at the end.
pub(crate) struct Builder {
    text: Arc<str>,
    tokens: Vec<RawToken>,
    directives: Vec<u32>,
    nodes: Vec<FinishedNode>,
    /// The parts of the finished nodes, those of a node together.
    elements: Vec<ElementId>,
    /// The parts of the nodes that are not finished yet.
    pending: Vec<ElementId>,
}

/// A node, with the numbers of nodes counted in the order in which they were finished.
struct FinishedNode {
    kind: SyntaxKind,
    range: TextRange,
    /// How many were finished when it was started.
    before: u32,
    elements_start: u32,
    elements_len: u32,
}

/// Where a node begins that is not finished yet.
#[derive(Clone, Copy)]
pub(crate) struct Started {
    before: u32,
    first_pending: u32,
}

/// How much of a tree there was at some time.
#[derive(Clone, Copy)]
pub(crate) struct Progress {
    nodes: usize,
    elements: usize,
    pending: usize,
}

#[expect(clippy::indexing_slicing, reason = "the numbers of nodes and tokens are made here and by the lexer")]
impl Builder {
    /// A builder of a tree over these tokens, of which the grammar sees so many.
    pub(crate) fn new(text: Arc<str>, tokens: Vec<RawToken>, directives: Vec<u32>, grammar: usize) -> Self {
        Self {
            text,
            tokens,
            directives,
            // Nearly all texts have fewer nodes than tokens, and each of either is a part of something.
            nodes: Vec::with_capacity(grammar),
            elements: Vec::with_capacity(2 * grammar),
            pending: Vec::with_capacity(grammar),
        }
    }

    /// The range of a token; an empty one at the end of the text behind the last.
    #[inline]
    pub(crate) fn token_range(&self, index: u32) -> TextRange {
        token_range(&self.tokens, index)
    }

    /// The number of the node that was finished last.
    pub(crate) fn last_number(&self) -> Option<u32> {
        self.nodes.len().checked_sub(1).map(count)
    }

    #[inline]
    pub(crate) fn start(&self) -> Started {
        Started { before: count(self.nodes.len()), first_pending: count(self.pending.len()) }
    }

    /// Starts a node around the last one that was finished.
    #[inline]
    pub(crate) fn start_around_last(&self) -> Started {
        let before = self.nodes.last().map_or(0, |last| last.before);
        Started { before, first_pending: count(self.pending.len().saturating_sub(1)) }
    }

    #[inline]
    pub(crate) fn token(&mut self, index: u32) {
        self.pending.push(ElementId::Token(index));
    }

    /// Finishes a node and says its number. If it has no parts, it is empty and stands before the next token.
    pub(crate) fn finish(&mut self, started: Started, kind: SyntaxKind, next: u32) -> u32 {
        let first_pending = started.first_pending as usize;
        let parts = &self.pending[first_pending..];
        let range = match parts {
            [] => TextRange::empty(self.token_range(next).start()),
            [only] => self.range_of(*only),
            [first, .., last] => TextRange::new(self.range_of(*first).start(), self.range_of(*last).end()),
        };
        let elements_start = count(self.elements.len());
        let elements_len = count(parts.len());
        self.elements.extend_from_slice(parts);
        self.pending.truncate(first_pending);
        self.add(FinishedNode { kind, range, before: started.before, elements_start, elements_len })
    }

    /// Adds a node around a token alone, as most are, and says its number.
    pub(crate) fn single(&mut self, kind: SyntaxKind, token: u32) -> u32 {
        let elements_start = count(self.elements.len());
        self.elements.push(ElementId::Token(token));
        let (range, before) = (self.token_range(token), count(self.nodes.len()));
        self.add(FinishedNode { kind, range, before, elements_start, elements_len: 1 })
    }

    #[inline]
    fn add(&mut self, node: FinishedNode) -> u32 {
        let number = count(self.nodes.len());
        self.nodes.push(node);
        self.pending.push(ElementId::Node(number));
        number
    }

    #[inline]
    fn range_of(&self, part: ElementId) -> TextRange {
        match part {
            ElementId::Token(token) => self.token_range(token),
            ElementId::Node(node) => self.nodes[node as usize].range,
        }
    }

    /// Makes a finished node one of another kind.
    pub(crate) fn rename(&mut self, node: u32, kind: SyntaxKind) {
        if let Some(node) = self.nodes.get_mut(node as usize) {
            node.kind = kind;
        }
    }

    pub(crate) fn progress(&self) -> Progress {
        Progress { nodes: self.nodes.len(), elements: self.elements.len(), pending: self.pending.len() }
    }

    /// Forgets everything since then.
    pub(crate) fn rewind(&mut self, to: Progress) {
        self.nodes.truncate(to.nodes);
        self.elements.truncate(to.elements);
        self.pending.truncate(to.pending);
    }

    /// The tree. Its nodes are numbered anew, in the order of the document.
    pub(crate) fn build(self) -> Tree {
        debug_assert!(self.pending.len() == 1, "every node is finished");
        let Self { text, tokens, directives, nodes: finished, mut elements, .. } = self;
        let mut nodes = vec![NodeData::EMPTY; finished.len()];
        let mut places = vec![Place { id: 0, parent: 0 }; finished.len()];
        // From the last to the first a node comes after the one around it, which says where it belongs.
        for number in (0..finished.len()).rev() {
            let node = &finished[number];
            let Place { id, parent } = places[number];
            let start = node.elements_start as usize;
            for element in &mut elements[start..start + node.elements_len as usize] {
                if let ElementId::Node(child) = element {
                    // Before it come all that were finished when it was started, and those around it.
                    let around = id - node.before + 1;
                    let place = Place { id: finished[*child as usize].before + around, parent: id };
                    places[*child as usize] = place;
                    *child = place.id;
                }
            }
            nodes[id as usize] = NodeData {
                kind: node.kind,
                range: node.range,
                parent,
                end: id + count(number) + 1 - node.before,
                elements_start: node.elements_start,
                elements_len: node.elements_len,
            };
        }
        Tree { text, tokens, directives, nodes, elements, by_kind: OnceLock::new() }
    }
}

/// Where a finished node belongs.
#[derive(Clone, Copy)]
struct Place {
    id: u32,
    parent: u32,
}

#[cfg(test)]
mod tests {
    use crate::{Dialect, SyntaxKind, parse};

    #[test]
    fn nodes_of_kinds_are_those_that_a_walk_finds() {
        let text = "param a string\nvar b = [for x in [a, 'c']: { d: x.e }]\nvar c = { f: ( }\noutput g string = b[0].d\n";
        let parsed = parse(text, Dialect::Bicep);
        let check = |kinds: &[SyntaxKind]| {
            let walked: Vec<_> = parsed.tree.nodes().filter(|node| kinds.contains(&node.kind())).collect();
            assert_eq!(parsed.tree.nodes_of(kinds).collect::<Vec<_>>(), walked, "{kinds:?}");
            walked.len()
        };
        assert_eq!(check(&[SyntaxKind::Param]), 1);
        assert_eq!(check(&[SyntaxKind::PropertyAccess, SyntaxKind::Var]), 4);
        assert_eq!(check(&[SyntaxKind::Lambda]), 0);
        for node in parsed.tree.nodes() {
            check(&[node.kind()]);
            check(&[SyntaxKind::Name, node.kind()]);
        }
    }
}
