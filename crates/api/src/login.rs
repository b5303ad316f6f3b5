//! What clients ask for to log in against a private cloud: the endpoints, the OpenID configuration, tokens.
//!
//! The tokens are ours ([`crate::access`]): on an open server any credentials are good, on a guarded one the secret of the
//! client is the server's token.

use std::time::{SystemTime, UNIX_EPOCH};

use axum::http::{HeaderMap, StatusCode};
use serde_json::{Value, json};

use crate::TENANT;
use crate::access::{Access, LIFETIME, TokenClaims};
use crate::query::Query;
use crate::reply::{Answer, Content, Reply};
use crate::route::Login;

/// A request to log in.
pub(crate) struct LoginRequest<'a> {
    pub(crate) headers: &'a HeaderMap,
    pub(crate) query: &'a Query,
    /// The content: a form.
    pub(crate) text: &'a str,
    /// Scheme and host under which the client reached us: `https://127.0.0.1:8443`.
    pub(crate) origin: &'a str,
}

/// Answers it.
pub(crate) fn answer(login: &Login, request: &LoginRequest<'_>, access: &Access) -> Answer {
    let origin = request.origin;
    Ok(match login {
        Login::Endpoints => Reply::ok(endpoints(origin, request.query.get("api-version"))),
        Login::OpenId { tenant } => Reply::ok(open_id(origin, tenant)),
        Login::Keys => Reply::ok(json!({ "keys": [] })),
        Login::Instances => Reply::ok(json!({
            "tenant_discovery_endpoint": format!("{origin}/{TENANT}/v2.0/.well-known/openid-configuration"),
            "api-version": "1.1",
            "metadata": [],
        })),
        Login::Token { tenant } => token(tenant, request, access),
        Login::ManagedIdentity => managed_identity(request, access),
    })
}

/// The endpoints of this cloud: everything is here.
fn endpoints(origin: &str, version: Option<&str>) -> Value {
    let host = origin.split_once("://").map_or(origin, |(_, host)| host);
    let suffix = host.split(':').next().unwrap_or(host);
    let cloud = json!({
        "name": "Sinew",
        "portal": origin,
        "authentication": {
            "loginEndpoint": origin,
            "audiences": [origin, "https://management.core.windows.net/", "https://management.azure.com/"],
            "tenant": "common",
            "identityProvider": "AAD",
        },
        "resourceManager": origin,
        "graph": origin,
        "graphAudience": origin,
        "microsoftGraphResourceId": origin,
        "gallery": origin,
        "batch": origin,
        "media": origin,
        "sqlManagement": origin,
        "vmImageAliasDoc": format!("{origin}/aliases.json"),
        "activeDirectoryDataLake": origin,
        "suffixes": {
            "acrLoginServer": format!("azurecr.{suffix}"),
            "azureDatalakeAnalyticsCatalogAndJob": format!("azuredatalakeanalytics.{suffix}"),
            "azureDatalakeStoreFileSystem": format!("azuredatalakestore.{suffix}"),
            "azureFrontDoorEndpointSuffix": format!("azurefd.{suffix}"),
            "keyVaultDns": format!("vault.{suffix}"),
            "sqlServerHostname": format!("database.{suffix}"),
            "storage": format!("storage.{suffix}"),
        },
    });
    // Up to this version clients know a single cloud; those that ask for others get a list.
    match version {
        Some("2022-09-01" | "2020-09-01" | "1.0" | "2015-01-01") | None => cloud,
        Some(_) => Value::Array(vec![cloud]),
    }
}

fn open_id(origin: &str, tenant: &str) -> Value {
    json!({
        "token_endpoint": format!("{origin}/{tenant}/oauth2/v2.0/token"),
        "authorization_endpoint": format!("{origin}/{tenant}/oauth2/v2.0/authorize"),
        "device_authorization_endpoint": format!("{origin}/{tenant}/oauth2/v2.0/devicecode"),
        "issuer": format!("{origin}/{tenant}/v2.0"),
        "jwks_uri": format!("{origin}/{tenant}/discovery/v2.0/keys"),
        "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"],
        "response_types_supported": ["token"],
        "response_modes_supported": ["query"],
        "subject_types_supported": ["pairwise"],
        "id_token_signing_alg_values_supported": ["RS256"],
        "scopes_supported": ["openid"],
    })
}

fn token(tenant: &str, request: &LoginRequest<'_>, access: &Access) -> Reply {
    let form = Query::parse(request.text);
    let refuse = |status: StatusCode, code: &str, why: &str| {
        Reply::new(status, Content::Json(json!({ "error": code, "error_description": why })))
    };
    let secret = match form.get("grant_type") {
        Some("client_credentials") => form.get("client_secret"),
        Some("password") => form.get("password"),
        Some(_) => {
            let why = "Only client_credentials and password are supported.";
            return refuse(StatusCode::BAD_REQUEST, "unsupported_grant_type", why);
        }
        None => return refuse(StatusCode::BAD_REQUEST, "invalid_request", "There is no grant_type."),
    };
    if !access.knows(secret.unwrap_or_default()) {
        let why = "The secret is not the token of this server.";
        return refuse(StatusCode::UNAUTHORIZED, "invalid_client", why);
    }
    let issued = access.issue(TokenClaims {
        tenant,
        client: form.get("client_id").unwrap_or("local"),
        audience: request.origin,
        issuer: &format!("{}/{tenant}/v2.0", request.origin),
    });
    Reply::ok(json!({
        "token_type": "Bearer",
        "expires_in": LIFETIME.as_secs(),
        "ext_expires_in": LIFETIME.as_secs(),
        "access_token": issued,
    }))
}

fn managed_identity(request: &LoginRequest<'_>, access: &Access) -> Reply {
    let secret = request.headers.get("x-identity-header").and_then(|value| value.to_str().ok());
    if !access.knows(secret.unwrap_or_default()) {
        let why = json!({ "error": "invalid_request", "error_description": "The header X-IDENTITY-HEADER is not the token of this server." });
        return Reply::new(StatusCode::UNAUTHORIZED, Content::Json(why));
    }
    let client = request.query.get("client_id").unwrap_or("local");
    let issuer = format!("{}/{TENANT}/v2.0", request.origin);
    let audience = request.query.get("resource").unwrap_or(request.origin);
    let issued = access.issue(TokenClaims { tenant: TENANT, client, audience, issuer: &issuer });
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    Reply::ok(json!({
        "token_type": "Bearer",
        "expires_on": (now + LIFETIME.as_secs()).to_string(),
        "access_token": issued,
        "resource": audience,
        "client_id": client,
    }))
}
