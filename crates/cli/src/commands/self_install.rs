//! `sinew self`: what belongs to an installation of the program: the links under which it is another one, and man pages.

use std::fs;
use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use clap::{CommandFactory, Subcommand};

use crate::args::Cli;
use crate::failure::Failure;
use crate::names::Name;
use crate::session::{Outcome, Session, Status};
use crate::write;

const EXAMPLES: &str = "\
Examples:
  sinew self names
  sinew self names --folder bin
  sinew self man-pages man";

/// Install links for other names, and man pages
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Create the links `bicep`, `jk` and `TemplateAnalyzer`
    Names {
        /// The folder [default: next to the binary]
        #[arg(long, value_name = "DIR")]
        folder: Option<Utf8PathBuf>,
        /// Replace existing files with these names
        #[arg(long)]
        force: bool,
    },
    /// Write the man pages of all commands
    ManPages {
        /// Where to
        #[arg(value_name = "DIR")]
        folder: Utf8PathBuf,
    },
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    match &args.task {
        Task::Names { folder, force } => make_names(folder.as_deref(), *force, session),
        Task::ManPages { folder } => write_man_pages(folder, session),
    }
}

fn make_names(folder: Option<&Utf8Path>, force: bool, session: &Session) -> Outcome {
    let program = std::env::current_exe().map_err(|error| Failure::no_program(&error))?;
    let program = Utf8PathBuf::from_path_buf(program).map_err(|path| Failure::name_not_utf8(&path))?;
    let folder = folder.or(program.parent()).unwrap_or(Utf8Path::new("."));
    fs::create_dir_all(folder).map_err(|error| Failure::unwritable(folder, &error))?;
    for name in [Name::Bicep, Name::Jk, Name::TemplateAnalyzer] {
        let link = folder.join(format!("{}{}", name.text(), std::env::consts::EXE_SUFFIX));
        if is_ours(&link, &program) {
            session.output.talk(&format!("{link}: is there\n"))?;
            continue;
        }
        if link.symlink_metadata().is_ok() {
            if !force {
                return Err(Failure::name_taken(&link));
            }
            fs::remove_file(&link).map_err(|error| Failure::unwritable(&link, &error))?;
        }
        make_link(&program, &link).map_err(|error| Failure::unwritable(&link, &error))?;
        session.output.talk(&format!("{link}\n"))?;
    }
    Ok(Status::Clean)
}

fn is_ours(link: &Utf8Path, program: &Utf8Path) -> bool {
    match (link.canonicalize_utf8(), program.canonicalize_utf8()) {
        (Ok(link), Ok(program)) => link == program,
        _ => false,
    }
}

/// A link that stays true when the folder moves as a whole.
#[cfg(unix)]
fn make_link(program: &Utf8Path, link: &Utf8Path) -> io::Result<()> {
    let is_beside = link.parent().and_then(|folder| folder.canonicalize_utf8().ok())
        == program.parent().and_then(|folder| folder.canonicalize_utf8().ok());
    let target = program.file_name().filter(|_| is_beside).map_or(program, Utf8Path::new);
    std::os::unix::fs::symlink(target, link)
}

/// Links need rights that people do not have there: a second name of the same file, else a copy.
#[cfg(not(unix))]
fn make_link(program: &Utf8Path, link: &Utf8Path) -> io::Result<()> {
    fs::hard_link(program, link).or_else(|_| fs::copy(program, link).map(drop))
}

fn write_man_pages(folder: &Utf8Path, session: &Session) -> Outcome {
    fs::create_dir_all(folder).map_err(|error| Failure::unwritable(folder, &error))?;
    let mut parser = Cli::command();
    parser.build();
    let count = write_man_page(&parser, folder)?;
    session.output.talk(&format!("{count} pages: `{folder}`\n"))?;
    Ok(Status::Clean)
}

/// The page of a command and those of the commands below it; how many there are.
fn write_man_page(parser: &clap::Command, folder: &Utf8Path) -> Result<usize, Failure> {
    let name = parser.get_display_name().unwrap_or(parser.get_name()).to_owned();
    let path = folder.join(format!("{name}.1"));
    let mut page = Vec::new();
    let man = clap_mangen::Man::new(parser.clone().disable_help_flag(true));
    man.render(&mut page).map_err(|error| Failure::unwritable(&path, &error))?;
    write::write_bytes(&path, &page)?;
    let below = parser.get_subcommands().filter(|it| !it.is_hide_set() && it.get_name() != "help");
    below.map(|below| write_man_page(below, folder)).try_fold(1, |sum, count| Ok(sum + count?))
}
