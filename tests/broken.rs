//! Every file of the corpus, cut off at any byte or with any line taken out, is compiled: checked, linted, evaluated and
//! emitted, with the published resource types. Nothing panics, and nothing goes on for ever.
//!
//! A run takes one cut and one line of every file, then again as long as there is time, in an order that is the same every
//! time. `SINEW_SWEEP=all` takes every cut and every line; `SINEW_SWEEP=N` every N-th. `SINEW_SWEEP_FILES=TEXT` takes only
//! the files with this in their path.
#![expect(clippy::disallowed_methods, reason = "a test reads files, asks the clock and the environment")]
#![expect(clippy::disallowed_macros, reason = "the figures are for the person who runs this")]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on has failed"
)]

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use base::disk::DiskWorld;
use base::world::{Artifact, Entry, ReadError, World};
use bicep_emit::parameters::{ParameterOptions, parameters};
use bicep_emit::{Emitter, Generator, Options};
use bicep_sema::{MissingTypes, Program, Setup, TypeSource};
use bicep_types::ResourceTypes;
use bicep_types::resources::Flavour;
use camino::{Utf8Path, Utf8PathBuf};
use config::provider::{Builtin, ProviderSource};
use tests::corpus::Corpus;
use tests::shared;

/// How long the default run goes on.
const TIME: Duration = Duration::from_secs(30);

/// Nothing may take longer, on any machine.
const LONGEST: Duration = Duration::from_secs(60);

/// A long run says how far it is after so many variants.
const PROGRESS: usize = 20_000;

/// As many as the program gives its threads.
const STACK_BYTES: usize = 16 << 20;

#[test]
fn broken_files_are_normal_input() {
    let Some(root) = shared::folder("corpus/bicep") else {
        return eprintln!("broken: {}", shared::absent("corpus/bicep"));
    };
    let types = Types::installed(&root);
    let files = files(&root);
    let sweep = Sweep::from_environment();
    let next = AtomicUsize::new(0);
    let compiled = AtomicUsize::new(0);
    let workers: Vec<Worker> =
        (0..thread::available_parallelism().unwrap().get()).map(|_| Worker::default()).collect();
    let is_over = AtomicBool::new(false);
    let started = Instant::now();
    thread::scope(|scope| {
        scope.spawn(|| watch(&workers, &is_over));
        let running: Vec<_> = workers
            .iter()
            .map(|worker| {
                let work = || {
                    while let Some((file, variant)) =
                        sweep.variant(next.fetch_add(1, Ordering::Relaxed), &files, started)
                    {
                        worker.compile(file, variant, &types);
                        let done = compiled.fetch_add(1, Ordering::Relaxed) + 1;
                        if done.is_multiple_of(PROGRESS) {
                            eprintln!("{done} variants so far, now in {}", file.path);
                        }
                    }
                };
                thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work).unwrap()
            })
            .collect();
        let failed = running.into_iter().filter_map(|worker| worker.join().err()).count();
        is_over.store(true, Ordering::Relaxed);
        assert_eq!(failed, 0, "see above");
    });
    let slowest = workers.iter().filter_map(|worker| worker.slowest.lock().unwrap().clone()).max().unwrap();
    println!(
        "{} variants of {} files in {:.0} s; the slowest took {:.2} s: {}",
        compiled.into_inner(),
        files.len(),
        started.elapsed().as_secs_f32(),
        slowest.0.as_secs_f32(),
        slowest.1,
    );
}

/// A file of the corpus.
struct File {
    path: Utf8PathBuf,
    text: String,
    /// Where lines start.
    lines: Vec<usize>,
}

/// What is done to a file.
#[derive(Debug, Clone, Copy)]
enum Variant {
    /// It ends at this byte.
    Cut(usize),
    /// The line with this number is missing.
    Line(usize),
}

impl File {
    fn count(&self) -> usize {
        self.text.len() + self.lines.len()
    }

    fn variant(&self, index: usize) -> Variant {
        match index.checked_sub(self.text.len()) {
            None => Variant::Cut(index),
            Some(line) => Variant::Line(line),
        }
    }

    fn changed(&self, variant: Variant) -> Vec<u8> {
        match variant {
            // A cut within a character leaves bytes that are no text: also an input.
            Variant::Cut(at) => self.text.as_bytes()[..at].to_vec(),
            Variant::Line(line) => {
                let (start, end) =
                    (self.lines[line], self.lines.get(line + 1).copied().unwrap_or(self.text.len()));
                [&self.text.as_bytes()[..start], &self.text.as_bytes()[end..]].concat()
            }
        }
    }
}

/// Which variants are taken.
enum Sweep {
    /// One of each kind of every file per round, until the time is over.
    Rounds,
    /// Every so many.
    Every(usize),
}

impl Sweep {
    fn from_environment() -> Self {
        match std::env::var("SINEW_SWEEP").as_deref() {
            Err(_) | Ok("") => Self::Rounds,
            Ok("all") => Self::Every(1),
            Ok(step) => Self::Every(step.parse().expect("SINEW_SWEEP is `all` or a number")),
        }
    }

    /// The n-th variant of a run.
    fn variant<'f>(&self, n: usize, files: &'f [File], started: Instant) -> Option<(&'f File, Variant)> {
        match self {
            Self::Rounds => {
                let (round, at) = (n / (2 * files.len()), n % (2 * files.len()));
                if round > 0 && started.elapsed() > TIME {
                    return None;
                }
                let file = &files[at / 2];
                let random = scrambled(n);
                Some((
                    file,
                    if at % 2 == 0 {
                        Variant::Cut(random % (file.text.len() + 1))
                    } else {
                        Variant::Line(random % file.lines.len())
                    },
                ))
            }
            Self::Every(step) => {
                let mut at = n * step;
                for file in files {
                    if at < file.count() {
                        return Some((file, file.variant(at)));
                    }
                    at -= file.count();
                }
                None
            }
        }
    }
}

/// A number that looks random and is the same every time.
fn scrambled(n: usize) -> usize {
    let mut x = (n as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    usize::try_from((x ^ (x >> 31)) >> 33).unwrap()
}

/// What a thread is doing, and what took it longest.
#[derive(Default)]
struct Worker {
    now: Mutex<Option<(Instant, String)>>,
    slowest: Mutex<Option<(Duration, String)>>,
}

impl Worker {
    fn compile(&self, file: &File, variant: Variant, types: &Types) {
        let name = format!("{} {variant:?}", file.path);
        let started = Instant::now();
        *self.now.lock().unwrap() = Some((started, name.clone()));
        let changed = file.changed(variant);
        let world = Changed { path: &file.path, bytes: changed.into() };
        let result = catch_unwind(AssertUnwindSafe(|| compile(&world, types, &file.path)));
        assert!(result.is_ok(), "a panic in {name}");
        *self.now.lock().unwrap() = None;
        let mut slowest = self.slowest.lock().unwrap();
        if slowest.as_ref().is_none_or(|(time, _)| *time < started.elapsed()) {
            *slowest = Some((started.elapsed(), name));
        }
    }
}

/// Ends the run when something does not come to an end.
fn watch(workers: &[Worker], is_over: &AtomicBool) {
    while !is_over.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(100));
        for worker in workers {
            if let Some((since, name)) = &*worker.now.lock().unwrap()
                && since.elapsed() > LONGEST
            {
                eprintln!("not done after {} s: {name}", LONGEST.as_secs());
                std::process::abort();
            }
        }
    }
}

/// Everything that can be done with a file.
fn compile(world: &dyn World, types: &Types, path: &Utf8Path) {
    let program = Program::load(Setup::new(world).with_types(types), &[path.to_owned()]);
    let generator = Generator { name: "test".to_owned(), version: "1".to_owned() };
    let emitter = Emitter::new(&program, Options { generator });
    for file in program.files() {
        if program.bicep(file).is_none() {
            continue;
        }
        program.report(file);
        bicep_lint::lint(&program, file, &bicep_lint::Options::default());
        let _ = parameters(&program, file, &ParameterOptions::default());
        emitter.template(file);
    }
}

/// The disk with one file changed.
struct Changed<'a> {
    path: &'a Utf8Path,
    bytes: Arc<[u8]>,
}

impl World for Changed<'_> {
    fn read(&self, path: &Utf8Path) -> Result<Arc<[u8]>, ReadError> {
        if path == self.path { Ok(Arc::clone(&self.bytes)) } else { DiskWorld.read(path) }
    }

    fn list(&self, folder: &Utf8Path) -> Result<Vec<Entry>, ReadError> {
        DiskWorld.list(folder)
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

/// The published types.
struct Types {
    az: Arc<ResourceTypes>,
    kubernetes: Arc<ResourceTypes>,
}

impl Types {
    fn installed(corpus: &Path) -> Self {
        let corpus = Corpus::load(corpus.to_owned(), env!("CARGO_BIN_EXE_sinew-tested").into()).unwrap();
        let installed = shared::folder("types").is_some_and(|folder| corpus.install_types(&folder).is_ok());
        if !installed {
            eprintln!("broken: without resource types");
        }
        let open = |name: &str, flavour| {
            let path = Utf8PathBuf::from_path_buf(corpus.home().join(format!("types/{name}.types"))).unwrap();
            ResourceTypes::new(name, flavour, registry::types::open_catalogue(&path).ok())
        };
        Self { az: open("az", Flavour::Az), kubernetes: open("kubernetes", Flavour::Kubernetes) }
    }
}

impl TypeSource for Types {
    fn types(&self, source: &ProviderSource) -> Result<Arc<ResourceTypes>, MissingTypes> {
        match source {
            ProviderSource::Builtin(Builtin::Az) => Ok(Arc::clone(&self.az)),
            ProviderSource::Builtin(Builtin::Kubernetes) => Ok(Arc::clone(&self.kubernetes)),
            _ => Err(MissingTypes::NotRestored),
        }
    }
}

/// The Bicep files of the corpus that are not recorded results.
fn files(root: &Path) -> Vec<File> {
    let wanted = std::env::var("SINEW_SWEEP_FILES").unwrap_or_default();
    let mut paths = Vec::new();
    collect(root, &mut paths);
    paths.sort();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).ok()?;
        let path = Utf8PathBuf::from_path_buf(path).ok()?;
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
        let lines = starts.filter(|at| *at == 0 || *at < text.len()).collect();
        path.as_str().contains(&wanted).then_some(File { path, text, lines })
    };
    paths.into_iter().filter_map(read).collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_recorded =
            || path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("expected"));
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|it| it == "bicep" || it == "bicepparam") && !is_recorded() {
            paths.push(path);
        }
    }
}
