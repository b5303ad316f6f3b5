//! The query of a request: `?api-version=2025-04-01&$top=5`. Names are matched without regard to case.

use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The members of a query, or of a form, in the order of the text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Query {
    members: Vec<(String, String)>,
}

impl Query {
    /// Reads a query. What is no text is left out.
    pub(crate) fn parse(text: &str) -> Self {
        let members = text.split('&').filter(|member| !member.is_empty()).filter_map(|member| {
            let (name, value) = member.split_once('=').unwrap_or((member, ""));
            Some((decode(name)?, decode(value)?))
        });
        Self { members: members.collect() }
    }

    /// The value of a member, unless it is empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let found = self.members.iter().find(|(member, _)| member.eq_ignore_ascii_case(name))?;
        Some(found.1.as_str()).filter(|value| !value.is_empty())
    }
}

impl Query {
    /// The query as text, with another value of one member.
    pub(crate) fn with(&self, name: &str, value: &str) -> String {
        let kept = self.members.iter().filter(|(member, _)| !member.eq_ignore_ascii_case(name));
        let members = kept.map(|(name, value)| (name.as_str(), value.as_str())).chain([(name, value)]);
        let encode = |text| utf8_percent_encode(text, NON_ALPHANUMERIC);
        let members: Vec<String> =
            members.map(|(name, value)| format!("{}={}", encode(name), encode(value))).collect();
        members.join("&")
    }
}

fn decode(text: &str) -> Option<String> {
    let spaced = text.replace('+', " ");
    Some(percent_decode_str(&spaced).decode_utf8().ok()?.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_by_name() {
        let query = Query::parse("Api-Version=2025-04-01&$filter=name%20eq%20%27a%27&%24top=5&empty=&x=a+b");
        assert_eq!(query.get("api-version"), Some("2025-04-01"));
        assert_eq!(query.get("$filter"), Some("name eq 'a'"));
        assert_eq!(query.get("$top"), Some("5"));
        assert_eq!(query.get("empty"), None);
        assert_eq!(query.get("x"), Some("a b"));
        assert_eq!(Query::parse("&&%ff=1&=").get("x"), None);
        let next = Query::parse(&query.with("$skipToken", "a&b=/c"));
        assert_eq!((next.get("$skiptoken"), next.get("$filter")), (Some("a&b=/c"), Some("name eq 'a'")));
        assert_eq!(Query::parse(&next.with("$skiptoken", "2")).get("$skipToken"), Some("2"));
    }
}
