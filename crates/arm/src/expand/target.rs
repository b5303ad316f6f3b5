//! Where a resource goes: the scope it is written in, or another one, and the id that follows.

use smol_str::SmolStr;

use crate::context::Context;
use crate::evaluate::ContextObject;
use crate::expression::{Accessor, Expr};
use crate::functions::resource_id::id_below;
use crate::template::TargetScope;
use crate::value::{Origin, Unknown, Value};

/// The place of a resource.
#[derive(Debug, Clone)]
pub(super) enum ResourceScope {
    /// The whole tenant.
    Tenant,
    /// A management group by name.
    ManagementGroup(Value),
    /// A subscription by id.
    Subscription(Value),
    /// A subscription and a group.
    ResourceGroup(Value, Value),
    /// Another resource, by id.
    Resource(Value),
}

impl ResourceScope {
    /// Where a template of this scope is deployed to.
    pub(super) fn of_context(context: &Context, scope: TargetScope) -> Self {
        let subscription =
            || given(context.subscription_id.as_ref(), ContextObject::Subscription, "subscriptionId");
        match scope {
            TargetScope::Tenant => Self::Tenant,
            TargetScope::ManagementGroup => Self::ManagementGroup(given(
                context.management_group.as_ref(),
                ContextObject::ManagementGroup,
                "name",
            )),
            TargetScope::Subscription => Self::Subscription(subscription()),
            TargetScope::ResourceGroup => Self::ResourceGroup(
                subscription(),
                given(context.resource_group.as_ref(), ContextObject::ResourceGroup, "name"),
            ),
        }
    }

    /// The same with the subscription or group that the resource names.
    pub(super) fn moved(self, subscription: Option<Value>, group: Option<Value>, context: &Context) -> Self {
        if subscription.is_none() && group.is_none() {
            return self;
        }
        let current = match &self {
            Self::Subscription(subscription) | Self::ResourceGroup(subscription, _) => subscription.clone(),
            _ => given(context.subscription_id.as_ref(), ContextObject::Subscription, "subscriptionId"),
        };
        let subscription = subscription.unwrap_or(current);
        match group {
            Some(group) => Self::ResourceGroup(subscription, group),
            None => Self::Subscription(subscription),
        }
    }

    /// The place that the member `scope` names: `/`, an id, or `Type/name` below the place of the deployment.
    pub(super) fn named(self, scope: &Value) -> Self {
        let Some(text) = scope.as_str() else { return Self::Resource(scope.clone()) };
        let lower = text.to_ascii_lowercase();
        if matches!(text, "/" | "") {
            return Self::Tenant;
        }
        let groups = "microsoft.management/managementgroups/";
        let plain = lower.trim_start_matches('/').trim_start_matches("providers/");
        if let Some(name) = plain.strip_prefix(groups).filter(|name| !name.contains('/')) {
            let name = text.get(text.len() - name.len()..).unwrap_or_default();
            return Self::ManagementGroup(Value::from(name));
        }
        if text.starts_with('/') {
            let parts: Vec<&str> = text.trim_start_matches('/').split('/').collect();
            return match parts.as_slice() {
                ["subscriptions", id] => Self::Subscription(Value::from(*id)),
                ["subscriptions", id, "resourceGroups" | "resourcegroups", group] => {
                    Self::ResourceGroup(Value::from(*id), Value::from(*group))
                }
                _ => Self::Resource(scope.clone()),
            };
        }
        // `Namespace/type/name/child/name`: types and names take turns.
        let mut parts = text.split('/');
        let mut resource_type = parts.next().unwrap_or_default().to_owned();
        let mut names = Vec::new();
        while let (Some(segment), Some(name)) = (parts.next(), parts.next()) {
            resource_type = format!("{resource_type}/{segment}");
            names.push(Value::from(name));
        }
        Self::Resource(self.id_of(&Value::string(resource_type), &names))
    }

    /// The id of a resource in this place, or the call that would give it.
    pub(super) fn id_of(&self, resource_type: &Value, names: &[Value]) -> Value {
        if let (Some(scope), Some(resource_type)) = (self.id(), resource_type.as_str()) {
            let texts: Option<Vec<&str>> = names.iter().map(Value::as_str).collect();
            if let Some(id) = texts.and_then(|names| id_below(&scope, resource_type, &names)) {
                let secure = names.iter().any(Value::has_secure);
                return if secure { Value::from(id).into_secure() } else { Value::from(id) };
            }
        }
        let (function, mut args) = match self {
            Self::Tenant => ("tenantResourceId", Vec::new()),
            Self::ManagementGroup(group) => ("managementGroupResourceId", vec![group.clone()]),
            Self::Subscription(subscription) => ("subscriptionResourceId", vec![subscription.clone()]),
            Self::ResourceGroup(subscription, group) => {
                ("resourceId", vec![subscription.clone(), group.clone()])
            }
            Self::Resource(id) => ("extensionResourceId", vec![id.clone()]),
        };
        args.push(resource_type.clone());
        args.extend_from_slice(names);
        let call = Expr::call(function, args.iter().map(Expr::of_value).collect());
        Value::unknown(Unknown::of_parts(call, &args))
    }

    /// The id of the place itself, if it is known.
    fn id(&self) -> Option<String> {
        Some(match self {
            Self::Tenant => String::new(),
            Self::ManagementGroup(group) => {
                format!("/providers/Microsoft.Management/managementGroups/{}", group.as_str()?)
            }
            Self::Subscription(subscription) => format!("/subscriptions/{}", subscription.as_str()?),
            Self::ResourceGroup(subscription, group) => {
                format!("/subscriptions/{}/resourceGroups/{}", subscription.as_str()?, group.as_str()?)
            }
            Self::Resource(id) => id.as_str()?.to_owned(),
        })
    }

    /// The context of a deployment in this place, seen from the context of the deployment around it.
    pub(super) fn context(&self, around: &Context, scope: TargetScope) -> Context {
        let text = |value: &Value| value.as_str().map(SmolStr::new);
        let mut context = Context { deployment_name: None, location: None, tags: None, ..around.clone() };
        match self {
            Self::Tenant | Self::Resource(_) => {}
            Self::ManagementGroup(group) => context.management_group = text(group),
            Self::Subscription(subscription) => context.subscription_id = text(subscription),
            Self::ResourceGroup(subscription, group) => {
                let subscription = text(subscription);
                let group = text(group);
                let same = group.is_some()
                    && context.resource_group == group
                    && context.subscription_id == subscription
                    && scope == TargetScope::ResourceGroup;
                if same {
                    (context.location, context.tags) = (around.location.clone(), around.tags.clone());
                }
                (context.subscription_id, context.resource_group) = (subscription, group);
            }
        }
        context
    }
}

fn given(known: Option<&SmolStr>, subject: ContextObject, part: &str) -> Value {
    match known {
        Some(text) => Value::string(text.as_str()),
        None => {
            let expression = Expr::call(subject.function(), vec![]).access(Accessor::Property(part.into()));
            let origin = Origin::Context(format!("{}().{part}", subject.function()).into());
            Value::unknown(Unknown::new(expression, origin))
        }
    }
}
