//! The conditions of policy rules: a condition and a resource come in; true, false or open goes out.

use serde_json::Value as Json;

use super::field::{self, FieldValues};
use super::{Policy, Subject};

/// What a condition is evaluated for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConditionPurpose {
    /// Whether it holds.
    Whole,
    /// Whether the rule is about a resource: only type, kind and name count, everything else is taken for true.
    Applicability,
    /// The same within a negation, where everything else is taken for false.
    Negated,
}

impl ConditionPurpose {
    fn negated(self) -> Self {
        match self {
            Self::Whole => Self::Whole,
            Self::Applicability => Self::Negated,
            Self::Negated => Self::Applicability,
        }
    }

    /// What a condition counts as that is not asked for.
    fn assumed(self) -> bool {
        self == Self::Applicability
    }
}

impl Policy<'_> {
    /// Whether a condition holds; none if that is open.
    pub(super) fn condition(
        &self,
        condition: &Json,
        subject: &Subject<'_>,
        outlook: ConditionPurpose,
    ) -> Option<bool> {
        let members = condition.as_object()?;
        let part = |name: &str| members.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        if let Some((_, all)) = part("allOf") {
            let all = all.as_array()?.iter().map(|one| self.condition(one, subject, outlook));
            return combined(all, false);
        }
        if let Some((_, any)) = part("anyOf") {
            let any = any.as_array()?.iter().map(|one| self.condition(one, subject, outlook));
            return combined(any, true);
        }
        if let Some((_, inner)) = part("not") {
            return self.condition(inner, subject, outlook.negated()).map(|holds| !holds);
        }
        let is_left =
            |name: &str| ["field", "value", "count"].iter().any(|left| name.eq_ignore_ascii_case(left));
        let (operator, wanted) = members.iter().find(|(name, _)| !is_left(name))?;
        if let Some((_, name)) = part("field") {
            let name = self.value(name, subject)?;
            let name = name.as_str()?;
            if outlook != ConditionPurpose::Whole
                && !["type", "kind", "name"].iter().any(|of| name.eq_ignore_ascii_case(of))
            {
                return Some(outlook.assumed());
            }
            let wanted = self.value(wanted, subject)?;
            return match field::values(subject, name) {
                FieldValues::One(value) => compare(operator, value.as_ref(), &wanted),
                FieldValues::Each(values) => {
                    combined(values.iter().map(|value| compare(operator, Some(value), &wanted)), false)
                }
            };
        }
        if outlook != ConditionPurpose::Whole {
            return Some(outlook.assumed());
        }
        let wanted = self.value(wanted, subject)?;
        if let Some((_, value)) = part("value") {
            return compare(operator, Some(&self.value(value, subject)?), &wanted);
        }
        let count = self.count(part("count")?.1, subject)?;
        compare(operator, Some(&Json::from(count)), &wanted)
    }

    /// How many elements of an array a condition holds for. Within it, the fields of the array are those of the element.
    fn count(&self, count: &Json, subject: &Subject<'_>) -> Option<usize> {
        let name = count.get("field")?.as_str()?;
        let FieldValues::Each(items) = field::values(subject, name) else { return Some(0) };
        let Some(condition) = count.get("where").filter(|condition| !condition.is_null()) else {
            return Some(items.len());
        };
        let mut counted = 0;
        for item in &items {
            counted += usize::from(self.element(condition, name, item, subject)?);
        }
        Some(counted)
    }

    fn element(&self, condition: &Json, array: &str, item: &Json, subject: &Subject<'_>) -> Option<bool> {
        let members = condition.as_object()?;
        let inside = |one: &Json| self.element(one, array, item, subject);
        if let Some(all) = members.get("allOf") {
            return combined(all.as_array()?.iter().map(inside), false);
        }
        if let Some(any) = members.get("anyOf") {
            return combined(any.as_array()?.iter().map(inside), true);
        }
        if let Some(inner) = members.get("not") {
            return inside(inner).map(|holds| !holds);
        }
        let name = members.get("field").and_then(Json::as_str);
        let path = name.filter(|name| name.to_lowercase().starts_with(&array.to_lowercase()));
        let Some(path) = path.and_then(|name| name.get(array.len()..)) else {
            return self.condition(condition, subject, ConditionPurpose::Whole);
        };
        let (operator, wanted) = members.iter().find(|(name, _)| *name != "field")?;
        let wanted = self.value(wanted, subject)?;
        match path.strip_prefix('.') {
            None => compare(operator, Some(item), &wanted),
            Some(path) => match field::along(item, path) {
                FieldValues::One(value) => compare(operator, value.as_ref(), &wanted),
                FieldValues::Each(values) => {
                    combined(values.iter().map(|value| compare(operator, Some(value), &wanted)), false)
                }
            },
        }
    }
}

/// Whether all hold, or with `decisive` whether any does: one that is decisive outweighs those that are open.
fn combined(all: impl Iterator<Item = Option<bool>>, decisive: bool) -> Option<bool> {
    let mut result = Some(!decisive);
    for one in all {
        match one {
            Some(holds) if holds == decisive => return Some(decisive),
            Some(_) => {}
            None => result = None,
        }
    }
    result
}

/// Whether a value is to another as an operator says. Texts are compared in any letter case.
fn compare(operator: &str, value: Option<&Json>, wanted: &Json) -> Option<bool> {
    let operator = operator.to_lowercase();
    if let Some(positive) = operator.strip_prefix("not") {
        return compare(positive, value, wanted).map(|holds| !holds);
    }
    let value = value.filter(|value| !value.is_null());
    if operator == "exists" {
        let is_wanted = wanted.as_bool().or_else(|| wanted.as_str()?.to_lowercase().parse().ok())?;
        return Some(value.is_some() == is_wanted);
    }
    // What is not there is like nothing.
    let Some(value) = value else {
        return KNOWN.contains(&operator.as_str()).then_some(operator == "equals" && wanted.is_null());
    };
    Some(match operator.as_str() {
        "equals" => is_equal(value, wanted),
        "in" => wanted.as_array()?.iter().any(|one| is_equal(value, one)),
        "like" => is_like(&text(value)?.to_lowercase(), &text(wanted)?.to_lowercase()),
        "match" => is_match(&text(value)?, &text(wanted)?),
        "matchinsensitively" => is_match(&text(value)?.to_lowercase(), &text(wanted)?.to_lowercase()),
        "contains" => match value {
            Json::Array(items) => items.iter().any(|item| is_equal(item, wanted)),
            _ => text(value)?.to_lowercase().contains(&text(wanted)?.to_lowercase()),
        },
        "containskey" => {
            let key = text(wanted)?;
            value.as_object().is_some_and(|members| members.keys().any(|it| it.eq_ignore_ascii_case(&key)))
        }
        "less" => order(value, wanted)?.is_lt(),
        "lessorequals" => order(value, wanted)?.is_le(),
        "greater" => order(value, wanted)?.is_gt(),
        "greaterorequals" => order(value, wanted)?.is_ge(),
        _ => return None,
    })
}

/// The operators, without those that begin with `not`.
const KNOWN: [&str; 11] = [
    "equals",
    "in",
    "like",
    "match",
    "matchinsensitively",
    "contains",
    "containskey",
    "less",
    "lessorequals",
    "greater",
    "greaterorequals",
];

fn text(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()),
        Json::Number(_) | Json::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

fn is_equal(a: &Json, b: &Json) -> bool {
    match (text(a), text(b)) {
        (Some(a), Some(b)) => a.eq_ignore_ascii_case(&b),
        _ => a == b,
    }
}

fn order(a: &Json, b: &Json) -> Option<std::cmp::Ordering> {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a.partial_cmp(&b),
        // Times and versions are texts.
        _ => Some(a.as_str()?.to_lowercase().cmp(&b.as_str()?.to_lowercase())),
    }
}

/// Whether a text fits a pattern with at most one `*`.
fn is_like(text: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => text == pattern,
        Some((start, end)) => {
            text.len() >= start.len() + end.len() && text.starts_with(start) && text.ends_with(end)
        }
    }
}

/// Whether a text fits a pattern of `#` for a digit, `?` for a letter and `.` for any character.
fn is_match(text: &str, pattern: &str) -> bool {
    let fits = |(character, of): (char, char)| match of {
        '#' => character.is_ascii_digit(),
        '?' => character.is_alphabetic(),
        '.' => true,
        of => character == of,
    };
    text.chars().count() == pattern.chars().count() && text.chars().zip(pattern.chars()).all(fits)
}
