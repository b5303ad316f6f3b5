//! Tenants, subscriptions and regions. There is one tenant; a subscription exists as soon as somebody names it.

use axum::http::{Method, StatusCode};
use deploy::{DeploymentId, Engine, Scope};
use serde_json::{Value, json};

use crate::TENANT;
use crate::dispatch::Call;
use crate::reply::{Answer, Content, Reply};
use crate::route::TagName;

/// What is listed when nothing is stored yet.
const FIRST: &str = "00000000-0000-0000-0000-000000000001";

/// How many of the newest deployments are asked for their subscriptions.
const LOOKED_AT: usize = 200;

/// Regions by name and what people call them.
const REGIONS: [(&str, &str); 12] = [
    ("eastus", "East US"),
    ("eastus2", "East US 2"),
    ("westus", "West US"),
    ("westus2", "West US 2"),
    ("centralus", "Central US"),
    ("northeurope", "North Europe"),
    ("westeurope", "West Europe"),
    ("uksouth", "UK South"),
    ("germanywestcentral", "Germany West Central"),
    ("swedencentral", "Sweden Central"),
    ("japaneast", "Japan East"),
    ("australiaeast", "Australia East"),
];

/// All tenants.
pub(super) fn tenants() -> Reply {
    Reply::list(vec![json!({
        "id": format!("/tenants/{TENANT}"),
        "tenantId": TENANT,
        "displayName": "Local",
        "tenantCategory": "Home",
        "defaultDomain": "local",
        "domains": ["local"],
    })])
}

/// All subscriptions.
pub(super) async fn list(engine: &Engine) -> Answer {
    let mut ids = vec![FIRST.to_owned()];
    for deployment in engine.newest(LOOKED_AT).await? {
        let id = deployment.get("id").and_then(Value::as_str).unwrap_or_default();
        let scope = DeploymentId::parse(id).map(|id| id.scope);
        let Some(Scope::Subscription { id } | Scope::ResourceGroup { subscription: id, .. }) = scope else {
            continue;
        };
        if !ids.iter().any(|known| known.eq_ignore_ascii_case(&id)) {
            ids.push(id.into());
        }
    }
    Ok(Reply::list(ids.iter().map(|id| document(id)).collect()))
}

/// A subscription that is listed, or that something is in.
pub(super) async fn one(engine: &Engine, id: &str) -> Answer {
    engine.check_subscription(id).await?;
    Ok(Reply::ok(document(id)))
}

/// A subscription.
pub(super) fn document(id: &str) -> Value {
    json!({
        "id": format!("/subscriptions/{id}"),
        "subscriptionId": id,
        "tenantId": TENANT,
        "displayName": "Local",
        "state": "Enabled",
        "authorizationSource": "RoleBased",
        "subscriptionPolicies": {
            "locationPlacementId": "Public_2014-09-01",
            "quotaId": "PayAsYouGo_2014-09-01",
            "spendingLimit": "Off",
        },
    })
}

/// A name of tags that is set down or forgotten, or a value of it.
pub(super) async fn tag_name(engine: &Engine, tag: &TagName, call: &Call<'_>) -> Answer {
    let (subscription, name) = (&tag.subscription, &tag.name);
    if *call.method == Method::DELETE {
        let was_there = match &tag.value {
            Some(value) => engine.delete_tag_value(subscription, name, value).await?,
            None => engine.delete_tag_name(subscription, name).await?,
        };
        let status = if was_there { StatusCode::OK } else { StatusCode::NO_CONTENT };
        return Ok(Reply::new(status, Content::Nothing));
    }
    let written = match &tag.value {
        Some(value) => engine.put_tag_value(subscription, name, value).await?,
        None => engine.put_tag_name(subscription, name).await?,
    };
    let status = if written.is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok(Reply::new(status, Content::Json(written.document)))
}

/// The regions of a subscription.
pub(super) fn locations(subscription: &str) -> Reply {
    let region = |(name, shown): &(&str, &str)| {
        json!({
            "id": format!("/subscriptions/{subscription}/locations/{name}"),
            "name": name,
            "type": "Region",
            "displayName": shown,
            "regionalDisplayName": shown,
            "metadata": { "regionType": "Physical" },
        })
    };
    Reply::list(REGIONS.iter().map(region).collect())
}
