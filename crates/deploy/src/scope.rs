//! Where deployments and resources live: scopes and ids, from text and back. Ids are compared in any letter case.

use std::collections::HashSet;
use std::fmt;

use arm::TargetScope;
use smol_str::SmolStr;

/// The subscription that commands use when none is named.
pub(crate) const DEFAULT_SUBSCRIPTION: &str = "00000000-0000-0000-0000-000000000000";

/// What a deployment is made to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// The whole tenant.
    Tenant,
    ManagementGroup {
        /// Its name.
        id: SmolStr,
    },
    Subscription {
        id: SmolStr,
    },
    ResourceGroup {
        /// The subscription's id.
        subscription: SmolStr,
        /// The group's name.
        group: SmolStr,
    },
}

impl Scope {
    /// The id of the scope; empty for the tenant.
    pub fn id(&self) -> String {
        match self {
            Self::Tenant => String::new(),
            Self::ManagementGroup { id } => format!("/providers/Microsoft.Management/managementGroups/{id}"),
            Self::Subscription { id } => format!("/subscriptions/{id}"),
            Self::ResourceGroup { subscription, group } => {
                format!("/subscriptions/{subscription}/resourceGroups/{group}")
            }
        }
    }

    /// The scope of an id, if the id is that of a scope.
    pub fn parse(id: &str) -> Option<Self> {
        let parts: Vec<&str> = id.trim_matches('/').split('/').collect();
        let is = |part: &str, word: &str| part.eq_ignore_ascii_case(word);
        match parts.as_slice() {
            [""] => Some(Self::Tenant),
            [a, id] if is(a, "subscriptions") => Some(Self::Subscription { id: SmolStr::new(id) }),
            [a, subscription, b, group] if is(a, "subscriptions") && is(b, "resourceGroups") => {
                Some(Self::ResourceGroup {
                    subscription: SmolStr::new(subscription),
                    group: SmolStr::new(group),
                })
            }
            [a, b, c, id]
                if is(a, "providers") && is(b, "Microsoft.Management") && is(c, "managementGroups") =>
            {
                Some(Self::ManagementGroup { id: SmolStr::new(id) })
            }
            _ => None,
        }
    }

    /// The kind of scope, as templates name it.
    pub fn kind(&self) -> TargetScope {
        match self {
            Self::Tenant => TargetScope::Tenant,
            Self::ManagementGroup { .. } => TargetScope::ManagementGroup,
            Self::Subscription { .. } => TargetScope::Subscription,
            Self::ResourceGroup { .. } => TargetScope::ResourceGroup,
        }
    }

    /// The form under which ids in any letter case meet.
    pub(crate) fn key(&self) -> String {
        key(&self.id())
    }
}

/// A deployment: a name within a scope.
#[derive(Debug, Clone)]
pub struct DeploymentId {
    /// Where.
    pub scope: Scope,
    /// Its name there.
    pub name: SmolStr,
}

impl DeploymentId {
    /// A deployment of this name in this scope.
    pub fn new(scope: Scope, name: &str) -> Self {
        Self { scope, name: SmolStr::new(name) }
    }

    /// The deployment of an id such as `/subscriptions/…/providers/Microsoft.Resources/deployments/main`.
    pub fn parse(id: &str) -> Option<Self> {
        let resource = ResourceId::parse(id)?;
        let is_deployment = resource.resource_type.eq_ignore_ascii_case(DEPLOYMENT_TYPE);
        let [name] = resource.names.as_slice() else { return None };
        is_deployment.then(|| Some(Self::new(Scope::parse(&resource.scope)?, name)))?
    }

    pub(crate) fn key(&self) -> String {
        key(&self.to_string())
    }
}

impl fmt::Display for DeploymentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/providers/{DEPLOYMENT_TYPE}/{}", self.scope.id(), self.name)
    }
}

impl PartialEq for DeploymentId {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for DeploymentId {}

/// The type of deployments.
pub(crate) const DEPLOYMENT_TYPE: &str = "Microsoft.Resources/deployments";
/// The type of resource groups.
pub(crate) const GROUP_TYPE: &str = "Microsoft.Resources/resourceGroups";

/// The parts of a resource id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ResourceId {
    /// The id of what the resource lives in: a scope, or the resource that it extends.
    pub scope: String,
    /// Its full type.
    pub resource_type: String,
    /// Its name segments, one for each segment of the type after the first.
    pub names: Vec<String>,
}

impl ResourceId {
    /// The parts of an id. Groups have one of their own form.
    pub fn parse(id: &str) -> Option<Self> {
        let id = id.trim_end_matches('/');
        if id.chars().any(char::is_control) {
            return None;
        }
        if let Some(Scope::ResourceGroup { subscription, group }) = Scope::parse(id) {
            return Some(Self {
                scope: format!("/subscriptions/{subscription}"),
                resource_type: GROUP_TYPE.into(),
                names: vec![group.to_string()],
            });
        }
        let lower = id.to_ascii_lowercase();
        let at = lower.rfind("/providers/")?;
        let (scope, rest) = (id.get(..at)?, id.get(at + "/providers/".len()..)?);
        let mut parts = rest.split('/');
        let mut resource_type = parts.next().filter(|part| !part.is_empty())?.to_owned();
        let mut names = Vec::new();
        while let Some(segment) = parts.next() {
            let name = parts.next()?;
            if segment.is_empty() || name.is_empty() {
                return None;
            }
            resource_type = format!("{resource_type}/{segment}");
            names.push(name.to_owned());
        }
        (!names.is_empty()).then(|| Self { scope: scope.to_owned(), resource_type, names })
    }

    /// The name with all its segments.
    pub fn name(&self) -> String {
        self.names.join("/")
    }
}

/// The form under which ids in any letter case meet.
pub(crate) fn key(id: &str) -> String {
    id.trim_end_matches('/').to_lowercase()
}

/// Whether a key is one of these, or lies below one of them: a child belongs to its parent.
pub(crate) fn belongs(key: &str, to: &HashSet<String>) -> bool {
    let ends = key.match_indices('/').map(|(at, _)| at).chain([key.len()]);
    ends.filter_map(|end| key.get(..end)).any(|above| to.contains(above))
}

/// The key of the resource group that an id lies in.
pub(crate) fn group_key(id: &str) -> Option<String> {
    let key = key(id);
    let mut ends = key.match_indices('/').map(|(at, _)| at);
    if !key.starts_with("/subscriptions/") || !key.contains("/resourcegroups/") {
        return None;
    }
    // The fifth slash ends the group's id.
    let end = ends.nth(4).unwrap_or(key.len());
    key.get(..end).map(str::to_owned)
}

/// The key of the subscription that a key lies in; empty outside of subscriptions.
pub(crate) fn subscription_key(key: &str) -> String {
    let mut parts = key.split('/').skip(1);
    match (parts.next(), parts.next()) {
        (Some("subscriptions"), Some(id)) => format!("/subscriptions/{id}"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_parts() {
        let check = |id: &str, expected: Option<(&str, &str, &str)>| {
            let parts = ResourceId::parse(id);
            let parts = parts.as_ref().map(|id| (id.scope.as_str(), id.resource_type.as_str(), id.name()));
            let parts = parts.as_ref().map(|(scope, of, name)| (*scope, *of, name.as_str()));
            assert_eq!(parts, expected, "{id}");
        };
        check(
            "/subscriptions/s/resourceGroups/g/providers/A.B/c/n",
            Some(("/subscriptions/s/resourceGroups/g", "A.B/c", "n")),
        );
        check("/providers/A.B/c/n/d/m/", Some(("", "A.B/c/d", "n/m")));
        check("/subscriptions/s/resourcegroups/g", Some(("/subscriptions/s", GROUP_TYPE, "g")));
        check(
            "/subscriptions/s/providers/A.B/c/n/providers/X.Y/z/o",
            Some(("/subscriptions/s/providers/A.B/c/n", "X.Y/z", "o")),
        );
        for bad in [
            "",
            "/",
            "nothing",
            "/providers/A.B",
            "/providers/A.B/c",
            "/providers/A.B/c/n/d",
            "/providers//c/n",
            "/providers/A.B/c/n\0",
        ] {
            check(bad, None);
        }
    }

    #[test]
    fn deployments_are_equal_in_any_letter_case() {
        let a = DeploymentId::parse(
            "/subscriptions/S/resourcegroups/G/providers/microsoft.resources/Deployments/Main",
        );
        let scope = Scope::ResourceGroup { subscription: "s".into(), group: "g".into() };
        assert_eq!(a, Some(DeploymentId::new(scope, "main")));
        assert_eq!(DeploymentId::parse("/subscriptions/s/providers/A.B/c/n"), None);
    }

    #[test]
    fn children_belong_to_their_parents() {
        let to = HashSet::from(["/g/providers/a.b/c/n".to_owned()]);
        for (key, expected) in [
            ("/g/providers/a.b/c/n", true),
            ("/g/providers/a.b/c/n/d/m", true),
            ("/g/providers/a.b/c/nn", false),
            ("/g/providers/a.b/c", false),
            ("", false),
        ] {
            assert_eq!(belongs(key, &to), expected, "{key}");
        }
    }

    #[test]
    fn the_group_of_an_id() {
        for (id, expected) in [
            (
                "/subscriptions/S/resourceGroups/G/providers/A.B/c/n",
                Some("/subscriptions/s/resourcegroups/g"),
            ),
            ("/subscriptions/S/resourceGroups/G", Some("/subscriptions/s/resourcegroups/g")),
            ("/subscriptions/S/providers/A.B/c/n", None),
            ("/providers/A.B/c/n", None),
        ] {
            assert_eq!(group_key(id).as_deref(), expected, "{id}");
        }
        assert_eq!(subscription_key("/subscriptions/s/resourcegroups/g"), "/subscriptions/s");
        assert_eq!(subscription_key("/providers/a.b/c/n"), "");
    }
}
