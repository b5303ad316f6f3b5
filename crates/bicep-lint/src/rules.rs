//! All rules, in the order of their codes.

mod max_asserts;
mod max_outputs;
mod max_params;
mod max_resources;
mod max_variables;
mod no_unused_existing_resources;
mod no_unused_imports;
mod no_unused_params;
mod no_unused_types;
mod no_unused_vars;
mod unused;

use crate::Rule;

/// Every rule. A test compares the list with the configuration's.
pub static RULES: &[Rule] = &[
    max_asserts::RULE,
    max_outputs::RULE,
    max_params::RULE,
    max_resources::RULE,
    max_variables::RULE,
    no_unused_existing_resources::RULE,
    no_unused_imports::RULE,
    no_unused_params::RULE,
    no_unused_types::RULE,
    no_unused_vars::RULE,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_known_to_the_configuration() {
        for rule in RULES {
            assert!(config::rules::Rule::find(rule.code).is_some(), "{} cannot be configured", rule.code);
            assert!(!rule.documentation.trim().is_empty(), "{} is not documented", rule.code);
        }
        let codes: Vec<_> = RULES.iter().map(|rule| rule.code).collect();
        assert!(codes.is_sorted(), "the list is in the order of the codes");
    }
}
