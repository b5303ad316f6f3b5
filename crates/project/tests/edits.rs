//! Any sequence of edits leaves a project with the answers of a fresh one.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use base::world::Entry;
use base::{Artifact, MemoryWorld, ReadError, World};
use bicep_emit::Generator;
use bicep_sema::NoTypes;
use camino::{Utf8Path, Utf8PathBuf};
use project::{Options, Project, Snapshot};
use proptest::prelude::*;

/// The files that are edited; each has texts that make sense in it, and what they have in common with other files.
const FILES: [(&str, &[&str]); 8] = [
    (
        "/w/main.bicep",
        &[
            "import { name, size } from 'shared.bicep'\nmodule m 'm.bicep' = {\n  name: 'm'\n  params: { a: 'x' }\n}\noutput o string = m.outputs.o\nvar s size = 'small'\nvar t = loadTextContent('data.txt')\noutput all string = '${name}${s}${t}'\n",
            "import * as shared from 'shared.bicep'\nparam p shared.size = 'large'\nmodule sub 'sub/inner.bicep' = { name: p }\n",
            "module m 'm.bicep' = [for i in range(0, 3): {\n  name: 'm${i}'\n  params: { a: i }\n}]\n",
            "module t 'template.json' = { name: 't', params: { n: 1 } }\noutput o int = t.outputs.n\n",
            "",
        ],
    ),
    (
        "/w/m.bicep",
        &[
            "param a string\noutput o string = a\n",
            "param a int\noutput o string = '${a}'\n",
            "import { size } from 'shared.bicep'\nparam a size\n@secure()\noutput o string = a\n",
            "module main 'main.bicep' = { name: 'x' }\nparam a string = 1\n",
            "param a string\nmodule inner 'sub/inner.bicep' = { name: a }\noutput o string = inner.outputs.files\n",
        ],
    ),
    (
        "/w/shared.bicep",
        &[
            "@export()\nvar name = 'shared'\n@export()\ntype size = 'small' | 'large'\n",
            "@export()\nvar name = loadTextContent('data.txt')\n@export()\ntype size = string\n",
            "@export()\nfunc name(a string) string => a\n@export()\ntype size = { a: size?, b: int }\n",
            "import { a } from 'm.bicep'\n@export()\nvar name = a\n",
        ],
    ),
    (
        "/w/sub/inner.bicep",
        &[
            "var listed = loadDirectoryFileInfo('.')\noutput files string = '${length(listed)}'\n",
            "#disable-next-line no-unused-params\nparam unused string\noutput files int = 1\n",
            "import * as s from '../shared.bicep'\noutput files string = s.name\n",
        ],
    ),
    (
        "/w/main.bicepparam",
        &[
            "using 'main.bicep'\nparam p = 'small'\n",
            "using 'm.bicep'\nextends 'base.bicepparam'\nparam a = 'b'\n",
        ],
    ),
    ("/w/base.bicepparam", &["using none\nparam a = 'base'\n", "param a = 1\n"]),
    (
        "/w/bicepconfig.json",
        &[
            "{}",
            r#"{"analyzers": {"core": {"rules": {"no-unused-params": {"level": "error"}}}}}"#,
            r#"{"experimentalFeaturesEnabled": {"symbolicNameCodegen": true}}"#,
            r#"{"extends": "template.json"}"#,
            "{",
        ],
    ),
    (
        "/w/template.json",
        &[
            r#"{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0", "parameters": {"n": {"type": "int"}}, "resources": [], "outputs": {"n": {"type": "int", "value": "[parameters('n')]"}}}"#,
            r#"{"analyzers": {"core": {"enabled": false}}}"#,
        ],
    ),
];

/// A file that is only loaded.
const DATA: &str = "/w/data.txt";

#[derive(Debug, Clone)]
enum Step {
    /// An editor replaces the text of a file by one that makes sense in some file.
    Open(usize, usize),
    /// An editor replaces a part of the text of a file.
    Type { file: usize, at: usize, removed: usize, text: String },
    /// An editor closes a file without saving it.
    Close(usize),
    /// A file appears or changes on the disk.
    Save(usize, usize),
    /// A file disappears.
    Delete(usize),
    /// The file that is loaded gets this text.
    Data(String),
    /// Somebody asks.
    Ask(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let (file, text) = (0..FILES.len(), 0..5_usize);
    let typed = prop_oneof!["[a-z '{}()=.\n]{0,6}", Just("param z int\n".to_owned())];
    prop_oneof![
        3 => (file.clone(), text.clone()).prop_map(|(file, text)| Step::Open(file, text)),
        4 => (file.clone(), 0..200_usize, 0..8_usize, typed)
            .prop_map(|(file, at, removed, text)| Step::Type { file, at, removed, text }),
        1 => file.clone().prop_map(Step::Close),
        2 => (file.clone(), text).prop_map(|(file, text)| Step::Save(file, text)),
        1 => file.clone().prop_map(Step::Delete),
        1 => "[a-z]{0,3}".prop_map(Step::Data),
        5 => file.prop_map(Step::Ask),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, max_shrink_iters: 2000, ..ProptestConfig::default() })]

    #[test]
    fn edits_leave_a_project_with_the_answers_of_a_fresh_one(
        steps in prop::collection::vec(step(), 1..24),
    ) {
        let world = Arc::new(Disk::default());
        let mut open: BTreeMap<&str, String> = BTreeMap::new();
        let mut project = started(&world, &open);
        for step in &steps {
            apply(step, &world, &mut open, &mut project);
        }
        let (kept, fresh) = (project.snapshot(), started(&world, &open).snapshot());
        for (path, _) in FILES {
            prop_assert_eq!(answers(&kept, path), answers(&fresh, path), "{}", path);
        }
    }
}

fn apply(step: &Step, world: &Arc<Disk>, open: &mut BTreeMap<&'static str, String>, project: &mut Project) {
    let text_of = |file: usize, text: usize| {
        let texts = FILES[file].1;
        texts[text % texts.len()]
    };
    match step {
        Step::Open(file, text) => {
            let (path, text) = (FILES[*file].0, text_of(*file, *text));
            open.insert(path, text.to_owned());
            project.open(path.into(), 1, text);
        }
        Step::Type { file, at, removed, text } => {
            let path = FILES[*file].0;
            let source = project.snapshot().source(path.into());
            let mut whole = source.map(|source| source.text().to_string()).unwrap_or_default();
            // All texts are ASCII: every offset is a boundary.
            let start = (*at).min(whole.len());
            let end = (start + removed).min(whole.len());
            whole.replace_range(start..end, text);
            open.insert(path, whole.clone());
            project.open(path.into(), 2, whole);
        }
        Step::Close(file) => {
            open.remove(FILES[*file].0);
            project.close(FILES[*file].0.into());
        }
        Step::Save(file, text) => save(world, project, FILES[*file].0, Some(text_of(*file, *text))),
        Step::Delete(file) => save(world, project, FILES[*file].0, None),
        Step::Data(text) => save(world, project, DATA, Some(text.as_str()).filter(|it| !it.is_empty())),
        Step::Ask(file) => {
            answers(&project.snapshot(), FILES[*file].0);
        }
    }
}

fn save(world: &Disk, project: &mut Project, path: &str, text: Option<&str>) {
    match text {
        Some(text) => world.0.lock().unwrap().insert(path.into(), text.to_owned()),
        None => world.0.lock().unwrap().remove(Utf8Path::new(path)),
    };
    project.changed(&[path.into()]);
}

fn started(world: &Arc<Disk>, open: &BTreeMap<&str, String>) -> Project {
    let generator = Generator { name: "test".to_owned(), version: "1".to_owned() };
    let options = Options { generator, today: None, clocks: None };
    let world: Arc<dyn World> = Arc::<Disk>::clone(world);
    let mut project = Project::new(world, Arc::new(NoTypes), options);
    project.set_workspace(FILES.iter().map(|(path, _)| Utf8PathBuf::from(*path)).collect());
    for (path, text) in open {
        project.open(Utf8Path::new(path), 1, text.as_str());
    }
    project
}

/// Everything that a project says about a file, as text.
fn answers(snapshot: &Snapshot, path: &str) -> String {
    let path = Utf8Path::new(path);
    let diagnostics = snapshot.diagnostics(path).map(|report| report.diagnostics.clone());
    let template = snapshot.template(path).map(|emitted| emitted.template.to_string());
    let parameters = snapshot.parameters(path).map(|parameters| parameters.document().to_string());
    let used = (snapshot.uses(path), snapshot.used_by(path), snapshot.dependents(&[path.to_owned()]));
    format!("{diagnostics:#?}\n{template:?}\n{parameters:?}\n{used:?}")
}

/// A disk that can change.
#[derive(Default)]
struct Disk(Mutex<BTreeMap<Utf8PathBuf, String>>);

impl Disk {
    fn now(&self) -> MemoryWorld {
        let files = self.0.lock().unwrap().clone();
        files.into_iter().fold(MemoryWorld::new(), |world, (path, text)| world.with_file(path, text))
    }
}

impl World for Disk {
    fn read(&self, path: &Utf8Path) -> Result<Arc<[u8]>, ReadError> {
        self.now().read(path)
    }

    fn list(&self, folder: &Utf8Path) -> Result<Vec<Entry>, ReadError> {
        self.now().list(folder)
    }

    fn variable(&self, _name: &str) -> Option<String> {
        None
    }

    fn variable_names(&self) -> Vec<String> {
        Vec::new()
    }

    fn artifact(&self, _reference: &str) -> Artifact {
        Artifact::Missing
    }
}
