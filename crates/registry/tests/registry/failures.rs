//! Everything that can go wrong on the way. Whatever it is, nothing corrupt is used.

use std::time::{Duration, Instant};

use base::World as _;
use base::disk::DiskWorld;
use base::world::Artifact;
use registry::{RegistryWorld, RestoreOptions};

use crate::server::{Act, Proxy, Registry, free_port};
use crate::{RegistryFixture, TEMPLATE, Test, module, patience, publish, restore, start_child};

pub const TESTS: &[Test] = &[
    ("a_tampered_blob_is_not_used", a_tampered_blob_is_not_used),
    ("a_blob_that_grows_is_not_used", a_blob_that_grows_is_not_used),
    ("a_missing_blob_is_named", a_missing_blob_is_named),
    ("a_tampered_cache_is_not_used_and_repaired", a_tampered_cache_is_not_used_and_repaired),
    ("a_tampered_manifest_is_not_used", a_tampered_manifest_is_not_used),
    ("an_unreachable_registry_is_named", an_unreachable_registry_is_named),
    ("a_failure_that_passes_is_waited_for", a_failure_that_passes_is_waited_for),
    ("a_failure_that_stays_is_reported", a_failure_that_stays_is_reported),
    ("a_broken_connection_is_tried_again", a_broken_connection_is_tried_again),
    ("strange_answers_are_reported", strange_answers_are_reported),
    ("offline_opens_no_socket", offline_opens_no_socket),
    ("two_processes_restore_the_same_at_once", two_processes_restore_the_same_at_once),
    ("a_kill_in_the_middle_of_a_download_does_no_harm", a_kill_in_the_middle_of_a_download_does_no_harm),
];

/// Nothing of an artifact can be used.
fn assert_unused(place: &RegistryFixture, name: &str) {
    let world = RegistryWorld::new(DiskWorld, place.cache());
    assert_eq!(world.artifact(name), Artifact::Missing);
}

fn hex_of(content: &str) -> String {
    registry::Digest::of(content.as_bytes()).hex().to_owned()
}

fn a_tampered_blob_is_not_used() {
    let (registry, place) = (Registry::start(), RegistryFixture::new());
    let name = format!("br:{}/thing:1", registry.address);
    publish(&name, TEMPLATE);
    let evil = TEMPLATE.replace("storage", "EVILage");
    assert_eq!(evil.len(), TEMPLATE.len());
    std::fs::write(registry.blob_file(&hex_of(TEMPLATE)), &evil).unwrap();
    let message = restore(module(&name), &place.options()).unwrap_err();
    let (good, bad) = (hex_of(TEMPLATE), hex_of(&evil));
    assert_eq!(
        message,
        format!(
            "the layer sha256:{good} has digest sha256:{bad}, but should have sha256:{good}; it is not used"
        )
    );
    assert_unused(&place, &name);
    assert!(!place.lock_file().exists());
}

fn a_blob_that_grows_is_not_used() {
    let (registry, place) = (Registry::start(), RegistryFixture::new());
    let name = format!("br:{}/thing:1", registry.address);
    publish(&name, TEMPLATE);
    std::fs::write(registry.blob_file(&hex_of(TEMPLATE)), TEMPLATE.repeat(1000)).unwrap();
    let message = restore(module(&name), &place.options()).unwrap_err();
    assert!(message.contains("has more than the 72 bytes that are allowed"), "{message}");
    assert_unused(&place, &name);
}

fn a_missing_blob_is_named() {
    let (registry, place) = (Registry::start(), RegistryFixture::new());
    let name = format!("br:{}/thing:1", registry.address);
    publish(&name, TEMPLATE);
    std::fs::remove_file(registry.blob_file(&hex_of(TEMPLATE))).unwrap();
    let message = restore(module(&name), &place.options()).unwrap_err();
    assert!(message.starts_with("its manifest refers to content with digest"), "{message}");
    assert_unused(&place, &name);
}

fn a_tampered_cache_is_not_used_and_repaired() {
    let (registry, place) = (Registry::start(), RegistryFixture::new());
    let name = format!("br:{}/thing:1", registry.address);
    publish(&name, TEMPLATE);
    let stored = restore(module(&name), &place.options()).unwrap();
    let file = stored.folder.join("main.json");
    std::fs::write(&file, TEMPLATE.replace("storage", "EVILage")).unwrap();
    let world = RegistryWorld::new(DiskWorld, place.cache());
    assert!(world.read(&file).unwrap_err().to_string().contains("it is not used"));
    restore(module(&name), &place.options()).unwrap();
    assert_eq!(&*world.read(&file).unwrap(), TEMPLATE.as_bytes());
    // Cut short, as after a full disk.
    std::fs::write(&file, "").unwrap();
    let world = RegistryWorld::new(DiskWorld, place.cache());
    assert!(matches!(world.artifact(&name), Artifact::Failed(_)));
    restore(module(&name), &place.options()).unwrap();
    assert_eq!(&*world.read(&file).unwrap(), TEMPLATE.as_bytes());
}

fn a_tampered_manifest_is_not_used() {
    let (registry, place) = (Registry::start(), RegistryFixture::new());
    let name = format!("br:{}/thing:1", registry.address);
    publish(&name, TEMPLATE);
    let stored = restore(module(&name), &place.options()).unwrap();
    let evil = TEMPLATE.replace("storage", "EVILage");
    let manifest = std::fs::read_to_string(stored.folder.join("manifest")).unwrap();
    std::fs::write(stored.folder.join("main.json"), &evil).unwrap();
    std::fs::write(stored.folder.join("manifest"), manifest.replace(&hex_of(TEMPLATE), &hex_of(&evil)))
        .unwrap();
    let world = RegistryWorld::new(DiskWorld, place.cache());
    assert!(matches!(world.artifact(&name), Artifact::Failed(_)));
    assert!(world.read(&stored.folder.join("main.json")).is_err());
}

fn an_unreachable_registry_is_named() {
    let place = RegistryFixture::new();
    let address = format!("127.0.0.1:{}", free_port());
    let name = format!("br:{address}/thing:1");
    let message = restore(module(&name), &place.options()).unwrap_err();
    assert!(message.starts_with(&format!("the registry \"{address}\" cannot be reached: ")), "{message}");
    let name = "br:registry.invalid/thing:1";
    let message = restore(module(name), &place.options()).unwrap_err();
    assert!(message.starts_with("the registry \"registry.invalid\" cannot be reached: "), "{message}");
    assert_unused(&place, name);
}

fn a_failure_that_passes_is_waited_for() {
    let (registry, place) = (Registry::start(), RegistryFixture::new());
    publish(&format!("br:{}/thing:1", registry.address), TEMPLATE);
    let proxy = Proxy::start(&registry.address, |_, before| match before {
        0 => Act::Answer("500 Internal Server Error".to_owned(), String::new()),
        1 => Act::Answer("429 Too Many Requests\r\nRetry-After: 0".to_owned(), String::new()),
        3 => Act::Answer("503 Service Unavailable".to_owned(), String::new()),
        _ => Act::Pass,
    });
    restore(module(&format!("br:{}/thing:1", proxy.address)), &place.options()).unwrap();
    assert_eq!(proxy.seen().len(), 5);
}

fn a_failure_that_stays_is_reported() {
    let (registry, place) = (Registry::start(), RegistryFixture::new());
    let proxy = Proxy::start(&registry.address, |_, _| {
        Act::Answer("500 Internal Server Error".to_owned(), String::new())
    });
    let address = &proxy.address;
    let message = restore(module(&format!("br:{address}/thing:1")), &place.options()).unwrap_err();
    assert_eq!(message, format!("the registry \"{address}\" failed with status 500, 4 times"));
}

fn a_broken_connection_is_tried_again() {
    let (registry, place) = (Registry::start(), RegistryFixture::new());
    let template = format!("{{ \"long\": \"{}\" }}", "x".repeat(100_000));
    publish(&format!("br:{}/thing:1", registry.address), &template);
    let proxy = Proxy::start(&registry.address, |seen, before| match seen.is_blob_download() {
        true if before < 3 => Act::CutAfter(50_000),
        _ => Act::Pass,
    });
    let name = format!("br:{}/thing:1", proxy.address);
    let stored = restore(module(&name), &place.options()).unwrap();
    assert_eq!(std::fs::read_to_string(stored.folder.join("main.json")).unwrap(), template);
    assert_eq!(proxy.seen().iter().filter(|seen| seen.is_blob_download()).count(), 3);
    let proxy = Proxy::start(&registry.address, |seen, _| match seen.is_blob_download() {
        true => Act::CutAfter(50_000),
        false => Act::Pass,
    });
    let name = format!("br:{}/thing:1", proxy.address);
    let message = restore(module(&name), &place.options()).unwrap_err();
    assert!(message.contains("cannot be reached"), "{message}");
    assert_unused(&place, &name);
}

fn strange_answers_are_reported() {
    let place = RegistryFixture::new();
    let check = |status: &str, body: &str, expected: &str| {
        let (status, body) = (status.to_owned(), body.to_owned());
        let proxy = Proxy::start("127.0.0.1:1", move |_, _| Act::Answer(status.clone(), body.clone()));
        let name = format!("br:{}/thing:1", proxy.address);
        let message = restore(module(&name), &place.options()).unwrap_err();
        assert!(message.contains(expected), "{message}");
        assert_unused(&place, &name);
    };
    check("200 OK", "<html>", "its manifest is not valid: ");
    check("200 OK", "{}", "its manifest is not valid: ");
    check("200 OK", &"x".repeat(5 << 20), "the manifest has more than the 4194304 bytes that are allowed");
    check("403 Forbidden", "", "does not allow this");
    check("404 Not Found", "", "it does not exist in the registry");
    check(
        "418 Teapot",
        r#"{"errors":[{"message":"short and stout"}]}"#,
        "refused with status 418: short and stout",
    );
    check(
        &format!("200 OK\r\nDocker-Content-Digest: sha256:{}", "0".repeat(64)),
        "{}",
        "the manifest has digest sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a, but should have",
    );
    let manifest = |artifact: &str, config: &str, layers: &str| {
        let digest = format!("sha256:{}", "0".repeat(64));
        format!(
            r#"{{"schemaVersion":2,"artifactType":"{artifact}","config":{{"mediaType":"{config}","digest":"{digest}","size":2}},"layers":[{layers}]}}"#
        )
    };
    let module = "application/vnd.ms.bicep.module";
    check("200 OK", &manifest("image", "x", ""), "its artifact type \"image\" is not known");
    check(
        "200 OK",
        &manifest(&format!("{module}.artifact"), "x", ""),
        "its configuration has the unknown type \"x\"",
    );
    let config = format!("{module}.config.v1+json");
    check("200 OK", &manifest(&format!("{module}.artifact"), &config, ""), "it has no layer of type");
    check(
        "200 OK",
        &manifest(
            &format!("{module}.artifact"),
            &config,
            r#"{"mediaType":"x","digest":"sha256:../../../../etc/passwd","size":1}"#,
        ),
        "is not a SHA-256 digest",
    );
    let layer = format!(
        r#"{{"mediaType":"{module}.layer.v1+json","digest":"sha256:{}","size":99999999999}}"#,
        "0".repeat(64)
    );
    check(
        "200 OK",
        &manifest(&format!("{module}.artifact"), &config, &layer),
        "has more than the 1073741824 bytes that are allowed",
    );
}

fn offline_opens_no_socket() {
    let place = RegistryFixture::new();
    let proxy = Proxy::start("127.0.0.1:1", |_, _| Act::Pass);
    let name = format!("br:{}/thing:1", proxy.address);
    let options = RestoreOptions { offline: true, ..place.options() };
    let message = restore(module(&name), &options).unwrap_err();
    assert_eq!(message, "it is not in the cache, and `--offline` forbids downloading it");
    assert!(proxy.seen().is_empty());
}

fn two_processes_restore_the_same_at_once() {
    let (registry, place) = (Registry::start(), RegistryFixture::new());
    publish(&format!("br:{}/thing:1", registry.address), TEMPLATE);
    let proxy = Proxy::start(&registry.address, |seen, _| match seen.is_blob_download() {
        true => Act::Delay(Duration::from_millis(300)),
        false => Act::Pass,
    });
    let name = format!("br:{}/thing:1", proxy.address);
    let children: Vec<_> = (0..4).map(|_| start_child(&place, &name, &[])).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let downloads = proxy.seen().iter().filter(|seen| seen.is_blob_download()).count();
    assert_eq!(downloads, 1, "the others find what the first one fetched");
    let world = RegistryWorld::new(DiskWorld, place.cache());
    let Artifact::Restored(folder) = world.artifact(&name) else { panic!("{:?}", world.artifact(&name)) };
    assert_eq!(&*world.read(&folder.join("main.json")).unwrap(), TEMPLATE.as_bytes());
}

fn a_kill_in_the_middle_of_a_download_does_no_harm() {
    let (registry, place) = (Registry::start(), RegistryFixture::new());
    let template = format!("{{ \"long\": \"{}\" }}", "x".repeat(500_000));
    publish(&format!("br:{}/thing:1", registry.address), &template);
    let proxy = Proxy::start(&registry.address, |seen, before| match seen.is_blob_download() {
        true if before < 2 => Act::StallAfter(200_000),
        _ => Act::Pass,
    });
    let name = format!("br:{}/thing:1", proxy.address);
    let mut child = start_child(&place, &name, &[]);
    let folder = place.cache().folder(&crate::reference(&name));
    let partial = || {
        let entries = folder.read_dir_utf8().ok()?.flatten();
        let mut found = entries.filter(|entry| entry.file_name().starts_with(".partial-"));
        found.find(|entry| entry.metadata().is_ok_and(|metadata| metadata.len() > 50_000))
    };
    let started = Instant::now();
    while partial().is_none() {
        assert!(started.elapsed() < Duration::from_secs(30), "the download does not start");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(partial().is_some(), "what was fetched is left behind");
    assert_unused(&place, &name);
    let stored = restore(module(&name), &RestoreOptions { patience: patience(), ..place.options() }).unwrap();
    assert_eq!(std::fs::read_to_string(stored.folder.join("main.json")).unwrap(), template);
    assert!(partial().is_none(), "what was left behind is gone");
}
