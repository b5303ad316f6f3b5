//! `sinew diff`: what a change changes in what would be deployed, resource by resource, without deploying.

mod render;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::World;
use base::disk::DiskWorld;
use camino::{Utf8Path, Utf8PathBuf};
use clap::ValueEnum;

use crate::evaluation::destination::DestinationArgs;
use crate::failure::Failure;
use crate::inputs;
use crate::review::comparison::{FileKind, compare};
use crate::review::deployed::{DeploymentPreview, Selection, deployed, shown};
use crate::review::git::{CommitWorld, Repository};
use crate::session::{Outcome, Session, Status};
use crate::write;

const EXAMPLES: &str = "\
Examples:
  sinew diff main   the working tree against the branch main
  sinew diff HEAD~1 -- infra/main.bicepparam
  sinew diff v1.0..v1.1 --format markdown   two revisions, for a pull request
  sinew diff old new --format html -o diff.html   two folders

Both versions of every parameter file, and of every Bicep file that no other
file uses, are evaluated. Parameters without a value stay unknown. Exit code 1
means that a file cannot be evaluated or, with `--exit-code`, that there are
differences.";

/// Compare what two versions of a project would deploy
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The revision to compare with (`main`, `HEAD~1`, `A..B`), or the old folder
    #[arg(value_name = "REV|FOLDER")]
    base: String,

    /// The new folder, to compare two folders
    #[arg(value_name = "FOLDER")]
    new: Option<Utf8PathBuf>,

    /// Files and folders to compare [default: the current folder]
    #[arg(last = true, value_name = "FILE|DIR")]
    files: Vec<Utf8PathBuf>,

    /// The format of the result
    #[arg(long, value_enum, ignore_case = true, value_name = "FORMAT", default_value_t)]
    format: Format,

    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<Utf8PathBuf>,

    /// Exit with code 1 if there are differences
    #[arg(long)]
    exit_code: bool,

    #[command(flatten)]
    destination: DestinationArgs,
}

/// The format of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Format {
    /// Plain text
    #[default]
    Text,
    /// For a pull request comment
    Markdown,
    /// For programs
    Json,
    /// A self-contained page
    Html,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let (before, after) = match &args.new {
        Some(new) => folders(args, new, session)?,
        None => revisions(args, session)?,
    };
    let changes = compare(&before, &after);
    let text = render::render(&changes, args.format);
    match &args.output {
        Some(path) => write::write(path, &text)?,
        None => session.output.data(&text)?,
    }
    let is_open = changes.iter().any(|it| matches!(it.kind, FileKind::Undetermined(_)));
    Ok(Status::from_findings(is_open || args.exit_code && !changes.is_empty()))
}

/// What files deploy, by the names that people know.
type Side = BTreeMap<String, DeploymentPreview>;

fn folders(args: &Args, new: &Utf8Path, session: &Session) -> Result<(Side, Side), Failure> {
    let old = Utf8Path::new(&args.base);
    for folder in [old, new] {
        if !folder.is_dir() {
            return Err(Failure::not_a_folder(folder));
        }
    }
    let side = |root: &Utf8Path| {
        let root = session.absolute(root)?;
        let wanted: Vec<Utf8PathBuf> = args.files.iter().map(|file| root.join(file)).collect();
        let files = on_disk(&wanted, &root, session)?;
        let compared = ComparedFiles { world: &disk(), files: &files, named: &wanted, root: &root };
        compared.evaluate(args, session)
    };
    Ok((side(old)?, side(new)?))
}

fn revisions(args: &Args, session: &Session) -> Result<(Side, Side), Failure> {
    let here = session.absolute(Utf8Path::new("."))?;
    let repository = Repository::around(&here)?;
    let (old, new) = match args.base.split_once("..") {
        Some((old, new)) => {
            (old, Some(new.trim_start_matches('.')).filter(|it| !it.is_empty()).or(Some("HEAD")))
        }
        None => (args.base.as_str(), None),
    };
    let wanted: Result<Vec<Utf8PathBuf>, Failure> =
        args.files.iter().map(|file| Ok(resolved(&session.absolute(file)?))).collect();
    let wanted = match wanted? {
        wanted if wanted.is_empty() => vec![resolved(&here)],
        wanted => wanted,
    };
    let at_commit = |revision: &str| {
        let commit = repository.commit(revision)?;
        let is_chosen = |path: &Utf8PathBuf| is_wanted(path, &wanted);
        let files: Vec<_> = repository.files(&commit, &wanted)?.into_iter().filter(is_chosen).collect();
        let world: Arc<dyn World> = Arc::new(CommitWorld::new(&repository, &commit)?);
        let root = &repository.root;
        ComparedFiles { world: &world, files: &files, named: &wanted, root }.evaluate(args, session)
    };
    let before = at_commit(old)?;
    let after = match new {
        Some(revision) => at_commit(revision)?,
        None => {
            let files = on_disk(&wanted, &repository.root, session)?;
            let root = &repository.root;
            ComparedFiles { world: &disk(), files: &files, named: &wanted, root }.evaluate(args, session)?
        }
    };
    for file in wanted.iter().filter(|file| file.extension().is_some()) {
        let name = shown(file, &repository.root);
        if !before.contains_key(&name) && !after.contains_key(&name) && !file.is_dir() {
            return Err(Failure::in_no_revision(file));
        }
    }
    Ok((before, after))
}

/// Git names its folder without symbolic links.
fn resolved(path: &Utf8Path) -> Utf8PathBuf {
    path.canonicalize_utf8().unwrap_or_else(|_| path.to_owned())
}

/// Whether a file is asked for: by its name, or as a source below a folder. Templates are only looked at when they are named.
fn is_wanted(path: &Utf8Path, wanted: &[Utf8PathBuf]) -> bool {
    let is_source = path.extension().is_some_and(|it| inputs::EXTENSIONS.contains(&it));
    wanted.iter().any(|wanted| path == wanted || is_source && path.starts_with(wanted))
}

fn on_disk(wanted: &[Utf8PathBuf], root: &Utf8Path, session: &Session) -> Result<Vec<Utf8PathBuf>, Failure> {
    let whole = [root.to_owned()];
    let mut files = BTreeSet::new();
    for path in if wanted.is_empty() { &whole } else { wanted } {
        if path.is_dir() {
            let below = inputs::below(path, |path| {
                path.extension().is_some_and(|it| inputs::EXTENSIONS.contains(&it))
            })?;
            for input in below {
                files.insert(session.absolute(&input.path)?);
            }
        } else if path.is_file() {
            files.insert(path.clone());
        }
    }
    Ok(files.into_iter().collect())
}

fn disk() -> Arc<dyn World> {
    Arc::new(DiskWorld)
}

/// The files of one side of the comparison.
struct ComparedFiles<'a> {
    world: &'a Arc<dyn World>,
    files: &'a [Utf8PathBuf],
    /// What the command line names: looked at even if others use it.
    named: &'a [Utf8PathBuf],
    /// Where paths begin that people see.
    root: &'a Utf8Path,
}

impl ComparedFiles<'_> {
    /// What the files would deploy.
    fn evaluate(&self, args: &Args, session: &Session) -> Result<Side, Failure> {
        let context = args.destination.context();
        let selection = Selection { leave_out_used: self.files.len() > 1, named: self.named };
        let all = deployed(self.world, self.files, selection, &context, session)?;
        Ok(all.into_iter().map(|(path, made)| (shown(&path, self.root), made)).collect())
    }
}
