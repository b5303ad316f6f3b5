//! Resources in the template.

use bicep_sema::SymbolId;
use bicep_sema::decorator::arguments;
use bicep_sema::deployment_scope::DeploymentScope;
use bicep_sema::resource::Resource;
use bicep_syntax::Node;
use bicep_syntax::ast::{self, Expr};
use bicep_types::ty::Scopes;

use crate::context::Context;
use crate::decorators::{argument, description};
use crate::depends_on::depends_on;
use crate::translate::Translator;
use crate::tree::{Object, Tree};
use crate::value::Value;
use crate::write;

/// Properties of Azure's resources that have their own places in a template.
const AZURE_OMITTED: [&str; 4] = ["name", "scope", "parent", "dependsOn"];
const OTHERS_OMITTED: [&str; 1] = ["dependsOn"];

pub(crate) fn resource(cx: &Context<'_>, resource: &Resource) -> Object {
    let translator = Translator::new(cx);
    let mut object = Object::new();
    let Some(statement) = cx.resource_statement(resource) else { return object };
    if let Some(copy) = resource_copy(&translator, resource) {
        object.put("copy", copy);
    }
    if let Some(condition) = translator.resource_condition(resource) {
        object.put("condition", write::value(&translator, condition));
    }
    if cx.mode.is_symbolic && resource.is_existing {
        object.put("existing", true);
    }
    if let Some(alias) = cx.extension_of(resource) {
        object.put(if cx.mode.has_extension_configs { "extension" } else { "import" }, alias);
    }
    object.extend(options(&translator, statement));
    object.extend(type_and_version(cx, resource));
    object.extend(resource_scope(&translator, resource));
    let body = statement.body();
    if resource.is_azure {
        object.put("name", translator.full_name(resource).to_text_node());
        let members = body.map(|body| translator.members(body, &AZURE_OMITTED)).unwrap_or_default();
        object.extend(write::members(&translator, members));
    } else {
        let members = body.map(|body| translator.members(body, &OTHERS_OMITTED)).unwrap_or_default();
        object.put("properties", write::members(&translator, members));
    }
    finish(&translator, resource.symbol, &mut object);
    object
}

/// What comes last in resources and modules.
pub(crate) fn finish(translator: &Translator<'_, '_>, symbol: SymbolId, object: &mut Object) {
    let cx = translator.cx;
    let needs: Vec<Tree> =
        depends_on(cx, symbol).into_iter().map(|code| code.to_text_node().into()).collect();
    if !needs.is_empty() {
        object.put("dependsOn", Tree::Array(needs));
    }
    if let Some(description) = description(translator, cx.declaration(symbol)) {
        let metadata = Value::object([("description", description)]);
        object.put("metadata", write::value(translator, metadata));
    }
}

/// The loop of a resource: its own, or that of the resource it is nested in.
fn resource_copy(translator: &Translator<'_, '_>, resource: &Resource) -> Option<Object> {
    let cx = translator.cx;
    let outer = cx.resources.ancestors(resource).into_iter().filter(|(_, link)| link.is_nested);
    let looped = outer.map(|(ancestor, _)| ancestor).chain([resource]).find(|it| it.is_collection)?;
    let Expr::For(each) = cx.resource_statement(looped)?.value() else { return None };
    let name = cx.symbolic_name(looped.symbol);
    Some(copy(translator, &name, each, cx.declaration(resource.symbol)))
}

/// A loop that makes resources or modules.
pub(crate) fn copy<'p>(
    translator: &Translator<'_, 'p>,
    name: &str,
    each: ast::For<'p>,
    holder: Node<'p>,
) -> Object {
    let mut copy = write::copy_head(translator, Some(name), translator.value(each.source()));
    if let Some(Expr::IntLiteral(size)) = argument(translator.cx.model, holder, "batchSize") {
        copy.put("mode", "serial");
        copy.put("batchSize", size.value());
    }
    copy
}

/// What decorators say about how a resource is deployed.
fn options<'p>(translator: &Translator<'_, 'p>, statement: ast::Resource<'p>) -> Object {
    let decorator = |name| translator.cx.model.decorator(statement.syntax(), name);
    let mut options = Object::new();
    for name in ["waitUntil", "retryOn", "onlyIfNotExists", "nullIfNotFound"] {
        if let Some(decorator) = decorator(name) {
            let items = arguments(decorator).map(|it| write::value(translator, translator.value(it)));
            options.put(name, items.collect::<Tree>());
        }
    }
    let mut object = Object::new();
    object.put_filled("@options", options);
    if decorator("patch").is_some() {
        object.put("method", "PATCH");
    }
    object
}

fn type_and_version(cx: &Context<'_>, resource: &Resource) -> Object {
    let mut object = Object::new();
    if resource.is_azure || cx.mode.has_extension_configs {
        object.put("type", resource.reference.name().as_str());
        if let Some(version) = resource.reference.version() {
            object.put("apiVersion", version.as_str());
        }
    } else {
        object.put("type", resource.reference.to_string());
    }
    object
}

/// Where a resource is deployed. A child is deployed where its oldest ancestor is.
fn resource_scope(translator: &Translator<'_, '_>, resource: &Resource) -> Object {
    let cx = translator.cx;
    if !resource.is_azure {
        return Object::new();
    }
    let (place, at) = translator.resource_place(resource);
    if let Some(extended) = place.resource.and_then(|symbol| cx.resources.get(symbol)) {
        let mut object = Object::new();
        object.put("scope", at.at_place(&place).resource_id(extended).to_text_node());
        return object;
    }
    scope_properties(&at, &place)
}

/// The properties that say where a resource or module is deployed.
pub(crate) fn scope_properties(translator: &Translator<'_, '_>, place: &DeploymentScope) -> Object {
    let cx = translator.cx;
    let target = cx.target_scope();
    let at = translator.at_place(place);
    let mut object = Object::new();
    match place.kind {
        Scopes::TENANT if target != Scopes::TENANT => object.put("scope", "/"),
        Scopes::MANAGEMENT_GROUP => {
            if let Some(name) = place.management_group {
                let is_above = matches!(target, Scopes::TENANT | Scopes::MANAGEMENT_GROUP);
                object.put("scope", at.management_group_id(name, !is_above).to_text_node());
            }
        }
        Scopes::SUBSCRIPTION => match place.subscription {
            Some(id) => object.put("subscriptionId", write::value(translator, translator.value(cx.expr(id)))),
            None if target == Scopes::RESOURCE_GROUP => {
                object.put("subscriptionId", "[subscription().subscriptionId]");
            }
            None => {}
        },
        Scopes::RESOURCE_GROUP => {
            if let Some(id) = place.subscription {
                object.put("subscriptionId", at.code(cx.expr(id)).to_text_node());
            }
            if let Some(name) = place.resource_group {
                object.put("resourceGroup", at.code(cx.expr(name)).to_text_node());
            }
        }
        _ => {}
    }
    object
}
