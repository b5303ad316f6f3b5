//! Modules and extensions from the sources of one project, through a real registry, into another one: the Debian
//! package `docker-registry`. Without it the test says so and passes.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the test prepares the disk and starts programs"
)]
#![expect(clippy::disallowed_macros, reason = "says when the registry is not installed")]

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tests::program::{Ran, finish};

const REGISTRY: &str = "docker-registry";

/// A registry and the folders of two projects, gone after the test.
struct Place {
    folder: tempfile::TempDir,
    registry: Child,
    address: String,
}

impl Place {
    fn start() -> Option<Self> {
        let silent = |command: &mut Command| command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        if !silent(Command::new(REGISTRY).arg("--version")).is_ok_and(|mut it| it.wait().is_ok()) {
            println!("{REGISTRY} is not installed (Debian package `{REGISTRY}`): publishing is not tested");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        // Somebody else may take the port before the registry does.
        for _ in 0..10 {
            let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            let address = format!("127.0.0.1:{port}");
            let root = folder.path().display();
            let config = format!(
                "version: 0.1\nlog:\n  accesslog:\n    disabled: true\nstorage:\n  filesystem:\n    rootdirectory: {root}/data\nhttp:\n  addr: {address}\n"
            );
            let path = folder.path().join("config.yml");
            fs::write(&path, config).unwrap();
            let mut registry = silent(Command::new(REGISTRY).arg("serve").arg(&path)).unwrap();
            let started = Instant::now();
            while registry.try_wait().unwrap().is_none() && started.elapsed() < Duration::from_secs(30) {
                if TcpStream::connect(&address).is_ok() {
                    return Some(Self { folder, registry, address });
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        panic!("the registry does not start");
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file; `REGISTRY` stands for the address.
    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text.replace("REGISTRY", &self.address)).unwrap();
    }

    fn sinew(&self, words: &str) -> Ran {
        let words = words.replace("REGISTRY", &self.address);
        let mut command = Command::new(env!("CARGO_BIN_EXE_sinew-tested"));
        command.args(words.split(' ')).current_dir(self.folder.path()).env("SINEW_HOME", self.path("home"));
        finish(&mut command).unwrap()
    }

    #[track_caller]
    fn check(&self, words: &str) -> String {
        let ran = self.sinew(words);
        assert_eq!(ran.code, Some(0), "sinew {words}: {}", ran.errors());
        String::from_utf8(ran.stdout).unwrap()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = self.registry.kill();
        let _ = self.registry.wait();
    }
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
    let Some(place) = Place::start() else { return };
    place.write("lib/names.bicep", "@export()\nfunc name(of string) string => '${of}-x'\n");
    place.write(
        "lib/main.bicep",
        "import { name } from 'names.bicep'\n\nparam of string\n\noutput name string = name(of)\n",
    );
    let publish =
        "publish lib/main.bicep --target br:REGISTRY/lib:1 --documentation-uri https://example.com/lib";
    place.check(&format!("{publish} --with-source"));
    let again = place.sinew(publish);
    assert_eq!(again.code, Some(1));
    assert!(again.errors().contains("`--force` replaces it"), "{}", again.errors());

    place.write(
        "app/main.bicep",
        "module lib 'br:REGISTRY/lib:1' = {\n  params: {\n    of: 'me'\n  }\n}\n\noutput name string = lib.outputs.name\n",
    );
    place.check("restore app/main.bicep");
    let built = place.check("build app/main.bicep --stdout --offline --locked");
    assert!(built.contains("format('{0}-x'"), "{built}");
    let sources = found(&place.path("home/cache"), "source.tgz").unwrap();
    assert_eq!(listed(&sources), ["__metadata.json", "files/main.bicep", "files/names.bicep"]);

    // A module that uses another one says where that one comes from, if that has sources.
    place.check("publish app/main.bicep --target br:REGISTRY/app:1 --with-source");
    place.write("top/main.bicep", "module app 'br:REGISTRY/app:1' = {}\n");
    place.check("restore top/main.bicep");
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
    let Some(place) = Place::start() else { return };
    place.write("main.bicep", "output name string = 1\n");
    let ran = place.sinew("publish main.bicep --target br:REGISTRY/lib:1");
    assert_eq!(ran.code, Some(1));
    assert!(ran.errors().contains("BCP033"), "{}", ran.errors());
    place.write("app.bicep", "module lib 'br:REGISTRY/lib:1' = {}\n");
    let ran = place.sinew("restore app.bicep");
    assert!(ran.errors().contains("it does not exist in the registry"), "{}", ran.errors());
}

#[test]
fn an_extension_is_published_and_used() {
    let Some(place) = Place::start() else { return };
    place.write(
        "types/index.json",
        r#"{ "resources": { "widget@v1": { "$ref": "types.json#/2" } },
        "settings": { "name": "Widgets", "version": "1.2.3", "isSingleton": true } }"#,
    );
    place.write("types/types.json", r##"[{ "$type": "StringType" },
        { "$type": "ObjectType", "name": "widget", "properties": { "name": { "type": { "$ref": "#/0" }, "flags": 1 } } },
        { "$type": "ResourceType", "name": "widget@v1", "body": { "$ref": "#/1" }, "readableScopes": 0, "writableScopes": 0 }]"##);
    place.check("publish-extension types/index.json --target br:REGISTRY/widgets:1.2.3");
    place.write(
        "app/main.bicep",
        "provider 'br:REGISTRY/widgets:1.2.3' as widgets\n\nresource w 'widget@v1' = {\n  nam: 'one'\n}\n",
    );
    let ran = place.sinew("build app/main.bicep --stdout");
    assert_eq!(ran.code, Some(1));
    assert!(ran.errors().contains("Did you mean \"name\"?"), "{}", ran.errors());
    let sound = fs::read_to_string(place.path("app/main.bicep")).unwrap().replace("nam:", "name:");
    place.write("app/main.bicep", &sound);
    let built = place.check("build app/main.bicep --stdout --offline --locked");
    assert!(built.contains("\"widget@v1\""), "{built}");
    assert!(fs::read_to_string(place.path("app/sinew.lock.json")).unwrap().contains("/widgets:1.2.3"));
}
