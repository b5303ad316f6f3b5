//! Values against types: everything that is wrong, in order, each with its place.

use std::collections::HashSet;

use base::{Overrun, Verdict};
use smol_str::SmolStr;

use super::resolve::Chain;
use crate::dotnet;
use crate::error::{Error, Step, member_path};
use crate::evaluate::Evaluator;
use crate::messages;
use crate::template::{Additional, Items, Names, Primitive, Template, TypeNode, UserFunction};
use crate::value::{Kind, Object, Value};

/// Checks values against the types of one template.
pub struct Checker<'t> {
    pub(super) template: &'t Template,
    pub(super) evaluator: Evaluator<'t>,
}

/// What is found while a value is checked. The path of each error leads from the value to the part that it is about.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// What is wrong.
    violations: Vec<Error>,
    /// What could not be checked.
    open: Vec<Error>,
}

impl Findings {
    /// Whether there is no use in looking further.
    fn is_full(&self) -> bool {
        self.violations.len() > MAX_VIOLATIONS || self.violations.last().is_some_and(Error::is_overrun)
    }
}

/// Of more violations than these it is only said that there are more; of more open questions nothing.
const MAX_VIOLATIONS: usize = 250;

/// The part of a value that is being checked.
pub(super) struct CheckedPart<'v> {
    pub value: &'v Value,
    /// From the value as a whole to this part.
    pub steps: Vec<Step>,
    /// The same in messages, with the name of the parameter in front.
    pub path: String,
    pub secure: bool,
}

impl<'v> CheckedPart<'v> {
    fn member(&self, key: &SmolStr, value: &'v Value) -> Self {
        self.part(Step::Key(key.clone()), member_path(&self.path, key), value)
    }

    fn item(&self, index: usize, value: &'v Value) -> Self {
        self.part(Step::Index(index), format!("{}[{index}]", self.path), value)
    }

    fn part(&self, step: Step, path: String, value: &'v Value) -> Self {
        let mut steps = self.steps.clone();
        steps.push(step);
        Self { value, steps, path, secure: self.secure }
    }

    /// The same place with what is now known of its value.
    fn of<'o>(&self, value: &'o Value, secure: bool) -> CheckedPart<'o> {
        CheckedPart { value, steps: self.steps.clone(), path: self.path.clone(), secure }
    }

    pub(super) fn fail(&self, report: &mut Findings, error: Error) {
        let error = match report.violations.len() {
            count if count < MAX_VIOLATIONS => error,
            MAX_VIOLATIONS => messages::more_violations(MAX_VIOLATIONS),
            _ => return,
        };
        report.violations.push(self.placed(error));
    }

    pub(super) fn leave_open(&self, report: &mut Findings, reason: &str) {
        if report.open.len() < MAX_VIOLATIONS {
            report.open.push(self.placed(messages::not_checked(&self.path, reason, true)));
        }
    }

    /// Leaves everything open that a type asks of a value that is not known.
    fn leave_unknown(&self, report: &mut Findings, chain: &Chain<'_>, reason: &str) {
        if report.open.len() < MAX_VIOLATIONS {
            let is_refined = chain.nodes.iter().any(|node| node.is_refined());
            report.open.push(self.placed(messages::not_checked(&self.path, reason, is_refined)));
        }
    }

    fn placed(&self, error: Error) -> Error {
        self.steps.iter().rev().cloned().fold(error, Error::within)
    }
}

impl<'t> Checker<'t> {
    /// A checker for the types of a template; constraints of the user are evaluated by the evaluator.
    pub fn new(template: &'t Template, evaluator: Evaluator<'t>) -> Self {
        Self { template, evaluator }
    }

    /// Checks a value that goes by this name.
    pub fn check(&self, name: &str, schema: &'t TypeNode, value: &Value) -> Verdict<Error> {
        let mut report = Findings::default();
        let spot = CheckedPart { value, steps: Vec::new(), path: name.into(), secure: value.is_secure() };
        self.visit(&spot, schema, &mut report);
        Verdict::of(report.violations, report.open)
    }

    /// Checks what is given out under this name: an output, or the result of a function. It may be null although its
    /// type does not say so.
    pub fn check_output(&self, name: &str, schema: &'t TypeNode, value: &Value) -> Verdict<Error> {
        self.check(name, schema, value).retain(|error| error.reason() != messages::NULL_NOT_ALLOWED)
    }

    /// Checks what a user-defined function of the template gives.
    pub fn check_result(&self, function: &str, declared: &UserFunction, value: &Value) -> Verdict<Error> {
        // The function belongs to the template, but a borrow of it need not last as long: it is looked up again.
        match self.template.functions.get(function).filter(|own| own.range == declared.range) {
            Some(declared) => self.check_output(&format!("{function}()"), &declared.schema, value),
            None => Verdict::Pass,
        }
    }

    /// Whether a type says more than of which kind a value is.
    pub fn is_refined(&self, schema: &'t TypeNode) -> bool {
        self.chain(schema).is_ok_and(|chain| chain.nodes.iter().any(|node| node.is_refined()))
    }

    /// Whether a type, or the type it refers to, is one of secrets.
    pub fn is_secure(&self, schema: &'t TypeNode) -> bool {
        self.chain(schema).is_ok_and(|chain| chain.secure())
    }

    /// The kind of value that a type, or the type it refers to, asks for.
    pub fn primitive(&self, schema: &'t TypeNode) -> Option<Primitive> {
        self.chain(schema).ok()?.primitive()
    }

    /// Whether a type allows `null`.
    pub fn is_nullable(&self, schema: &'t TypeNode) -> bool {
        self.chain(schema).is_ok_and(|chain| chain.nullable())
    }

    /// Whether a function or lambda of the user checks values of a type, or parts of them.
    pub fn is_constrained(&self, schema: &'t TypeNode) -> bool {
        let mut seen: HashSet<*const TypeNode> = HashSet::new();
        let mut open = vec![schema];
        while let Some(node) = open.pop() {
            let Ok(chain) = self.chain(node) else { continue };
            for node in chain.nodes {
                if !seen.insert(std::ptr::from_ref(node)) {
                    continue;
                }
                if node.validate.is_some() || !node.constraints.is_empty() {
                    return true;
                }
                open.extend(node.parts());
            }
        }
        false
    }

    fn visit(&self, spot: &CheckedPart<'_>, schema: &'t TypeNode, report: &mut Findings) {
        if report.is_full() {
            return;
        }
        let checked = self.evaluator.deeper(|| {
            self.evaluator.budget().step()?;
            let chain = self.chain(schema)?;
            self.visit_chain(spot, &chain, report);
            Ok(())
        });
        if let Err(error) = checked {
            spot.fail(report, error);
        }
    }

    fn visit_chain(&self, spot: &CheckedPart<'_>, chain: &Chain<'t>, report: &mut Findings) {
        let spot = &spot.of(spot.value, spot.secure || chain.secure() || spot.value.is_secure());
        if let Kind::Unknown(unknown) = spot.value.kind() {
            let reason = unknown.origins.first().map_or_else(String::new, ToString::to_string);
            return spot.leave_unknown(report, chain, &reason);
        }
        if spot.value.is_null() {
            if !chain.nullable() && chain.primitive().is_some() {
                spot.fail(report, messages::null_not_allowed(&spot.path));
            }
            return;
        }
        if let Some(primitive) = chain.primitive()
            && !has_kind(spot.value, primitive)
        {
            let actual = spot.value.type_name();
            return spot.fail(report, messages::wrong_type(&spot.path, primitive.name(), actual));
        }
        let before = report.violations.len();
        for node in chain.nodes.iter().rev() {
            self.bounds(spot, node, report);
            self.items(spot, node, report);
            self.discriminated(spot, node, report);
            self.properties(spot, node, chain, report);
        }
        // Functions of the user see only values that are otherwise good.
        let constrained =
            chain.nodes.iter().any(|node| node.validate.is_some() || !node.constraints.is_empty());
        if !constrained || report.violations.len() > before {
            return;
        }
        let mut value = self.marked(chain, spot.value);
        if spot.secure {
            value = value.into_secure();
        }
        let spot = &spot.of(&value, spot.secure);
        for node in chain.nodes.iter().rev() {
            self.constraints(spot, node, report);
        }
    }

    fn bounds(&self, spot: &CheckedPart<'_>, node: &TypeNode, report: &mut Findings) {
        if let Some(allowed) = &node.allowed {
            match self.is_allowed(spot.value, allowed) {
                Ok(true) => {}
                Ok(false) => spot.fail(report, messages::not_allowed(&spot.path, &shown(spot), allowed)),
                Err(overrun) => spot.fail(report, overrun.into()),
            }
        }
        if let Some(number) = spot.value.as_int() {
            if let Some(min) = node.min_value.filter(|min| number < *min) {
                spot.fail(report, messages::too_small(&spot.path, min));
            }
            if let Some(max) = node.max_value.filter(|max| number > *max) {
                spot.fail(report, messages::too_large(&spot.path, max));
            }
        }
        let length = match spot.value.kind() {
            Kind::String(text) => dotnet::utf16_len(text),
            Kind::Array(items) => items.len(),
            _ => return,
        };
        let length = i64::try_from(length).unwrap_or(i64::MAX);
        if let Some(min) = node.min_length.filter(|min| length < *min) {
            spot.fail(report, messages::too_short(&spot.path, length, min));
        }
        if let Some(max) = node.max_length.filter(|max| length > *max) {
            spot.fail(report, messages::too_long(&spot.path, length, max));
        }
    }

    /// The value itself, or all items of a list. What an unknown part leaves open is not held against it.
    fn is_allowed(&self, value: &Value, allowed: &[Value]) -> Result<bool, Overrun> {
        let is_one = |value: &Value| {
            for candidate in allowed {
                self.evaluator.budget().step()?;
                if candidate.equals(value) != Some(false) {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        if is_one(value)? {
            return Ok(true);
        }
        let Some(items) = value.as_array() else { return Ok(false) };
        for item in items {
            if !is_one(item)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn items(&self, spot: &CheckedPart<'_>, node: &'t TypeNode, report: &mut Findings) {
        let Some(items) = spot.value.as_array() else { return };
        let first = node.prefix_items.as_deref().unwrap_or_default();
        for (index, schema) in first.iter().enumerate() {
            match items.get(index) {
                Some(item) => self.visit(&spot.item(index, item), schema, report),
                None if self.is_nullable(schema) => {}
                None => spot.fail(report, messages::missing_item(&spot.path, index)),
            }
        }
        match &node.items {
            Some(Items::Of(schema)) => {
                for (index, item) in items.iter().enumerate().skip(first.len()) {
                    self.visit(&spot.item(index, item), schema, report);
                }
            }
            Some(Items::None) if items.len() > first.len() => {
                spot.fail(report, messages::too_many_items(&spot.path, items.len(), first.len()));
            }
            Some(Items::None) | None => {}
        }
    }

    fn discriminated(&self, spot: &CheckedPart<'_>, node: &'t TypeNode, report: &mut Findings) {
        let (Some(discriminator), Some(object)) = (&node.discriminator, spot.value.as_object()) else {
            return;
        };
        let property = &discriminator.property;
        let Some(tag) = object.get(property) else {
            return spot.fail(report, messages::missing_property(&spot.path, property));
        };
        let tag_spot = spot.member(property, tag);
        let Some(word) = tag.as_str() else {
            if tag.is_unknown() {
                return tag_spot.leave_open(report, messages::UNKNOWN_VARIANT);
            }
            return tag_spot.fail(report, messages::wrong_type(&tag_spot.path, "String", tag.type_name()));
        };
        match discriminator.mapping.get(word) {
            Some(variant) => self.visit(spot, variant, report),
            None => {
                let known: Vec<Value> =
                    discriminator.mapping.iter().map(|(name, _)| Value::string(name.as_str())).collect();
                tag_spot.fail(report, messages::not_allowed(&tag_spot.path, &shown(&tag_spot), &known));
            }
        }
    }

    fn properties(
        &self,
        spot: &CheckedPart<'_>,
        node: &'t TypeNode,
        chain: &Chain<'t>,
        report: &mut Findings,
    ) {
        let Some(object) = spot.value.as_object() else { return };
        for (name, schema) in node.properties.iter().flat_map(Names::iter) {
            match object.find(name) {
                Some((key, value)) => self.visit(&spot.member(key, value), schema, report),
                None if self.is_nullable(schema) => {}
                None => spot.fail(report, messages::missing_property(&spot.path, name)),
            }
        }
        match &node.additional {
            None => {}
            Some(Additional::Of(schema)) => {
                for (key, value) in undeclared(object, node, chain) {
                    self.visit(&spot.member(key, value), schema, report);
                }
            }
            Some(Additional::None) => {
                for (key, value) in undeclared(object, node, chain) {
                    let member = spot.member(key, value);
                    member.fail(report, messages::property_not_allowed(&spot.path, key));
                }
            }
        }
    }
}

/// Members that no type of the chain declares, nor the variant that the value itself chooses.
fn undeclared<'v>(
    object: &'v Object,
    node: &'v TypeNode,
    chain: &'v Chain<'_>,
) -> impl Iterator<Item = (&'v SmolStr, &'v Value)> {
    let declares = |ty: &TypeNode, key: &str| {
        ty.properties.as_ref().is_some_and(|properties| properties.get(key).is_some())
            || ty.discriminator.as_ref().is_some_and(|d| json::eq_ignore_case(&d.property, key))
    };
    object
        .iter()
        .filter(move |(key, _)| !declares(node, key) && !chain.nodes.iter().any(|ty| declares(ty, key)))
}

fn has_kind(value: &Value, primitive: Primitive) -> bool {
    match primitive {
        Primitive::String => value.as_str().is_some(),
        Primitive::Int => value.as_int().is_some(),
        Primitive::Bool => value.as_bool().is_some(),
        Primitive::Object => value.as_object().is_some(),
        Primitive::Array => value.as_array().is_some(),
    }
}

/// The value as a message may show it.
fn shown(spot: &CheckedPart<'_>) -> String {
    const LONGEST: usize = 100;
    if spot.secure || spot.value.has_secure() {
        return crate::value::SECURE_TEXT.into();
    }
    let text = crate::functions::to_text(spot.value, None).unwrap_or_default();
    if text.chars().count() > LONGEST {
        format!("{}…", text.chars().take(LONGEST).collect::<String>())
    } else {
        text
    }
}
