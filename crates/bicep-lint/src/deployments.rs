//! Nested deployments: resources of the type `Microsoft.Resources/deployments` with a template in them.

use bicep_sema::SymbolKind;
use bicep_syntax::ast::{self, Expr, Object, Statement};
use bicep_syntax::{Node, SyntaxKind};
use config::Feature;

use crate::View;
use crate::resources::property_ignoring_case;

/// The type of nested deployments.
pub const TYPE: &str = "Microsoft.Resources/deployments";

/// Whether resources have symbolic names in the template of the file. Nested templates are then evaluated on their
/// own by default.
pub fn has_symbolic_names(view: &View<'_, '_>) -> bool {
    const FEATURES: [Feature; 10] = [
        Feature::SymbolicNameCodegen,
        Feature::ResourceInfoCodegen,
        Feature::Assertions,
        Feature::WaitUntil,
        Feature::LocalDeploy,
        Feature::ModuleExtensionConfigs,
        Feature::UserDefinedConstraints,
        Feature::DeployCommands,
        Feature::RuntimeValuesInTagsAndSku,
        Feature::AzExtensionConfig,
    ];
    FEATURES.iter().any(|feature| view.bicep.config.has(*feature))
        || view.tree().file().statements().any(|statement| needs_symbolic_names(view, statement))
        || view.tree().nodes().any(|node| has_second_version_syntax(view, node))
}

fn needs_symbolic_names(view: &View<'_, '_>, statement: Statement<'_>) -> bool {
    let decorated = |name| view.decorator(statement.syntax(), name).is_some();
    match statement {
        Statement::Extension(_) | Statement::TypeDeclaration(_) | Statement::Func(_) => true,
        Statement::Import(import) => import.imported().is_some(),
        Statement::Var(variable) => variable.ty().is_some(),
        Statement::Output(_) => decorated("secure"),
        Statement::Module(module) => module.body().is_none_or(|body| body.property("name").is_none()),
        Statement::Resource(_) => decorated("retryOn"),
        _ => false,
    }
}

fn has_second_version_syntax(view: &View<'_, '_>, node: Node<'_>) -> bool {
    match node.kind() {
        SyntaxKind::ObjectType
        | SyntaxKind::ArrayType
        | SyntaxKind::TupleType
        | SyntaxKind::UnionType
        | SyntaxKind::NullableType => true,
        SyntaxKind::Resource => ast::Resource::cast(node).is_some_and(|resource| {
            let depends = resource.body().is_some_and(|body| body.property("dependsOn").is_some());
            resource.existing().is_some() && depends
                || ["onlyIfNotExists", "nullIfNotFound"]
                    .iter()
                    .any(|name| view.decorator(node, name).is_some())
        }),
        SyntaxKind::VarAccess => {
            view.referenced(node).is_some_and(|(_, symbol)| symbol.kind == SymbolKind::This)
                || is_whole_collection(view, node)
        }
        _ => false,
    }
}

/// Whether a node means all the resources or modules of a loop at once.
fn is_whole_collection(view: &View<'_, '_>, node: Node<'_>) -> bool {
    let Some((_, symbol)) = view.referenced(node) else { return false };
    let declaration = view.declaration(symbol);
    let value = match symbol.kind {
        SymbolKind::Resource => ast::Resource::cast(declaration).map(ast::Resource::value),
        SymbolKind::Module => ast::Module::cast(declaration).map(ast::Module::value),
        _ => None,
    };
    let around = node.ancestors().find(|outer| outer.kind() != SyntaxKind::Paren).map(Node::kind);
    let is_accessed = matches!(around, Some(SyntaxKind::Index | SyntaxKind::PropertyAccess));
    matches!(value, Some(Expr::For(_))) && !is_accessed && !is_in_depends_on(node)
}

fn is_in_depends_on(node: Node<'_>) -> bool {
    let properties = node.ancestors().filter_map(ast::Property::cast);
    properties.into_iter().any(|it| it.key_text().as_deref() == Some("dependsOn"))
}

/// What the properties of a nested deployment say about where its template is evaluated.
pub fn evaluation_scope(properties: Object<'_>) -> Option<Expr<'_>> {
    let options = property_ignoring_case(properties, "expressionEvaluationOptions")?;
    let Expr::Object(options) = options.value() else { return None };
    Some(property_ignoring_case(options, "scope")?.value())
}
