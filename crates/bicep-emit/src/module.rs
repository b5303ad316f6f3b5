//! Modules in the template: deployments within the deployment.

use bicep_sema::module::Module;
use bicep_sema::{Binding, SymbolKind, Unit};
use bicep_syntax::ast::{self, Expr};
use bicep_types::ty::{Kind, Scopes};

use crate::Emitter;
use crate::code::Code;
use crate::context::Context;
use crate::resource::{copy, finish, scope_properties};
use crate::translate::{DEPLOYMENT_API, DEPLOYMENT_TYPE, Translator, condition_of};
use crate::tree::{Name, Object, Tree};
use crate::value::{Key, Value};
use crate::write;

/// Properties of modules that have their own places in a template.
const OMITTED: [&str; 5] = ["name", "params", "extensionConfigs", "scope", "dependsOn"];

pub(crate) fn module<'p>(emitter: &Emitter<'p>, cx: &Context<'p>, module: &Module) -> Object {
    let translator = Translator::new(cx);
    let Some(statement) = cx.module_statement(module.symbol) else { return Object::new() };
    if cx.target_scope() == Scopes::LOCAL {
        return local_module(emitter, &translator, module, statement);
    }
    let mut object = head(&translator, module, statement);
    object.put("type", DEPLOYMENT_TYPE);
    object.put("apiVersion", DEPLOYMENT_API);
    object.extend(body(&translator, module, statement));
    let place = cx.place_of(module.symbol);
    object.extend(scope_properties(&translator, &place));
    if place.kind != Scopes::RESOURCE_GROUP {
        let is_group = cx.target_scope() == Scopes::RESOURCE_GROUP;
        let around = if is_group { "resourceGroup" } else { "deployment" };
        object.put("location", Code::call(around, []).member("location").to_text_node());
    }
    let mut properties = Object::new();
    let mut options = Object::new();
    options.put("scope", "inner");
    properties.put("expressionEvaluationOptions", options);
    properties.put("mode", "Incremental");
    properties.extend(inputs(&translator, module, statement));
    properties.extend(template(emitter, cx, module));
    object.put("properties", properties);
    finish(&translator, module.symbol, &mut object);
    object
}

/// A module of a deployment on this machine: a resource of an extension that runs templates.
fn local_module<'p>(
    emitter: &Emitter<'p>,
    translator: &Translator<'_, 'p>,
    module: &Module,
    statement: ast::Module<'p>,
) -> Object {
    let cx = translator.cx;
    let mut object = Object::new();
    object.put(if cx.mode.has_extension_configs { "extension" } else { "import" }, crate::extensions::LOCAL);
    object.extend(head(translator, module, statement));
    object.put("type", DEPLOYMENT_TYPE);
    let mut properties = Object::new();
    properties.extend(body(translator, module, statement));
    properties.extend(inputs(translator, module, statement));
    if let Some(target) = module.target {
        // Expressions inside become texts: it is not this deployment that evaluates them.
        properties.put("template", emitter.template(target).document.escaped());
        if let Unit::Bicep(bicep) = cx.program.unit(target) {
            properties.put("sourceUri", format!("file://{}", bicep.source.path()));
        }
    }
    object.put("properties", properties);
    finish(translator, module.symbol, &mut object);
    object
}

/// The loop and the condition.
fn head<'p>(translator: &Translator<'_, 'p>, module: &Module, statement: ast::Module<'p>) -> Object {
    let mut object = Object::new();
    if let Expr::For(each) = statement.value() {
        let name = translator.cx.symbolic_name(module.symbol);
        object.put("copy", copy(translator, &name, each, statement.syntax()));
    }
    if let Some(condition) = condition_of(statement.value()) {
        object.put("condition", write::value(translator, translator.value(condition.condition())));
    }
    object
}

/// What was written in the body and has no place of its own, and the name.
fn body<'p>(translator: &Translator<'_, 'p>, module: &Module, statement: ast::Module<'p>) -> Object {
    let members = statement.body().map(|body| translator.members(body, &OMITTED)).unwrap_or_default();
    let mut object = write::members(translator, members);
    let name = match translator.cx.module_property(module.symbol, "name") {
        Some(name) => translator.value(name.value()),
        None => Value::Code(translator.generated_name(module.symbol, None)),
    };
    object.put("name", write::value(translator, name));
    object
}

/// The values that are handed to the module.
fn inputs<'p>(translator: &Translator<'_, 'p>, module: &Module, statement: ast::Module<'p>) -> Object {
    let mut object = Object::new();
    let interface = translator.cx.interface(module.symbol);
    let takes_resource = |name: &str| {
        let parameter = interface.and_then(|interface| interface.parameter(name));
        parameter.is_some_and(|parameter| matches!(parameter.ty.kind(), Kind::UnresolvedResource(_)))
    };
    let property =
        |name: &str| statement.body().and_then(|body| body.property(name)).map(ast::Property::value);
    if let Some(Expr::Object(params)) = property("params") {
        object.put(
            "parameters",
            parameters(translator, params, &|name, value| parameter(translator, value, takes_resource(name))),
        );
    } else if let Some(params) = property("params")
        && let Value::Object(members) = translator.value(params)
    {
        object.put("parameters", write::members(translator, members));
    }
    if translator.cx.mode.has_extension_configs
        && let Some(Expr::Object(configs)) = property("extensionConfigs")
    {
        object.put("extensionConfigs", extension_configs(translator, configs));
    }
    object
}

/// Each value in the object that templates put around it.
fn parameters<'p>(
    translator: &Translator<'_, 'p>,
    params: ast::Object<'p>,
    wrap: &dyn Fn(&str, Expr<'p>) -> Value,
) -> Object {
    let mut object = Object::new();
    for property in params.properties() {
        let name = property.key_text().unwrap_or_default();
        let (key, value): (Name, Tree) = match property.value() {
            Expr::For(_) => {
                let mut looped = Object::new();
                if let Value::Loop(each) = translator.value(property.value()) {
                    looped.put("copy", Tree::Array(vec![write::copy_value(translator, *each).into()]));
                }
                // Only names with values that are no loops are kept from being taken for one.
                (Name::literal(&name), looped.into())
            }
            value => {
                let value = write::value(translator, wrap(&name, value));
                (write::key(&Key::Name(name.into_owned())), value)
            }
        };
        object.put_at(key, value, Some(property.range()));
    }
    object
}

/// A value for a parameter; a secret of a key vault is referred to.
fn parameter<'p>(translator: &Translator<'_, 'p>, expr: Expr<'p>, takes_resource: bool) -> Value {
    wrapped(translator, expr, &|translator, expr| match secret_reference(translator, expr) {
        Some(reference) => Value::object([("reference", reference)]),
        None if takes_resource => Value::object([("value", translator.id_of(translator.value(expr)))]),
        None => Value::object([("value", translator.value(expr))]),
    })
}

/// A value for the configuration of an extension.
fn extension_config<'p>(translator: &Translator<'_, 'p>, expr: Expr<'p>) -> Value {
    wrapped(translator, expr, &|translator, expr| {
        if is_config_of_extension(translator.cx, expr) {
            return translator.value(expr);
        }
        match secret_reference(translator, expr) {
            Some(reference) => Value::object([("keyVaultReference", reference)]),
            None => Value::object([("value", translator.value(expr))]),
        }
    })
}

/// Puts the object around a value; around both values of a choice.
fn wrapped<'p>(
    translator: &Translator<'_, 'p>,
    expr: Expr<'p>,
    wrap: &dyn Fn(&Translator<'_, 'p>, Expr<'p>) -> Value,
) -> Value {
    match expr {
        Expr::Paren(paren) => wrapped(translator, paren.value(), wrap),
        Expr::NonNull(assertion) => wrapped(translator, assertion.base(), wrap),
        Expr::VarAccess(access) => match translator.inlined_variable(access) {
            Some(value) => wrapped(translator, value, wrap),
            None => wrap(translator, expr),
        },
        Expr::Ternary(ternary) => {
            let side = |expr| translator.to_code(wrapped(translator, expr, wrap));
            let condition = translator.code(ternary.condition());
            Value::Code(Code::call("if", [condition, side(ternary.if_true()), side(ternary.if_false())]))
        }
        _ => match translator.passed_through(expr) {
            Some(argument) => wrapped(translator, argument, wrap),
            None => wrap(translator, expr),
        },
    }
}

fn secret_reference<'p>(translator: &Translator<'_, 'p>, expr: Expr<'p>) -> Option<Value> {
    let (id, call) = translator.secret(expr)?;
    let mut arguments = call.arguments().map(|argument| translator.value(argument.value()));
    let name = arguments.next().unwrap_or(Value::Null);
    let version = arguments.next().map(|version| ("secretVersion", version));
    let vault = Value::object([("id", Value::Code(id))]);
    Some(Value::object([("keyVault", vault), ("secretName", name)].into_iter().chain(version)))
}

fn extension_configs<'p>(translator: &Translator<'_, 'p>, configs: ast::Object<'p>) -> Object {
    let mut object = Object::new();
    for property in configs.properties() {
        let name = property.key_text().unwrap_or_default();
        let value: Tree = match property.value() {
            Expr::Object(config) => {
                parameters(translator, config, &|_, value| extension_config(translator, value)).into()
            }
            inherited => translator.code(inherited).to_node().into(),
        };
        object.put_at(name, value, Some(property.range()));
    }
    object
}

/// `extension.config.property`
fn is_config_of_extension(cx: &Context<'_>, expr: Expr<'_>) -> bool {
    let Expr::PropertyAccess(property) = expr else { return false };
    let Expr::PropertyAccess(config) = property.base() else { return false };
    let is_config = config.name().and_then(ast::Name::text) == Some("config");
    match cx.model.bindings().get(config.base().syntax()) {
        Some(Binding::Symbol(symbol)) => is_config && cx.model.symbol(symbol).kind == SymbolKind::Extension,
        _ => false,
    }
}

/// What the module deploys: its template, or a link to it.
fn template<'p>(emitter: &Emitter<'p>, cx: &Context<'p>, module: &Module) -> Object {
    let mut object = Object::new();
    let Some(target) = module.target else { return object };
    match cx.program.unit(target) {
        Unit::Template(file) if file.template_spec.is_some() => {
            let mut link = Object::new();
            link.put("id", file.template_spec.clone().unwrap_or_default());
            object.put("templateLink", link);
        }
        // What was fetched is not the user's to look at: its parts are where the module is.
        Unit::Template(_) if !is_local(cx, module) => {
            object.put("template", emitter.template(target).document.clone());
        }
        _ => object.put("template", Tree::Template(emitter.template(target))),
    }
    object
}

fn is_local(cx: &Context<'_>, module: &Module) -> bool {
    let statement = cx.bicep.tree().node(module.declaration);
    let target = cx.bicep.reference(statement).and_then(|target| target.as_ref().ok());
    target.is_some_and(|target| matches!(target.reference, config::reference::Reference::Local(_)))
}
