//! Who refers to whom: a file comes in; the paths that its statements lead to go out, found from its text alone.

use std::sync::{Arc, Mutex};

use base::{Artifact, SourceFile};
use bicep_syntax::{Dialect, parse};
use camino::{Utf8Path, Utf8PathBuf};
use config::Config;
use config::reference::Reference;
use rustc_hash::FxHashMap;

use crate::files::lock;
use crate::snapshot::Snapshot;

/// The references of files, kept as long as their texts and configurations stay the same.
#[derive(Default)]
pub(crate) struct Edges(Mutex<FxHashMap<Utf8PathBuf, Edge>>);

#[derive(Clone)]
struct Edge {
    source: Arc<SourceFile>,
    config: Arc<Config>,
    targets: Arc<[Utf8PathBuf]>,
}

impl Edges {
    /// Where the references of a file lead.
    pub(crate) fn of(&self, path: &Utf8Path, snapshot: &Snapshot) -> Arc<[Utf8PathBuf]> {
        if !matches!(path.extension(), Some("bicep" | "bicepparam")) {
            return Arc::default();
        }
        let Some(source) = snapshot.source(path) else { return Arc::default() };
        let config = snapshot.config(path);
        if let Some(known) = lock(&self.0).get(path)
            && (Arc::ptr_eq(&known.source, &source) || known.source.text() == source.text())
            && Arc::ptr_eq(&known.config, &config)
        {
            return Arc::clone(&known.targets);
        }
        // The tree is not kept: most files of a workspace are never looked at.
        let parsed = parse(Arc::clone(source.text()), Dialect::of_path(path.as_str()));
        let folder = path.parent().unwrap_or(Utf8Path::new(""));
        let references = bicep_sema::references(&parsed.tree, &config);
        let targets = references.iter().filter_map(|it| target(it, folder, snapshot));
        let targets: Arc<[Utf8PathBuf]> = targets.collect();
        let edge = Edge { source, config, targets: Arc::clone(&targets) };
        lock(&self.0).insert(path.to_owned(), edge);
        targets
    }
}

fn target(reference: &Reference, folder: &Utf8Path, snapshot: &Snapshot) -> Option<Utf8PathBuf> {
    match reference {
        Reference::Local(path) => Some(config::paths::resolve(folder, path.as_path())),
        Reference::Mock(path) => Some(path.clone()),
        Reference::Oci(_) | Reference::TemplateSpec(_) => {
            match snapshot.world().artifact(&reference.to_string()) {
                Artifact::Restored(folder) => Some(folder.join("main.json")),
                Artifact::Missing | Artifact::Failed(_) => None,
            }
        }
    }
}
