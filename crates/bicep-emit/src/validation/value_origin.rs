//! From a part of a value to the expression that gives it.

use std::borrow::Cow;

use arm::Step;
use base::TextRange;
use bicep_syntax::ast::{self, Expr};

/// The place of a part of a value: as far as the way to it is written out.
pub(super) fn range_of(value: Expr<'_>, steps: &[&Step]) -> TextRange {
    let mut at = unwrapped(value);
    for step in steps {
        match part(at, step) {
            Some(inner) => at = unwrapped(inner),
            None => break,
        }
    }
    at.range()
}

fn part<'t>(value: Expr<'t>, step: &Step) -> Option<Expr<'t>> {
    match (value, step) {
        (Expr::Object(object), Step::Key(key)) => {
            let mut properties = object.properties();
            let is_it = |name: Cow<'_, str>| json::eq_ignore_case(&name, key);
            properties.find(|it| it.key_text().is_some_and(is_it)).map(ast::Property::value)
        }
        (Expr::Array(array), Step::Index(index)) => {
            // Behind something that is spread, positions are not those of the text.
            let mut items = array.items().take(index + 1).map(ast::ArrayItem::cast);
            items.by_ref().take(*index).all(|item| item.is_some()).then_some(())?;
            items.next()?.map(ast::ArrayItem::value)
        }
        _ => None,
    }
}

fn unwrapped(mut value: Expr<'_>) -> Expr<'_> {
    while let Expr::Paren(paren) = value {
        value = paren.value();
    }
    value
}
