//! All uses of what stands somewhere, within its file: a file and an offset come in, the nodes that mean the same go out.

use base::{TextRange, TextSize};
use bicep_syntax::Node;

use crate::FileContext;
use crate::entity::{Entity, Named, entity_at, entity_of};
use crate::lookup::{is_named_declaration, name_range};

/// The ranges of all uses of what stands at an offset.
pub fn references(context: &FileContext<'_>, offset: TextSize, with_declaration: bool) -> Vec<TextRange> {
    let Some(named) = entity_at(context, offset) else { return Vec::new() };
    let nodes = same_entity(context, &named);
    let wanted = nodes.into_iter().filter(|node| with_declaration || !is_named_declaration(*node));
    wanted.map(name_range).collect()
}

/// All nodes of the file that mean the same as one of them. Properties have no identity: nothing else means the same.
pub(crate) fn same_entity<'a>(context: &FileContext<'a>, named: &Named<'a>) -> Vec<Node<'a>> {
    if matches!(named.entity, Entity::Property(..)) {
        return Vec::new();
    }
    // Types of namespaces and functions of imports are made anew for each use.
    if matches!(named.entity, Entity::Unknown | Entity::ImportedFunction(_) | Entity::Type(_)) {
        return vec![named.node];
    }
    let candidates = context.tree().nodes().filter(|node| may_name(*node) || *node == named.node);
    candidates.filter(|node| entity_of(context, *node).is_some_and(|it| is_same(&it, *node, named))).collect()
}

/// Whether a node may mean something other than a property.
fn may_name(node: Node<'_>) -> bool {
    use bicep_syntax::SyntaxKind as K;
    is_named_declaration(node)
        || matches!(
            node.kind(),
            K::VarAccess
                | K::Call
                | K::MethodCall
                | K::TypeVar
                | K::GenericType
                | K::ResourceAccess
                | K::Extension
                | K::ExtensionConfig
        )
}

fn is_same(entity: &Entity, node: Node<'_>, other: &Named<'_>) -> bool {
    let name = |node| crate::lookup::name_of(node).and_then(bicep_syntax::ast::Name::text);
    match (entity, &other.entity) {
        (Entity::Symbol(a), Entity::Symbol(b)) => a == b,
        (Entity::Namespace(a), Entity::Namespace(b)) => a == b,
        (Entity::Function(a), Entity::Function(b)) => {
            let first = |overloads: &[std::sync::Arc<_>]| overloads.first().map(std::sync::Arc::as_ptr);
            first(a) == first(b) && name(node) == name(other.node)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ask;

    fn check(source: &str, with_declaration: bool, expected: &[u32]) {
        let found = ask(source, &[], |context, offset| references(context, offset, with_declaration));
        let starts: Vec<u32> = found.iter().map(|range| range.start().into()).collect();
        assert_eq!(starts, expected, "{source}");
    }

    #[test]
    fn uses_are_found_with_or_without_the_declaration() {
        check("param |a int\nvar b = a + a", true, &[6, 20, 24]);
        check("param |a int\nvar b = a + a", false, &[20, 24]);
        check("var b = [for x in [1]: |x]\nvar c = [for x in [2]: x]", true, &[13, 23]);
        check("var a = |nothing", true, &[8]);
    }
}
