//! What is expected of the values written in an object, by the type of the object.

use bicep_syntax::ast::{ArrayItem, Expr, Object, Property};
use bicep_types::{Kind, Type};

use crate::View;
use crate::known::string_value;

/// The type that a property of an object should have.
pub fn property_type(view: &View<'_, '_>, expected: &Type, object: Object<'_>, name: &str) -> Option<Type> {
    match expected.remove_null().kind() {
        Kind::Object(ty) => ty.property(name).map(|property| property.ty.clone()),
        Kind::Discriminated(ty) => {
            let chosen = string_value(view, object.property(&ty.discriminator)?.value())?;
            property_type(view, ty.members.get(chosen.as_str())?, object, name)
        }
        _ => None,
    }
}

/// The properties in and under an object, each with the type that its value should have.
pub fn expected_types<'t>(
    view: &View<'_, '_>,
    expected: &Type,
    object: Object<'t>,
) -> Vec<(Property<'t>, Type)> {
    let mut found = Vec::new();
    let mut open: Vec<(Expr<'t>, Type)> = vec![(Expr::Object(object), expected.clone())];
    while let Some((value, ty)) = open.pop() {
        match value {
            Expr::Object(object) => {
                for property in object.properties() {
                    let Some(name) = property.key_text() else { continue };
                    let Some(ty) = property_type(view, &ty, object, &name) else { continue };
                    open.push((property.value(), ty.clone()));
                    found.push((property, ty));
                }
            }
            Expr::Array(array) => {
                let ty = ty.remove_null();
                let Some(item) = ty.item() else { continue };
                let values = array.items().filter_map(ArrayItem::cast).map(ArrayItem::value);
                open.extend(values.map(|value| (value, item.clone())));
            }
            Expr::For(each) => {
                if let Some(item) = ty.remove_null().item() {
                    open.push((each.body(), item.clone()));
                }
            }
            Expr::Paren(paren) => open.push((paren.value(), ty)),
            Expr::Ternary(ternary) => {
                open.extend([(ternary.if_true(), ty.clone()), (ternary.if_false(), ty)]);
            }
            _ => {}
        }
    }
    found
}
