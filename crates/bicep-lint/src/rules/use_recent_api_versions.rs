//! `use-recent-api-versions`

use base::{Fix, TextRange, TextSize};
use bicep_syntax::ast::{Expr, Name};

use crate::api_version::ApiVersion;
use crate::calls::{AnyCall, runtime_calls};
use crate::edits::replace;
use crate::expression_type::string_value;
use crate::recent::{GRACE_PERIOD, Judgement, MAX_AGE, Standard, defined_versions, judge};
use crate::resources::{DeclaredResource, looks_like_a_type, resource_named, resources};
use crate::token_equality::equal_tokens;
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "use-recent-api-versions",
    documentation: "\
Resources should use recent API versions.

Fine are stable versions that are not too old, or the newest stable one if all are old; and previews that are newer than
every stable version and not too old themselves. Versions that are very new are never recommended, but may be used.

```bicep
resource a 'Microsoft.Storage/storageAccounts@2016-01-01' = { // <-
  name: 'a'
  location: 'westeurope'
  kind: 'StorageV2'
  sku: { name: 'Standard_LRS' }
}
```

Which versions there are is known from the installed package of resource types; without one nothing is reported.

Options: `maxAgeInDays` is the age from which a version counts as old (`730`), `gracePeriodInDays` the age from which it
is recommended (`90`).
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    let Some(today) = ctx.options.today.filter(|_| ctx.catalogue().is_some()) else { return };
    let days = |name, default| ctx.option(name).and_then(serde_json::Value::as_i64).filter(|it| *it >= 0).unwrap_or(default);
    let standard = Standard {
        today,
        max_age: days("maxAgeInDays", MAX_AGE),
        grace_period: days("gracePeriodInDays", GRACE_PERIOD),
    };
    let resources: Vec<_> = resources(ctx).into_iter().filter(|resource| resource.is_azure).collect();
    for resource in &resources {
        check_resource(ctx, standard, resource);
    }
    for call in runtime_calls(ctx.model, ctx.tree()) {
        check_call(ctx, standard, &resources, call);
    }
}

fn check_resource(ctx: &mut Context<'_, '_>, standard: Standard, resource: &DeclaredResource<'_>) {
    let Some(text) = resource.reference.version() else { return };
    let (Some(version), Some(range)) = (ApiVersion::parse(text), version_range(resource, text)) else { return };
    let judged = judge(&versions(ctx, resource.reference.name()), &version, standard);
    if let Judgement::Old { reason, acceptable } = judged {
        let fix = acceptable.first().map(|best| replace(format!("Replace with {best}"), range, best.to_string()));
        let message = old_message(resource.reference.name(), &reason, &acceptable);
        ctx.report_with(range, message, fix);
    }
}

/// The version in the text of a resource's own type.
fn version_range(resource: &DeclaredResource<'_>, version: &str) -> Option<TextRange> {
    let token = resource.declaration.path()?.segments().next()?;
    let offset = TextSize::try_from(token.text().find(version)?).ok()?;
    Some(TextRange::at(token.range().start() + offset, TextSize::of(version)))
}

fn check_call(
    ctx: &mut Context<'_, '_>,
    standard: Standard,
    resources: &[DeclaredResource<'_>],
    call: AnyCall<'_>,
) {
    let arguments = call.arguments();
    let [id, version, ..] = arguments.as_slice() else { return };
    let Some(version) = string_value(ctx, *version).and_then(|text| ApiVersion::parse(&text)) else { return };
    let Some(ty) = type_in_call(ctx, resources, *id) else { return };
    let ty = known_part(ctx, &ty);
    let no_fix: Option<Fix> = None;
    let message = match judge(&versions(ctx, &ty), &version, standard) {
        Judgement::Fine => return,
        Judgement::UnknownType => format!("The resource type \"{ty}\" is not known"),
        Judgement::UnknownVersion => format!("The resource type \"{ty}\" has no version {version}"),
        Judgement::Old { reason, acceptable } => old_message(&ty, &reason, &acceptable),
    };
    ctx.report_with(call.range(), message, no_fix);
}

fn old_message(ty: &str, reason: &str, acceptable: &[ApiVersion]) -> String {
    let list: Vec<String> = acceptable.iter().map(ToString::to_string).collect();
    format!("The version of \"{ty}\" {reason}; use one of {}", list.join(", "))
}

/// The type of the resource that the first argument of a call means.
fn type_in_call(ctx: &Context<'_, '_>, resources: &[DeclaredResource<'_>], id: Expr<'_>) -> Option<String> {
    let of_resource_id = AnyCall::cast(id.syntax())
        .filter(|call| call.name() == Some("resourceId"))
        .and_then(|call| joined_literals(ctx, &call.arguments()));
    let of_text = || string_value(ctx, id).filter(|text| looks_like_a_type(text));
    let of_symbol = || match id {
        Expr::PropertyAccess(access) if access.name().and_then(Name::text).is_some() => {
            let symbol = resource_named(ctx, access.base())?;
            resources.iter().find(|it| it.symbol == symbol).map(|it| it.reference.name().to_string())
        }
        _ => None,
    };
    let of_name = || {
        let has_name = |it: &&DeclaredResource<'_>| {
            it.property("name").is_some_and(|name| {
                let same_value = || string_value(ctx, name).is_some_and(|own| Some(own) == string_value(ctx, id));
                equal_tokens(name.syntax(), id.syntax()) || same_value()
            })
        };
        resources.iter().find(has_name).map(|it| it.reference.name().to_string())
    };
    of_resource_id.or_else(of_text).or_else(of_symbol).or_else(of_name)
}

/// The first argument that is a type, with all texts right behind it: they may be further parts of the type.
fn joined_literals(ctx: &Context<'_, '_>, arguments: &[Expr<'_>]) -> Option<String> {
    let texts: Vec<Option<String>> = arguments.iter().map(|argument| string_value(ctx, *argument)).collect();
    let is_type = |text: &Option<String>| text.as_deref().is_some_and(|it| looks_like_a_type(it.trim_end_matches('/')));
    let start = texts.iter().position(is_type)?;
    let parts: Vec<String> = texts.into_iter().skip(start).map_while(|text| text).collect();
    Some(parts.join("/"))
}

/// The longest start of a type that is known; else the shortest that may be a type.
fn known_part(ctx: &Context<'_, '_>, ty: &str) -> String {
    let mut shortest = ty;
    let mut part = ty;
    while looks_like_a_type(part) {
        if !versions(ctx, part).is_empty() {
            return part.to_owned();
        }
        shortest = part;
        let Some((outer, _)) = part.rsplit_once('/') else { break };
        part = outer;
    }
    shortest.to_owned()
}

fn versions(ctx: &Context<'_, '_>, ty: &str) -> Vec<ApiVersion> {
    ctx.catalogue().map(|catalogue| defined_versions(catalogue, ty)).unwrap_or_default()
}
