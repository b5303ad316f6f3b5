//! A parameter file to start from: the parameters of a Bicep file come in; the same names with their defaults, or with
//! values that stand for what has to be filled in, go out.

use bicep_sema::{FileId, Model, Program, SymbolKind};
use bicep_syntax::ast::{self, Expr};
use bicep_types::ty::{Kind, ObjectType, Type};
use serde_json::{Map, Value as Json, json};

use crate::decorators::argument;
use crate::literal::{literal, quoted};

const SCHEMA: &str = "https://schema.management.azure.com/schemas/2015-01-01/deploymentParameters.json#";

/// Nesting beyond which nothing is filled in: a type may contain itself.
const MAX_DEPTH: usize = 16;

/// Which parameters a new file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Included {
    /// Those without a default.
    Required,
    All,
}

/// A parameter with what it starts with.
#[derive(Debug)]
pub struct Placeholder {
    pub name: String,
    /// Its default, or a value that stands for one of its type.
    pub value: Json,
    /// The default as written, where it has to be computed.
    pub computed: Option<String>,
}

/// The parameters of a Bicep file, in the order of declaration.
pub fn placeholders(program: &Program<'_>, file: FileId, included: Included) -> Vec<Placeholder> {
    let (Some(bicep), Some(model)) = (program.bicep(file), program.model(file)) else { return Vec::new() };
    let mut found = Vec::new();
    for (id, symbol) in model.symbols().filter(|(_, symbol)| symbol.kind == SymbolKind::Param) {
        let Some(name) = symbol.name.as_ref().map(ToString::to_string) else { continue };
        let Some(param) = ast::Param::cast(bicep.tree().node(symbol.declaration)) else { continue };
        let default = param.default().map(ast::ParamDefault::value);
        if default.is_some() && included == Included::Required {
            continue;
        }
        let computed = default.filter(|default| constant(*default).is_none());
        let value = default.and_then(constant).or_else(|| allowed(model, param)).unwrap_or_else(|| {
            let ty = model.declared_type(id).cloned().unwrap_or_else(Type::any);
            of_type(&ty, 0)
        });
        let computed = computed.map(|default| default.syntax().text().to_string());
        found.push(Placeholder { name, value, computed });
    }
    found
}

/// The file in JSON. What an existing one says about these parameters is kept.
pub fn placeholder_document(placeholders: &[Placeholder], existing: Option<&Json>) -> Json {
    let version = existing.and_then(|it| it.get("contentVersion")).and_then(Json::as_str);
    let mut document = Map::new();
    document.insert("$schema".to_owned(), SCHEMA.into());
    document.insert("contentVersion".to_owned(), version.unwrap_or("1.0.0.0").into());
    let mut parameters = Map::new();
    for placeholder in placeholders {
        let mut parameter = json!({ "value": placeholder.value });
        if let Some(old) = existing.and_then(|it| it.get("parameters")?.get(&placeholder.name)) {
            merge(&mut parameter, old);
        }
        parameters.insert(placeholder.name.clone(), parameter);
    }
    if !parameters.is_empty() {
        document.insert("parameters".to_owned(), parameters.into());
    }
    document.into()
}

/// The file in the language, for a template at this path. It is not laid out yet.
pub fn placeholder_text(placeholders: &[Placeholder], template: &str) -> String {
    let mut text = format!("using {}\n\n", quoted(template));
    for Placeholder { name, value, computed } in placeholders {
        let value = match computed {
            None => literal(value),
            // A comment must not end inside of it.
            Some(computed) => {
                let computed = computed.replace("*/", "* /");
                format!("/* TODO: give a value; the default is computed: {computed} */")
            }
        };
        text.push_str(&format!("param {name} = {value}\n"));
    }
    text
}

/// Puts what is there into what is new: values over values, members among members, items after items.
fn merge(new: &mut Json, old: &Json) {
    match (new, old) {
        (_, Json::Null) => {}
        (Json::Object(new), Json::Object(old)) => {
            for (name, value) in old {
                match new.get_mut(name) {
                    Some(member) => merge(member, value),
                    None => {
                        new.insert(name.clone(), value.clone());
                    }
                }
            }
        }
        (Json::Array(new), Json::Array(old)) => {
            for item in old {
                if !new.contains(item) {
                    new.push(item.clone());
                }
            }
        }
        (new, old) => *new = old.clone(),
    }
}

/// The value of an expression that has nothing to compute.
fn constant(expr: Expr<'_>) -> Option<Json> {
    base::recurse(|| match expr {
        Expr::Paren(paren) => constant(paren.value()),
        Expr::Str(text) => text.value().map(Json::String),
        Expr::IntLiteral(literal) => Some(literal.value().into()),
        Expr::BoolLiteral(literal) => Some(literal.value().into()),
        Expr::NullLiteral(_) => Some(Json::Null),
        Expr::Unary(unary) => match unary.operand() {
            Expr::IntLiteral(literal) if unary.syntax().text().starts_with('-') => {
                0_i64.checked_sub_unsigned(literal.value()).map(Json::from)
            }
            _ => None,
        },
        Expr::Array(array) => {
            let items = array.items().map(|item| constant(ast::ArrayItem::cast(item)?.value()));
            items.collect::<Option<Vec<_>>>().map(Json::Array)
        }
        Expr::Object(object) => {
            let members = object.syntax().children().map(|child| {
                let property = ast::Property::cast(child)?;
                Some((property.key_text()?.into_owned(), constant(property.value())?))
            });
            members.collect::<Option<Map<_, _>>>().map(Json::Object)
        }
        _ => None,
    })
}

/// The first value that a parameter takes at all.
fn allowed(model: &Model, param: ast::Param<'_>) -> Option<Json> {
    match constant(argument(model, param.syntax(), "allowed")?)? {
        Json::Array(items) => items.into_iter().next(),
        _ => None,
    }
}

/// A value that stands for one of this type.
fn of_type(ty: &Type, depth: usize) -> Json {
    if depth > MAX_DEPTH {
        return json!({});
    }
    match ty.kind() {
        Kind::Bool => false.into(),
        Kind::Int(range) => match (range.min, range.max) {
            (Some(min), _) if min > 0 => min.into(),
            (_, Some(max)) if max < 0 => max.into(),
            _ => 0.into(),
        },
        Kind::BoolLiteral(value) => (*value).into(),
        Kind::IntLiteral(value) => (*value).into(),
        Kind::StringLiteral(value) => value.as_str().into(),
        Kind::Array(_) => json!([]),
        Kind::Tuple(tuple) => tuple.items.iter().map(|item| of_type(item, depth + 1)).collect(),
        Kind::Object(object) => of_object(object, depth),
        Kind::Discriminated(types) => {
            types.objects().next().map_or_else(|| json!({}), |(_, object)| of_object(object, depth))
        }
        Kind::Union(_) if ty.is_nullable() => Json::Null,
        Kind::Union(members) => members.first().map_or(Json::Null, |member| of_type(member, depth + 1)),
        _ => "".into(),
    }
}

fn of_object(object: &ObjectType, depth: usize) -> Json {
    let members = object.properties.iter().filter(|(_, property)| property.is_required());
    Json::Object(members.map(|(name, it)| (name.to_string(), of_type(&it.ty, depth + 1))).collect())
}
