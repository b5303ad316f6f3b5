//! Credentials: where they come from (the Docker configuration file and its helpers) and how a registry asks for them.

use std::fmt;
use std::process::Command;

use base64::Engine as _;
use camino::Utf8Path;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::credential_program::run_credential_program;
use crate::error::Error;

/// What proves who we are.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Secret {
    /// A name and a password.
    Basic { user: String, password: String },
    /// A token that buys tokens.
    Refresh(String),
}

/// Credentials and where they come from.
#[derive(Clone)]
pub(crate) struct Credentials {
    pub secret: Secret,
    /// For messages: never the secret itself.
    pub source: String,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Credentials from {}", self.source)
    }
}

/// The credentials for a registry, if the Docker configuration knows any.
pub(crate) fn find(docker_config: Option<&Utf8Path>, registry: &str) -> Result<Option<Credentials>, Error> {
    let Some(path) = docker_config else { return Ok(None) };
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::Disk { path: path.to_owned(), error }),
    };
    let config: DockerConfig = serde_json::from_str(&text)
        .map_err(|error| Error::Credentials(format!("\"{path}\" is not a Docker configuration: {error}")))?;
    let names = server_names(registry);
    for name in &names {
        if let Some(Value::String(helper)) = config.cred_helpers.get(name) {
            return ask_helper(helper, name);
        }
    }
    for name in &names {
        if let Some(entry) = config.auths.get(name)
            && let Some(secret) = entry.secret()
        {
            return Ok(Some(Credentials { secret, source: format!("\"{path}\"") }));
        }
    }
    match &config.creds_store {
        Some(helper) => ask_helper(helper, names.first().map_or(registry, String::as_str)),
        None => Ok(None),
    }
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct DockerConfig {
    auths: std::collections::BTreeMap<String, AuthEntry>,
    cred_helpers: Map<String, Value>,
    creds_store: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct AuthEntry {
    auth: Option<String>,
    username: Option<String>,
    password: Option<String>,
    identitytoken: Option<String>,
}

impl AuthEntry {
    fn secret(&self) -> Option<Secret> {
        if let Some(token) = self.identitytoken.as_ref().filter(|token| !token.is_empty()) {
            return Some(Secret::Refresh(token.clone()));
        }
        if let (Some(user), Some(password)) = (&self.username, &self.password) {
            return Some(Secret::Basic { user: user.clone(), password: password.clone() });
        }
        let decoded = base64::engine::general_purpose::STANDARD.decode(self.auth.as_deref()?).ok()?;
        let text = String::from_utf8(decoded).ok()?;
        let (user, password) = text.split_once(':')?;
        Some(Secret::Basic { user: user.to_owned(), password: password.trim_end_matches('\0').to_owned() })
    }
}

/// The names under which a registry may stand in the Docker configuration.
fn server_names(registry: &str) -> Vec<String> {
    let mut names = vec![
        registry.to_owned(),
        format!("https://{registry}"),
        format!("https://{registry}/"),
        format!("https://{registry}/v1/"),
        format!("https://{registry}/v2/"),
        format!("http://{registry}"),
    ];
    if matches!(registry, "docker.io" | "registry-1.docker.io" | "index.docker.io") {
        names.push("https://index.docker.io/v1/".to_owned());
    }
    names
}

/// Runs `docker-credential-NAME get`.
fn ask_helper(helper: &str, server: &str) -> Result<Option<Credentials>, Error> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if helper.is_empty() || !helper.chars().all(is_name) {
        return Err(Error::Credentials(format!("\"{helper}\" is not the name of a credential helper")));
    }
    let program = format!("docker-credential-{helper}");
    let failed = |reason: String| Error::Credentials(format!("`{program}` {reason}"));
    let mut command = Command::new(&program);
    command.arg("get");
    let (is_success, output) = run_credential_program(command, &program, server)?;
    if !is_success {
        return match output.contains("credentials not found") {
            true => Ok(None),
            false => Err(failed(format!("failed: {}", output.trim()))),
        };
    }
    let answer: HelperAnswer =
        serde_json::from_str(&output).map_err(|_| failed("gave an answer that cannot be read".to_owned()))?;
    let secret = match answer.username.as_str() {
        "<token>" => Secret::Refresh(answer.secret),
        _ => Secret::Basic { user: answer.username, password: answer.secret },
    };
    Ok(Some(Credentials { secret, source: format!("`{program}`") }))
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct HelperAnswer {
    username: String,
    secret: String,
}

/// What a registry asks for in `WWW-Authenticate`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Challenge {
    /// A name and a password with each request.
    Basic,
    /// A token from another address.
    Bearer { realm: String, service: Option<String>, scope: Option<String> },
}

impl Challenge {
    /// Reads one header value. Unknown schemes give nothing.
    pub(crate) fn parse(header: &str) -> Option<Self> {
        let (scheme, rest) = header.trim().split_once(' ').unwrap_or((header.trim(), ""));
        if scheme.eq_ignore_ascii_case("basic") {
            return Some(Self::Basic);
        }
        if !scheme.eq_ignore_ascii_case("bearer") {
            return None;
        }
        let (mut realm, mut service, mut scope) = (None, None, None);
        for (key, value) in parameters(rest) {
            match key.to_ascii_lowercase().as_str() {
                "realm" => realm = Some(value),
                "service" => service = Some(value),
                "scope" => scope = Some(value),
                _ => {}
            }
        }
        Some(Self::Bearer { realm: realm?, service, scope })
    }
}

/// `key="value", key=value, …`
fn parameters(mut text: &str) -> Vec<(&str, String)> {
    let mut found = Vec::new();
    loop {
        text = text.trim_start_matches([' ', ',', '\t']);
        let Some((key, rest)) = text.split_once('=') else { return found };
        let value = match rest.strip_prefix('"') {
            Some(quoted) => {
                let mut value = String::new();
                let mut chars = quoted.char_indices();
                let mut end = quoted.len();
                while let Some((at, c)) = chars.next() {
                    match c {
                        '"' => {
                            end = at + 1;
                            break;
                        }
                        '\\' => value.extend(chars.next().map(|(_, c)| c)),
                        c => value.push(c),
                    }
                }
                text = quoted.get(end..).unwrap_or_default();
                value
            }
            None => {
                let (value, rest) = rest.split_at(rest.find(',').unwrap_or(rest.len()));
                text = rest;
                value.trim().to_owned()
            }
        };
        found.push((key.trim(), value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenges_are_read() {
        let bearer = |realm: &str, service: Option<&str>, scope: Option<&str>| {
            Some(Challenge::Bearer {
                realm: realm.to_owned(),
                service: service.map(str::to_owned),
                scope: scope.map(str::to_owned),
            })
        };
        assert_eq!(Challenge::parse("Basic realm=\"x\""), Some(Challenge::Basic));
        assert_eq!(
            Challenge::parse(r#"Bearer realm="https://a/token",service="s",scope="repository:x:pull,push""#),
            bearer("https://a/token", Some("s"), Some("repository:x:pull,push"))
        );
        assert_eq!(
            Challenge::parse(r#"bearer Realm=https://a , error="x""#),
            bearer("https://a", None, None)
        );
        assert_eq!(Challenge::parse("Bearer service=x"), None);
        assert_eq!(Challenge::parse("Negotiate"), None);
        assert_eq!(Challenge::parse("Bearer realm=\"open"), bearer("open", None, None));
    }

    #[test]
    fn docker_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(folder.path()).unwrap().join("config.json");
        let check = |text: &str, expected: Option<Secret>| {
            std::fs::write(&path, text).unwrap();
            let found = find(Some(&path), "example.com:5000").unwrap();
            assert!(found.map(|found| found.secret) == expected, "{text}");
        };
        let basic = |user: &str, password: &str| {
            Some(Secret::Basic { user: user.to_owned(), password: password.to_owned() })
        };
        check("{}", None);
        check(r#"{"auths": {"example.com:5000": {"auth": "bWU6c2VjOnJldA=="}}}"#, basic("me", "sec:ret"));
        check(
            r#"{"auths": {"https://example.com:5000": {"username": "a", "password": "b"}}}"#,
            basic("a", "b"),
        );
        check(
            r#"{"auths": {"https://example.com:5000/v1/": {"auth": "", "identitytoken": "t"}}}"#,
            Some(Secret::Refresh("t".to_owned())),
        );
        check(r#"{"auths": {"other.com": {"auth": "bWU6c2VjcmV0"}}}"#, None);
        check(r#"{"auths": {"example.com:5000": {}}}"#, None);
        std::fs::write(&path, r#"{"credsStore": "../evil"}"#).unwrap();
        assert!(matches!(find(Some(&path), "example.com"), Err(Error::Credentials(_))));
        std::fs::write(&path, "[").unwrap();
        assert!(matches!(find(Some(&path), "example.com"), Err(Error::Credentials(_))));
    }
}
