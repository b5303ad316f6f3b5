//! How fast templates are expanded: the largest ones of the corpus, and generated ones of growing size.
//!
//! `cargo bench -p benches --bench evaluate`. The corpus is looked for in a folder `shared` beside the project or in
//! `SINEW_SHARED`; without it only generated templates are measured.
#![expect(clippy::disallowed_methods, reason = "a measurement reads its data from disk")]
#![expect(clippy::disallowed_macros, reason = "a measurement says when there is nothing to measure")]

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};

use arm::expand::{Deployment, Missing, Policy, Setup, Speculation};
use arm::parameters::Inputs;
use arm::{Context, NoState, Template};
use base::{Budget, Limits};
use criterion::{BenchmarkId, Criterion, Throughput};

/// How many templates of the corpus are measured.
const LARGEST: usize = 3;

/// Resources of generated templates: equal throughput says that cost is linear.
const RESOURCES: [usize; 3] = [100, 200, 800];

fn main() {
    let mut criterion = Criterion::default().sample_size(20).without_plots();
    corpus(&mut criterion);
    generated(&mut criterion);
    criterion.final_summary();
}

fn corpus(criterion: &mut Criterion) {
    let Some(folder) = corpus_folder() else {
        return println!("evaluate: there is no corpus beside the project and SINEW_SHARED is not set");
    };
    let mut templates = Vec::new();
    collect(&folder, &mut templates);
    templates.sort_by_key(|(path, text)| (std::cmp::Reverse(text.len()), path.clone()));
    let mut group = criterion.benchmark_group("expand the largest templates of the corpus");
    let sound = templates.iter().filter_map(|(path, text)| {
        let template = read(text)?;
        expand(&template)
            .then(|| (path.strip_prefix(&folder).unwrap_or(path).display().to_string(), template))
    });
    for (name, template) in sound.take(LARGEST) {
        group.throughput(Throughput::Elements(1));
        group.bench_function(name, |bencher| bencher.iter(|| expand(black_box(&template))));
    }
    group.finish();
}

fn generated(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("expand resources");
    for count in RESOURCES {
        let Some(template) = read(&template_with(count)) else { continue };
        assert!(expand(&template), "the generated template is sound");
        group.throughput(Throughput::Elements(count as u64));
        group.bench_with_input(BenchmarkId::from_parameter(count), &template, |bencher, template| {
            bencher.iter(|| expand(black_box(template)));
        });
    }
    group.finish();
}

/// Whether a template can be expanded: parameters may be missing.
fn expand(template: &Template) -> bool {
    let context = Context {
        subscription_id: Some("00000000-0000-0000-0000-000000000000".into()),
        resource_group: Some("group".into()),
        ..Context::default()
    };
    let setup = Setup {
        template,
        inputs: &Inputs::default(),
        context: &context,
        state: &NoState,
        budget: &Budget::new(Limits::default()),
        policy: Policy { missing: Missing::Unknown, speculation: Speculation::Outputs, ..Policy::default() },
    };
    let expansion = Deployment::new(setup).expand();
    black_box(&expansion).errors.is_empty()
}

fn read(text: &str) -> Option<Template> {
    let root = json::parse(text, json::Options::lenient()).root?;
    let (template, errors) = Template::read(&root);
    errors.is_empty().then_some(template)
}

/// Resources that refer to variables, to each other and to the place of deployment.
fn template_with(resources: usize) -> String {
    let resource = |n: usize| {
        let before = n.saturating_sub(1);
        format!(
            r#""r{n}": {{ "type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01",
                "name": "[format('st{n}{{0}}', uniqueString(resourceGroup().id, '{n}'))]",
                "location": "[parameters('location')]", "kind": "StorageV2", "sku": {{ "name": "[variables('sku')]" }},
                "tags": "[union(variables('tags'), createObject('number', string(add({n}, 1))))]",
                "properties": {{ "rules": "[map(range(0, 4), lambda('i', format('10.{{0}}.0.0/16', lambdaVariables('i'))))]",
                    "before": "[resourceId('Microsoft.Storage/storageAccounts', 'st{before}')]" }},
                "dependsOn": [{}] }}"#,
            if n == 0 { String::new() } else { format!("\"r{before}\"") },
        )
    };
    let resources: Vec<String> = (0..resources).map(resource).collect();
    format!(
        r#"{{ "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "languageVersion": "2.0", "contentVersion": "1.0.0.0",
        "parameters": {{ "location": {{ "type": "string", "defaultValue": "[resourceGroup().location]" }} }},
        "variables": {{ "sku": "Standard_LRS", "tags": {{ "owner": "platform" }} }},
        "resources": {{ {} }} }}"#,
        resources.join(",")
    )
}

fn corpus_folder() -> Option<PathBuf> {
    let named = std::env::var_os("SINEW_SHARED").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join("shared"));
    named.into_iter().chain(beside).map(|shared| shared.join("corpus/bicep")).find(|folder| folder.is_dir())
}

/// The templates below a folder that the reference implementation made.
fn collect(folder: &Path, into: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, into);
        } else if path.file_name().is_some_and(|name| name == "expected.json") {
            into.extend(fs::read_to_string(&path).ok().map(|text| (path, text)));
        }
    }
}
