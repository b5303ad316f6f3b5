//! A build without the feature `network`: packages in files still work, everything else says why it does not.
#![cfg(not(feature = "network"))]
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "a test at the rim")]

use camino::{Utf8Path, Utf8PathBuf};
use config::reference::{ArtifactKind, OciReference};
use registry::{
    ArtifactRequest, Cache, Error, ExtensionPackage, Module, PublishOptions, RestoreOptions, Stored,
};

#[test]
fn downloading_and_publishing_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let reference = OciReference::parse("br:example.com/storage/account:v1").unwrap();
    let options = options(&folder);

    let wanted = || ArtifactRequest::Oci(reference.clone(), ArtifactKind::Module);
    let restored = restore(wanted(), &options);
    assert!(matches!(restored, Err(Error::NoNetwork)), "{restored:?}");
    let restored = restore(wanted(), &RestoreOptions { offline: true, ..options });
    assert!(matches!(restored, Err(Error::Offline)), "{restored:?}");

    let module = Module { template: br#"{ "resources": [] }"#, sources: None, documentation_uri: None };
    let published = registry::publish(&module, &PublishOptions::new(reference));
    assert!(matches!(published, Err(Error::NoNetwork)), "{published:?}");
}

#[test]
fn a_package_file_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, content: &str| {
        let path = root(&folder).join(name);
        std::fs::write(&path, content).unwrap();
        path
    };
    write("types.json", r#"[{ "$type": "StringType" }]"#);
    let index = write(
        "index.json",
        r#"{ "resources": { "a": { "$ref": "types.json#/0" } }, "resourceFunctions": {}, "settings": { "name": "foo", "version": "1.0.0", "isSingleton": false } }"#,
    );
    let package = root(&folder).join("foo.tgz");
    registry::write_extension(&ExtensionPackage::from_index(&index).unwrap(), &package).unwrap();

    let wanted = || ArtifactRequest::Package(package.clone());
    let stored = restore(wanted(), &options(&folder)).unwrap();
    assert!(stored.folder.join("types.tgz").exists());
    // What is in the cache is found again.
    assert_eq!(restore(wanted(), &options(&folder)).unwrap().folder, stored.folder);
}

fn root(folder: &tempfile::TempDir) -> Utf8PathBuf {
    Utf8Path::from_path(folder.path()).unwrap().to_owned()
}

fn options(folder: &tempfile::TempDir) -> RestoreOptions<'static> {
    RestoreOptions::new(Cache::new(root(folder).join("cache")))
}

fn restore(wanted: ArtifactRequest, options: &RestoreOptions<'_>) -> Result<Stored, Error> {
    registry::restore(&[wanted], options)?.remove(0).result
}
