//! Nested deployments: resources of the type `Microsoft.Resources/deployments` with a template in them.

use bicep_sema::language_version::mode;
use bicep_syntax::ast::{Expr, Object};

use crate::View;
use crate::resources::property_ignoring_case;

/// The type of nested deployments.
pub const TYPE: &str = "Microsoft.Resources/deployments";

/// Whether resources have symbolic names in the template of the file. Nested templates are then evaluated on their
/// own by default.
pub fn has_symbolic_names(view: &View<'_, '_>) -> bool {
    mode(view.program, view.bicep, view.model).is_symbolic
}

/// What the properties of a nested deployment say about where its template is evaluated.
pub fn evaluation_scope(properties: Object<'_>) -> Option<Expr<'_>> {
    let options = property_ignoring_case(properties, "expressionEvaluationOptions")?;
    let Expr::Object(options) = options.value() else { return None };
    Some(property_ignoring_case(options, "scope")?.value())
}
