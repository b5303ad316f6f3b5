//! The example of the specification, unchanged, with the real package. Needs the packages that
//! `npm install @jkcfg/kubernetes@0.6.0` leaves in a folder named by SINEW_NPM.

use std::rc::Rc;

use camino::{Utf8Path, Utf8PathBuf};
use generate::host_disk::{WriteOptions, write_files};
use generate::{GenerateOptions, Outcome, Script, Settings, host_disk::DiskHost};

/// The folder with `node_modules`, if there is one.
fn packages() -> Option<Utf8PathBuf> {
    let folder = Utf8PathBuf::from(std::env::var("SINEW_NPM").ok()?);
    folder.join("node_modules/@jkcfg/kubernetes/package.json").exists().then_some(folder)
}

/// The first script in the specification.
fn example() -> Option<String> {
    let shared = match std::env::var("SINEW_SHARED") {
        Ok(folder) => Utf8PathBuf::from(folder),
        Err(_) => {
            let above = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
            above.map(|folder| folder.join("shared")).find(|folder| folder.join("seeds").is_dir())?
        }
    };
    let seeds = shared.join("seeds").read_dir_utf8().ok()?;
    let seed = seeds.flatten().find(|entry| entry.file_name().starts_with("002"))?;
    let text = std::fs::read_to_string(seed.path()).ok()?;
    let (_, rest) = text.split_once("```js\n")?;
    rest.split_once("```").map(|(script, _)| script.to_owned())
}

fn generate_with(folder: &Utf8Path, name: &str) -> Outcome {
    let host = Rc::new(DiskHost::new(Box::new(Vec::new()), Box::new(Vec::new())));
    let mut settings = Settings::in_folder(folder);
    settings.params.set_assignment(&format!("name={name}")).unwrap();
    generate::generate(host, settings, &Script::Module("./config.js".into()), &GenerateOptions::default())
}

#[test]
fn the_example_of_the_specification() {
    let (Some(packages), Some(script)) = (packages(), example()) else {
        println!(
            "skipped: SINEW_NPM names no folder with @jkcfg/kubernetes, or the specification is not there"
        );
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let folder = Utf8Path::from_path(folder.path()).unwrap().to_owned();
    std::fs::create_dir_all(folder.join("node_modules")).unwrap();
    copy(&packages.join("node_modules/@jkcfg/kubernetes"), &folder.join("node_modules/@jkcfg/kubernetes"));
    std::fs::write(folder.join("config.js"), script).unwrap();

    let bad = generate_with(&folder, "foo");
    assert_eq!(
        bad.error_lines(),
        [
            "deployment.yaml: name does not start with my-",
            "service.yaml: name does not start with my-",
            "Error: values failed validation",
        ]
    );
    assert!(bad.files.is_empty());

    let good = generate_with(&folder, "my-foo");
    assert_eq!(good.error_lines(), [] as [String; 0]);
    write_files(&good.files, &WriteOptions::default()).unwrap();
    let service = std::fs::read_to_string(folder.join("service.yaml")).unwrap();
    assert_eq!(
        service,
        "apiVersion: v1\nkind: Service\nmetadata:\n  name: my-foo-svc\nspec:\n  selector:\n    app: my-foo\n"
    );
    std::fs::remove_dir_all(folder).unwrap();
}

/// Scripts of a package; its schemas are many and not needed here.
fn copy(from: &Utf8Path, to: &Utf8Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in from.read_dir_utf8().unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() && entry.file_name() != "schemas" {
            copy(entry.path(), &target);
        } else if entry.path().is_file() {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
