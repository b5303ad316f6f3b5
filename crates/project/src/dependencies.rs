//! Who refers to whom: a file comes in; the paths that its statements lead to go out, found from its text alone.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock};

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

/// Who refers to a file, for all files of one revision.
///
/// An edit seldom changes what a file refers to, so the table of an earlier revision is taken and only the files that were
/// edited since are looked at again: a request must not pay for the size of the workspace.
#[derive(Default)]
pub(crate) struct Users {
    table: OnceLock<Arc<UserTable>>,
    earlier: Option<EarlierTable>,
}

/// The table of an earlier revision, with the files that may refer to others since then.
#[derive(Clone)]
struct EarlierTable {
    table: Arc<UserTable>,
    edited: Vec<Utf8PathBuf>,
}

/// The references of files in both directions.
#[derive(Default, Clone)]
pub(crate) struct UserTable {
    uses: FxHashMap<Utf8PathBuf, Arc<[Utf8PathBuf]>>,
    used_by: FxHashMap<Utf8PathBuf, BTreeSet<Utf8PathBuf>>,
}

impl Users {
    /// Those of the next revision, in which only these sources have other texts.
    pub(crate) fn after_edits(&self, paths: &[Utf8PathBuf]) -> Self {
        let known =
            self.table.get().map(|table| EarlierTable { table: Arc::clone(table), edited: Vec::new() });
        let earlier = known.or_else(|| self.earlier.clone()).map(|mut earlier| {
            let added =
                paths.iter().filter(|path| !earlier.edited.contains(path)).cloned().collect::<Vec<_>>();
            earlier.edited.extend(added);
            earlier
        });
        Self { table: OnceLock::new(), earlier }
    }

    /// The table of the revision that this belongs to.
    pub(crate) fn table(&self, snapshot: &Snapshot) -> &UserTable {
        self.table.get_or_init(|| match &self.earlier {
            Some(EarlierTable { table, edited }) => edited.iter().fold(Arc::clone(table), |table, path| {
                let uses = if snapshot.has(path) { snapshot.uses(path) } else { Arc::default() };
                table.with(path, uses)
            }),
            None => Arc::new(UserTable::of(snapshot)),
        })
    }
}

impl UserTable {
    fn of(snapshot: &Snapshot) -> Self {
        let mut table = Self::default();
        for file in snapshot.all_files() {
            let uses = snapshot.uses(&file);
            table.set(&file, uses);
        }
        table
    }

    /// The files that refer to a file themselves.
    pub(crate) fn used_by(&self, path: &Utf8Path) -> impl Iterator<Item = &Utf8PathBuf> {
        self.used_by.get(path).into_iter().flatten()
    }

    /// The same table where the references stay the same.
    fn with(self: Arc<Self>, path: &Utf8Path, uses: Arc<[Utf8PathBuf]>) -> Arc<Self> {
        if self.uses.get(path).map_or(uses.is_empty(), |known| *known == uses) {
            return self;
        }
        let mut next = Self::clone(&self);
        next.set(path, uses);
        Arc::new(next)
    }

    fn set(&mut self, path: &Utf8Path, uses: Arc<[Utf8PathBuf]>) {
        for used in self.uses.remove(path).iter().flat_map(|it| it.iter()) {
            if let Some(users) = self.used_by.get_mut(used) {
                users.remove(path);
            }
        }
        for used in uses.iter() {
            self.used_by.entry(used.clone()).or_default().insert(path.to_owned());
        }
        if !uses.is_empty() {
            self.uses.insert(path.to_owned(), uses);
        }
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
