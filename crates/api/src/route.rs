//! Which path means what. A path comes in; a [`Route`] goes out, with names as the client wrote them.
//!
//! Azure's paths cannot be told apart by a table of patterns: they are matched without regard to case, end with or
//! without a slash, and may be the id of any resource. So they are read segment by segment.

use deploy::{DeploymentId, Scope};
use percent_encoding::percent_decode_str;

use crate::page;

/// What a path means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Route {
    /// A file of the web page.
    Page(page::PageAsset),
    /// What the web page shows beyond the API: all deployments, and changes as they happen.
    Watch(Watch),
    /// Whether the server is well.
    Health,
    /// Whether it takes deployments.
    Ready,
    /// Figures for Prometheus.
    Metrics,
    /// A template of the folder of linked templates, by its path there.
    LinkedTemplate(String),
    /// What clients need to log in.
    Login(Login),
    /// The management API.
    Management(ManagementRoute),
}

/// What the page watches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Watch {
    /// The deployments of all scopes.
    Deployments,
    /// The changes of one deployment.
    Events(DeploymentId),
    /// A deployment made again as it was asked for.
    Redeploy(DeploymentId),
    /// Everything below a scope or a resource, by its id.
    Resources(String),
}

/// What clients ask for when they log in against a private cloud.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Login {
    /// The endpoints of this cloud.
    Endpoints,
    /// The OpenID configuration of a tenant.
    OpenId {
        /// As in the path.
        tenant: String,
    },
    /// The keys that sign tokens.
    Keys,
    /// Which authorities exist.
    Instances,
    /// A token for credentials.
    Token {
        /// As in the path.
        tenant: String,
    },
    /// A token for a machine.
    ManagedIdentity,
}

/// What the management API is asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ManagementRoute {
    /// All tenants.
    Tenants,
    /// All subscriptions.
    Subscriptions,
    Subscription(String),
    /// The regions of a subscription.
    Locations(String),
    /// The resource groups of a subscription.
    Groups(String),
    /// A resource group.
    Group(Group),
    /// A resource group as a template.
    GroupExport(Group),
    /// The resources of a subscription or group.
    Resources(Scope),
    /// The resource providers, or one of them.
    Providers(Option<String>),
    /// The operations of all resource providers, or of one of them, by type.
    ProviderOperations(Option<String>),
    /// The operations of a resource provider, as it lists them itself.
    OperationList(String),
    /// How resources comply with the policies that are assigned to them.
    PolicyStates(PolicyQuery),
    /// Switching a resource provider on or off, which changes nothing here.
    Registration(String),
    /// The deployments of a scope.
    Deployments(Scope),
    /// A deployment, or a part of it.
    Deployment(DeploymentId, DeploymentPart),
    /// The hash of a template.
    TemplateHash,
    /// Moving resources of a group elsewhere, or only checking that.
    Move(Group, bool),
    /// The names of the tags of a subscription.
    TagNames(String),
    /// A name of tags that is set down, or a value of it.
    TagName(TagName),
    /// A deployment stack, or a part of it.
    Stack(StackId, StackPart),
    /// The resources of a type, or an action on what is above.
    Collection(Collection),
    /// Any other resource, by its id.
    Resource(String),
}

/// A question about policies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PolicyQuery {
    /// The id of a scope, a resource, a policy definition, a set of them or an assignment.
    pub(crate) about: String,
    pub(crate) part: PolicyQueryPart,
}

/// What is asked about policies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PolicyQueryPart {
    /// `queryResults`
    States,
    /// `summarize`
    Summary,
    /// `triggerEvaluation`
    Evaluation,
}

/// A name of tags, or a value of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TagName {
    pub(crate) subscription: String,
    pub(crate) name: String,
    pub(crate) value: Option<String>,
}

/// A deployment stack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StackId {
    /// Where.
    pub(crate) scope: Scope,
    /// Its name there.
    pub(crate) name: String,
}

/// A part of a deployment stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StackPart {
    /// The stack itself.
    Whole,
    /// `validate`
    Validate,
    /// `exportTemplate`
    ExportTemplate,
}

/// A path that ends with a type, or with an action: only the method tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Collection {
    /// The id of what is above: a scope or a resource.
    pub(crate) above: String,
    /// The full type.
    pub(crate) resource_type: String,
    /// The last part of the path.
    pub(crate) last: String,
}

/// A resource group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) subscription: String,
    pub(crate) name: String,
}

/// A part of a deployment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DeploymentPart {
    /// The deployment itself.
    Whole,
    /// `cancel`
    Cancel,
    /// `validate`
    Validate,
    /// `whatIf`
    WhatIf,
    /// `exportTemplate`
    ExportTemplate,
    /// `operations`
    Operations,
    /// `operations/ID`
    Operation(String),
    /// `operationStatuses/ID`
    Status(String),
}

/// Why a path means nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BadPath {
    /// It has escapes that are no text, or names with a slash in them.
    Malformed,
    /// Nothing is there.
    Unknown,
}

/// What a path, as it stands in the request, means.
pub(crate) fn parse(path: &str) -> Result<Route, BadPath> {
    let segments = segments(path)?;
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    if let Some(route) = own(&segments)? {
        return Ok(route);
    }
    match login(&segments) {
        Some(login) => Ok(Route::Login(login)),
        None => management(&segments).map(Route::Management).ok_or(BadPath::Unknown),
    }
}

/// The names between slashes, unescaped. Slashes may be doubled, and there may be one at the end.
fn segments(path: &str) -> Result<Vec<String>, BadPath> {
    let decode = |segment: &str| {
        let text = percent_decode_str(segment).decode_utf8().map_err(|_| BadPath::Malformed)?;
        match text.chars().any(|c| c == '/' || c == '\\' || c.is_control()) {
            true => Err(BadPath::Malformed),
            false => Ok(text.into_owned()),
        }
    };
    path.split('/').filter(|segment| !segment.is_empty()).map(decode).collect()
}

/// What only this server has.
fn own(segments: &[&str]) -> Result<Option<Route>, BadPath> {
    Ok(Some(match segments {
        [] => Route::Page(page::DOCUMENT),
        ["page.css"] => Route::Page(page::STYLE),
        ["favicon.ico" | "page.svg"] => Route::Page(page::ICON),
        ["page", name] => Route::Page(page::module(name).ok_or(BadPath::Unknown)?),
        ["healthz"] => Route::Health,
        ["readyz"] => Route::Ready,
        ["metrics"] => Route::Metrics,
        ["templates", path @ ..] if !path.is_empty() => Route::LinkedTemplate(path.join("/")),
        ["watch", "deployments"] => Route::Watch(Watch::Deployments),
        ["watch", "events", id @ ..] => match deployment(id) {
            Some(ManagementRoute::Deployment(id, DeploymentPart::Whole)) => Route::Watch(Watch::Events(id)),
            _ => return Err(BadPath::Unknown),
        },
        ["watch", "resources", id @ ..] if !id.is_empty() => {
            Route::Watch(Watch::Resources(format!("/{}", id.join("/"))))
        }
        ["watch", "redeploy", id @ ..] => match deployment(id) {
            Some(ManagementRoute::Deployment(id, DeploymentPart::Whole)) => Route::Watch(Watch::Redeploy(id)),
            _ => return Err(BadPath::Unknown),
        },
        _ => return Ok(None),
    }))
}

fn login(segments: &[&str]) -> Option<Login> {
    let is = |index: usize, name: &str| segments.get(index).is_some_and(|it| it.eq_ignore_ascii_case(name));
    let tenant = || segments.first().map(|it| (*it).to_owned());
    match segments.len() {
        2 if is(0, "metadata") && is(1, "endpoints") => Some(Login::Endpoints),
        2 if is(0, "msi") && is(1, "token") => Some(Login::ManagedIdentity),
        3 if is(1, "discovery") && is(2, "instance") => Some(Login::Instances),
        3 if is(1, "discovery") && is(2, "keys") => Some(Login::Keys),
        4 if is(1, "discovery") && is(2, "v2.0") && is(3, "keys") => Some(Login::Keys),
        3 if is(1, "oauth2") && is(2, "token") => Some(Login::Token { tenant: tenant()? }),
        4 if is(1, "oauth2") && is(2, "v2.0") && is(3, "token") => Some(Login::Token { tenant: tenant()? }),
        3 if is(1, ".well-known") && is(2, "openid-configuration") => {
            Some(Login::OpenId { tenant: tenant()? })
        }
        4 if is(1, "v2.0") && is(2, ".well-known") && is(3, "openid-configuration") => {
            Some(Login::OpenId { tenant: tenant()? })
        }
        _ => None,
    }
}

fn management(segments: &[&str]) -> Option<ManagementRoute> {
    if let Some(target) = deployment(segments).or_else(|| stack(segments)).or_else(|| policy_states(segments))
    {
        return Some(target);
    }
    match segments {
        [tenants] if is(tenants, "tenants") => Some(ManagementRoute::Tenants),
        [subscriptions] if is(subscriptions, "subscriptions") => Some(ManagementRoute::Subscriptions),
        [subscriptions, id, rest @ ..] if is(subscriptions, "subscriptions") => {
            in_subscription(id, rest).or_else(|| resource(segments)).or_else(|| collection(segments))
        }
        [providers, rest @ ..] if is(providers, "providers") => {
            provider(rest).or_else(|| resource(segments)).or_else(|| collection(segments))
        }
        _ => None,
    }
}

fn in_subscription(id: &str, rest: &[&str]) -> Option<ManagementRoute> {
    match rest {
        [] => Some(ManagementRoute::Subscription(id.to_owned())),
        [list] if is(list, "resourceGroups") => Some(ManagementRoute::Groups(id.to_owned())),
        [list] if is(list, "tagNames") => Some(ManagementRoute::TagNames(id.to_owned())),
        [list, name] if is(list, "tagNames") => Some(ManagementRoute::tag_name(id, name, None)),
        [list, name, values, value] if is(list, "tagNames") && is(values, "tagValues") => {
            Some(ManagementRoute::tag_name(id, name, Some(value)))
        }
        [list] if is(list, "locations") => Some(ManagementRoute::Locations(id.to_owned())),
        [list] if is(list, "resources") => {
            Some(ManagementRoute::Resources(Scope::Subscription { id: id.into() }))
        }
        [groups, name, rest @ ..] if is(groups, "resourceGroups") => {
            in_group(Group { subscription: id.to_owned(), name: (*name).to_owned() }, rest)
        }
        [providers, rest @ ..] if is(providers, "providers") => provider(rest),
        _ => None,
    }
}

fn in_group(group: Group, rest: &[&str]) -> Option<ManagementRoute> {
    match rest {
        [] => Some(ManagementRoute::Group(group)),
        [action] if is(action, "exportTemplate") => Some(ManagementRoute::GroupExport(group)),
        [action] if is(action, "moveResources") => Some(ManagementRoute::Move(group, true)),
        [action] if is(action, "validateMoveResources") => Some(ManagementRoute::Move(group, false)),
        [list] if is(list, "resources") => Some(ManagementRoute::Resources(group.scope())),
        // The clients' short way to the operations of a deployment.
        [deployments, name, operations, rest @ ..]
            if is(deployments, "deployments") && is(operations, "operations") =>
        {
            let id = DeploymentId::new(group.scope(), name);
            match rest {
                [] => Some(ManagementRoute::Deployment(id, DeploymentPart::Operations)),
                [operation] => {
                    Some(ManagementRoute::Deployment(id, DeploymentPart::Operation((*operation).to_owned())))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

fn provider(rest: &[&str]) -> Option<ManagementRoute> {
    match rest {
        [] => Some(ManagementRoute::Providers(None)),
        [namespace] => Some(ManagementRoute::Providers(Some((*namespace).to_owned()))),
        [namespace, list] if is(list, "operations") => {
            Some(ManagementRoute::OperationList((*namespace).to_owned()))
        }
        [namespace, list, of @ ..]
            if is(namespace, "Microsoft.Authorization") && is(list, "providerOperations") && of.len() < 2 =>
        {
            Some(ManagementRoute::ProviderOperations(of.first().map(|of| (*of).to_owned())))
        }
        [namespace, action] if is(action, "register") || is(action, "unregister") => {
            Some(ManagementRoute::Registration((*namespace).to_owned()))
        }
        [namespace, action]
            if is(namespace, "Microsoft.Resources") && is(action, "calculateTemplateHash") =>
        {
            Some(ManagementRoute::TemplateHash)
        }
        _ => None,
    }
}

/// Deployments of the four scopes. The last `providers/Microsoft.Resources/deployments` counts: a scope may have one.
fn deployment(segments: &[&str]) -> Option<ManagementRoute> {
    let start = (0..segments.len()).rev().find(|&start| {
        matches!(segments.get(start..start + 3), Some([providers, namespace, list])
            if is(providers, "providers") && is(namespace, "Microsoft.Resources") && is(list, "deployments"))
    })?;
    let scope = Scope::parse(&segments.get(..start)?.join("/"))?;
    let (name, part) = match segments.get(start + 3..)? {
        [] => return Some(ManagementRoute::Deployments(scope)),
        [name, part @ ..] => (*name, part),
    };
    let part = match part {
        [] => DeploymentPart::Whole,
        [action] if is(action, "cancel") => DeploymentPart::Cancel,
        [action] if is(action, "validate") => DeploymentPart::Validate,
        [action] if is(action, "whatIf") => DeploymentPart::WhatIf,
        [action] if is(action, "exportTemplate") => DeploymentPart::ExportTemplate,
        [list] if is(list, "operations") => DeploymentPart::Operations,
        [list, id] if is(list, "operations") => DeploymentPart::Operation((*id).to_owned()),
        [list, id] if is(list, "operationStatuses") => DeploymentPart::Status((*id).to_owned()),
        _ => return None,
    };
    Some(ManagementRoute::Deployment(DeploymentId::new(scope, name), part))
}

/// The id of any resource: after the last `providers` there is a namespace, then pairs of type and name.
fn resource(segments: &[&str]) -> Option<ManagementRoute> {
    let start = segments.iter().rposition(|segment| is(segment, "providers"))?;
    let after = segments.len() - start - 1;
    let is_resource = after >= 3 && after % 2 == 1;
    is_resource.then(|| ManagementRoute::Resource(canonical_id(segments)))
}

/// An id with the fixed segments of its scope in the case in which the API returns them: the Azure CLI asks for `resourcegroups`,
/// and clients compare ids.
fn canonical_id(segments: &[&str]) -> String {
    const FIXED: [(usize, &str); 3] = [(0, "subscriptions"), (2, "resourceGroups"), (4, "providers")];
    let mut segments = segments.to_vec();
    for (at, name) in FIXED {
        match segments.get_mut(at) {
            Some(segment) if is(segment, name) => *segment = name,
            _ => break,
        }
    }
    format!("/{}", segments.join("/"))
}

/// Deployment stacks of a group, a subscription or a management group.
fn stack(segments: &[&str]) -> Option<ManagementRoute> {
    let start = segments.iter().rposition(|segment| is(segment, "providers"))?;
    let scope = Scope::parse(&segments.get(..start)?.join("/"))?;
    let (name, part) = match segments.get(start + 1..)? {
        [namespace, list, name, part @ ..]
            if is(namespace, "Microsoft.Resources") && is(list, "deploymentStacks") =>
        {
            (*name, part)
        }
        _ => return None,
    };
    let part = match part {
        [] => StackPart::Whole,
        [action] if is(action, "validate") => StackPart::Validate,
        [action] if is(action, "exportTemplate") => StackPart::ExportTemplate,
        _ => return None,
    };
    Some(ManagementRoute::Stack(StackId { scope, name: name.to_owned() }, part))
}

/// `…/providers/Microsoft.PolicyInsights/policyStates/latest/queryResults`
fn policy_states(segments: &[&str]) -> Option<ManagementRoute> {
    let start = segments.iter().rposition(|segment| is(segment, "providers"))?;
    let action = match segments.get(start + 1..)? {
        [namespace, list, _, action]
            if is(namespace, "Microsoft.PolicyInsights") && is(list, "policyStates") =>
        {
            action
        }
        _ => return None,
    };
    let parts = [
        ("queryResults", PolicyQueryPart::States),
        ("summarize", PolicyQueryPart::Summary),
        ("triggerEvaluation", PolicyQueryPart::Evaluation),
    ];
    let (_, part) = parts.into_iter().find(|(name, _)| is(action, name))?;
    let about = segments.get(..start)?.iter().fold(String::new(), |id, segment| format!("{id}/{segment}"));
    Some(ManagementRoute::PolicyStates(PolicyQuery { about, part }))
}

/// A namespace and a type, or the id of a resource and what is below it.
fn collection(segments: &[&str]) -> Option<ManagementRoute> {
    let start = segments.iter().rposition(|segment| is(segment, "providers"))?;
    let after = segments.get(start + 1..)?;
    let (last, above) = after.split_last()?;
    let (namespace, pairs) = above.split_first()?;
    if pairs.len() % 2 != 0 {
        return None;
    }
    let types = pairs.iter().step_by(2).copied().chain([*last]);
    let resource_type = types.fold((*namespace).to_owned(), |of, part| format!("{of}/{part}"));
    let end = if pairs.is_empty() { start } else { segments.len() - 1 };
    let above = segments.get(..end)?;
    let above = if above.is_empty() { String::new() } else { format!("/{}", above.join("/")) };
    Some(ManagementRoute::Collection(Collection { above, resource_type, last: (*last).to_owned() }))
}

fn is(segment: &str, name: &str) -> bool {
    segment.eq_ignore_ascii_case(name)
}

impl Group {
    /// The scope that it is.
    pub(crate) fn scope(&self) -> Scope {
        Scope::ResourceGroup {
            subscription: self.subscription.as_str().into(),
            group: self.name.as_str().into(),
        }
    }
}

impl Route {
    /// A short name for figures and logs, from a fixed list.
    pub(crate) fn label(&self) -> &'static str {
        match self {
            Self::Page(_) => "page",
            Self::Watch(_) => "watch",
            Self::Health | Self::Ready => "health",
            Self::Metrics => "metrics",
            Self::LinkedTemplate(_) => "templates",
            Self::Login(_) => "login",
            Self::Management(target) => target.label(),
        }
    }

    /// The methods that it takes.
    pub(crate) fn methods(&self) -> &'static [&'static str] {
        match self {
            Self::Watch(Watch::Redeploy(_)) | Self::Login(Login::Token { .. }) => &["POST"],
            Self::Page(_)
            | Self::Watch(_)
            | Self::Health
            | Self::Ready
            | Self::Metrics
            | Self::LinkedTemplate(_) => READ,
            Self::Login(_) => &["GET"],
            Self::Management(target) => target.methods(),
        }
    }
}

/// The methods of what can only be read.
const READ: &[&str] = &["GET", "HEAD"];

impl ManagementRoute {
    fn tag_name(subscription: &str, name: &str, value: Option<&str>) -> Self {
        let value = value.map(str::to_owned);
        Self::TagName(TagName { subscription: subscription.to_owned(), name: name.to_owned(), value })
    }

    fn methods(&self) -> &'static [&'static str] {
        match self {
            Self::Group(_) | Self::Resource(_) => &["GET", "HEAD", "PUT", "PATCH", "DELETE"],
            Self::Deployment(_, DeploymentPart::Whole) | Self::Stack(_, StackPart::Whole) => {
                &["GET", "HEAD", "PUT", "DELETE"]
            }
            Self::Collection(_) => &["GET", "POST"],
            Self::TagName(_) => &["PUT", "DELETE"],
            Self::GroupExport(_)
            | Self::Registration(_)
            | Self::TemplateHash
            | Self::Move(..)
            | Self::PolicyStates(_)
            | Self::Stack(..)
            | Self::Deployment(
                _,
                DeploymentPart::Cancel
                | DeploymentPart::Validate
                | DeploymentPart::WhatIf
                | DeploymentPart::ExportTemplate,
            ) => &["POST"],
            _ => READ,
        }
    }

    fn label(&self) -> &'static str {
        match self {
            Self::Tenants => "tenants",
            Self::Subscriptions | Self::Subscription(_) | Self::Locations(_) => "subscriptions",
            Self::Groups(_) | Self::Group(_) | Self::GroupExport(_) => "resourceGroups",
            Self::Resources(_) | Self::Resource(_) | Self::Collection(_) | Self::Move(..) => "resources",
            Self::TagNames(_) | Self::TagName(_) => "tags",
            Self::Stack(..) => "deploymentStacks",
            Self::Providers(_)
            | Self::Registration(_)
            | Self::ProviderOperations(_)
            | Self::OperationList(_) => "providers",
            Self::PolicyStates(_) => "policyStates",
            Self::TemplateHash => "templateHash",
            Self::Deployments(_) => "deployments",
            Self::Deployment(_, part) => part.label(),
        }
    }
}

impl DeploymentPart {
    fn label(&self) -> &'static str {
        match self {
            Self::Whole => "deployment",
            Self::Cancel => "cancel",
            Self::Validate => "validate",
            Self::WhatIf => "whatIf",
            Self::ExportTemplate => "exportTemplate",
            Self::Operations | Self::Operation(_) => "operations",
            Self::Status(_) => "operationStatus",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, expected: ManagementRoute) {
        assert_eq!(parse(path), Ok(Route::Management(expected)), "{path}");
    }

    #[test]
    fn deployments_have_four_scopes() {
        let group = Scope::ResourceGroup { subscription: "s".into(), group: "g".into() };
        for (prefix, scope) in [
            ("", Scope::Tenant),
            ("/subscriptions/s", Scope::Subscription { id: "s".into() }),
            ("/SUBSCRIPTIONS/s/resourcegroups/g", group),
            ("/providers/microsoft.management/managementgroups/m", Scope::ManagementGroup { id: "m".into() }),
        ] {
            let base = format!("{prefix}/providers/Microsoft.Resources/deployments");
            check(&format!("{base}/"), ManagementRoute::Deployments(scope.clone()));
            for (rest, part) in [
                ("", DeploymentPart::Whole),
                ("/cancel", DeploymentPart::Cancel),
                ("/VALIDATE", DeploymentPart::Validate),
                ("/whatIf", DeploymentPart::WhatIf),
                ("/exporttemplate/", DeploymentPart::ExportTemplate),
                ("/operations", DeploymentPart::Operations),
                ("/operations/1A", DeploymentPart::Operation("1A".into())),
                ("/operationStatuses/x", DeploymentPart::Status("x".into())),
            ] {
                let id = DeploymentId::new(scope.clone(), "My(dep)");
                check(&format!("{base}/My%28dep%29{rest}"), ManagementRoute::Deployment(id, part));
            }
        }
    }

    #[test]
    fn operations_have_a_short_way() {
        let scope = Scope::ResourceGroup { subscription: "s".into(), group: "g".into() };
        let id = DeploymentId::new(scope, "d");
        let base = "/subscriptions/s/resourcegroups/g/deployments/d/operations";
        check(base, ManagementRoute::Deployment(id.clone(), DeploymentPart::Operations));
        check(&format!("{base}/7"), ManagementRoute::Deployment(id, DeploymentPart::Operation("7".into())));
    }

    #[test]
    fn surroundings() {
        let group = || Group { subscription: "s".into(), name: "g".into() };
        for (path, expected) in [
            ("/tenants", ManagementRoute::Tenants),
            ("/Subscriptions/", ManagementRoute::Subscriptions),
            ("/subscriptions/s", ManagementRoute::Subscription("s".into())),
            ("/subscriptions/s/resourceGroups", ManagementRoute::Groups("s".into())),
            ("/subscriptions/s/resourceGroups/g", ManagementRoute::Group(group())),
            ("//subscriptions//s/RESOURCEGROUPS/g//", ManagementRoute::Group(group())),
            ("/subscriptions/s/resourceGroups/g/resources", ManagementRoute::Resources(group().scope())),
            ("/subscriptions/s/providers", ManagementRoute::Providers(None)),
            (
                "/subscriptions/s/providers/Microsoft.Web",
                ManagementRoute::Providers(Some("Microsoft.Web".into())),
            ),
            ("/subscriptions/s/providers/A.B/register", ManagementRoute::Registration("A.B".into())),
            ("/providers/Microsoft.Resources/calculateTemplateHash", ManagementRoute::TemplateHash),
            (
                "/providers/Microsoft.Authorization/providerOperations",
                ManagementRoute::ProviderOperations(None),
            ),
            (
                "/providers/Microsoft.Authorization/providerOperations/Microsoft.Web",
                ManagementRoute::ProviderOperations(Some("Microsoft.Web".into())),
            ),
            ("/providers/Microsoft.Web/operations", ManagementRoute::OperationList("Microsoft.Web".into())),
        ] {
            check(path, expected);
        }
    }

    #[test]
    fn any_other_id_is_a_resource() {
        for path in [
            "/subscriptions/s/resourceGroups/g/providers/Microsoft.Web/sites/a",
            "/subscriptions/s/resourceGroups/g/providers/Microsoft.Web/sites/a/slots/b",
            "/subscriptions/s/providers/Microsoft.Web/sites/a/providers/Microsoft.Authorization/locks/l",
            "/providers/Microsoft.Management/managementGroups/m",
        ] {
            check(path, ManagementRoute::Resource(path.to_owned()));
            check(
                &path.replace("/resourceGroups/", "/RESOURCEgroups/"),
                ManagementRoute::Resource(path.to_owned()),
            );
        }
    }

    #[test]
    fn types_and_actions() {
        for (path, above, resource_type, last) in [
            ("/subscriptions/s/providers/A.B/c", "/subscriptions/s", "A.B/c", "c"),
            ("/providers/A.B/c", "", "A.B/c", "c"),
            (
                "/subscriptions/s/resourceGroups/g/providers/A.B/c/n/listKeys",
                "/subscriptions/s/resourceGroups/g/providers/A.B/c/n",
                "A.B/c/listKeys",
                "listKeys",
            ),
        ] {
            let (above, resource_type, last) = (above.to_owned(), resource_type.to_owned(), last.to_owned());
            check(path, ManagementRoute::Collection(Collection { above, resource_type, last }));
        }
        let scope = Scope::Subscription { id: "s".into() };
        check(
            "/subscriptions/s/providers/Microsoft.Resources/deploymentStacks/x/validate",
            ManagementRoute::Stack(StackId { scope, name: "x".into() }, StackPart::Validate),
        );
    }

    #[test]
    fn questions_about_policies() {
        for (about, action, part) in [
            ("/subscriptions/s", "latest/queryResults", PolicyQueryPart::States),
            ("/subscriptions/s/resourceGroups/g", "default/queryresults", PolicyQueryPart::States),
            ("/subscriptions/s/providers/A.B/c/n", "latest/summarize", PolicyQueryPart::Summary),
            ("/subscriptions/s", "latest/triggerEvaluation", PolicyQueryPart::Evaluation),
        ] {
            let path = format!("{about}/providers/Microsoft.PolicyInsights/policyStates/{action}");
            check(&path, ManagementRoute::PolicyStates(PolicyQuery { about: about.into(), part }));
        }
    }

    #[test]
    fn what_means_nothing() {
        for (path, expected) in [
            ("/nothing", BadPath::Unknown),
            ("/subscriptions/s%2Fx", BadPath::Malformed),
            ("/subscriptions/%00", BadPath::Malformed),
            ("/subscriptions/%ff%fe", BadPath::Malformed),
            ("/watch/events/nothing", BadPath::Unknown),
        ] {
            assert_eq!(parse(path), Err(expected), "{path}");
        }
    }

    #[test]
    fn logging_in() {
        let tenant = || "T".to_owned();
        for (path, expected) in [
            ("/metadata/endpoints", Login::Endpoints),
            ("/T/v2.0/.well-known/openid-configuration", Login::OpenId { tenant: tenant() }),
            ("/T/oauth2/v2.0/token", Login::Token { tenant: tenant() }),
            ("/T/oauth2/token/", Login::Token { tenant: tenant() }),
            ("/common/discovery/instance", Login::Instances),
            ("/msi/token", Login::ManagedIdentity),
        ] {
            assert_eq!(parse(path), Ok(Route::Login(expected)), "{path}");
        }
    }
}
