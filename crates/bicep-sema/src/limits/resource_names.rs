//! Names of resources that have too many or too few parts for their types.

use bicep_syntax::ast::{self, Expr};

use super::Limits;
use crate::messages::limits as messages;
use crate::resource::Resource;

pub(super) fn check(ctx: &mut Limits<'_>) {
    let resources: Vec<&Resource> = ctx.deployed().filter(|it| ctx.is_azure(it.symbol)).collect();
    for resource in resources {
        let body = ctx.statement(resource).and_then(ast::Resource::body);
        let Some(Expr::Str(name)) =
            body.and_then(|body| body.last_property("name")).map(ast::Property::value)
        else {
            continue;
        };
        let slashes: usize = name.segment_values().iter().map(|text| text.matches('/').count()).sum();
        if resource.parent.is_some() {
            if slashes > 0 {
                ctx.report(messages::child_name_has_parts(name.range()));
            }
            continue;
        }
        // The type has one part more than the name: the provider.
        let expected = resource.reference.segment_count().saturating_sub(2);
        // An expression may bring further parts.
        let is_wrong = if name.is_interpolated() { slashes > expected } else { slashes != expected };
        if is_wrong {
            ctx.report(messages::name_parts(name.range(), expected + 1));
        }
    }
}
