//! `sinew debug`: what the parser sees, for people who work on it.

use std::fmt::Write;

use bicep_syntax::{Dialect, parse};
use camino::Utf8PathBuf;
use clap::Subcommand;

use crate::inputs::Input;
use crate::session::{Outcome, Session, Status};

/// Show how a Bicep file is read
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// One token a line, white space and comments included
    Tokens { file: Utf8PathBuf },
    /// One node or token a line, indented by depth
    Tree { file: Utf8PathBuf },
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let (What::Tokens { file } | What::Tree { file }) = &args.what;
    let source = Input::file(file).read(session)?;
    let parsed = parse(source.text().clone(), Dialect::of_path(file.as_str()));
    let mut text = String::new();
    match &args.what {
        What::Tree { .. } => text = format!("{:?}", parsed.tree),
        What::Tokens { .. } => {
            for token in parsed.tree.tokens() {
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{:?}@{:?} {:?}", token.kind(), token.range(), token.text());
            }
        }
    }
    session.output.data(&text)?;
    Ok(Status::Clean)
}
