//! The `$filter` of lists, as clients write them: comparisons with `eq` and two functions, joined by `and`.

use deploy::{ArmError, AssignmentFilter, ResourceFilter};

use crate::errors;

/// Reads `provisioningState eq 'Failed'`.
pub(crate) fn state(text: &str) -> Result<String, ArmError> {
    match words(text).as_deref() {
        Some([Word::Name(name), Word::Name(eq), Word::Text(state) | Word::Name(state)])
            if name.eq_ignore_ascii_case("provisioningState") && eq.eq_ignore_ascii_case("eq") =>
        {
            Ok(state.clone())
        }
        _ => Err(errors::bad_filter(text)),
    }
}

/// The name in `roleName eq 'Reader'`. What else a client may ask of roles does not matter here.
pub(crate) fn role_name(text: &str) -> Option<String> {
    let words = words(text)?;
    words.windows(3).find_map(|clause| match clause {
        [Word::Name(name), Word::Name(eq), Word::Text(value)] if is(name, "roleName") && is(eq, "eq") => {
            Some(value.clone())
        }
        _ => None,
    })
}

/// Reads `atScope() and principalId eq 'x'`, `assignedTo('x')`.
pub(crate) fn role_assignments(text: &str) -> Result<AssignmentFilter, ArmError> {
    let words = words(text).ok_or_else(|| errors::bad_filter(text))?;
    let is_and = |word: &Word| matches!(word, Word::Name(name) if is(name, "and"));
    let mut filter = AssignmentFilter::default();
    for clause in words.split(is_and) {
        match clause {
            [Word::Name(name)] if is(name, "atScope") => filter.at_scope = true,
            [Word::Name(name), Word::Name(eq), Word::Text(value)]
                if is(name, "principalId") && is(eq, "eq") =>
            {
                filter.principal = Some(value.clone());
            }
            [Word::Name(name), Word::Text(value)] if is(name, "assignedTo") => {
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

/// Reads `resourceType eq 'A.B/c' and tagName eq 'x' and tagValue eq 'y'`, `startswith(tagName, 'x')`,
/// `substringof('x', name)`.
pub(crate) fn resources(text: &str) -> Result<ResourceFilter, ArmError> {
    let words = words(text).ok_or_else(|| errors::bad_filter(text))?;
    let is_and = |word: &Word| matches!(word, Word::Name(name) if name.eq_ignore_ascii_case("and"));
    let mut filter = ResourceFilter::default();
    for clause in words.split(is_and) {
        let (member, value) = match clause {
            [Word::Name(name), Word::Name(eq), Word::Text(value)] if eq.eq_ignore_ascii_case("eq") => {
                (compared(&mut filter, name), value)
            }
            [Word::Name(function), Word::Name(name), Word::Text(value)]
                if function.eq_ignore_ascii_case("startswith") && name.eq_ignore_ascii_case("tagName") =>
            {
                (Some(&mut filter.tag_prefix), value)
            }
            [Word::Name(function), Word::Text(value), Word::Name(name)]
                if function.eq_ignore_ascii_case("substringof") && name.eq_ignore_ascii_case("name") =>
            {
                (Some(&mut filter.name_part), value)
            }
            _ => return Err(errors::bad_filter(text)),
        };
        *member.ok_or_else(|| errors::bad_filter(text))? = Some(value.clone());
    }
    Ok(filter)
}

fn compared<'f>(filter: &'f mut ResourceFilter, name: &str) -> Option<&'f mut Option<String>> {
    Some(match name.to_ascii_lowercase().as_str() {
        "resourcetype" => &mut filter.resource_type,
        "resourcegroup" => &mut filter.group,
        "name" => &mut filter.name,
        "location" => &mut filter.location,
        "tagname" => &mut filter.tag,
        "tagvalue" => &mut filter.tag_value,
        _ => return None,
    })
}

/// A part of a filter.
#[derive(Debug, PartialEq, Eq)]
enum Word {
    /// A name, an operator, a function.
    Name(String),
    /// What stands between quotes; two of them are one.
    Text(String),
}

/// The parts of a filter; brackets and commas only set them apart. Nothing if a quote is not closed.
fn words(text: &str) -> Option<Vec<Word>> {
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
            words.push(Word::Text(value));
            rest = after;
        } else {
            let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            if name.is_empty() {
                return None;
            }
            words.push(Word::Name(name.to_owned()));
            rest = after;
        }
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ','));
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
        let check =
            |text: &str, expected: ResourceFilter| assert_eq!(resources(text), Ok(expected), "{text}");
        let none = ResourceFilter::default;
        check("resourceType eq 'A.B/c'", ResourceFilter { resource_type: some("A.B/c"), ..none() });
        check(
            "ResourceGroup EQ 'g' AND name eq 'rock and roll'",
            ResourceFilter { group: some("g"), name: some("rock and roll"), ..none() },
        );
        check(
            "tagname eq 'a' and tagvalue eq 'it''s'",
            ResourceFilter { tag: some("a"), tag_value: some("it's"), ..none() },
        );
        check("startswith(tagname, 'co')", ResourceFilter { tag_prefix: some("co"), ..none() });
        check("substringof('web', name)", ResourceFilter { name_part: some("web"), ..none() });
        check("location eq 'West Europe'", ResourceFilter { location: some("West Europe"), ..none() });
        for bad in [
            "name",
            "name ne 'x'",
            "size eq 'x'",
            "name eq x",
            "name eq 'x' or name eq 'y'",
            "and",
            "name eq 'x",
            "?",
        ] {
            assert_eq!(resources(bad).map_err(|error| error.status), Err(400), "{bad}");
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
