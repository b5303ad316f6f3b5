//! How long it takes to find a resource type in the catalogue of Azure's types, and to open the catalogue.
//!
//! `cargo bench -p benches --bench catalogue -- /path/to/az.types`, or with a catalogue that is installed as `az`.
#![expect(clippy::disallowed_methods, reason = "a measurement reads its data from disk")]
#![expect(clippy::disallowed_macros, reason = "a measurement says when there is nothing to measure")]

use std::hint::black_box;

use bicep_types::resources::{Declaration, Flavour};
use bicep_types::ty::ResourceReference;
use bicep_types::{Catalogue, ResourceTypes};
use criterion::Criterion;
use registry::home;

/// Types as different as possible in size and in place.
const TYPES: [(&str, &str); 4] = [
    ("Microsoft.Storage/storageAccounts", "2023-01-01"),
    ("Microsoft.Network/virtualNetworks", "2023-11-01"),
    ("microsoft.insights/diagnosticSettings", "2021-05-01-preview"),
    ("Microsoft.Web/sites", "2022-09-01"),
];

fn main() {
    let named = std::env::args().skip(1).find(|argument| argument.ends_with(".types"));
    let installed = || home::find_catalogue(&base::disk::DiskWorld, None, "az");
    let Some(path) = named.map(Into::into).or_else(installed) else {
        return println!("catalogue: no types are installed; `sinew types install` installs them");
    };
    let Ok(catalogue) = registry::types::open_catalogue(&path) else {
        return println!("catalogue: {path} cannot be opened");
    };
    let mut criterion = Criterion::default().sample_size(20).without_plots();
    criterion
        .bench_function("open", |bencher| bencher.iter(|| registry::types::open_catalogue(black_box(&path))));
    criterion.bench_function("find", |bencher| {
        bencher.iter(|| TYPES.map(|(name, version)| find(&catalogue, name, version)));
    });
    criterion.bench_function("resource type", |bencher| {
        bencher.iter(|| TYPES.map(|(name, version)| resource_type(&catalogue, name, version)));
    });
    criterion.final_summary();
}

/// The definition of the body: what a first look costs.
fn find(catalogue: &Catalogue, name: &str, version: &str) -> bool {
    let Ok(Some(found)) = catalogue.find(black_box(name), version) else { return false };
    let Ok(Some(resource)) = catalogue.resource(&found) else { return false };
    black_box(catalogue.body(&resource, &found)).is_ok()
}

/// What the compiler makes of it, without anything that was made before.
fn resource_type(catalogue: &Catalogue, name: &str, version: &str) -> bool {
    let types = ResourceTypes::new("az", Flavour::Az, Some(catalogue.clone()));
    let Some(reference) = ResourceReference::parse(&format!("{name}@{version}")) else { return false };
    black_box(types.resource_type(&reference, Declaration::empty())).is_some()
}
