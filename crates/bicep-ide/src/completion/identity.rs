//! The forms of the property `identity` of resources and modules.

use bicep_syntax::ast::{Object, Property};
use bicep_syntax::{Node, SyntaxKind};

use super::context::{CompletionPlace, PlaceKind, ValueSlot};
use super::item::{CompletionItem, CompletionKind};

/// Label, description, text, whether a module may have it: modules have no identity of the system's.
const FORMS: [(&str, &str, &str, bool); 5] = [
    ("none-identity", "No identity", "{\n\ttype: 'None'\n}", true),
    ("system-assigned-identity", "Identity assigned by the system", "{\n\ttype: 'SystemAssigned'\n}", false),
    (
        "user-assigned-identity",
        "Identity assigned by the user",
        "{\n\ttype: 'UserAssigned'\n\tuserAssignedIdentities: {\n\t\t'${${0:identityId}}': {}\n\t}\n}",
        true,
    ),
    (
        "user-assigned-identity-array",
        "Identities assigned by the user, from an array",
        "{\n\ttype: 'UserAssigned'\n\tuserAssignedIdentities: toObject(${0:identityIds}, id => id, id => {})\n}",
        true,
    ),
    (
        "user-and-system-assigned-identity",
        "Identities assigned by the user and by the system",
        "{\n\ttype: 'SystemAssigned,UserAssigned'\n\tuserAssignedIdentities: {\n\t\t'${${0:identityId}}': {}\n\t}\n}",
        false,
    ),
];

/// The statement whose property `identity` is being written.
pub(super) fn identity_property<'a>(place: &CompletionPlace<'a>) -> Option<Node<'a>> {
    let PlaceKind::Value(ValueSlot::Node(value)) = place.kind else { return None };
    let property = Property::cast(value.parent()?)?;
    (property.key_text()? == "identity").then_some(())?;
    let body = property.syntax().parent().and_then(Object::cast)?.syntax();
    let mut around =
        body.ancestors().skip_while(|node| matches!(node.kind(), SyntaxKind::If | SyntaxKind::For));
    around.next().filter(|node| matches!(node.kind(), SyntaxKind::Resource | SyntaxKind::Module))
}

pub(super) fn offer(place: &CompletionPlace<'_>, statement: Node<'_>, items: &mut Vec<CompletionItem>) {
    let is_resource = statement.kind() == SyntaxKind::Resource;
    let forms = FORMS.iter().filter(|(.., in_modules)| is_resource || *in_modules);
    items.extend(forms.map(|(label, detail, text, _)| {
        let item = CompletionItem::new(CompletionKind::Snippet, *label, place.replaced);
        item.detail(*detail).snippet(*text).preselected()
    }));
}
