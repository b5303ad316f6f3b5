//! Lines that can be edited: with history, words to complete, and further lines until a text is complete.

use rustyline::completion::{Completer, extract_word};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Config, Context, Helper};

use crate::evaluation::workbench::is_complete;
use crate::failure::Failure;

/// An editor on this terminal.
pub(super) struct Editor(rustyline::Editor<Guide, MemHistory>);

/// What was entered.
pub(super) enum Line {
    /// A text, of one or more lines.
    Text(String),
    /// What was typed so far was given up.
    Dropped,
    /// There will be no more.
    End,
}

const PROMPT: &str = "> ";

impl Editor {
    /// Takes the terminal.
    pub(super) fn new() -> Result<Self, Failure> {
        let config = Config::builder().auto_add_history(true).build();
        let history = MemHistory::with_config(&config);
        let mut editor = rustyline::Editor::with_history(config, history).map_err(|error| failed(&error))?;
        editor.set_helper(Some(Guide));
        Ok(Self(editor))
    }

    /// Reads until a text is complete, or somebody ends it with an empty line.
    pub(super) fn read(&mut self) -> Result<Line, Failure> {
        match self.0.readline(PROMPT) {
            Ok(text) => Ok(Line::Text(text)),
            Err(ReadlineError::Interrupted) => Ok(Line::Dropped),
            Err(ReadlineError::Eof) => Ok(Line::End),
            Err(error) => Err(failed(&error)),
        }
    }

    /// Empties the screen.
    pub(super) fn clear(&mut self) -> Result<(), Failure> {
        self.0.clear_screen().map_err(|error| failed(&error))
    }
}

fn failed(error: &ReadlineError) -> Failure {
    Failure::terminal(&error.to_string())
}

/// Knows when a text is complete, and the names of functions.
struct Guide;

impl Helper for Guide {}
impl Highlighter for Guide {}
impl Hinter for Guide {
    type Hint = String;
}

impl Validator for Guide {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let text = context.input();
        let is_given_up = text.rsplit_once('\n').is_some_and(|(_, line)| line.trim().is_empty());
        Ok(match is_given_up || is_complete(text) {
            true => ValidationResult::Valid(None),
            false => ValidationResult::Incomplete,
        })
    }
}

impl Completer for Guide {
    type Candidate = String;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        let (start, word) = extract_word(line, at, None, |c| !c.is_ascii_alphanumeric() && c != '_');
        if word.is_empty() {
            return Ok((start, Vec::new()));
        }
        let starts = |name: &&str| {
            name.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word)) && !name.contains('*')
        };
        let mut names: Vec<_> = arm::function_names().filter(starts).map(str::to_owned).collect();
        names.sort();
        Ok((start, names))
    }
}
