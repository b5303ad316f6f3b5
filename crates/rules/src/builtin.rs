//! The rules that come with the analyzer, as data.

use std::sync::OnceLock;

use crate::read::read_trusted;
use crate::rule::Rule;

/// The text of the built-in rule file.
pub const TEXT: &str = include_str!("../rules/builtin.json");

/// The built-in rules. The file is part of the program; a test holds that every rule in it can be used.
pub fn builtin() -> &'static [Rule] {
    static RULES: OnceLock<Vec<Rule>> = OnceLock::new();
    RULES.get_or_init(|| read_trusted(TEXT).rules)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::read;

    #[test]
    fn all_built_in_rules_can_be_used() {
        let file = read(TEXT);
        assert!(file.diagnostics.is_empty(), "{:#?}", file.diagnostics);
        let ids: Vec<&str> = file.rules.iter().map(|rule| rule.id.as_str()).collect();
        let expected: Vec<String> = (1..=38).map(|number| format!("TA-{number:06}")).collect();
        assert_eq!(ids, expected);
        for rule in builtin() {
            assert!(rule.recommendation.is_some() && !rule.short_description.is_empty(), "{}", rule.id);
        }
    }
}
