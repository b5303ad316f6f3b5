//! `cargo xtask notices`: the list of the packages that the program is built from, with their licenses. It is what
//! `bicep --third-party-notices` prints.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::Path;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package, PackageId};

/// Where the list is kept, below the root of the workspace.
pub(crate) const FILE: &str = "packaging/third-party-notices.txt";

const HEAD: &str = "\
Sinew contains code of the following packages, each under its own license. The text of a license is in the source of
its package.

";

/// Writes the list.
pub(crate) fn run() -> Result<(), Vec<String>> {
    let metadata = MetadataCommand::new().exec().map_err(|error| vec![error.to_string()])?;
    let path = metadata.workspace_root.as_std_path().join(FILE);
    std::fs::write(path, text(&metadata)).map_err(|error| vec![error.to_string()])
}

/// Whether the list is that of the packages that are used.
pub(crate) fn check(root: &Path, metadata: &Metadata) -> Option<String> {
    let written = std::fs::read_to_string(root.join(FILE)).unwrap_or_default();
    (written != text(metadata)).then(|| format!("{FILE} is not up to date: run `cargo xtask notices`"))
}

fn text(metadata: &Metadata) -> String {
    // Several versions of a package are one line: a new version must not change the list.
    let mut lines: BTreeMap<&str, &Package> = BTreeMap::new();
    for package in linked(metadata) {
        lines.insert(package.name.as_str(), package);
    }
    let mut text = HEAD.to_owned();
    for (name, package) in lines {
        let license = package.license.as_deref().unwrap_or("see its source");
        let source = package.repository.as_deref().unwrap_or_default();
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}", format!("{name}: {license} {source}").trim_end());
    }
    text
}

/// The packages from outside that the program is linked with on some platform.
fn linked(metadata: &Metadata) -> Vec<&Package> {
    let packages: HashMap<&PackageId, &Package> = metadata.packages.iter().map(|it| (&it.id, it)).collect();
    let nodes: HashMap<_, _> =
        metadata.resolve.iter().flat_map(|it| &it.nodes).map(|node| (&node.id, node)).collect();
    let mut open: Vec<&PackageId> =
        metadata.packages.iter().filter(|it| it.name.as_str() == "cli").map(|it| &it.id).collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        for dependency in nodes.get(id).into_iter().flat_map(|node| &node.deps) {
            if dependency.dep_kinds.iter().any(|it| it.kind == DependencyKind::Normal) {
                open.push(&dependency.pkg);
            }
        }
    }
    let is_foreign = |id: &&PackageId| !metadata.workspace_members.contains(id);
    seen.into_iter().filter(is_foreign).filter_map(|id| packages.get(id).copied()).collect()
}
