//! `max-asserts`

use bicep_sema::SymbolKind;

use super::limit::{Limit, check_limit};
use crate::Rule;

const LIMIT: Limit = Limit { kind: SymbolKind::Assert, most: 32, noun: "assertions" };

pub(super) const RULE: Rule = Rule {
    code: "max-asserts",
    documentation: "\
A template has at most 32 assertions.

The deployment service refuses templates with more. Put several conditions into one assertion, or split the file into modules.
",
    check: |ctx| check_limit(ctx, &LIMIT),
};

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn the_first_one_is_marked_when_there_are_too_many() {
        let declare = |count: usize| (0..count).map(|n| format!("assert a{n} = true\n")).collect::<String>();
        check("max-asserts", &declare(super::LIMIT.most));
        check("max-asserts", &declare(super::LIMIT.most + 1).replacen('\n', " // <-\n", 1));
    }
}
