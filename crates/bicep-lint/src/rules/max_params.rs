//! `max-params`

use bicep_sema::SymbolKind;

use super::limit::{Limit, check_limit};
use crate::Rule;

const LIMIT: Limit = Limit { kind: SymbolKind::Param, most: 256, noun: "parameters" };

pub(super) const RULE: Rule = Rule {
    code: "max-params",
    documentation: "\
A template has at most 256 parameters.

The deployment service refuses templates with more. Take several values as one object, or split the file into modules.
",
    check: |ctx| check_limit(ctx, &LIMIT),
};

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn the_first_one_is_marked_when_there_are_too_many() {
        let declare = |count: usize| (0..count).map(|n| format!("param p{n} int\n")).collect::<String>();
        check("max-params", &declare(super::LIMIT.most));
        check("max-params", &declare(super::LIMIT.most + 1).replacen('\n', " // <-\n", 1));
    }
}
