//! Resources against the catalogue of types: what is wrong with one, what its provider would add, what it never shows.

use std::sync::Arc;

use arm::Value;
use base::Verdict;
use bicep_types::resources::Declaration;
use bicep_types::ty::{ObjectType, Property, PropertyFlags, ResourceReference, TypeFlags};
use bicep_types::{Kind, ResourceTypes, Type};
use serde_json::{Map, Value as Json, json};

use super::ResourceTarget;
use super::assigned::made_up_id;
use crate::error::ArmError;
use crate::messages;

/// The types of Azure's resources, if they are installed.
#[derive(Clone, Default)]
pub struct Types {
    types: Option<Arc<ResourceTypes>>,
}

impl Types {
    /// Checks and completes resources by these types.
    pub fn new(types: Arc<ResourceTypes>) -> Self {
        Self { types: Some(types) }
    }

    /// The type of the body of a resource, if the catalogue knows it in this version.
    pub(crate) fn body(&self, resource_type: &str, api_version: Option<&str>) -> Option<Type> {
        let types = self.types.as_ref()?;
        let reference = ResourceReference::new(resource_type, api_version.map(Into::into));
        let resource = types.resource_type(&reference, Declaration::empty())?;
        match resource.kind() {
            Kind::Resource(resource) => Some(resource.body.clone()),
            _ => None,
        }
    }

    /// The names of the types, all or those of a namespace.
    pub(crate) fn names(&self, namespace: Option<&str>) -> Vec<String> {
        let Some(types) = &self.types else { return Vec::new() };
        let is_wanted = |name: &str| {
            let space = name.split('/').next().unwrap_or_default();
            namespace.is_none_or(|wanted| wanted.eq_ignore_ascii_case(space))
        };
        types.type_names().iter().map(ToString::to_string).filter(|name| is_wanted(name)).collect()
    }

    /// The versions of a type, the newest first.
    pub(crate) fn versions(&self, resource_type: &str) -> Vec<String> {
        let versions = self.types.as_ref().map(|types| types.versions(resource_type)).unwrap_or_default();
        let mut versions: Vec<String> = versions.iter().map(ToString::to_string).collect();
        versions.sort_by(|a, b| b.cmp(a));
        versions
    }

    /// The actions of a type in its newest version: those that templates can call.
    pub(crate) fn actions(&self, resource_type: &str) -> Vec<String> {
        let Some(catalogue) = self.types.as_ref().and_then(|types| types.catalogue()) else {
            return Vec::new();
        };
        let entry = catalogue.find_type(resource_type).ok().flatten();
        let newest = entry.as_ref().and_then(|entry| entry.versions.last());
        let functions = newest.and_then(|newest| catalogue.functions(newest).ok()).unwrap_or_default();
        functions.iter().map(|function| function.name.to_string()).collect()
    }

    /// A document without the values that its type calls sensitive. Of a type that the catalogue does not have, names must do.
    pub(crate) fn hide(&self, body: Option<&Type>, document: &mut Map<String, Json>) {
        match body {
            Some(ty) => hide(document, ty, MAX_DEPTH),
            None => hide_by_name(document, MAX_DEPTH),
        }
    }

    /// Whether a body is as its type asks for. That is open for a type that the catalogue does not have, and for parts that
    /// only the deployment knows.
    pub(crate) fn check(
        &self,
        resource_type: &str,
        api_version: Option<&str>,
        body: &Value,
    ) -> Verdict<ArmError> {
        let Some(ty) = self.body(resource_type, api_version) else {
            return Verdict::Undetermined(vec![messages::type_not_installed(resource_type, api_version)]);
        };
        let mut check = TypeCheck::default();
        check.members(body, &ty, "");
        Verdict::of(check.failures, check.open)
    }

    /// A document as its provider keeps it: without what is only written, with what is only read.
    pub(crate) fn complete(&self, target: &ResourceTarget, document: &mut Map<String, Json>) {
        let Some(ty) = self.body(&target.resource_type, target.api_version.as_deref()) else { return };
        let id = target.id.as_deref().unwrap_or_default();
        let mut fill =
            PropertyGenerator { id, name: id.rsplit('/').next().unwrap_or_default(), left: MAX_FILLED };
        fill.members(document, &ty, "");
    }

    /// Whether the provider decides on the member at a dotted path.
    pub(crate) fn is_read_only(&self, body: Option<&Type>, path: &str) -> bool {
        any_on_the_way(body, path, &|property| property.flags.contains(PropertyFlags::READ_ONLY))
    }

    /// Whether the provider never tells the member at a dotted path.
    pub(crate) fn is_write_only(&self, body: Option<&Type>, path: &str) -> bool {
        let is_secret_part = |part: &str| is_secret_name(part.split('[').next().unwrap_or(part));
        match body {
            Some(_) => any_on_the_way(body, path, &is_secret),
            None => path.split('.').any(is_secret_part),
        }
    }
}

/// Whether this is true of a property on the way to a path such as `properties.list[0].name`.
fn any_on_the_way(body: Option<&Type>, path: &str, test: &dyn Fn(&Property) -> bool) -> bool {
    let mut current = body.cloned();
    for part in path.split('.') {
        let name = part.split('[').next().unwrap_or(part);
        let Some(ty) = current else { return false };
        let Some(property) = object(&ty, None).and_then(|object| property(object, name)) else {
            return false;
        };
        if test(property) {
            return true;
        }
        current = Some(match property.ty.kind() {
            Kind::Array(array) if part.contains('[') => array.item.clone(),
            _ => property.ty.clone(),
        });
    }
    false
}

fn hide(document: &mut Map<String, Json>, ty: &Type, depth: usize) {
    let chosen: Vec<(String, String)> = document
        .iter()
        .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
        .collect();
    let text = |name: &str| chosen.iter().find(|(known, _)| known == name).map(|(_, text)| text.clone());
    let Some(object) = object(ty, Some(&text)).filter(|_| depth > 0) else { return };
    document.retain(|name, _| !property(object, name).is_some_and(is_secret));
    for (name, value) in document.iter_mut() {
        let Some(property) = property(object, name) else { continue };
        match (value, property.ty.kind()) {
            (Json::Object(members), _) => hide(members, &property.ty, depth - 1),
            (Json::Array(items), Kind::Array(array)) => {
                for members in items.iter_mut().filter_map(Json::as_object_mut) {
                    hide(members, &array.item, depth - 1);
                }
            }
            _ => {}
        }
    }
}

fn hide_by_name(document: &mut Map<String, Json>, depth: usize) {
    if depth == 0 {
        return;
    }
    document.retain(|name, value| !(value.is_string() && is_secret_name(name)));
    for value in document.values_mut() {
        let inside = match value {
            Json::Object(members) => vec![members],
            Json::Array(items) => items.iter_mut().filter_map(Json::as_object_mut).collect(),
            _ => Vec::new(),
        };
        inside.into_iter().for_each(|members| hide_by_name(members, depth - 1));
    }
}

/// Whether a property has a name that providers give to what they never show.
fn is_secret_name(name: &str) -> bool {
    const ENDS: [&str; 9] = [
        "password",
        "passphrase",
        "secret",
        "secretvalue",
        "privatekey",
        "accountkey",
        "sharedkey",
        "connectionstring",
        "sastoken",
    ];
    let name = name.to_ascii_lowercase();
    ENDS.iter().any(|end| name.ends_with(end))
}

/// Whether a property is written and never read.
fn is_secret(property: &Property) -> bool {
    property.flags.contains(PropertyFlags::WRITE_ONLY) || property.ty.flags().contains(TypeFlags::SECURE)
}

impl std::fmt::Debug for Types {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.types.is_some() { "Types(installed)" } else { "Types(none)" })
    }
}

/// More findings about one resource help nobody.
const MAX_FINDINGS: usize = 100;
/// More properties than these are not made up for one resource.
const MAX_FILLED: usize = 500;
/// Types may contain themselves: what is made up ends somewhere.
const MAX_DEPTH: usize = 6;

/// The text at a member of a value.
type DiscriminatorLookup<'v> = &'v dyn Fn(&str) -> Option<String>;

/// The object type that fits a value: of several, the one that its discriminator names.
fn object<'t>(ty: &'t Type, value: Option<DiscriminatorLookup<'_>>) -> Option<&'t ObjectType> {
    match ty.kind() {
        Kind::Object(object) => Some(object),
        Kind::Discriminated(types) => {
            let chosen = value.and_then(|value| value(&types.discriminator));
            let chosen = chosen.and_then(|chosen| {
                let known = types.members.iter();
                known.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(&chosen)).map(|(_, ty)| ty)
            })?;
            object(chosen, None)
        }
        _ => None,
    }
}

/// A declared property in any letter case.
fn property<'t>(object: &'t ObjectType, name: &str) -> Option<&'t Property> {
    let exact = object.properties.get(name);
    exact.or_else(|| {
        object
            .properties
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, property)| property)
    })
}

/// What is wrong with a body, and what cannot be said yet.
#[derive(Default)]
struct TypeCheck {
    failures: Vec<ArmError>,
    open: Vec<ArmError>,
}

impl TypeCheck {
    fn members(&mut self, value: &Value, ty: &Type, path: &str) {
        let Some(members) = value.as_object() else { return };
        let text = |name: &str| members.get(name).and_then(Value::as_str).map(str::to_owned);
        let Some(object) = object(ty, Some(&text)) else {
            // Of several types, the discriminator does not say which.
            if matches!(ty.kind(), Kind::Discriminated(_)) {
                self.open.push(messages::property_unknown(path));
            }
            return;
        };
        for (name, member) in members.iter() {
            if let Some(property) = property(object, name) {
                self.value(member, &property.ty, &join(path, name));
            }
        }
        for (name, declared) in &object.properties {
            let given = members.get(name).is_some_and(|value| !value.is_null());
            let own = path.is_empty() && matches!(name.as_str(), "name" | "id" | "type" | "apiVersion");
            if !given && !own && declared.is_required() && !declared.flags.contains(PropertyFlags::READ_ONLY)
            {
                self.failures.push(messages::property_missing(&join(path, name)));
            }
        }
    }

    fn value(&mut self, value: &Value, ty: &Type, path: &str) {
        use arm::value::Kind as Shape;
        if value.is_null() || self.failures.len() + self.open.len() >= MAX_FINDINGS {
            return;
        }
        if value.is_unknown() {
            self.open.push(messages::property_unknown(path));
            return;
        }
        match (ty.kind(), value.kind()) {
            (Kind::Object(_) | Kind::Discriminated(_), Shape::Object(_)) => self.members(value, ty, path),
            (Kind::Array(array), Shape::Array(items)) => {
                for (at, item) in items.iter().enumerate() {
                    self.value(item, &array.item, &format!("{path}[{at}]"));
                }
            }
            _ if fits(ty, value) => {}
            _ => self.failures.push(messages::property_wrong(path, &ty.to_string(), value.type_name())),
        }
    }
}

/// Whether a value is of the kind that a type asks for. What the catalogue leaves open fits.
fn fits(ty: &Type, value: &Value) -> bool {
    use arm::value::Kind as Shape;
    match (ty.kind(), value.kind()) {
        (Kind::Bool | Kind::BoolLiteral(_), shape) => matches!(shape, Shape::Bool(_)),
        (Kind::Int(_) | Kind::IntLiteral(_), shape) => matches!(shape, Shape::Int(_) | Shape::Float(_)),
        (Kind::String(_), shape) => matches!(shape, Shape::String(_)),
        (Kind::StringLiteral(text), Shape::String(actual)) => text.eq_ignore_ascii_case(actual),
        (Kind::StringLiteral(_), _) => false,
        (Kind::Array(_) | Kind::Tuple(_), shape) => matches!(shape, Shape::Array(_)),
        (Kind::Object(_) | Kind::Discriminated(_), shape) => matches!(shape, Shape::Object(_)),
        (Kind::Union(members), _) => members.iter().any(|member| fits(member, value)),
        _ => true,
    }
}

/// Makes up what only a provider knows: the same for the same resource.
struct PropertyGenerator<'f> {
    id: &'f str,
    name: &'f str,
    left: usize,
}

impl PropertyGenerator<'_> {
    fn members(&mut self, members: &mut Map<String, Json>, ty: &Type, path: &str) {
        let chosen: Vec<(String, String)> = members
            .iter()
            .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
            .collect();
        let text =
            |name: &str| chosen.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        let Some(object) = object(ty, Some(&text)) else { return };
        members.retain(|name, _| !property(object, name).is_some_and(is_secret));
        for (name, declared) in &object.properties {
            let path = join(path, name);
            let known = members.get_mut(name.as_str());
            match known {
                Some(Json::Object(inner)) => self.members(inner, &declared.ty, &path),
                None if declared.flags.contains(PropertyFlags::READ_ONLY) && path != "id" => {
                    if let Some(value) = self.value(&declared.ty, &path, 0) {
                        members.insert(name.to_string(), value);
                    }
                }
                _ => {}
            }
        }
    }

    fn value(&mut self, ty: &Type, path: &str, depth: usize) -> Option<Json> {
        if self.left == 0 || depth > MAX_DEPTH {
            return None;
        }
        self.left -= 1;
        match ty.kind() {
            Kind::String(_) => Some(json!(self.text(path, depth)?)),
            // Of other states nobody can say which one it would be.
            Kind::Union(members) => {
                let mut literals = members.iter().filter_map(Type::as_string_literal);
                literals.any(|text| text == "Succeeded").then(|| json!("Succeeded"))
            }
            Kind::Object(object) if !object.properties.is_empty() => {
                let mut inner = Map::new();
                for (name, property) in &object.properties {
                    if let Some(value) = self.value(&property.ty, &join(path, name), depth + 1) {
                        inner.insert(name.to_string(), value);
                    }
                }
                (!inner.is_empty()).then_some(Json::Object(inner))
            }
            _ => None,
        }
    }

    /// A text that fits the name of its property; nothing if none can be made up.
    fn text(&self, path: &str, depth: usize) -> Option<String> {
        let last = path.rsplit('.').next().unwrap_or(path);
        let lower = last.to_ascii_lowercase();
        let whole = path.to_ascii_lowercase();
        if lower == "provisioningstate" {
            return Some("Succeeded".into());
        }
        if whole.contains("endpoints.") {
            return Some(format!("https://{}.{lower}.core.windows.net/", self.name));
        }
        if lower.ends_with("endpoint") || lower.ends_with("uri") || lower.ends_with("url") {
            return Some(format!("https://{}.local/", self.name));
        }
        if lower.ends_with("fqdn") || lower.ends_with("hostname") {
            return Some(format!("{}.local", self.name));
        }
        if lower == "tenantid" {
            return Some("00000000-0000-0000-0000-000000000001".into());
        }
        // The id of another resource cannot be made up.
        let is_id = lower.ends_with("id") && !lower.ends_with("resourceid") || lower.ends_with("guid");
        if depth == 0 && is_id {
            return Some(made_up_id(self.id, &whole).to_string());
        }
        None
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}
