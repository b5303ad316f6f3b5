//! `use-recent-az-powershell-version`

use base::TextRange;
use bicep_syntax::SyntaxKind;
use bicep_syntax::ast::{Expr, Name, Object, Property, Resource, Str};

use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "use-recent-az-powershell-version",
    documentation: "\
Deployment scripts should use a recent version of Az PowerShell.

Old versions no longer get fixes.

```bicep
resource script 'Microsoft.Resources/deploymentScripts@2023-08-01' = { // <-
  name: 'script'
  location: 'westeurope'
  kind: 'AzurePowerShell'
  properties: {
    azPowerShellVersion: '8.3'
    retentionInterval: 'P1D'
  }
}
```

Option: `minimumVersion` is the oldest version that is fine (`11.0`).
",
    check,
};

const DEFAULT_MINIMUM: &str = "11.0";

fn check(ctx: &mut Context<'_, '_>) {
    let wanted = ctx.option("minimumVersion").and_then(|value| value.as_str()).unwrap_or(DEFAULT_MINIMUM);
    let Some(minimum) = version(wanted) else {
        let message = format!("The option \"minimumVersion\" is no version: \"{wanted}\"");
        ctx.report(TextRange::default(), message);
        return;
    };
    for resource in ctx.tree().nodes_of(&[SyntaxKind::Resource]).filter_map(Resource::cast) {
        let Some(written) = script_version(resource) else { continue };
        if version(&written).is_some_and(|version| version < minimum) {
            let message = format!("The script uses version {written} of Az PowerShell; use {wanted} or newer");
            ctx.report(resource.range(), message);
        }
    }
}

/// The version that a PowerShell script asks for.
fn script_version(resource: Resource<'_>) -> Option<String> {
    let is_script = resource.path().and_then(Str::value)?.contains("Microsoft.Resources/deploymentScripts");
    let Expr::Object(body) = resource.value() else { return None };
    let kind = text(plainly_named(body, |key| key.eq_ignore_ascii_case("kind"))?)?;
    if !is_script || !kind.eq_ignore_ascii_case("AzurePowerShell") {
        return None;
    }
    let Expr::Object(properties) = plainly_named(body, |key| key == "properties")?.value() else { return None };
    text(plainly_named(properties, |key| key.eq_ignore_ascii_case("azPowerShellVersion"))?)
}

/// The first property whose name is written without quotes and is the one wanted.
fn plainly_named<'t>(object: Object<'t>, is_wanted: impl Fn(&str) -> bool) -> Option<Property<'t>> {
    object.properties().find(|it| Name::cast(it.key()).and_then(Name::text).is_some_and(&is_wanted))
}

fn text(property: Property<'_>) -> Option<String> {
    match property.value() {
        Expr::Str(text) => text.value(),
        _ => None,
    }
}

/// A version of two to four numbers. A part that is missing is older than zero.
fn version(text: &str) -> Option<[i64; 4]> {
    let parts: Vec<&str> = text.split('.').collect();
    if !(2..=4).contains(&parts.len()) {
        return None;
    }
    let mut version = [-1; 4];
    for (slot, part) in version.iter_mut().zip(parts) {
        *slot = i64::from(part.trim().parse::<u32>().ok()?);
    }
    Some(version)
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn versions_are_numbers() {
        let script = |version: &str, mark: &str| {
            format!("resource s 'Microsoft.Resources/deploymentScripts@2023-08-01' = {{{mark}\n  name: 's'\n  kind: 'azurepowershell'\n  properties: {{\n    azPowerShellVersion: '{version}'\n  }}\n}}\n")
        };
        for (version, mark) in [("10.9", " // <-"), ("9.7.1", " // <-"), ("11.0", ""), ("11.0.1", ""), ("latest", "")] {
            check("use-recent-az-powershell-version", &script(version, mark));
        }
    }
}
