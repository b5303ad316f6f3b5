//! Parameters, variables, outputs, types and functions in the template.

use bicep_sema::imports::{Imported, Origin};
use bicep_sema::{SymbolId, SymbolKind};
use bicep_syntax::ast::{self, Expr, Statement};

use crate::context::Context;
use crate::culture;
use crate::decorators::{apply_to_type, argument, description, merge_metadata};
use crate::imported;
use crate::translate::{LOCAL_NAMESPACE, Translator};
use crate::tree::{Name, Object, Tree};
use crate::types::{decorated_schema, discriminator_of, schema};
use crate::value::{Member, Value, merge};
use crate::write;

/// The parameters of a file.
pub(crate) fn parameters(cx: &Context<'_>) -> Object {
    let translator = Translator::new(cx);
    let mut all = Object::new();
    for statement in cx.tree().file().statements() {
        let Statement::Param(param) = statement else { continue };
        let holder = param.syntax();
        let discriminator = discriminator_of(&translator, holder);
        let mut members = schema(&translator, param.ty(), discriminator.as_deref());
        if let Some(default) = param.default() {
            merge(&mut members, "defaultValue", translator.value(default.value()));
        }
        if let Some(values) = argument(cx.model, holder, "allowed") {
            merge(&mut members, "allowedValues", translator.value(values));
        }
        apply_to_type(&translator, holder, false, &mut members);
        all.put_at(name_of(param.name()), plain(&translator, members), Some(param.range()));
    }
    all
}

/// The outputs of a file.
pub(crate) fn outputs(cx: &Context<'_>) -> Object {
    let translator = Translator::new(cx);
    let mut all = Object::new();
    for statement in cx.tree().file().statements() {
        let Statement::Output(output) = statement else { continue };
        let members = decorated_schema(&translator, output.ty(), output.syntax());
        let mut object = plain(&translator, members);
        match translator.value(output.value()) {
            Value::Loop(each) => object.put("copy", write::copy(&translator, None, *each)),
            value if matches!(output.ty(), ast::TypeExpr::ResourceType(_)) => {
                object.put("value", write::value(&translator, translator.id_of(value)));
            }
            value => object.put("value", write::value(&translator, value)),
        }
        all.put_at(name_of(output.name()), object, Some(output.range()));
    }
    all
}

/// The assertions of a file.
pub(crate) fn asserts(cx: &Context<'_>) -> Object {
    let translator = Translator::new(cx);
    let mut all = Object::new();
    for statement in cx.tree().file().statements() {
        let Statement::Assert(assert) = statement else { continue };
        let value = write::value(&translator, translator.value(assert.value()));
        all.put_at(key(name_of(assert.name())), value, Some(assert.range()));
    }
    all
}

/// The variables of a file: results of calls first, then its own, then imported ones; loops before all of them.
pub(crate) fn variables(cx: &Context<'_>) -> Object {
    let translator = Translator::new(cx);
    let mut copies: Vec<Tree> = Vec::new();
    let mut others = Object::new();
    for (name, call) in cx.constants.sorted() {
        let value = cx.constant(cx.tree().node(call)).unwrap_or(Value::Null);
        others.put_at(name, write::value(&translator, value), Some(cx.tree().node(call).range()));
    }
    for statement in cx.tree().file().statements() {
        let Statement::Var(variable) = statement else { continue };
        let is_inlined = cx.model.declared(variable.syntax().id()).is_none_or(|it| cx.is_inlined(it));
        if is_inlined {
            continue;
        }
        let name = name_of(variable.name());
        match translator.value(variable.value()) {
            Value::Loop(each) => copies.push(write::copy(&translator, Some(&name), *each).into()),
            value => others.put_at(key(name), write::value(&translator, value), Some(variable.range())),
        }
    }
    for (name, variable) in imported::variables(cx) {
        match variable {
            imported::Variable::Loop(copy) => copies.push(copy.into()),
            imported::Variable::Value(value) => others.put(key(name), value),
        }
    }
    let mut all = Object::new();
    if !copies.is_empty() {
        all.put("copy", Tree::Array(copies));
    }
    all.extend(others);
    all
}

/// The types of a file: its own, then imported ones.
pub(crate) fn definitions(cx: &Context<'_>) -> Object {
    let mut all = Object::new();
    for statement in cx.tree().file().statements() {
        let Statement::TypeDeclaration(declaration) = statement else { continue };
        let Some(symbol) = cx.model.declared(declaration.syntax().id()) else { continue };
        let object = definition(cx, symbol, true, None);
        all.put_at(name_of(declaration.name()), object, Some(declaration.range()));
    }
    for (name, object) in imported::definitions(cx) {
        all.put(name, object);
    }
    all
}

/// A declared type; taken over into another file, it is not exported again and says where it comes from.
pub(crate) fn definition(
    cx: &Context<'_>,
    symbol: SymbolId,
    is_exportable: bool,
    origin: Option<&Imported>,
) -> Object {
    let translator = Translator::new(cx);
    let Some(declaration) = ast::TypeDeclaration::cast(cx.declaration(symbol)) else { return Object::new() };
    let discriminator = discriminator_of(&translator, declaration.syntax());
    let mut members = schema(&translator, declaration.value(), discriminator.as_deref());
    apply_to_type(&translator, declaration.syntax(), is_exportable, &mut members);
    if let Some(origin) = origin {
        merge_metadata(&mut members, IMPORTED_FROM, imported_from(origin, true));
    }
    plain(&translator, members)
}

/// The functions of a file by namespace: its own, then imported ones.
pub(crate) fn functions(cx: &Context<'_>) -> Vec<Tree> {
    let mut namespaces: Vec<(String, Object)> = Vec::new();
    let mut add = |namespace: &str, name: &str, function: Object, range| {
        let index = namespaces.iter().position(|(known, _)| known == namespace).unwrap_or_else(|| {
            namespaces.push((namespace.to_owned(), Object::new()));
            namespaces.len() - 1
        });
        if let Some((_, members)) = namespaces.get_mut(index) {
            members.put_at(name, function, range);
        }
    };
    for statement in cx.tree().file().statements() {
        let Statement::Func(declaration) = statement else { continue };
        let Some(symbol) = cx.model.declared(declaration.syntax().id()) else { continue };
        let name = name_of(declaration.name());
        add(LOCAL_NAMESPACE, &name, function(cx, symbol, None), Some(declaration.range()));
    }
    for (name, function) in imported::functions(cx) {
        let (namespace, name) = name.split_once('.').unwrap_or((LOCAL_NAMESPACE, &name));
        add(namespace, name, function, None);
    }
    let namespace = |(name, members): (String, Object)| {
        let mut object = Object::new();
        object.put("namespace", name);
        object.put("members", members);
        object.into()
    };
    namespaces.into_iter().map(namespace).collect()
}

/// A function; taken over into another file, it is not exported again and says where it comes from.
pub(crate) fn function(cx: &Context<'_>, symbol: SymbolId, origin: Option<&Imported>) -> Object {
    let translator = Translator::new(cx);
    let mut object = Object::new();
    let Some(declaration) = ast::Func::cast(cx.declaration(symbol)) else { return object };
    let Some(lambda) = declaration.lambda() else { return object };
    let parameters = lambda.parameters().map(|parameter| {
        let mut members = schema(&translator, parameter.ty(), None);
        merge(&mut members, "name", Value::text(name_of(parameter.name())));
        plain(&translator, members).into()
    });
    object.put("parameters", parameters.collect::<Tree>());
    let mut output = schema(&translator, lambda.return_type(), None);
    merge(&mut output, "value", translator.value(lambda.body()));
    object.put("output", plain(&translator, output));
    let mut metadata = Vec::new();
    if let Some(description) = description(&translator, declaration.syntax()) {
        metadata.push(Member::new("description", description));
    }
    if origin.is_none() && cx.model.decorator(declaration.syntax(), "export").is_some() {
        metadata.push(Member::new("__bicep_export!", Value::Bool(true)));
    }
    if let Some(origin) = origin {
        metadata.push(Member::new(IMPORTED_FROM, imported_from(origin, false)));
    }
    object.put_filled("metadata", plain(&translator, metadata));
    object
}

/// The entry of `metadata` that says where something comes from.
pub(crate) const IMPORTED_FROM: &str = "__bicep_imported_from!";

/// Where something comes from. The original name is said where it cannot be told from the new one.
pub(crate) fn imported_from(origin: &Imported, is_type: bool) -> Value {
    let is_renamed = if is_type {
        !origin.name.ends_with(&origin.original)
    } else {
        origin.name.rsplit_once('.').map_or(origin.name.as_str(), |(_, name)| name) != origin.original
    };
    let source = ("sourceTemplate", Value::text(origin.template.as_str()));
    let original = is_renamed.then(|| ("originalIdentifier", Value::text(origin.original.as_str())));
    Value::object([source].into_iter().chain(original))
}

/// The exported variables of a file, as its metadata lists them.
pub(crate) fn exported_variables(cx: &Context<'_>) -> Vec<Tree> {
    let translator = Translator::new(cx);
    let mut exported: Vec<(String, Object)> = Vec::new();
    for statement in cx.tree().file().statements() {
        let Statement::Var(variable) = statement else { continue };
        if cx.model.decorator(variable.syntax(), "export").is_none() {
            continue;
        }
        let name = name_of(variable.name());
        let mut object = Object::new();
        object.put("name", name.as_str());
        if let Some(description) = description(&translator, variable.syntax()) {
            object.put("description", write::value(&translator, description));
        }
        if let Some(ty) = variable.ty() {
            object.put("type", plain(&translator, schema(&translator, ty, None)));
        }
        exported.push((name, object));
    }
    exported.sort_by(|(a, _), (b, _)| a.cmp(b));
    exported.into_iter().map(|(_, object)| object.into()).collect()
}

/// Members as they stand in a template, without looking for loops.
pub(crate) fn plain(translator: &Translator<'_, '_>, members: Vec<Member>) -> Object {
    write::members(translator, members)
}

/// Imported things of one kind, ordered by their names.
pub(crate) fn sorted<T>(mut named: Vec<(String, T)>) -> Vec<(String, T)> {
    let own = |name: &str| name.to_owned();
    named.sort_by(|(a, _), (b, _)| culture::compare(&own(a), &own(b)));
    named
}

/// What kind of declaration something imported is.
pub(crate) fn kind_of(cx: &Context<'_>, imported: &Imported) -> Option<SymbolKind> {
    match imported.origin {
        Origin::Symbol(file, symbol) => Some(cx.program.model(file)?.symbol(symbol).kind),
        _ => None,
    }
}

fn name_of(name: Option<ast::Name<'_>>) -> String {
    name.and_then(ast::Name::text).unwrap_or_default().to_owned()
}

fn key(name: String) -> Name {
    write::key(&crate::value::Key::Name(name))
}

/// Metadata statements of a file.
pub(crate) fn metadata(cx: &Context<'_>) -> Object {
    let translator = Translator::new(cx);
    let mut all = Object::new();
    for statement in cx.tree().file().statements() {
        let Statement::Metadata(metadata) = statement else { continue };
        let value: Expr<'_> = metadata.value();
        let value = write::value(&translator, translator.value(value));
        all.put_at(key(name_of(metadata.name())), value, Some(metadata.range()));
    }
    all
}
