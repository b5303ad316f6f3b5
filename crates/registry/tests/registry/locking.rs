//! The lock file: same content for everybody, until somebody wants another one.

use base::World as _;
use base::disk::DiskWorld;
use base::world::Artifact;
use registry::{LockFile, RegistryWorld, RestoreOptions};

use crate::server::Registry;
use crate::{RegistryFixture, TEMPLATE, Test, module, publish, restore};

pub const TESTS: &[Test] = &[
    ("a_moved_tag_does_not_move_a_locked_build", a_moved_tag_does_not_move_a_locked_build),
    ("a_wrong_digest_in_the_lock_is_not_ignored", a_wrong_digest_in_the_lock_is_not_ignored),
    ("locked_forbids_what_is_not_locked", locked_forbids_what_is_not_locked),
    ("projects_with_different_locks_share_a_cache", projects_with_different_locks_share_a_cache),
    ("a_broken_lock_file_is_reported", a_broken_lock_file_is_reported),
];

const OTHER: &str = r#"{ "resources": ["other"] }"#;

fn read_locked(place: &RegistryFixture, name: &str) -> Result<String, String> {
    let lock = LockFile::load(place.lock_file()).unwrap();
    let world = RegistryWorld::new(DiskWorld, place.cache()).with_lock(lock, true);
    match world.artifact(name) {
        Artifact::Restored(folder) => {
            let bytes = world.read(&folder.join("main.json")).unwrap();
            Ok(String::from_utf8(bytes.to_vec()).unwrap())
        }
        Artifact::Missing => Err("missing".to_owned()),
        Artifact::Failed(reason) => Err(reason),
    }
}

fn a_moved_tag_does_not_move_a_locked_build() {
    let (registry, place) = (Registry::start(), RegistryFixture::new());
    let name = format!("br:{}/thing:1", registry.address);
    publish(&name, TEMPLATE);
    restore(module(&name), &place.options()).unwrap();
    publish(&name, OTHER);
    // A machine with an empty cache still gets what the lock file says.
    std::fs::remove_dir_all(place.cache().root()).unwrap();
    restore(module(&name), &RestoreOptions { locked: true, ..place.options() }).unwrap();
    assert_eq!(read_locked(&place, &name).unwrap(), TEMPLATE);
    restore(module(&name), &place.options()).unwrap();
    assert_eq!(read_locked(&place, &name).unwrap(), TEMPLATE);
    // Until somebody wants the new one.
    restore(module(&name), &RestoreOptions { force: true, ..place.options() }).unwrap();
    assert_eq!(read_locked(&place, &name).unwrap(), OTHER);
}

fn a_wrong_digest_in_the_lock_is_not_ignored() {
    let (registry, place) = (Registry::start(), RegistryFixture::new());
    let name = format!("br:{}/thing:1", registry.address);
    let digest = publish(&name, TEMPLATE);
    restore(module(&name), &place.options()).unwrap();
    let lock = std::fs::read_to_string(place.lock_file()).unwrap();
    let wrong = format!("sha256:{}", "0".repeat(64));
    std::fs::write(place.lock_file(), lock.replace(digest.as_str(), &wrong)).unwrap();
    for locked in [false, true] {
        let message = restore(module(&name), &RestoreOptions { locked, ..place.options() }).unwrap_err();
        let file = place.lock_file();
        assert_eq!(
            message,
            format!(
                "the lock file \"{file}\" demands digest {wrong}, which the registry does not have; `sinew restore --force` updates the lock file"
            )
        );
    }
    let expected = format!(
        "the copy in the cache has digest {digest}, but should have {wrong}; it is not used; run `sinew restore`"
    );
    assert_eq!(read_locked(&place, &name).unwrap_err(), expected);
    restore(module(&name), &RestoreOptions { force: true, ..place.options() }).unwrap();
    assert_eq!(read_locked(&place, &name).unwrap(), TEMPLATE);
}

fn locked_forbids_what_is_not_locked() {
    let (registry, place) = (Registry::start(), RegistryFixture::new());
    let name = format!("br:{}/thing:1", registry.address);
    publish(&name, TEMPLATE);
    let file = place.lock_file();
    let expected = format!("it is not in the lock file \"{file}\", and `--locked` forbids adding it");
    let locked = || RestoreOptions { locked: true, ..place.options() };
    assert_eq!(restore(module(&name), &locked()).unwrap_err(), expected);
    assert!(!file.exists());
    // Even when it is in the cache.
    restore(module(&name), &RestoreOptions { lock_file: None, ..place.options() }).unwrap();
    assert_eq!(restore(module(&name), &locked()).unwrap_err(), expected);
    assert_eq!(read_locked(&place, &name).unwrap_err(), expected);
}

fn projects_with_different_locks_share_a_cache() {
    let (registry, place) = (Registry::start(), RegistryFixture::new());
    let name = format!("br:{}/thing:1", registry.address);
    let project = |file: &str| RestoreOptions { lock_file: Some(place.root().join(file)), ..place.options() };
    publish(&name, TEMPLATE);
    restore(module(&name), &project("old.json")).unwrap();
    publish(&name, OTHER);
    restore(module(&name), &RestoreOptions { force: true, ..project("new.json") }).unwrap();
    for _ in 0..2 {
        let old = restore(module(&name), &project("old.json")).unwrap();
        assert_eq!(std::fs::read_to_string(old.folder.join("main.json")).unwrap(), TEMPLATE);
        let new = restore(module(&name), &project("new.json")).unwrap();
        assert_eq!(std::fs::read_to_string(new.folder.join("main.json")).unwrap(), OTHER);
    }
}

fn a_broken_lock_file_is_reported() {
    let place = RegistryFixture::new();
    let check = |content: &str, expected: &str| {
        std::fs::write(place.lock_file(), content).unwrap();
        let message = restore(module("br:localhost:1/x:1"), &place.options()).unwrap_err();
        assert!(message.contains(expected) && message.contains("sinew.lock.json"), "{message}");
    };
    check("", "EOF");
    check(r#"{ "version": 2, "artifacts": {} }"#, "its version is 2, this program knows 1");
    check(
        r#"{ "version": 1, "artifacts": { "x": { "kind": "module", "digest": "x" } } }"#,
        "not a SHA-256 digest",
    );
    check(
        r#"{ "version": 1, "artifacts": { "x": { "kind": "y", "digest": "x" } } }"#,
        "not a kind of artifact",
    );
}
