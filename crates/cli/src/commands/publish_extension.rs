//! `sinew publish-extension`: puts a package of types into a registry, or into a file.

use camino::{Utf8Path, Utf8PathBuf};
use config::reference::ArtifactKind;
use registry::ExtensionPackage;

use crate::catalogue;
use crate::commands::publish;
use crate::failure::Failure;
use crate::session::{Outcome, Session, Status};

const EXAMPLES: &str = "\
Examples:
  sinew publish-extension types/index.json \\
      --target br:example.azurecr.io/providers/foo:1.2.3
  sinew publish-extension types/index.json --target ./foo.tgz

All types that `index.json` refers to are validated first. A package can
include programs for local deployment.";

/// Publish an extension package to a registry or a file
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The `index.json` of the types
    index: Utf8PathBuf,

    /// Where to: `br:HOST/PATH:TAG`, `br/ALIAS:PATH:TAG`, or the path of a `.tgz`
    #[arg(long, value_name = "REFERENCE|FILE")]
    target: String,

    /// Replace an existing tag; files are always replaced
    #[arg(long)]
    force: bool,

    /// The program for Linux on x64
    #[arg(long, value_name = "FILE")]
    bin_linux_x64: Option<Utf8PathBuf>,
    /// The program for Linux on ARM
    #[arg(long, value_name = "FILE")]
    bin_linux_arm64: Option<Utf8PathBuf>,
    /// The program for macOS on x64
    #[arg(long, value_name = "FILE")]
    bin_osx_x64: Option<Utf8PathBuf>,
    /// The program for macOS on ARM
    #[arg(long, value_name = "FILE")]
    bin_osx_arm64: Option<Utf8PathBuf>,
    /// The program for Windows on x64
    #[arg(long, value_name = "FILE")]
    bin_win_x64: Option<Utf8PathBuf>,
    /// The program for Windows on ARM
    #[arg(long, value_name = "FILE")]
    bin_win_arm64: Option<Utf8PathBuf>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let failed = |error: &registry::Error| Failure::publish(&args.target, error);
    let mut package = ExtensionPackage::from_index(&args.index).map_err(|error| failed(&error))?;
    let packed = registry::types::pack_archive(&package.types, None, "").map_err(|error| failed(&error))?;
    catalogue::report_problems(&packed, &args.index, session)?;
    if packed.error().is_some() {
        return Ok(Status::Findings);
    }
    let binaries = [
        ("linux-x64", &args.bin_linux_x64),
        ("linux-arm64", &args.bin_linux_arm64),
        ("osx-x64", &args.bin_osx_x64),
        ("osx-arm64", &args.bin_osx_arm64),
        ("win-x64", &args.bin_win_x64),
        ("win-arm64", &args.bin_win_arm64),
    ];
    for (architecture, path) in binaries {
        let Some(path) = path else { continue };
        let bytes =
            base::World::read(&session.world, path).map_err(|error| Failure::unreadable(path, &error))?;
        package.binaries.insert(architecture.to_owned(), bytes.to_vec());
    }
    if args.target.contains(':') {
        let options = publish::options(&args.target, ArtifactKind::Extension, args.force, session)?;
        registry::publish_extension(&package, &options).map_err(|error| failed(&error))?;
    } else {
        registry::write_extension(&package, Utf8Path::new(&args.target)).map_err(|error| failed(&error))?;
    }
    Ok(Status::Clean)
}
