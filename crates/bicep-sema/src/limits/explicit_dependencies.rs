//! `dependsOn` of, and on, existing resources that the template does not contain, because their names are only known
//! while it is deployed.

use bicep_syntax::SyntaxKind;
use bicep_syntax::ast::Resource;

use super::Limits;
use crate::messages::limits as messages;

pub(super) fn check(ctx: &mut Limits<'_>) {
    // The reference does not look at nested resources here.
    let statements = ctx.tree().file().statements();
    for resource in statements.filter_map(|statement| Resource::cast(statement.syntax())) {
        let Some(depends_on) = resource.body().and_then(|body| body.property("dependsOn")) else {
            continue;
        };
        let Some(symbol) = ctx.model.declared(resource.syntax().id()) else { continue };
        if ctx.model.inlined().contains(symbol) {
            ctx.report(messages::inlined_with_dependencies(depends_on.range(), ctx.name(symbol)));
            continue;
        }
        let uses = depends_on.value().syntax().descendants();
        for node in uses.filter(|it| it.kind() == SyntaxKind::VarAccess) {
            let target =
                ctx.model.bindings().symbol(node).filter(|target| ctx.model.inlined().contains(*target));
            if let Some(target) = target {
                ctx.report(messages::dependency_on_inlined(node.range(), ctx.name(symbol), ctx.name(target)));
            }
        }
    }
}
