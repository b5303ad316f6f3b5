//! `max-outputs`

use bicep_sema::SymbolKind;

use super::limit::{Limit, check_limit};
use crate::Rule;

const LIMIT: Limit = Limit { kind: SymbolKind::Output, most: 64, noun: "outputs" };

pub(super) const RULE: Rule = Rule {
    code: "max-outputs",
    documentation: "\
A template has at most 64 outputs.

The deployment service refuses templates with more. Give several values back as one object, or split the file into modules.
",
    check: |ctx| check_limit(ctx, &LIMIT),
};

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn the_first_one_is_marked_when_there_are_too_many() {
        let declare = |count: usize| (0..count).map(|n| format!("output o{n} int = {n}\n")).collect::<String>();
        check("max-outputs", &declare(super::LIMIT.most));
        check("max-outputs", &declare(super::LIMIT.most + 1).replacen('\n', " // <-\n", 1));
    }
}
