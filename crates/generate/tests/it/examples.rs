//! The examples of the repository do what they show.

use std::rc::Rc;

use camino::{Utf8Path, Utf8PathBuf};
use generate::host_disk::DiskHost;
use generate::{GenerateOptions, Outcome, Script, Settings};

fn folder() -> Utf8PathBuf {
    Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/generate/app").canonicalize_utf8().unwrap()
}

fn generate_with(assignments: &[&str], validate: Option<&str>) -> Outcome {
    let host = Rc::new(DiskHost::new(Box::new(Vec::new()), Box::new(Vec::new())));
    let mut settings = Settings::in_folder(folder());
    for assignment in assignments {
        settings.params.set_assignment(assignment).unwrap();
    }
    let options = GenerateOptions { validate: validate.map(str::to_owned), ..GenerateOptions::default() };
    generate::generate(host, settings, &Script::Module("./config.ts".into()), &options)
}

#[test]
fn the_application_is_generated_as_shown() {
    let outcome = generate_with(&[], Some("./policy.js"));
    assert_eq!(outcome.error_lines(), [] as [String; 0]);
    assert_eq!(outcome.files.len(), 2);
    for file in &outcome.files {
        let expected = std::fs::read_to_string(folder().join("expected").join(&file.name)).unwrap();
        assert_eq!(String::from_utf8_lossy(&file.content), expected, "{}", file.name);
    }
}

#[test]
fn a_bad_application_is_refused_with_every_message() {
    let outcome = generate_with(&["name=shop", "replicas=1"], Some("./policy.js"));
    assert_eq!(
        outcome.error_lines(),
        [
            "deployment.yaml: name does not start with my-",
            "deployment.yaml: at least two replicas are needed at spec.replicas",
            "service.yaml: name does not start with my-",
            "Error: values failed validation",
        ]
    );
    assert!(outcome.files.is_empty());
}
