//! Types without a thought: a command that needs resource types gets them from where they are published, which is a
//! registry on this machine here; and nothing is fetched where that is forbidden or cannot be.
#![expect(
    clippy::disallowed_methods,
    reason = "the test prepares the disk, looks at the clock and starts programs"
)]

use std::fs;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use tests::program::{Ran, finish};
use tests::registry::RegistryFixture;

const PROGRAM: &str = env!("CARGO_BIN_EXE_sinew-tested");

const MIRROR: &str = "br:REGISTRY/mirror";

const MAIN: &str = "resource store 'Contoso.Shop/stores@2025-01-01' = {\n  name: 'one'\n  kind: 'red'\n}\n";

/// A registry with types that call themselves Azure's.
fn mirror() -> Option<RegistryFixture> {
    let place = RegistryFixture::start()?;
    publish(&place, "0.2.896");
    place.write("main.bicep", MAIN);
    place.write("other.bicep", MAIN);
    Some(place)
}

fn publish(place: &RegistryFixture, version: &str) {
    place.write(
        "types/index.json",
        r#"{ "resources": { "Contoso.Shop/stores@2025-01-01": { "$ref": "types.json#/2" } },
        "settings": { "name": "AzureResourceManager", "version": "1.0", "isSingleton": true } }"#,
    );
    place.write("types/types.json", r##"[{ "$type": "StringType" },
        { "$type": "ObjectType", "name": "Contoso.Shop/stores", "properties": { "name": { "type": { "$ref": "#/0" }, "flags": 9 } } },
        { "$type": "ResourceType", "name": "Contoso.Shop/stores@2025-01-01", "body": { "$ref": "#/1" }, "readableScopes": 8, "writableScopes": 8 }]"##);
    let words = format!(
        "publish-extension types/index.json --target br:REGISTRY/mirror/bicep/providers/az:{version}"
    );
    check(place, &words, "none");
}

#[track_caller]
fn check(place: &RegistryFixture, words: &str, mirror: &str) -> String {
    let ran = place.run(PROGRAM, words, mirror);
    assert_eq!(ran.code, Some(0), "sinew {words}: {}", ran.errors());
    ran.errors()
}

fn has_types(ran: &Ran) -> bool {
    ran.errors().contains("BCP187")
}

#[test]
fn a_command_that_needs_types_gets_them() {
    let Some(place) = mirror() else { return };
    let ran = place.run(PROGRAM, "build main.bicep other.bicep", MIRROR);
    assert!(has_types(&ran), "{}", ran.errors());
    assert_eq!(ran.errors().matches("Installed 1 resource type of Azure").count(), 1, "{}", ran.errors());
    let ran = place.run(PROGRAM, "build main.bicep", "none");
    assert!(has_types(&ran) && !ran.errors().contains("Installed"), "{}", ran.errors());
}

#[test]
fn nothing_is_fetched_where_it_is_forbidden_or_not_needed() {
    let Some(place) = mirror() else { return };
    place.write("empty.bicep", "output a int = 1\n");
    for words in ["build main.bicep --offline", "build main.bicep --no-restore", "build empty.bicep"] {
        let ran = place.run(PROGRAM, words, MIRROR);
        assert!(!place.path("home/types").exists(), "{words}: {}", ran.errors());
    }
}

#[test]
fn types_are_installed_by_name_and_kept_up_to_date() {
    let Some(place) = mirror() else { return };
    check(&place, "types install", MIRROR);
    let ran = place.run(PROGRAM, "types outdated", MIRROR);
    assert_eq!(String::from_utf8(ran.stdout).unwrap(), "az\t0.2.896\tis the newest version\n");
    publish(&place, "0.3.1");
    publish(&place, "0.4.0-preview");
    let ran = place.run(PROGRAM, "types outdated", MIRROR);
    assert_eq!(String::from_utf8(ran.stdout).unwrap(), "az\t0.2.896\t0.3.1 is there\n");
    assert_eq!(ran.code, Some(1));
    let said = check(&place, "types update", MIRROR);
    assert!(said.starts_with("az: 0.2.896 → 0.3.1, 1 resource type: "), "{said}");
    check(&place, "types outdated", MIRROR);
}

#[test]
fn the_configuration_and_from_say_where_types_come_from() {
    let Some(place) = mirror() else { return };
    let reference = "br:REGISTRY/mirror/bicep/providers/az:0.2.896";
    place.write("bicepconfig.json", &format!("{{ \"providers\": {{ \"az\": \"{reference}\" }} }}\n"));
    check(&place, "types install az", "none");
    assert!(place.path("home/types/az.types").exists());
    check(&place, &format!("types install kubernetes --from {reference}"), "none");
    assert!(place.path("home/types/kubernetes.types").exists());
    // A folder is a mirror too.
    fs::create_dir(place.path("mirror")).unwrap();
    fs::copy(place.path("home/types/az.types"), place.path("mirror/microsoftGraph.types")).unwrap();
    check(&place, "types install microsoftGraph", "mirror");
    assert!(place.path("home/types/microsoftGraph.types").exists());
    let ran = place.run(PROGRAM, "types install kubernetes", "mirror");
    assert!(ran.errors().contains("has no `kubernetes.types`"), "{}", ran.errors());
}

/// The commands at the end of `examples/providers/README.md`.
#[test]
fn the_example_with_a_provider_works_from_a_registry() {
    let Some(place) = RegistryFixture::start() else { return };
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/providers");
    let reference = "br:REGISTRY/providers/shop:1.0.0";
    let config = fs::read_to_string(format!("{example}/bicepconfig.json")).unwrap();
    place.write("app/bicepconfig.json", &config.replace("./shop.tgz", reference));
    place.write("app/main.bicep", &fs::read_to_string(format!("{example}/main.bicep")).unwrap());
    check(&place, &format!("publish-extension {example}/types/index.json --target {reference}"), "none");
    check(&place, "restore app/main.bicep", "none");
    assert!(fs::read_to_string(place.path("app/sinew.lock.json")).unwrap().contains("/providers/shop:1.0.0"));
    check(&place, "build app/main.bicep --locked --offline", "none");
}

#[test]
fn a_damaged_package_in_the_cache_is_fetched_anew() {
    let Some(place) = mirror() else { return };
    let reference = "br:REGISTRY/mirror/bicep/providers/az:0.2.896";
    place.write("bicepconfig.json", &format!("{{ \"providers\": {{ \"az\": \"{reference}\" }} }}\n"));
    let ran = place.run(PROGRAM, "build main.bicep", "none");
    assert!(has_types(&ran), "{}", ran.errors());
    let repository = format!("home/cache/br/{}/mirror$bicep$providers$az", place.address.replace(':', "$"));
    let types = place.path(&format!("{repository}/0.2.896$/types.tgz"));
    fs::write(&types, "damaged").unwrap();
    let ran = place.run(PROGRAM, "build main.bicep --offline", "none");
    assert!(ran.errors().contains("but should have sha256:"), "{}", ran.errors());
    let ran = place.run(PROGRAM, "build main.bicep", "none");
    assert!(
        has_types(&ran) && ran.errors().contains("is damaged in the cache and is fetched anew"),
        "{}",
        ran.errors()
    );
}

#[test]
fn a_registry_that_does_not_answer_is_given_up_and_remembered() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("main.bicep"), MAIN).unwrap();
    fs::write(folder.path().join("other.bicep"), MAIN).unwrap();
    // Takes connections and never says a word.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let build = || {
        let started = Instant::now();
        let mut command = std::process::Command::new(PROGRAM);
        command.args(["build", "main.bicep", "other.bicep"]).current_dir(folder.path());
        command.env("SINEW_HOME", folder.path().join("home"));
        command.env("SINEW_TYPES_MIRROR", format!("br:{}", silent.local_addr().unwrap()));
        (finish(&mut command).unwrap(), started.elapsed())
    };
    let (ran, time) = build();
    assert_eq!(ran.code, Some(0), "{}", ran.errors());
    assert!(time >= Duration::from_secs(2) && time < Duration::from_secs(10), "{time:?}");
    assert!(ran.errors().contains("could not be fetched: the registry"), "{}", ran.errors());
    assert_eq!(ran.errors().matches("no-resource-types").count(), 1, "{}", ran.errors());
    let (ran, time) = build();
    assert!(time < Duration::from_secs(2), "{time:?}");
    assert!(!ran.errors().contains("could not be fetched"), "{}", ran.errors());
    assert_eq!(ran.errors().matches("no-resource-types").count(), 1, "{}", ran.errors());
}
