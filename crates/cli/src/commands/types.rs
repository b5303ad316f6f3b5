//! `sinew types`: the catalogues of resource types. Made and installed (`pack`), kept up to date (`update`), asked what
//! there is (`find`) and what a type looks like (`show`, `tree`).

mod find;
mod pack;
mod show;
mod tree;
mod update;

use camino::Utf8PathBuf;
use clap::Subcommand;

use crate::session::{Outcome, Session};

const EXAMPLES: &str = "\
Examples:
  sinew types install   Azure's, in the version that this program names
  sinew types install kubernetes
  sinew types install az --from Azure.Bicep.Types.Az.nupkg
  sinew types install br:example.azurecr.io/extensions/foo:1.2.3
  sinew types outdated
  sinew types search storage account
  sinew types versions Microsoft.Storage/storageAccounts
  sinew types show Microsoft.Storage/storageAccounts@2023-01-01 properties

Catalogues are installed in `$SINEW_HOME/types`, else in the data folder of the
user. One beside the program is found as well. `SINEW_TYPES_MIRROR` names where
published types are fetched from: `br:HOST/PATH` for a registry, a folder with
files such as `az.nupkg`, or `none`.";

/// Install catalogues of resource types, and look into them
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Make a catalogue of a package of types
    Pack {
        #[command(flatten)]
        package: Package,
        /// The catalogue
        #[arg(short, long, value_name = "FILE")]
        output: Utf8PathBuf,
    },
    /// Install types: those of Azure, or what a name, a file, a folder or a reference leads to
    Install(InstallArgs),
    /// Print which installed catalogues have newer versions in their registry; exit code 1 says that some have
    Outdated {
        /// Print one JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// Install the newest version of catalogues that come from a registry
    Update {
        /// Which ones; without a name, all
        #[arg(value_name = "NAME")]
        names: Vec<String>,
    },
    /// Print which catalogues are installed
    Installed {
        /// Print one JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// Print the resource types whose names start with a text, or all
    List {
        #[arg(value_name = "START", default_value = "")]
        start: String,
        #[command(flatten)]
        from: From,
    },
    /// Print the resource types whose names contain all of some words
    Search {
        #[arg(value_name = "WORD", required = true)]
        words: Vec<String>,
        #[command(flatten)]
        from: From,
    },
    /// Print the versions of a resource type, newest first
    Versions {
        #[arg(value_name = "TYPE")]
        name: String,
        #[command(flatten)]
        from: From,
    },
    /// Print what a resource type looks like
    Show(show::Args),
}

/// What is installed, and from where.
#[derive(Debug, clap::Args)]
struct InstallArgs {
    /// `az`, `kubernetes` or `microsoftGraph`; a catalogue, a folder with `index.json`, an archive of one, an extension
    /// package or a .NET package (`.nupkg`); or a reference (`br:HOST/PATH:TAG`). Without it, `az`
    #[arg(value_name = "NAME|FILE|REFERENCE")]
    input: Option<String>,

    /// A file, folder or reference to take instead of where the types of the name are published
    #[arg(long, value_name = "FILE|REFERENCE")]
    from: Option<String>,

    /// The name to install it under: `az` and `kubernetes` are those that `builtin:` stands for
    #[arg(long = "as", value_name = "NAME")]
    name: Option<String>,

    /// The folder of `index.json` within the archive
    #[arg(long, value_name = "FOLDER")]
    package: Option<Utf8PathBuf>,

    /// Use only what is in the cache: open no connection
    #[arg(long)]
    offline: bool,
}

/// What is packed.
#[derive(Debug, clap::Args)]
struct Package {
    /// A folder with `index.json`, an archive of one (`.tar`, `.tgz`, `.tar.gz`, `.tar.zst`), an extension package or a
    /// .NET package (`.nupkg`)
    input: String,

    /// The folder of `index.json` within the archive
    #[arg(long, value_name = "FOLDER")]
    package: Option<Utf8PathBuf>,
}

/// Where types are looked for, and how they are printed.
#[derive(Debug, clap::Args)]
struct From {
    /// The name or the file of a catalogue; without it, all that are installed
    #[arg(long, value_name = "NAME|FILE")]
    catalogue: Option<String>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    match &args.task {
        Task::Pack { package, output } => pack::pack(package, output, session),
        Task::Install(args) => pack::install(args, session),
        Task::Outdated { json } => update::outdated(*json, session),
        Task::Update { names } => update::update(names, session),
        Task::Installed { json } => find::installed(*json, session),
        Task::List { start, from } => find::list(start, from, session),
        Task::Search { words, from } => find::search(words, from, session),
        Task::Versions { name, from } => find::versions(name, from, session),
        Task::Show(args) => show::run(args, session),
    }
}
