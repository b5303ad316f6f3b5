//! The `$filter` of lists, as clients write them: comparisons with `eq` and `ne` and some functions, joined by `and` and `or`.

use deploy::{ArmError, AssignmentFilter, ResourceFilter, ResourceProperty, TagFilter};
use serde_json::Value as Json;

use crate::errors;

/// Reads `provisioningState eq 'Failed'`.
pub(crate) fn state(text: &str) -> Result<String, ArmError> {
    match words(text).as_deref() {
        Some(
            [
                FilterToken::Name(name),
                FilterToken::Name(eq),
                FilterToken::Text(state) | FilterToken::Name(state),
            ],
        ) if name.eq_ignore_ascii_case("provisioningState") && eq.eq_ignore_ascii_case("eq") => {
            Ok(state.clone())
        }
        _ => Err(errors::bad_filter(text)),
    }
}

/// The name in `roleName eq 'Reader'`. What else a client may ask of roles does not matter here.
pub(crate) fn role_name(text: &str) -> Option<String> {
    let words = words(text)?;
    words.windows(3).find_map(|clause| match clause {
        [FilterToken::Name(name), FilterToken::Name(eq), FilterToken::Text(value)]
            if is(name, "roleName") && is(eq, "eq") =>
        {
            Some(value.clone())
        }
        _ => None,
    })
}

/// Reads `atScope() and principalId eq 'x'`, `assignedTo('x')`.
pub(crate) fn role_assignments(text: &str) -> Result<AssignmentFilter, ArmError> {
    let words = words(text).ok_or_else(|| errors::bad_filter(text))?;
    let is_and = |word: &FilterToken| matches!(word, FilterToken::Name(name) if is(name, "and"));
    let mut filter = AssignmentFilter::default();
    for clause in words.split(is_and) {
        match clause {
            [FilterToken::Name(name)] if is(name, "atScope") => filter.at_scope = true,
            [FilterToken::Name(name), FilterToken::Name(eq), FilterToken::Text(value)]
                if is(name, "principalId") && is(eq, "eq") =>
            {
                filter.principal = Some(value.clone());
            }
            [FilterToken::Name(name), FilterToken::Text(value)] if is(name, "assignedTo") => {
                filter.principal = Some(value.clone());
            }
            _ => return Err(errors::bad_filter(text)),
        }
    }
    Ok(filter)
}

fn is(name: &str, wanted: &str) -> bool {
    name.eq_ignore_ascii_case(wanted)
}

/// Reads `resourceType eq 'A.B/c' and (name ne 'x' or location eq 'y')`, `tagName eq 'x' and tagValue eq 'y'`,
/// `startswith(tagName, 'x')`, `substringof('x', name)`.
pub(crate) fn resources(text: &str) -> Result<ResourceFilter, ArmError> {
    resource_filter(&FilterExpression::parse(text)?).ok_or_else(|| errors::bad_filter(text))
}

fn resource_filter(clause: &FilterExpression) -> Option<ResourceFilter> {
    Some(match clause {
        FilterExpression::Or(all) => {
            ResourceFilter::Or(all.iter().map(resource_filter).collect::<Option<_>>()?)
        }
        FilterExpression::And(all) => {
            // Conditions on tags that hold together are about one tag.
            let mut tag: Option<TagFilter> = None;
            let mut others = Vec::new();
            for clause in all {
                match resource_filter(clause)? {
                    ResourceFilter::Tag(TagFilter { name, prefix, value }) => {
                        let tag = tag.get_or_insert_default();
                        tag.name = name.or(tag.name.take());
                        tag.prefix = prefix.or(tag.prefix.take());
                        tag.value = value.or(tag.value.take());
                    }
                    other => others.push(other),
                }
            }
            let tag = tag.map(ResourceFilter::Tag);
            match (others.is_empty(), tag) {
                (true, Some(tag)) => tag,
                (_, tag) => ResourceFilter::And(others.into_iter().chain(tag).collect()),
            }
        }
        FilterExpression::Compare { name, is_equal: true, value: FilterToken::Text(value) }
            if is(name, "tagName") =>
        {
            ResourceFilter::Tag(TagFilter { name: Some(value.clone()), ..TagFilter::default() })
        }
        FilterExpression::Compare { name, is_equal: true, value: FilterToken::Text(value) }
            if is(name, "tagValue") =>
        {
            ResourceFilter::Tag(TagFilter { value: Some(value.clone()), ..TagFilter::default() })
        }
        FilterExpression::Compare { name, is_equal, value: FilterToken::Text(value) } => match is_equal {
            true => ResourceFilter::Is(property(name)?, value.clone()),
            false => ResourceFilter::IsNot(property(name)?, value.clone()),
        },
        FilterExpression::Compare { .. } => return None,
        FilterExpression::Call { function, arguments } => match arguments.as_slice() {
            [FilterToken::Name(of), FilterToken::Text(prefix)]
                if is(function, "startswith") && is(of, "tagName") =>
            {
                ResourceFilter::Tag(TagFilter { prefix: Some(prefix.clone()), ..TagFilter::default() })
            }
            [FilterToken::Text(part), FilterToken::Name(of)] if is(function, "substringof") => {
                let of = property(of)?;
                let is_text = matches!(of, ResourceProperty::Name | ResourceProperty::Group);
                is_text.then(|| ResourceFilter::Contains(of, part.clone()))?
            }
            _ => return None,
        },
    })
}

/// The syntax tree of an OData `$filter`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FilterExpression {
    /// Two or more that hold together.
    And(Vec<Self>),
    /// Two or more of which one holds.
    Or(Vec<Self>),
    /// `name eq 'x'`, or with `ne`.
    Compare { name: String, is_equal: bool, value: FilterToken },
    /// `substringof('x', name)`
    Call { function: String, arguments: Vec<FilterToken> },
}

impl FilterExpression {
    pub(crate) fn parse(text: &str) -> Result<Self, ArmError> {
        let tokens = tokens(text).unwrap_or_default();
        let mut reading = FilterParser { left: &tokens, depth: MAX_DEPTH };
        let read = reading.alternatives().filter(|_| reading.left.is_empty());
        read.ok_or_else(|| errors::bad_filter(text))
    }

    /// Whether it holds for the members of an entry. Functions hold for none.
    pub(crate) fn fits(&self, entry: &Json) -> bool {
        match self {
            Self::And(all) => all.iter().all(|clause| clause.fits(entry)),
            Self::Or(all) => all.iter().any(|clause| clause.fits(entry)),
            Self::Compare { name, is_equal, value } => {
                let members = entry.as_object().into_iter().flatten();
                let found = members.into_iter().find(|(known, _)| is(known, name)).map(|(_, found)| found);
                let found = match found {
                    Some(Json::String(text)) => text.clone(),
                    Some(other) => other.to_string(),
                    None => String::new(),
                };
                let (FilterToken::Text(wanted) | FilterToken::Name(wanted)) = value else { return false };
                is(&found, wanted) == *is_equal
            }
            Self::Call { .. } => false,
        }
    }
}

/// How deep brackets may be nested.
const MAX_DEPTH: usize = 32;

/// A recursive descent parser over the tokens that are left.
struct FilterParser<'t> {
    left: &'t [FilterToken],
    depth: usize,
}

impl<'t> FilterParser<'t> {
    fn next(&mut self) -> Option<&'t FilterToken> {
        let (first, rest) = self.left.split_first()?;
        self.left = rest;
        Some(first)
    }

    /// Takes the next part if it is this one.
    fn skip(&mut self, is_wanted: impl Fn(&FilterToken) -> bool) -> bool {
        let is_next = self.left.first().is_some_and(is_wanted);
        if is_next {
            self.next();
        }
        is_next
    }

    fn name(&mut self) -> Option<&'t str> {
        match self.next()? {
            FilterToken::Name(name) => Some(name),
            _ => None,
        }
    }

    fn alternatives(&mut self) -> Option<FilterExpression> {
        let mut all = vec![self.conjunction()?];
        while self.skip(|word| matches!(word, FilterToken::Name(name) if is(name, "or"))) {
            all.push(self.conjunction()?);
        }
        Some(if all.len() == 1 { all.remove(0) } else { FilterExpression::Or(all) })
    }

    fn conjunction(&mut self) -> Option<FilterExpression> {
        let mut all = vec![self.condition()?];
        while self.skip(|word| matches!(word, FilterToken::Name(name) if is(name, "and"))) {
            all.push(self.condition()?);
        }
        Some(if all.len() == 1 { all.remove(0) } else { FilterExpression::And(all) })
    }

    fn condition(&mut self) -> Option<FilterExpression> {
        if self.skip(|word| *word == FilterToken::Bracket('(')) {
            self.depth = self.depth.checked_sub(1)?;
            let inner = self.alternatives()?;
            self.depth += 1;
            return self.skip(|word| *word == FilterToken::Bracket(')')).then_some(inner);
        }
        let name = self.name()?.to_owned();
        if self.skip(|word| *word == FilterToken::Bracket('(')) {
            let mut arguments = Vec::new();
            while !self.skip(|word| *word == FilterToken::Bracket(')')) {
                match self.next()? {
                    FilterToken::Bracket(',') => {}
                    FilterToken::Bracket(_) => return None,
                    argument => arguments.push(argument.clone()),
                }
            }
            return Some(FilterExpression::Call { function: name, arguments });
        }
        let operator = self.name()?;
        let is_equal = is(operator, "eq");
        let value = self.next()?.clone();
        let is_known = (is_equal || is(operator, "ne")) && !matches!(value, FilterToken::Bracket(_));
        is_known.then_some(FilterExpression::Compare { name, is_equal, value })
    }
}

fn property(name: &str) -> Option<ResourceProperty> {
    Some(match name.to_ascii_lowercase().as_str() {
        "resourcetype" => ResourceProperty::Type,
        "resourcegroup" => ResourceProperty::Group,
        "name" => ResourceProperty::Name,
        "location" => ResourceProperty::Location,
        "identity" | "identity/type" => ResourceProperty::Member("/identity/type"),
        "identity/principalid" => ResourceProperty::Member("/identity/principalId"),
        "plan" | "plan/name" => ResourceProperty::Member("/plan/name"),
        "plan/publisher" => ResourceProperty::Member("/plan/publisher"),
        "plan/product" => ResourceProperty::Member("/plan/product"),
        "plan/version" => ResourceProperty::Member("/plan/version"),
        "plan/promotioncode" => ResourceProperty::Member("/plan/promotionCode"),
        _ => return None,
    })
}

/// A token of an OData filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FilterToken {
    /// A name, an operator, a function.
    Name(String),
    /// What stands between quotes; two of them are one.
    Text(String),
    /// A bracket or a comma.
    Bracket(char),
}

/// The parts of a filter in which brackets and commas only set the others apart.
fn words(text: &str) -> Option<Vec<FilterToken>> {
    let words = tokens(text)?.into_iter();
    Some(words.filter(|word| !matches!(word, FilterToken::Bracket(_))).collect())
}

/// The parts of a filter. Nothing if a quote is not closed.
fn tokens(text: &str) -> Option<Vec<FilterToken>> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('\'') {
            let mut value = String::new();
            let mut after = after;
            loop {
                let (part, more) = after.split_once('\'')?;
                value.push_str(part);
                after = more;
                match after.strip_prefix('\'') {
                    Some(more) => {
                        value.push('\'');
                        after = more;
                    }
                    None => break,
                }
            }
            words.push(FilterToken::Text(value));
            rest = after;
        } else if let Some(bracket) = rest.chars().next().filter(|c| matches!(c, '(' | ')' | ',')) {
            words.push(FilterToken::Bracket(bracket));
            rest = rest.get(1..)?;
        } else {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '/').unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            if name.is_empty() {
                return None;
            }
            words.push(FilterToken::Name(name.to_owned()));
            rest = after;
        }
        rest = rest.trim_start();
    }
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn filters_of_resources() {
        use ResourceFilter::{And, Contains, Is, IsNot, Or, Tag};
        use ResourceProperty::{Group, Location, Member, Name, Type};
        let check =
            |text: &str, expected: ResourceFilter| assert_eq!(resources(text), Ok(expected), "{text}");
        let is = |property, value: &str| Is(property, value.to_owned());
        check("resourceType eq 'A.B/c'", is(Type, "A.B/c"));
        check(
            "ResourceGroup EQ 'g' AND name eq 'rock and roll'",
            And(vec![is(Group, "g"), is(Name, "rock and roll")]),
        );
        check("name ne 'x' or name eq 'y'", Or(vec![IsNot(Name, "x".into()), is(Name, "y")]));
        check(
            "(name eq 'x' or name eq 'y') and location eq 'West Europe'",
            And(vec![Or(vec![is(Name, "x"), is(Name, "y")]), is(Location, "West Europe")]),
        );
        check(
            "tagname eq 'a' and tagvalue eq 'it''s'",
            Tag(TagFilter { name: some("a"), value: some("it's"), prefix: None }),
        );
        check("startswith(tagname, 'co')", Tag(TagFilter { prefix: some("co"), ..TagFilter::default() }));
        check("substringof('web', name)", Contains(Name, "web".into()));
        check("substringof('web',resourceGroup)", Contains(Group, "web".into()));
        check("identity/principalId eq 'p'", is(Member("/identity/principalId"), "p"));
        for bad in [
            "",
            "name",
            "name gt 'x'",
            "size eq 'x'",
            "name eq x",
            "name eq 'x' or",
            "(name eq 'x'",
            "name eq 'x')",
            "substringof('x', location)",
            "and",
            "name eq 'x",
            "?",
            &"(".repeat(100_000),
        ] {
            assert_eq!(resources(bad).map_err(|error| error.status), Err(400), "{bad:.100}");
        }
    }

    #[test]
    fn filters_of_anything() {
        let entry = serde_json::json!({ "resourceType": "A.B/c", "isCompliant": false });
        for (text, expected) in [
            ("resourcetype eq 'a.b/C'", true),
            ("isCompliant eq false", true),
            ("IsCompliant eq true or resourceType ne 'x'", true),
            ("isCompliant eq false and resourceType ne 'A.B/c'", false),
            ("absent eq 'x'", false),
        ] {
            assert_eq!(FilterExpression::parse(text).unwrap().fits(&entry), expected, "{text}");
        }
    }

    #[test]
    fn filters_of_deployments() {
        assert_eq!(state("provisioningState eq 'Failed'").ok(), some("Failed"));
        assert_eq!(state("ProvisioningState EQ Failed").ok(), some("Failed"));
        for bad in ["", "state eq 'Failed'", "provisioningState ne 'Failed'"] {
            assert_eq!(state(bad).map_err(|error| error.status), Err(400), "{bad}");
        }
    }
}
