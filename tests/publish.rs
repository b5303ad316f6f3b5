//! Modules and extensions from the sources of one project, through a real registry, into another one: the Debian
//! package `docker-registry`. Without it the test says so and passes.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::disallowed_methods, reason = "the test prepares the disk and starts programs")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tests::program::{Ran, finish};
use tests::registry::RegistryFixture;

const PROGRAM: &str = env!("CARGO_BIN_EXE_sinew-tested");

fn sinew(place: &RegistryFixture, words: &str) -> Ran {
    place.run(PROGRAM, words, "none")
}

#[track_caller]
fn check(place: &RegistryFixture, words: &str) -> String {
    let ran = sinew(place, words);
    assert_eq!(ran.code, Some(0), "sinew {words}: {}", ran.errors());
    String::from_utf8(ran.stdout).unwrap()
}

/// The files of an archive, by the program everybody has.
fn listed(archive: &Path) -> Vec<String> {
    let ran = finish(Command::new("tar").arg("-tzf").arg(archive)).unwrap();
    String::from_utf8(ran.stdout).unwrap().lines().map(str::to_owned).collect()
}

fn found(folder: &Path, name: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let mut entries: Vec<_> = entries.collect();
    entries.sort();
    entries.iter().find_map(|path| match path.file_name().is_some_and(|it| it == name) {
        true => Some(path.clone()),
        false => found(path, name),
    })
}

#[test]
fn a_module_is_published_from_its_source_and_used() {
    let Some(place) = RegistryFixture::start() else { return };
    place.write("lib/names.bicep", "@export()\nfunc name(of string) string => '${of}-x'\n");
    place.write(
        "lib/main.bicep",
        "import { name } from 'names.bicep'\n\nparam of string\n\noutput name string = name(of)\n",
    );
    let publish =
        "publish lib/main.bicep --target br:REGISTRY/lib:1 --documentation-uri https://example.com/lib";
    check(&place, &format!("{publish} --with-source"));
    let again = sinew(&place, publish);
    assert_eq!(again.code, Some(1));
    assert!(again.errors().contains("`--force` replaces it"), "{}", again.errors());

    place.write(
        "app/main.bicep",
        "module lib 'br:REGISTRY/lib:1' = {\n  params: {\n    of: 'me'\n  }\n}\n\noutput name string = lib.outputs.name\n",
    );
    check(&place, "restore app/main.bicep");
    let built = check(&place, "build app/main.bicep --stdout --offline --locked");
    assert!(built.contains("format('{0}-x'"), "{built}");
    let sources = found(&place.path("home/cache"), "source.tgz").unwrap();
    assert_eq!(listed(&sources), ["__metadata.json", "files/main.bicep", "files/names.bicep"]);

    // A module that uses another one says where that one comes from, if that has sources.
    check(&place, "publish app/main.bicep --target br:REGISTRY/app:1 --with-source");
    place.write("top/main.bicep", "module app 'br:REGISTRY/app:1' = {}\n");
    check(&place, "restore top/main.bicep");
    let folder = found(&place.path("home/cache/br"), "app").unwrap();
    let sources = found(&folder, "source.tgz").unwrap();
    let ran = finish(Command::new("tar").arg("-xzOf").arg(&sources).arg("__metadata.json")).unwrap();
    let metadata = String::from_utf8(ran.stdout).unwrap();
    let artifact = format!("\"sourceArtifactId\":\"br:{}/lib:1\"", place.address);
    assert!(metadata.contains(&artifact), "{metadata}");
    assert!(metadata.contains("\"documentLinks\":{\"main.bicep\":[{\"range\":\"[0:11]-[0:"), "{metadata}");
}

#[test]
fn what_does_not_compile_is_not_published() {
    let Some(place) = RegistryFixture::start() else { return };
    place.write("main.bicep", "output name string = 1\n");
    let ran = sinew(&place, "publish main.bicep --target br:REGISTRY/lib:1");
    assert_eq!(ran.code, Some(1));
    assert!(ran.errors().contains("BCP033"), "{}", ran.errors());
    place.write("app.bicep", "module lib 'br:REGISTRY/lib:1' = {}\n");
    let ran = sinew(&place, "restore app.bicep");
    assert!(ran.errors().contains("it does not exist in the registry"), "{}", ran.errors());
}

#[test]
fn an_extension_is_published_and_used() {
    let Some(place) = RegistryFixture::start() else { return };
    place.write(
        "types/index.json",
        r#"{ "resources": { "widget@v1": { "$ref": "types.json#/2" } },
        "settings": { "name": "Widgets", "version": "1.2.3", "isSingleton": true } }"#,
    );
    place.write("types/types.json", r##"[{ "$type": "StringType" },
        { "$type": "ObjectType", "name": "widget", "properties": { "name": { "type": { "$ref": "#/0" }, "flags": 1 } } },
        { "$type": "ResourceType", "name": "widget@v1", "body": { "$ref": "#/1" }, "readableScopes": 0, "writableScopes": 0 }]"##);
    check(&place, "publish-extension types/index.json --target br:REGISTRY/widgets:1.2.3");
    place.write(
        "app/main.bicep",
        "provider 'br:REGISTRY/widgets:1.2.3' as widgets\n\nresource w 'widget@v1' = {\n  nam: 'one'\n}\n",
    );
    let ran = sinew(&place, "build app/main.bicep --stdout");
    assert_eq!(ran.code, Some(1));
    assert!(ran.errors().contains("Did you mean \"name\"?"), "{}", ran.errors());
    let sound = fs::read_to_string(place.path("app/main.bicep")).unwrap().replace("nam:", "name:");
    place.write("app/main.bicep", &sound);
    let built = check(&place, "build app/main.bicep --stdout --offline --locked");
    assert!(built.contains("\"widget@v1\""), "{built}");
    assert!(fs::read_to_string(place.path("app/sinew.lock.json")).unwrap().contains("/widgets:1.2.3"));
}
