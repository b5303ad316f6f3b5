//! Resource ids at all scopes.

use super::{ExpressionSites, Function, MANY, open, whole};
use crate::error::Error;
use crate::evaluate::{ContextObject, Invocation};
use crate::expression::{Accessor, Expr};
use crate::template::TargetScope;
use crate::value::{Origin, Unknown, Value};

pub(super) const TABLE: &[Function] = &[
    open("resourceId", 2, MANY, resource_id).only(ExpressionSites::TEMPLATE),
    open("subscriptionResourceId", 2, MANY, subscription_resource_id).only(ExpressionSites::TEMPLATE),
    open("managementGroupResourceId", 2, MANY, management_group_resource_id).only(ExpressionSites::TEMPLATE),
    whole("tenantResourceId", 2, MANY, tenant_resource_id),
    whole("extensionResourceId", 3, MANY, extension_resource_id),
];

/// `providers/Type/name/child/name`, or nothing if there is not one name to every segment of the type.
pub(crate) fn relative_id(resource_type: &str, names: &[&str]) -> Option<String> {
    let mut segments = resource_type.trim_matches('/').split('/');
    let mut out = format!("providers/{}", segments.next()?);
    let mut names = names.iter().flat_map(|name| name.split('/'));
    for segment in segments {
        out.push_str(&format!("/{segment}/{}", names.next()?));
    }
    names.next().is_none().then_some(out)
}

/// The id of a resource of this type below a scope. Groups and subscriptions are scopes themselves: their ids have no
/// provider in them.
pub(crate) fn id_below(scope: &str, resource_type: &str, names: &[&str]) -> Option<String> {
    let scope = scope.trim_end_matches('/');
    match (resource_type.to_ascii_lowercase().as_str(), names) {
        ("microsoft.resources/resourcegroups", [name]) if scope.contains("/subscriptions/") => {
            Some(format!("{scope}/resourceGroups/{name}"))
        }
        ("microsoft.resources/subscriptions", [name]) => Some(format!("/subscriptions/{name}")),
        ("microsoft.resources/subscriptions/resourcegroups", [name, group]) => {
            Some(format!("/subscriptions/{name}/resourceGroups/{group}"))
        }
        _ => Some(format!("{scope}/{}", relative_id(resource_type, names)?)),
    }
}

fn resource_id(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let (lead, rest) = overload(call, args, 2)?;
    let scope = call.evaluator.environment().target_scope();
    match (lead, scope) {
        ([], TargetScope::Tenant) => tenant_resource_id(call, args),
        ([], TargetScope::ManagementGroup) => management_group_resource_id(call, args),
        ([], TargetScope::Subscription) => subscription_resource_id(call, args),
        _ => {
            let (subscription, group) = match lead {
                [subscription, group] => (subscription.clone(), group.clone()),
                [group] => (context(call, ContextObject::Subscription, "subscriptionId")?, group.clone()),
                _ => (
                    context(call, ContextObject::Subscription, "subscriptionId")?,
                    context(call, ContextObject::ResourceGroup, "name")?,
                ),
            };
            finish(call, "resourceId", &[subscription, group], rest)
        }
    }
}

fn subscription_resource_id(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let (lead, rest) = overload(call, args, 1)?;
    let subscription = match lead {
        [subscription] => subscription.clone(),
        // Above subscriptions the call is allowed; only a deployment knows which subscription it means.
        _ if is_above_subscriptions(call) => match call.evaluator.environment().default_subscription() {
            Some(subscription) => Value::string(subscription.as_str()),
            None => return Ok(call.unknown(args, Origin::Context("subscription().subscriptionId".into()))),
        },
        _ => context(call, ContextObject::Subscription, "subscriptionId")?,
    };
    finish(call, "subscriptionResourceId", &[subscription], rest)
}

fn is_above_subscriptions(call: &Invocation<'_>) -> bool {
    let scope = call.evaluator.environment().target_scope();
    matches!(scope, TargetScope::ManagementGroup | TargetScope::Tenant)
}

fn management_group_resource_id(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let (lead, rest) = overload(call, args, 1)?;
    let group = match lead {
        [group] => group.clone(),
        _ => context(call, ContextObject::ManagementGroup, "name")?,
    };
    finish(call, "managementGroupResourceId", &[group], rest)
}

fn tenant_resource_id(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    finish(call, "tenantResourceId", &[], args)
}

fn extension_resource_id(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let Some((_, rest)) = args.split_first() else { return Err(call.invalid("arguments are missing")) };
    let (resource_type, names) = type_and_names(call, rest)?;
    let relative =
        relative_id(resource_type, &names).ok_or_else(|| unequal(call, resource_type, names.len()))?;
    call.text(format!("{}/{relative}", call.string(args, 0)?.trim_end_matches('/')))
}

/// The id, or the call that would give it when a part is not known.
fn finish(call: &Invocation<'_>, function: &str, lead: &[Value], rest: &[Value]) -> Result<Value, Error> {
    if lead.iter().chain(rest).any(Value::has_unknown) {
        let all: Vec<Value> = lead.iter().chain(rest).cloned().collect();
        return call.residual_as(function, &all);
    }
    let (resource_type, names) = type_and_names(call, rest)?;
    let lead = (0..lead.len()).map(|index| call.string(lead, index)).collect::<Result<Vec<_>, _>>()?;
    let scope = match (function, lead.as_slice()) {
        ("managementGroupResourceId", [group]) => {
            format!("/providers/Microsoft.Management/managementGroups/{group}")
        }
        (_, [subscription, group]) => format!("/subscriptions/{subscription}/resourceGroups/{group}"),
        (_, [subscription]) => format!("/subscriptions/{subscription}"),
        _ => String::new(),
    };
    let id = id_below(&scope, resource_type, &names);
    call.text(id.ok_or_else(|| unequal(call, resource_type, names.len()))?)
}

/// Splits optional leading arguments from type and names: the type is the first argument with as many further segments
/// as there are names after it.
fn overload<'v>(
    call: &Invocation<'_>,
    args: &'v [Value],
    optional: usize,
) -> Result<(&'v [Value], &'v [Value]), Error> {
    let mut fallback = None;
    for lead in 0..=optional.min(args.len().saturating_sub(2)) {
        let Some((before, rest)) = args.split_at_checked(lead) else { break };
        let Some(resource_type) = rest.first().and_then(Value::as_str) else { continue };
        let segments = resource_type.trim_matches('/').split('/').count();
        if segments > 1 && segments == rest.len() {
            return Ok((before, rest));
        }
        if segments > 1 && fallback.is_none() {
            fallback = Some((before, rest));
        }
    }
    match fallback {
        Some(split) => Ok(split),
        // The type itself is not known: all arguments are kept as they are.
        None if args.iter().any(Value::is_unknown) => Ok((&[], args)),
        None => Err(call.invalid("there is no resource type among the arguments")),
    }
}

fn type_and_names<'v>(call: &Invocation<'_>, rest: &'v [Value]) -> Result<(&'v str, Vec<&'v str>), Error> {
    let resource_type = call.string(rest, 0)?;
    let names = (1..rest.len()).map(|index| call.string(rest, index)).collect::<Result<_, _>>()?;
    Ok((resource_type, names))
}

fn unequal(call: &Invocation<'_>, resource_type: &str, names: usize) -> Error {
    call.invalid(format!("type '{resource_type}' does not take {names} names"))
}

/// A part of the place of deployment.
fn context(call: &Invocation<'_>, subject: ContextObject, part: &str) -> Result<Value, Error> {
    let object = call.evaluator.environment().subject(subject)?;
    if let Some(value) = object.as_ref().and_then(|object| object.get(part)) {
        return Ok(value.clone());
    }
    let expression = Expr::call(subject.function(), vec![]).access(Accessor::Property(part.into()));
    let origin = Origin::Context(format!("{}().{part}", subject.function()).into());
    Ok(Value::unknown(Unknown::new(expression, origin)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::Environment;
    use crate::functions::testing::{check_all, check_in};

    struct At(TargetScope);

    impl Environment for At {
        fn target_scope(&self) -> TargetScope {
            self.0
        }

        fn subject(&self, subject: ContextObject) -> Result<Option<Value>, Error> {
            Ok(match subject {
                ContextObject::Subscription => Some(Value::object([("subscriptionId", Value::from("S"))])),
                ContextObject::ResourceGroup => Some(Value::object([("name", Value::from("G"))])),
                ContextObject::ManagementGroup => Some(Value::object([("name", Value::from("M"))])),
                _ => None,
            })
        }
    }

    #[test]
    fn ids_follow_the_scope_of_deployment() {
        for (scope, expected) in [
            (TargetScope::ResourceGroup, "\"/subscriptions/S/resourceGroups/G/providers/A.B/c/n\""),
            (TargetScope::Subscription, "\"/subscriptions/S/providers/A.B/c/n\""),
            (
                TargetScope::ManagementGroup,
                "\"/providers/Microsoft.Management/managementGroups/M/providers/A.B/c/n\"",
            ),
            (TargetScope::Tenant, "\"/providers/A.B/c/n\""),
        ] {
            check_in(&At(scope), "resourceId('A.B/c', 'n')", expected);
        }
    }

    #[test]
    fn leading_arguments_name_another_place() {
        let here = At(TargetScope::ResourceGroup);
        for (expression, expected) in [
            (
                "resourceId('g', 'A.B/c/d', 'n', 'm')",
                "\"/subscriptions/S/resourceGroups/g/providers/A.B/c/n/d/m\"",
            ),
            ("resourceId('s', 'g', 'A.B/c', 'n')", "\"/subscriptions/s/resourceGroups/g/providers/A.B/c/n\""),
            ("subscriptionResourceId('s', 'A.B/c', 'n')", "\"/subscriptions/s/providers/A.B/c/n\""),
            (
                "subscriptionResourceId('Microsoft.Resources/resourceGroups', 'g')",
                "\"/subscriptions/S/resourceGroups/g\"",
            ),
            (
                "managementGroupResourceId('m', 'A.B/c', 'n')",
                "\"/providers/Microsoft.Management/managementGroups/m/providers/A.B/c/n\"",
            ),
            ("tenantResourceId('A.B/c', 'n')", "\"/providers/A.B/c/n\""),
            ("tenantResourceId('Microsoft.Resources/subscriptions', 's')", "\"/subscriptions/s\""),
            ("extensionResourceId('/x/y', 'A.B/c', 'n')", "\"/x/y/providers/A.B/c/n\""),
            ("resourceId('A.B/c', 'n', 'm')", "\"!invalid-argument\""),
            ("resourceId('n', 'm')", "\"!invalid-argument\""),
        ] {
            check_in(&here, expression, expected);
        }
    }

    #[test]
    fn unknown_places_are_kept_as_calls() {
        check_all(&[
            (
                "resourceId('A.B/c', 'n')",
                "\"[resourceId(subscription().subscriptionId, resourceGroup().name, 'A.B/c', 'n')]\"",
            ),
            (
                "subscriptionResourceId('A.B/c', newGuid())",
                "\"[subscriptionResourceId(subscription().subscriptionId, 'A.B/c', newGuid())]\"",
            ),
            ("resourceId('s', 'g', 'A.B/c', newGuid())", "\"[resourceId('s', 'g', 'A.B/c', newGuid())]\""),
        ]);
    }
}
