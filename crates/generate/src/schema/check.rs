//! The walk over a value and a schema side by side.

use base::{Budget, Overrun};
use rustc_hash::FxHashMap;
use serde_json::{Map, Value};

use super::decimal::Decimal;
use super::{Document, Pointer, Problem, ReadSchema, Schemas, formats};

/// What one check needs besides the value.
pub(super) struct Checker<'a> {
    pub(super) schemas: &'a mut Schemas,
    pub(super) read: ReadSchema<'a>,
    pub(super) budget: &'a Budget,
    /// References that have been followed, by the address of the document they stand in.
    pub(super) references: FxHashMap<usize, FxHashMap<String, (Document, Pointer)>>,
}

/// Why a check could not be finished.
pub(super) struct Stop(String);

impl From<Overrun> for Stop {
    fn from(overrun: Overrun) -> Self {
        Self(format!("the schema check was stopped: {overrun}"))
    }
}

impl From<String> for Stop {
    fn from(reason: String) -> Self {
        Self(reason)
    }
}

/// What a part of the walk has found. The score says how far a value got; among alternatives, the problems of the one
/// that got furthest are shown.
#[derive(Default)]
struct Found {
    problems: Vec<Problem>,
    score: i64,
}

impl Found {
    fn add(&mut self, at: &Path<'_>, message: impl Into<String>) {
        self.problems.push(Problem { message: message.into(), path: at.text() });
        self.score -= 2;
    }

    fn absorb(&mut self, other: Self) {
        self.problems.extend(other.problems);
        self.score += other.score;
    }

    fn is_valid(&self) -> bool {
        self.problems.is_empty()
    }

    fn reward(&mut self) {
        self.score += 1;
    }
}

/// The way from the root of the value.
#[derive(Clone, Copy)]
struct Path<'p> {
    name: &'p str,
    parent: Option<&'p Path<'p>>,
}

impl<'p> Path<'p> {
    const ROOT: Path<'static> = Path { name: "(root)", parent: None };

    fn child(&'p self, name: &'p str) -> Self {
        Self { name, parent: Some(self) }
    }

    fn text(&self) -> String {
        match self.parent {
            None => self.name.to_owned(),
            Some(parent) if parent.parent.is_none() => self.name.to_owned(),
            Some(parent) => format!("{}.{}", parent.text(), self.name),
        }
    }
}

/// A schema, the document it stands in, and the place in the value that it is applied to.
#[derive(Clone, Copy)]
struct Spot<'s> {
    schema: &'s Value,
    document: &'s Document,
    /// Draft 4 does not know the newer keywords.
    is_draft4: bool,
    at: &'s Path<'s>,
}

impl<'s> Spot<'s> {
    /// Another schema at the same place.
    fn with(self, schema: &'s Value) -> Self {
        Self { schema, ..self }
    }

    /// The same schema at another place.
    fn moved(self, at: &'s Path<'s>) -> Self {
        Self { at, ..self }
    }

    fn list(self, keyword: &str) -> impl Iterator<Item = Self> {
        let list = self.schema.get(keyword).and_then(Value::as_array);
        list.into_iter().flatten().map(move |schema| self.with(schema))
    }

    fn newer(self, keyword: &str) -> Option<&'s Value> {
        if self.is_draft4 { None } else { self.schema.get(keyword) }
    }
}

impl Checker<'_> {
    pub(super) fn document(&mut self, value: &Value, document: &Document) -> Result<Vec<Problem>, String> {
        let root = std::rc::Rc::clone(&document.root);
        let mut found = Found::default();
        let spot = Spot { schema: &root, document, is_draft4: is_draft4(&root), at: &Path::ROOT };
        match self.value(value, spot, &mut found) {
            Ok(()) => Ok(found.problems),
            Err(Stop(reason)) => Err(reason),
        }
    }

    fn value(&mut self, value: &Value, spot: Spot<'_>, found: &mut Found) -> Result<(), Stop> {
        self.budget.step()?;
        let budget = self.budget;
        budget.nested(|| self.value_of_schema(value, spot, found))
    }

    fn value_of_schema(&mut self, value: &Value, spot: Spot<'_>, found: &mut Found) -> Result<(), Stop> {
        if let Some(reference) = spot.schema.get("$ref").and_then(Value::as_str) {
            let (document, pointer) = self.follow(spot.document, reference)?;
            let root = std::rc::Rc::clone(&document.root);
            let target =
                pointer.find(&root).ok_or_else(|| format!("the reference '{reference}' leads nowhere"))?;
            let spot = Spot { schema: target, document: &document, is_draft4: is_draft4(&root), at: spot.at };
            return self.value(value, spot, found);
        }
        if spot.schema == &Value::Bool(false) {
            found.add(spot.at, "Must not validate the schema (not)");
            return Ok(());
        }
        if let Some(problem) = type_problem(value, spot.schema) {
            found.add(spot.at, problem);
            return Ok(());
        }
        self.combinations(value, spot, found)?;
        match value {
            Value::Array(items) => self.array(items, spot, found)?,
            Value::Object(members) => self.object(members, spot, found)?,
            Value::Number(number) => number_limits(&number.to_string(), spot, found),
            Value::String(_) | Value::Bool(_) | Value::Null => {}
        }
        constants(value, spot, found);
        match value {
            Value::String(text) => self.string(text, spot, found)?,
            Value::Object(members) => self.properties(members, spot, found)?,
            _ => {}
        }
        found.reward();
        Ok(())
    }

    fn follow(&mut self, from: &Document, reference: &str) -> Result<(Document, Pointer), Stop> {
        let known = self.references.entry(std::rc::Rc::as_ptr(&from.root).addr()).or_default();
        if let Some(target) = known.get(reference) {
            return Ok(target.clone());
        }
        let target = self.schemas.resolve(from, reference, self.read)?;
        known.insert(reference.to_owned(), target.clone());
        Ok(target)
    }

    /// A walk of its own, whose problems need not count.
    fn alone(&mut self, value: &Value, spot: Spot<'_>) -> Result<Found, Stop> {
        let mut found = Found::default();
        self.value(value, spot, &mut found)?;
        Ok(found)
    }

    fn combinations(&mut self, value: &Value, spot: Spot<'_>, found: &mut Found) -> Result<(), Stop> {
        self.alternatives(value, spot, found)?;
        let mut all = true;
        for part in spot.list("allOf") {
            let result = self.alone(value, part)?;
            all &= result.is_valid();
            found.absorb(result);
        }
        if !all {
            found.add(spot.at, "Must validate all the schemas (allOf)");
        }
        if let Some(not) = spot.schema.get("not")
            && self.alone(value, spot.with(not))?.is_valid()
        {
            found.add(spot.at, "Must not validate the schema (not)");
        }
        self.dependencies(value, spot, found)?;
        self.condition(value, spot, found)?;
        found.reward();
        Ok(())
    }

    fn alternatives(&mut self, value: &Value, spot: Spot<'_>, found: &mut Found) -> Result<(), Stop> {
        for (keyword, message) in [
            ("anyOf", "Must validate at least one schema (anyOf)"),
            ("oneOf", "Must validate one and only one schema (oneOf)"),
        ] {
            let (mut valid, mut best, mut count) = (0, None::<Found>, 0);
            for option in spot.list(keyword) {
                count += 1;
                let result = self.alone(value, option)?;
                if result.is_valid() {
                    valid += 1;
                    if keyword == "anyOf" {
                        break;
                    }
                } else if valid == 0 && best.as_ref().is_none_or(|best| result.score > best.score) {
                    best = Some(result);
                }
            }
            if count > 0 && valid != 1 {
                found.add(spot.at, message);
                if let Some(best) = best.filter(|_| valid == 0) {
                    found.absorb(best);
                }
            }
        }
        Ok(())
    }

    fn dependencies(&mut self, value: &Value, spot: Spot<'_>, found: &mut Found) -> Result<(), Stop> {
        let (Some(members), Some(Value::Object(dependencies))) =
            (value.as_object(), spot.schema.get("dependencies"))
        else {
            return Ok(());
        };
        for (_, dependency) in dependencies.iter().filter(|(name, _)| members.contains_key(*name)) {
            match dependency {
                Value::Array(names) => {
                    for name in
                        names.iter().filter_map(Value::as_str).filter(|name| !members.contains_key(*name))
                    {
                        found.add(spot.at, format!("Has a dependency on {name}"));
                    }
                }
                dependency => self.value(value, spot.with(dependency), found)?,
            }
        }
        Ok(())
    }

    fn condition(&mut self, value: &Value, spot: Spot<'_>, found: &mut Found) -> Result<(), Stop> {
        let Some(condition) = spot.newer("if") else { return Ok(()) };
        let holds = self.alone(value, spot.with(condition))?.is_valid();
        let (branch, message) = if holds {
            ("then", r#"Must validate "then" as "if" was valid"#)
        } else {
            ("else", r#"Must validate "else" as "if" was not valid"#)
        };
        let Some(branch) = spot.newer(branch) else { return Ok(()) };
        let result = self.alone(value, spot.with(branch))?;
        if !result.is_valid() {
            found.add(spot.at, message);
            found.absorb(result);
        }
        Ok(())
    }

    fn array(&mut self, items: &[Value], spot: Spot<'_>, found: &mut Found) -> Result<(), Stop> {
        let positional = match spot.schema.get("items") {
            Some(Value::Array(positional)) => positional.as_slice(),
            Some(single) => {
                self.items(items.iter().enumerate(), spot.with(single), found)?;
                &[]
            }
            None => &[],
        };
        for (index, (item, part)) in items.iter().zip(positional).enumerate() {
            self.items(std::iter::once((index, item)), spot.with(part), found)?;
        }
        if !positional.is_empty() && positional.len() < items.len() {
            match spot.schema.get("additionalItems") {
                Some(Value::Bool(false)) => found.add(spot.at, "No additional items allowed on array"),
                Some(rest @ Value::Object(_)) => {
                    self.items(items.iter().enumerate().skip(positional.len()), spot.with(rest), found)?;
                }
                _ => {}
            }
        }
        if let Some(min) = limit(spot.schema, "minItems").filter(|min| items.len() < *min) {
            found.add(spot.at, format!("Array must have at least {min} items"));
        }
        if let Some(max) = limit(spot.schema, "maxItems").filter(|max| items.len() > *max) {
            found.add(spot.at, format!("Array must have at most {max} items"));
        }
        if spot.schema.get("uniqueItems") == Some(&Value::Bool(true)) {
            unique(items, spot.at, found);
        }
        if let Some(contains) = spot.newer("contains") {
            self.contains(items, spot.with(contains), found)?;
        }
        found.reward();
        Ok(())
    }

    fn items<'v>(
        &mut self,
        items: impl Iterator<Item = (usize, &'v Value)>,
        spot: Spot<'_>,
        found: &mut Found,
    ) -> Result<(), Stop> {
        for (index, item) in items {
            let name = index.to_string();
            let result = self.alone(item, spot.moved(&spot.at.child(&name)))?;
            found.absorb(result);
        }
        Ok(())
    }

    fn contains(&mut self, items: &[Value], spot: Spot<'_>, found: &mut Found) -> Result<(), Stop> {
        let mut best: Option<Found> = None;
        for (index, item) in items.iter().enumerate() {
            let name = index.to_string();
            let result = self.alone(item, spot.moved(&spot.at.child(&name)))?;
            if result.is_valid() {
                return Ok(());
            }
            if best.as_ref().is_none_or(|best| result.score > best.score) {
                best = Some(result);
            }
        }
        found.add(spot.at, "At least one of the items must match");
        if let Some(best) = best {
            found.absorb(best);
        }
        Ok(())
    }

    fn object(
        &mut self,
        members: &Map<String, Value>,
        spot: Spot<'_>,
        found: &mut Found,
    ) -> Result<(), Stop> {
        if let Some(min) = limit(spot.schema, "minProperties").filter(|min| members.len() < *min) {
            found.add(spot.at, format!("Must have at least {min} properties"));
        }
        if let Some(max) = limit(spot.schema, "maxProperties").filter(|max| members.len() > *max) {
            found.add(spot.at, format!("Must have at most {max} properties"));
        }
        let required = spot.schema.get("required").and_then(Value::as_array).into_iter().flatten();
        for name in required.filter_map(Value::as_str) {
            if members.contains_key(name) {
                found.reward();
            } else {
                found.add(spot.at, format!("{name} is required"));
            }
        }
        for (name, value) in members {
            self.other_member((name, value), spot, found)?;
        }
        if let Some(names) = spot.newer("propertyNames") {
            for name in members.keys() {
                let result = self.alone(&Value::String(name.clone()), spot.with(names))?;
                if !result.is_valid() {
                    found.add(spot.at, format!(r#"Property name of "{name}" does not match"#));
                    found.absorb(result);
                }
            }
        }
        found.reward();
        Ok(())
    }

    /// A member as far as `patternProperties` and `additionalProperties` are concerned.
    fn other_member(
        &mut self,
        (name, value): (&str, &Value),
        spot: Spot<'_>,
        found: &mut Found,
    ) -> Result<(), Stop> {
        let here = spot.at.child(name);
        let mut matched = false;
        let patterns = spot.schema.get("patternProperties").and_then(Value::as_object);
        for (pattern, part) in patterns.into_iter().flatten() {
            if self.schemas.matches(pattern, name)? {
                matched = true;
                let result = self.alone(value, spot.with(part).moved(&here))?;
                found.absorb(result);
            }
        }
        if matched {
            found.reward();
            return Ok(());
        }
        if spot.schema.get("properties").and_then(|properties| properties.get(name)).is_some() {
            return Ok(());
        }
        match spot.schema.get("additionalProperties") {
            Some(Value::Bool(false)) => {
                found.add(spot.at, format!("Additional property {name} is not allowed"));
            }
            Some(rest @ Value::Object(_)) => {
                let result = self.alone(value, spot.with(rest).moved(&here))?;
                found.absorb(result);
            }
            _ => {}
        }
        Ok(())
    }

    fn properties(
        &mut self,
        members: &Map<String, Value>,
        spot: Spot<'_>,
        found: &mut Found,
    ) -> Result<(), Stop> {
        let Some(Value::Object(properties)) = spot.schema.get("properties") else { return Ok(()) };
        for (name, part) in properties {
            if let Some(value) = members.get(name) {
                self.value(value, spot.with(part).moved(&spot.at.child(name)), found)?;
            }
        }
        Ok(())
    }

    fn string(&mut self, text: &str, spot: Spot<'_>, found: &mut Found) -> Result<(), Stop> {
        let length = text.chars().count();
        if let Some(min) = limit(spot.schema, "minLength").filter(|min| length < *min) {
            found.add(spot.at, format!("String length must be greater than or equal to {min}"));
        }
        if let Some(max) = limit(spot.schema, "maxLength").filter(|max| length > *max) {
            found.add(spot.at, format!("String length must be less than or equal to {max}"));
        }
        if let Some(pattern) = spot.schema.get("pattern").and_then(Value::as_str)
            && !self.schemas.matches(pattern, text)?
        {
            found.add(spot.at, format!("Does not match pattern '{pattern}'"));
        }
        if let Some(format) = spot.schema.get("format").and_then(Value::as_str)
            && formats::fits(format, text) == Some(false)
        {
            found.add(spot.at, format!("Does not match format '{format}'"));
        }
        found.reward();
        Ok(())
    }
}

fn is_draft4(root: &Value) -> bool {
    root.get("$schema").and_then(Value::as_str).is_some_and(|schema| schema.contains("draft-04"))
}

fn type_problem(value: &Value, schema: &Value) -> Option<String> {
    let types: Vec<&str> = match schema.get("type")? {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    let given = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
        Value::Number(number) if is_integer(&number.to_string()) => "integer",
        Value::Number(_) => "number",
    };
    let fits = types.contains(&given) || (given == "integer" && types.contains(&"number"));
    let expected = match types.as_slice() {
        [only] => (*only).to_owned(),
        several => format!("[{}]", several.join(",")),
    };
    (!fits).then(|| format!("Invalid type. Expected: {expected}, given: {given}"))
}

fn is_integer(text: &str) -> bool {
    Decimal::parse(text).is_some_and(Decimal::is_integer)
}

fn limit(schema: &Value, keyword: &str) -> Option<usize> {
    let limit = schema.get(keyword)?;
    let whole =
        limit.as_u64().or_else(|| limit.as_f64().filter(|v| v.fract() == 0.0 && *v >= 0.0).map(|v| v as u64));
    whole.and_then(|limit| usize::try_from(limit).ok())
}

fn number_limits(text: &str, spot: Spot<'_>, found: &mut Found) {
    let Spot { schema, at, .. } = spot;
    use std::cmp::Ordering::{Equal, Greater, Less};
    let Some(number) = Decimal::parse(text) else { return };
    let decimal =
        |keyword| schema.get(keyword).filter(|v| v.is_number()).and_then(|v| Decimal::parse(&v.to_string()));
    let is_set = |keyword| schema.get(keyword) == Some(&Value::Bool(true));
    if let Some(multiple) = schema.get("multipleOf").filter(|v| v.is_number()).map(ToString::to_string)
        && Decimal::parse(&multiple).and_then(|step| number.is_multiple_of(step)) == Some(false)
    {
        found.add(at, format!("Must be a multiple of {multiple}"));
    }
    // In draft 4 the exclusive keywords are switches for the others.
    let limits = [
        ("maximum", is_set("exclusiveMaximum"), "less than"),
        ("exclusiveMaximum", true, "less than"),
        ("minimum", is_set("exclusiveMinimum"), "greater than"),
        ("exclusiveMinimum", true, "greater than"),
    ];
    for (keyword, is_exclusive, words) in limits {
        let Some(limit) = decimal(keyword) else { continue };
        let beyond = if words == "less than" { Greater } else { Less };
        let order = number.compare(limit);
        if order == Some(beyond) || (is_exclusive && order == Some(Equal)) {
            let or_equal = if is_exclusive { "" } else { " or equal to" };
            found.add(at, format!("Must be {words}{or_equal} {}", limit.fraction()));
        }
    }
    found.reward();
}

fn constants(value: &Value, spot: Spot<'_>, found: &mut Found) {
    let at = spot.at;
    if let Some(wanted) = spot.newer("const")
        && !same(value, wanted)
    {
        found.add(at, format!("{} does not match: {wanted}", at.text()));
    }
    if let Some(Value::Array(allowed)) = spot.schema.get("enum")
        && !allowed.iter().any(|wanted| same(value, wanted))
    {
        let allowed: Vec<String> = allowed.iter().map(ToString::to_string).collect();
        found.add(at, format!("{} must be one of the following: {}", at.text(), allowed.join(", ")));
    }
    found.reward();
}

fn unique(items: &[Value], at: &Path<'_>, found: &mut Found) {
    // Equal texts first, so that long lists of different items stay cheap.
    let mut seen: FxHashMap<String, usize> = FxHashMap::default();
    for (later, item) in items.iter().enumerate() {
        let text = normal(item).to_string();
        if let Some(first) = seen.get(&text) {
            found.add(at, format!("array items[{first},{later}] must be unique"));
        } else {
            seen.insert(text, later);
        }
    }
}

/// Equality of values: numbers by value, members in any order.
fn same(a: &Value, b: &Value) -> bool {
    normal(a) == normal(b)
}

fn normal(value: &Value) -> Value {
    match value {
        Value::Number(number) => {
            let text = number.to_string();
            Decimal::parse(&text)
                .map_or_else(|| value.clone(), |decimal| Value::String(format!("#{}", decimal.fraction())))
        }
        Value::String(text) => Value::String(format!("'{text}")),
        Value::Array(items) => Value::Array(items.iter().map(normal).collect()),
        Value::Object(members) => {
            let mut sorted: Vec<_> =
                members.iter().map(|(key, value)| (key.clone(), normal(value))).collect();
            sorted.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(sorted.into_iter().collect())
        }
        Value::Null | Value::Bool(_) => value.clone(),
    }
}
