//! `adminusername-should-not-be-literal`

use bicep_syntax::SyntaxKind;
use bicep_syntax::ast::Property;

use crate::expression_type::string_value;
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "adminusername-should-not-be-literal",
    documentation: "\
The administrator name should not be a literal.

A literal exposes half of the credentials to everyone who can read the file, and makes them the same everywhere. Use a
parameter without a default.

```bicep
param adminName string

resource vm 'Microsoft.Compute/virtualMachines@2023-03-01' = {
  name: 'vm'
  location: 'westeurope'
  properties: {
    osProfile: {
      adminUsername: 'admin' // <-
    }
  }
}

resource other 'Microsoft.Compute/virtualMachines@2023-03-01' = {
  name: 'other'
  location: 'westeurope'
  properties: {
    osProfile: {
      adminUsername: adminName
    }
  }
}
```
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    for property in ctx.tree().nodes_of(&[SyntaxKind::Property]).filter_map(Property::cast).filter(is_user_name) {
        let around = || property.syntax().ancestors();
        let is_in_resource = around().any(|it| it.kind() == SyntaxKind::Resource);
        // What such a property holds is not looked into.
        if !is_in_resource || around().filter_map(Property::cast).any(|outer| is_user_name(&outer)) {
            continue;
        }
        if let Some(name) = string_value(ctx, property.value()) {
            ctx.report(property.value().range(), format!("The user name \"{name}\" should come from a parameter"));
        }
    }
}

fn is_user_name(property: &Property<'_>) -> bool {
    const NAME: &str = "adminUsername";
    // Most keys are shorter, which is known sooner than their text.
    property.key().text().len() >= NAME.len()
        && property.key_text().is_some_and(|key| key.eq_ignore_ascii_case(NAME))
}

#[cfg(test)]
mod tests {
    use crate::testing::marked;

    #[test]
    fn variables_are_followed_and_cases_do_not_matter() {
        let source = "var n = 'me'\nresource r 'A.B/c@2020-01-01' = {\n  name: 'r'\n  properties: { a: [{ ADMINUSERNAME: n }] }\n}\nvar o = { adminUsername: 'x' }\n";
        assert_eq!(marked("adminusername-should-not-be-literal", source), ["n"]);
    }
}
