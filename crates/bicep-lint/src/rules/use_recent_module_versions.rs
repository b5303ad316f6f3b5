//! `use-recent-module-versions`

use crate::Rule;

pub(super) const RULE: Rule = Rule {
    code: "use-recent-module-versions",
    documentation: "\
Public modules should have the newest version.

Whether there is a newer version is known only to the index of the public registry. It is never fetched while linting,
so that a build gives the same result without a network; without it this rule reports nothing.
",
    check: |_| {},
};
