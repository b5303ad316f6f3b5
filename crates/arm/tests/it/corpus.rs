//! Every template that the reference compiler makes of the corpus: read, hashed, parsed, printed, expanded.

use std::path::{Path, PathBuf};

use arm::expand::{Deployment, Missing, Policy, Setup, Speculation};
use arm::expression::{Text, classify, parse};
use arm::hash::template_hash;
use arm::parameters::Inputs;
use arm::{Context, NoState, Template};
use base::{Budget, Limits};
use json::{Node, Options};

/// The folder with the corpus: beside a folder above this crate, or where `SINEW_SHARED` says.
fn corpus() -> Option<PathBuf> {
    let named = std::env::var_os("SINEW_SHARED").map(PathBuf::from);
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join("shared"));
    let found = named.into_iter().chain(above).map(|folder| folder.join("corpus/bicep")).find(|f| f.is_dir());
    if found.is_none() {
        println!("skipped: there is no corpus folder");
    }
    found
}

/// All files `expected*.json` below a folder that hold a JSON object, with their text.
fn documents(folder: &Path) -> Vec<(PathBuf, Node)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<_> =
            std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        for path in entries {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if name.starts_with("expected") && name.ends_with(".json") {
                let parsed = json::parse(&std::fs::read_to_string(&path).unwrap(), Options::lenient());
                assert!(parsed.diagnostics.is_empty(), "{}: {:?}", path.display(), parsed.diagnostics);
                found.push((path, parsed.root.unwrap()));
            }
        }
    }
    found
}

fn is_template(node: &Node) -> bool {
    let schema = node.get("$schema").and_then(Node::as_str).unwrap_or_default();
    schema.contains("eploymentTemplate.json") && node.get("resources").is_some()
}

/// Calls `visit` for every template in a document, outermost first.
fn templates<'n>(node: &'n Node, visit: &mut impl FnMut(&'n Node)) {
    if is_template(node) {
        visit(node);
    }
    match &node.value {
        json::Kind::Object(object) => object.iter().for_each(|member| templates(&member.value, visit)),
        json::Kind::Array(items) => items.iter().for_each(|item| templates(item, visit)),
        _ => {}
    }
}

#[test]
fn every_hash_is_recomputed() {
    let Some(corpus) = corpus() else { return };
    let (mut hashed, mut wrong) = (0, Vec::new());
    for (path, document) in documents(&corpus) {
        templates(&document, &mut |template| {
            let Some(expected) = template.pointer("/metadata/_generator/templateHash").and_then(Node::as_str)
            else {
                return;
            };
            hashed += 1;
            if template_hash(&template.to_value()) != expected {
                wrong.push(format!("{} {expected}", path.display()));
            }
        });
    }
    println!("{hashed} hashes");
    assert!(hashed > 300 && wrong.is_empty(), "{hashed} hashes, wrong: {wrong:#?}");
}

#[test]
fn every_expression_prints_back_the_same() {
    let Some(corpus) = corpus() else { return };
    let mut count = 0;
    let mut texts = Vec::new();
    for (path, document) in documents(&corpus) {
        strings(&document, &mut |text| texts.push((path.clone(), text.to_owned())));
    }
    for (path, text) in texts {
        let Text::Expression(text) = classify(&text) else { continue };
        count += 1;
        match parse(text) {
            Ok(expression) => {
                let printed = format!("[{expression}]");
                assert_eq!(printed, text, "{}", path.display());
                assert_eq!(parse(&printed).map(|again| format!("[{again}]")).as_deref(), Ok(text));
            }
            Err(error) => panic!("{}: {text}: {error}", path.display()),
        }
    }
    println!("{count} expressions");
    assert!(count > 5_000, "{count} expressions");
}

fn strings(node: &Node, visit: &mut impl FnMut(&str)) {
    match &node.value {
        json::Kind::String(text) => visit(text),
        json::Kind::Object(object) => {
            for member in object {
                visit(&member.key);
                strings(&member.value, visit);
            }
        }
        json::Kind::Array(items) => items.iter().for_each(|item| strings(item, visit)),
        _ => {}
    }
}

#[test]
fn every_template_is_read() {
    let Some(corpus) = corpus() else { return };
    let mut count = 0;
    for (path, document) in documents(&corpus) {
        if !is_template(&document) {
            continue;
        }
        count += 1;
        let (template, errors) = Template::read(&document);
        assert!(errors.is_empty(), "{}: {errors:#?}", path.display());
        let named = document.get("resources").and_then(Node::as_object).is_some();
        assert_eq!(template.symbolic, named, "{}", path.display());
    }
    println!("{count} templates");
    assert!(count > 300, "{count} templates");
}

/// The compiler sorts dependencies by symbolic name, in the order of .NET's culture.
#[test]
fn dependencies_are_in_the_order_of_the_culture() {
    let Some(corpus) = corpus() else { return };
    let mut lists = 0;
    for (path, document) in documents(&corpus) {
        templates(&document, &mut |template| {
            for member in template.get("resources").and_then(Node::as_object).into_iter().flatten() {
                let names: Vec<&str> = member
                    .value
                    .get("dependsOn")
                    .and_then(Node::as_array)
                    .unwrap_or_default()
                    .iter()
                    .filter_map(Node::as_str)
                    .map(|text| {
                        text.strip_prefix("[format('")
                            .map_or(text, |rest| rest.split('[').next().unwrap_or(rest))
                    })
                    .collect();
                lists += usize::from(names.len() > 1);
                let sorted = names.is_sorted_by(|a, b| arm::culture::compare(a, b).is_le());
                assert!(sorted, "{}: {names:?}", path.display());
            }
        });
    }
    println!("{lists} lists");
    assert!(lists > 50, "{lists} lists");
}

/// Templates that are wrong by themselves: the compiler accepts them, the service would not.
const WRONG: &[(&str, &str)] = &[
    ("LoopsIndexed_LF", "index-out-of-range"),
    ("Modules_CRLF", "division-by-zero"),
    ("NewlineSensitivity_LF", "argument-type"),
    ("Outputs_CRLF", "no-such-property"),
    ("Variables_LF", "bad-index"),
    ("Variables_LF", "no-such-property"),
    ("Variables_LF", "overflow"),
    ("sqlmi-new-vnet", "index-out-of-range"),
    ("web-app-asev2-create", "index-out-of-range"),
];

#[test]
fn every_template_is_expanded_without_parameters() {
    let Some(corpus) = corpus() else { return };
    let (mut count, mut resources, mut gaps) = (0, 0, 0);
    let mut wrong = Vec::new();
    for (path, document) in documents(&corpus) {
        if !is_template(&document) {
            continue;
        }
        let (template, _) = Template::read(&document);
        for context in [Context::default(), somewhere()] {
            let setup = Setup {
                template: &template,
                inputs: &Inputs::default(),
                context: &context,
                state: &NoState,
                budget: &Budget::new(Limits::default()),
                policy: Policy {
                    missing: Missing::Unknown,
                    speculation: Speculation::Outputs,
                    ..Policy::default()
                },
            };
            let expansion = Deployment::new(setup).expand();
            count += 1;
            resources += expansion.resources.len();
            gaps += expansion.gaps.len();
            let name = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
            for error in &expansion.errors {
                if !WRONG.contains(&(&name, error.reason())) {
                    wrong.push(format!("{}: {} {error}", path.display(), error.path()));
                }
            }
        }
    }
    println!("{count} expansions, {resources} resources, {gaps} unknown parts");
    assert!(count > 600, "{count} expansions");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn somewhere() -> Context {
    Context {
        tenant_id: Some("00000000-0000-0000-0000-00000000000a".into()),
        management_group: Some("group".into()),
        subscription_id: Some("00000000-0000-0000-0000-000000000000".into()),
        resource_group: Some("rg".into()),
        location: Some("westeurope".into()),
        deployment_name: Some("main".into()),
        environment: Some(Context::azure_cloud()),
        now: Some(1_700_000_000),
        guid_seed: Some("corpus".into()),
        ..Context::default()
    }
}
