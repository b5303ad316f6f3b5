//! Who may use whom. A crate may use only crates on lower lines; neighbours on one line do not know each other.

use cargo_metadata::{Dependency, DependencyKind, Metadata, Package};

/// The lines, lowest first.
const LINES: [&[&str]; 9] = [
    &["base"],
    &["json"],
    &["bicep-syntax", "bicep-types", "arm", "config"],
    &["bicep-sema"],
    &[
        "bicep-emit",
        "bicep-lint",
        "bicep-format",
        "bicep-decompile",
        "bicep-docs",
        "rules",
        "generate",
        "deploy",
        "registry",
    ],
    &["bicep-ide"],
    &["project"],
    &["lsp", "api"],
    &["cli"],
];

/// Packages that are not part of the product and may use everything.
const DEVELOPMENT: [&str; 4] = ["tests", "differential", "benches", "xtask"];

/// The crates with effects. All others see the outside through `World`.
const RIM: [&str; 5] = ["registry", "deploy", "api", "lsp", "cli"];

/// What pure crates stay away from: files, processes, threads, network, asynchrony.
const FOR_THE_RIM: [&str; 16] = [
    "axum",
    "hyper",
    "ignore",
    "indicatif",
    "memmap2",
    "mimalloc",
    "notify",
    "oci-client",
    "rayon",
    "reqwest",
    "rusqlite",
    "sqlx",
    "tempfile",
    "tokio",
    "tonic",
    "walkdir",
];

/// Checks the dependencies of all packages of the workspace; those for tests are free.
pub(super) fn check(metadata: &Metadata) -> Vec<String> {
    let packages = metadata.workspace_packages();
    packages.iter().flat_map(|package| check_package(package)).collect()
}

fn check_package(package: &Package) -> Vec<String> {
    let name = package.name.as_str();
    if DEVELOPMENT.contains(&name) {
        return Vec::new();
    }
    let Some(line) = line_of(name) else {
        return vec![format!("{name}: not in the table of layers (xtask/src/tidy/layers.rs)")];
    };
    let used = package.dependencies.iter().filter(|dependency| dependency.kind == DependencyKind::Normal);
    used.filter_map(|dependency| check_dependency(name, line, dependency)).collect()
}

fn check_dependency(name: &str, line: usize, dependency: &Dependency) -> Option<String> {
    let used = dependency.name.as_str();
    let is_pure = !RIM.contains(&name);
    match line_of(used) {
        Some(below) if dependency.path.is_some() && below >= line => {
            Some(format!("{name} must not use {used}: it is not on a lower line"))
        }
        None if dependency.path.is_some() => {
            Some(format!("{name} must not use {used}: it is for development"))
        }
        _ if is_pure && used == "base" && dependency.features.iter().any(|feature| feature == "disk") => {
            Some(format!("{name} must not use the disk: it is a pure crate"))
        }
        // What is optional belongs to a feature that only programs enable.
        _ if is_pure && !dependency.optional && FOR_THE_RIM.contains(&used) => {
            Some(format!("{name} must not use {used}: it is a pure crate"))
        }
        _ => None,
    }
}

fn line_of(name: &str) -> Option<usize> {
    LINES.iter().position(|line| line.contains(&name))
}
