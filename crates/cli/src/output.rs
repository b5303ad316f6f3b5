//! Standard output for data, standard error for talk. Each text is written whole, under the stream's lock.

use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

use crate::failure::Failure;
use crate::session::Colour;

/// Standard output and standard error of this process, or texts that stand for them.
#[derive(Debug, Clone)]
pub(crate) struct Output {
    /// Whether somebody sits in front of standard error.
    pub(crate) is_terminal: bool,
    /// Whether talk is coloured.
    pub(crate) colour: bool,
    /// Takes what is written, when a command runs for somebody who wants it as data.
    captured: Option<Arc<Mutex<Captured>>>,
}

/// What a command has written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Captured {
    /// What went to standard output.
    pub(crate) data: String,
    /// What went to standard error.
    pub(crate) talk: String,
}

impl Output {
    /// Looks at the streams and at the environment (`NO_COLOR`, `CLICOLOR`, `CLICOLOR_FORCE`, `TERM`).
    pub(crate) fn new(colour: Colour) -> Self {
        let stderr = io::stderr();
        let colour = match colour {
            Colour::Auto => AutoStream::choice(&stderr) != ColorChoice::Never,
            Colour::Always => true,
            Colour::Never => false,
        };
        Self { is_terminal: stderr.is_terminal(), colour, captured: None }
    }

    /// Whether what is written is kept, for whoever runs commands in the same process.
    pub(crate) fn is_captured(&self) -> bool {
        self.captured.is_some()
    }

    /// Keeps what is written.
    #[cfg(feature = "lsp")]
    pub(crate) fn capturing() -> Self {
        Self { is_terminal: false, colour: false, captured: Some(Arc::default()) }
    }

    /// What was written, where it is kept.
    #[cfg(feature = "lsp")]
    pub(crate) fn captured(&self) -> Captured {
        let captured = self.captured.as_ref();
        captured.map(|it| it.lock().unwrap_or_else(PoisonError::into_inner).clone()).unwrap_or_default()
    }

    /// Writes a result, for the next program to read.
    pub(crate) fn data(&self, text: &str) -> Result<(), Failure> {
        match &self.captured {
            Some(captured) => captured.lock().unwrap_or_else(PoisonError::into_inner).data.push_str(text),
            None => write_all(&mut io::stdout().lock(), text)?,
        }
        Ok(())
    }

    /// Writes what a person should know.
    pub(crate) fn talk(&self, text: &str) -> Result<(), Failure> {
        match &self.captured {
            Some(captured) => captured.lock().unwrap_or_else(PoisonError::into_inner).talk.push_str(text),
            None => write_all(&mut io::stderr().lock(), text)?,
        }
        Ok(())
    }

    /// Says what went wrong. When even that fails, the exit code has to do.
    pub(crate) fn failure(&self, failure: &Failure) {
        let _ = self.labelled("error", AnsiColor::Red, &failure.to_string());
    }

    /// Says what may be wrong.
    pub(crate) fn warning(&self, message: &str) -> Result<(), Failure> {
        self.labelled("warning", AnsiColor::Yellow, message)
    }

    fn labelled(&self, label: &str, colour: AnsiColor, message: &str) -> Result<(), Failure> {
        let style = if self.colour { colour.on_default().bold() } else { Style::new() };
        self.talk(&format!("{style}{label}{style:#}: {message}\n"))
    }
}

fn write_all(stream: &mut dyn Write, text: &str) -> Result<(), Failure> {
    stream.write_all(text.as_bytes()).and_then(|()| stream.flush()).map_err(|error| Failure::output(&error))
}
