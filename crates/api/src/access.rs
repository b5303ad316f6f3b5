//! Authentication. The headers of a request come in; nothing or a refusal goes out.
//!
//! A server on the loopback interface is open to the programs of this machine, but not to web pages that a browser on it
//! happens to show. Everywhere else a request carries the server's token, or one that was issued for it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::http::{HeaderMap, header};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use deploy::ArmError;
use ring::{digest, hmac, rand};
use serde_json::{Value, json};

use crate::errors;
use crate::query::Query;

/// How long an issued token is good.
pub(crate) const LIFETIME: Duration = Duration::from_secs(3600);

/// By how many seconds the clocks of servers may differ.
const CLOCK_SKEW: u64 = 60;

/// The longest token that is looked at.
const LONGEST_TOKEN: usize = 16 * 1024;

/// Authentication of requests.
#[derive(Clone)]
pub struct Access {
    secret: Option<String>,
    key: hmac::Key,
}

/// Who a token is issued to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TokenClaims<'a> {
    pub(crate) tenant: &'a str,
    pub(crate) client: &'a str,
    /// What the token is good for.
    pub(crate) audience: &'a str,
    /// Who issues it.
    pub(crate) issuer: &'a str,
}

impl Access {
    /// Everybody on this machine, for servers on the loopback interface.
    pub fn local() -> Self {
        Self { secret: None, key: hmac::Key::new(hmac::HMAC_SHA256, &random::<32>()) }
    }

    /// Whoever knows the token.
    pub fn with_token(token: &str) -> Self {
        // Servers with the same token take each other's issued ones, as those that share a store must.
        let seed = digest::digest(&digest::SHA256, format!("sinew tokens: {token}").as_bytes());
        Self { secret: Some(token.to_owned()), key: hmac::Key::new(hmac::HMAC_SHA256, seed.as_ref()) }
    }

    /// Whether a request may come in.
    pub(crate) fn check(&self, headers: &HeaderMap) -> Result<(), ArmError> {
        if self.secret.is_none() {
            return same_machine(headers);
        }
        let Some(value) = headers.get(header::AUTHORIZATION) else {
            return Err(errors::no_token());
        };
        let token = value.to_str().ok().and_then(bearer).ok_or_else(errors::bad_token)?;
        match self.knows(token) || self.issued(token, now()) {
            true => Ok(()),
            false => Err(errors::bad_token()),
        }
    }

    /// Whether a linked template may be read. Clients that follow a link send no headers of ours: the token may stand in the
    /// query, as `token`.
    pub(crate) fn check_link(&self, headers: &HeaderMap, query: Option<&str>) -> Result<(), ArmError> {
        let query = Query::parse(query.unwrap_or_default());
        match query.get("token").filter(|_| self.secret.is_some()) {
            Some(token) if self.knows(token) || self.issued(token, now()) => Ok(()),
            _ => self.check(headers),
        }
    }

    /// Whether these are the credentials for a token.
    pub(crate) fn knows(&self, secret: &str) -> bool {
        let Some(expected) = &self.secret else { return true };
        // Comparing signatures takes the same time whatever differs.
        let expected = hmac::sign(&self.key, expected.as_bytes());
        hmac::verify(&self.key, secret.as_bytes(), expected.as_ref()).is_ok()
    }

    /// A new token, in the form of a JSON Web Token.
    pub(crate) fn issue(&self, subject: TokenClaims<'_>) -> String {
        let now = now();
        let claims = json!({
            "aud": subject.audience,
            "iss": subject.issuer,
            "iat": now,
            "nbf": now,
            "exp": now + LIFETIME.as_secs(),
            "appid": subject.client,
            "oid": subject.client,
            "sub": subject.client,
            "tid": subject.tenant,
            "ver": "1.0",
            "xms_mirid": format!("/subscriptions/{}/resourcegroups/local/providers/Microsoft.ManagedIdentity/userAssignedIdentities/local", subject.tenant),
        });
        let head = json!({ "alg": "HS256", "typ": "JWT" });
        let signed = format!("{}.{}", encode(head.to_string()), encode(claims.to_string()));
        let signature = encode(hmac::sign(&self.key, signed.as_bytes()));
        format!("{signed}.{signature}")
    }

    /// Whether we issued the token and it is still good.
    fn issued(&self, token: &str, now: u64) -> bool {
        let Some((signed, signature)) = token.rsplit_once('.') else { return false };
        let Ok(signature) = URL_SAFE_NO_PAD.decode(signature) else { return false };
        if hmac::verify(&self.key, signed.as_bytes(), &signature).is_err() {
            return false;
        }
        let claims = signed.split_once('.').and_then(|(_, claims)| URL_SAFE_NO_PAD.decode(claims).ok());
        let claims = claims.and_then(|text| serde_json::from_slice::<Value>(&text).ok());
        let time = |name: &str| claims.as_ref().and_then(|claims| claims.get(name)?.as_u64());
        // Another server may have issued it, whose clock is not quite ours.
        time("exp").is_some_and(|end| now < end) && time("nbf").is_none_or(|start| start <= now + CLOCK_SKEW)
    }
}

/// A token that nobody can guess.
pub fn new_token() -> String {
    encode(random::<32>())
}

/// Random bytes; a machine that has none cannot run a server.
#[expect(
    clippy::expect_used,
    reason = "the system's generator does not fail on any system that we build for"
)]
pub(crate) fn random<const N: usize>() -> [u8; N] {
    rand::generate(&rand::SystemRandom::new()).expect("random numbers").expose()
}

/// A page of another site may make a browser send requests to this machine, under its own name for it even.
fn same_machine(headers: &HeaderMap) -> Result<(), ArmError> {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    if text(header::HOST).is_some_and(|host| !is_this_machine(host)) {
        return Err(errors::foreign_host());
    }
    let origin = text(header::ORIGIN).map(|origin| origin.split_once("://").map_or(origin, |(_, host)| host));
    match origin.is_none_or(|origin| Some(origin) == text(header::HOST)) {
        true => Ok(()),
        false => Err(errors::foreign_page()),
    }
}

/// Whether a host, with or without a port, is this machine under a name that nobody else can give it.
fn is_this_machine(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    let is_address = name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    is_address || name.eq_ignore_ascii_case("localhost")
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && token.len() <= LONGEST_TOKEN).then_some(token)
}

fn encode(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    const SUBJECT: TokenClaims<'_> = TokenClaims { tenant: "t", client: "c", audience: "a", issuer: "i" };

    fn headers(pairs: &[(header::HeaderName, &str)]) -> HeaderMap {
        let pairs = pairs.iter().map(|(name, value)| (name.clone(), HeaderValue::from_str(value).unwrap()));
        pairs.collect()
    }

    #[track_caller]
    fn check(access: &Access, pairs: &[(header::HeaderName, &str)], status: Option<u16>) {
        let refused = access.check(&headers(pairs)).err().map(|error| error.status);
        assert_eq!(refused, status, "{pairs:?}");
    }

    #[test]
    fn a_guarded_server_wants_its_token() {
        let access = Access::with_token("secret");
        check(&access, &[], Some(401));
        for value in ["secret", "Basic secret", "Bearer", "Bearer ", "Bearer secret2", "Bearer SECRET"] {
            check(&access, &[(header::AUTHORIZATION, value)], Some(401));
        }
        check(&access, &[(header::AUTHORIZATION, "Bearer secret")], None);
        check(&access, &[(header::AUTHORIZATION, "bearer  secret ")], None);
    }

    #[test]
    fn issued_tokens_are_good_for_all_servers_with_the_same_secret() {
        let token = format!("Bearer {}", Access::with_token("secret").issue(SUBJECT));
        check(&Access::with_token("secret"), &[(header::AUTHORIZATION, &token)], None);
        check(&Access::with_token("another"), &[(header::AUTHORIZATION, &token)], Some(401));
        let stranger = format!("Bearer {}", Access::local().issue(SUBJECT));
        check(&Access::with_token("secret"), &[(header::AUTHORIZATION, &stranger)], Some(401));
    }

    #[test]
    fn tokens_expire_and_cannot_be_altered() {
        let access = Access::with_token("secret");
        let token = access.issue(SUBJECT);
        assert!(access.issued(&token, now()));
        assert!(!access.issued(&token, now() + LIFETIME.as_secs() + 1));
        assert!(!access.issued(&token, now() - 2 * CLOCK_SKEW), "it is not valid yet");
        let parts: Vec<&str> = token.split('.').collect();
        let claims = encode(r#"{"exp":99999999999}"#);
        for altered in [
            format!("{}.{claims}.{}", parts[0], parts[2]),
            format!("{}.{}.", parts[0], parts[1]),
            format!("{}.{}", parts[0], parts[1]),
            encode(r#"{"alg":"none"}"#) + "." + &claims + ".",
            "..".to_owned(),
            "é.é.é".to_owned(),
        ] {
            assert!(!access.issued(&altered, now()), "{altered}");
        }
    }

    #[test]
    fn web_pages_of_others_stay_outside() {
        let local = Access::local();
        let (host, origin) = (header::HOST, header::ORIGIN);
        check(&local, &[], None);
        for good in ["127.0.0.1:8080", "localhost", "LOCALHOST:1", "[::1]:8080", "127.9.9.9"] {
            check(&local, &[(host.clone(), good)], None);
        }
        for bad in ["evil.example", "localhost.evil.example:8080", "10.0.0.1:80", "127.0.0.1.evil.example"] {
            check(&local, &[(host.clone(), bad)], Some(403));
        }
        let here = "127.0.0.1:8080";
        check(&local, &[(host.clone(), here), (origin.clone(), "http://127.0.0.1:8080")], None);
        for page in ["http://evil.example", "null", "http://127.0.0.1:9090"] {
            check(&local, &[(host.clone(), here), (origin.clone(), page)], Some(403));
        }
    }
}
