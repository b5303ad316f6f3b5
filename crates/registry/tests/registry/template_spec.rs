//! Template specs, from a service that knows one.

use base::MemoryWorld;
use base::World as _;
use base::disk::DiskWorld;
use base::world::Artifact;
use config::reference::{self, ArtifactKind, Reference};
use registry::{ArtifactRequest, Azure, RegistryWorld, RestoreOptions};

use crate::server::{Act, Proxy};
use crate::{RegistryFixture, Test, restore};

pub const TESTS: &[Test] = &[
    ("a_template_spec_is_fetched_once", a_template_spec_is_fetched_once),
    ("a_template_spec_that_cannot_be_had_is_reported", a_template_spec_that_cannot_be_had_is_reported),
];

const SUBSCRIPTION: &str = "11111111-1111-1111-1111-111111111111";
const SPEC: &str = r#"{ "id": "/x", "properties": { "mainTemplate": { "resources": [] } } }"#;

/// The service: tokens for those who know the secret, template specs for those who have a token.
fn service(answer: fn() -> Act) -> Proxy {
    Proxy::start("", move |seen, _| {
        let status = |status: &str| Act::Answer(status.to_owned(), "{}".to_owned());
        match (seen.method.as_str(), seen.authorization.as_deref()) {
            ("POST", None) if seen.path == "/tenant/oauth2/v2.0/token" => {
                Act::Answer("200 OK".to_owned(), r#"{ "access_token": "secret-token" }"#.to_owned())
            }
            ("GET", Some("Bearer secret-token")) if seen.path.contains("/templateSpecs/spec/versions/v1") => {
                answer()
            }
            ("GET", Some("Bearer secret-token")) => status("404 Not Found"),
            _ => status("401 Unauthorized"),
        }
    })
}

fn wanted(name: &str) -> (String, ArtifactRequest) {
    let name = format!("ts:{SUBSCRIPTION}/group/{name}:v1");
    let (config, _) = config::load_for(&MemoryWorld::default(), "/main.bicep".into());
    let Ok(Reference::TemplateSpec(reference)) = reference::parse(&name, ArtifactKind::Module, &config)
    else {
        panic!("{name} is a reference");
    };
    (name, ArtifactRequest::TemplateSpec(reference))
}

/// The cloud with this service, and an application that is known there.
fn azure(service: &Proxy, place: &RegistryFixture, credentials: &str) -> Azure {
    let address = &service.address;
    let text = format!(
        r#"{{ "cloud": {{ "currentProfile": "Test", "credentialPrecedence": [{credentials}], "profiles": {{ "Test": {{
            "resourceManagerEndpoint": "http://{address}", "activeDirectoryAuthority": "http://{address}" }} }} }} }}"#
    );
    place.write("bicepconfig.json", text);
    let (config, _) = config::load_for(&DiskWorld, &place.root().join("main.bicep"));
    let mut world = MemoryWorld::default();
    for (name, value) in [("TENANT_ID", "tenant"), ("CLIENT_ID", "me"), ("CLIENT_SECRET", "a b&c")] {
        world = world.with_variable(format!("AZURE_{name}"), value);
    }
    Azure::of(&config.cloud, &world)
}

fn a_template_spec_is_fetched_once() {
    let place = RegistryFixture::new();
    let service = service(|| Act::Answer("200 OK".to_owned(), SPEC.to_owned()));
    let options =
        RestoreOptions { azure: Some(azure(&service, &place, "\"Environment\"")), ..place.options() };
    let (name, wanted) = wanted("spec");
    let stored = restore(wanted.clone(), &options).unwrap();
    assert_eq!(stored.folder, place.cache().root().join(format!("ts/{SUBSCRIPTION}/group/spec/v1")));
    let world = RegistryWorld::new(DiskWorld, place.cache());
    assert_eq!(world.artifact(&name), Artifact::Restored(stored.folder.clone()));
    assert_eq!(&*world.read(&stored.folder.join("main.json")).unwrap(), SPEC.as_bytes());
    assert!(service.seen().iter().any(|seen| seen.path.ends_with("?api-version=2021-05-01")));

    let requests = service.seen().len();
    restore(wanted.clone(), &RestoreOptions { offline: true, ..place.options() }).unwrap();
    restore(wanted.clone(), &options).unwrap();
    assert_eq!(service.seen().len(), requests);
    restore(wanted, &RestoreOptions { force: true, ..options }).unwrap();
    assert!(service.seen().len() > requests);
}

fn a_template_spec_that_cannot_be_had_is_reported() {
    let place = RegistryFixture::new();
    let check = |service: &Proxy, credentials: &str, name: &str, expected: &str| {
        let azure = Some(azure(service, &place, credentials));
        let (_, wanted) = wanted(name);
        let message = restore(wanted, &RestoreOptions { azure, ..place.options() }).unwrap_err();
        assert!(message.contains(expected), "{message}");
    };
    let good = service(|| Act::Answer("200 OK".to_owned(), SPEC.to_owned()));
    check(&good, "\"Environment\"", "gone", "it does not exist");
    check(&good, "\"VisualStudio\"", "spec", "sign in with `az login`");
    let strange = service(|| Act::Answer("200 OK".to_owned(), "[]".to_owned()));
    check(&strange, "\"Environment\"", "spec", "is not a template spec");
    let forbidden = service(|| Act::Answer("403 Forbidden".to_owned(), "{}".to_owned()));
    check(&forbidden, "\"Environment\"", "spec", "does not allow this");
    let (_, wanted) = wanted("spec");
    let message = restore(wanted, &RestoreOptions { offline: true, ..place.options() }).unwrap_err();
    assert!(message.contains("--offline"), "{message}");
}
