//! Which nodes stand at an offset: a tree and an offset come in, nodes go out.

use base::{TextRange, TextSize};
use bicep_syntax::ast::Name;
use bicep_syntax::{Element, Node, SyntaxKind, Token, Tree};

/// The innermost node at an offset that fits. At the seam between two nodes, the one behind it wins.
pub(crate) fn innermost<'t>(
    tree: &'t Tree,
    offset: TextSize,
    fits: impl Fn(Node<'t>) -> bool,
) -> Option<Node<'t>> {
    let mut found = None;
    let mut open = vec![tree.root()];
    while let Some(node) = open.pop() {
        if !node.range().contains_inclusive(offset) && node.kind() != SyntaxKind::File {
            continue;
        }
        if fits(node) {
            found = Some(node);
        }
        // Nodes are visited in the order of the text, so that the last one that fits wins.
        open.extend(node.children().rev());
    }
    found
}

/// The nodes around an offset from the outside in, and the token at it. At a seam, what stands before it wins unless that
/// is a line end.
#[derive(Debug, Clone)]
pub(crate) struct Path<'t> {
    pub(crate) nodes: Vec<Node<'t>>,
    pub(crate) token: Option<Token<'t>>,
}

impl<'t> Path<'t> {
    /// The path to an offset.
    pub(crate) fn at(tree: &'t Tree, offset: TextSize) -> Self {
        let mut path = Self { nodes: vec![tree.root()], token: None };
        while let Some(element) = path.step(offset) {
            match element {
                Element::Node(node) => path.nodes.push(node),
                Element::Token(token) => {
                    path.token = Some(token);
                    break;
                }
            }
        }
        path
    }

    fn step(&self, offset: TextSize) -> Option<Element<'t>> {
        let node = self.nodes.last()?;
        let mut found: Option<Element<'t>> = None;
        for element in node.elements() {
            if element.range().start() > offset {
                break;
            }
            if !element.range().contains_inclusive(offset) {
                continue;
            }
            let replaces = match found {
                None => true,
                Some(before) => before.kind() == SyntaxKind::NewLine,
            };
            if replaces {
                found = Some(element);
            }
        }
        found
    }

    /// The innermost node.
    pub(crate) fn last(&self) -> Option<Node<'t>> {
        self.nodes.last().copied()
    }

    /// The string without holes at the offset.
    pub(crate) fn complete_string(&self) -> Option<Node<'t>> {
        let token = self.token.filter(|token| token.kind() == SyntaxKind::StringComplete)?;
        self.last().filter(|node| node.tokens().any(|it| it == token) && is_string(*node))
    }
}

fn is_string(node: Node<'_>) -> bool {
    matches!(node.kind(), SyntaxKind::Str | SyntaxKind::StringType)
}

/// Where a node starts. Statements that take no decorators start behind them.
pub(crate) fn own_start(node: Node<'_>) -> TextSize {
    use SyntaxKind as K;
    let takes_none =
        matches!(node.kind(), K::ParamAssignment | K::Using | K::Extends | K::Extension | K::ExtensionConfig);
    let keyword = || node.tokens().find(|token| token.kind() == K::Identifier);
    match keyword().filter(|_| takes_none) {
        Some(keyword) => keyword.range().start(),
        None => node.range().start(),
    }
}

/// The nodes that hold an offset, from the outside in; the end of a node is outside of it.
pub(crate) fn enclosing(tree: &Tree, offset: TextSize) -> Vec<Node<'_>> {
    let mut nodes = vec![tree.root()];
    while let Some(inner) =
        nodes.last().and_then(|node| node.children().find(|child| child.range().contains(offset)))
    {
        nodes.push(inner);
    }
    nodes
}

/// The part of a node that names something: what is marked when the node is meant.
pub(crate) fn name_range(node: Node<'_>) -> TextRange {
    match node.kind() {
        SyntaxKind::Property => node.children().next().map_or(node.range(), Node::range),
        _ => name_of(node).map_or(node.range(), Name::range),
    }
}

/// The name that a node declares or uses.
pub(crate) fn name_of(node: Node<'_>) -> Option<Name<'_>> {
    use SyntaxKind as K;
    match node.kind() {
        K::ImportItem => bicep_syntax::ast::ImportItem::cast(node)?.local_name(),
        K::WildcardImport => bicep_syntax::ast::WildcardImport::cast(node)?.name(),
        K::Property => node.children().next().and_then(Name::cast),
        _ if is_named_declaration(node) => node.children().find_map(Name::cast),
        K::TargetScope
        | K::VarAccess
        | K::TypeVar
        | K::Call
        | K::GenericType
        | K::MemberGenericType
        | K::MethodCall
        | K::PropertyAccess
        | K::ResourceAccess => node.children().find_map(Name::cast),
        _ => None,
    }
}

/// Whether a node declares a name.
pub(crate) fn is_named_declaration(node: Node<'_>) -> bool {
    use SyntaxKind as K;
    matches!(
        node.kind(),
        K::Metadata
            | K::Param
            | K::ParamAssignment
            | K::Var
            | K::TypeDeclaration
            | K::Func
            | K::Resource
            | K::Module
            | K::Test
            | K::Output
            | K::Assert
            | K::LocalVar
            | K::TypedLocalVar
            | K::ImportItem
            | K::WildcardImport
    )
}
