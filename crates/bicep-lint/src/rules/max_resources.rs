//! `max-resources`

use bicep_sema::SymbolKind;

use super::limit::{Limit, check_limit};
use crate::Rule;

const LIMIT: Limit = Limit { kind: SymbolKind::Resource, most: 800, noun: "resources" };

pub(super) const RULE: Rule = Rule {
    code: "max-resources",
    documentation: "\
A template has at most 800 resources.

The deployment service refuses templates with more. Declare resources of the same kind by a loop, or split the file into modules.
",
    check: |ctx| check_limit(ctx, &LIMIT),
};

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn the_first_one_is_marked_when_there_are_too_many() {
        let declare = |count: usize| (0..count).map(|n| format!("resource r{n} 'A.B/c@2020-01-01' = {{ name: 'r{n}' }}\n")).collect::<String>();
        check("max-resources", &declare(super::LIMIT.most));
        check("max-resources", &declare(super::LIMIT.most + 1).replacen('\n', " // <-\n", 1));
    }
}
