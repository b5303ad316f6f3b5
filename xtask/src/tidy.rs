//! `cargo xtask tidy`: the rules of the project that the compiler does not know. Hard rules make it fail; sizes are
//! reported, and fail only beyond reason.

mod architecture;
mod conventions;
mod files;
mod layers;
mod sizes;

use std::path::Path;

use cargo_metadata::MetadataCommand;

use crate::notices;

/// Checks everything. The error has one line per broken rule.
pub(crate) fn run() -> Result<(), Vec<String>> {
    let metadata = MetadataCommand::new().exec().map_err(|error| vec![error.to_string()])?;
    let root = metadata.workspace_root.as_std_path();
    let sources = files::sources(root).map_err(|error| vec![error.to_string()])?;
    let mut problems = layers::check(&metadata);
    problems.extend(notices::check(root, &metadata));
    problems.extend(files::check(root, &sources));
    problems.extend(conventions::check(root, &sources));
    problems.extend(architecture::check(root, &sources));
    problems.extend(sizes::check(root, &sources));
    if !problems.is_empty() {
        return Err(problems);
    }
    println!(
        "tidy: {} packages and {} source files are in order",
        metadata.workspace_members.len(),
        sources.len()
    );
    Ok(())
}

/// A path as it is shown: below the root of the workspace.
fn shown(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned()
}
