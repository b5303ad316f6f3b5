//! Tokens, and what clients ask for to get one; HTTPS.

use api::{Access, tls};
use serde_json::json;

use crate::server::{Answer, GROUP, Server, Setup, client};

const TOKEN: &str = "a-token-of-this-server";
const TENANT: &str = api::TENANT;

async fn guarded() -> Server {
    Server::with(Setup { access: Access::with_token(TOKEN), ..Setup::default() }).await
}

/// Asks for a token with a form.
async fn log_in(server: &Server, form: &str) -> Answer {
    let url = format!("{}/{TENANT}/oauth2/v2.0/token", server.url);
    let request = server.client.post(url).header("content-type", "application/x-www-form-urlencoded");
    Answer::of(request.body(form.to_owned()).send().await.unwrap()).await
}

#[tokio::test]
async fn a_guarded_server_refuses_strangers() {
    let server = guarded().await;
    let answer = server.get(GROUP).await;
    assert_eq!((answer.status, answer.code()), (401, "AuthenticationFailed"));
    assert!(answer.header("www-authenticate").starts_with("Bearer authorization_uri="), "{answer:?}");
    for path in ["/metrics", "/watch/deployments", "/nothing/at/all", "/subscriptions"] {
        assert_eq!(server.get(path).await.status, 401, "{path}");
    }
    for path in ["/", "/page/main.js", "/page.css", "/healthz", "/metadata/endpoints"] {
        assert_eq!(server.get(path).await.status, 200, "{path}");
    }
    let server = server.with_token("somebody-elses-token");
    let answer = server.get("/subscriptions").await;
    assert_eq!((answer.status, answer.code()), (401, "InvalidAuthenticationToken"));
    let server = server.with_token(TOKEN);
    assert_eq!(server.get("/subscriptions").await.status, 200);
}

#[tokio::test]
async fn the_token_buys_others() {
    let server = guarded().await;
    let good = format!("grant_type=client_credentials&client_id=me&client_secret={TOKEN}&scope=x%2F.default");
    let answer = log_in(&server, &good).await;
    assert_eq!((answer.status, &answer.body["token_type"]), (200, &json!("Bearer")));
    let issued = answer.body["access_token"].as_str().unwrap().to_owned();
    for (form, status, code) in [
        ("grant_type=client_credentials&client_id=me&client_secret=wrong", 401, "invalid_client"),
        ("grant_type=client_credentials&client_id=me", 401, "invalid_client"),
        ("grant_type=refresh_token&refresh_token=x", 400, "unsupported_grant_type"),
        ("", 400, "invalid_request"),
    ] {
        let answer = log_in(&server, form).await;
        assert_eq!((answer.status, &answer.body["error"]), (status, &json!(code)), "{form}");
    }
    let stranger =
        Server::with(Setup { access: Access::with_token("another-token"), ..Setup::default() }).await;
    assert_eq!(stranger.with_token(&issued).get("/subscriptions").await.status, 401);
    assert_eq!(server.with_token(&issued).get("/subscriptions").await.status, 200);
}

#[tokio::test]
async fn clients_find_their_way_to_the_token() {
    let server = Server::start().await;
    let cloud = server.get("/metadata/endpoints?api-version=2022-09-01").await.body;
    assert_eq!(cloud["resourceManager"], server.url.as_str());
    assert_eq!(cloud["authentication"]["loginEndpoint"], server.url.as_str());
    let clouds = server.get("/metadata/endpoints?api-version=2019-05-01").await.body;
    assert_eq!(clouds[0], cloud);
    let open_id = server.get(&format!("/{TENANT}/v2.0/.well-known/openid-configuration")).await.body;
    assert_eq!(open_id["token_endpoint"], format!("{}/{TENANT}/oauth2/v2.0/token", server.url));
    let any = log_in(&server, "grant_type=client_credentials&client_id=any&client_secret=any").await;
    assert_eq!(any.status, 200);
    let machine = server.get("/msi/token?api-version=2019-08-01&resource=r").await;
    let token = machine.body["access_token"].as_str().unwrap();
    assert_eq!(token.split('.').count(), 3, "{token}");
}

#[tokio::test]
async fn https_with_the_local_authority() {
    let folder = tempfile::tempdir().unwrap();
    let names = tls::names_of("127.0.0.1".parse().unwrap());
    let identity = tls::identity(&folder.path().join("tls"), &names).unwrap();
    let server = Server::with(Setup { identity: Some(identity), ..Setup::default() }).await;
    server.make_group().await;
    assert_eq!(server.head(GROUP).await, 204);
    let cloud = server.get("/metadata/endpoints?api-version=2022-09-01").await.body;
    assert!(cloud["resourceManager"].as_str().is_some_and(|url| url.starts_with("https://")), "{cloud}");
    // Whoever does not know the authority does not talk to us.
    let stranger = client(None);
    assert!(stranger.get(format!("{}/healthz", server.url)).send().await.is_err());
}
