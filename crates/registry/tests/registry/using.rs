//! Publish, restore, use.

use std::sync::Mutex;

use base::World as _;
use base::disk::DiskWorld;
use base::world::Artifact;
use camino::Utf8Path;
use expect_test::expect;
use registry::{
    ArtifactRequest, Event, ExtensionPackage, Module, PublishOptions, RegistryWorld, RestoreOptions, archive,
};

use crate::server::{Act, Proxy, Registry};
use crate::{RegistryFixture, TEMPLATE, Test, extension, module, patience, publish, reference, restore};

pub const TESTS: &[Test] = &[
    ("a_module_is_published_restored_and_used", a_module_is_published_restored_and_used),
    ("a_provider_is_published_restored_and_used", a_provider_is_published_restored_and_used),
    ("a_module_is_not_a_provider", a_module_is_not_a_provider),
    ("an_existing_tag_is_kept_without_force", an_existing_tag_is_kept_without_force),
    ("what_is_restored_is_not_fetched_again", what_is_restored_is_not_fetched_again),
    ("many_are_restored_at_once_in_order", many_are_restored_at_once_in_order),
    ("progress_adds_up", progress_adds_up),
    ("a_package_file_is_used", a_package_file_is_used),
    ("a_broken_package_file_is_refused", a_broken_package_file_is_refused),
    ("packing_checks_references", packing_checks_references),
    ("sources_may_lie_in_the_cache_folder", sources_may_lie_in_the_cache_folder),
];

fn a_module_is_published_restored_and_used() {
    let (registry, place) = (Registry::start(), RegistryFixture::new());
    let name = format!("br:{}/storage/account:v1", registry.address);
    let options = PublishOptions {
        created: Some(1_700_000_000),
        patience: patience(),
        ..PublishOptions::new(reference(&name))
    };
    let published = Module {
        template: TEMPLATE.as_bytes(),
        sources: Some(b"sources"),
        documentation_uri: Some("https://example.com/doc"),
    };
    let digest = registry::publish(&published, &options).unwrap();

    let stored = restore(module(&name), &place.options()).unwrap();
    assert_eq!(stored.digest, digest);
    let mut files: Vec<_> =
        stored.folder.read_dir_utf8().unwrap().map(|e| e.unwrap().file_name().to_owned()).collect();
    files.sort();
    assert_eq!(files, ["lock", "main.json", "manifest", "metadata", "source.tgz"]);
    let manifest: serde_json::Value =
        serde_json::from_slice(&std::fs::read(stored.folder.join("manifest")).unwrap()).unwrap();
    expect![[r#"
        {
          "schemaVersion": 2,
          "mediaType": "application/vnd.oci.image.manifest.v1+json",
          "artifactType": "application/vnd.ms.bicep.module.artifact",
          "config": {
            "mediaType": "application/vnd.ms.bicep.module.config.v1+json",
            "digest": "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
            "size": 2
          },
          "layers": [
            {
              "mediaType": "application/vnd.ms.bicep.module.layer.v1+json",
              "digest": "sha256:1825507f0e3fb07a40e7b1bc9106b40cf784551c3ff270f8374c4db48ac19a5d",
              "size": 72,
              "annotations": {
                "org.opencontainers.image.title": "Compiled ARM template"
              }
            },
            {
              "mediaType": "application/vnd.ms.bicep.module.source.v1.tar+gzip",
              "digest": "sha256:878a52fc5ff6a57d50b7b870aa51637a3dfd38fc22352a39f95a3c292eb976d5",
              "size": 7,
              "annotations": {
                "org.opencontainers.image.title": "Source files"
              }
            }
          ],
          "annotations": {
            "org.opencontainers.image.created": "2023-11-14T22:13:20Z",
            "org.opencontainers.image.description": "A storage account.",
            "org.opencontainers.image.documentation": "https://example.com/doc"
          }
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&manifest).unwrap());

    let world = RegistryWorld::new(DiskWorld, place.cache());
    let Artifact::Restored(folder) = world.artifact(&name) else { panic!("{:?}", world.artifact(&name)) };
    assert_eq!(&*world.read(&folder.join("main.json")).unwrap(), TEMPLATE.as_bytes());
    let lock = std::fs::read_to_string(place.lock_file()).unwrap();
    let expected = format!(
        "{{\n  \"version\": 1,\n  \"artifacts\": {{\n    \"{name}\": {{\n      \"kind\": \"module\",\n      \"digest\": \"{digest}\"\n    }}\n  }}\n}}\n"
    );
    assert_eq!(lock, expected);
}

/// A folder with types, as generators write it.
fn types(place: &RegistryFixture) -> ExtensionPackage {
    let index = place.write(
        "types/index.json",
        r##"{ "resources": { "a/b@v1": { "$ref": "a/types.json#/1" } }, "resourceFunctions": {},
             "settings": { "name": "Foo", "version": "1.2.3", "configurationType": { "$ref": "types.json#/0" } } }"##,
    );
    place.write(
        "types/a/types.json",
        r##"[{ "$type": "ObjectType", "name": "b", "properties": {} },
            { "$type": "ResourceType", "name": "a/b@v1", "body": { "$ref": "#/0" }, "readableScopes": 0, "writableScopes": 0 }]"##,
    );
    place.write("types/types.json", r#"[{ "$type": "ObjectType", "name": "settings", "properties": {} }]"#);
    ExtensionPackage::from_index(&index).unwrap()
}

fn a_provider_is_published_restored_and_used() {
    let (registry, place) = (Registry::start(), RegistryFixture::new());
    let name = format!("br:{}/providers/foo:1.2.3", registry.address);
    let mut package = types(&place);
    package.binaries.insert("linux-x64".to_owned(), b"program".to_vec());
    package.binaries.insert("osx-arm64".to_owned(), b"other".to_vec());
    let options = PublishOptions { patience: patience(), ..PublishOptions::new(reference(&name)) };
    registry::publish_extension(&package, &options).unwrap();

    let stored = restore(extension(&name), &place.options()).unwrap();
    let manifest: serde_json::Value =
        serde_json::from_slice(&std::fs::read(stored.folder.join("manifest")).unwrap()).unwrap();
    assert_eq!(manifest["artifactType"], "application/vnd.ms.bicep.provider.artifact");
    assert_eq!(manifest["config"]["mediaType"], "application/vnd.ms.bicep.provider.config.v1+json");
    assert_eq!(manifest["annotations"]["bicep.serialization.format"], "v1");
    let layers: Vec<_> = manifest["layers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|layer| {
            let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
            (text(&layer["mediaType"]), text(&layer["annotations"]["org.opencontainers.image.title"]))
        })
        .collect();
    let prefix = "application/vnd.ms.bicep.provider.layer.v1";
    assert_eq!(
        layers,
        [
            (format!("{prefix}.tar+gzip"), "types.tgz".to_owned()),
            (format!("{prefix}.linux-x64.binary"), "extension.bin".to_owned()),
            (format!("{prefix}.osx-arm64.binary"), "extension.bin".to_owned()),
        ]
    );

    let world = RegistryWorld::new(DiskWorld, place.cache());
    let Artifact::Restored(folder) = world.artifact(&name) else { panic!("{:?}", world.artifact(&name)) };
    let catalogue = registry::types::restored_catalogue(&place.cache(), &folder).unwrap();
    assert!(catalogue.find("a/b", "v1").unwrap().is_some());
    let types = world.read(&folder.join("types.tgz")).unwrap();
    let files = archive::read(&types, archive::Limits::default()).unwrap();
    let names: Vec<_> = files.keys().map(|path| path.as_str()).collect();
    assert_eq!(names, ["a/types.json", "index.json", "types.json"]);
    if let Some("linux-x64") = registry::manifest::architecture() {
        assert_eq!(&*world.read(&folder.join("extension.bin")).unwrap(), b"program");
    }
}

fn a_module_is_not_a_provider() {
    let (registry, place) = (Registry::start(), RegistryFixture::new());
    let name = format!("br:{}/thing:1", registry.address);
    publish(&name, TEMPLATE);
    let expected = "an artifact of kind \"extension\" is expected, but this is of kind \"module\"";
    assert_eq!(restore(extension(&name), &place.options()).unwrap_err(), expected);
    // Nor is it one when it is in the cache.
    restore(module(&name), &place.options()).unwrap();
    assert_eq!(restore(extension(&name), &place.options()).unwrap_err(), expected);
}

fn an_existing_tag_is_kept_without_force() {
    let registry = Registry::start();
    let name = format!("br:{}/thing:1", registry.address);
    let first = publish(&name, TEMPLATE);
    let again = |force| {
        let options = PublishOptions { force, patience: patience(), ..PublishOptions::new(reference(&name)) };
        let template = br#"{ "resources": {} }"#;
        registry::publish(&Module { template, sources: None, documentation_uri: None }, &options)
    };
    assert_eq!(
        again(false).unwrap_err().to_string(),
        "it exists in the registry already; `--force` replaces it"
    );
    assert_ne!(again(true).unwrap(), first);
    let by_digest = PublishOptions::new(reference(&format!("br:{}/thing@{first}", registry.address)));
    let module = Module { template: b"{}", sources: None, documentation_uri: None };
    assert!(matches!(registry::publish(&module, &by_digest), Err(registry::Error::NoTag)));
}

fn what_is_restored_is_not_fetched_again() {
    let (registry, place) = (Registry::start(), RegistryFixture::new());
    let proxy = Proxy::start(&registry.address, |_, _| Act::Pass);
    publish(&format!("br:{}/thing:1", registry.address), TEMPLATE);
    let name = format!("br:{}/thing:1", proxy.address);
    restore(module(&name), &place.options()).unwrap();
    let requests = proxy.seen().len();
    assert!(requests > 0);
    restore(module(&name), &place.options()).unwrap();
    assert_eq!(proxy.seen().len(), requests);
    restore(module(&name), &RestoreOptions { force: true, ..place.options() }).unwrap();
    assert!(proxy.seen().len() > requests);
}

fn many_are_restored_at_once_in_order() {
    let (registry, place) = (Registry::start(), RegistryFixture::new());
    let name = |n: usize| format!("br:{}/thing/n{n}:1", registry.address);
    for n in 0..12 {
        publish(&name(n), &format!("{{ \"n\": {n} }}"));
    }
    let wanted: Vec<_> = (0..13).map(|n| module(&name(n))).collect();
    let outcomes = registry::restore(&wanted, &place.options()).unwrap();
    let mut sorted = wanted;
    sorted.sort();
    assert_eq!(outcomes.iter().map(|outcome| outcome.wanted.clone()).collect::<Vec<_>>(), sorted);
    for outcome in outcomes {
        match &outcome.wanted {
            wanted if *wanted == module(&name(12)) => {
                assert_eq!(outcome.result.unwrap_err().to_string(), "it does not exist in the registry");
            }
            _ => assert!(outcome.result.is_ok(), "{outcome:?}"),
        }
    }
}

fn progress_adds_up() {
    let (registry, place) = (Registry::start(), RegistryFixture::new());
    let name = format!("br:{}/thing:1", registry.address);
    publish(&name, TEMPLATE);
    let log = Mutex::new((0, 0, 0));
    let tell = |event: Event<'_>| {
        let mut log = log.lock().unwrap();
        match event {
            Event::Started { bytes, .. } => log.0 += i64::try_from(bytes).unwrap(),
            Event::Received { bytes, .. } => log.1 += bytes,
            Event::Damaged { .. } | Event::Finished { .. } => log.2 += 1,
        }
    };
    restore(module(&name), &RestoreOptions { progress: Some(&tell), ..place.options() }).unwrap();
    let expected = i64::try_from(TEMPLATE.len()).unwrap();
    assert_eq!(*log.lock().unwrap(), (expected, expected, 1));
}

fn a_package_file_is_used() {
    let place = RegistryFixture::new();
    let package = place.root().join("foo.tgz");
    registry::write_extension(&types(&place), &package).unwrap();
    let world = || RegistryWorld::new(DiskWorld, place.cache());
    assert_eq!(world().artifact(package.as_str()), Artifact::Missing);
    let options = RestoreOptions { offline: true, ..place.options() };
    let stored = restore(ArtifactRequest::Package(package.clone()), &options).unwrap();
    assert_eq!(world().artifact(package.as_str()), Artifact::Restored(stored.folder.clone()));
    let types = world().read(&stored.folder.join("types.tgz")).unwrap();
    assert!(
        archive::read(&types, archive::Limits::default()).unwrap().contains_key(Utf8Path::new("index.json"))
    );
    assert!(std::fs::read_to_string(place.lock_file()).unwrap().contains("\"foo.tgz\""));
    // Another package is another one, and not what the lock file says.
    std::fs::write(&package, b"other").unwrap();
    assert!(
        restore(ArtifactRequest::Package(package), &RestoreOptions { locked: true, ..place.options() })
            .is_err()
    );
}

fn a_broken_package_file_is_refused() {
    let place = RegistryFixture::new();
    let check = |content: &[u8], expected: &str| {
        let path = place.write("x.tgz", content);
        let message = restore(ArtifactRequest::Package(path), &place.options()).unwrap_err();
        assert!(message.contains(expected), "{message}");
    };
    check(b"not an archive", "the archive is not valid");
    check(&archive::write([("other", b"x".as_slice())]).unwrap(), "it has no \"types.tgz\"");
    let missing = ArtifactRequest::Package(place.root().join("gone.tgz"));
    assert!(restore(missing, &place.options()).unwrap_err().contains("gone.tgz"));
}

fn packing_checks_references() {
    let place = RegistryFixture::new();
    let check = |index: &str, expected: &str| {
        let index = place.write("index.json", index);
        let message = ExtensionPackage::from_index(&index).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    };
    place.write("t.json", "[{}]");
    place.write("not.json", "{}");
    check("{}", "refers to no types");
    check("[", "is not valid JSON");
    check(r##"{ "x": { "$ref": "t.json#/1" } }"##, "type 1 of \"t.json\", which has only 1");
    check(r##"{ "x": { "$ref": "../t.json#/0" } }"##, "is not a reference to a type");
    check(r##"{ "x": { "$ref": "/etc/t.json#/0" } }"##, "is not a reference to a type");
    check(r##"{ "x": { "$ref": "not.json#/0" } }"##, "is not a list of types");
    check(r##"{ "x": { "$ref": "gone.json#/0" } }"##, "gone.json");
}

fn sources_may_lie_in_the_cache_folder() {
    let place = RegistryFixture::new();
    let source = place.write("cache/src/main.bicep", "var x = 1");
    let world = RegistryWorld::new(DiskWorld, place.cache());
    assert_eq!(&*world.read(&source).unwrap(), b"var x = 1");
    // What looks like a file of the cache has to prove it.
    let stray = place.write("cache/br/host/path/tag$/main.json", "{}");
    assert!(world.read(&stray).is_err());
}
