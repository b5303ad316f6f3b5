//! `use-resource-id-functions`

use bicep_sema::{SymbolId, SymbolKind};
use bicep_syntax::ast::{self, Expr, Name, Property, Str};
use bicep_syntax::{Node, SyntaxKind};

use crate::expression_type::{is_string, type_of};
use crate::resources::{names_deployed, resources};
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "use-resource-id-functions",
    documentation: "\
Resource ids should come from a resource or a resource id function.

An id that is put together by hand is wrong as soon as it is used in another scope. Fine are the `id` of a resource or a
module, parameters, and functions such as `resourceId` and `subscriptionResourceId`.

```bicep
resource subnet 'Microsoft.Network/virtualNetworks/subnets@2023-04-01' existing = {
  name: 'network/default'
}

resource nic 'Microsoft.Network/networkInterfaces@2023-04-01' = {
  name: 'nic'
  location: 'westeurope'
  properties: {
    ipConfigurations: [
      {
        name: 'a'
        properties: {
          subnet: {
            id: '/subscriptions/0/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/network/subnets/default' // <-
          }
        }
      }
      {
        name: 'b'
        properties: {
          subnet: {
            id: subnet.id
          }
        }
      }
    ]
  }
}
```
",
    check,
};

/// Functions whose result is an id, or at least no text put together by hand.
const FUNCTIONS: [&str; 10] = [
    "extensionResourceId",
    "guid",
    "if",
    "managementGroupResourceId",
    "reference",
    "resourceId",
    "roleDefinitions",
    "subscription",
    "subscriptionResourceId",
    "tenantResourceId",
];

/// Properties that end in `id` but are no ids of resources; nothing in them is looked at.
const EXEMPT_PROPERTIES: [&str; 40] = [
    "appId",
    "clientId",
    "connectorId",
    "contentId",
    "DataTypeId",
    "defaultMenuItemId",
    "deploymentSpecId",
    "detector",
    "groupId",
    "IllusiveIncidentId",
    "keyId",
    "keyVaultId",
    "keyVaultSecretId",
    "locations",
    "menuId",
    "metadata",
    "metricId",
    "nodeAgentSkuId",
    "objectId",
    "parentId",
    "policyDefinitionReferenceId",
    "principalId",
    "requestedServiceObjectiveId",
    "resource",
    "ruleId",
    "schemaId",
    "servicePrincipalClientId",
    "sid",
    "StartingDeviceID",
    "storageAccountSubscriptionId",
    "subscriptionId",
    "SyntheticMonitorId",
    "tags",
    "targetProtectionContainerId",
    "targetWorkerSizeId",
    "tenantId",
    "timezoneId",
    "UniqueFindingId",
    "vlanId",
    "workerSizeId",
];

fn check(ctx: &mut Context<'_, '_>) {
    for resource in resources(ctx).into_iter().filter(|resource| resource.is_azure) {
        let ty = resource.reference.name().to_ascii_lowercase();
        let Some(Expr::Object(properties)) = resource.property("properties").filter(|_| !is_exempt_type(&ty))
        else {
            continue;
        };
        let mut open: Vec<Node<'_>> = properties.syntax().children().collect();
        while let Some(node) = open.pop() {
            match Property::cast(node).map(|property| (property, role(property, &ty))) {
                Some((_, Role::Exempt)) => {}
                Some((property, Role::Id)) => check_id(ctx, property),
                Some((_, Role::Other)) | None => open.extend(node.understood_children()),
            }
        }
    }
}

/// Resource types whose definitions are full of other people's ids.
fn is_exempt_type(ty: &str) -> bool {
    let is_collection = ty
        .strip_prefix("microsoft.documentdb/databaseaccounts/")
        .and_then(|rest| rest.strip_suffix("/collections"))
        .is_some_and(|kind| kind.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'));
    is_collection
        || ty.starts_with("microsoft.web/sites/config")
        || matches!(
            ty,
            "microsoft.portal/dashboards" | "microsoft.logic/workflows" | "microsoft.apimanagement/service/backends"
        )
}

enum Role {
    Id,
    Exempt,
    Other,
}

fn role(property: Property<'_>, resource_type: &str) -> Role {
    let Some(name) = property.key_text() else { return Role::Other };
    let is_owner = resource_type == "microsoft.apimanagement/service/subscriptions" && name.eq_ignore_ascii_case("ownerId");
    if is_owner || EXEMPT_PROPERTIES.iter().any(|exempt| name.eq_ignore_ascii_case(exempt)) {
        return Role::Exempt;
    }
    let is_id = name.to_ascii_lowercase().ends_with("id") && !name.ends_with("uid") && !name.ends_with("UID");
    if is_id { Role::Id } else { Role::Other }
}

fn check_id(ctx: &mut Context<'_, '_>, property: Property<'_>) {
    let ty = type_of(ctx, property.value());
    if !is_string(&ty) && !ty.without_null().is_some_and(|ty| is_string(&ty)) {
        return;
    }
    if let Some(path) = homemade(ctx, property.value()) {
        let name = property.key().text();
        let names = path.iter().filter_map(|symbol| ctx.model.symbol(*symbol).name.as_deref());
        let way: Vec<&str> = std::iter::once(name).chain(names).collect();
        let through = if path.is_empty() { String::new() } else { format!(" ({})", way.join(" -> ")) };
        let functions = FUNCTIONS.join(", ");
        let message = format!("The id \"{name}\" should be that of a resource or be made by one of {functions}{through}");
        ctx.report(property.key().range(), message);
    }
}

/// The variables that lead to a text put together by hand; `None` if the value is fine.
fn homemade(ctx: &Context<'_, '_>, value: Expr<'_>) -> Option<Vec<SymbolId>> {
    let mut value = value;
    let mut path = Vec::new();
    loop {
        if names_deployed(ctx, value.syntax()) {
            return None;
        }
        value = match value {
            Expr::Call(call) if call.name().and_then(Name::text).is_some_and(|it| FUNCTIONS.contains(&it)) => {
                return None;
            }
            Expr::Ternary(_) => return None,
            Expr::Str(text) if Str::value(text).is_some_and(|text| !text.contains('/')) => return None,
            Expr::PropertyAccess(_) | Expr::Index(_) if is_part_of_parameter(ctx, value) => return None,
            Expr::PropertyAccess(access) => access.base(),
            Expr::ResourceAccess(access) => access.base(),
            Expr::Index(access) => access.base(),
            Expr::Paren(paren) => paren.value(),
            Expr::NonNull(inner) => inner.base(),
            Expr::VarAccess(access) => {
                let Some((id, symbol)) = ctx.referenced(access.syntax()) else { return Some(path) };
                match symbol.kind {
                    SymbolKind::Param => return None,
                    SymbolKind::Var if !path.contains(&id) => {
                        path.push(id);
                        ast::Var::cast(ctx.declaration(symbol))?.value()
                    }
                    _ => return Some(path),
                }
            }
            _ => return Some(path),
        };
    }
}

/// Whether a value is some part of the value of a parameter.
fn is_part_of_parameter(ctx: &Context<'_, '_>, value: Expr<'_>) -> bool {
    let mut node = value.syntax();
    loop {
        let is_access = matches!(
            node.kind(),
            SyntaxKind::PropertyAccess | SyntaxKind::Index | SyntaxKind::Paren | SyntaxKind::NonNull
        );
        match node.children().next().filter(|_| is_access) {
            Some(base) => node = base,
            None => break,
        }
    }
    ctx.referenced(node).is_some_and(|(_, symbol)| symbol.kind == SymbolKind::Param)
}

#[cfg(test)]
mod tests {
    use crate::testing::marked;

    fn in_properties(properties: &str) -> String {
        format!("param p object\nvar v = '/a/b'\nresource r 'A.B/c@2020-01-01' = {{\n  name: 'r'\n  properties: {{\n{properties}\n  }}\n}}\n")
    }

    #[test]
    fn texts_with_slashes_are_homemade() {
        let source = in_properties("aId: '/a'\nbId: 'a'\ncId: v\ndId: p.x\ntenantId: '/x'\nguid: '/x'\ne: [{ id: '${v}/x' }]\nfId: resourceId('A.B/c', 'x')\ngId: r2.id");
        let source = format!("{source}resource r2 'A.B/c@2020-01-01' existing = {{ name: 'x' }}\n");
        assert_eq!(marked("use-resource-id-functions", &source), ["aId", "cId", "id"]);
    }
}
