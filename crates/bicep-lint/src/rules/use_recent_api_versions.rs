//! `use-recent-api-versions`

use base::{Fix, TextRange, TextSize};
use bicep_syntax::ast::{Expr, Name};

use crate::api_version::{ApiVersion, Date};
use crate::calls::{AnyCall, runtime_calls};
use crate::edits::replace;
use crate::known::string_value;
use crate::resources::{DeclaredResource, looks_like_a_type, resource_named, resources};
use crate::token_equality::equal_tokens;
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "use-recent-api-versions",
    documentation: "\
Resource types should be used in a recent version.

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

const MAX_AGE: i64 = 730;
const GRACE_PERIOD: i64 = 90;

/// What a version is judged by.
#[derive(Debug, Clone, Copy)]
struct Standard {
    today: Date,
    max_age: i64,
    grace_period: i64,
}

impl Standard {
    fn is_recent(self, version: &ApiVersion) -> bool {
        self.today.days_since(version.date) <= self.max_age
    }

    fn is_too_new(self, version: &ApiVersion) -> bool {
        self.grace_period > 0 && self.today.days_since(version.date) < self.grace_period
    }
}

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
    for call in runtime_calls(ctx.model, ctx.tree().root()) {
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
    let entry = ctx.catalogue().and_then(|catalogue| catalogue.find_type(ty).ok().flatten());
    let versions = entry.into_iter().flat_map(|entry| entry.versions);
    versions.filter(bicep_types::catalogue::Versioned::is_defined).filter_map(|it| ApiVersion::parse(it.version)).collect()
}

enum Judgement {
    Fine,
    UnknownType,
    UnknownVersion,
    Old { reason: String, acceptable: Vec<ApiVersion> },
}

fn judge(all: &[ApiVersion], version: &ApiVersion, standard: Standard) -> Judgement {
    let acceptable = acceptable(all, standard);
    if acceptable.contains(version) {
        return Judgement::Fine;
    }
    if all.is_empty() {
        return Judgement::UnknownType;
    }
    if !all.contains(version) {
        return Judgement::UnknownVersion;
    }
    if standard.is_too_new(version) {
        return Judgement::Fine;
    }
    let newest_stable = all.iter().filter(|it| it.is_stable()).map(|it| it.date).max();
    let is_overtaken = newest_stable.is_some_and(|newest| version.date <= newest);
    let reason = if !version.is_stable() && standard.is_recent(version) && is_overtaken {
        format!("is a preview, {version}, and there is a stable one")
    } else {
        format!("is {version}, {} days old", standard.today.days_since(version.date))
    };
    Judgement::Old { reason, acceptable }
}

/// The versions that are fine, the best first.
fn acceptable(all: &[ApiVersion], standard: Standard) -> Vec<ApiVersion> {
    let old_enough: Vec<&ApiVersion> = all.iter().filter(|it| !standard.is_too_new(it)).collect();
    let candidates = if old_enough.is_empty() { all.iter().collect() } else { old_enough };
    let (stable, previews): (Vec<_>, Vec<_>) = candidates.into_iter().partition(|it| it.is_stable());
    let mut fine = recent_or_newest(&stable, standard);
    match stable.iter().map(|it| it.date).max() {
        Some(newest) => {
            let newer = previews.into_iter().filter(|it| standard.is_recent(it) && it.date > newest);
            fine.extend(newer.cloned());
        }
        None => fine = recent_or_newest(&previews, standard),
    }
    fine.sort_by(ApiVersion::newest_first);
    fine
}

/// The recent ones of some versions, or those of the newest day if none is recent.
fn recent_or_newest(versions: &[&ApiVersion], standard: Standard) -> Vec<ApiVersion> {
    let newest = versions.iter().map(|it| it.date).max();
    let has_recent = versions.iter().any(|it| standard.is_recent(it));
    let counts = |it: &&&ApiVersion| if has_recent { standard.is_recent(it) } else { Some(it.date) == newest };
    versions.iter().filter(counts).map(|it| (*it).clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_acceptable(all: &[&str], expected: &[&str]) {
        let all: Vec<_> = all.iter().map(|text| ApiVersion::parse(text).unwrap()).collect();
        let standard = Standard { today: Date::new(2025, 12, 31).unwrap(), max_age: MAX_AGE, grace_period: GRACE_PERIOD };
        let shown: Vec<String> = acceptable(&all, standard).iter().map(ToString::to_string).collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn recent_stable_versions_are_fine() {
        check_acceptable(&["2020-01-01", "2024-05-01", "2025-01-01"], &["2025-01-01", "2024-05-01"]);
        check_acceptable(&["2019-01-01", "2020-01-01"], &["2020-01-01"]);
    }

    #[test]
    fn previews_must_be_newer_than_everything_stable() {
        check_acceptable(
            &["2024-01-01-preview", "2024-05-01", "2025-01-01-preview", "2020-01-01-preview"],
            &["2025-01-01-preview", "2024-05-01"],
        );
        check_acceptable(&["2019-01-01-preview", "2019-01-01-alpha"], &["2019-01-01-alpha", "2019-01-01-preview"]);
    }

    #[test]
    fn what_is_very_new_is_not_recommended() {
        check_acceptable(&["2024-05-01", "2025-12-01"], &["2024-05-01"]);
        check_acceptable(&["2025-12-01"], &["2025-12-01"]);
    }
}
