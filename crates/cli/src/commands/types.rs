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
  sinew types install   Azure, in the built-in version
  sinew types install kubernetes
  sinew types install az --from Azure.Bicep.Types.Az.nupkg
  sinew types install br:example.azurecr.io/extensions/foo:1.2.3
  sinew types outdated
  sinew types search storage account
  sinew types versions Microsoft.Storage/storageAccounts
  sinew types show Microsoft.Storage/storageAccounts@2023-01-01 properties

Catalogues are installed in `$SINEW_HOME/types`, or in the user's data folder.
Catalogues next to the binary are used as well. `SINEW_TYPES_MIRROR` sets the
download source: `br:HOST/PATH` for a registry, a folder with files such as
`az.nupkg`, or `none`.";

/// Install, update and browse resource types
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Build a catalogue from a package of types
    Pack {
        #[command(flatten)]
        package: Package,
        /// The catalogue
        #[arg(short, long, value_name = "FILE")]
        output: Utf8PathBuf,
    },
    /// Install types: Azure's, or from a name, file, folder or reference
    Install(InstallArgs),
    /// List catalogues with a newer version in their registry; exit code 1 if there are any
    Outdated {
        /// Print one JSON object per line
        #[arg(long)]
        json: bool,
    },
    /// Update catalogues that come from a registry
    Update {
        /// The catalogues to update [default: all]
        #[arg(value_name = "NAME")]
        names: Vec<String>,
    },
    /// List installed catalogues
    Installed {
        /// Print one JSON object per line
        #[arg(long)]
        json: bool,
    },
    /// List resource types by prefix
    List {
        #[arg(value_name = "START", default_value = "")]
        start: String,
        #[command(flatten)]
        from: From,
    },
    /// Find resource types that contain all words
    Search {
        #[arg(value_name = "WORD", required = true)]
        words: Vec<String>,
        #[command(flatten)]
        from: From,
    },
    /// List the versions of a resource type, newest first
    Versions {
        #[arg(value_name = "TYPE")]
        name: String,
        #[command(flatten)]
        from: From,
    },
    /// Show the properties of a resource type
    Show(show::Args),
}

/// What is installed, and from where.
#[derive(Debug, clap::Args)]
struct InstallArgs {
    /// `az`, `kubernetes` or `microsoftGraph`; a catalogue, a folder with `index.json`, an archive of one, an extension
    /// package or a .NET package (`.nupkg`); or a reference (`br:HOST/PATH:TAG`). Without it, `az`
    #[arg(value_name = "NAME|FILE|REFERENCE")]
    input: Option<String>,

    /// A file, folder or reference to use instead of the default source
    #[arg(long, value_name = "FILE|REFERENCE")]
    from: Option<String>,

    /// The name of the catalogue; `builtin:` in bicepconfig.json refers to it
    #[arg(long = "as", value_name = "NAME")]
    name: Option<String>,

    /// The folder of `index.json` within the archive
    #[arg(long, value_name = "FOLDER")]
    package: Option<Utf8PathBuf>,

    /// Use only the cache; open no network connection
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
    /// The name or file of a catalogue [default: all installed]
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
