//! Registries that ask who we are.

use registry::{Module, PublishOptions, RestoreOptions};

use crate::server::{Act, Proxy, Registry};
use crate::{RegistryFixture, TEMPLATE, Test, module, patience, publish, reference, restore, start_child};

pub const TESTS: &[Test] = &[
    ("a_protected_registry_wants_credentials", a_protected_registry_wants_credentials),
    ("a_credential_helper_is_asked", a_credential_helper_is_asked),
    ("tokens_are_fetched", tokens_are_fetched),
    ("tokens_are_not_bought_at_unsafe_places", tokens_are_not_bought_at_unsafe_places),
];

/// `me:secret` in base 64.
const RIGHT: &str = "bWU6c2VjcmV0";
/// `me:wrong` in base 64.
const WRONG: &str = "bWU6d3Jvbmc=";

fn docker_config(place: &RegistryFixture, registry: &str, auth: &str) -> camino::Utf8PathBuf {
    place.write("docker/config.json", format!(r#"{{ "auths": {{ "{registry}": {{ "auth": "{auth}" }} }} }}"#))
}

fn a_protected_registry_wants_credentials() {
    let (registry, place) = (Registry::start_protected(), RegistryFixture::new());
    let address = &registry.address;
    let name = format!("br:{address}/thing:1");
    let publish = |docker_config| {
        let options =
            PublishOptions { docker_config, patience: patience(), ..PublishOptions::new(reference(&name)) };
        registry::publish(
            &Module { template: TEMPLATE.as_bytes(), sources: None, documentation_uri: None },
            &options,
        )
    };
    let no_credentials = format!(
        "the registry \"{address}\" requires credentials, and none were found: log in with `docker login {address}` or a credential helper"
    );
    assert_eq!(publish(None).unwrap_err().to_string(), no_credentials);
    let wrong = docker_config(&place, address, WRONG);
    let refused = format!("the registry \"{address}\" does not accept the credentials from \"{wrong}\"");
    assert_eq!(publish(Some(wrong.clone())).unwrap_err().to_string(), refused);
    publish(Some(docker_config(&place, address, RIGHT))).unwrap();

    assert_eq!(restore(module(&name), &place.options()).unwrap_err(), no_credentials);
    let with = |auth| RestoreOptions {
        docker_config: Some(docker_config(&place, address, auth)),
        ..place.options()
    };
    assert_eq!(restore(module(&name), &with(WRONG)).unwrap_err(), refused);
    restore(module(&name), &with(RIGHT)).unwrap();
}

fn a_credential_helper_is_asked() {
    let (registry, place) = (Registry::start_protected(), RegistryFixture::new());
    let address = &registry.address;
    let name = format!("br:{address}/thing:1");
    let options = PublishOptions {
        docker_config: Some(docker_config(&place, address, RIGHT)),
        patience: patience(),
        ..PublishOptions::new(reference(&name))
    };
    registry::publish(&Module { template: b"{}", sources: None, documentation_uri: None }, &options).unwrap();

    place.write("docker/config.json", format!(r#"{{ "credHelpers": {{ "{address}": "test" }} }}"#));
    let script = format!(
        "#!/bin/sh\nread server\n[ \"$1 $server\" = 'get {address}' ] || exit 1\necho '{{\"ServerURL\":\"x\",\"Username\":\"me\",\"Secret\":\"secret\"}}'\n"
    );
    let helper = place.write("bin/docker-credential-test", script);
    make_executable(&helper);
    let path = format!("{}:{}", place.root().join("bin"), std::env::var("PATH").unwrap());
    let docker = place.root().join("docker");
    let variables = [("DOCKER_CONFIG", docker.as_str()), ("PATH", path.as_str())];
    assert!(start_child(&place, &name, &variables).wait().unwrap().success());
    std::fs::remove_dir_all(place.cache().root()).unwrap();
    // A helper that fails is an error, not anonymous access.
    std::fs::write(&helper, "#!/bin/sh\nexit 3\n").unwrap();
    assert!(!start_child(&place, &name, &variables).wait().unwrap().success());
}

#[cfg(unix)]
fn make_executable(path: &camino::Utf8Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(not(unix))]
fn make_executable(_path: &camino::Utf8Path) {}

/// A registry that sells tokens: anonymous ones are good for nothing, those bought with credentials open the door.
fn tokens_are_fetched() {
    let (registry, place) = (Registry::start(), RegistryFixture::new());
    publish(&format!("br:{}/thing:1", registry.address), TEMPLATE);
    let tokens = Proxy::start("127.0.0.1:1", |seen, _| {
        let token = match seen.authorization.as_deref() {
            Some(header) if header == format!("Basic {RIGHT}") => "good",
            Some(_) => return Act::Answer("401 Unauthorized".to_owned(), String::new()),
            None => "anonymous",
        };
        assert!(seen.path.contains("scope=repository%3Athing%3Apull") && seen.path.contains("service=shop"));
        Act::Answer("200 OK".to_owned(), format!(r#"{{ "access_token": "{token}" }}"#))
    });
    let realm = format!("http://{}/token", tokens.address);
    let door = Proxy::start(&registry.address, move |seen, _| match seen.authorization.as_deref() {
        Some("Bearer good") => Act::Pass,
        _ => Act::Answer(
            format!(
                "401 Unauthorized\r\nWWW-Authenticate: Bearer realm=\"{realm}\",service=\"shop\",scope=\"repository:thing:pull\""
            ),
            String::new(),
        ),
    });
    let address = &door.address;
    let name = format!("br:{address}/thing:1");
    let with = |auth| RestoreOptions {
        docker_config: Some(docker_config(&place, address, auth)),
        ..place.options()
    };
    let message = restore(module(&name), &place.options()).unwrap_err();
    assert!(message.contains("requires credentials, and none were found"), "{message}");
    assert!(restore(module(&name), &with(WRONG)).is_err());
    restore(module(&name), &with(RIGHT)).unwrap();
    // The token is kept for the blob.
    let bought = tokens
        .seen()
        .iter()
        .filter(|seen| seen.authorization.as_deref() == Some("Basic bWU6c2VjcmV0"))
        .count();
    assert_eq!(bought, 1);
}

fn tokens_are_not_bought_at_unsafe_places() {
    let place = RegistryFixture::new();
    let door = Proxy::start("127.0.0.1:1", |_, _| {
        let challenge = "WWW-Authenticate: Bearer realm=\"http://example.com/token\"";
        Act::Answer(format!("401 Unauthorized\r\n{challenge}"), String::new())
    });
    let message = restore(module(&format!("br:{}/thing:1", door.address)), &place.options()).unwrap_err();
    assert!(message.contains("which is not a safe address"), "{message}");
}
