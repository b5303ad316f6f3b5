//! `sinew lsp`: the language server.

use crate::failure::Failure;
use crate::servers;
use crate::session::{Outcome, Session, Status};

const EXAMPLES: &str = "\
Examples:
  sinew lsp                      use standard input and output
  sinew lsp --socket 5007        connect to a local port
  sinew lsp --pipe /tmp/client   connect to a named pipe

Editors start the server; docs/editors.md describes the setup. Unknown
arguments are ignored, because clients add their own.";

/// Run the language server for Bicep and parameter files
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
    let setup = servers::setup(session)?;
    let left_in_order = lsp::serve(connection, setup);
    Ok(if left_in_order { Status::Clean } else { Status::Findings })
}
