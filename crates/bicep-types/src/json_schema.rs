//! A resource type as a JSON Schema: a type of a catalogue comes in, a schema document goes out, as tools that write
//! resources read it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::Catalogue;
use crate::catalogue::{Corrupt, Descriptions, Ref, Versioned};
use crate::def::{
    BuiltIn, Def, DiscriminatedDef, ObjectDef, PropertyDef, ResourceFunctionDef, StringDef, scope,
};

/// What is left out of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SchemaOptions {
    /// Whether the words about properties are left out.
    pub exclude_descriptions: bool,
    /// Whether properties that cannot be given are left out.
    pub exclude_read_only: bool,
}

/// The schema of a resource type in one version; `None` when only functions of it are known.
pub fn resource_schema(
    catalogue: &Catalogue,
    of: &Versioned<'_>,
    options: SchemaOptions,
) -> Result<Option<Value>, Corrupt> {
    let Some(resource) = catalogue.resource(of)? else { return Ok(None) };
    let mut writer = Writer::new(catalogue, options);
    let mut body = catalogue.body(&resource, of)?;
    writer.descriptions.describe(resource.body, &mut body)?;
    let mut members = Map::new();
    let mut put = |name: &str, value: Value| members.insert(name.to_owned(), value);
    put("$schema", json!("https://json-schema.org/draft/2020-12/schema"));
    put("title", json!(resource.name));
    put("description", json!(format!("Bicep resource schema for {}", resource.name)));
    let is_read_only = resource.writable_scopes == 0 && resource.readable_scopes != 0;
    put("x-bicep-resource-flags", json!(if is_read_only { "ReadOnly" } else { "None" }));
    put("x-bicep-resource-readable-scopes", json!(scopes(resource.readable_scopes)));
    put("x-bicep-resource-writable-scopes", json!(scopes(resource.writable_scopes)));
    let functions = functions(catalogue, of)?;
    if !functions.is_empty() {
        let functions = functions.iter().map(|it| writer.function(it)).collect::<Result<Vec<_>, _>>()?;
        put("x-bicep-resource-functions", Value::Array(functions));
    }
    members.extend(writer.structure(body)?);
    writer.finish_definitions()?;
    let mut schema = Value::Object(members);
    let definitions = writer.definitions.into_iter().map(|(_, (name, schema))| (name, schema));
    let mut definitions = Value::Object(definitions.collect::<Map<_, _>>());
    let named: BTreeSet<String> =
        definitions.as_object().into_iter().flat_map(|it| it.keys()).cloned().collect();
    if !named.is_empty() {
        refer_by_name(&mut schema, &named);
        refer_by_name(&mut definitions, &named);
        if let Value::Object(members) = &mut schema {
            members.insert("$defs".to_owned(), definitions);
        }
    }
    Ok(Some(schema))
}

/// The functions of a resource type and of those inside of it, in the order of their names.
fn functions<'a>(
    catalogue: &'a Catalogue,
    of: &Versioned<'_>,
) -> Result<Vec<ResourceFunctionDef<'a, Ref>>, Corrupt> {
    let start = format!("{}/", of.name.to_lowercase());
    let mut found = catalogue.functions(of)?;
    for entry in catalogue.types()? {
        if entry.name.to_lowercase().starts_with(&start) {
            for version in entry.versions.iter().filter(|version| version.version == of.version) {
                found.extend(catalogue.functions(version)?);
            }
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

/// The reference looks the members of a union up by their names: a literal with the name of a defined object becomes the
/// object. Tools compare schemas, so this is kept.
fn refer_by_name(schema: &mut Value, named: &BTreeSet<String>) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(|item| refer_by_name(item, named)),
        Value::Object(members) => {
            if let Some(Value::Array(alternatives)) = members.get_mut("anyOf")
                && let Some(Value::Array(literals)) =
                    alternatives.first_mut().and_then(|it| it.get_mut("enum"))
            {
                let is_named = |it: &Value| it.as_str().is_some_and(|text| named.contains(text));
                let objects: Vec<Value> = literals.iter().filter(|it| is_named(it)).cloned().collect();
                literals.retain(|it| !is_named(it));
                let names = objects.iter().filter_map(Value::as_str);
                alternatives.extend(names.map(|name| json!({ "$ref": format!("#/$defs/{name}") })));
            }
            members.values_mut().for_each(|member| refer_by_name(member, named));
        }
        _ => {}
    }
}

/// The names of scopes, as the reference writes them.
fn scopes(set: u8) -> String {
    let names = [
        (scope::TENANT, "Tenant"),
        (scope::MANAGEMENT_GROUP, "ManagementGroup"),
        (scope::SUBSCRIPTION, "Subscription"),
        (scope::RESOURCE_GROUP, "ResourceGroup"),
        (scope::EXTENSION, "Extension"),
    ];
    let found: Vec<&str> = names.iter().filter(|(bit, _)| set & bit != 0).map(|(_, name)| *name).collect();
    if found.is_empty() { "None".to_owned() } else { found.join(", ") }
}

struct Writer<'a> {
    catalogue: &'a Catalogue,
    descriptions: Descriptions,
    options: SchemaOptions,
    /// The names of objects that were referred to.
    named: Vec<(Ref, String)>,
    /// Those whose schema is still to be made.
    open: Vec<(Ref, String)>,
    /// Schemas of objects, in the order of their names without regard to case.
    definitions: BTreeMap<(String, String), (String, Value)>,
}

impl<'a> Writer<'a> {
    fn new(catalogue: &'a Catalogue, options: SchemaOptions) -> Self {
        Self {
            catalogue,
            descriptions: catalogue.descriptions(),
            options,
            named: Vec::new(),
            open: Vec::new(),
            definitions: BTreeMap::new(),
        }
    }

    /// Makes the schemas of all objects that were referred to, and of those that they refer to.
    fn finish_definitions(&mut self) -> Result<(), Corrupt> {
        while let Some((reference, name)) = self.open.pop() {
            let mut def = self.catalogue.def(reference)?;
            self.descriptions.describe(reference, &mut def)?;
            let schema = Value::Object(self.structure(def)?);
            self.definitions.insert((name.to_lowercase(), name.clone()), (name, schema));
        }
        Ok(())
    }

    fn function(&mut self, function: &ResourceFunctionDef<'_, Ref>) -> Result<Value, Corrupt> {
        let mut members = Map::new();
        members.insert("name".to_owned(), json!(function.name));
        members.insert("apiVersion".to_owned(), json!(function.api_version));
        if let Some(input) = function.input {
            members.insert("input".to_owned(), self.schema(input)?);
        }
        members.insert("output".to_owned(), self.schema(function.output)?);
        Ok(Value::Object(members))
    }

    /// The schema of a type. Objects are named and defined once.
    fn schema(&mut self, reference: Ref) -> Result<Value, Corrupt> {
        let def = self.catalogue.def(reference)?;
        let name = match &def {
            Def::Object(object) => object.name.to_string(),
            Def::Discriminated(object) => object.name.to_string(),
            _ => return self.plain(def).map(Value::Object),
        };
        Ok(json!({ "$ref": format!("#/$defs/{}", self.name_of(reference, name)) }))
    }

    /// The name of an object among the definitions: its own, with a number where another has it already.
    fn name_of(&mut self, reference: Ref, name: String) -> String {
        if let Some((_, known)) = self.named.iter().find(|(known, _)| *known == reference) {
            return known.clone();
        }
        let is_taken = |wanted: &str| self.named.iter().any(|(_, known)| known == wanted);
        let mut unique = name.clone();
        let mut number = 2;
        while is_taken(&unique) {
            unique = format!("{name}{number}");
            number += 1;
        }
        self.named.push((reference, unique.clone()));
        self.open.push((reference, unique.clone()));
        unique
    }

    /// The schema of a type in place.
    fn structure(&mut self, def: Def<'_, Ref>) -> Result<Map<String, Value>, Corrupt> {
        match def {
            Def::Object(object) => self.object(&object, &[]),
            Def::Discriminated(object) => self.discriminated(&object),
            other => self.plain(other),
        }
    }

    fn plain(&mut self, def: Def<'_, Ref>) -> Result<Map<String, Value>, Corrupt> {
        let schema = match def {
            Def::Any | Def::BuiltIn(BuiltIn::Any | BuiltIn::ResourceRef) => json!({}),
            Def::Null | Def::BuiltIn(BuiltIn::Null) => json!({ "type": "null" }),
            Def::Bool | Def::BuiltIn(BuiltIn::Bool) => json!({ "type": "boolean" }),
            Def::BuiltIn(BuiltIn::Int) => json!({ "type": "integer" }),
            Def::BuiltIn(BuiltIn::String) => json!({ "type": "string" }),
            Def::BuiltIn(BuiltIn::Object) => json!({ "type": "object" }),
            Def::BuiltIn(BuiltIn::Array) => json!({ "type": "array" }),
            Def::Int { min, max } => {
                bounded(json!({ "type": "integer" }), [("minimum", min), ("maximum", max)])
            }
            Def::String(string) => string_schema(&string),
            Def::StringLiteral(text) => json!({ "const": text }),
            Def::Array { item, min_length, max_length } => {
                let items = self.schema(item)?;
                let schema = json!({ "type": "array", "items": items });
                bounded(schema, [("minItems", min_length), ("maxItems", max_length)])
            }
            Def::Union(elements) => self.union(&elements)?,
            Def::Object(object) => return self.object(&object, &[]),
            Def::Discriminated(object) => return self.discriminated(&object),
        };
        Ok(match schema {
            Value::Object(members) => members,
            _ => Map::new(),
        })
    }

    /// Literals become one `enum`, which stands first.
    fn union(&mut self, elements: &[Ref]) -> Result<Value, Corrupt> {
        let (mut literals, mut others) = (Vec::new(), Vec::new());
        for element in elements {
            match self.catalogue.def(*element)? {
                Def::StringLiteral(text) => literals.push(json!(text)),
                _ => others.push(self.schema(*element)?),
            }
        }
        Ok(match (literals.is_empty(), others.is_empty()) {
            (false, true) => json!({ "enum": literals }),
            (true, _) => json!({ "anyOf": others }),
            (false, false) => {
                others.insert(0, json!({ "enum": literals }));
                json!({ "anyOf": others })
            }
        })
    }

    fn object(
        &mut self,
        object: &ObjectDef<'_, Ref>,
        base: &[PropertyDef<'_, Ref>],
    ) -> Result<Map<String, Value>, Corrupt> {
        let own = object.properties.iter();
        let inherited = base.iter().filter(|it| !own.clone().any(|other| other.name == it.name));
        let mut all: Vec<&PropertyDef<'_, Ref>> = own.clone().chain(inherited).collect();
        if self.options.exclude_read_only {
            all.retain(|it| it.flags & PropertyDef::<Ref>::READ_ONLY == 0);
        }
        all.sort_by(|a, b| (a.name.to_lowercase(), &a.name).cmp(&(b.name.to_lowercase(), &b.name)));
        let mut properties = Map::new();
        for property in &all {
            properties.insert(property.name.to_string(), self.property(property)?);
        }
        let required = all.iter().filter(|it| it.flags & PropertyDef::<Ref>::REQUIRED != 0);
        let required: Vec<Value> = required.map(|it| json!(it.name)).collect();
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!("object"));
        schema.insert("properties".to_owned(), Value::Object(properties));
        if !required.is_empty() {
            schema.insert("required".to_owned(), Value::Array(required));
        }
        if let Some(additional) = object.additional {
            schema.insert("additionalProperties".to_owned(), self.schema(additional)?);
        }
        if object.sensitive {
            schema.insert("x-bicep-sensitive".to_owned(), json!(true));
        }
        Ok(schema)
    }

    fn discriminated(&mut self, object: &DiscriminatedDef<'_, Ref>) -> Result<Map<String, Value>, Corrupt> {
        let mut variants = Vec::new();
        for (_, reference) in &object.elements {
            let mut def = self.catalogue.def(*reference)?;
            self.descriptions.describe(*reference, &mut def)?;
            if let Def::Object(variant) = &def {
                variants.push(Value::Object(self.object(variant, &object.base)?));
            }
        }
        let mut schema = Map::new();
        schema.insert("oneOf".to_owned(), Value::Array(variants));
        Ok(schema)
    }

    fn property(&mut self, property: &PropertyDef<'_, Ref>) -> Result<Value, Corrupt> {
        let mut schema = self.schema(property.ty)?;
        let Value::Object(members) = &mut schema else { return Ok(schema) };
        if let Some(text) = property.description.as_deref().filter(|_| !self.options.exclude_descriptions) {
            members.insert("description".to_owned(), json!(text));
        }
        for (flag, name) in [
            (PropertyDef::<Ref>::READ_ONLY, "readOnly"),
            (PropertyDef::<Ref>::WRITE_ONLY, "writeOnly"),
            (PropertyDef::<Ref>::DEPLOY_TIME_CONSTANT, "x-bicep-deploy-time-constant"),
        ] {
            if property.flags & flag != 0 {
                members.insert(name.to_owned(), json!(true));
            }
        }
        Ok(schema)
    }
}

fn string_schema(string: &StringDef<'_>) -> Value {
    let lengths = [("minLength", string.min_length), ("maxLength", string.max_length)];
    let mut schema = bounded(json!({ "type": "string" }), lengths);
    if let Value::Object(members) = &mut schema {
        if let Some(pattern) = &string.pattern {
            members.insert("pattern".to_owned(), json!(pattern));
        }
        if string.sensitive {
            members.insert("x-bicep-sensitive".to_owned(), json!(true));
        }
    }
    schema
}

fn bounded(mut schema: Value, bounds: [(&str, Option<i64>); 2]) -> Value {
    if let Value::Object(members) = &mut schema {
        for (name, bound) in bounds {
            if let Some(bound) = bound {
                members.insert(name.to_owned(), json!(bound));
            }
        }
    }
    schema
}
