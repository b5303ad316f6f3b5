//! `sinew lsp`: the language server.

use std::sync::Arc;

use base::disk::{DiskWorld, SystemClock};
use bicep_emit::validation::Clocks;
use config::Loader;
use registry::{Cache, RegistryWorld, home};

use crate::VERSION;
use crate::catalogue::Types;
use crate::compile::{generator, today};
use crate::failure::Failure;
use crate::session::{Outcome, Session, Status};

const EXAMPLES: &str = "\
Examples:
  sinew lsp                      speak on standard input and output
  sinew lsp --socket 5007        connect to a port of this machine
  sinew lsp --pipe /tmp/client   connect to a named pipe

Editors start it themselves; docs/editors.md says how. Arguments that are not known are ignored, as clients add their own.";

/// Serve editors: the language server for Bicep and parameter files
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// `--stdio`, `--socket PORT` or `--pipe NAME`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTION")]
    words: Vec<String>,
}

impl Args {
    /// The arguments as another command line has them.
    pub(crate) fn of(words: Vec<String>) -> Self {
        Self { words }
    }

    /// The value of an option, behind `=` or a space.
    fn value(&self, option: &str) -> Option<&str> {
        let mut words = self.words.iter();
        while let Some(word) = words.next() {
            if word == option {
                return words.next().map(String::as_str);
            }
            if let Some(value) = word.strip_prefix(option).and_then(|rest| rest.strip_prefix('=')) {
                return Some(value);
            }
        }
        None
    }
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let connection = if let Some(name) = args.value("--pipe") {
        lsp::connect_pipe(name).map_err(|error| Failure::no_connection(name, &error))?
    } else if let Some(port) = args.value("--socket") {
        let number = port.parse().map_err(|_| Failure::not_a_port(port))?;
        lsp::connect_socket(number).map_err(|error| Failure::no_connection(port, &error))?
    } else {
        lsp::stdio()
    };
    // Artifacts are looked for where the folder that the server is started in keeps them.
    let config = Loader::new(&session.world).load_for(&session.absolute("main.bicep".into())?);
    let cache = home::cache_root(&session.world, &config).ok_or_else(Failure::no_home)?;
    let world = Arc::new(RegistryWorld::new(DiskWorld, Cache::new(cache)));
    let types = Types::new(Arc::clone(&world)).with_descriptions();
    let options = project::Options {
        generator: generator(session),
        today: today(&session.world),
        clocks: Some((|| Arc::new(SystemClock::default())) as Clocks),
    };
    let setup = lsp::Setup { world, types: Arc::new(types), options, version: VERSION.to_owned() };
    let left_in_order = lsp::serve(connection, setup);
    Ok(if left_in_order { Status::Clean } else { Status::Findings })
}
